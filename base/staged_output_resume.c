/* staged_output_resume.c: staged outputs that outlive the run that writes them: brought to the disk
 * from time to time, and resumed by the next run.
 * Room: base. Knows POSIX files. Does not know what they hold, or how much of it counts. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cornerturn_stage.h"
#include "fail.h"
#include "staged_output_inner.h"
#include "tree.h"

void ct_staged_set_resumable(ct_staged *staged, bool resumable)
{
    staged->resumable = resumable;
}

void ct_staged_resume(ct_staged *staged, const ct_resumable *list, size_t count)
{
    staged->resumable = true;
    staged->again = list;
    staged->again_count = count;
}

static ct_status resumable_lacks(const ct_made *made, const char *what, ct_error *err)
{
    return ct_error_add(err, CT_DATA,
                        "%s: %s, so the run cannot be taken up again: without --resume it begins "
                        "anew",
                        made->file, what);
}

static int resumable_open(const ct_made *made, int flags)
{
    int handle;
    do
        handle = openat(ct_folder_handle(made->folder), made->temporary,
                        (made->is_folder ? O_RDONLY | O_DIRECTORY : flags) | O_NOFOLLOW |
                            O_NONBLOCK | O_CLOEXEC);
    while (handle < 0 && errno == EINTR);
    return handle;
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* A new file's mode shows what the user's mask leaves of one. */
static ct_status resumable_mode(ct_made *made, const ct_output_path *output, ct_error *err)
{
    int handle;
    made->mode = output->mode;
    if (output->there) return CT_OK;
    ct_made other = *made;
    ct_folder_temporary(other.temporary, made->name, ".part");
    const int failed = made->is_folder ? ct_staged_make_folder(&other, &handle, &made->mode)
                                       : ct_staged_make_file(&other, &handle, &made->mode);
    if (failed) return ct_staged_fail(made->file, "written", failed, err);
    (void)close(handle);
    (void)ct_tree_remove(ct_folder_handle(made->folder), other.temporary);
    return CT_OK;
}

ct_status ct_staged_reopen(ct_staged *staged, ct_made *made, const ct_output_path *output,
                           ct_output_file *out, ct_error *err)
{
    struct stat about;
    if (staged->count >= staged->again_count)
        return resumable_lacks(made, "the journal does not know this file", err);
    const ct_resumable *resumable = &staged->again[staged->count];
    if (!resumable->part || strcmp(base_name(resumable->file), made->name) != 0)
        return resumable_lacks(made, "the journal has another file in its place", err);
    snprintf(made->temporary, sizeof made->temporary, "%s", resumable->part);
    made->cut = resumable->bytes;
    out->handle = resumable_open(made, O_RDWR);
    if (out->handle < 0 && errno == ENOENT)
        return resumable_lacks(made, "what was made of it is not there any more", err);
    if (out->handle < 0) return ct_staged_fail(made->file, "written", errno, err);
    const mode_t kind = made->is_folder ? S_IFDIR : S_IFREG;
    if (fstat(out->handle, &about) != 0 || (about.st_mode & S_IFMT) != kind ||
        (!made->is_folder && about.st_size < resumable->bytes)) {
        (void)close(out->handle);
        out->handle = -1;
        return resumable_lacks(made, "what was made of it is shorter than the journal says", err);
    }
    return resumable_mode(made, output, err);
}

ct_status ct_staged_cut(ct_staged *staged, ct_error *err)
{
    for (size_t i = 0; i < staged->count; i++) {
        const ct_made *made = &staged->made[i];
        if (made->is_folder) continue;
        const int handle = resumable_open(made, O_WRONLY);
        int failed = handle < 0 || ftruncate(handle, made->cut) != 0 ? errno : 0;
        if (handle >= 0) (void)close(handle);
        if (failed) return ct_staged_fail(made->file, "written", failed, err);
    }
    return CT_OK;
}

static ct_status resumable_sync(const ct_made *made, ct_error *err)
{
    if (made->is_folder) {
        const int flushed = ct_tree_flush(ct_folder_handle(made->folder), made->temporary);
        return flushed ? ct_staged_fail(made->file, "written", flushed, err) : CT_OK;
    }
    const int handle = resumable_open(made, O_WRONLY);
    int failed = handle < 0 ? errno : 0;
    while (!failed && fdatasync(handle) != 0)
        if (errno != EINTR) failed = errno;
    if (handle >= 0) (void)close(handle);
    return failed ? ct_staged_fail(made->file, "written", failed, err) : CT_OK;
}

ct_status ct_staged_sync(ct_staged *staged, ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t i = 0; staged && i < staged->count; i++)
        if (staged->made[i].folder) CT_TRY(resumable_sync(&staged->made[i], err));
    for (size_t i = 0; staged && staged->joined && i < staged->count; i++)
        CT_TRY(ct_staged_sync_joined(&staged->made[i], err));
    if (staged && staged->count > 0 && !staged->named) {
        const int failed = ct_staged_flush_folders(staged);
        if (failed) CT_TRY(ct_staged_fail(staged->made[0].file, "written", failed, err));
        staged->named = true;
    }
out:
    return status;
}

bool ct_staged_resumable(const ct_staged *staged, size_t n, ct_resumable *out)
{
    struct stat about;
    if (!staged || n >= staged->count) return false;
    const ct_made *made = &staged->made[n];
    *out = (ct_resumable){.file = made->folder ? made->place : made->file};
    if (!made->folder) return true;
    out->part = made->temporary;
    if (fstatat(ct_folder_handle(made->folder), made->temporary, &about, AT_SYMLINK_NOFOLLOW) == 0)
        out->bytes = made->is_folder ? 0 : about.st_size, out->inode = (uint64_t)about.st_ino;
    return true;
}

ct_status ct_staged_add_unpublished(ct_staged *staged, const ct_resumable *resumable, ct_error *err)
{
    ct_status status = CT_OK;
    ct_output_path output;
    struct stat about;
    ct_made made = {.file = ct_arena_copy(staged->arena, resumable->file)};
    const int failed = ct_output_path_find(&output, resumable->file);
    if (failed) return ct_staged_fail(resumable->file, "written", failed, err);
    made.name = ct_arena_copy(staged->arena, output.path + output.name);
    staged->resumable = true;
    CT_TRY(ct_staged_reserve(staged, err));
    CT_TRY(ct_staged_claim(staged, &made, &output, err));
    CT_TRY(ct_arena_check(staged->arena, err));
    snprintf(made.temporary, sizeof made.temporary, "%s", resumable->part);
    if (fstatat(ct_folder_handle(made.folder), made.temporary, &about, AT_SYMLINK_NOFOLLOW) == 0) {
        made.is_folder = S_ISDIR(about.st_mode);
        made.before = output.there ? output.inode : 0;
        staged->made[staged->count++] = made;
    }
out:
    return status;
}
