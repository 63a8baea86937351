/* ms_keep.c: see ms_keep.h. The image: for each file its entry, its name, and, where it is copied,
 * its bytes; names are "table.dat" or "HISTORY/table.dat". Room: io/ms. Knows POSIX files and
 * casacore's names. Does not know what tables hold. */
#include "ms_keep.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_BYTES = 512 };

typedef struct keep_entry {
    int64_t name, bytes; /* of the name; of the file */
    int64_t copied;      /* 1, or 0: it only grows */
} keep_entry;

static ct_status keep_fail(const ct_ms_keep *keep, const char *doing, int code, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", keep->file, doing, strerror(code));
}

/* Tiles follow each other in "table.f3_TSM0": rows that are added do not change the places of
 * others. */
static bool keep_grows(const char *name)
{
    return strstr(name, "_TSM") != NULL;
}

/* ---- all files of the folder, and of those in it */

typedef ct_status keep_does(ct_ms_keep *keep, const char *name, const struct stat *about,
                            ct_error *err);

static DIR *keep_list(const ct_ms_keep *keep, const char *name)
{
    const int handle = openat(keep->folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = handle < 0 ? NULL : fdopendir(handle);
    if (!list && handle >= 0) (void)close(handle);
    return list;
}

/* depth 0: in folders of this one, too. */
static ct_status keep_each(ct_ms_keep *keep, const char *folder, int depth, keep_does *does,
                           ct_error *err)
{
    ct_status status = CT_OK;
    char name[NAME_BYTES];
    struct stat about;
    DIR *list = keep_list(keep, folder[0] ? folder : ".");
    if (!list) return keep_fail(keep, "read back", errno, err);
    for (struct dirent *entry; status == CT_OK && (entry = readdir(list));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        const int length =
            snprintf(name, sizeof name, "%s%s%s", folder, folder[0] ? "/" : "", entry->d_name);
        if (!strcmp(name, CT_MS_RESERVE)) continue;
        if (length < 0 || (size_t)length >= sizeof name)
            status = keep_fail(keep, "read back", ENAMETOOLONG, err);
        else if (fstatat(keep->folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
            status = keep_fail(keep, "read back", errno, err);
        else if (S_ISREG(about.st_mode))
            status = does(keep, name, &about, err);
        else if (S_ISDIR(about.st_mode) && depth == 0)
            status = keep_each(keep, name, depth + 1, does, err);
    }
    (void)closedir(list);
    return status;
}

static int keep_open(const ct_ms_keep *keep, const char *name, int flags)
{
    int handle;
    do
        handle = openat(keep->folder, name, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
    while (handle < 0 && errno == EINTR);
    return handle;
}

/* ---- taking */

static ct_status keep_grow(ct_ms_keep *keep, size_t more)
{
    if (keep->bytes + more <= keep->room) return CT_OK;
    const size_t room = 2 * (keep->bytes + more);
    uint8_t *image = ct_step_alloc(keep->step, room);
    if (!image) return CT_FAILED;
    if (keep->bytes > 0) memcpy(image, keep->image, keep->bytes);
    keep->image = image;
    keep->room = room;
    return CT_OK;
}

static void keep_add(ct_ms_keep *keep, const void *data, size_t bytes)
{
    memcpy(keep->image + keep->bytes, data, bytes);
    keep->bytes += bytes;
}

static int keep_read(ct_ms_keep *keep, const char *name, size_t bytes)
{
    const int handle = keep_open(keep, name, O_RDONLY);
    int failed = handle < 0 ? errno : 0;
    for (size_t got = 0; !failed && got < bytes;) {
        const ssize_t now = pread(handle, keep->image + keep->bytes, bytes - got, (off_t)got);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0) failed = now < 0 ? errno : EIO;
        if (now > 0) got += (size_t)now, keep->bytes += (size_t)now;
    }
    if (handle >= 0) (void)close(handle);
    return failed;
}

static ct_status keep_take_file(ct_ms_keep *keep, const char *name, const struct stat *about,
                                ct_error *err)
{
    const bool grows = keep_grows(name);
    const keep_entry entry = {(int64_t)strlen(name), about->st_size, !grows};
    const size_t copied = grows ? 0 : (size_t)about->st_size;
    if (keep_grow(keep, sizeof entry + strlen(name) + copied) != CT_OK) return CT_FAILED;
    keep_add(keep, &entry, sizeof entry);
    keep_add(keep, name, strlen(name));
    const int failed = grows ? 0 : keep_read(keep, name, copied);
    return failed ? keep_fail(keep, "read back", failed, err) : CT_OK;
}

ct_status ct_ms_keep_take(ct_ms_keep *keep, ct_error *err)
{
    keep->bytes = 0;
    return keep_each(keep, "", 0, keep_take_file, err);
}

/* ---- restoring */

/* The next entry, and what belongs to it; NULL at the end, or where the image is torn. */
static const uint8_t *keep_next(const ct_ms_keep *keep, size_t *at, keep_entry *entry,
                                char name[NAME_BYTES])
{
    const size_t left = keep->bytes - *at;
    if (left < sizeof *entry) return NULL;
    const uint8_t *from = keep->image + *at;
    memcpy(entry, from, sizeof *entry);
    const size_t rest = left - sizeof *entry;
    if (entry->name < 1 || entry->name >= NAME_BYTES || (size_t)entry->name > rest) return NULL;
    const size_t copied = entry->copied ? (size_t)entry->bytes : 0;
    if (entry->bytes < 0 || copied > rest - (size_t)entry->name) return NULL;
    memcpy(name, from + sizeof *entry, (size_t)entry->name);
    name[entry->name] = 0;
    *at += sizeof *entry + (size_t)entry->name + copied;
    return from + sizeof *entry + entry->name;
}

static int keep_write(int handle, const uint8_t *data, int64_t bytes)
{
    for (int64_t put = 0; put < bytes;) {
        const ssize_t now = pwrite(handle, data + put, (size_t)(bytes - put), put);
        if (now < 0 && errno != EINTR) return errno;
        if (now > 0) put += now;
    }
    return 0;
}

/* A file that only grows and is shorter than it was cannot be what it was. */
static ct_status keep_put_back(const ct_ms_keep *keep, const char *name, const keep_entry *entry,
                               const uint8_t *data, ct_error *err)
{
    struct stat about;
    const int handle = keep_open(keep, name, entry->copied ? O_WRONLY | O_CREAT : O_WRONLY);
    int failed = handle < 0 || fstat(handle, &about) != 0 ? errno : 0;
    const bool lacks = !failed && !entry->copied && about.st_size < entry->bytes;
    if (!failed && !lacks && entry->copied) failed = keep_write(handle, data, entry->bytes);
    if (!failed && !lacks && ftruncate(handle, entry->bytes) != 0) failed = errno;
    if (handle >= 0) (void)close(handle);
    if (failed) return keep_fail(keep, "written", failed, err);
    if (!lacks) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: %s in it is shorter than the journal says", keep->file,
                        name);
}

static ct_status keep_remove_other(ct_ms_keep *keep, const char *name, const struct stat *about,
                                   ct_error *err)
{
    char known[NAME_BYTES];
    keep_entry entry;
    (void)about;
    for (size_t at = 0; keep_next(keep, &at, &entry, known);)
        if (!strcmp(known, name)) return CT_OK;
    if (unlinkat(keep->folder, name, 0) == 0) return CT_OK;
    return keep_fail(keep, "written", errno, err);
}

ct_status ct_ms_keep_restore(ct_ms_keep *keep, const void *data, size_t bytes, ct_error *err)
{
    ct_status status = CT_OK;
    char name[NAME_BYTES];
    keep_entry entry;
    size_t at = 0;
    keep->bytes = 0;
    if (keep_grow(keep, bytes) != CT_OK) return CT_FAILED;
    if (bytes > 0) keep_add(keep, data, bytes);
    for (const uint8_t *from; status == CT_OK && (from = keep_next(keep, &at, &entry, name));)
        status = keep_put_back(keep, name, &entry, from, err);
    if (status == CT_OK && (at != bytes || bytes == 0))
        status =
            ct_error_add(err, CT_DATA, "%s: what the journal has of it is not whole", keep->file);
    return status == CT_OK ? keep_each(keep, "", 0, keep_remove_other, err) : status;
}
