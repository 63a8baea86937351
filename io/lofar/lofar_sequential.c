/* lofar_sequential.c: see lofar_sequential.h.
 * Room: io/lofar. Knows files, and zstd where it was there. Does not know packets. */
#include "lofar_sequential.h"
#include <fcntl.h>
#include <string.h>
#ifdef CT_HAVE_ZSTD
#include <zstd.h>
#endif

enum { SEQUENTIAL_WINDOW = 1 << 17 };

static bool sequential_is_packed(const char *file)
{
    const size_t length = strlen(file);
    return length > 4 && strcmp(file + length - 4, ".zst") == 0;
}

bool ct_sequential_needed(const char *const *file, int64_t files)
{
    for (int64_t i = 0; i < files; i++)
        if (ct_byte_stream_streams(file[i]) || sequential_is_packed(file[i])) return true;
    return false;
}

void ct_sequential_open(ct_sequential *stream, ct_step *step, const char *const *file,
                        int64_t files, const int *handle, double follow_s)
{
    *stream = (ct_sequential){.step = step,
                              .file = file,
                              .files = files,
                              .handle = handle,
                              .follow_s = follow_s,
                              .bytes.fd = -1};
}

/* ---- zstd */

#ifdef CT_HAVE_ZSTD
static ct_status sequential_begin_packed(ct_sequential *stream, ct_error *err)
{
    if (!stream->unpacker) stream->unpacker = ZSTD_createDCtx();
    if (!stream->window) stream->window = ct_step_alloc(stream->step, SEQUENTIAL_WINDOW);
    if (!stream->unpacker || !stream->window)
        return ct_error_add(err, CT_FAILED, "%s: no memory for zstd", stream->bytes.file);
    (void)ZSTD_DCtx_reset(stream->unpacker, ZSTD_reset_session_only);
    return CT_OK;
}

static ct_status sequential_unpack(ct_sequential *stream, uint8_t *to, size_t room, size_t *got,
                                   ct_error *err)
{
    ZSTD_outBuffer out = {to, room, 0};
    while (out.pos == 0) {
        if (stream->used == stream->have) {
            ct_status status = ct_byte_stream_read_some(&stream->bytes, stream->window, 1,
                                                        SEQUENTIAL_WINDOW, &stream->have, err);
            stream->used = 0;
            if (status == CT_OK && stream->have == 0 && stream->inside)
                status = ct_error_add(err, CT_DATA, "%s: ends within compressed data",
                                      stream->bytes.file);
            if (status != CT_OK || stream->have == 0) return status;
        }
        ZSTD_inBuffer in = {stream->window, stream->have, stream->used};
        const size_t left = ZSTD_decompressStream(stream->unpacker, &out, &in);
        stream->used = in.pos;
        if (ZSTD_isError(left))
            return ct_error_add(err, CT_DATA, "%s: cannot be decompressed: %s", stream->bytes.file,
                                ZSTD_getErrorName(left));
        stream->inside = left != 0;
    }
    *got = out.pos;
    return CT_OK;
}

static void sequential_end_packed(ct_sequential *stream)
{
    ZSTD_freeDCtx(stream->unpacker);
    stream->unpacker = NULL;
}
#else
static ct_status sequential_begin_packed(ct_sequential *stream, ct_error *err)
{
    return ct_error_add(
        err, CT_FAILED,
        "%s: this Cornerturn was built without libzstd; `zstd -d` first, or through a "
        "pipe",
        stream->bytes.file);
}

static ct_status sequential_unpack(ct_sequential *stream, uint8_t *to, size_t room, size_t *got,
                                   ct_error *err)
{
    (void)stream, (void)to, (void)room, (void)got, (void)err;
    return CT_OK;
}

static void sequential_end_packed(ct_sequential *stream)
{
    (void)stream;
}
#endif

/* ---- one after the other */

static ct_status sequential_open_next(ct_sequential *stream, ct_error *err)
{
    const int64_t i = stream->present;
    const double follow_s = i + 1 == stream->files ? stream->follow_s : -1;
    ct_status status = CT_OK;
    stream->bytes.file = stream->file[i];
    if (stream->handle && stream->handle[i] >= 0)
        stream->bytes = (ct_byte_stream){.step = stream->step,
                                         .file = stream->file[i],
                                         .fd = fcntl(stream->handle[i], F_DUPFD_CLOEXEC, 3)};
    else
        status = ct_byte_stream_open(&stream->bytes, stream->step, stream->file[i], follow_s, err);
    stream->open = status == CT_OK;
    stream->packed = sequential_is_packed(stream->file[i]);
    stream->used = stream->have = 0;
    stream->inside = false;
    return status == CT_OK && stream->packed ? sequential_begin_packed(stream, err) : status;
}

ct_status ct_sequential_pull(void *of, uint8_t *to, size_t room, size_t *got, ct_error *err)
{
    ct_sequential *stream = of;
    ct_status status = CT_OK;
    *got = 0;
    while (status == CT_OK && *got == 0 && stream->present < stream->files) {
        if (!stream->open) status = sequential_open_next(stream, err);
        if (status != CT_OK) break;
        status = stream->packed ? sequential_unpack(stream, to, room, got, err)
                                : ct_byte_stream_read_some(&stream->bytes, to, 1, room, got, err);
        if (status != CT_OK || *got > 0) break;
        ct_byte_stream_close(&stream->bytes);
        stream->open = false;
        stream->present++;
    }
    return status;
}

void ct_sequential_close(ct_sequential *stream)
{
    ct_byte_stream_close(&stream->bytes);
    sequential_end_packed(stream);
}
