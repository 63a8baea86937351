/* beamformer.cl: beam[b][p][t][c] = sum_s w[b][s][c] x[s][p][t][c], or the sum of powers. See
 * README.md.
 *
 * PACK brings all stations' samples of TILE_T times and TILE_C channels into a tile, times and
 * polarizations beside each other. COMPUTE takes cells: CELL_B beams against VECTORS_TP vectors of
 * samples, all stations in one loop. Vectors hold complex samples as they are: each is multiplied
 * by the real and by the imaginary part of a weight, and the two sums are combined at the end.
 * STORE writes BEAMS beams and WRITE_C channels at a time. Where a group shares the work, the
 * kernel is in beamformer_group.cl, which is put before this text. */

#if !HAVE_W && WG > 1

/* The sum of powers, a sample for each work-item. */
kernel void beamformer(CT_ARGS)
{
    const int c = get_global_id(0), t = get_global_id(1), p = get_global_id(2);
    float sum = 0.0f;
    for (int s = 0; s < X_N_S; s++) {
        const float2 x = X_LOAD(s, p, t, c);
        sum += dot(x, x);
    }
    Y_SAVE(0, p, t, c, P_NORMALISE_IS_mean ? sum * (1.0f / X_N_S) : sum);
}

#elif !HAVE_W

/* The sum of powers, a tile for each work-item. */
kernel void beamformer(CT_ARGS)
{
    const int c = (int)get_global_id(0) * TILE_C, t = (int)get_global_id(1) * TILE_T;
    A_TYPE x[A_SIZE] __attribute__((aligned(64)));
    Q_TYPE sum[Q_SIZE] __attribute__((aligned(64)));
    PACK_A(x, 0, 0, t, c);
    for (int k = 0; k < TILE_C; k++) {
        for (int n = 0; n < TILE_T * X_N_P; n++)
            sum[Q_AT(k, 0, 0) + n] = 0;
        for (int s = 0; s < X_N_S; s++)
            for (int n = 0; n < TILE_T * X_N_P; n++) {
                const float2 v = x[A_AT(k, s, 0, 0) + n];
                sum[Q_AT(k, 0, 0) + n] += v.x * v.x + v.y * v.y;
            }
    }
    for (int n = 0; n < Q_SIZE && P_NORMALISE_IS_mean; n++)
        sum[n] *= 1.0f / X_N_S;
    STORE_Q(sum, 0, 0, t, c);
}

#elif WG == 1 /* else the kernel is in beamformer_group.cl */

#define INLINE static inline __attribute__((always_inline))

#define SAMPLES (TILE_T * X_N_P)      /* of a channel's tile */
#define ACROSS (SAMPLES / VECTOR_TP / VECTORS_TP) /* cells beside each other */
#define BEAMS (CELL_B * CELLS_B)            /* of a write */

/* Total power of cells of 16 times is made while they are in registers: results are powers. */
#ifdef FUSED
#define IN_REGISTERS \
    (X_N_P == 2 && P_INTEGRATE == 1 && Y_N_Q == 1 && VECTOR_TP == 8 && VECTORS_TP == 4)
#else
#define IN_REGISTERS 0
#endif

#if IN_REGISTERS
#define R_TYPE Z_TYPE
#define R_SPACE private
#define R_SIZE Z_SIZE
#elif defined(FUSED) /* the results' tile stays on the chip: no port has it */
#define R_TYPE float2
#define R_SPACE private
#define R_STRIDE_B (TILE_T * X_N_P)
#define R_AT(c, b, t, p) (((c) * BEAMS + (b)) * R_STRIDE_B + (t) * X_N_P + (p))
#define R_SIZE (WRITE_C * BEAMS * TILE_T * X_N_P)
#endif

#define FLOATS (2 * VECTOR_TP) /* of a vector */
#if VECTOR_TP == 1
typedef float2 vec;
#define TIMES_I(v) ((v).s10 * (vec)(-1, 1))
#elif VECTOR_TP == 2
typedef float4 vec;
#define TIMES_I(v) ((v).s1032 * (vec)(-1, 1, -1, 1))
#elif VECTOR_TP == 4
typedef float8 vec;
#define TIMES_I(v) ((v).s10325476 * (vec)(-1, 1, -1, 1, -1, 1, -1, 1))
#else
typedef float16 vec;
#define TIMES_I(v)                                                                                 \
    ((v).s1032547698badcfe * (vec)(-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1))
#endif

INLINE void clear(vec re[CELL_B][VECTORS_TP], vec im[CELL_B][VECTORS_TP])
{
    #pragma unroll
    for (int h = 0; h < CELL_B; h++) {
        #pragma unroll
        for (int w = 0; w < VECTORS_TP; w++)
            re[h][w] = im[h][w] = 0;
    }
}

