/* correlator.cl: V[m][l][c][ab] = sum_t x_j[b] conj(x_i[a]). See README.md.
 *
 * A row is one polarization of one station. PACK brings TB times of all rows of CG channels into a
 * tile, blocks of BLOCK rows together. COMPUTE takes cells: H rows i against the NV vectors of one
 * block of rows j; only cells on or below the diagonal. Vectors hold complex rows as they are: each
 * is multiplied by the real and by the imaginary part of row i, and the two sums are combined at
 * the end. With a work-group of 1 the work-item takes all cells in turn, else each takes one. */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
typedef JOIN(float, VW) vec;
#define INLINE static inline __attribute__((always_inline))

#define ROWS (X_N_S * X_N_P)
#define LANES (VW / 2)      /* rows in a vector */
#define BLOCK (NV * LANES)   /* rows j of a cell */
#define BLOCKS A_N_S
#define STRIPS (BLOCK / H)  /* cells beside each other in a square of BLOCK x BLOCK */
#define SAMPLES (X_N_T / Y_N_T)
#define TILES ((SAMPLES + TB - 1) / TB)
#define CELLS_BEFORE(j) (STRIPS * (j) * ((j) + 1) / 2)
#define WINDOW (JB < BLOCKS ? JB : BLOCKS) /* blocks of rows j of a work-item */

#if Y_IS_ci32
#define EXACT 1
typedef JOIN(int, VW) total;
#define TOTAL(v) JOIN(convert_int, VW)(v) /* exact: a tile's sums stay below 2^24 */
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

