/* fft_ref.c: the discrete Fourier transform in double precision, as the formula is written.
 * Room: stages/fft. Knows the formula. Does not know libraries or layouts.
 *
 *     Y[k] = sum_c X[c] exp(-2 pi i c k / N) */
#include "fft.h"
#include <math.h>

#define PI 3.14159265358979323846

enum { X = CT_FFT_X, Y = CT_FFT_Y };

/* The place of spectrum `index`, counted along all of y's dimensions but C. */
static int64_t ref_place(const ct_array *array, const ct_array *y, int64_t index)
{
    int64_t place = array->offset;
    for (int i = y->rank - 1; i >= 0; i--) {
        if (y->dim[i] == 'C') continue;
        place += index % y->extent[i] * ct_array_stride(array, y->dim[i]);
        index /= y->extent[i];
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
    int64_t n = ct_array_extent(y, 'C'), spectra = ct_array_count(y) / n;
    (void)step;
    (void)err;
    for (int64_t i = 0; i < spectra; i++)
        for (int64_t k = 0; k < n; k++) {
            ct_complex sum = ref_line(x, ref_place(x, y, i), k, n);
            ct_array_save(y, ref_place(y, y, i) + k * ct_array_stride(y, 'C'), sum.re, sum.im);
        }
    return CT_OK;
}
