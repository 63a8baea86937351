/* staged_output.c: see staged_output.h: how files that are being written begin and end. How they
 * get their names: staged_output_publish.c.
 * Room: base. Knows POSIX files. Does not know what they hold. */
#include "cornerturn_stage.h"
#include "staged_output_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "tree.h"

ct_status ct_staged_new(ct_staged **out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_staged *staged = *out = ct_arena_begin(&arena, sizeof *staged);
    CT_NEED(staged, sizeof *staged, err);
    staged->arena = arena;
out:
    return status;
}

ct_status ct_staged_fail(const char *file, const char *doing, int code, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", file, doing, strerror(code));
}

/* The folder's, opened once. */
static int staged_folder(ct_staged *staged, const char *path, ct_folder **out)
{
    for (int i = 0; i < staged->folder_count; i++)
        if (ct_folder_is(staged->folders[i], path)) {
            *out = staged->folders[i];
            return 0;
        }
    if (ct_memory_grow(&staged->folders, (size_t)(staged->folder_count + 1) * sizeof(ct_folder *),
                       NULL) != CT_OK)
        return ENOMEM;
    *out = ct_folder_open(path);
    if (!*out) return errno;
    staged->folders[staged->folder_count++] = *out;
    return 0;
}

/* Before the file is made: then it is surely on the list. */
ct_status ct_staged_reserve(ct_staged *staged, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t room = 2 * staged->room + 4;
    if (staged->count < staged->room) return CT_OK;
    CT_TRY(ct_memory_grow(&staged->made, room * sizeof *staged->made, err));
    staged->room = room;
out:
    return status;
}

