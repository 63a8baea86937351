/* fir_ref.c: the poly-phase FIR in double precision, as the formula is written.
 * Room: stages/fir. Knows the formula. Does not know kernels or layouts.
 *
 *     y[s][p][t][f][c] = sum_k h[kN + c] x[s][p][(t + k) N + c][f]     x begins with its overlap */
#include "fir.h"

enum { X = CT_FIR_X, Y = CT_FIR_Y };

static int64_t ref_at(const ct_array *array, char dim, int64_t index)
{
    return index * ct_array_stride(array, dim);
}

static ct_complex ref_sum(const fir_state *fir, const ct_array *x, int64_t series, int64_t t,
                          int64_t c)
{
    ct_complex sum = {0, 0};
    for (int64_t k = 0; k < fir->taps; k++) {
        int64_t sample = (t + k) * fir->channels + c;
        ct_complex value = ct_array_load(x, series + ref_at(x, 'T', sample));
        sum.re += fir->h[k * fir->channels + c] * value.re;
        sum.im += fir->h[k * fir->channels + c] * value.im;
    }
    return sum;
}

static void ref_spectrum(const fir_state *fir, const ct_array *x, int64_t series, int64_t t,
                         ct_array *y, int64_t element)
{
    for (int64_t c = 0; c < fir->channels; c++) {
        ct_complex sum = ref_sum(fir, x, series, t, c);
        ct_array_save(y, element + ref_at(y, 'C', c), sum.re, sum.im);
    }
}

/* All spectra of a station and a polarization. */
static void ref_subbands(const fir_state *fir, const ct_array *x, int64_t series, ct_array *y,
                         int64_t element)
{
    const char dim = ct_fir_dim(x);
    const int64_t subband =
        ct_array_find(y, 'F') < 0 ? ref_at(y, 'C', fir->channels) : ct_array_stride(y, 'F');
    for (int64_t t = 0; t < ct_array_extent(y, 'T'); t++)
        for (int64_t f = 0; f < ct_fir_subbands(x); f++)
            ref_spectrum(fir, x, series + ref_at(x, dim, f), t, y,
                         element + ref_at(y, 'T', t) + f * subband);
}

ct_status ct_fir_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const fir_state *fir = step->state;
    const ct_array *x = &ports[X];
    ct_array *y = &ports[Y];
    (void)err;
    for (int64_t s = 0; s < ct_array_extent(y, 'S'); s++)
        for (int64_t p = 0; p < ct_array_extent(y, 'P'); p++)
            ref_subbands(fir, x, x->offset + ref_at(x, 'S', s) + ref_at(x, 'P', p), y,
                         y->offset + ref_at(y, 'S', s) + ref_at(y, 'P', p));
    return CT_OK;
}
