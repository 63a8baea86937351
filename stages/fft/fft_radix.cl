/* Butterflies: discrete Fourier transforms of a few numbers, each of them LANES numbers side by side,
 * real and imaginary parts apart. They work in place; the result k is in place OUT(R, k).
 *
 * RUN(R, GET, PUT, ASK) does one: GET(k, re, im) loads the k-th number, PUT(k, re, im) takes the k-th
 * result. Radix 16 does it in quarters, so that few numbers are in registers at a time; between them
 * stands ASK(n), n from 0 to 7, for what is read later, or NOTHING. All lines are written out, and no
 * product is contracted with a sum unless it says fma: each kernel with the same radices gives the same
 * bits. */
#pragma OPENCL FP_CONTRACT OFF

#ifdef LANES /* 1: no vectors */
typedef float V, V_NEAR;
#else
#define LANES 16
typedef float16 V;
typedef float16 V_NEAR __attribute__((aligned(8))); /* at any pair of floats */
#endif
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("unroll")
#define NOTHING(n)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define OUT(R, k) JOIN(OUT_, R)(k)
#define OUT_2(k) (k)
#define OUT_3(k) (k)
#define OUT_4(k) (k)
#define OUT_5(k) (k)
#define OUT_7(k) (k)
#define OUT_8(k) ((k) % 4 * 2 + (k) / 4)

#define C_1_8 0.70710678118654752f  /* cos 2 pi / 8 */
#define C_1_16 0.92387953251128674f /* cos 2 pi / 16 */
#define S_1_16 0.38268343236508977f
#define S_1_3 0.86602540378443865f
#define C_1_5 0.30901699437494742f
#define C_2_5 -0.80901699437494742f
#define S_1_5 0.95105651629515357f
#define S_2_5 0.58778525229247313f
#define C_1_7 0.62348980185873353f
#define C_2_7 -0.22252093395631440f
#define C_3_7 -0.90096886790241913f
#define S_1_7 0.78183148246802981f
#define S_2_7 0.97492791218182361f
#define S_3_7 0.43388373911755812f

/* times c - i s */
INLINE void times(V *re, V *im, const float c, const float s)
{
    const V x = *re, y = *im;
    *re = fma(y, (V)(s), x * c);
    *im = fma(x, (V)(-s), y * c);
}
INLINE void times_1_8(V *re, V *im)
{
    const V x = *re, y = *im;
    *re = (x + y) * C_1_8;
    *im = (y - x) * C_1_8;
}
INLINE void times_3_8(V *re, V *im)
{
    const V x = *re, y = *im;
    *re = (y - x) * C_1_8;
    *im = (y + x) * -C_1_8;
}
INLINE void times_minus_i(V *re, V *im)
{
    const V x = *re;
    *re = *im;
    *im = -x;
}

INLINE void butterfly_2(V *r, V *i, const int a, const int b)
{
    const V x = r[a] - r[b], y = i[a] - i[b];
    r[a] += r[b], i[a] += i[b];
    r[b] = x, i[b] = y;
}
INLINE void butterfly_4(V *r, V *i, const int a, const int b, const int c, const int d)
{
    const V r0 = r[a] + r[c], i0 = i[a] + i[c], r1 = r[a] - r[c], i1 = i[a] - i[c];
    const V r2 = r[b] + r[d], i2 = i[b] + i[d], r3 = r[b] - r[d], i3 = i[b] - i[d];
    r[a] = r0 + r2, i[a] = i0 + i2;
    r[c] = r0 - r2, i[c] = i0 - i2;
    r[b] = r1 + i3, i[b] = i1 - r3;
    r[d] = r1 - i3, i[d] = i1 + r3;
}

