/* staged_output_join.c: a staged output that several processes write, perhaps on several machines:
 * one creates it, the others open it by its temporary name.
 * Room: base. Knows POSIX files. Does not know who writes which part. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cornerturn_stage.h"
#include "staged_output_inner.h"

void ct_staged_join(ct_staged *staged, const ct_resumable *list, size_t count)
{
    staged->again = list;
    staged->again_count = count;
    staged->joined = true;
}

static const ct_resumable *find_joined(const ct_staged *staged, const char *name)
{
    for (size_t i = 0; i < staged->again_count; i++) {
        const char *slash = strrchr(staged->again[i].file, '/');
        if (!strcmp(slash ? slash + 1 : staged->again[i].file, name)) return &staged->again[i];
    }
    return NULL;
}

/* 0, or an errno: its name is there by chance, and another file, ENOENT. */
static int open_same(const char *path, const ct_resumable *resumable, int *handle)
{
    struct stat about;
    do
        *handle = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    while (*handle < 0 && errno == EINTR);
    if (*handle < 0) return errno;
    int failed = fstat(*handle, &about) != 0 ? errno : 0;
    if (!failed && (!S_ISREG(about.st_mode) || (uint64_t)about.st_ino != resumable->inode))
        failed = ENOENT;
    return failed;
}

ct_status ct_staged_open_joined(ct_staged *staged, ct_made *made, const ct_output_path *output,
                                ct_output_file *out, ct_error *err)
{
    char folder[CT_OUTPUT_PATH_SIZE];
    const ct_resumable *resumable = find_joined(staged, made->name);
    int failed = ENOENT;
    out->joined = true;
    if (resumable && resumable->part) {
        out->path = made->place = ct_arena_print(
            staged->arena, "%s/%s", ct_output_path_folder(output, folder), resumable->part);
        failed = out->path ? open_same(out->path, resumable, &out->handle) : ENOMEM;
    }
    if (!failed) return CT_OK;
    return ct_error_add(
        err, CT_DATA,
        "%s: this rank does not see the file that rank 0 makes of it (%s): write to "
        "a file system that all machines share, or give the sink \"gather\": true, "
        "then rank 0 writes all",
        made->file, strerror(failed));
}

ct_status ct_staged_sync_joined(const ct_made *made, ct_error *err)
{
    int handle;
    do
        handle = open(made->place, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    while (handle < 0 && errno == EINTR);
    int failed = handle < 0 ? errno : ct_staged_flush(handle);
    if (handle >= 0) (void)close(handle);
    return failed ? ct_staged_fail(made->file, "written", failed, err) : CT_OK;
}
