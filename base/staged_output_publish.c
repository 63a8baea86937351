/* staged_output_publish.c: files that are whole get their names, all of them or none. What a name
 * had before is put aside until all have theirs.
 * Room: base. Knows POSIX files. Does not know what they hold. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "staged_output_inner.h"
#include "tree.h"

/* Calls `does` for each file that has a temporary name. */
static ct_status staged_each(ct_staged *const *all, size_t count,
                             ct_status (*does)(ct_made *, ct_error *), ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; all[i] && !all[i]->published && k < all[i]->count; k++)
            if (all[i]->made[k].folder) CT_TRY(does(&all[i]->made[k], err));
out:
    return status;
}

int ct_staged_flush(int handle)
{
    while (fsync(handle) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

static ct_status made_settle(ct_made *made, ct_error *err)
{
    int handle, code = 0;
    do
        handle = openat(ct_folder_handle(made->folder), made->temporary,
                        O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    while (handle < 0 && errno == EINTR);
    if (handle < 0) return ct_staged_fail(made->file, "written", errno, err);
    if (made->is_folder) code = ct_tree_flush(ct_folder_handle(made->folder), made->temporary);
    if (!code && fchmod(handle, made->mode) != 0) code = errno;
    if (!code) code = ct_staged_flush(handle);
    if (close(handle) != 0 && errno != EINTR && !code) code = errno;
    return code ? ct_staged_fail(made->file, "written", code, err) : CT_OK;
}

ct_status ct_staged_settle(ct_staged *const *all, size_t count, ct_error *err)
{
    return staged_each(all, count, made_settle, err);
}

/* A second name for what is there; where a file system has no such thing, another name. */
static ct_status made_keep(ct_made *made, ct_error *err)
{
    const int folder = ct_folder_handle(made->folder);
    struct stat about;
    if (fstatat(folder, made->name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? CT_OK : ct_staged_fail(made->file, "put in place", errno, err);
    if (S_ISDIR(about.st_mode) && !made->is_folder)
        return ct_staged_fail(made->file, "put in place", EISDIR, err);
    if (made->is_folder && about.st_ino != made->before) /* it came while the new one was made */
        return ct_staged_fail(made->file, "put in place", EEXIST, err);
    ct_folder_temporary(made->old, made->name, ".old");
    if (linkat(folder, made->name, folder, made->old, 0) == 0) return CT_OK;
    if (renameat(folder, made->name, folder, made->old) == 0) return CT_OK;
    made->old[0] = 0;
    return ct_staged_fail(made->file, "put in place", errno, err);
}

static ct_status made_rename(ct_made *made, ct_error *err)
{
    const int folder = ct_folder_handle(made->folder);
    int failed;
    do
        failed = renameat(folder, made->temporary, folder, made->name);
    while (failed != 0 && errno == EINTR);
    if (failed != 0) return ct_staged_fail(made->file, "put in place", errno, err);
    made->renamed = true;
    return CT_OK;
}

/* A file that may be resumed keeps its temporary name. If nothing was renamed yet both names are of
 * one file, which rename() leaves as it is. */
static ct_status made_undo(ct_made *made, ct_error *err)
{
    const int folder = ct_folder_handle(made->folder);
    (void)err;
    if (made->renamed && linkat(folder, made->name, folder, made->temporary, 0) != 0)
        (void)renameat(folder, made->name, folder, made->temporary);
    if (made->old[0]) {
        (void)renameat(folder, made->old, folder, made->name);
        (void)unlinkat(folder, made->old, 0);
    } else if (made->renamed) {
        (void)unlinkat(folder, made->name, 0);
    }
    made->renamed = false;
    made->old[0] = 0;
    return CT_OK;
}

static ct_status made_forget(ct_made *made, ct_error *err)
{
    (void)err;
    if (made->old[0]) (void)ct_tree_remove(ct_folder_handle(made->folder), made->old);
    return CT_OK;
}

/* Some file systems do not support that. */
int ct_staged_flush_folders(const ct_staged *staged)
{
    for (int i = 0; i < staged->folder_count; i++) {
        const int failed = ct_staged_flush(ct_folder_handle(staged->folders[i]));
        if (failed && failed != EINVAL) return failed;
    }
    return 0;
}

/* The names, too, are on the disk. */
static ct_status folders_sync(ct_staged *const *all, size_t count, ct_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const int failed = all[i] && all[i]->count > 0 ? ct_staged_flush_folders(all[i]) : 0;
        if (failed) return ct_staged_fail(all[i]->made[0].file, "put in place", failed, err);
    }
    return CT_OK;
}

ct_status ct_staged_publish(ct_staged *const *all, size_t count, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(staged_each(all, count, made_keep, err));
    CT_TRY(staged_each(all, count, made_rename, err));
    CT_TRY(folders_sync(all, count, err));
out:
    (void)staged_each(all, count, status == CT_OK ? made_forget : made_undo, err);
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        if (!all[i]) continue;
        all[i]->published = true;
        ct_staged_discard(all[i]);
    }
    return status;
}
