/* input.c: see input.h.
 * Room: io/shared. Knows POSIX files. Does not know formats. */
#include "input.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

ct_status ct_input_open(ct_input *in, const char *file, ct_error *err)
{
    struct stat about;
    in->file = file;
    in->at = 0;
    in->have = 0;
    do /* without waiting for somebody who writes to a pipe */
        in->fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (in->fd < 0 && errno == EINTR);
    if (in->fd < 0)
        return ct_error_add(err, CT_DATA, "%s: cannot be opened: %s", file, strerror(errno));
    if (fstat(in->fd, &about) != 0 || !S_ISREG(about.st_mode)) {
        ct_input_close(in);
        return ct_error_add(err, CT_DATA, "%s: expected a regular file, found %s", file,
                            S_ISDIR(about.st_mode) ? "a folder" : "something else");
    }
    in->size = about.st_size;
    return CT_OK;
}

static ct_status input_fetch(ct_input *in, int64_t position, void *to, size_t bytes, size_t *got,
                             ct_error *err)
{
    *got = 0;
    while (*got < bytes) {
        ssize_t n = pread(in->fd, (char *)to + *got, bytes - *got, position + (int64_t)*got);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            return ct_error_add(err, CT_DATA, "%s: reading byte %lld: %s", in->file,
                                (long long)position, strerror(errno));
        if (n == 0) break;
        *got += (size_t)n;
    }
    return CT_OK;
}

static ct_status input_short(const ct_input *in, int64_t position, size_t bytes, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: ends after %lld bytes, expected %zu more at byte %lld",
                        in->file, (long long)in->size, bytes, (long long)position);
}

static bool input_holds(const ct_input *in, int64_t position, size_t bytes)
{
    return position >= in->at && (uint64_t)(position - in->at) + bytes <= in->have;
}

ct_status ct_input_read(ct_input *in, int64_t position, void *to, size_t bytes, ct_error *err)
{
    ct_status status = CT_OK;
    size_t got = bytes;
    if (position < 0 || position > in->size || bytes > (uint64_t)(in->size - position))
        return input_short(in, position, bytes, err);
    if (bytes >= CT_INPUT_WINDOW / 2) {
        status = input_fetch(in, position, to, bytes, &got, err);
    } else {
        if (!input_holds(in, position, bytes)) {
            in->at = position;
            in->have = 0; /* so that a failure leaves no stale window */
            status = input_fetch(in, position, in->window, CT_INPUT_WINDOW, &in->have, err);
        }
        got = in->have - (size_t)(position - in->at);
        if (status == CT_OK && got >= bytes) memcpy(to, in->window + (position - in->at), bytes);
    }
    if (status == CT_OK && got < bytes) status = input_short(in, position, bytes, err);
    return status;
}

/* As many rows as the system takes at a time: below 0 where it says no, else bytes. */
static ssize_t input_some_rows(const ct_input *in, int64_t position, uint8_t *to, int64_t stride,
                               size_t bytes, int64_t rows)
{
    enum { ROWS = 512 };
    struct iovec row[ROWS];
    ssize_t n;
    const int count = rows < ROWS ? (int)rows : ROWS;
    for (int k = 0; k < count; k++)
        row[k] = (struct iovec){.iov_base = to + k * stride, .iov_len = bytes};
    do
        n = preadv(in->fd, row, count, position);
    while (n < 0 && errno == EINTR);
    return n;
}

/* A row that came in parts, and what ends too early, are read as any other bytes. */
ct_status ct_input_read_rows(ct_input *in, int64_t position, void *to, int64_t stride, size_t bytes,
                             int64_t rows, ct_error *err)
{
    ct_status status = CT_OK;
    uint8_t *at = to;
    while (status == CT_OK && rows > 0) {
        const ssize_t n = input_some_rows(in, position, at, stride, bytes, rows);
        int64_t whole = n > 0 ? (int64_t)((size_t)n / bytes) : 0;
        if (whole == 0) {
            status = ct_input_read(in, position, at, bytes, err);
            whole = 1;
        }
        at += whole * stride;
        position += whole * (int64_t)bytes;
        rows -= whole;
    }
    return status;
}

const char *ct_input_text(ct_step *step, const char *text)
{
    char *copy = text && *text ? ct_step_alloc(step, strlen(text) + 1) : NULL;
    return copy ? memcpy(copy, text, strlen(text) + 1) : NULL;
}

void ct_input_close(ct_input *in)
{
    if (in->fd >= 0) close(in->fd);
    in->fd = -1;
}
