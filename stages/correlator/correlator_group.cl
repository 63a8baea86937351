/* correlator_group.cl: the correlator for GPUs: what a work-group does.
 *
 * A group takes a square of PANEL x PANEL products: PANEL rows i against PANEL rows j, of which it
 * packs TILE_T times at a time into local memory. Its SIDE x SIDE work-items take CELL_SP x CELL_SP
 * products each and keep them in registers. A row's neighbours in a vector go to one work-item,
 * vectors beside each other to neighbouring ones, so that a group reads local memory without
 * conflicts: row (k SIDE + x) VECTOR_SP + l is lane l of vector k of work-item x. In squares on the
 * diagonal, products of vectors that lie wholly above it are left out.
 *
 * Sums of 8-bit products stay exact: made by dot products of four bytes, which hold two times of a
 * row, they are integers; made by floats, they are moved to the output as integers before 2^24.
 * 16-bit products are added in 64 bits.
 *
 * By products of matrices (correlator_mma.cl) each warp takes 8 CELL_SP rows j and 4 CELL_SP rows i of the
 * square, and a work-item of it those CELL_SP x CELL_SP sums that the layout gives it. */

#if VECTOR_SP == 1 /* row, of two numbers */
#define VECTOR(type) type##2
#else
#define VECTOR(type) type##4
#endif
#define INLINE static inline __attribute__((always_inline))

#define DOTS (DOT && Y_IS_ci32)
#if DOTS && DOT == 2
#define MATRICES 1
#define BESIDE PRODUCT_I /* rows that lie between two of a work-item's vectors */
#define OTHERS ((CELL_SP + 3) / 4 * 4)
#else
#define MATRICES 0
#define OTHERS CELL_SP
#define BESIDE (SIDE * VECTOR_SP)
#endif
#if DOTS
#define PARTS 1 /* numbers of a row, */
#define STEP 2  /* which hold so many times */
typedef int part, number;
#if VECTOR_SP == 1
typedef int vec;
#else
typedef int2 vec;
#endif
#define TILE_AT(t, s, p) B_AT((t) / 2, s, p, (t) % 2)
#elif Y_IS_ci64
#define PARTS 2
#define STEP 1
typedef short part;
typedef long number;
typedef VECTOR(short) vec;
#define MULTIPLY_ADD(a, b, c) ((long)(a) * (long)(b) + (c))
#define TILE_AT(t, s, p) B_AT(t, s, p)
#else
#define PARTS 2
#define STEP 1
typedef float part, number;
typedef VECTOR(float) vec;
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#define TILE_AT(t, s, p) B_AT(t, s, p)
#endif

#define SIDE (WG == 64 ? 8 : 16)  /* work-items along each side of the square */
#define PANEL (SIDE * CELL_SP)          /* rows of a side */
#define STATIONS (PANEL / X_N_P)  /* of a side; rows left over belong to none */
#define MIXED (BESIDE % X_N_P != 0) /* a station may reach over two vectors of an item */

/* Samples that are added up as floats: 2 (128 * 128) * 512 = 2^24. */
#if Y_IS_ci32 && !DOTS
#define TOGETHER 512
#define VALUE(re, im) convert_int2((float2)(re, im))
#else
#define TOGETHER SAMPLES
#define VALUE(re, im) ((Y_TYPE)(re, im))
#endif

/* The sums of one work-item: rows i by rows j. */
typedef struct cell {
    number re[CELL_SP][CELL_SP], im[CELL_SP][CELL_SP];
#if DOTS
    int other[OTHERS]; /* that imaginary parts lack: see multiply() */
#endif
} cell;

INLINE void clear(cell *sum)
{
    #pragma unroll
    for (int h = 0; h < CELL_SP; h++) {
        #pragma unroll
        for (int w = 0; w < CELL_SP; w++)
            sum->re[h][w] = sum->im[h][w] = 0;
#if DOTS
        sum->other[h] = sum->other[OTHERS - 1 - h] = 0;
#endif
    }
}

#if MATRICES

#define WARP_J (8 * CELL_SP) /* rows of a warp */
#define WARP_I (4 * CELL_SP)
#define LANE ((uint)CT_LID % WARP)
#define FIRST_J ((uint)CT_LID / WARP / (PANEL / WARP_I) * WARP_J)
#define FIRST_I ((uint)CT_LID / WARP % (PANEL / WARP_I) * WARP_I)
#define APART (B_STRIDE_T / 2)
#define WHOLE_PRODUCTS (!CARRIED && X_N_T / Y_N_T % PRODUCT_TIMES == 0)

/* Whether all stations i of a product come after all of its stations j. */
INLINE int lies_above(const int m, const int n)
{
    return (FIRST_I + n * PRODUCT_I) / X_N_P > (FIRST_J + m * PRODUCT_J + PRODUCT_J - 1) / X_N_P;
}

