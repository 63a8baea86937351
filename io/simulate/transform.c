/* transform.c: Cooley and Tukey's transform, radix 2, in place.
 * Room: io/simulate. */
#include "transform.h"

#include <math.h>

#include "simulate.h"

sim_transform ct_transform_new(ct_step *step, int64_t length)
{
    sim_transform transform = {step, length, NULL};
    transform.twiddle = ct_step_alloc(step, (size_t)(length / 2 + 1) * sizeof *transform.twiddle);
    for (int64_t k = 0; transform.twiddle && k < length / 2 && !ct_simulate_stopped(step, k); k++) {
        double angle = -6.283185307179586477 * (double)k / (double)length;
        transform.twiddle[k] = (ct_complex){cos(angle), sin(angle)};
    }
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

static void butterfly(ct_complex *a, ct_complex *b, ct_complex twiddle)
{
    ct_complex t = {b->re * twiddle.re - b->im * twiddle.im,
                    b->re * twiddle.im + b->im * twiddle.re};
    b->re = a->re - t.re;
    b->im = a->im - t.im;
    a->re += t.re;
    a->im += t.im;
}

static void combine(const sim_transform *transform, ct_complex *data, int64_t half, double sign)
{
    int64_t step = transform->length / (2 * half);
    for (int64_t start = 0; start < transform->length; start += 2 * half)
        for (int64_t k = 0; k < half; k++) {
            ct_complex twiddle = transform->twiddle[k * step];
            twiddle.im *= sign;
            butterfly(&data[start + k], &data[start + k + half], twiddle);
        }
}

static void run(const sim_transform *transform, ct_complex *data, double sign)
{
    reverse_bits(data, transform->length);
    for (int64_t half = 1; half < transform->length && !ct_step_stopped(transform->step); half *= 2)
        combine(transform, data, half, sign);
}

void ct_transform_forward(const sim_transform *transform, ct_complex *data)
{
    run(transform, data, 1);
}

void ct_transform_backward(const sim_transform *transform, ct_complex *data)
{
    run(transform, data, -1);
}
