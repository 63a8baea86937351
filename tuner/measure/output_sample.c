/* output_sample.c: pieces of a step's first output, spread over the whole of it.
 * Room: tuner/measure. Knows buffers and types. Does not know any stage. */
#include "output_sample.h"

#include "fail.h"
#include "memory.h"
#include "padding.h"

#include <math.h>
#include <string.h>

enum { PIECES = 64, PIECE_BYTES = 4096, POISON = 0xFF /* a NaN in every float type */ };

#define DIFFERENCE 1e-3

static int sample_port(const ct_step *step)
{
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->stage->ports[i].direction == CT_OUT && step->port[i].type != CT_NONE) return i;
    return 0;
}

/* Where the i-th piece of so many bytes starts. */
static size_t sample_piece(size_t all, size_t i)
{
    return (all - PIECE_BYTES) / 64 * i / (PIECES - 1) * 64;
}

typedef ct_status sample_move(ct_buffer *buffer, ct_device *device, size_t offset,
                              unsigned char *data, size_t bytes, ct_error *err);

static ct_status sample_write(ct_buffer *buffer, ct_device *device, size_t offset,
                              unsigned char *data, size_t bytes, ct_error *err)
{
    return ct_buffer_write(buffer, device, offset, data, bytes, err);
}

static ct_status sample_read(ct_buffer *buffer, ct_device *device, size_t offset,
                             unsigned char *data, size_t bytes, ct_error *err)
{
    return ct_buffer_read(buffer, device, offset, data, bytes, err);
}

/* Small arrays whole, large ones in pieces from the first byte to the last. */
static ct_status sample_each(ct_sample *sample, ct_timed_step *work, sample_move *move,
                             ct_error *err)
{
    ct_status status = CT_OK;
    int port = sample_port(work->step);
    ct_buffer *buffer = &work->pool->mem[port];
    size_t all = ct_array_bytes(&work->step->port[port]);
    if (sample->bytes == all) return move(buffer, work->device, 0, sample->data, all, err);
    for (size_t i = 0; i < PIECES; i++) {
        CT_TRY(move(buffer, work->device, sample_piece(all, i), sample->data + i * PIECE_BYTES,
                    PIECE_BYTES, err));
    }
out:
    return status;
}

ct_status ct_sample_take(ct_sample *out, ct_timed_step *work, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *array = &work->step->port[sample_port(work->step)];
    ct_timed timed = ct_timed_step_timing(work);
    size_t all = ct_array_bytes(array), most = (size_t)PIECES * PIECE_BYTES;
    *out = (ct_sample){.array = *array, .bytes = all < most ? all : most};
    out->data = ct_memory_get(out->bytes);
    CT_NEED(out->data, out->bytes, err);
    memset(out->data, POISON, out->bytes);
    CT_TRY(sample_each(out, work, sample_write, err));
    CT_TRY(timed.run(timed.of, &out->seconds, err));
    CT_TRY(sample_each(out, work, sample_read, err));
out:
    if (status != CT_OK) ct_sample_free(out);
    return status;
}

/* The place in memory of the i-th byte: small arrays are taken whole, large ones in pieces. */
static size_t sample_place(const ct_sample *sample, size_t i)
{
    size_t all = ct_array_bytes(&sample->array);
    return sample->bytes == all ? i : sample_piece(all, i / PIECE_BYTES) + i % PIECE_BYTES;
}

static bool sample_holds(const ct_sample *sample, size_t i)
{
    size_t size = ct_type_bits(sample->array.type) / 8;
    return !ct_padding_has(&sample->array,
                           (int64_t)(sample_place(sample, i * sizeof(float)) / size));
}

/* What lies in gaps between rows is nobody's. */
static bool sample_same_floats(const ct_sample *sample, const float *a, const float *b,
                               size_t count)
{
    double power = 0.0, worst = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!sample_holds(sample, i)) continue;
        if (!isfinite(a[i]) || !isfinite(b[i])) return false;
        power += (double)a[i] * a[i];
        worst = fmax(worst, fabs((double)a[i] - b[i]));
    }
    return worst <= DIFFERENCE * sqrt(power / (double)count);
}

bool ct_sample_same(const ct_sample *a, const ct_sample *b)
{
    if (a->array.type != b->array.type || a->bytes != b->bytes) return false;
    if (a->array.type == CT_F32 || a->array.type == CT_CF32)
        return sample_same_floats(a, (const float *)(const void *)a->data,
                                  (const float *)(const void *)b->data, a->bytes / sizeof(float));
    return memcmp(a->data, b->data, a->bytes) == 0;
}

void ct_sample_free(ct_sample *sample)
{
    ct_memory_free(sample->data);
    *sample = (ct_sample){0};
}
