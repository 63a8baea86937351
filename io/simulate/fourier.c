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

/* Four neighbours; the compiler's own vectors, which every processor has. */
typedef float sim_four __attribute__((vector_size(16)));

static inline sim_four load(const float *from)
{
    sim_four four;
    memcpy(&four, from, sizeof four);
    return four;
}

static inline void save(float *to, sim_four four)
{
    memcpy(to, &four, sizeof four);
}

/* Of the numbers a to d of one pass: their sums, to be multiplied by twiddle factors of 1, w, w^2
 * and w^3. */
#define BUTTERFLY(TYPE, A, B, C, D)                                                                \
    const TYPE sum_re = A##_re + C##_re, sum_im = A##_im + C##_im;                                 \
    const TYPE dif_re = A##_re - C##_re, dif_im = A##_im - C##_im;                                 \
    const TYPE odd_re = B##_re + D##_re, odd_im = B##_im + D##_im;                                 \
    const TYPE side_re = D##_im - B##_im, side_im = B##_re - D##_re; /* i times the difference */  \
    const TYPE one_re = dif_re - side_re, one_im = dif_im - side_im;                               \
    const TYPE two_re = sum_re - odd_re, two_im = sum_im - odd_im;                                 \
    const TYPE three_re = dif_re + side_re, three_im = dif_im + side_im

static void pass_first(const sim_fourier *f, sim_wave in, sim_wave out)
{
    const int64_t far = f->length / 4;
    for (int64_t p = 0; p < far; p++) {
        const float a_re = in.re[p], b_re = in.re[p + far], c_re = in.re[p + 2 * far];
        const float a_im = in.im[p], b_im = in.im[p + far], c_im = in.im[p + 2 * far];
        const float d_re = in.re[p + 3 * far], d_im = in.im[p + 3 * far];
        BUTTERFLY(float, a, b, c, d);
        float *re = out.re + 4 * p, *im = out.im + 4 * p;
        re[0] = sum_re + odd_re;
        im[0] = sum_im + odd_im;
        re[1] = one_re * f->first[0].re[p] - one_im * f->first[0].im[p];
        im[1] = one_re * f->first[0].im[p] + one_im * f->first[0].re[p];
        re[2] = two_re * f->first[1].re[p] - two_im * f->first[1].im[p];
        im[2] = two_re * f->first[1].im[p] + two_im * f->first[1].re[p];
        re[3] = three_re * f->first[2].re[p] - three_im * f->first[2].im[p];
        im[3] = three_re * f->first[2].im[p] + three_im * f->first[2].re[p];
    }
}

/* `near`, a multiple of 4: neighbours that have one twiddle factor. */
static void pass(const sim_fourier *f, sim_wave in, sim_wave out, int64_t near)
{
    const int64_t far = f->length / 4;
    for (int64_t p = 0; p < far; p += near) {
        const float w1_re = f->twiddle.re[p], w1_im = f->twiddle.im[p];
        const float w2_re = f->twiddle.re[2 * p], w2_im = f->twiddle.im[2 * p];
        const float w3_re = f->twiddle.re[3 * p], w3_im = f->twiddle.im[3 * p];
        for (int64_t q = 0; q < near; q += 4) {
            const float *re = in.re + p + q, *im = in.im + p + q;
            const sim_four a_re = load(re), b_re = load(re + far), c_re = load(re + 2 * far);
            const sim_four a_im = load(im), b_im = load(im + far), c_im = load(im + 2 * far);
            const sim_four d_re = load(re + 3 * far), d_im = load(im + 3 * far);
            BUTTERFLY(sim_four, a, b, c, d);
            float *to_re = out.re + 4 * p + q, *to_im = out.im + 4 * p + q;
            save(to_re, sum_re + odd_re);
            save(to_im, sum_im + odd_im);
            save(to_re + near, one_re * w1_re - one_im * w1_im);
            save(to_im + near, one_re * w1_im + one_im * w1_re);
            save(to_re + 2 * near, two_re * w2_re - two_im * w2_im);
            save(to_im + 2 * near, two_re * w2_im + two_im * w2_re);
            save(to_re + 3 * near, three_re * w3_re - three_im * w3_im);
            save(to_im + 3 * near, three_re * w3_im + three_im * w3_re);
        }
    }
}

/* What is left where the length is no power of 4. */
static void pass_last(const sim_fourier *f, sim_wave in, sim_wave out)
{
    const int64_t half = f->length / 2;
    const float *from[2] = {in.re, in.im};
    float *to[2] = {out.re, out.im};
    for (int part = 0; part < 2; part++)
        for (int64_t q = 0; q < half; q += 4) {
            const sim_four a = load(from[part] + q), b = load(from[part] + q + half);
            save(to[part] + q, a + b);
            save(to[part] + q + half, a - b);
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
