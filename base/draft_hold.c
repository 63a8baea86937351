/* draft_hold.c: files in the making that outlive the run that made them: put on the disk from time
 * to time, and taken up again by the next run. Room: base. Knows POSIX files. Does not know what
 * they hold, or how much of it counts. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "draft_inner.h"
#include "fail.h"

void ct_drafts_hold(ct_drafts *drafts, bool held)
{
    drafts->held = held;
}

void ct_drafts_take_up(ct_drafts *drafts, const ct_held *list, size_t count)
{
    drafts->held = true;
    drafts->again = list;
    drafts->again_count = count;
}

static ct_status held_lacks(const ct_made *made, const char *what, ct_error *err)
{
    return ct_error_add(err, CT_DATA,
                        "%s: %s, so the run cannot be taken up again: without --resume it begins "
                        "anew",
                        made->file, what);
}

static int held_open(const ct_made *made, int flags)
{
    int handle;
    do
        handle = openat(ct_folder_handle(made->folder), made->temporary,
                        flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    while (handle < 0 && errno == EINTR);
    return handle;
}

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* A new file's mode shows what the user's mask leaves of one. */
static ct_status held_mode(ct_made *made, const ct_target *target, ct_error *err)
{
    struct stat about;
    char name[CT_FOLDER_NAME];
    const int folder = ct_folder_handle(made->folder);
    made->mode = target->mode;
    if (target->there) return CT_OK;
    ct_folder_temporary(name, made->name, ".part");
    const int handle = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const int failed = handle < 0 || fstat(handle, &about) != 0 ? errno : 0;
    if (handle >= 0) (void)close(handle);
    if (handle >= 0) (void)unlinkat(folder, name, 0);
    if (failed) return ct_drafts_fail(made->file, "written", failed, err);
    made->mode = about.st_mode & 07777;
    return CT_OK;
}

ct_status ct_drafts_again(ct_drafts *drafts, ct_made *made, const ct_target *target, ct_draft *out,
                          ct_error *err)
{
    struct stat about;
    if (drafts->count >= drafts->again_count)
        return held_lacks(made, "the journal does not know this file", err);
    const ct_held *held = &drafts->again[drafts->count];
    if (!held->part || strcmp(base_name(held->file), made->name) != 0)
        return held_lacks(made, "the journal has another file in its place", err);
    snprintf(made->temporary, sizeof made->temporary, "%s", held->part);
    made->cut = held->bytes;
    out->handle = held_open(made, O_RDWR);
    if (out->handle < 0 && errno == ENOENT)
        return held_lacks(made, "what was made of it is not there any more", err);
    if (out->handle < 0) return ct_drafts_fail(made->file, "written", errno, err);
    if (fstat(out->handle, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < held->bytes) {
        (void)close(out->handle);
        out->handle = -1;
        return held_lacks(made, "what was made of it is shorter than the journal says", err);
    }
    return held_mode(made, target, err);
}

ct_status ct_drafts_cut(ct_drafts *drafts, ct_error *err)
{
    for (size_t i = 0; i < drafts->count; i++) {
        const ct_made *made = &drafts->made[i];
        const int handle = held_open(made, O_WRONLY);
        int failed = handle < 0 || ftruncate(handle, made->cut) != 0 ? errno : 0;
        if (handle >= 0) (void)close(handle);
        if (failed) return ct_drafts_fail(made->file, "written", failed, err);
    }
    return CT_OK;
}

static ct_status held_sync(const ct_made *made, ct_error *err)
{
    const int handle = held_open(made, O_WRONLY);
    int failed = handle < 0 ? errno : 0;
    while (!failed && fdatasync(handle) != 0)
        if (errno != EINTR) failed = errno;
    if (handle >= 0) (void)close(handle);
    return failed ? ct_drafts_fail(made->file, "written", failed, err) : CT_OK;
}

ct_status ct_drafts_sync(ct_drafts *drafts, ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t i = 0; drafts && i < drafts->count; i++)
        if (drafts->made[i].folder) CT_TRY(held_sync(&drafts->made[i], err));
    for (size_t i = 0; drafts && drafts->joined && i < drafts->count; i++)
        CT_TRY(ct_drafts_sync_joined(&drafts->made[i], err));
    if (drafts && drafts->count > 0 && !drafts->named) {
        const int failed = ct_drafts_flush_folders(drafts);
        if (failed) CT_TRY(ct_drafts_fail(drafts->made[0].file, "written", failed, err));
        drafts->named = true;
    }
out:
    return status;
}

bool ct_drafts_held(const ct_drafts *drafts, size_t n, ct_held *out)
{
    struct stat about;
    if (!drafts || n >= drafts->count) return false;
    const ct_made *made = &drafts->made[n];
    *out = (ct_held){.file = made->folder ? made->place : made->file};
    if (!made->folder) return true;
    out->part = made->temporary;
    if (fstatat(ct_folder_handle(made->folder), made->temporary, &about, AT_SYMLINK_NOFOLLOW) == 0)
        out->bytes = about.st_size, out->inode = (uint64_t)about.st_ino;
    return true;
}

ct_status ct_drafts_rest(ct_drafts *drafts, const ct_held *held, ct_error *err)
{
    ct_status status = CT_OK;
    ct_target target;
    struct stat about;
    ct_made made = {.file = ct_arena_copy(drafts->arena, held->file)};
    const int failed = ct_target_find(&target, held->file);
    if (failed) return ct_drafts_fail(held->file, "written", failed, err);
    made.name = ct_arena_copy(drafts->arena, target.path + target.name);
    drafts->held = true;
    CT_TRY(ct_drafts_reserve(drafts, err));
    CT_TRY(ct_drafts_claim(drafts, &made, &target, err));
    CT_TRY(ct_arena_check(drafts->arena, err));
    snprintf(made.temporary, sizeof made.temporary, "%s", held->part);
    if (fstatat(ct_folder_handle(made.folder), made.temporary, &about, AT_SYMLINK_NOFOLLOW) == 0)
        drafts->made[drafts->count++] = made;
out:
    return status;
}