/* Adds all stations of the tiles: x at the cell's first sample, weight at its first beam. */
INLINE void accumulate(const A_SPACE float *restrict x, const G_SPACE float *restrict weight,
                       vec re[CELL_B][VECTORS_TP], vec im[CELL_B][VECTORS_TP])
{
    for (int s = 0; s < A_N_S; s++, x += 2 * A_STRIDE_S, weight += 2 * G_STRIDE_S) {
        vec v[VECTORS_TP];
        #pragma unroll
        for (int w = 0; w < VECTORS_TP; w++)
            v[w] = *(const A_SPACE vec *)(x + w * FLOATS);
        #pragma unroll
        for (int h = 0; h < CELL_B; h++) {
            #pragma unroll
            for (int w = 0; w < VECTORS_TP; w++) {
                re[h][w] = fma(v[w], (vec)(weight[2 * h]), re[h][w]);
                im[h][w] = fma(v[w], (vec)(weight[2 * h + 1]), im[h][w]);
            }
        }
    }
}

#if IN_REGISTERS

/* Sums of squares, of 16 times of both polarizations: real and imaginary parts are brought side by side. */
INLINE float16 total_of(const vec a, const vec b, const vec c, const vec d)
{
    const vec first[2] = {(vec)(a.even, b.even), (vec)(a.odd, b.odd)};
    const vec second[2] = {(vec)(c.even, d.even), (vec)(c.odd, d.odd)};
    return (vec)(first[0].even, second[0].even) + (vec)(first[1].even, second[1].even) +
           (vec)(first[0].odd, second[0].odd) + (vec)(first[1].odd, second[1].odd);
}

INLINE vec square_of(const vec re, const vec im)
{
    const vec v = re + TIMES_I(im);
    return v * v;
}

/* Total power of x Re w + i (x Im w), to the results' tile. */
INLINE void finish(R_SPACE float *restrict y, vec re[CELL_B][VECTORS_TP],
                   vec im[CELL_B][VECTORS_TP])
{
    #pragma unroll
    for (int h = 0; h < CELL_B; h++)
        *(R_SPACE vec *)(y + h * Z_STRIDE_B) =
            total_of(square_of(re[h][0], im[h][0]), square_of(re[h][1], im[h][1]),
                     square_of(re[h][2], im[h][2]), square_of(re[h][3], im[h][3]));
}

#else

/* x Re w + i (x Im w), to the results' tile. */
INLINE void finish(R_SPACE float *restrict y, vec re[CELL_B][VECTORS_TP],
                   vec im[CELL_B][VECTORS_TP])
{
    #pragma unroll
    for (int h = 0; h < CELL_B; h++) {
        #pragma unroll
        for (int w = 0; w < VECTORS_TP; w++)
            *(R_SPACE vec *)(y + h * 2 * R_STRIDE_B + w * FLOATS) = re[h][w] + TIMES_I(im[h][w]);
    }
}

#endif

#if defined(FUSED) && !IN_REGISTERS

/* Detects the results' tile into the powers' tile: one row of times. */
INLINE void detect_row(Z_TYPE *restrict z, const float2 *restrict y, int c, int b)
{
    for (int t = 0; t < TILE_T / P_INTEGRATE; t++) {
        float stokes[4] = {0, 0, 0, 0};
        for (int k = 0; k < P_INTEGRATE; k++) {
            const int at = R_AT(c, b, t * P_INTEGRATE + k, 0);
            add_stokes(stokes, y[at], X_N_P > 1 ? y[at + X_N_P - 1] : (float2)(0));
        }
        for (int q = 0; q < Y_N_Q; q++)
            z[Z_AT(c, b, q, t)] = stokes[q];
    }
}

#if X_N_P == 2 && P_INTEGRATE == 1 && Y_N_Q == 1
/* Total power of both polarizations, four times at once. */
INLINE void detect_total(Z_TYPE *restrict z, const float2 *restrict y, int c, int b)
{
    for (int t = 0; t < TILE_T; t += 4) {
        const float16 v = *(const float16 *)(y + R_AT(c, b, t, 0)), square = v * v;
        const float4 power = square.s048c + square.s159d + square.s26ae + square.s37bf;
        vstore4(power, 0, z + Z_AT(c, b, 0, t));
    }
}
#define DETECT_ROW detect_total
#else
#define DETECT_ROW detect_row
#endif

INLINE void detect(Z_TYPE *restrict z, const float2 *restrict y)
{
    for (int row = 0; row < WRITE_C * BEAMS; row++)
        DETECT_ROW(z, y, row / BEAMS, row % BEAMS);
}

#endif

#define OWN (VECTORS_TP * VECTOR_TP) /* samples of a cell */
#define X_ROW(c, n) ((const A_SPACE float *)x + 2 * (A_AT(c, 0, 0, 0) + (n) * OWN))
#define W_ROW(c, h) ((const G_SPACE float *)weights + 2 * G_AT(c, h, 0, 0))
#if IN_REGISTERS
#define Y_ROW(c, h, n) (y + Z_AT(c, (h) * CELL_B, 0, (n) * OWN / X_N_P))
#else
#define Y_ROW(c, h, n) ((R_SPACE float *)y + 2 * (R_AT(c, (h) * CELL_B, 0, 0) + (n) * OWN))
#endif

