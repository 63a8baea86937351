/* beamformer_group.cl: the beam former for GPUs: what a work-group does.
 *
 * A group takes BEAMS beams of SAMPLES samples (times and polarizations) of one channel, and packs
 * TILE_S stations of both the samples and the weights at a time into local memory. A work-item
 * keeps CELL_B beams by VECTORS_TP vectors of samples in registers. A vector's neighbours go to one
 * work-item, vectors beside each other to neighbouring ones, so that a group reads local memory
 * without conflicts: sample (k ACROSS + n) VECTOR_TP + l is lane l of vector k of work-item n along
 * the samples, and likewise beam (k CELLS_B + h) PAIR + l. Results leave by way of local memory,
 * CHUNK beams at a time.
 *
 * By products of matrices (beamformer_mma.cl) each of the group's warps takes all of its beams and 4 OWN of its
 * samples, and a work-item those CELL_B x OWN sums that the layout gives it. A chunk is one product's beams. */

#define INLINE static inline __attribute__((always_inline))

#if VECTOR_TP == 1
typedef float2 vec;
#else
typedef float4 vec;
#endif

#define SAMPLES (TILE_T * X_N_P)
#define ACROSS (SAMPLES / VECTOR_TP / VECTORS_TP)      /* work-items along the samples */
#define OWN (VECTORS_TP * VECTOR_TP)                   /* samples of a work-item */
#if CELL_B % 2
#define PAIR 1 /* beams in a vector of weights */
typedef float2 weight_vec;
#else
#define PAIR 2
typedef float4 weight_vec;
#endif
#define CHUNK (CELLS_B * PAIR)
#define BEAMS (CELL_B * CELLS_B)

#if DOT == 2

/* The sums of one work-item: products of beams by samples. */
typedef struct cell {
    product of[CELL_B / 2][VECTORS_TP];
} cell;

#define LANE ((uint)CT_LID % WARP)
#define FIRST_TP ((uint)CT_LID / WARP * 4 * OWN) /* sample of a warp */

INLINE void clear(cell *sum)
{
    #pragma unroll
    for (int m = 0; m < CELL_B / 2; m++) {
        #pragma unroll
        for (int n = 0; n < VECTORS_TP; n++)
            sum->of[m][n] = (product){{0, 0, 0, 0}, {0, 0, 0, 0}};
    }
}

/* Adds as many stations as a product takes. */
INLINE void multiply(cell *sum, const side weights, const side samples, const uint lane)
{
    rows w[CELL_B / 2];
    #pragma unroll
    for (int m = 0; m < CELL_B / 2; m++)
        w[m] = take_rows(side_of(weights.first + m * PRODUCT_B, weights.apart), lane);
    #pragma unroll
    for (int n = 0; n < VECTORS_TP; n++) {
        const column x = take_column(side_of(samples.first + n * PRODUCT_TP, samples.apart), lane);
        #pragma unroll
        for (int m = 0; m < CELL_B / 2; m++) {
            product one;
            #pragma unroll
            for (int term = 0; term < TERMS; term++)
                take_term(&one, w[m], x, lane, term);
            add_product(&sum->of[m][n], one);
        }
    }
}

/* Adds a tile's stations. */
INLINE void accumulate(cell *sum, local const U_TYPE *samples, local const H_TYPE *weights)
{
    for (int s = 0; s < TILE_S; s += PRODUCT_S)
        multiply(sum, side_of(weights + s * H_STRIDE_S, H_STRIDE_S),
                 side_of(samples + s * U_STRIDE_S + FIRST_TP, U_STRIDE_S), LANE);
}

/* Beams of product k, to the results' tile. */
INLINE void put(local float2 *y, const cell *sum, const int k)
{
    #pragma unroll
    for (int n = 0; n < VECTORS_TP; n++) {
        const product *of = &sum->of[k][n];
        #pragma unroll
        for (int v = 0; v < 4; v++)
            y[SUM_B(LANE, v) * SAMPLES + FIRST_TP + n * PRODUCT_TP + SUM_TP(LANE, v)] =
                (float2)(of->re[v], of->im[v]);
    }
}

#else

/* The sums of one work-item: beams by samples. */
typedef struct cell {
    float re[CELL_B][OWN], im[CELL_B][OWN];
} cell;

INLINE void clear(cell *sum)
{
    #pragma unroll
    for (int h = 0; h < CELL_B; h++) {
        #pragma unroll
        for (int n = 0; n < OWN; n++)
            sum->re[h][n] = sum->im[h][n] = 0;
    }
}