int ct_staged_make_folder(const ct_made *made, int *handle, mode_t *mode)
{
    struct stat about;
    const int folder = ct_folder_handle(made->folder);
    if (mkdirat(folder, made->temporary, 0777) != 0) return errno;
    *handle = openat(folder, made->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int failed = *handle < 0 || fstat(*handle, &about) != 0 ? errno : 0;
    if (!failed) *mode = about.st_mode & 07777;
    if (failed && *handle >= 0) (void)close(*handle);
    if (failed) (void)unlinkat(folder, made->temporary, AT_REMOVEDIR);
    return failed;
}

int ct_staged_make_file(const ct_made *made, int *handle, mode_t *mode)
{
    struct stat about;
    const int folder = ct_folder_handle(made->folder);
    *handle =
        openat(folder, made->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    const int failed = *handle < 0 || fstat(*handle, &about) != 0 ? errno : 0;
    if (!failed) *mode = about.st_mode & 07777;
    if (failed && *handle >= 0) (void)close(*handle);
    if (failed && *handle >= 0) (void)unlinkat(folder, made->temporary, 0);
    return failed;
}

/* A file's mode is kept; a new one's is what the user's mask leaves. Until it is whole only its
 * owner may read and write it. */
static int staged_start(ct_made *made, const ct_output_path *output, bool resumable, int *handle)
{
    int failed;
    do {
        ct_folder_temporary(made->temporary, made->name, resumable ? CT_FOLDER_RESUMABLE : ".part");
        failed = made->is_folder ? ct_staged_make_folder(made, handle, &made->mode)
                                 : ct_staged_make_file(made, handle, &made->mode);
    } while (failed == EEXIST || failed == EINTR);
    if (failed) return failed;
    if (output->there) made->mode = output->mode;
    if (fchmod(*handle, made->is_folder ? 0700 : 0600) == 0) return 0;
    failed = errno;
    (void)close(*handle);
    (void)unlinkat(ct_folder_handle(made->folder), made->temporary,
                   made->is_folder ? AT_REMOVEDIR : 0);
    return failed;
}

ct_status ct_staged_claim(ct_staged *staged, ct_made *made, const ct_output_path *output,
                          ct_error *err)
{
    char folder[CT_OUTPUT_PATH_SIZE], whole[PATH_MAX];
    const char *path = ct_output_path_folder(output, folder);
    int failed = staged_folder(staged, path, &made->folder);
    if (!failed && !realpath(path, whole)) failed = errno;
    if (!failed)
        made->place = ct_arena_print(staged->arena, "%s/%s", whole[1] ? whole : "", made->name);
    if (!failed) failed = ct_folder_claim(made->folder, made->name);
    if (failed == EAGAIN)
        return ct_error_add(err, CT_DATA, "%s: cannot be written: another run is writing it",
                            made->file);
    return failed ? ct_staged_fail(made->file, "written", failed, err) : CT_OK;
}

static ct_status staged_file(ct_staged *staged, ct_made *made, const ct_output_path *output,
                             ct_output_file *out, ct_error *err)
{
    char folder[CT_OUTPUT_PATH_SIZE];
    ct_status status = ct_staged_claim(staged, made, output, err);
    if (status == CT_OK && staged->again) {
        status = ct_staged_reopen(staged, made, output, out, err);
    } else if (status == CT_OK) {
        ct_folder_forget(made->folder, made->name, staged->resumable ? CT_FOLDER_RESUMABLE : NULL);
        const int failed = staged_start(made, output, staged->resumable, &out->handle);
        if (failed) status = ct_staged_fail(made->file, "written", failed, err);
    }
    out->path = ct_arena_print(staged->arena, "%s/%s", ct_output_path_folder(output, folder),
                               made->temporary);
    return status;
}

/* A device is opened for reading, too, where that is allowed. */
static int staged_open_special(const ct_output_path *output)
{
    const int flags = O_NOCTTY | O_NONBLOCK | O_CLOEXEC;
    int handle = -1;
    if (!S_ISFIFO(output->type)) handle = open(output->path, flags | O_RDWR);
    return handle < 0 ? open(output->path, flags | O_WRONLY) : handle;
}

/* Waits for a named pipe's reader; with O_NONBLOCK, so that the wait can be interrupted. */
static ct_status staged_special(const ct_made *made, const ct_output_path *output,
                                bool (*stopped)(const void *of), const void *of,
                                ct_output_file *out, ct_error *err)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    while ((out->handle = staged_open_special(output)) < 0) {
        const bool waits = errno == EINTR || (errno == ENXIO && S_ISFIFO(output->type));
        if (!waits) return ct_staged_fail(made->file, "written", errno, err);
        if (stopped && stopped(of))
            return ct_error_add(err, CT_INTERRUPTED, "interrupted: nobody reads %s", made->file);
        (void)nanosleep(&moment, NULL);
    }
    (void)fcntl(out->handle, F_SETFL, fcntl(out->handle, F_GETFL) & ~O_NONBLOCK);
    return CT_OK;
}

static ct_status staged_as_it_is(const ct_made *made, const ct_output_path *output,
                                 bool (*stopped)(const void *of), const void *of,
                                 ct_output_file *out, ct_error *err)
{
    ct_status status = CT_OK;
    out->special = true;
    out->path = made->file;
    if (output->kind == CT_OUTPUT_PATH_HANDLE) {
        out->handle = fcntl(output->handle, F_DUPFD_CLOEXEC, 3);
        if (out->handle < 0) return ct_staged_fail(made->file, "written", errno, err);
        out->stream = true;
        return CT_OK;
    }
    status = staged_special(made, output, stopped, of, out, err);
    if (status == CT_OK) out->stream = lseek(out->handle, 0, SEEK_CUR) < 0;
    return status;
}

/* Who waits for a named pipe's reader may be told to stop. */
typedef struct staged_wait {
    bool (*stopped)(const void *of);
    const void *of;
} staged_wait;

static ct_status staged_add(ct_staged *staged, ct_made *made, const staged_wait *wait,
                            ct_output_file *out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_output_path output;
    *out = (ct_output_file){.handle = -1};
    int failed = ct_output_path_find(&output, made->file);
    if (!failed) failed = ct_output_path_refuses(&output, made->is_folder);
    if (failed) return ct_staged_fail(made->file, "written", failed, err);
    made->name = ct_arena_copy(staged->arena, output.path + output.name);
    made->before = made->is_folder && output.there ? output.inode : 0;
    CT_TRY(ct_arena_check(staged->arena, err));
    CT_TRY(ct_staged_reserve(staged, err));
    if (staged->joined)
        CT_TRY(ct_staged_open_joined(staged, made, &output, out, err));
    else if (output.kind == CT_OUTPUT_PATH_FILE || output.kind == CT_OUTPUT_PATH_FOLDER)
        CT_TRY(staged_file(staged, made, &output, out, err));
    else
        CT_TRY(staged_as_it_is(made, &output, wait->stopped, wait->of, out, err));
    staged->made[staged->count++] = *made;
    CT_TRY(ct_arena_check(staged->arena, err));
out:
    if (status != CT_OK && out->handle >= 0) {
        (void)close(out->handle);
        out->handle = -1;
    }
    return status;
}

ct_status ct_staged_add(ct_staged *staged, const char *file, bool (*stopped)(const void *of),
                        const void *of, ct_output_file *out, ct_error *err)
{
    const staged_wait wait = {stopped, of};
    ct_made made = {.file = ct_arena_copy(staged->arena, file)};
    const ct_status status = ct_arena_check(staged->arena, err);
    return status == CT_OK ? staged_add(staged, &made, &wait, out, err) : status;
}

ct_status ct_staged_add_folder(ct_staged *staged, const char *file, ct_output_file *out,
                               ct_error *err)
{
    const staged_wait wait = {0};
    ct_made made = {.file = ct_arena_copy(staged->arena, file), .is_folder = true};
    const ct_status status = ct_arena_check(staged->arena, err);
    return status == CT_OK ? staged_add(staged, &made, &wait, out, err) : status;
}

static void staged_leave(ct_staged *staged)
{
    for (int i = 0; i < staged->folder_count; i++)
        ct_folder_free(staged->folders[i]);
    staged->folder_count = 0;
}

void ct_staged_discard(ct_staged *staged)
{
    for (size_t i = 0; !staged->published && !staged->resumable && i < staged->count; i++)
        if (staged->made[i].folder)
            (void)ct_tree_remove(ct_folder_handle(staged->made[i].folder),
                                 staged->made[i].temporary);
    if (!staged->published) staged->count = 0;
    staged_leave(staged);
}

size_t ct_staged_files(const ct_staged *staged)
{
    return staged && staged->published && !staged->joined ? staged->count : 0;
}

const char *ct_staged_file(const ct_staged *staged, size_t n)
{
    return n < ct_staged_files(staged) ? staged->made[n].file : NULL;
}

void ct_staged_free(ct_staged *staged)
{
    if (!staged) return;
    ct_staged_discard(staged);
    ct_memory_free(staged->folders);
    ct_memory_free(staged->made);
    ct_arena_free(staged->arena);
}