INLINE void transform_2(V *r, V *i)
{
    butterfly_2(r, i, 0, 1);
}
INLINE void transform_3(V *r, V *i)
{
    const V sr = r[1] + r[2], si = i[1] + i[2];
    const V dr = (r[1] - r[2]) * S_1_3, di = (i[1] - i[2]) * S_1_3;
    const V mr = fma(sr, (V)(-0.5f), r[0]), mi = fma(si, (V)(-0.5f), i[0]);
    r[0] += sr, i[0] += si;
    r[1] = mr + di, i[1] = mi - dr;
    r[2] = mr - di, i[2] = mi + dr;
}
INLINE void transform_4(V *r, V *i)
{
    butterfly_4(r, i, 0, 1, 2, 3);
}

/* Sums and differences of inputs a and n - a, a from 1, then results k and n - k from these: the
 * sums weigh cos 2 pi a k / n, the differences sin. */
#define PAIR(a, n)                                                                                 \
    const V ur##a = r[a] + r[(n) - (a)], ui##a = i[a] + i[(n) - (a)];                              \
    const V vr##a = r[a] - r[(n) - (a)], vi##a = i[a] - i[(n) - (a)]
#define RESULTS(k, n, ar, ai, br, bi)                                                              \
    r[k] = ar + bi, i[k] = ai - br;                                                                \
    r[(n) - (k)] = ar - bi, i[(n) - (k)] = ai + br

#define WEIGH_2(x1, x2, a, b) fma(x2, (V)(b), x1 *(a))
#define RESULTS_5(k, c1, c2, s1, s2)                                                               \
    do {                                                                                           \
        const V ar = r0 + WEIGH_2(ur1, ur2, c1, c2), ai = i0 + WEIGH_2(ui1, ui2, c1, c2);          \
        const V br = WEIGH_2(vr1, vr2, s1, s2), bi = WEIGH_2(vi1, vi2, s1, s2);                    \
        RESULTS(k, 5, ar, ai, br, bi);                                                             \
    } while (0)
INLINE void transform_5(V *r, V *i)
{
    const V r0 = r[0], i0 = i[0];
    PAIR(1, 5);
    PAIR(2, 5);
    r[0] += ur1 + ur2, i[0] += ui1 + ui2;
    RESULTS_5(1, C_1_5, C_2_5, S_1_5, S_2_5);
    RESULTS_5(2, C_2_5, C_1_5, S_2_5, -S_1_5);
}

#define WEIGH_3(x1, x2, x3, a, b, c) fma(x3, (V)(c), fma(x2, (V)(b), x1 *(a)))
#define RESULTS_7(k, c1, c2, c3, s1, s2, s3)                                                       \
    do {                                                                                           \
        const V ar = r0 + WEIGH_3(ur1, ur2, ur3, c1, c2, c3);                                      \
        const V ai = i0 + WEIGH_3(ui1, ui2, ui3, c1, c2, c3);                                      \
        const V br = WEIGH_3(vr1, vr2, vr3, s1, s2, s3), bi = WEIGH_3(vi1, vi2, vi3, s1, s2, s3);  \
        RESULTS(k, 7, ar, ai, br, bi);                                                             \
    } while (0)
INLINE void transform_7(V *r, V *i)
{
    const V r0 = r[0], i0 = i[0];
    PAIR(1, 7);
    PAIR(2, 7);
    PAIR(3, 7);
    r[0] += ur1 + ur2 + ur3, i[0] += ui1 + ui2 + ui3;
    RESULTS_7(1, C_1_7, C_2_7, C_3_7, S_1_7, S_2_7, S_3_7);
    RESULTS_7(2, C_2_7, C_3_7, C_1_7, S_2_7, -S_3_7, -S_1_7);
    RESULTS_7(3, C_3_7, C_1_7, C_2_7, S_3_7, -S_1_7, S_2_7);
}

INLINE void transform_8(V *r, V *i)
{
    butterfly_4(r, i, 0, 2, 4, 6);
    butterfly_4(r, i, 1, 3, 5, 7);
    times_1_8(&r[3], &i[3]);
    times_minus_i(&r[5], &i[5]);
    times_3_8(&r[7], &i[7]);
    butterfly_2(r, i, 0, 1);
    butterfly_2(r, i, 2, 3);
    butterfly_2(r, i, 4, 5);
    butterfly_2(r, i, 6, 7);
}

