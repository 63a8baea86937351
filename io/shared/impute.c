/* impute.c: see impute.h. A gap in a channel has one number: the median of the samples that were
 * written before it, so that it does not depend on where blocks begin. Samples outside the stream
 * are no gaps.
 * Room: io/shared. Knows rows of channels and flags. Does not know files. */
#include "impute.h"

#include <stdlib.h>
#include <string.h>

/* What was written last of one file: rows of Q,C, and which channels were in a gap then. */
typedef struct impute_file {
    int64_t rows, unused; /* what follows is aligned as this is */
} impute_file;

struct ct_impute_past {
    ct_step *step;
    bool median;
    int64_t files, channels, row; /* elements of a row: Q x C */
    size_t unit, bytes;           /* of an element; of `state` */
    uint8_t *state;               /* of each file: impute_file, in_gap[channels], the last rows */
    uint8_t *copy;                /* the last rows, and a block's after them */
};

static size_t impute_aligned(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static size_t impute_stride(const ct_impute_past *past)
{
    return sizeof(impute_file) + impute_aligned((size_t)past->channels) +
           impute_aligned(CT_IMPUTE_WINDOW * (size_t)past->row * past->unit);
}

static impute_file *impute_of(const ct_impute_past *past, int64_t file)
{
    return (impute_file *)(past->state + (size_t)file * impute_stride(past));
}

static uint8_t *impute_gaps(const ct_impute_past *past, int64_t file)
{
    return (uint8_t *)(impute_of(past, file) + 1);
}

static uint8_t *impute_rows(const ct_impute_past *past, int64_t file)
{
    return impute_gaps(past, file) + impute_aligned((size_t)past->channels);
}

ct_status ct_impute_new(ct_impute_past **out, ct_step *step, int64_t files)
{
    static const struct {
        const char *name;
        bool median;
    } choices[] = {CT_IMPUTATIONS(CT_ROW)};
    const ct_array *in = &step->port[0];
    ct_impute_past *past = *out = ct_step_alloc(step, sizeof *past);
    if (!past) return CT_FAILED;
    *past = (ct_impute_past){.step = step,
                             .median = choices[ct_step_choice(step, "fill")].median,
                             .files = files,
                             .channels = ct_array_extent(in, 'C'),
                             .row = ct_array_extent(in, 'C') * ct_array_extent(in, 'Q'),
                             .unit = ct_type_bits(in->type) / 8};
    past->bytes = impute_stride(past) * (size_t)files;
    past->state = ct_step_alloc(step, past->bytes);
    return past->state ? CT_OK : CT_FAILED;
}

void *ct_impute_state(ct_impute_past *past, size_t *bytes)
{
    *bytes = past->bytes;
    return past->state;
}

/* ---- rows */

static bool impute_is_missing(const ct_array *flags, int64_t s, int64_t t, int64_t c)
{
    const uint8_t flag =
        ((const uint8_t *)
             flags->data)[flags->offset + s * ct_array_stride(flags, 'S') +
                          t * ct_array_stride(flags, 'T') + c * ct_array_stride(flags, 'C')];
    return (flag & 3) == 1;
}

static int64_t impute_station(const ct_impute_past *past, int64_t file)
{
    const ct_array *flags = &past->step->port[1];
    return ct_array_extent(flags, 'S') > 1 ? ct_beam_names_index(&past->step->port[0], file).s : 0;
}

/* Most blocks have no gap, and are written as they are. */
static bool impute_misses(const ct_impute_past *past, int64_t file, int64_t first, int64_t count)
{
    const ct_array *flags = &past->step->port[1];
    const int64_t s = impute_station(past, file);
    const int64_t along = ct_array_stride(flags, 'T'), across = ct_array_stride(flags, 'C');
    bool any = false;
    if (!flags->data) return false;
    const uint8_t *at = (const uint8_t *)flags->data + flags->offset +
                        s * ct_array_stride(flags, 'S') + first * along;
    for (int64_t c = 0; c < (across == 0 ? 1 : past->channels) && !any; c++)
        for (int64_t t = 0; t < count; t++)
            any = any | ((at[t * along + c * across] & 3) == 1);
    return any;
}

static int impute_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the rows before this one; 0 if there are none. */
static double impute_median(const ct_array *rows, int64_t row, int64_t element, int64_t width)
{
    double value[CT_IMPUTE_WINDOW];
    const int64_t count = row < CT_IMPUTE_WINDOW ? row : CT_IMPUTE_WINDOW;
    for (int64_t k = 0; k < count; k++)
        value[k] = ct_array_load(rows, (row - count + k) * width + element).re;
    qsort(value, (size_t)count, sizeof *value, impute_compare);
    return count == 0 ? 0 : 0.5 * (value[(count - 1) / 2] + value[count / 2]);
}

/* rows: `before` earlier ones, then this block's. */
static void impute_channel(const ct_impute_past *past, ct_array *rows, int64_t row, int64_t c,
                           bool in_gap)
{
    for (int64_t e = c; e < past->row; e += past->channels) {
        double value = 0;
        if (past->median && in_gap && row > 0)
            value = ct_array_load(rows, (row - 1) * past->row + e).re;
        else if (past->median)
            value = impute_median(rows, row, e, past->row);
        ct_array_save(rows, row * past->row + e, value, 0);
    }
}

static void impute_block(ct_impute_past *past, int64_t file, int64_t first, int64_t count,
                         ct_array *rows, int64_t before)
{
    const ct_array *flags = &past->step->port[1];
    const int64_t s = impute_station(past, file);
    uint8_t *gap = impute_gaps(past, file);
    for (int64_t t = 0; t < count; t++)
        for (int64_t c = 0; c < past->channels; c++) {
            const bool missing = impute_is_missing(flags, s, first + t, c);
            if (missing) impute_channel(past, rows, before + t, c, gap[c]);
            gap[c] = missing;
        }
}

/* ---- blocks */

/* For the largest block, once one has a gap. */
static bool impute_room(ct_impute_past *past)
{
    const int64_t rows = CT_IMPUTE_WINDOW + ct_array_extent(&past->step->port[0], 'T');
    if (!past->copy)
        past->copy = ct_step_alloc(past->step, (size_t)(rows * past->row) * past->unit);
    return past->copy != NULL;
}

/* The last rows of what was written, for the next block. */
static void impute_keep(ct_impute_past *past, int64_t file, const ct_array *part, int64_t first,
                        int64_t count)
{
    impute_file *of = impute_of(past, file);
    uint8_t *kept = impute_rows(past, file);
    const size_t row = (size_t)past->row * past->unit;
    const int64_t fresh = count < CT_IMPUTE_WINDOW ? count : CT_IMPUTE_WINDOW;
    int64_t stay = CT_IMPUTE_WINDOW - fresh;
    if (stay > of->rows) stay = of->rows;
    memmove(kept, kept + (size_t)(of->rows - stay) * row, (size_t)stay * row);
    (void)ct_beam_names_take(part, first + count - fresh, fresh, kept + (size_t)stay * row);
    of->rows = stay + fresh;
}

ct_status ct_impute_part(ct_impute_past *past, int64_t file, const ct_array *part, int64_t first,
                         int64_t count, ct_array *out, int64_t *from)
{
    const ct_array *flags = &past->step->port[1];
    const int64_t before = impute_of(past, file)->rows;
    const size_t row = (size_t)past->row * past->unit;
    *out = *part;
    *from = first;
    if (flags->type == CT_NONE) return CT_OK;
    if (impute_misses(past, file, first, count)) {
        if (!impute_room(past)) return CT_FAILED;
        memcpy(past->copy, impute_rows(past, file), (size_t)before * row);
        *out = ct_beam_names_take(part, first, count, past->copy + (size_t)before * row);
        ct_array rows = {.type = part->type, .data = past->copy};
        impute_block(past, file, first, count, &rows, before);
        *from = 0;
    } else {
        memset(impute_gaps(past, file), 0, (size_t)past->channels);
    }
    impute_keep(past, file, out, *from, count);
    return CT_OK;
}
