/* correlator_pairs.cl: COMPUTE of the correlator by multiplications of 16-bit words, exact, for CPUs.
 *
 * A lane of 32 bits is a row and holds one time, [re, im]; one instruction multiplies both with those of
 * a row i and adds the two products. Such a pair fits in 32 bits, a sum S of them does not. So sums are
 * made twice: S modulo 2^32, and Q of the pairs divided by 2^16, rounded down, by which 2^16 Q is off by
 * less than 2^16 for each time. The difference S - 2^16 Q, which is known modulo 2^32, is then known, and
 * so is S.
 *
 * Rows i come with -32767 in the place of -32768: then [-im, re] exists, and no pair is 2^31, which would
 * be one too many. What that leaves out is added in a pass of its own over rows that have it: it is
 * less than 2^17 for each time, and so a part of the difference.
 *
 * Where samples are so weak that no sum over the tile can reach 2^31, Q is left out: by Cauchy and
 * Schwarz |S|^2 is at most the product of the sums of |x|^2 of both rows. */

#define INLINE static inline __attribute__((always_inline))

#define PANEL (VECTORS_SP * VECTOR_SP) /* rows j of a cell */
#define TILE_WORK prepared
#define TILE_PREPARE(work, tile, times, place) prepare(work, tile, times)

/* Numbers of 32 bits, one of each row of a vector; and of 16 and of 64 bits, two of each. */
#if VECTOR_SP == 1
#define EACH(type) type
#define BOTH(type) type##2
#elif VECTOR_SP == 2
#define EACH(type) type##2
#define BOTH(type) type##4
#elif VECTOR_SP == 4
#define EACH(type) type##4
#define BOTH(type) type##8
#else
#define EACH(type) type##8
#define BOTH(type) type##16
#endif

typedef EACH(uint) lanes; /* without a sign, since they are sums modulo 2^32 */
typedef BOTH(short) words;
typedef BOTH(long) total;

#define LANES(v) EACH(as_uint)(v)
#define SIGNED(v) EACH(as_int)(v)
#define WORDS(v) BOTH(as_short)(v)

#define TOGETHER 2       /* rows i whose sums stay in registers */
#define WEAK 2147000000.0f /* less than 2^31, by more than sums of floats are off */

/* What COMPUTE needs besides a tile. */
typedef struct prepared {
    lanes rows[TILE_C * PANELS * TILE_T * VECTORS_SP];    /* [re, im] without -32768 */
    lanes rotated[TILE_C * PANELS * TILE_T * VECTORS_SP]; /* [-im, re] */
    lanes least[TILE_C * PANELS * VECTORS_SP];            /* not 0 where a row has -32768 */
    float power[TILE_C * PANELS];                         /* the most of a row's sum of |x|^2 */
} prepared __attribute__((aligned(64)));

/* Two products in each lane, added. */
#if VECTOR_SP == 8 && defined(__AVX2__)
INLINE lanes pair(const lanes a, const lanes b)
{
    return as_uint8(__builtin_ia32_pmaddwd256(as_short16(a), as_short16(b)));
}
#elif VECTOR_SP == 4 && defined(__SSE2__)
INLINE lanes pair(const lanes a, const lanes b)
{
    return as_uint4(__builtin_ia32_pmaddwd128(as_short8(a), as_short8(b)));
}
#else
INLINE lanes pair(const lanes a, const lanes b)
{
    return LANES((SIGNED(a << 16) >> 16) * (SIGNED(b << 16) >> 16)) +
           LANES((SIGNED(a) >> 16) * (SIGNED(b) >> 16));
}
#endif

/* The largest of a vector's numbers. */
INLINE float largest(const EACH(float) power)
{
    float most = 0;
    for (int l = 0; l < VECTOR_SP; l++)
        most = fmax(most, ((const float *)&power)[l]);
    return most;
}

/* The rows of the n-th vector over all times; gives the most of their powers. */
INLINE float prepare_rows(prepared *restrict work, const lanes *restrict from, const int n,
                          const int times)
{
    const int first = n / VECTORS_SP * TILE_T * VECTORS_SP + n % VECTORS_SP;
    EACH(float) power = 0;
    lanes least = 0;
    for (int t = 0; t < times; t++) {
        const int at = first + t * VECTORS_SP;
        const words v = WORDS(from[at]), is_least = v == (short)-32768;
        const lanes row = LANES(v - is_least);
        work->rows[at] = row;
        work->rotated[at] =
            LANES(WORDS(rotate(row, (lanes)16) ^ 0xffff) + WORDS((lanes)1));
        least |= LANES(is_least);
        power += EACH(convert_float)(pair(from[at], from[at]));
    }
    work->least[n] = least;
    return largest(power);
}

INLINE void prepare(prepared *restrict work, const A_TYPE *restrict tile, const int times)
{
    for (int n = 0; n < TILE_C * PANELS; n++)
        work->power[n] = 0;
    for (int n = 0; n < TILE_C * PANELS * VECTORS_SP; n++) {
        const float power = prepare_rows(work, (const lanes *)tile, n, times);
        work->power[n / VECTORS_SP] = fmax(work->power[n / VECTORS_SP], power);
    }
}

