/* fill.c: see fill.h. A gap in a channel has one number: the median of the samples
 * that were written before it, so that it does not depend on where blocks begin. Samples outside
 * the stream are no gaps. Room: io/shared. Knows rows of channels and flags. Does not know files.
 */
#include "fill.h"

#include <stdlib.h>
#include <string.h>

/* What was written last of one file: rows of Q,C, and which channels were in a gap then. */
typedef struct fill_file {
    int64_t rows, unused; /* what follows is aligned as this is */
} fill_file;

struct ct_fill_past {
    ct_step *step;
    bool median;
    int64_t files, channels, row; /* elements of a row: Q x C */
    size_t unit, bytes;           /* of an element; of `state` */
    uint8_t *state;               /* of each file: fill_file, in_gap[channels], the last rows */
    uint8_t *copy;                /* the last rows, and a block's behind them */
};

static size_t fill_aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static size_t fill_stride(const ct_fill_past *past)
{
    return sizeof(fill_file) + fill_aligned((size_t)past->channels) +
           fill_aligned(CT_FILL_WINDOW * (size_t)past->row * past->unit);
}

static fill_file *fill_of(const ct_fill_past *past, int64_t file)
{
    return (fill_file *)(past->state + (size_t)file * fill_stride(past));
}

static uint8_t *fill_gaps(const ct_fill_past *past, int64_t file)
{
    return (uint8_t *)(fill_of(past, file) + 1);
}

static uint8_t *fill_rows(const ct_fill_past *past, int64_t file)
{
    return fill_gaps(past, file) + fill_aligned((size_t)past->channels);
}

ct_status ct_fill_new(ct_fill_past **out, ct_step *step, int64_t files)
{
    static const struct {
        const char *name;
        bool median;
    } fills[] = {CT_FILLS(CT_ROW)};
    const ct_array *in = &step->port[0];
    ct_fill_past *past = *out = ct_step_alloc(step, sizeof *past);
    if (!past) return CT_FAILED;
    *past = (ct_fill_past){.step = step,
                           .median = fills[ct_step_choice(step, "fill")].median,
                           .files = files,
                           .channels = ct_array_extent(in, 'C'),
                           .row = ct_array_extent(in, 'C') * ct_array_extent(in, 'Q'),
                           .unit = ct_type_bits(in->type) / 8};
    past->bytes = fill_stride(past) * (size_t)files;
    past->state = ct_step_alloc(step, past->bytes);
    return past->state ? CT_OK : CT_FAILED;
}

void *ct_fill_state(ct_fill_past *past, size_t *bytes)
{
    *bytes = past->bytes;
    return past->state;
}

/* ---- rows */

/* One file's samples, dense, in the order of its rows; `data` begins with the first of them. */
static ct_array fill_dense(const ct_array *part, int64_t count, uint8_t *data)
{
    ct_array to = ct_array_part(part, 'T', 0, count);
    int64_t stride = 1;
    for (int d = 0; d < to.rank; d++) {
        to.stride[d] = 0;
        if (strchr("BSD", to.dim[d])) to.extent[d] = 1;
    }
    for (const char *dim = "CQT"; *dim; dim++) {
        const int place = ct_array_find(&to, *dim);
        if (place < 0) continue;
        to.stride[place] = stride;
        stride *= to.extent[place];
    }
    to.offset = 0;
    to.data = data;
    return to;
}

static void fill_copy(ct_array *to, const ct_array *part, int64_t first, int64_t count)
{
    ct_array from = ct_array_part(part, 'T', first, count);
    for (int d = 0; d < from.rank; d++)
        if (strchr("BSD", from.dim[d])) from.extent[d] = 1;
    ct_copy_array(to, &from);
}

static bool fill_is_missing(const ct_array *flags, int64_t s, int64_t t, int64_t c)
{
    const uint8_t flag =
        ((const uint8_t *)
             flags->data)[flags->offset + s * ct_array_stride(flags, 'S') +
                          t * ct_array_stride(flags, 'T') + c * ct_array_stride(flags, 'C')];
    return (flag & 3) == 1;
}

