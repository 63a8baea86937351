/* psrfits_row.c: samples as a row of the table SUBINT: big-endian numbers, a scale and an offset
 * for each channel and polarization, a weight for each channel. Room: io/psrfits. Knows columns.
 * Does not know keywords. */
#include "numbers.h"
#include "psrfits_print.h"
#include <math.h>
#include <string.h>

/* What one channel of one polarization has in a row. */
typedef struct row_line {
    float scale, offset;
    double mean; /* of what is there; what is missing gets it */
} row_line;

/* Steps of uniform quantisers with the least error for Gaussian noise, in standard deviations.
 * [Max 1960, IRE Trans. Inf. Theory 6, table II] */
static const struct {
    int64_t bits;
    double step;
} row_steps[] = {{2, 0.9957}, {4, 0.3352}};

size_t ct_psrfits_print_bytes(const ct_psrfits_look *look)
{
    const int64_t lines = look->pols * look->channels;
    return (size_t)(4 * 8 + 12 * look->channels + 8 * lines +
                    lines * look->row_samples * look->bits / 8);
}

static uint8_t *put_number(uint8_t *to, const void *number, unsigned width)
{
    memcpy(to, number, width);
    if (!ct_numbers_host_is_big()) ct_numbers_swap(to, width, width);
    return to + width;
}

static uint8_t *put_double(uint8_t *to, double value)
{
    return put_number(to, &value, sizeof value);
}

static uint8_t *put_float(uint8_t *to, double value)
{
    const float narrow = (float)value;
    return put_number(to, &narrow, sizeof narrow);
}

/* ---- samples */

/* A row as it comes in. */
typedef struct row_in {
    const ct_psrfits_look *look;
    ct_type type;
    const void *values;
    const uint8_t *flags;
    int64_t count;
} row_in;

static double row_value(const row_in *in, int64_t t, int64_t line)
{
    const int64_t at = t * in->look->pols * in->look->channels + line;
    switch (in->type) {
    case CT_U8:
        return ((const uint8_t *)in->values)[at];
    case CT_I8:
        return ((const int8_t *)in->values)[at];
    case CT_U16:
        return ((const uint16_t *)in->values)[at];
    case CT_I16:
        return ((const int16_t *)in->values)[at];
    default:
        return (double)((const float *)in->values)[at];
    }
}

static uint8_t row_flag(const row_in *in, int64_t t, int64_t line)
{
    return in->flags ? in->flags[t * in->look->channels + line % in->look->channels] : 0;
}

static bool row_is_there(const row_in *in, int64_t t, int64_t line, double value)
{
    return t < in->count && !(row_flag(in, t, line) & 3) && isfinite(value);
}

/* Sums that a part is missing of count half. */
static double row_weight(const row_in *in, int64_t channel)
{
    double sum = 0;
    for (int64_t t = 0; t < in->count; t++)
        if (row_is_there(in, t, channel, row_value(in, t, channel)))
            sum += row_flag(in, t, channel) & 4 ? 0.5 : 1;
    return in->count > 0 ? sum / (double)in->count : 0;
}

/* ---- how numbers become codes */

typedef struct row_range {
    double least, most, mean, deviation;
} row_range;

static row_range row_measure(const row_in *in, int64_t line)
{
    row_range range = {.least = INFINITY, .most = -INFINITY};
    double sum = 0, squares = 0;
    int64_t there = 0;
    for (int64_t t = 0; t < in->count; t++) {
        const double value = row_value(in, t, line);
        if (!row_is_there(in, t, line, value)) continue;
        range.least = fmin(range.least, value);
        range.most = fmax(range.most, value);
        sum += value;
        there++;
    }
    if (there == 0) return (row_range){0};
    range.mean = sum / (double)there;
    for (int64_t t = 0; t < in->count; t++) {
        const double value = row_value(in, t, line);
        if (row_is_there(in, t, line, value))
            squares += (value - range.mean) * (value - range.mean);
    }
    range.deviation = sqrt(squares / (double)there);
    return range;
}