/* Adds `times` times of H rows i and the vectors from `first` on of a block of rows j. */
INLINE void accumulate(const A_SPACE float *restrict j, const A_SPACE float *restrict i,
                       const int times, const int first, vec re[H][NV], vec im[H][NV])
{
    for (int t = 0; t < times; t++, j += 2 * BLOCK, i += 2 * BLOCK) {
        vec x[NV];
        #pragma unroll
        for (int w = first; w < NV; w++)
            x[w] = *(const A_SPACE vec *)(j + w * VW);
        #pragma unroll
        for (int h = 0; h < H; h++) {
            #pragma unroll
            for (int w = first; w < NV; w++) {
                re[h][w] = fma(x[w], (vec)(i[2 * h]), re[h][w]);
                im[h][w] = fma(x[w], (vec)(i[2 * h + 1]), im[h][w]);
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

/* x_j conj(x_i) from x_j Re x_i and x_j Im x_i. */
INLINE void combine(vec sum[H][NV], vec re[H][NV], vec im[H][NV])
{
    #pragma unroll
    for (int h = 0; h < H; h++) {
        #pragma unroll
        for (int w = 0; w < NV; w++)
            sum[h][w] = re[h][w] + SIGNS * SWAP(im[h][w]);
    }
}

/* Where a cell stands: its block of rows j, its first row i, channel and integration. */
typedef struct place {
    int j, i, c, m;
} place;

/* The part of a cell that belongs to baselines. */
INLINE void save(global Y_TYPE *restrict Y_data, const int CT_ADD, const place at,
                 const total *restrict sum)
{
    const Y_TYPE *value = (const Y_TYPE *)sum;
    for (int h = 0; h < H; h++) {
        const int i = (at.i + h) / X_N_P, a = (at.i + h) % X_N_P;
        for (int v = 0; v < BLOCK; v++) {
            const int j = (at.j * BLOCK + v) / X_N_P, b = (at.j * BLOCK + v) % X_N_P;
            if (j >= X_N_S || i > j)
                continue;
            const int l = j * (j + 1) / 2 + i, q = a * X_N_P + b;
            const Y_TYPE old = CT_ADD ? Y(at.m, l, at.c, q) : (Y_TYPE)(0);
            Y(at.m, l, at.c, q) = old + value[h * BLOCK + v];
        }
    }
}

#if HAVE_M
#define FLAGGED(s, t) M(s, t)
#else
#define FLAGGED(s, t) 0
#endif

/* Each group counts the samples of some of its integration's baselines. */
INLINE void count(
#if HAVE_M
    global const M_TYPE *restrict M_data,
#endif
    global COUNTS_TYPE *restrict COUNTS_data, const int CT_ADD, const int m, const int first,
    const int step)
{
    for (int l = first; l < COUNTS_N_L; l += step) {
        int j = (int)((sqrt(8.0f * l + 1.0f) - 1.0f) / 2);
        j -= j * (j + 1) / 2 > l;
        j += (j + 1) * (j + 2) / 2 <= l;
        const int i = l - j * (j + 1) / 2;
        uint valid = 0;
        for (int t = m * SAMPLES; t < (m + 1) * SAMPLES; t++)
            valid += !(FLAGGED(i, t) | FLAGGED(j, t));
        COUNTS(m, l) = (CT_ADD ? COUNTS(m, l) : 0) + valid;
    }
}

#if HAVE_M
/* Flagged samples become zero in the tile, so that they add nothing. */
INLINE void blank(global const M_TYPE *restrict M_data, A_SPACE A_TYPE *restrict tile, const int t0)
{
    for (int k = CT_LID; k < X_N_S * TB; k += WG) {
        const int s = k / TB, t = k % TB;
        if (t0 + t >= X_N_T || !M(s, t0 + t))
            continue;
        for (int c = 0; c < CG; c++)
            for (int p = 0; p < X_N_P; p++)
                tile[A_AT(c, s / A_N_s, t, s % A_N_s, p)] = 0;
    }
}
#define COUNT(first, step) count(M_data, COUNTS_data, CT_ADD, m, first, step)
#define BLANK(t0) blank(M_data, tile, t0)
#else
#define COUNT(first, step) count(COUNTS_data, CT_ADD, m, first, step)
#define BLANK(t0)
#endif

/* The tile's rows from row r on, of one channel, at its first time. */
#define TILE_ROWS(c, r) ((const A_SPACE float *)(tile + A_AT(c, (r) / BLOCK, 0, 0, 0) + (r) % BLOCK))

#if WG == 1

/* One cell over one tile. On the diagonal, vectors whose rows all stand above it are left out. */
INLINE void compute(total sum[H * NV], const A_SPACE float *j, const A_SPACE float *i,
                    const int times, const int first)
{
    vec re[H][NV], im[H][NV], both[H][NV];
    clear(re, im);
    accumulate(j, i, times, first, re, im);
    combine(both, re, im);
    #pragma unroll
    for (int h = 0; h < H; h++) {
        #pragma unroll
        for (int w = 0; w < NV; w++)
            sum[h * NV + w] = TOTAL(both[h][w]);
    }
}

static void compute_cell(total sum[H * NV], const A_SPACE float *j, const A_SPACE float *i,
                         const int times)
{
    compute(sum, j, i, times, 0);
}

static void compute_diagonal(total sum[H * NV], const A_SPACE float *j, const A_SPACE float *i,
                             const int times, const int below)
{
    const int first = below / X_N_P * X_N_P / LANES;
    if (first == 0)
        compute(sum, j, i, times, 0);
#if NV > 1
    if (first == 1)
        compute(sum, j, i, times, 1);
#endif
#if NV > 2
    if (first == 2)
        compute(sum, j, i, times, 2);
#endif
#if NV > 3
    if (first == 3)
        compute(sum, j, i, times, 3);
#endif
}

kernel void correlator(CT_ARGS)
{
    const int j0 = (int)get_global_id(0) * JB, j1 = min(j0 + JB, BLOCKS);
    const int c0 = (int)get_global_id(1) * CG, m = get_global_id(2);
    const int c1 = min(CG, X_N_C - c0);
    A_TYPE tile[A_SIZE] __attribute__((aligned(64)));
#if TILES > 1
    total kept[CG * (CELLS_BEFORE(BLOCKS) - CELLS_BEFORE(BLOCKS - WINDOW))][H * NV];
#endif
    for (int t = 0; t < SAMPLES; t += TB) {
        PACK_A(tile, 0, 0, m * SAMPLES + t, c0);
        BLANK(m * SAMPLES + t);
        for (int c = 0, n = 0; c < c1; c++)
            for (int j = j0; j < j1; j++)
                for (int i = 0; i < (j + 1) * BLOCK; i += H, n++) {
                    total sum[H * NV];
                    if (i < j * BLOCK)
                        compute_cell(sum, TILE_ROWS(c, j * BLOCK), TILE_ROWS(c, i),
                                     min(TB, SAMPLES - t));
                    else
                        compute_diagonal(sum, TILE_ROWS(c, j * BLOCK), TILE_ROWS(c, i),
                                         min(TB, SAMPLES - t), i - j * BLOCK);
                    const place at = {j, i, c0 + c, m};
#if TILES > 1
                    for (int k = 0; k < H * NV && t > 0; k++)
                        sum[k] += kept[n][k];
                    for (int k = 0; k < H * NV; k++)
                        kept[n][k] = sum[k];
                    if (t + TB >= SAMPLES)
#endif
                        save(Y_data, CT_ADD, at, sum);
                }
    }
    COUNT((int)(get_global_id(1) * get_global_size(0) + get_global_id(0)),
          (int)(get_global_size(0) * get_global_size(1)));
}

#else

/* Each work-item keeps one cell in registers while tiles pass by. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void correlator(CT_ARGS)
{
    local A_TYPE tile[A_SIZE];
    const int n = get_global_id(0), c = get_global_id(1), m = get_global_id(2);
    place at = {0, 0, c, m};
    while (at.j < BLOCKS - 1 && CELLS_BEFORE(at.j + 1) <= n)
        at.j++;
    at.i = min((n - CELLS_BEFORE(at.j)) * H, (at.j + 1) * BLOCK - H);
    vec re[H][NV], im[H][NV], both[H][NV];
    total sum[H * NV] = {0};
    clear(re, im);
    for (int t = 0; t < SAMPLES; t += TB) {
        CT_BARRIER;
        PACK_A(tile, 0, 0, m * SAMPLES + t, c);
        CT_BARRIER;
        BLANK(m * SAMPLES + t);
        CT_BARRIER;
        accumulate(TILE_ROWS(0, at.j * BLOCK), TILE_ROWS(0, at.i), min(TB, SAMPLES - t), 0, re, im);
        if (!EXACT && t + TB < SAMPLES)
            continue;
        combine(both, re, im);
        for (int k = 0; k < H * NV; k++)
            sum[k] += TOTAL(both[k / NV][k % NV]);
        clear(re, im);
    }
    if (n < CELLS_BEFORE(BLOCKS))
        save(Y_data, CT_ADD, at, sum);
    COUNT((int)(get_global_id(1) * get_global_size(0) + n),
          (int)(get_global_size(0) * get_global_size(1)));
}

#endif
