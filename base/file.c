/* file.c: whole files in and out; a file that is written appears only when it is whole.
 * Room: base. Knows names and bytes. Does not know formats. */
#include "file.h"

#include "fail.h"
#include "memory.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CT_FILE_PIECE ((size_t)65536)

static ct_status ct_file_fail(ct_error *err, const char *doing, const char *file)
{
    return ct_error_add(err, CT_DATA, "%s: cannot %s: %s", file, doing, strerror(errno));
}

/* In pieces, since a pipe or a device does not know its length. */
ct_status ct_file_read(char **out, size_t *length, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    char *data = NULL;
    size_t used = 0, size = 0, got = 0;
    *out = NULL;
    if (length) *length = 0;
    FILE *stream = fopen(file, "rb");
    if (stream == NULL) return ct_file_fail(err, "read", file);
    do {
        if (size - used <= CT_FILE_PIECE) {
            size = 2 * size + 2 * CT_FILE_PIECE;
            data = ct_memory_grow(data, size);
        }
        got = fread(data + used, 1, size - used - 1, stream);
        used += got;
    } while (got > 0);
    if (ferror(stream)) CT_TRY(ct_file_fail(err, "read", file));
    data[used] = '\0';
    *out = data;
    if (length) *length = used;
    data = NULL;
out:
    ct_memory_free(data);
    fclose(stream);
    return status;
}

static ct_status ct_file_put(int handle, const char *text, size_t length, const char *file,
                             ct_error *err)
{
    while (length > 0) {
        ssize_t put = write(handle, text, length);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return ct_file_fail(err, "write", file);
        text += put;
        length -= (size_t)put;
    }
    if (fsync(handle) != 0 && errno != EINVAL) return ct_file_fail(err, "write", file);
    return CT_OK;
}

/* A device or a pipe cannot be renamed to: it is written as it is. */
static bool ct_file_special(const char *file)
{
    struct stat about;
    return stat(file, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

/* The temporary name is in the same folder, since rename() does not cross file systems. */
ct_status ct_file_write(const char *file, const char *text, size_t length, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text temporary = {0};
    bool special = ct_file_special(file);
    if (special)
        ct_text_add(&temporary, "%s", file);
    else
        ct_text_add(&temporary, "%s.%ld.part", file, (long)getpid());
    int handle = open(temporary.data, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (handle < 0) {
        status = ct_file_fail(err, "write", file);
        ct_text_free(&temporary);
        return status;
    }
    CT_TRY(ct_file_put(handle, text, length, file, err));
    int closed = close(handle);
    handle = -1;
    if (closed != 0) CT_TRY(ct_file_fail(err, "write", file));
    if (!special && rename(temporary.data, file) != 0) CT_TRY(ct_file_fail(err, "write", file));
out:
    if (handle >= 0) close(handle);
    if (status != CT_OK && !special) unlink(temporary.data);
    ct_text_free(&temporary);
    return status;
}

/* The folder's name into `out`; what stands behind it is returned. */
static const char *ct_file_split(char *out, size_t size, const char *file)
{
    const char *slash = strrchr(file, '/');
    snprintf(out, size, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
    return slash ? slash + 1 : file;
}

bool ct_file_same(const char *a, const char *b)
{
    struct stat one, other;
    char folder[2][4096];
    bool there = stat(a, &one) == 0, also = stat(b, &other) == 0;
    if (there && also && !S_ISREG(one.st_mode)) return false;
    if (!there && !also) {
        const char *name = ct_file_split(folder[0], sizeof folder[0], a);
        if (strcmp(name, ct_file_split(folder[1], sizeof folder[1], b)) != 0) return false;
        there = stat(folder[0], &one) == 0;
        also = stat(folder[1], &other) == 0;
    }
    return there && also && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
