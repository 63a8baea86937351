/* transform.c: Cooley and Tukey's transform, radix 2, in place, two passes at a time.
 * Room: io/simulate. */
#include "transform.h"

#include "clones.h"
#include "polar.h"
#include "simulate.h"

enum { NEAR = 1 << 14 }; /* numbers that stay in a cache while they are combined */

/* Of all pairs that are `half` apart, one after another: the place says which. */
static void make_twiddles(const sim_transform *transform, int64_t half)
{
    for (int64_t k = 0; k < half && !ct_simulate_stopped(transform->step, k); k += CT_POLAR_COUNT) {
        double cycles[CT_POLAR_COUNT], re[CT_POLAR_COUNT], im[CT_POLAR_COUNT];
        for (int64_t n = 0; n < CT_POLAR_COUNT; n++)
            cycles[n] = -(double)(k + n) / (double)(2 * half);
        ct_polar_phasors(cycles, re, im);
        for (int64_t n = 0; n < CT_POLAR_COUNT && k + n < half; n++)
            transform->twiddle[half + k + n] = (ct_complex){re[n], im[n]};
    }
}

sim_transform ct_transform_new(ct_step *step, int64_t length)
{
    sim_transform transform = {step, length, NULL};
    transform.twiddle = ct_step_alloc(step, (size_t)(length + 1) * sizeof *transform.twiddle);
    for (int64_t half = 1; transform.twiddle && half < length; half *= 2)
        make_twiddles(&transform, half);
    return transform;
}

static void reverse_bits(ct_complex *data, int64_t length)
{
    for (int64_t i = 1, j = 0; i < length; i++) {
        int64_t bit = length >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            ct_complex kept = data[i];
            data[i] = data[j];
            data[j] = kept;
        }
    }
}

static inline void butterfly(ct_complex *a, ct_complex *b, ct_complex twiddle, double sign)
{
    const double im = twiddle.im * sign;
    const ct_complex t = {b->re * twiddle.re - b->im * im, b->re * im + b->im * twiddle.re};
    b->re = a->re - t.re;
    b->im = a->im - t.im;
    a->re += t.re;
    a->im += t.im;
}

static void combine(const ct_complex *twiddle, ct_complex *data, int64_t length, int64_t half,
                    double sign)
{
    for (int64_t start = 0; start < length; start += 2 * half)
        for (int64_t k = 0; k < half; k++)
            butterfly(&data[start + k], &data[start + k + half], twiddle[half + k], sign);
}

/* The same, and after it with twice `half`, while the numbers are in registers. */
CT_CLONES static void combine_twice(const ct_complex *restrict twiddle, ct_complex *restrict data,
                                    int64_t length, int64_t half, double sign)
{
    for (int64_t start = 0; start < length; start += 4 * half)
        for (int64_t k = 0; k < half; k++) {
            ct_complex *at = data + start + k;
            ct_complex a = at[0], b = at[half], c = at[2 * half], d = at[3 * half];
            butterfly(&a, &b, twiddle[half + k], sign);
            butterfly(&c, &d, twiddle[half + k], sign);
            butterfly(&a, &c, twiddle[2 * half + k], sign);
            butterfly(&b, &d, twiddle[3 * half + k], sign);
            at[0] = a;
            at[half] = b;
            at[2 * half] = c;
            at[3 * half] = d;
        }
}

/* Begins with pairs that are `half` apart. */
static void combine_all(const sim_transform *transform, ct_complex *data, int64_t length,
                        int64_t half, double sign)
{
    for (; 4 * half <= length && !ct_step_stopped(transform->step); half *= 4)
        combine_twice(transform->twiddle, data, length, half, sign);
    if (half < length) combine(transform->twiddle, data, length, half, sign);
}

static void run(const sim_transform *transform, ct_complex *data, double sign)
{
    const int64_t length = transform->length, near = length < NEAR ? length : NEAR;
    reverse_bits(data, length);
    for (int64_t k = 0; k < length; k += near)
        combine_all(transform, data + k, near, 1, sign);
    combine_all(transform, data, length, near, sign);
}

void ct_transform_forward(const sim_transform *transform, ct_complex *data)
{
    run(transform, data, 1);
}

void ct_transform_backward(const sim_transform *transform, ct_complex *data)
{
    run(transform, data, -1);
}