/* Compilers mix what could be done one after the other until they want more numbers at a time than there
 * are registers, and move them to memory and back. Not beyond one of these. */
#if defined __AVX512F__ && LANES == 16
#define BEFORE_OTHERS(a, b, c, d) __asm__ volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d))
#define IN_ORDER __asm__ volatile("")
#else
#define BEFORE_OTHERS(a, b, c, d)
#define IN_ORDER
#endif

/* Of radix 16: the numbers c, c + 4, c + 8, c + 12, and the factors between its two halves. */
INLINE void quarter_16(V *r, V *i, const int c)
{
    butterfly_4(r, i, c, 4 + c, 8 + c, 12 + c);
    if (c == 1) {
        times(&r[5], &i[5], C_1_16, S_1_16);
        times_1_8(&r[9], &i[9]);
        times(&r[13], &i[13], S_1_16, C_1_16);
    } else if (c == 2) {
        times_1_8(&r[6], &i[6]);
        times_minus_i(&r[10], &i[10]);
        times_3_8(&r[14], &i[14]);
    } else if (c == 3) {
        times(&r[7], &i[7], S_1_16, C_1_16);
        times_3_8(&r[11], &i[11]);
        times(&r[15], &i[15], -C_1_16, -S_1_16);
    }
    BEFORE_OTHERS(r[c], r[4 + c], r[8 + c], r[12 + c]);
    BEFORE_OTHERS(i[c], i[4 + c], i[8 + c], i[12 + c]);
}

#define RUN_ANY(R, GET, PUT)                                                                       \
    do {                                                                                           \
        V r[R], i[R];                                                                              \
        UNROLL for (int k = 0; k < R; k++) GET(k, r[k], i[k]);                                     \
        JOIN(transform_, R)(r, i);                                                                 \
        UNROLL for (int k = 0; k < R; k++) PUT(k, r[OUT(R, k)], i[OUT(R, k)]);                     \
    } while (0)
#define RUN_16(GET, PUT, ASK)                                                                      \
    do {                                                                                           \
        V r[16], i[16];                                                                            \
        UNROLL for (int c = 0; c < 4; c++)                                                         \
        {                                                                                          \
            UNROLL for (int k = c; k < 16; k += 4) GET(k, r[k], i[k]);                             \
            quarter_16(r, i, c);                                                                   \
            ASK(c);                                                                                \
        }                                                                                          \
        UNROLL for (int k = 0; k < 4; k++)                                                         \
        {                                                                                          \
            butterfly_4(r, i, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);                             \
            UNROLL for (int q = 0; q < 4; q++) PUT(k + 4 * q, r[4 * k + q], i[4 * k + q]);         \
            IN_ORDER;                                                                              \
            ASK(4 + k);                                                                            \
        }                                                                                          \
    } while (0)
#define RUN_2(GET, PUT, ASK) RUN_ANY(2, GET, PUT)
#define RUN_3(GET, PUT, ASK) RUN_ANY(3, GET, PUT)
#define RUN_4(GET, PUT, ASK) RUN_ANY(4, GET, PUT)
#define RUN_5(GET, PUT, ASK) RUN_ANY(5, GET, PUT)
#define RUN_7(GET, PUT, ASK) RUN_ANY(7, GET, PUT)
#define RUN_8(GET, PUT, ASK) RUN_ANY(8, GET, PUT)
#define RUN(R, GET, PUT, ASK) JOIN(RUN_, R)(GET, PUT, ASK)

#define SHUFFLE __builtin_shufflevector
/* Pairs of two vectors, within their quarters: r0 i0 r1 i1 .. and back again. */
#define LOWER(a, b) SHUFFLE(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define UPPER(a, b) SHUFFLE(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define EVENS(a, b) SHUFFLE(a, b, 0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30)
#define ODDS(a, b) SHUFFLE(a, b, 1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31)
