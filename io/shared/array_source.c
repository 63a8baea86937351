/* array_source.c: see array_source.h.
 * Room: io/shared. Knows strides and packing of samples. Does not know formats. */
#include "array_source.h"
#include "array_stream.h"
#include "numbers.h"

typedef struct array_source {
    ct_input input;
    ct_stored stored;
    size_t unit;
    int64_t next;            /* sample along T */
    int64_t begin;           /* element of a sample from which on it is read */
    ct_array_stream *stream; /* in place of `input`; NULL: that */
    double bytes;            /* read, of the file */
    ct_counter counter[2];
} array_source;

void ct_array_source_unpack(uint8_t *to, const uint8_t *packed, unsigned bits, unsigned first,
                            size_t count)
{
    const unsigned per_byte = 8 / bits, mask = (1u << bits) - 1;
    for (size_t i = 0; i < count; i++) {
        size_t at = first + i;
        to[i] = (uint8_t)(packed[at / per_byte] >> (at % per_byte * bits) & mask);
    }
}

void ct_array_source_describe(ct_step *step, const ct_array *natural, const ct_stored *stored)
{
    ct_array *out = &step->port[0];
    int64_t t = ct_array_find(out, 'T') >= 0 ? ct_array_extent(out, 'T') : 0;
    *out = *natural;
    out->layout = stored->order.layout;
    out->extent[ct_array_find(out, 'T')] = t > 0 ? t : stored->total < 0 ? 1 : stored->total;
    out->meta.total = stored->total;
}

int64_t ct_array_source_begin(const ct_step *step, const ct_order *order)
{
    int64_t begin = 0;
    for (int i = 0; i < order->layout.rank; i++)
        begin += ct_step_range_first(step, order->layout.dim[i]) * order->stride[i];
    return begin;
}

ct_status ct_array_source_open(ct_step *step, void **state, ct_error *err)
{
    const char *file = ct_step_path(step, "file");
    const ct_stored *stored = step->state;
    array_source *source = ct_step_alloc(step, sizeof *source);
    if (!source) return CT_FAILED;
    source->stored = *stored;
    source->begin = ct_array_source_begin(step, &stored->order);
    source->unit = ct_type_bits(step->port[0].type) / 8;
    *state = source;
    source->input.fd = -1;
    if (stored->total < 0) return ct_array_stream_open(&source->stream, step, file, stored, err);
    return ct_input_open(&source->input, file, err);
}

static ct_status source_read_packed(array_source *source, int64_t first, uint8_t *to, size_t count,
                                    ct_error *err)
{
    uint8_t packed[4096];
    const unsigned bits = source->stored.bits, per_byte = 8 / bits;
    while (count > 0) {
        unsigned skip = (unsigned)(first % per_byte);
        size_t most = sizeof packed * per_byte - skip, now = count < most ? count : most;
        size_t bytes = (skip + now + per_byte - 1) / per_byte;
        int64_t at = source->stored.data_at + first / per_byte;
        ct_status status = ct_input_read(&source->input, at, packed, bytes, err);
        if (status != CT_OK) return status;
        ct_array_source_unpack(to, packed, bits, skip, now);
        to += now, count -= now, first += (int64_t)now;
    }
    return CT_OK;
}

/* Real parts first, then imaginary ones. */
static ct_status source_read_apart(array_source *source, int64_t first, uint8_t *to, size_t count,
                                   ct_error *err)
{
    uint8_t part[4096];
    ct_status status = CT_OK;
    const size_t half = source->unit / 2, most = sizeof part / half;
    for (size_t now; count > 0 && status == CT_OK; count -= now, first += (int64_t)now) {
        now = count < most ? count : most;
        for (size_t k = 0; k < 2 && status == CT_OK; k++) {
            const int64_t at =
                source->stored.data_at + first * (int64_t)half + (int64_t)k * source->stored.apart;
            status = ct_input_read(&source->input, at, part, now * half, err);
            ct_numbers_swap(part, now * half, source->stored.swap);
            for (size_t i = 0; i < now; i++)
                memcpy(to + i * source->unit + k * half, part + i * half, half);
        }
        to += now * source->unit;
    }
    return status;
}

