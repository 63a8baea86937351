/* ms_file.c: see ms_file.h. While casacore writes what is small it needs room on the disk: where
 * there is none it ends the program. So some is kept, and given back for that time. Room: io/ms.
 * Knows the order of calls. Does not know casacore, or blocks. */
#include "ms_file.h"
#include "module.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef CT_CASACORE_MODULE
#define CT_CASACORE_MODULE ""
#endif

enum { RESERVE = 1048576, RESERVE_STATION = 4096, RESERVE_CHANNEL = 128, HISTORY = 256 };
enum { TILES = 4194304 }; /* bytes, as much as is put at once */

ct_status ct_ms_tables_load(const ct_step *step, const ct_ms_tables **out, ct_error *err)
{
    char path[CT_MODULE_PATH];
    if (CT_CASACORE_MODULE[0] == 0)
        return ct_step_fail(step, NULL, err,
                            "this Cornerturn was built without casacore, which writes Measurement "
                            "Sets: install casacore-dev and g++, and build it again");
    const char *why = ct_module_load(CT_CASACORE_MODULE, CT_MS_SYMBOL, path, (const void **)out);
    if (why)
        return ct_step_fail(step, NULL, err,
                            "the module that writes Measurement Sets cannot be loaded: %s", why);
    if (*out && (*out)->version == CT_MS_VERSION) return CT_OK;
    return ct_step_fail(step, NULL, err, "%s is of another version of Cornerturn", path);
}

/* ---- room on the disk */

/* Makes the reserve as long as this. 0 or an errno. */
static int file_make_reserve(const ct_ms_file *file, int64_t bytes)
{
    static const char nothing[65536];
    const int handle = openat(file->folder.handle, CT_MS_RESERVE,
                              O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    int failed = handle < 0 ? errno : 0;
    for (int64_t at = 0; !failed && at < bytes;) {
        const int64_t left = bytes - at;
        const size_t most = left < (int64_t)sizeof nothing ? (size_t)left : sizeof nothing;
        const ssize_t put = pwrite(handle, nothing, most, at);
        if (put < 0 && errno != EINTR) failed = errno;
        if (put > 0) at += put;
    }
    if (handle >= 0) (void)close(handle);
    return failed;
}

static ct_status file_reserve(const ct_ms_file *file, ct_error *err)
{
    const int failed = file_make_reserve(file, file->reserve);
    if (!failed) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: cannot be written: %s", file->keep.file,
                        strerror(failed));
}

/* casacore does not say that a disk is full: it is when the reserve cannot grow by a few tiles. */
static ct_status file_fail(const ct_ms_file *file, const char *why, ct_error *err)
{
    const int failed = file_make_reserve(file, file->reserve + TILES);
    return ct_error_add(err, CT_DATA, "%s: cannot be written: %s%s", file->keep.file,
                        failed ? strerror(failed) : "casacore says: ", failed ? "" : why);
}

static void file_unreserve(const ct_ms_file *file)
{
    (void)unlinkat(file->folder.handle, CT_MS_RESERVE, 0);
}

/* ---- beginning */

/* What has the name may be replaced where it is what this sink makes: its table.info says so. */
static ct_status file_check_name(const char *path, ct_error *err)
{
    static const char expected[] = "Type = Measurement Set";
    char found[sizeof expected] = "", name[CT_MODULE_PATH];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode)) return CT_OK;
    snprintf(name, sizeof name, "%s/table.info", path);
    FILE *info = fopen(name, "re");
    if (info) {
        if (!fgets(found, sizeof found, info)) found[0] = 0;
        (void)fclose(info);
    }
    if (!strcmp(found, expected)) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: cannot be written: a folder of that name is there, and is no "
                        "Measurement Set that could be replaced",
                        path);
}

