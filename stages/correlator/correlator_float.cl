/* correlator_float.cl: COMPUTE of the correlator by fused multiply-add.
 *
 * Vectors hold complex rows as they are: each is multiplied by the real and by the imaginary part of
 * row i, and the two sums are combined at the end. Sums of 8-bit products stay exact: those of one
 * tile are below 2^24, and tiles are added as integers. */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, VW) vec;
#define INLINE static inline __attribute__((always_inline))

#define LANES (VW / 2)     /* rows in a vector */
#define BLOCK (NV * LANES) /* rows j of a cell */
#define BLOCKS A_N_S
#define TILE_SPACE A_SPACE
#define TILE_TYPE A_TYPE
#define TILE_SIZE A_SIZE
#define TILE_AT(c, s, t, p) A_AT(c, (s) / A_N_s, t, (s) % A_N_s, p)
#define PACK_TILE PACK_A
#define TILE_WORK(work) const int work = 0
#define TILE_PREPARE(work, tile, times)

#if Y_IS_ci32
#define EXACT 1
typedef JOIN(int, VW) total;
#define TOTAL(v) JOIN(convert_int, VW)(v)
#else
#define EXACT 0
typedef vec total;
#define TOTAL(v) (v)
#endif

#if VW == 2
#define SWAP(v) ((v).s10)
#define SIGNS ((vec)(1, -1))
#elif VW == 4
#define SWAP(v) ((v).s1032)
#define SIGNS ((vec)(1, -1, 1, -1))
#elif VW == 8
#define SWAP(v) ((v).s10325476)
#define SIGNS ((vec)(1, -1, 1, -1, 1, -1, 1, -1))
#else
#define SWAP(v) ((v).s1032547698badcfe)
#define SIGNS ((vec)(1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1))
#endif

/* The tile's rows from row r on, of one channel, at its first time. */
#define TILE_ROWS(c, r)                                                                            \
    ((const A_SPACE float *)(tile + A_AT(c, (r) / BLOCK, 0, 0, 0) + (r) % BLOCK))

/* Adds `times` times of H rows i and the vectors from `first` on of a block of rows j. */
INLINE void accumulate(const A_SPACE float *restrict j, const A_SPACE float *restrict i,
                       const int times, const int first, vec re[H][NV], vec im[H][NV])
{
    for (int t = 0; t < times; t++, j += 2 * BLOCK, i += 2 * BLOCK) {
        #pragma unroll
        for (int w = first; w < NV; w++) {
            const vec x = *(const A_SPACE vec *)(j + w * VW);
            #pragma unroll
            for (int h = 0; h < H; h++) {
                re[h][w] = fma(x, (vec)(i[2 * h]), re[h][w]);
                im[h][w] = fma(x, (vec)(i[2 * h + 1]), im[h][w]);
            }
        }
    }
}

INLINE void clear(vec re[H][NV], vec im[H][NV])
{
    #pragma unroll
    for (int h = 0; h < H; h++) {
        #pragma unroll
        for (int w = 0; w < NV; w++)
            re[h][w] = im[h][w] = 0;
    }
}

/* x_j conj(x_i) from x_j Re x_i and x_j Im x_i; adds it to what the sums are. */
INLINE void combine(total sum[H * NV], const int add, vec re[H][NV], vec im[H][NV])
{
    #pragma unroll
    for (int h = 0; h < H; h++) {
        #pragma unroll
        for (int w = 0; w < NV; w++) {
            const total both = TOTAL(re[h][w] + SIGNS * SWAP(im[h][w]));
            sum[h * NV + w] = add ? sum[h * NV + w] + both : both;
        }
    }
}

#if WG == 1

/* One cell over one tile, without the vectors before `first`. */
INLINE void compute_from(total sum[H * NV], const int add, const A_SPACE float *j,
                         const A_SPACE float *i, const int times, const int first)
{
    vec re[H][NV], im[H][NV];
    clear(re, im);
    accumulate(j, i, times, first, re, im);
    combine(sum, add, re, im);
}

/* On the diagonal, vectors whose rows all stand above it are left out. */
static void compute(total sum[H * NV], const int add, const A_TYPE *tile, const int work, const int c, const int j,
                    const int i, const int times)
{
    const float *rows = TILE_ROWS(c, j * BLOCK), *row = TILE_ROWS(c, i);
    const int first = (i - j * BLOCK) / X_N_P * X_N_P / LANES;
    if (i < j * BLOCK || first == 0)
        compute_from(sum, add, rows, row, times, 0);
#if NV > 1
    else if (first == 1)
        compute_from(sum, add, rows, row, times, 1);
#endif
#if NV > 2
    else if (first == 2)
        compute_from(sum, add, rows, row, times, 2);
    else
        compute_from(sum, add, rows, row, times, 3);
#endif
}

#endif