/* Adds one station. */
INLINE void multiply(cell *sum, const float w[2 * CELL_B], const float x[2 * OWN])
{
    #pragma unroll
    for (int h = 0; h < CELL_B; h++) {
        #pragma unroll
        for (int n = 0; n < OWN; n++) {
            sum->re[h][n] = fma(w[2 * h], x[2 * n], sum->re[h][n]);
            sum->im[h][n] = fma(w[2 * h], x[2 * n + 1], sum->im[h][n]);
            sum->re[h][n] = fma(-w[2 * h + 1], x[2 * n + 1], sum->re[h][n]);
            sum->im[h][n] = fma(w[2 * h + 1], x[2 * n], sum->im[h][n]);
        }
    }
}

/* Adds a tile's stations. */
INLINE void accumulate(cell *sum, local const U_TYPE *samples, local const H_TYPE *weights)
{
    local const float *from = (local const float *)samples + CT_LID % ACROSS * 2 * VECTOR_TP;
    local const float *by = (local const float *)weights + CT_LID / ACROSS * 2 * PAIR;
    for (int s = 0; s < TILE_S; s++) {
        float x[2 * OWN] __attribute__((aligned(16))), w[2 * CELL_B] __attribute__((aligned(16)));
        #pragma unroll
        for (int k = 0; k < VECTORS_TP; k++)
            *(vec *)(x + k * 2 * VECTOR_TP) =
                *(local const vec *)(from + s * 2 * U_STRIDE_S + k * ACROSS * 2 * VECTOR_TP);
        #pragma unroll
        for (int k = 0; k < CELL_B / PAIR; k++)
            *(weight_vec *)(w + k * 2 * PAIR) =
                *(local const weight_vec *)(by + s * 2 * H_STRIDE_S + k * CELLS_B * 2 * PAIR);
        multiply(sum, w, x);
    }
}

/* Beams of vector k, to the results' tile. */
INLINE void put(local float2 *y, const cell *sum, const int k)
{
    const int n = CT_LID % ACROSS, h = CT_LID / ACROSS;
    #pragma unroll
    for (int b = 0; b < PAIR; b++) {
        #pragma unroll
        for (int v = 0; v < OWN; v++)
            y[(h * PAIR + b) * SAMPLES + (v / VECTOR_TP * ACROSS + n) * VECTOR_TP + v % VECTOR_TP] =
                (float2)(sum->re[k * PAIR + b][v], sum->im[k * PAIR + b][v]);
    }
}

#endif

#ifdef FUSED
/* Detects the results' tile into the powers' tile, where its beams begin at `first`. */
INLINE void detect(local Z_TYPE *z, local const float2 *y, const int first)
{
    for (int n = CT_LID; n < CHUNK * Z_N_T; n += WG) {
        const int b = n / Z_N_T, t = n % Z_N_T;
        float stokes[4] = {0, 0, 0, 0};
        for (int k = 0; k < P_INTEGRATE; k++) {
            local const float2 *at = y + b * SAMPLES + (t * P_INTEGRATE + k) * X_N_P;
            add_stokes(stokes, at[0], X_N_P > 1 ? at[X_N_P - 1] : (float2)(0));
        }
        for (int q = 0; q < Y_N_Q; q++)
            z[Z_AT(0, first + b, q, t)] = stokes[q];
    }
}
#endif

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void beamformer(CT_ARGS)
{
    const int b = (int)get_group_id(0) * BEAMS, t = (int)get_group_id(1) * TILE_T;
    const int c = get_group_id(2);
    local U_TYPE samples[U_SIZE] __attribute__((aligned(16)));
    local H_TYPE weights[H_SIZE] __attribute__((aligned(16)));
    local float2 y[CHUNK * SAMPLES] __attribute__((aligned(16)));
#ifdef FUSED
    local Z_TYPE z[Z_SIZE];
#endif
    cell sum;
    clear(&sum);
    for (int s = 0; s < X_N_S; s += TILE_S) {
        CT_BARRIER;
        PACK_U(samples, s, 0, t, c);
        PACK_H(weights, SEGMENT(t), b, s, c);
        CT_BARRIER;
        accumulate(&sum, samples, weights);
    }
    #pragma unroll
    for (int k = 0; k < CELL_B / PAIR; k++) {
        CT_BARRIER;
        put(y, &sum, k);
        CT_BARRIER;
#ifdef FUSED
        detect(z, y, k * CHUNK);
#else
        if (b + k * CHUNK < Y_N_B) STORE_V(y, b + k * CHUNK, 0, t, c);
#endif
    }
#ifdef FUSED
    CT_BARRIER;
    STORE_Z(z, b, 0, t / P_INTEGRATE, c);
#endif
}
