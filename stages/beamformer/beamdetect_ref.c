/* beamdetect_ref.c: the definition in double precision: beam by beam, sample by sample, its power.
 * Room: stages/beamformer. Knows only cornerturn_stage.h.
 */
#include "beamformer.h"
#include "stokes.h"

typedef struct sample {
    int64_t b, t, c;
} sample;

static ct_complex beam(const ct_step *step, ct_array ports[], sample at, int64_t p)
{
    const ct_array *x = &ports[CT_BEAMFORMER_X], *w = &ports[CT_BEAMFORMER_W];
    const int64_t k = ct_tracks_segment(step, ports, at.t);
    ct_complex sum = {0, 0};
    for (int64_t s = 0; s < ct_array_extent(x, 'S'); s++) {
        const ct_complex weight = ct_array_load(
            w, w->offset + k * ct_array_stride(w, 'K') + at.b * ct_array_stride(w, 'B') +
                   s * ct_array_stride(w, 'S') + at.c * ct_array_stride(w, 'C'));
        const ct_complex v =
            ct_array_load(x, x->offset + s * ct_array_stride(x, 'S') + p * ct_array_stride(x, 'P') +
                                 at.t * ct_array_stride(x, 'T') + at.c * ct_array_stride(x, 'C'));
        sum.re += weight.re * v.re - weight.im * v.im;
        sum.im += weight.re * v.im + weight.im * v.re;
    }
    return sum;
}

static void detect(const ct_step *step, ct_array ports[], sample at)
{
    const ct_array *x = &ports[CT_BEAMFORMER_X];
    ct_array *y = &ports[CT_BEAMFORMER_Y];
    double stokes[4] = {0};
    ct_complex none = {0, 0};
    for (int64_t k = 0; k < step->decimate; k++) {
        sample from = {at.b, at.t * step->decimate + k, at.c};
        ct_stokes_add(stokes, beam(step, ports, from, 0),
                      ct_array_extent(x, 'P') > 1 ? beam(step, ports, from, 1) : none);
    }
    for (int64_t q = 0; q < ct_array_extent(y, 'Q'); q++)
        ct_array_save(y,
                      y->offset + at.b * ct_array_stride(y, 'B') + q * ct_array_stride(y, 'Q') +
                          at.t * ct_array_stride(y, 'T') + at.c * ct_array_stride(y, 'C'),
                      stokes[q], 0);
}

/* Whether all stations lack a sample within the stream. */
static bool is_missing(ct_array ports[], int64_t t, int64_t c)
{
    const ct_array *m = &ports[CT_BEAMFORMER_M];
    int all = m->type == CT_NONE ? 0 : 3;
    for (int64_t s = 0; all && s < ct_array_extent(m, 'S'); s++)
        all &= (int)ct_array_load(m, m->offset + s * ct_array_stride(m, 'S') +
                                         t * ct_array_stride(m, 'T') + c * ct_array_stride(m, 'C'))
                   .re;
    return all == 1;
}

static void save_counts(const ct_step *step, ct_array ports[])
{
    ct_array *counts = &ports[CT_BEAMFORMER_COUNTS];
    if (counts->type == CT_NONE) return;
    for (int64_t b = 0; b < ct_array_extent(counts, 'B'); b++)
        for (int64_t t = 0; t < ct_array_extent(counts, 'T'); t++)
            for (int64_t c = 0; c < ct_array_extent(counts, 'C'); c++) {
                int64_t valid = 0;
                for (int64_t k = 0; k < step->decimate; k++)
                    valid += !is_missing(ports, t * step->decimate + k, c);
                ct_array_save(counts,
                              counts->offset + b * ct_array_stride(counts, 'B') +
                                  t * ct_array_stride(counts, 'T') +
                                  c * ct_array_stride(counts, 'C'),
                              (double)valid, 0);
            }
}

ct_status ct_beamdetect_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    ct_array *y = &ports[CT_BEAMFORMER_Y];
    (void)err;
    save_counts(step, ports);
    for (int64_t b = 0; b < ct_array_extent(y, 'B'); b++)
        for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++)
            for (int64_t c = 0; c < ct_array_extent(y, 'C'); c++)
                detect(step, ports, (sample){b, t, c});
    return CT_OK;
}