static int fill_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the rows before this one; 0 where there are none. */
static double fill_median(const ct_array *rows, int64_t row, int64_t element, int64_t width)
{
    double value[CT_FILL_WINDOW];
    const int64_t count = row < CT_FILL_WINDOW ? row : CT_FILL_WINDOW;
    for (int64_t k = 0; k < count; k++)
        value[k] = ct_array_load(rows, (row - count + k) * width + element).re;
    qsort(value, (size_t)count, sizeof *value, fill_compare);
    return count == 0 ? 0 : 0.5 * (value[(count - 1) / 2] + value[count / 2]);
}

/* rows: `before` earlier ones, then this block's. */
static void fill_channel(const ct_fill_past *past, ct_array *rows, int64_t row, int64_t c,
                         bool in_gap)
{
    for (int64_t e = c; e < past->row; e += past->channels) {
        double value = 0;
        if (past->median && in_gap && row > 0)
            value = ct_array_load(rows, (row - 1) * past->row + e).re;
        else if (past->median)
            value = fill_median(rows, row, e, past->row);
        ct_array_save(rows, row * past->row + e, value, 0);
    }
}

static void fill_block(ct_fill_past *past, int64_t file, int64_t first, int64_t count,
                       ct_array *rows, int64_t before)
{
    const ct_array *flags = &past->step->port[1];
    const ct_place at = ct_places_of(&past->step->port[0], file);
    const int64_t s = ct_array_extent(flags, 'S') > 1 ? at.s : 0;
    uint8_t *gap = fill_gaps(past, file);
    for (int64_t t = 0; t < count; t++)
        for (int64_t c = 0; c < past->channels; c++) {
            const bool missing = flags->data && fill_is_missing(flags, s, first + t, c);
            if (missing) fill_channel(past, rows, before + t, c, gap[c]);
            gap[c] = missing;
        }
}

/* ---- blocks */

/* For the largest block, once one has a gap. */
static bool fill_room(ct_fill_past *past)
{
    const int64_t rows = CT_FILL_WINDOW + ct_array_extent(&past->step->port[0], 'T');
    if (!past->copy)
        past->copy = ct_step_alloc(past->step, (size_t)(rows * past->row) * past->unit);
    return past->copy != NULL;
}

/* The last rows of what was written, for the next block. */
static void fill_keep(ct_fill_past *past, int64_t file, const ct_array *part, int64_t first,
                      int64_t count)
{
    fill_file *of = fill_of(past, file);
    uint8_t *kept = fill_rows(past, file);
    const size_t row = (size_t)past->row * past->unit;
    const int64_t fresh = count < CT_FILL_WINDOW ? count : CT_FILL_WINDOW;
    int64_t stay = CT_FILL_WINDOW - fresh;
    if (stay > of->rows) stay = of->rows;
    memmove(kept, kept + (size_t)(of->rows - stay) * row, (size_t)stay * row);
    ct_array to = fill_dense(part, fresh, kept + (size_t)stay * row);
    fill_copy(&to, part, first + count - fresh, fresh);
    of->rows = stay + fresh;
}

ct_status ct_fill_part(ct_fill_past *past, int64_t file, const ct_array *part, int64_t first,
                       int64_t count, ct_array *out, int64_t *from)
{
    const ct_array *flags = &past->step->port[1];
    const int64_t before = fill_of(past, file)->rows;
    const size_t row = (size_t)past->row * past->unit;
    *out = *part;
    *from = first;
    if (flags->type == CT_NONE) return CT_OK;
    if (flags->data) {
        if (!fill_room(past)) return CT_FAILED;
        memcpy(past->copy, fill_rows(past, file), (size_t)before * row);
        *out = fill_dense(part, count, past->copy + (size_t)before * row);
        fill_copy(out, part, first, count);
        ct_array rows = {.type = part->type, .data = past->copy};
        fill_block(past, file, first, count, &rows, before);
        *from = 0;
    } else {
        memset(fill_gaps(past, file), 0, (size_t)past->channels);
    }
    fill_keep(past, file, out, *from, count);
    return CT_OK;
}
