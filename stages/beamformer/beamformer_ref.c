/* beamformer_ref.c: the beam former in double precision, as its definition reads.
 * Room: stages/beamformer. Knows the formula. Does not know kernels. */
#include "beamformer.h"

/* Of segment k. */
static ct_complex weight_at(const ct_array *w, int64_t k, int64_t b, int64_t s, int64_t c)
{
    return ct_array_load(w, w->offset + k * ct_array_stride(w, 'K') + b * ct_array_stride(w, 'B') +
                                s * ct_array_stride(w, 'S') + c * ct_array_stride(w, 'C'));
}

/* Where element (s or b, p, t, c) of a natural-order array lies. */
static int64_t at(const ct_array *array, int64_t first, int64_t p, int64_t t, int64_t c)
{
    return array->offset + first * array->stride[0] + p * ct_array_stride(array, 'P') +
           t * ct_array_stride(array, 'T') + c * ct_array_stride(array, 'C');
}

static ct_complex sum_coherent(const ct_step *step, const ct_array ports[], int64_t b, int64_t p,
                               int64_t t, int64_t c)
{
    const ct_array *x = &ports[CT_BEAMFORMER_X], *w = &ports[CT_BEAMFORMER_W];
    const int64_t k = ct_tracks_segment(step, ports, t);
    ct_complex sum = {0, 0};
    for (int64_t s = 0; s < ct_array_extent(x, 'S'); s++) {
        ct_complex sample = ct_array_load(x, at(x, s, p, t, c));
        ct_complex weight = weight_at(w, k, b, s, c);
        sum.re += weight.re * sample.re - weight.im * sample.im;
        sum.im += weight.re * sample.im + weight.im * sample.re;
    }
    return sum;
}

static ct_complex sum_incoherent(const ct_step *step, const ct_array *x, int64_t p, int64_t t,
                                 int64_t c)
{
    ct_complex sum = {0, 0};
    for (int64_t s = 0; s < ct_array_extent(x, 'S'); s++) {
        ct_complex sample = ct_array_load(x, at(x, s, p, t, c));
        sum.re += sample.re * sample.re + sample.im * sample.im;
    }
    sum.re *= ct_beamformer_scale(step, ct_array_extent(x, 'S'));
    return sum;
}

static int64_t count_stations(const ct_array *m, int64_t stations, int64_t t, int64_t c)
{
    int64_t count = 0;
    for (int64_t s = 0; s < stations; s++) {
        const int64_t element = m->offset + s * ct_array_stride(m, 'S') +
                                t * ct_array_stride(m, 'T') + c * ct_array_stride(m, 'C');
        count += m->type == CT_NONE || ((int)ct_array_load(m, element).re & 3) != 1;
    }
    return count;
}

static void save_counts(ct_array ports[])
{
    ct_array *counts = &ports[CT_BEAMFORMER_COUNTS];
    const int64_t stations = ct_array_extent(&ports[CT_BEAMFORMER_X], 'S');
    if (counts->type == CT_NONE) return;
    for (int64_t t = 0; t < ct_array_extent(counts, 'T'); t++)
        for (int64_t c = 0; c < ct_array_extent(counts, 'C'); c++)
            ct_array_save(counts,
                          counts->offset + t * ct_array_stride(counts, 'T') +
                              c * ct_array_stride(counts, 'C'),
                          (double)count_stations(&ports[CT_BEAMFORMER_M], stations, t, c), 0);
}

ct_status ct_beamformer_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[CT_BEAMFORMER_X], *w = &ports[CT_BEAMFORMER_W];
    ct_array *y = &ports[CT_BEAMFORMER_Y];
    (void)err;
    save_counts(ports);
    for (int64_t b = 0; b < ct_array_extent(y, 'B'); b++)
        for (int64_t p = 0; p < ct_array_extent(y, 'P'); p++)
            for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++)
                for (int64_t c = 0; c < ct_array_extent(y, 'C'); c++) {
                    ct_complex sum = w->type == CT_NONE ? sum_incoherent(step, x, p, t, c)
                                                        : sum_coherent(step, ports, b, p, t, c);
                    ct_array_save(y, at(y, b, p, t, c), sum.re, sum.im);
                }
    return CT_OK;
}
