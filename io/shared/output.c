/* output.c: see output.h.
 * Room: io/shared. Knows POSIX files. Does not know formats. */
#include "output.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static ct_status output_fail(const ct_output *out, const char *doing, int code, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", out->file, doing, strerror(code));
}

static const char *output_print(ct_step *step, const char *a, int length, const char *b,
                                const char *c)
{
    size_t bytes = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = ct_step_alloc(step, bytes);
    if (!text) return "";
    snprintf(text, bytes, "%.*s%s%s", length, a, b, c);
    return text;
}

const char *ct_output_name(ct_step *step, const char *file, const char *suffix, const char *ext)
{
    const char *slash = strrchr(file, '/');
    const char *dot = strrchr(file, '.');
    if (!dot || dot == file || (slash && dot <= slash + 1)) dot = file + strlen(file);
    return output_print(step, file, (int)(dot - file), suffix, ext ? ext : dot);
}

ct_status ct_output_open(ct_output *out, ct_step *step, const char *file, bool buffered,
                         ct_error *err)
{
    *out =
        (ct_output){.file = file, .step = step, .staged = {.handle = -1}, .direct = {.handle = -1}};
    if (buffered) out->window = ct_step_alloc(step, CT_OUTPUT_WINDOW);
    if (buffered && !out->window) return CT_FAILED;
    ct_status status = ct_step_create(step, file, &out->staged, err);
    if (status != CT_OK) return status;
    out->started = true;
    return CT_OK;
}

ct_status ct_output_widen(ct_output *out)
{
    if (out->staged.special) return CT_OK;
    uint8_t *window = ct_step_alloc(out->step, CT_DIRECT_WINDOW + CT_DIRECT_PAGE);
    if (!window) return CT_FAILED;
    out->window = window + (-(uintptr_t)window & (CT_DIRECT_PAGE - 1));
    out->direct = (ct_direct){.able = true, .handle = -1, .after = CT_DIRECT_CACHED};
    return CT_OK;
}

/* Whether it is long, so that what is to be written has to be aligned. */
static bool output_is_wide(const ct_output *out)
{
    return out->direct.able && out->streamed >= out->direct.after;
}

