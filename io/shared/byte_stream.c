/* byte_stream.c: see byte_stream.h. It sleeps if nothing comes, and looks ten times a second
 * whether it is to stop.
 * Room: io/shared. Knows POSIX files. Does not know formats. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* tee, pipe2 */
#endif
#include "byte_stream.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STREAM_TICK_MS = 100, STREAM_PIPE = 65536 /* bytes that a pipe holds unless it is told */ };

static double stream_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ct_status stream_fail(const char *file, const char *doing, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", file, doing, strerror(errno));
}

bool ct_byte_stream_streams(const char *file)
{
    struct stat about;
    if (strcmp(file, CT_BYTE_STREAM_STDIN) == 0) return true;
    return stat(file, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

bool ct_byte_stream_waits(const char *file)
{
    struct stat about;
    if (strcmp(file, CT_BYTE_STREAM_STDIN) != 0) return ct_byte_stream_streams(file);
    return fstat(STDIN_FILENO, &about) != 0 || S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode);
}

ct_status ct_byte_stream_leave(ct_step *step, const char *file)
{
    ct_step_warn(step,
                 "%s is a pipe, which a run reads: what comes is not known, so neither this node's "
                 "array nor what follows from it is checked",
                 file);
    return CT_EOF;
}

double ct_byte_stream_follow(const ct_step *step)
{
    return ct_step_value(step, "follow_s") ? ct_step_real(step, "follow_s") : -1;
}

/* Standard input itself, and no second description of it: of a pipe that would miss the end. */
static int stream_handle(const char *file)
{
    int fd;
    if (strcmp(file, CT_BYTE_STREAM_STDIN) == 0) return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    do
        fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/* True where something can be read, or the end is there. */
static bool stream_is_ready(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, STREAM_TICK_MS) > 0;
}

/* ---- looking at what comes first */

/* What a pipe holds at present, without taking it out. */
static ssize_t stream_look(int fd, uint8_t *to, size_t bytes)
{
    int copy[2];
    ssize_t have = -1;
    if (pipe2(copy, O_CLOEXEC) != 0) return -1;
    if (bytes > STREAM_PIPE) (void)fcntl(copy[1], F_SETPIPE_SZ, (int)bytes);
    const ssize_t there = tee(fd, copy[1], bytes, SPLICE_F_NONBLOCK);
    if (there >= 0) have = there == 0 ? 0 : read(copy[0], to, (size_t)there);
    close(copy[0]);
    close(copy[1]);
    return have;
}

static bool stream_has_ended(int fd)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    return poll(&one, 1, 0) > 0 && (one.revents & POLLHUP);
}

/* A pipe says nothing of how much will come: until the last of the words that open a file. */
static ct_status stream_peek_pipe(ct_input *in, const ct_step *step, const char *last,
                                  ct_error *err)
{
    for (;;) {
        if (ct_step_stopped(step)) return CT_INTERRUPTED;
        if (!stream_is_ready(STDIN_FILENO)) continue;
        const bool ended = stream_has_ended(STDIN_FILENO);
        const ssize_t have = stream_look(STDIN_FILENO, in->window, sizeof in->window);
        if (have < 0 && errno == EAGAIN) continue;
        if (have < 0) return stream_fail(in->file, "read", err);
        in->have = (size_t)have;
        if (ended || in->have == sizeof in->window ||
            memmem(in->window, in->have, last, strlen(last)))
            return CT_OK;
        (void)poll(NULL, 0, STREAM_TICK_MS);
    }
}

ct_status ct_byte_stream_peek(ct_input *in, const ct_step *step, const char *last, ct_error *err)
{
    ct_status status = CT_OK;
    struct stat about;
    in->file = CT_BYTE_STREAM_STDIN;
    in->fd = -1;
    in->at = 0;
    in->have = 0;
    if (fstat(STDIN_FILENO, &about) != 0) return stream_fail(in->file, "read", err);
    if (S_ISREG(about.st_mode)) {
        const ssize_t have =
            pread(STDIN_FILENO, in->window, sizeof in->window, lseek(STDIN_FILENO, 0, SEEK_CUR));
        if (have < 0) return stream_fail(in->file, "read", err);
        in->have = (size_t)have;
    } else if (S_ISFIFO(about.st_mode)) {
        status = stream_peek_pipe(in, step, last, err);
    } else {
        return ct_error_add(err, CT_DATA,
                            "%s: expected a file or a pipe on standard input, found something else",
                            in->file);
    }
    in->size = (int64_t)in->have;
    return status;
}

