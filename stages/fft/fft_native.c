/* fft_native.c: the engine that is a kernel: the radices of a length, and the table of the factors
 * between its passes.
 * Room: stages/fft. Knows numbers. Does not know the kernel's text or libraries. */
#include "fft.h"
#include <math.h>

#define PI 3.14159265358979323846

enum { X = CT_FFT_X, Y = CT_FFT_Y, LANES = 16 };

/* ---------------------------------------------------------------- radices */

int ct_fft_radices(int64_t length, int radix[FFT_PASSES])
{
    static const int odd[] = {3, 5, 7};
    int count = 0;
    if (length < 2 || length > FFT_MOST) return 0;
    for (int k = 0; k < 3; k++)
        for (; length % odd[k] == 0; length /= odd[k])
            radix[count++] = odd[k];
    if (length & (length - 1)) return 0;
    for (int64_t rest = length / LANES; rest > 1; rest /= radix[count - 1])
        radix[count++] = rest < LANES ? (int)rest : LANES;
    if (length > 1) radix[count++] = length < LANES ? (int)length : LANES;
    return count;
}

const fft_side ct_fft_sides[FFT_SIDES] = {
    {'S', "TILE_S", 64}, {'P', "TILE_P", 2}, {'T', "TILE_T", 128}};
const fft_engine ct_fft_native = {.largest_prime = 7, .least = 2, .most = FFT_MOST};

/* Channels follow each other, those of one spectrum (1) or of both polarizations in turns (2); else
 * 0. */
static int side_channels(const ct_array *array)
{
    const int64_t stride = ct_array_stride(array, 'C');
    if (stride == 1) return 1;
    return stride == 2 && ct_array_extent(array, 'P') == 2 && ct_array_stride(array, 'P') == 1 ? 2
                                                                                               : 0;
}

/* Spectra of the output lie together as in the tile. */
static bool side_is_direct(const ct_step *step, const ct_array *y)
{
    int order[FFT_SIDES];
    ct_fft_order(y, order);
    return !ct_fft_clips(step) && ct_fft_is_direct(step, y, order);
}

fft_way ct_fft_way(const ct_step *step)
{
    const ct_array *x = &step->port[X], *y = &step->port[Y];
    const int64_t length = ct_fft_length(step);
    const int from = side_channels(x), to = side_channels(y);
    const bool whole = length >= LANES * LANES;
    if (length < LANES || (length & (length - 1)) != 0) return FFT_ROWS;
    if (from == 1 && to == 1) return FFT_CHANNELS;
    if (from && to && whole && ct_step_holds(step, "TILE_P == 2")) return FFT_PAIRS;
    if (from != 1 && to == 1 && whole) return FFT_TO_CHANNELS;
    return from == 1 && to != 1 && side_is_direct(step, y) ? FFT_TO_SPECTRA : FFT_ROWS;
}

/* Whether a comes before b. */
static bool side_is_faster(const ct_array *array, int a, int b)
{
    const bool one = ct_array_extent(array, ct_fft_sides[a].dim) == 1;
    const bool other = ct_array_extent(array, ct_fft_sides[b].dim) == 1;
    const int64_t of_a = ct_array_stride(array, ct_fft_sides[a].dim);
    const int64_t of_b = ct_array_stride(array, ct_fft_sides[b].dim);
    if (one != other) return other;
    return of_a != of_b ? of_a < of_b : a < b;
}

void ct_fft_order(const ct_array *array, int order[FFT_SIDES])
{
    for (int k = 0; k < FFT_SIDES; k++) {
        int faster = 0;
        for (int j = 0; j < FFT_SIDES; j++)
            faster += j != k && side_is_faster(array, j, k);
        order[faster] = k;
    }
}

/* Of each pass but the last, of transforms of `length`: cosines, then sines. */
int64_t ct_fft_factors(int64_t length)
{
    int radix[FFT_PASSES];
    int64_t factors = 0;
    const int passes = ct_fft_radices(length, radix);
    for (int k = 0; k + 1 < passes; length /= radix[k++])
        factors += 2 * (radix[k] - 1) * (length / radix[k]);
    return factors;
}

void ct_fft_table_fill(ct_array *fill, int64_t length)
{
    int radix[FFT_PASSES];
    int64_t place = 0;
    const int passes = ct_fft_radices(length, radix);
    for (int pass = 0; pass + 1 < passes; length /= radix[pass++]) {
        const int64_t span = length / radix[pass], half = (radix[pass] - 1) * span;
        for (int64_t n = 0; n < half; n++) {
            const int64_t part = (n / span + 1) * (n % span) % length; /* of a circle's `length` */
            const double angle = 2 * PI * (double)part / (double)length;
            ct_array_save(fill, place + n, cos(angle), 0);
            ct_array_save(fill, place + half + n, sin(angle), 0);
        }
        place += 2 * half;
    }
}

ct_status ct_fft_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    (void)port, (void)err;
    ct_fft_table_fill(fill, ct_fft_length(step));
    return CT_OK;
}