static ct_status source_read_elements(void *of, int64_t first, void *to, size_t count,
                                      ct_error *err)
{
    array_source *source = of;
    if (source->stored.bits < 8) return source_read_packed(source, first, to, count, err);
    if (source->stored.apart > 0) return source_read_apart(source, first, to, count, err);
    int64_t at = source->stored.data_at + first * (int64_t)source->unit;
    ct_status status = ct_input_read(&source->input, at, to, count * source->unit, err);
    ct_numbers_swap(to, count * source->unit, source->stored.swap);
    return status;
}

/* Rows that follow each other in the file, and have gaps between them in memory, come to their
 * places at once. */
static bool source_has_rows(const array_source *source, const ct_copy *region)
{
    enum { LEAST = 256 }; /* bytes of a row: less cost more by themselves than by a window */
    const ct_copy_dim *row = &region->dim[1], *rows = &region->dim[0];
    return source->stored.bits >= 8 && source->stored.apart == 0 && source->stored.swap < 2 &&
           region->rank == 2 && row->from == 1 && row->to == 1 && rows->to == row->extent &&
           rows->from > 0 && row->extent * region->word >= LEAST;
}

static ct_status source_load(array_source *source, const ct_copy *region, void *data, ct_error *err)
{
    if (!source_has_rows(source, region)) {
        const ct_reader reader = {source_read_elements, source};
        return ct_region_load(region, data, reader, err);
    }
    const int64_t unit = region->word;
    return ct_input_read_rows(&source->input, source->stored.data_at + region->to * unit,
                              (uint8_t *)data + region->from * unit, region->dim[0].from * unit,
                              (size_t)(region->dim[1].extent * unit), region->dim[0].extent, err);
}

/* Dimensions by falling stride, so that zeroing walks through memory once. */
static ct_layout source_memory_order(const ct_array *block)
{
    ct_layout layout = {.rank = block->rank};
    for (int i = 0; i < block->rank; i++) {
        int place = i;
        while (place > 0 && ct_array_stride(block, layout.dim[place - 1]) <
                                ct_array_stride(block, block->dim[i])) {
            layout.dim[place] = layout.dim[place - 1];
            place--;
        }
        layout.dim[place] = block->dim[i];
    }
    return layout;
}

void ct_array_source_end(ct_array *block, uint8_t *flags, int64_t got)
{
    int64_t samples = ct_array_extent(block, 'T');
    int64_t rows = ct_array_extent(block, 'S') * ct_array_groups(block);
    ct_layout layout = source_memory_order(block);
    ct_order order = ct_region_order_dense(&layout, block, samples);
    ct_copy rest = ct_region_make(block, &order, got, 0, samples - got);
    ct_region_zero(&rest, block->data);
    for (int64_t r = 0; flags && r < rows; r++) {
        memset(flags + r * samples, 0, (size_t)got);
        memset(flags + r * samples + got, 1, (size_t)(samples - got));
    }
}

static void source_count(array_source *source, const ct_array *block, int64_t got)
{
    const int64_t elements = ct_array_count(block) / ct_array_extent(block, 'T') * got;
    source->bytes += (double)(elements * source->stored.bits) / 8;
}

ct_status ct_array_source_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                               ct_error *err)
{
    array_source *source = state;
    int64_t samples = ct_array_extent(block, 'T'), left = source->stored.total - source->next;
    if (source->stream) {
        const ct_status status = ct_array_stream_read(source->stream, block, flags, got, err);
        source_count(source, block, *got);
        return status;
    }
    *got = left < samples ? left : samples;
    ct_copy region = ct_region_make(block, &source->stored.order, 0, source->next, *got);
    region.to += source->begin;
    const ct_status status = source_load(source, &region, block->data, err);
    source->next += *got;
    source_count(source, block, *got);
    ct_array_source_end(block, flags, *got);
    return status;
}

const ct_counter *ct_array_source_count(void *state)
{
    array_source *source = state;
    source->counter[0] = (ct_counter){.name = "read",
                                      .unit = "bytes",
                                      .help = "Bytes of packets or files that were looked at.",
                                      .value = source->bytes};
    return source->counter;
}

ct_status ct_array_source_seek(void *state, int64_t position, ct_error *err)
{
    (void)err;
    ((array_source *)state)->next = position;
    return CT_OK;
}

ct_status ct_array_source_close(void *state, bool complete, ct_error *err)
{
    array_source *source = state;
    (void)err;
    if (source->stream) ct_array_stream_close(source->stream, complete);
    ct_input_close(&source->input);
    return CT_OK;
}
