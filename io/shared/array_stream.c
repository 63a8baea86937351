/* array_stream.c: see array_stream.h. Whole samples come into a stage of a size that stays in
 * cache, and go from there to where the block wants them.
 * Room: io/shared. Knows strides and packing of samples. Does not know formats. */
#include "array_stream.h"
#include "numbers.h"
#include <stdio.h>

enum { STREAM_STAGE = 65536 };

struct ct_array_stream {
    ct_byte_stream bytes;
    ct_stored stored;
    const char *name;   /* the node's */
    int64_t bits;       /* of a sample along T */
    int64_t most;       /* samples in the stage: a whole number of bytes */
    int64_t have, used; /* samples of it */
    size_t torn;        /* bytes after the last whole sample */
    int64_t begin;      /* element of a sample from which on it is read */
    bool ended;
    uint8_t *stage;
};

static ct_status stream_read_elements(void *of, int64_t first, void *to, size_t count,
                                      ct_error *err)
{
    const ct_array_stream *stream = of;
    const unsigned bits = stream->stored.bits;
    const size_t bytes = count * bits / 8;
    (void)err;
    if (bits < 8) {
        ct_array_source_unpack(to, stream->stage + first * bits / 8, bits,
                               (unsigned)(first % (8 / bits)), count);
        return CT_OK;
    }
    memcpy(to, stream->stage + first * bits / 8, bytes);
    ct_numbers_swap(to, bytes, stream->stored.swap);
    return CT_OK;
}

static size_t stream_bytes(const ct_array_stream *stream, int64_t samples)
{
    return (size_t)((samples * stream->bits + 7) / 8);
}

/* No more than is wanted, so that nobody waits for what comes later; false at the end. */
static ct_status stream_fill(ct_array_stream *stream, int64_t wanted, bool *some, ct_error *err)
{
    size_t got = 0;
    const int64_t whole = stream->bits % 8 ? (wanted + 7) / 8 * 8 : wanted;
    const size_t bytes = stream_bytes(stream, whole < stream->most ? whole : stream->most);
    *some = false;
    if (stream->ended) return CT_OK;
    ct_status status = ct_byte_stream_read(&stream->bytes, stream->stage, bytes, &got, err);
    if (status != CT_OK) return status;
    stream->used = 0;
    stream->have = (int64_t)got * 8 / stream->bits;
    stream->ended = got < bytes;
    if (stream->ended) stream->torn = got - (size_t)(stream->have * stream->bits / 8);
    *some = stream->have > 0;
    return CT_OK;
}

ct_status ct_array_stream_read(ct_array_stream *stream, ct_array *block, uint8_t *flags,
                               int64_t *got, ct_error *err)
{
    const int64_t samples = ct_array_extent(block, 'T');
    const ct_reader reader = {stream_read_elements, stream};
    ct_status status = CT_OK;
    bool some = true;
    *got = 0;
    while (status == CT_OK && some && *got < samples) {
        const int64_t wanted = samples - *got, ready = stream->have - stream->used;
        const int64_t now = ready < wanted ? ready : wanted;
        ct_copy region = ct_region_make(block, &stream->stored.order, *got, stream->used, now);
        region.to += stream->begin;
        status = ct_region_load(&region, block->data, reader, err);
        stream->used += now;
        *got += now;
        if (status == CT_OK && now < wanted) status = stream_fill(stream, wanted - now, &some, err);
    }
    ct_array_source_end(block, flags, *got);
    return status;
}

static ct_status stream_pass(ct_array_stream *stream, int64_t bytes, ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t stage = (int64_t)stream_bytes(stream, stream->most);
    while (status == CT_OK && bytes > 0 && !stream->ended) {
        size_t got = 0;
        const int64_t now = bytes < stage ? bytes : stage;
        status = ct_byte_stream_read(&stream->bytes, stream->stage, (size_t)now, &got, err);
        stream->ended = (int64_t)got < now;
        bytes -= (int64_t)got;
    }
    return status;
}

static ct_status stream_size(ct_array_stream *stream, ct_step *step)
{
    stream->bits = stream->stored.order.stride[0] * (int64_t)stream->stored.bits;
    stream->most = STREAM_STAGE * 8 / stream->bits / 8 * 8;
    if (stream->most == 0) stream->most = stream->bits % 8 ? 8 : 1;
    stream->stage = ct_step_alloc(step, stream_bytes(stream, stream->most));
    return stream->stage ? CT_OK : CT_FAILED;
}

ct_status ct_array_stream_open(ct_array_stream **out, ct_step *step, const char *file,
                               const ct_stored *stored, ct_error *err)
{
    ct_array_stream *stream = *out = ct_step_alloc(step, sizeof *stream);
    if (!stream) return CT_FAILED;
    *stream = (ct_array_stream){.stored = *stored, .name = step->name};
    stream->begin = ct_array_source_begin(step, &stored->order);
    ct_status status = ct_byte_stream_open(&stream->bytes, step, file, stored->follow_s, err);
    if (status == CT_OK) status = stream_size(stream, step);
    if (status == CT_OK) status = stream_pass(stream, stored->data_at, err);
    if (status != CT_OK) ct_byte_stream_close(&stream->bytes);
    return status;
}

void ct_array_stream_close(ct_array_stream *stream, bool complete)
{
    if (complete && stream->torn > 0)
        fprintf(stderr, "%s: %s: ends within a sample: its last %zu bytes are left out\n",
                stream->name, stream->bytes.file, stream->torn);
    ct_byte_stream_close(&stream->bytes);
}