/* Where the next tile starts, and how many cells of this tile were computed. */
typedef struct next_tile {
    int t, c, cells;
} next_tile;

#define PREFETCH_PARTS ((TILE_T + F_N_T - 1) / F_N_T) /* of a station's times */

/* Prefetches a piece of the next tile, one before each cell, so that COMPUTE hides the wait for
 * memory. */
INLINE void prefetch_piece(global const X_TYPE *restrict X_data, next_tile *next)
{
    const int piece = next->cells++, s = piece / PREFETCH_PARTS * F_N_S;
    if (s < X_N_S && next->c < X_N_C)
        PREFETCH_F(s, 0, next->t + piece % PREFETCH_PARTS * F_N_T, next->c);
}

/* Results that are still to be stored, in PARTS_T parts of their times. */
typedef struct pending {
    const R_TYPE *y;
    int b, t, c, part;
} pending;

/* Stores a part, one before each cell, so that COMPUTE hides the wait for memory. */
INLINE void store_part(global Y_TYPE *restrict Y_data, pending *last)
{
#if PARTS_T > 1
    const int t = last->part * D_N_T;
    if (last->part >= PARTS_T)
        return;
    if (last->t + t < X_N_T)
        STORE_D(last->y + t * X_N_P, last->b, 0, last->t + t, last->c);
    last->part++;
#endif
}

INLINE void store_rest(global Y_TYPE *restrict Y_data, pending *last)
{
    for (int part = last->part; part < PARTS_T; part++)
        store_part(Y_data, last);
}

/* All cells of one write: `channels` from `c` on of the tile. */
static void compute(R_TYPE *restrict y, const A_TYPE *restrict x, const G_TYPE *restrict weights,
                    const int c, const int channels, const int first, const int cells,
                    global const X_TYPE *restrict X_data, next_tile *next,
                    global Y_TYPE *restrict Y_data, pending *last)
{
    for (int k = 0; k < channels; k++)
        for (int h = 0; h < cells; h++)
            for (int n = 0; n < ACROSS; n++) {
                prefetch_piece(X_data, next);
                store_part(Y_data, last);
                vec re[CELL_B][VECTORS_TP], im[CELL_B][VECTORS_TP];
                clear(re, im);
                accumulate(X_ROW(c + k, n), W_ROW(c + k, first + h), re, im);
                finish(Y_ROW(k, h, n), re, im);
            }
    store_rest(Y_data, last);
}

kernel void beamformer(CT_ARGS)
{
    const int c = (int)get_global_id(0) * TILE_C, t0 = (int)get_global_id(1) * TILE_T * TILES_T;
    const int b0 = (int)get_global_id(2) * BEAMS * WRITES_B;
    A_TYPE x[A_SIZE] __attribute__((aligned(64)));
    G_TYPE weights[G_SIZE] __attribute__((aligned(64)));
    R_TYPE two[1 + (PARTS_T > 1)][R_SIZE] __attribute__((aligned(64)));
#if defined(FUSED) && !IN_REGISTERS
    Z_TYPE z[Z_SIZE] __attribute__((aligned(64)));
#endif
    const int t1 = min(t0 + TILE_T * TILES_T, X_N_T);
    pending last = {two[0], 0, 0, 0, PARTS_T};
    for (int t = t0, which = 0; t < t1; t += TILE_T) {
        next_tile next = {t + TILE_T < t1 ? t + TILE_T : t0, t + TILE_T < t1 ? c : c + TILE_C, 0};
        if (t == t0 || SEGMENT(t) != SEGMENT(t - TILE_T))
            PACK_G(weights, SEGMENT(t), b0, 0, c);
        PACK_A(x, 0, 0, t, c);
        for (int k = 0; k < TILE_C && c + k < X_N_C; k += WRITE_C)
            for (int n = 0; n < WRITES_B && b0 + n * BEAMS < Y_N_B; n++, which ^= PARTS_T > 1) {
                const int b = b0 + n * BEAMS;
                const int cells = min(CELLS_B, (Y_N_B - b + CELL_B - 1) / CELL_B);
                R_TYPE *y = two[which];
                compute(y, x, weights, k, min(WRITE_C, X_N_C - c - k), n * CELLS_B, cells, X_data,
                        &next, Y_data, &last);
                last = (pending){y, b, t, c + k, 0};
#if IN_REGISTERS
                STORE_Z(y, b, 0, t, c + k);
#elif defined(FUSED)
                detect(z, y);
                STORE_Z(z, b, 0, t / P_INTEGRATE, c + k);
#elif PARTS_T == 1
                STORE_R(y, b, 0, t, c + k);
#endif
            }
    }
    store_rest(Y_data, &last);
}

#endif
