/* fft_ref.c: the discrete Fourier transform in double precision, as the formula is written.
 * Room: stages/fft. Knows the formula. Does not know libraries or layouts.
 *
 *     Y[k] = sum_c X[c] exp(-2 pi i c k / N)      subband f: channels f N + k */
#include "fft.h"
#include <math.h>

#define PI 3.14159265358979323846

enum { X = CT_FFT_X, Y = CT_FFT_Y };

/* The place in an array of spectrum `index`, counted along all of the input's dimensions but C;
 * `subband`: from one of F to the next. */
static int64_t ref_place(const ct_array *array, const ct_array *x, int64_t index, int64_t subband)
{
    int64_t place = array->offset;
    for (int i = x->rank - 1; i >= 0; i--) {
        if (x->dim[i] == 'C') continue;
        place +=
            index % x->extent[i] * (x->dim[i] == 'F' ? subband : ct_array_stride(array, x->dim[i]));
        index /= x->extent[i];
    }
    return place;
}

static ct_complex ref_line(const ct_array *x, int64_t place, int64_t k, int64_t n)
{
    ct_complex sum = {0, 0};
    for (int64_t c = 0; c < n; c++) {
        double angle = -2 * PI * (double)(c * k % n) / (double)n;
        ct_complex value = ct_array_load(x, place + c * ct_array_stride(x, 'C'));
        sum.re += value.re * cos(angle) - value.im * sin(angle);
        sum.im += value.re * sin(angle) + value.im * cos(angle);
    }
    return sum;
}

ct_status ct_fft_reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[X];
    ct_array *y = &ports[Y];
    const int64_t n = ct_array_extent(x, 'C'), spectra = ct_array_count(y) / n;
    const int64_t channel = ct_array_stride(y, 'C'), subband = ct_array_stride(x, 'F');
    (void)step;
    (void)err;
    for (int64_t i = 0; i < spectra; i++)
        for (int64_t k = 0; k < n; k++) {
            ct_complex sum = ref_line(x, ref_place(x, x, i, subband), k, n);
            ct_array_save(y, ref_place(y, x, i, n * channel) + k * channel, sum.re, sum.im);
        }
    return CT_OK;
}
