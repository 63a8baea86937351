/* draft_join.c: a file in the making that several processes write, perhaps on several machines: one
 * makes it, the others open it by its temporary name. Room: base. Knows POSIX files. Does not know
 * who writes which part. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "draft_inner.h"

void ct_drafts_join(ct_drafts *drafts, const ct_held *list, size_t count)
{
    drafts->again = list;
    drafts->again_count = count;
    drafts->joined = true;
}

static const ct_held *find_joined(const ct_drafts *drafts, const char *name)
{
    for (size_t i = 0; i < drafts->again_count; i++) {
        const char *slash = strrchr(drafts->again[i].file, '/');
        if (!strcmp(slash ? slash + 1 : drafts->again[i].file, name)) return &drafts->again[i];
    }
    return NULL;
}

/* 0, or an errno: its name is there by chance, and another file, ENOENT. */
static int open_same(const char *path, const ct_held *held, int *handle)
{
    struct stat about;
    do
        *handle = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    while (*handle < 0 && errno == EINTR);
    if (*handle < 0) return errno;
    int failed = fstat(*handle, &about) != 0 ? errno : 0;
    if (!failed && (!S_ISREG(about.st_mode) || (uint64_t)about.st_ino != held->inode))
        failed = ENOENT;
    return failed;
}

ct_status ct_drafts_open_joined(ct_drafts *drafts, ct_made *made, const ct_target *target,
                                ct_draft *out, ct_error *err)
{
    char folder[CT_TARGET_PATH];
    const ct_held *held = find_joined(drafts, made->name);
    int failed = ENOENT;
    out->joined = true;
    if (held && held->part) {
        out->path = made->place =
            ct_arena_print(drafts->arena, "%s/%s", ct_target_folder(target, folder), held->part);
        failed = out->path ? open_same(out->path, held, &out->handle) : ENOMEM;
    }
    if (!failed) return CT_OK;
    return ct_error_add(
        err, CT_DATA,
        "%s: this rank does not see the file that rank 0 makes of it (%s): write to "
        "a file system that all machines share, or give the sink \"gather\": true, "
        "then rank 0 writes all",
        made->file, strerror(failed));
}

ct_status ct_drafts_sync_joined(const ct_made *made, ct_error *err)
{
    int handle;
    do
        handle = open(made->place, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    while (handle < 0 && errno == EINTR);
    int failed = handle < 0 ? errno : ct_drafts_flush(handle);
    if (handle >= 0) (void)close(handle);
    return failed ? ct_drafts_fail(made->file, "written", failed, err) : CT_OK;
}
