/* beamdetect_ref.c: the definition in double precision: beam by beam, sample by sample, its power.
 * Room: stages/beamformer. Knows only cornerturn_stage.h.
 */
#include "beamformer.h"
#include "stokes.h"

typedef struct sample {
    int64_t b, t, c;
} sample;

static ct_complex beam(const ct_step *step, const ct_array *x, sample at, int64_t p)
{
    ct_complex sum = {0, 0};
    int64_t stations = ct_array_extent(x, 'S');
    for (int64_t s = 0; s < stations; s++) {
        ct_complex w = ct_beams_weight(step, at.b, s, at.c);
        ct_complex v =
            ct_array_load(x, x->offset + s * ct_array_stride(x, 'S') + p * ct_array_stride(x, 'P') +
                                 at.t * ct_array_stride(x, 'T') + at.c * ct_array_stride(x, 'C'));
        sum.re += w.re * v.re - w.im * v.im;
        sum.im += w.re * v.im + w.im * v.re;
    }
    double scale = ct_beamformer_scale(step, stations);
    return (ct_complex){sum.re * scale, sum.im * scale};
}

static void detect(const ct_step *step, const ct_array *x, ct_array *y, sample at)
{
    double stokes[4] = {0};
    ct_complex none = {0, 0};
    for (int64_t k = 0; k < step->decimate; k++) {
        sample from = {at.b, at.t * step->decimate + k, at.c};
        ct_stokes_add(stokes, beam(step, x, from, 0),
                      ct_array_extent(x, 'P') > 1 ? beam(step, x, from, 1) : none);
    }
    for (int64_t q = 0; q < ct_array_extent(y, 'Q'); q++)
        ct_array_save(y,
                      y->offset + at.b * ct_array_stride(y, 'B') + q * ct_array_stride(y, 'Q') +
                          at.t * ct_array_stride(y, 'T') + at.c * ct_array_stride(y, 'C'),
                      stokes[q], 0);
}

ct_status ct_beamdetect_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    ct_array *y = &ports[CT_BEAMFORMER_Y];
    (void)err;
    for (int64_t b = 0; b < ct_array_extent(y, 'B'); b++)
        for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++)
            for (int64_t c = 0; c < ct_array_extent(y, 'C'); c++)
                detect(step, &ports[CT_BEAMFORMER_X], y, (sample){b, t, c});
    return CT_OK;
}
