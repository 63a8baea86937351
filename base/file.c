/* file.c: whole files in and out; a file that is written appears only when it is whole.
 * Room: base. Knows names and bytes. Does not know formats. */
#include "file.h"
#include "cornerturn_stage.h"

#include "fail.h"
#include "memory.h"
#include "output_path.h"
#include "staged_output.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CT_FILE_PIECE ((size_t)65536)
#define CT_FILE_MOST (64 << 20) /* of a text */

static ct_status ct_file_fail(ct_error *err, const char *doing, const char *file)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", file, doing, strerror(errno));
}

/* Does not wait, even if nobody writes to a pipe. A terminal is read, other devices have no end. */
static ct_status ct_file_open(int *handle, bool *pipe, const char *file, ct_error *err)
{
    struct stat about;
    do
        *handle = open(file, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    while (*handle < 0 && errno == EINTR);
    if (*handle < 0 || fstat(*handle, &about) != 0) return ct_file_fail(err, "read", file);
    *pipe = !S_ISREG(about.st_mode);
    if (!S_ISCHR(about.st_mode) || isatty(*handle)) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: cannot be read: expected a file or a pipe, found a device", file);
}

/* Bytes read, 0 at the end, -1: errno says why not. A pipe has them later, a file never. */
static ssize_t ct_file_some(int handle, bool pipe, char *out, size_t room)
{
    for (;;) {
        const ssize_t n = read(handle, out, room);
        if (n >= 0 || (errno != EINTR && (errno != EAGAIN || !pipe))) return n;
        struct pollfd wait = {.fd = handle, .events = POLLIN};
        if (errno == EAGAIN) (void)poll(&wait, 1, -1);
    }
}

/* In pieces, since a pipe does not know its length; nor need it have an end. */
static ct_status ct_file_take(ct_text *out, int handle, bool pipe, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    size_t room = 0;
    for (;;) {
        if (room - out->length <= CT_FILE_PIECE) {
            room = 2 * room + 2 * CT_FILE_PIECE;
            CT_TRY(ct_memory_grow(&out->data, room, err));
        }
        const ssize_t n =
            ct_file_some(handle, pipe, out->data + out->length, room - out->length - 1);
        if (n < 0) return ct_file_fail(err, "read", file);
        if (n == 0) break;
        out->length += (size_t)n;
        if (out->length > CT_FILE_MOST)
            return ct_error_add(err, CT_DATA, "%s: cannot be read: more than %d MiB %s", file,
                                CT_FILE_MOST >> 20, pipe ? "came through the pipe" : "of text");
    }
    out->data[out->length] = 0;
    if (pipe && out->length == 0)
        status = ct_error_add(err, CT_DATA, "%s: cannot be read: nobody writes to this pipe", file);
out:
    return status;
}

ct_status ct_file_read(char **out, size_t *length, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    int handle = -1;
    bool pipe = false;
    *out = NULL;
    if (length) *length = 0;
    CT_TRY(ct_file_open(&handle, &pipe, file, err));
    CT_TRY(ct_file_take(&text, handle, pipe, file, err));
    if (length) *length = text.length;
    *out = text.data;
    text.data = NULL;
out:
    ct_memory_free(text.data);
    if (handle >= 0) (void)close(handle);
    return status;
}

static ct_status ct_file_put(int handle, const char *text, size_t length, const char *file,
                             ct_error *err)
{
    while (length > 0) {
        ssize_t put = write(handle, text, length);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return ct_file_fail(err, "written", file);
        text += put;
        length -= (size_t)put;
    }
    return CT_OK;
}

ct_status ct_file_write(const char *file, const char *text, size_t length, ct_error *err)
{
    ct_status status = CT_OK;
    ct_staged *staged = NULL;
    ct_output_file made = {.handle = -1};
    CT_TRY(ct_staged_new(&staged, err));
    CT_TRY(ct_staged_add(staged, file, NULL, NULL, &made, err));
    CT_TRY(ct_file_put(made.handle, text, length, file, err));
    const int closed = close(made.handle);
    made.handle = -1;
    if (closed != 0 && errno != EINTR) CT_TRY(ct_file_fail(err, "written", file));
    CT_TRY(ct_staged_settle(&staged, 1, err));
    CT_TRY(ct_staged_publish(&staged, 1, err));
out:
    if (made.handle >= 0) (void)close(made.handle);
    ct_staged_free(staged);
    return status;
}

void ct_file_identify(ct_file_id *out, const char *file, ct_arena *arena)
{
    struct stat about;
    ct_output_path output;
    char folder[CT_OUTPUT_PATH_SIZE];
    *out = (ct_file_id){.any = true, .name = ""};
    if (stat(file, &about) == 0) {
        out->any = !S_ISCHR(about.st_mode) && !S_ISBLK(about.st_mode);
    } else if (ct_output_path_find(&output, file) != 0) {
        out->name = ct_arena_copy(arena, file);
        return;
    } else if (stat(ct_output_path_folder(&output, folder), &about) == 0) {
        out->name = ct_arena_copy(arena, output.path + output.name);
    } else {
        out->name = ct_arena_copy(arena, output.path);
        return;
    }
    out->device = about.st_dev;
    out->inode = about.st_ino;
}

int ct_file_id_compare(const ct_file_id *a, const ct_file_id *b)
{
    if (a->device != b->device) return a->device < b->device ? -1 : 1;
    if (a->inode != b->inode) return a->inode < b->inode ? -1 : 1;
    return strcmp(a->name, b->name);
}