/* The number that the lowest code stands for. */
static double row_lowest(const ct_psrfits_look *look)
{
    return look->with_sign ? -(double)(1LL << (look->bits - 1)) : 0;
}

static row_line row_scale(const row_in *in, int64_t line)
{
    const ct_psrfits_look *look = in->look;
    const row_range range = row_measure(in, line);
    row_line out = {.scale = 1, .mean = range.mean};
    if (look->as_stored && in->type == CT_U16) out.offset = 32768; /* FITS has signed ones */
    if (look->bits == 32 || look->as_stored) return out;
    const double steps = (double)((1LL << look->bits) - 1);
    double step = (range.most - range.least) / steps, low = range.least;
    for (size_t i = 0; i < sizeof row_steps / sizeof row_steps[0]; i++)
        if (look->bits == row_steps[i].bits) {
            step = row_steps[i].step * range.deviation;
            low = range.mean - 0.5 * steps * step;
        }
    if ((float)step > 0) out.scale = (float)step;
    out.offset = (float)(low - row_lowest(look) * (double)out.scale);
    return out;
}

static int64_t row_code(const ct_psrfits_look *look, const row_line *line, double value)
{
    const double low = row_lowest(look), high = low + (double)((1LL << look->bits) - 1);
    const double code = nearbyint((value - (double)line->offset) / (double)line->scale);
    return (int64_t)fmin(fmax(code, low), high);
}

/* ---- DATA */

static void put_sample(uint8_t *data, const ct_psrfits_look *look, int64_t at, const row_line *line,
                       double value)
{
    if (look->bits == 32) {
        put_float(data + 4 * at, value);
        return;
    }
    const int64_t code = row_code(look, line, value);
    if (look->bits == 16) {
        const int16_t wide = (int16_t)code;
        put_number(data + 2 * at, &wide, sizeof wide);
    } else if (look->bits == 8) {
        data[at] = (uint8_t)code;
    } else { /* the first one in the most significant bits */
        const int64_t bit = at * look->bits;
        data[bit / 8] |= (uint8_t)(code << (8 - look->bits - bit % 8));
    }
}

static void put_line(uint8_t *data, const row_in *in, int64_t number, const row_line *line)
{
    const ct_psrfits_look *look = in->look;
    const int64_t lines = look->pols * look->channels;
    for (int64_t t = 0; t < look->row_samples; t++) {
        const double value = t < in->count ? row_value(in, t, number) : NAN;
        const bool there = row_is_there(in, t, number, value);
        put_sample(data, look, t * lines + number, line, there ? value : line->mean);
    }
}

void ct_psrfits_print_row(uint8_t *out, const ct_psrfits_look *look, int64_t row, ct_type type,
                          const void *values, const uint8_t *flags, int64_t count)
{
    const int64_t lines = look->pols * look->channels;
    const double length_s = (double)look->row_samples * look->spacing_s;
    const row_in in = {look, type, values, flags, count};
    memset(out, 0, ct_psrfits_print_bytes(look));
    out = put_double(out, length_s);
    out = put_double(out, ((double)row + 0.5) * length_s);
    out = put_double(out, look->pointed ? look->ra : NAN);
    out = put_double(out, look->pointed ? look->dec : NAN);
    for (int64_t c = 0; c < look->channels; c++)
        out = put_double(out, look->hz[c] / 1e6);
    for (int64_t c = 0; c < look->channels; c++)
        out = put_float(out, row_weight(&in, c));
    for (int64_t k = 0; k < lines; k++) {
        const row_line line = row_scale(&in, k);
        put_float(out + 4 * k, (double)line.offset);
        put_float(out + 4 * (lines + k), (double)line.scale);
        put_line(out + 8 * lines, &in, k, &line);
    }
}
