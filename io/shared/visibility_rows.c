/* visibility_rows.c: see visibility.h: a stream's baselines, integration by integration.
 * Room: io/shared. Knows ports, samples and the observation. Does not know formats. */
#include "visibility.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { X = CT_VISIBILITY_X, COUNTS = CT_VISIBILITY_COUNTS };

#define DAY_S 86400.0

/* ---- at the beginning */

static ct_status rows_describe(ct_visibility *of, ct_error *err)
{
    const ct_array *in = &of->step->port[X];
    const ct_meta *meta = &in->meta;
    of->samples = (double)ct_visibility_samples(of->step);
    of->header = (ct_visibility_header){
        .stations = ct_visibility_stations(in),
        .baselines = ct_array_extent(in, 'L'),
        .channels = ct_array_extent(in, 'C'),
        .products = ct_array_extent(in, 'Q'),
        .telescope = meta->telescope && meta->telescope[0] ? meta->telescope : "unknown",
        .source = meta->source_name && meta->source_name[0] ? meta->source_name : "unknown",
        .names = ct_step_observation(of->step)->names,
        .frequency_hz = meta->frequency_hz,
        .channel_width_hz = ct_visibility_width(meta),
    };
    for (int64_t q = 0; q < of->header.products; q++)
        of->header.product[q] = ct_array_product(in, q);
    ct_visibility_phase(meta, &of->header);
    return ct_visibility_site_of(of->step, &of->header.site, err);
}

/* Baselines in the correlator's order: 0-0, 0-1, 1-1, 0-2 .. */
static ct_status rows_place(ct_visibility *of, ct_error *err)
{
    const ct_observation *said = ct_step_observation(of->step);
    ct_status status = CT_OK;
    double(*apart)[3] = ct_step_alloc(of->step, (size_t)said->stations * sizeof *apart);
    if (!apart) return CT_FAILED;
    for (int64_t j = 0, l = 0; j < said->stations; j++)
        for (int64_t i = 0; i <= j; i++, l++)
            of->first[l] = i, of->second[l] = j;
    for (int64_t s = 0; status == CT_OK && s < said->stations; s++) {
        for (int k = 0; k < 3; k++)
            apart[s][k] = said->station[s][k] - said->site[k];
        status = ct_step_local(of->step, said->station[s], of->local[s], err);
    }
    of->header.position = (const double(*)[3])apart;
    return status;
}

ct_status ct_visibility_open(ct_visibility *out, ct_step *step, ct_error *err)
{
    *out = (ct_visibility){.step = step};
    const ct_status status = rows_describe(out, err);
    if (status != CT_OK) return status;
    const size_t baselines = (size_t)out->header.baselines;
    out->first = ct_step_alloc(step, baselines * sizeof *out->first);
    out->second = ct_step_alloc(step, baselines * sizeof *out->second);
    out->uvw = ct_step_alloc(step, baselines * sizeof *out->uvw);
    out->local = ct_step_alloc(step, (size_t)out->header.stations * sizeof *out->local);
    if (!out->first || !out->second || !out->uvw || !out->local) return CT_FAILED;
    return rows_place(out, err);
}

/* ---- an integration */

static double rows_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ct_status ct_visibility_at(ct_visibility *of, int64_t n, ct_visibility_instant *out, ct_error *err)
{
    const ct_meta *meta = &of->step->port[X].meta;
    const double after = meta->start_s + (double)n * meta->sample_time_s;
    out->day = floor(meta->start_mjd);
    out->part = meta->start_mjd - out->day + after / DAY_S;
    const ct_status status =
        ct_visibility_axes_at(of->step, &of->header, meta->start_mjd, after, &out->axes, err);
    if (status != CT_OK) return status;
    for (int64_t l = 0; l < of->header.baselines; l++) {
        double apart[3];
        for (int k = 0; k < 3; k++)
            apart[k] = of->local[of->second[l]][k] - of->local[of->first[l]][k];
        of->uvw[l][0] = rows_dot(apart, out->axes.u);
        of->uvw[l][1] = rows_dot(apart, out->axes.v);
        of->uvw[l][2] = rows_dot(apart, out->axes.w);
    }
    return CT_OK;
}

