/* fourier.c: see fourier.h. Stockham's order: each pass of radix 4 reads one array and writes the
 * other, and nothing has to be put in order afterwards. [Van Loan 1992]
 * Room: io/simulate. */
#include "fourier.h"

#include <math.h>
#include <string.h>

sim_wave ct_fourier_wave(ct_step *step, int64_t length)
{
    sim_wave wave = {ct_step_alloc(step, (size_t)(2 * length) * sizeof(float)), NULL};
    if (wave.re) wave.im = wave.re + length;
    return wave;
}

sim_fourier ct_fourier_new(ct_step *step, int64_t length)
{
    sim_fourier made = {.length = length, .twiddle = ct_fourier_wave(step, length)};
    if (!made.twiddle.re) return made;
    for (int64_t k = 0; k < length; k++) {
        const double angle = -6.283185307179586477 * (double)k / (double)length;
        made.twiddle.re[k] = (float)cos(angle);
        made.twiddle.im[k] = (float)sin(angle);
    }
    for (int64_t n = 1; n < 4; n++) {
        const sim_wave to = made.first[n - 1] = ct_fourier_wave(step, length / 4 + 1);
        for (int64_t k = 0; to.re && k < length / 4; k++) {
            to.re[k] = made.twiddle.re[n * k];
            to.im[k] = made.twiddle.im[n * k];
        }
        if (!to.re) return made;
    }
    return made;
}

/* Four numbers of one pass, at x, x + far, ... */
#define BUTTERFLY(X, FAR)                                                                          \
    const float sum_re = in_re[X] + in_re[(X) + 2 * (FAR)];                                        \
    const float sum_im = in_im[X] + in_im[(X) + 2 * (FAR)];                                        \
    const float dif_re = in_re[X] - in_re[(X) + 2 * (FAR)];                                        \
    const float dif_im = in_im[X] - in_im[(X) + 2 * (FAR)];                                        \
    const float odd_re = in_re[(X) + (FAR)] + in_re[(X) + 3 * (FAR)];                              \
    const float odd_im = in_im[(X) + (FAR)] + in_im[(X) + 3 * (FAR)];                              \
    const float turn_re =                                                                          \
        in_im[(X) + 3 * (FAR)] - in_im[(X) + (FAR)]; /* i times the difference */                  \
    const float turn_im = in_re[(X) + (FAR)] - in_re[(X) + 3 * (FAR)];                             \
    const float b_re = dif_re - turn_re, b_im = dif_im - turn_im;                                  \
    const float c_re = sum_re - odd_re, c_im = sum_im - odd_im;                                    \
    const float d_re = dif_re + turn_re, d_im = dif_im + turn_im

/* Writes the four to Y, Y + NEAR, ... */
#define PUT(Y, NEAR)                                                                               \
    out_re[Y] = sum_re + odd_re;                                                                   \
    out_im[Y] = sum_im + odd_im;                                                                   \
    out_re[(Y) + (NEAR)] = b_re * w1_re - b_im * w1_im;                                            \
    out_im[(Y) + (NEAR)] = b_re * w1_im + b_im * w1_re;                                            \
    out_re[(Y) + 2 * (NEAR)] = c_re * w2_re - c_im * w2_im;                                        \
    out_im[(Y) + 2 * (NEAR)] = c_re * w2_im + c_im * w2_re;                                        \
    out_re[(Y) + 3 * (NEAR)] = d_re * w3_re - d_im * w3_im;                                        \
    out_im[(Y) + 3 * (NEAR)] = d_re * w3_im + d_im * w3_re

static void pass_first(const sim_fourier *f, sim_wave in, sim_wave out)
{
    const float *restrict in_re = in.re, *restrict in_im = in.im;
    float *restrict out_re = out.re, *restrict out_im = out.im;
    const int64_t far = f->length / 4;
    for (int64_t p = 0; p < far; p++) {
        const float w1_re = f->first[0].re[p], w1_im = f->first[0].im[p];
        const float w2_re = f->first[1].re[p], w2_im = f->first[1].im[p];
        const float w3_re = f->first[2].re[p], w3_im = f->first[2].im[p];
        BUTTERFLY(p, far);
        PUT(4 * p, 1);
    }
}

/* `near`: neighbours that have one twiddle factor. */
static void pass(const sim_fourier *f, sim_wave in, sim_wave out, int64_t near)
{
    const int64_t far = f->length / 4;
    for (int64_t p = 0; p < far / near; p++) {
        const float *restrict in_re = in.re + p * near, *restrict in_im = in.im + p * near;
        float *restrict out_re = out.re + 4 * p * near, *restrict out_im = out.im + 4 * p * near;
        const float w1_re = f->twiddle.re[p * near], w1_im = f->twiddle.im[p * near];
        const float w2_re = f->twiddle.re[2 * p * near], w2_im = f->twiddle.im[2 * p * near];
        const float w3_re = f->twiddle.re[3 * p * near], w3_im = f->twiddle.im[3 * p * near];
        for (int64_t q = 0; q < near; q++) {
            BUTTERFLY(q, far);
            PUT(q, near);
        }
    }
}

static void pass_last(const sim_fourier *f, sim_wave in, sim_wave out)
{
    const int64_t half = f->length / 2;
    for (int64_t q = 0; q < half; q++) {
        out.re[q] = in.re[q] + in.re[q + half];
        out.im[q] = in.im[q] + in.im[q + half];
        out.re[q + half] = in.re[q] - in.re[q + half];
        out.im[q + half] = in.im[q] - in.im[q + half];
    }
}

void ct_fourier_forward(const sim_fourier *f, sim_wave data, sim_wave work)
{
    sim_wave from = data, to = work;
    int64_t near = 1;
    for (; 4 * near <= f->length; near *= 4) {
        const sim_wave kept = from;
        if (near == 1)
            pass_first(f, from, to);
        else
            pass(f, from, to, near);
        from = to;
        to = kept;
    }
    if (near < f->length) {
        const sim_wave kept = from;
        pass_last(f, from, to);
        from = to;
        to = kept;
    }
    if (from.re == data.re) return;
    memcpy(data.re, work.re, (size_t)f->length * sizeof(float));
    memcpy(data.im, work.im, (size_t)f->length * sizeof(float));
}

/* The forward transform with both parts exchanged, before and after. */
void ct_fourier_backward(const sim_fourier *f, sim_wave data, sim_wave work)
{
    ct_fourier_forward(f, (sim_wave){data.im, data.re}, (sim_wave){work.im, work.re});
}