#define SUMS_OF(part, m, n)                                                                        \
    &part[2 * n][2 * m], &part[2 * n + 1][2 * m], &part[2 * n][2 * m + 1], &part[2 * n + 1][2 * m + 1]

/* x_j conj(x_i) of as many times as a product takes, without the sum of Re x_j in imaginary parts, which is
 * made by products, too: where it is one row's in even and another's in odd ones, each lane has both. */
INLINE void multiply(cell *sum, const side i, const side j, const int diagonal)
{
    const uint lane = LANE;
    operand rows_j[CELL_SP / 2];
    #pragma unroll
    for (int m = 0; m < CELL_SP / 2; m++) {
        rows_j[m] = take_j(((side){j.words + m * PRODUCT_J, APART, j.times}), lane);
        int *other = sum->other + m / 2 * 4;
        add_product(other, other + 1, other + 2, other + 3, rows_j[m], rows_j[m], ONES_EVEN + m % 2, lane);
    }
    #pragma unroll
    for (int n = 0; n < CELL_SP / 2; n++) {
        const operand rows_i = take_i(((side){i.words + n * PRODUCT_I, APART, i.times}), lane);
        #pragma unroll
        for (int m = 0; m < CELL_SP / 2; m++) {
            if (diagonal && lies_above(m, n)) continue;
            add_product(SUMS_OF(sum->re, m, n), rows_j[m], rows_i, AS_IT_IS, lane);
            add_product(SUMS_OF(sum->im, m, n), rows_j[m], rows_i, ROTATED, lane);
        }
    }
}
#define IMAGINARY(sum, h, w) ((sum)->im[h][w] + (sum)->other[(w) / 4 * 4 + (w) % 2 * 2 + (w) / 2 % 2])

/* Adds `times` times of a tile. */
INLINE void accumulate(cell *sum, local const B_TYPE *i, local const B_TYPE *j, const int times,
                       const int diagonal)
{
    for (int t = 0; t < times; t += PRODUCT_TIMES) {
        const side rows_i = {(local const int *)i + t / 2 * APART + FIRST_I, APART, PRODUCT_TIMES};
        const side rows_j = {(local const int *)j + t / 2 * APART + FIRST_J, APART,
                             WHOLE_PRODUCTS ? PRODUCT_TIMES : times - t};
        multiply(sum, rows_i, rows_j, diagonal);
    }
}

#else

/* One work-item's rows of one time. */
INLINE void load(part rows[PARTS * CELL_SP], local const part *from)
{
    #pragma unroll
    for (int k = 0; k < CELL_SP / VECTOR_SP; k++)
        *(vec *)(rows + k * PARTS * VECTOR_SP) =
            *(local const vec *)(from + k * SIDE * PARTS * VECTOR_SP);
}

#if DOTS

/* x_j conj(x_i) of two times, without the sum of Re x_j in imaginary parts; on the diagonal only
 * where i's vector does not come after j's. */
INLINE void multiply(cell *sum, const int i[CELL_SP], const int j[CELL_SP], const int diagonal)
{
    #pragma unroll
    for (int h = 0; h < CELL_SP; h++) {
        const int rotated = rotate_pairs(i[h]);
        sum->other[h] = dot4(sum->other[h], j[h], 0x00010001);
        #pragma unroll
        for (int w = 0; w < CELL_SP; w++) {
            if (diagonal && !MIXED && h / VECTOR_SP > w / VECTOR_SP) continue;
            sum->re[h][w] = dot4(sum->re[h][w], j[w], i[h]);
            sum->im[h][w] = dot4(sum->im[h][w], j[w], rotated);
        }
    }
}
#define IMAGINARY(sum, h, w) ((sum)->im[h][w] + (sum)->other[w])

#else

/* x_j conj(x_i) of one time; on the diagonal only where i's vector does not come after j's. */
INLINE void multiply(cell *sum, const part i[2 * CELL_SP], const part j[2 * CELL_SP],
                     const int diagonal)
{
    #pragma unroll
    for (int h = 0; h < CELL_SP; h++) {
        #pragma unroll
        for (int w = 0; w < CELL_SP; w++) {
            if (diagonal && !MIXED && h / VECTOR_SP > w / VECTOR_SP) continue;
            sum->re[h][w] = MULTIPLY_ADD(j[2 * w], i[2 * h], sum->re[h][w]);
            sum->im[h][w] = MULTIPLY_ADD(j[2 * w + 1], i[2 * h], sum->im[h][w]);
            sum->re[h][w] = MULTIPLY_ADD(j[2 * w + 1], i[2 * h + 1], sum->re[h][w]);
            sum->im[h][w] = MULTIPLY_ADD(-j[2 * w], i[2 * h + 1], sum->im[h][w]);
        }
    }
}
#define IMAGINARY(sum, h, w) ((sum)->im[h][w])