static void load_cf32(const void *data, int64_t at, double out[2])
{
    const float *from = (const float *)data + 2 * at;
    out[0] = from[0], out[1] = from[1];
}

static void load_ci32(const void *data, int64_t at, double out[2])
{
    const int32_t *from = (const int32_t *)data + 2 * at;
    out[0] = from[0], out[1] = from[1];
}

static void load_ci64(const void *data, int64_t at, double out[2])
{
    const int64_t *from = (const int64_t *)data + 2 * at;
    out[0] = (double)from[0], out[1] = (double)from[1];
}

static double rows_count(const ct_visibility *of, int64_t t, int64_t l, int64_t c)
{
    const ct_array *counts = &of->step->port[COUNTS];
    if (counts->type == CT_NONE) return of->samples;
    return ((const uint32_t *)
                counts->data)[counts->offset + t * ct_array_stride(counts, 'T') +
                              l * ct_array_stride(counts, 'L') + c * ct_array_stride(counts, 'C')];
}

/* The file's product q in the array. */
static int64_t rows_product(const ct_visibility_header *header, const ct_visibility_order *order,
                            int64_t q)
{
    return header->products == CT_VISIBILITY_PRODUCTS ? order->place[q] : q;
}

/* One baseline's sums over one channel, which begin at `from`. */
typedef struct rows_cell {
    int64_t from;
    double count;
    bool self; /* of a station with itself: XX and YY are real */
} rows_cell;

static void rows_take(const ct_visibility *of, const ct_array *in, const rows_cell *cell,
                      const ct_visibility_order *order, const ct_visibility_box *box, int64_t to)
{
    static void (*const load[CT_TYPES])(const void *, int64_t, double[2]) = {
        [CT_CF32] = load_cf32, [CT_CI32] = load_ci32, [CT_CI64] = load_ci64};
    const int64_t stride = ct_array_stride(in, 'Q');
    const bool some = cell->count > 0;
    for (int64_t q = 0; q < of->header.products; q++) {
        const int64_t place = rows_product(&of->header, order, q);
        const char *name = of->header.product[place]->name;
        double sum[2] = {0};
        if (some) load[in->type](in->data, cell->from + place * stride, sum);
        if (cell->self && name[0] == name[1]) sum[1] = 0;
        box->visibility[to + q][0] = some ? (float)(sum[0] / cell->count) : 0;
        box->visibility[to + q][1] = some ? (float)(sum[1] / cell->count) : 0;
        box->flag[to + q] = !some;
        box->weight[to + q] = (float)(cell->count / of->samples);
    }
}

void ct_visibility_take(const ct_visibility *of, const ct_array *block, int64_t t,
                        const ct_visibility_order *order, const ct_visibility_box *box)
{
    const int64_t base = block->offset + t * ct_array_stride(block, 'T');
    int64_t to = 0;
    for (int64_t l = box->baseline; l < box->baseline + box->baselines; l++)
        for (int64_t c = box->channel; c < box->channel + box->channels; c++) {
            const rows_cell cell = {base + l * ct_array_stride(block, 'L') +
                                        c * ct_array_stride(block, 'C'),
                                    rows_count(of, t, l, c), of->first[l] == of->second[l]};
            rows_take(of, block, &cell, order, box, to);
            to += of->header.products;
        }
}

/* ---- what a file calls things */

const ct_product *ct_visibility_product(const ct_visibility_header *header,
                                        const ct_visibility_order *order, int64_t q)
{
    return header->product[rows_product(header, order, q)];
}

void ct_visibility_letters(char *out, size_t bytes, const char *text)
{
    size_t length = 0;
    while (text && *text) {
        const int letter = ct_text_letter(text);
        const size_t step = letter > 0 ? (size_t)letter : 1;
        if (length + step >= bytes) break;
        if (letter > 0)
            memcpy(out + length, text, step);
        else
            out[length] = '?';
        length += step;
        text += step;
    }
    out[length] = 0;
}

void ct_visibility_station(const ct_visibility_header *header, int64_t s, char *out, size_t bytes)
{
    snprintf(out, bytes, "%lld", (long long)s);
    if (header->names) ct_visibility_letters(out, bytes, header->names[s]);
}