/* Sums of a few rows i and the vectors of a panel of rows j. */
typedef struct sums {
    lanes re[TOGETHER][VECTORS_SP], im[TOGETHER][VECTORS_SP];
    EACH(int) q_re[TOGETHER][VECTORS_SP], q_im[TOGETHER][VECTORS_SP]; /* estimates */
} sums;

INLINE void clear(sums *restrict s)
{
    #pragma unroll
    for (int h = 0; h < TOGETHER; h++) {
        #pragma unroll
        for (int w = 0; w < VECTORS_SP; w++) {
            s->re[h][w] = s->im[h][w] = 0;
            s->q_re[h][w] = s->q_im[h][w] = 0;
        }
    }
}

INLINE void accumulate(sums *restrict s, const lanes *restrict j, const uint *restrict i,
                       const uint *restrict rotated, const int times, const int first,
                       const int estimate)
{
    for (int t = 0; t < times; t++, j += VECTORS_SP, i += PANEL, rotated += PANEL) {
        #pragma unroll
        for (int w = first; w < VECTORS_SP; w++) {
            const lanes x = j[w];
            #pragma unroll
            for (int h = 0; h < TOGETHER; h++) {
                const lanes re = pair(x, (lanes)(i[h])), im = pair(x, (lanes)(rotated[h]));
                s->re[h][w] += re;
                s->im[h][w] += im;
                if (estimate) {
                    s->q_re[h][w] += SIGNED(re) >> 16;
                    s->q_im[h][w] += SIGNED(im) >> 16;
                }
            }
        }
    }
}

/* Adds what row h lacks where it has -32768, of which `i` has the samples as they are. */
INLINE void add_least(sums *restrict s, const lanes *restrict j, const uint *restrict i,
                      const int times, const int first, const int h)
{
    for (int t = 0; t < times; t++, j += VECTORS_SP, i += PANEL) {
        const short2 is_least = as_short2(*i) == (short)-32768; /* -1 where it is */
        const uint row = as_uint(is_least), rotated = as_uint((short2)(-is_least.y, is_least.x));
        if (row == 0)
            continue;
        for (int w = first; w < VECTORS_SP; w++) {
            s->re[h][w] += pair(j[w], (lanes)(row));
            s->im[h][w] += pair(j[w], (lanes)(rotated));
        }
    }
}

/* The sums themselves, as complex numbers. */
INLINE total widen(const lanes re, const lanes im, const EACH(int) q_re, const EACH(int) q_im,
                   const int estimate, const int strip_j)
{
    EACH(long) real = EACH(convert_long)(SIGNED(re - (LANES(q_re) << 16)));
    EACH(long) imaginary = EACH(convert_long)(SIGNED(im - (LANES(q_im) << 16)));
    total both;
    if (estimate) {
        real += EACH(convert_long)(q_re) << 16;
        imaginary += EACH(convert_long)(q_im) << 16;
    }
    both.even = real;
    both.odd = strip_j ? -imaginary : imaginary;
    return both;
}

/* The rows from i on of one cell over one tile, without the vectors before `first`. */
INLINE void compute_rows(total *restrict sum, const int add, const TILE_TYPE *tile,
                         const prepared *work, const int j, const int i, const int times,
                         const int first, const int strip_j, const int estimate)
{
    const int row = i / PANEL * TILE_T * PANEL + i % PANEL;
    const lanes *rows_j = (const lanes *)tile + j * TILE_T * VECTORS_SP;
    sums s;
    clear(&s);
    accumulate(&s, rows_j, (const uint *)work->rows + row, (const uint *)work->rotated + row, times,
               first, estimate);
    #pragma unroll
    for (int h = 0; h < TOGETHER; h++) {
        if (((const uint *)work->least)[i + h])
            add_least(&s, rows_j, (const uint *)tile + row + h, times, first, h);
        #pragma unroll
        for (int w = 0; w < VECTORS_SP; w++) {
            const total whole = widen(s.re[h][w], s.im[h][w], s.q_re[h][w], s.q_im[h][w], estimate,
                                      strip_j);
            total *to = &sum[h * VECTORS_SP + w];
            *to = add ? *to + whole : whole;
        }
    }
}

/* One cell over one tile, without the vectors before `first`. */
INLINE void compute_from(total *sum, const int add, const TILE_TYPE *tile, const prepared *work,
                         const int c, const int j, const int i, const int times, const int first,
                         const int strip_j)
{
    const int panel = c * PANELS + j, row = c * PANELS * PANEL + i;
    const int weak = work->power[panel] * work->power[row / PANEL] < WEAK * WEAK;
    for (int h = 0; h < CELL_SP; h += TOGETHER) {
        if (weak)
            compute_rows(sum + h * VECTORS_SP, add, tile, work, panel, row + h, times, first,
                         strip_j, 0);
        else
            compute_rows(sum + h * VECTORS_SP, add, tile, work, panel, row + h, times, first,
                         strip_j, 1);
    }
}