#endif

/* Adds `times` times of a tile. */
INLINE void accumulate(cell *sum, local const B_TYPE *i, local const B_TYPE *j, const int times,
                       const int diagonal)
{
    local const part *from_i = (local const part *)i + CT_LID % SIDE * PARTS * VECTOR_SP;
    local const part *from_j = (local const part *)j + CT_LID / SIDE * PARTS * VECTOR_SP;
    for (int t = 0; t < (times + STEP - 1) / STEP; t++) {
        part row_i[PARTS * CELL_SP] __attribute__((aligned(16))), row_j[PARTS * CELL_SP] __attribute__((aligned(16)));
        load(row_i, from_i + t * PARTS * B_STRIDE_T / STEP);
        load(row_j, from_j + t * PARTS * B_STRIDE_T / STEP);
#if DOTS && (CARRIED || X_N_T / Y_N_T % 2)
        #pragma unroll
        for (int w = 0; w < CELL_SP; w++) /* only the last time */
            row_j[w] &= 2 * t + 1 < times ? -1 : 0x0000ffff;
#endif
        multiply(sum, row_i, row_j, diagonal);
    }
}

#endif

/* The n-th of a work-item's rows i or j, in two parts; its station and polarization, for which the first part
 * is enough where the second one is whole stations. */
#if MATRICES
#define LANE_i(n) (FIRST_I + SUM_I(LANE, (n) % 2))
#define LANE_j(n) (FIRST_J + SUM_J(LANE, 0))
#define BEHIND_i(n) ((n) / 2 * PRODUCT_I)
#define BEHIND_j(n) ((n) * PRODUCT_I)
#else
#define LANE_i(n) ((uint)(CT_LID % SIDE) * VECTOR_SP + (n) % VECTOR_SP)
#define LANE_j(n) ((uint)(CT_LID / SIDE) * VECTOR_SP + (n) % VECTOR_SP)
#define BEHIND_i(n) ((n) / VECTOR_SP * (SIDE * VECTOR_SP))
#define BEHIND_j(n) BEHIND_i(n)
#endif
#if MIXED
#define ROW(side, n) (LANE_##side(n) + BEHIND_##side(n))
#define STATION(first, side, n) ((first) + ROW(side, n) / X_N_P)
#define POLARIZATION(side, n) (ROW(side, n) % X_N_P)
#define FILLED(side, n) (ROW(side, n) < STATIONS * X_N_P)
#else
#define STATION(first, side, n) ((first) + LANE_##side(n) / X_N_P + BEHIND_##side(n) / X_N_P)
#define POLARIZATION(side, n) (LANE_##side(n) % X_N_P)
#define FILLED(side, n) 1
#endif

/* Stations i0 and on against stations j0 and on, as far as they make baselines. */
INLINE void move(global Y_TYPE *restrict Y_data, const int how, const int m, const int c,
                 const uint i0, const uint j0, cell *sum)
{
    #pragma unroll
    for (int w = 0; w < CELL_SP; w++) {
        const int j = STATION(j0, j, w), b = POLARIZATION(j, w);
        global Y_TYPE *row = &Y(m, j * (j + 1) / 2, c, b);
        #pragma unroll
        for (int h = 0; h < CELL_SP; h++) {
            const int i = STATION(i0, i, h), a = POLARIZATION(i, h);
            const Y_TYPE value = VALUE(sum->re[h][w], IMAGINARY(sum, h, w));
            global Y_TYPE *at = row + i * Y_STRIDE_L + a * X_N_P * Y_STRIDE_Q;
            if (i > j || j >= X_N_S || !FILLED(i, h) || !FILLED(j, w))
                continue;
            if (how == LOAD)
                sum->re[h][w] = at->x, sum->im[h][w] = at->y;
            else
                *at = how == ADD ? *at + value : value;
        }
    }
}

#if HAVE_M
/* Flagged samples become zero in the tile, so that they add nothing. */
INLINE void blank(global const M_TYPE *restrict M_data, local B_TYPE *tile, const int s0,
                  const int t0, const int c)
{
    for (int k = CT_LID; k < B_N_S * TILE_T; k += WG) {
        const int s = k / TILE_T, t = k % TILE_T;
        if (s0 + s < X_N_S && t0 + t < X_N_T &&
            M_LEFT_OUT(M_N_S > 1 ? s0 + s : 0, t0 + t, c))
            for (int p = 0; p < X_N_P; p++)
                tile[TILE_AT(t, s, p)] = 0;
    }
}
#define BLANK(tile, s, t, c)                                                                       \
    CT_BARRIER;                                                                                    \
    blank(M_data, tile, s, t, c)
#else
#define BLANK(tile, s, t, c)
#endif