ct_status ct_byte_stream_peek_named(ct_step *step, const char *file, uint8_t *to, size_t least,
                                    size_t most, size_t *got, int *handle, ct_error *err)
{
    const int fd = *handle = stream_handle(file);
    struct stat about;
    size_t before = 0;
    *got = 0;
    if (fd < 0) return stream_fail(file, "opened", err);
    if (ct_step_keep_open(step, fd) != CT_OK) return CT_FAILED;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) { /* standard input */
        const ssize_t have = pread(fd, to, most, lseek(fd, 0, SEEK_CUR));
        if (have < 0) return stream_fail(file, "read", err);
        *got = (size_t)have;
        return CT_OK;
    }
    (void)fcntl(fd, F_SETPIPE_SZ, (int)most);
    for (;;) {
        if (ct_step_stopped(step)) return CT_INTERRUPTED;
        if (!stream_is_ready(fd)) continue;
        const bool ended = stream_has_ended(fd);
        const ssize_t have = stream_look(fd, to, most);
        if (have < 0 && errno == EAGAIN) continue;
        if (have < 0) return stream_fail(file, "read", err);
        *got = (size_t)have;
        if (ended || *got == most || (*got >= least && *got == before)) return CT_OK;
        before = *got;
        (void)poll(NULL, 0, STREAM_TICK_MS);
    }
}

/* ---- reading */

ct_status ct_byte_stream_open(ct_byte_stream *stream, const ct_step *step, const char *file,
                              double follow_s, ct_error *err)
{
    struct stat about;
    *stream = (ct_byte_stream){
        .step = step, .file = file, .fd = stream_handle(file), .follow_s = follow_s};
    if (stream->fd < 0) return stream_fail(file, "opened", err);
    stream->grows = fstat(stream->fd, &about) == 0 && S_ISREG(about.st_mode) && follow_s >= 0;
    return CT_OK;
}

/* At the end of a file; false: nothing comes any more. */
static bool stream_wait(const ct_byte_stream *stream, double since)
{
    if (!stream->grows) return false;
    if (stream->follow_s > 0 && stream_clock() - since >= stream->follow_s) return false;
    (void)poll(NULL, 0, STREAM_TICK_MS);
    return true;
}

ct_status ct_byte_stream_read_some(ct_byte_stream *stream, void *to, size_t least, size_t most,
                                   size_t *got, ct_error *err)
{
    double since = stream_clock();
    *got = 0;
    while (*got < least) {
        if (ct_step_stopped(stream->step)) return CT_INTERRUPTED;
        if (!stream_is_ready(stream->fd)) continue;
        const ssize_t n = read(stream->fd, (char *)to + *got, most - *got);
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n < 0) return stream_fail(stream->file, "read", err);
        if (n == 0 && !stream_wait(stream, since)) break;
        if (n > 0) since = stream_clock();
        *got += (size_t)n;
    }
    return CT_OK;
}

ct_status ct_byte_stream_read(ct_byte_stream *stream, void *to, size_t bytes, size_t *got,
                              ct_error *err)
{
    return ct_byte_stream_read_some(stream, to, bytes, bytes, got, err);
}

ct_status ct_byte_stream_seek(ct_byte_stream *stream, int64_t position, ct_error *err)
{
    if (lseek(stream->fd, position, SEEK_SET) == position) return CT_OK;
    return stream_fail(stream->file, "read", err);
}

void ct_byte_stream_close(ct_byte_stream *stream)
{
    if (stream->fd >= 0) close(stream->fd);
    stream->fd = -1;
}