static ct_status output_resume(ct_output *out, ct_error *err)
{
    if (out->staged.handle >= 0) return CT_OK;
    do
        out->staged.handle = open(out->staged.path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    while (out->staged.handle < 0 && errno == EINTR);
    return out->staged.handle < 0 ? output_fail(out, "written", errno, err) : CT_OK;
}

static ssize_t output_some(ct_output *out, const uint8_t *data, size_t bytes, int64_t position)
{
    const size_t before = (size_t)(-position & (CT_DIRECT_PAGE - 1));
    if (out->staged.stream) return write(out->staged.handle, data, bytes);
    if (output_is_wide(out) && before > 0 && bytes >= before + CT_DIRECT_LEAST)
        bytes = before; /* to where the rest is aligned */
    else if (output_is_wide(out) && ct_direct_takes(&out->direct, data, position, &bytes))
        return ct_direct_write(&out->direct, out->staged.path, data, bytes, position);
    return pwrite(out->staged.handle, data, bytes, position);
}

/* A pipe that is full takes nothing until somebody reads it, who may never: then who stops the run
 * need not wait. One that is not takes so much at once. */
static bool output_waits(const ct_output *out, size_t *bytes)
{
    enum { AT_ONCE = 4096, TICK_MS = 100 };
    struct pollfd one = {.fd = out->staged.handle, .events = POLLOUT};
    if (!out->staged.stream) return false;
    if (*bytes > AT_ONCE) *bytes = AT_ONCE;
    const int ready = poll(&one, 1, TICK_MS);
    return ready == 0 || (ready < 0 && errno == EINTR);
}

static ct_status output_stalls(const ct_output *out, ct_error *err)
{
    return ct_error_add(err, CT_INTERRUPTED, "%s: interrupted: nobody reads what is written to it",
                        out->file);
}

static ct_status output_write(ct_output *out, int64_t position, const uint8_t *data, size_t bytes,
                              ct_error *err)
{
    ct_status status = output_resume(out, err);
    if (status == CT_OK && out->staged.stream && position != out->streamed)
        return ct_error_add(err, CT_DATA,
                            "%s: cannot be written: a pipe takes bytes in order, and this format "
                            "goes back to byte %lld after %lld: write to a file",
                            out->file, (long long)position, (long long)out->streamed);
    while (status == CT_OK && bytes > 0) {
        size_t now = bytes;
        if (output_waits(out, &now)) {
            if (ct_step_stopped(out->step)) return output_stalls(out, err);
            continue;
        }
        ssize_t n = output_some(out, data, now, position);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return output_fail(out, "written", errno, err);
        data += n, bytes -= (size_t)n, position += n, out->streamed += n;
    }
    return status;
}

static ct_status output_flush(ct_output *out, ct_error *err)
{
    size_t have = out->have;
    int64_t at = out->at;
    out->at += (int64_t)have;
    out->have = 0;
    return have ? output_write(out, at, out->window + out->skip, have, err) : CT_OK;
}

ct_status ct_output_reserve(ct_output *out, int64_t bytes, ct_error *err)
{
    enum { AT_ONCE = 4096 };
    static const uint8_t nothing[AT_ONCE];
    ct_status status = CT_OK;
    if (out->staged.special) return CT_OK;
    for (; status == CT_OK && out->reserved < bytes; out->reserved += AT_ONCE)
        status = output_write(out, out->reserved, nothing, AT_ONCE, err);
    return status;
}

/* Into the window, which is flushed when it is full: of one that is wide memory and file are
 * aligned in the same way. */
static ct_status output_gather(ct_output *out, int64_t position, const uint8_t *data, size_t bytes,
                               ct_error *err)
{
    ct_status status = CT_OK;
    while (status == CT_OK && bytes > 0) {
        const bool wide = output_is_wide(out);
        const size_t most = wide ? CT_DIRECT_WINDOW : CT_OUTPUT_WINDOW;
        if (out->have == 0) out->at = position;
        if (out->have == 0) out->skip = wide ? (size_t)(position % CT_DIRECT_PAGE) : 0;
        const size_t used = out->skip + out->have;
        const size_t now = used >= most ? 0 : bytes < most - used ? bytes : most - used;
        memcpy(out->window + used, data, now);
        out->have += now;
        data += now, bytes -= now, position += (int64_t)now;
        if (used + now >= most) status = output_flush(out, err);
    }
    return status;
}

ct_status ct_output_put(ct_output *out, int64_t position, const void *data, size_t bytes,
                        ct_error *err)
{
    ct_status status = CT_OK;
    if (position + (int64_t)bytes > out->end) out->end = position + (int64_t)bytes;
    if (!out->window) return output_write(out, position, data, bytes, err);
    const bool apart =
        output_is_wide(out) && ((uintptr_t)data - (uint64_t)position) % CT_DIRECT_PAGE;
    if (position != out->at + (int64_t)out->have || (bytes >= CT_OUTPUT_WINDOW && !apart))
        status = output_flush(out, err);
    if (status != CT_OK) return status;
    if (bytes < CT_OUTPUT_WINDOW || apart) return output_gather(out, position, data, bytes, err);
    out->at = position + (int64_t)bytes;
    return output_write(out, position, data, bytes, err);
}

ct_status ct_output_print(ct_output *out, ct_error *err, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    int length = ct_number_print_args(text, sizeof text, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= sizeof text)
        return ct_error_add(err, CT_FAILED, "%s: a line of text is too long to be written",
                            out->file);
    return ct_output_put(out, out->at + (int64_t)out->have, text, (size_t)length, err);
}

ct_status ct_output_get(ct_output *out, int64_t position, void *data, size_t bytes, ct_error *err)
{
    ct_status status = output_flush(out, err);
    if (status == CT_OK) status = output_resume(out, err);
    while (status == CT_OK && bytes > 0) {
        ssize_t n = pread(out->staged.handle, data, bytes, position);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return output_fail(out, "read back", n < 0 ? errno : EIO, err);
        data = (char *)data + n, bytes -= (size_t)n, position += n;
    }
    return status;
}

static int output_cut(const ct_output *out, int64_t bytes)
{
    int failed;
    do
        failed = ftruncate(out->staged.handle, bytes);
    while (failed != 0 && errno == EINTR);
    return failed;
}

ct_status ct_output_resize(ct_output *out, int64_t bytes, ct_error *err)
{
    ct_status status = output_flush(out, err);
    if (status == CT_OK) status = output_resume(out, err);
    if (status == CT_OK && !out->staged.special && output_cut(out, bytes) != 0)
        status = output_fail(out, "resized", errno, err);
    return status;
}

ct_status ct_output_release(ct_output *out, ct_error *err)
{
    if (out->reserved == 0) return CT_OK;
    out->reserved = 0;
    return ct_output_resize(out, out->end, err);
}

ct_status ct_output_flush(ct_output *out, bool sync, ct_error *err)
{
    ct_status status = output_flush(out, err);
    if (status != CT_OK || !sync) return status;
    status = output_resume(out, err);
    while (status == CT_OK && fdatasync(out->staged.handle) != 0)
        if (errno != EINTR) status = output_fail(out, "written", errno, err);
    return status;
}

ct_status ct_output_length(ct_output *out, int64_t *bytes, ct_error *err)
{
    ct_status status = output_resume(out, err);
    if (status != CT_OK) return status;
    *bytes = lseek(out->staged.handle, 0, SEEK_END);
    return *bytes < 0 ? output_fail(out, "read back", errno, err) : CT_OK;
}

/* A descriptor is gone after close(), whatever it says. */
static ct_status output_let_go(ct_output *out, ct_error *err)
{
    const int handle = out->staged.handle;
    out->staged.handle = -1;
    ct_direct_close(&out->direct);
    if (handle < 0 || close(handle) == 0 || errno == EINTR) return CT_OK;
    return output_fail(out, "written", errno, err);
}

ct_status ct_output_pause(ct_output *out, ct_error *err)
{
    ct_status status = output_flush(out, err);
    if (status == CT_OK && !out->staged.special) status = output_let_go(out, err);
    return status;
}

ct_status ct_output_close(ct_output *out, bool complete, ct_error *err)
{
    if (!out->started) return CT_OK;
    out->started = false;
    ct_status status = complete ? output_flush(out, err) : CT_OK;
    if (complete && status == CT_OK && out->reserved > out->end)
        status = ct_output_resize(out, out->end, err);
    ct_status closed = output_let_go(out, complete && status == CT_OK ? err : NULL);
    return status == CT_OK && complete ? closed : status;
}