ct_status ct_ms_file_open(ct_ms_file *file, const ct_visibility *of,
                          const ct_visibility_order *order, ct_error *err)
{
    ct_step *step = file->step = of->step;
    const char *path = ct_step_path(step, "file");
    file->folder.handle = -1;
    file->reserve =
        RESERVE + RESERVE_STATION * of->header.stations + RESERVE_CHANNEL * of->header.channels;
    ct_status status = ct_ms_tables_load(step, &file->tables, err);
    if (status == CT_OK) status = ct_ms_header_make(&file->header, of, order);
    if (status == CT_OK) status = file_check_name(path, err);
    if (status == CT_OK) status = ct_step_create_folder(step, path, &file->folder, err);
    if (status != CT_OK) return status;
    file->header.start_s = file->start_s;
    file->keep = (ct_ms_keep){.step = step, .file = path, .folder = file->folder.handle};
    return CT_OK;
}

/* Once, before the first thing that is asked of it: what an earlier run has left is restored until
 * then. */
static ct_status file_ready(ct_ms_file *file, ct_error *err)
{
    char why[CT_MS_WHY];
    if (file->ms) return CT_OK;
    ct_status status = file_reserve(file, err);
    if (status != CT_OK) return status;
    file_unreserve(file);
    const int failed = (file->again ? file->tables->reopen : file->tables->create)(
        &file->ms, file->folder.path, &file->header, why);
    if (failed) return file_fail(file, why, err);
    return file_reserve(file, err);
}

/* ---- going on */

ct_status ct_ms_file_put(ct_ms_file *file, const ct_ms_rows *rows, ct_error *err)
{
    char why[CT_MS_WHY];
    const ct_status status = file_ready(file, err);
    if (status != CT_OK || file->tables->put(file->ms, rows, why) == 0) return status;
    return file_fail(file, why, err);
}

/* What is large comes first, with the reserve still there. */
static ct_status file_flush(ct_ms_file *file, ct_error *err)
{
    char why[CT_MS_WHY];
    if (file->tables->drain(file->ms, why) != 0) return file_fail(file, why, err);
    file_unreserve(file);
    return file->tables->flush(file->ms, why) == 0 ? CT_OK : file_fail(file, why, err);
}

ct_status ct_ms_file_save(ct_ms_file *file, const void **data, size_t *bytes, ct_error *err)
{
    ct_status status = file_ready(file, err);
    if (status == CT_OK) status = file_flush(file, err);
    if (status == CT_OK) status = file_reserve(file, err);
    if (status == CT_OK) status = ct_ms_keep_take(&file->keep, err);
    *data = file->keep.image;
    *bytes = file->keep.bytes;
    return status;
}

ct_status ct_ms_file_restore(ct_ms_file *file, const void *data, size_t bytes, ct_error *err)
{
    file->again = true;
    return ct_ms_keep_restore(&file->keep, data, bytes, err);
}

/* ---- at the end */

static ct_status file_end(ct_ms_file *file, int64_t integrations, ct_error *err)
{
    char why[CT_MS_WHY], history[HISTORY];
    const double begin = file->start_s - file->interval_s / 2;
    const char *lacks = ct_step_incomplete(file->step);
    const ct_ms_end end = {begin, begin + (double)integrations * file->interval_s, history};
    snprintf(history, sizeof history, "Cornerturn %d.%d.%d, sink.ms%s%s", CT_VERSION_MAJOR,
             CT_VERSION_MINOR, CT_VERSION_PATCH, lacks ? "; " : "", lacks ? lacks : "");
    ct_status status = file_ready(file, err);
    if (status == CT_OK) status = file_flush(file, err);
    if (status != CT_OK || file->tables->end(file->ms, &end, why) == 0) return status;
    return file_fail(file, why, err);
}

ct_status ct_ms_file_close(ct_ms_file *file, bool complete, int64_t integrations, ct_error *err)
{
    if (file->folder.handle < 0) return CT_OK;
    const ct_status status = complete ? file_end(file, integrations, err) : CT_OK;
    file_unreserve(file);
    if (file->tables) file->tables->release(file->ms);
    (void)close(file->folder.handle);
    file->folder.handle = -1;
    return status;
}
