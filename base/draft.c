/* draft.c: see draft.h: how files in the making begin and end. How they get their names:
 * draft_publish.c.
 * Room: base. Knows POSIX files. Does not know what they hold. */
#include "draft_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"

ct_status ct_drafts_new(ct_drafts **out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_drafts *drafts = *out = ct_arena_begin(&arena, sizeof *drafts);
    CT_NEED(drafts, sizeof *drafts, err);
    drafts->arena = arena;
out:
    return status;
}

ct_status ct_drafts_fail(const char *file, const char *doing, int code, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", file, doing, strerror(code));
}

/* The folder's, opened once. */
static int drafts_folder(ct_drafts *drafts, const char *path, ct_folder **out)
{
    for (int i = 0; i < drafts->folder_count; i++)
        if (ct_folder_is(drafts->folders[i], path)) {
            *out = drafts->folders[i];
            return 0;
        }
    if (ct_memory_grow(&drafts->folders, (size_t)(drafts->folder_count + 1) * sizeof(ct_folder *),
                       NULL) != CT_OK)
        return ENOMEM;
    *out = ct_folder_open(path);
    if (!*out) return errno;
    drafts->folders[drafts->folder_count++] = *out;
    return 0;
}

/* Before the file is made: then it is surely on the list. */
ct_status ct_drafts_reserve(ct_drafts *drafts, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t room = 2 * drafts->room + 4;
    if (drafts->count < drafts->room) return CT_OK;
    CT_TRY(ct_memory_grow(&drafts->made, room * sizeof *drafts->made, err));
    drafts->room = room;
out:
    return status;
}

/* A file's mode is kept; a new one's is what the user's mask leaves. Until it is whole the file is
 * its maker's only. */
static int draft_start(ct_made *made, const ct_target *target, bool held, int *handle)
{
    struct stat about;
    const int folder = ct_folder_handle(made->folder);
    do {
        ct_folder_temporary(made->temporary, made->name, held ? CT_FOLDER_HELD : ".part");
        *handle = openat(folder, made->temporary,
                         O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    } while (*handle < 0 && (errno == EEXIST || errno == EINTR));
    if (*handle < 0) return errno;
    made->mode = target->mode;
    int failed = 0;
    if (!target->there && fstat(*handle, &about) != 0) failed = errno;
    if (!target->there && !failed) made->mode = about.st_mode & 07777;
    if (!failed && fchmod(*handle, 0600) != 0) failed = errno;
    if (!failed) return 0;
    (void)close(*handle);
    (void)unlinkat(folder, made->temporary, 0);
    return failed;
}

ct_status ct_drafts_claim(ct_drafts *drafts, ct_made *made, const ct_target *target, ct_error *err)
{
    char folder[CT_TARGET_PATH], whole[PATH_MAX];
    const char *path = ct_target_folder(target, folder);
    int failed = drafts_folder(drafts, path, &made->folder);
    if (!failed && !realpath(path, whole)) failed = errno;
    if (!failed)
        made->place = ct_arena_print(drafts->arena, "%s/%s", whole[1] ? whole : "", made->name);
    if (!failed) failed = ct_folder_claim(made->folder, made->name);
    if (failed == EAGAIN)
        return ct_error_add(err, CT_DATA, "%s: cannot be written: another run is writing it",
                            made->file);
    return failed ? ct_drafts_fail(made->file, "written", failed, err) : CT_OK;
}

static ct_status draft_file(ct_drafts *drafts, ct_made *made, const ct_target *target,
                            ct_draft *out, ct_error *err)
{
    char folder[CT_TARGET_PATH];
    ct_status status = ct_drafts_claim(drafts, made, target, err);
    if (status == CT_OK && drafts->again) {
        status = ct_drafts_again(drafts, made, target, out, err);
    } else if (status == CT_OK) {
        ct_folder_forget(made->folder, made->name, drafts->held ? CT_FOLDER_HELD : NULL);
        const int failed = draft_start(made, target, drafts->held, &out->handle);
        if (failed) status = ct_drafts_fail(made->file, "written", failed, err);
    }
    out->path =
        ct_arena_print(drafts->arena, "%s/%s", ct_target_folder(target, folder), made->temporary);
    return status;
}

/* A device is opened for reading, too, where that is allowed. */
static int draft_open_special(const ct_target *target)
{
    const int flags = O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
    int handle = -1;
    if (!S_ISFIFO(target->type)) handle = open(target->path, flags | O_RDWR);
    return handle < 0 ? open(target->path, flags | O_WRONLY) : handle;
}

/* A named pipe without a reader is waited for, without O_NONBLOCK deaf to who wants to stop. */
static ct_status draft_special(const ct_made *made, const ct_target *target,
                               bool (*stopped)(const void *of), const void *of, ct_draft *out,
                               ct_error *err)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    while ((out->handle = draft_open_special(target)) < 0) {
        const bool waits = errno == EINTR || (errno == ENXIO && S_ISFIFO(target->type));
        if (!waits) return ct_drafts_fail(made->file, "written", errno, err);
        if (stopped && stopped(of))
            return ct_error_add(err, CT_INTERRUPTED, "interrupted: nobody reads %s", made->file);
        (void)nanosleep(&moment, NULL);
    }
    (void)fcntl(out->handle, F_SETFL, fcntl(out->handle, F_GETFL) & ~O_NONBLOCK);
    return CT_OK;
}

static ct_status draft_as_it_is(const ct_made *made, const ct_target *target,
                                bool (*stopped)(const void *of), const void *of, ct_draft *out,
                                ct_error *err)
{
    ct_status status = CT_OK;
    out->special = true;
    out->path = made->file;
    if (target->kind == CT_TARGET_HANDLE) {
        out->handle = fcntl(target->handle, F_DUPFD_CLOEXEC, 3);
        if (out->handle < 0) return ct_drafts_fail(made->file, "written", errno, err);
        out->stream = true;
        return CT_OK;
    }
    status = draft_special(made, target, stopped, of, out, err);
    if (status == CT_OK) out->stream = lseek(out->handle, 0, SEEK_CUR) < 0;
    return status;
}

ct_status ct_drafts_add(ct_drafts *drafts, const char *file, bool (*stopped)(const void *of),
                        const void *of, ct_draft *out, ct_error *err)
{
    ct_target target;
    const int failed = ct_target_find(&target, file);
    ct_made made = {.file = ct_arena_copy(drafts->arena, file),
                    .name = ct_arena_copy(drafts->arena, target.path + target.name)};
    ct_status status = ct_arena_check(drafts->arena, err);
    *out = (ct_draft){.handle = -1};
    if (failed) return ct_drafts_fail(file, "written", failed, err);
    CT_TRY(status);
    CT_TRY(ct_drafts_reserve(drafts, err));
    if (drafts->joined)
        CT_TRY(ct_drafts_open_joined(drafts, &made, &target, out, err));
    else
        CT_TRY(target.kind == CT_TARGET_FILE
                   ? draft_file(drafts, &made, &target, out, err)
                   : draft_as_it_is(&made, &target, stopped, of, out, err));
    drafts->made[drafts->count++] = made;
    CT_TRY(ct_arena_check(drafts->arena, err));
out:
    if (status != CT_OK && out->handle >= 0) {
        (void)close(out->handle);
        out->handle = -1;
    }
    return status;
}

static void drafts_leave(ct_drafts *drafts)
{
    for (int i = 0; i < drafts->folder_count; i++)
        ct_folder_free(drafts->folders[i]);
    drafts->folder_count = 0;
}

void ct_drafts_discard(ct_drafts *drafts)
{
    for (size_t i = 0; !drafts->published && !drafts->held && i < drafts->count; i++)
        if (drafts->made[i].folder)
            (void)unlinkat(ct_folder_handle(drafts->made[i].folder), drafts->made[i].temporary, 0);
    if (!drafts->published) drafts->count = 0;
    drafts_leave(drafts);
}

size_t ct_drafts_files(const ct_drafts *drafts)
{
    return drafts && drafts->published && !drafts->joined ? drafts->count : 0;
}

const char *ct_drafts_file(const ct_drafts *drafts, size_t n)
{
    return n < ct_drafts_files(drafts) ? drafts->made[n].file : NULL;
}

void ct_drafts_free(ct_drafts *drafts)
{
    if (!drafts) return;
    ct_drafts_discard(drafts);
    ct_memory_free(drafts->folders);
    ct_memory_free(drafts->made);
    ct_arena_free(drafts->arena);
}
