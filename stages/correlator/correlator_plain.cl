/* correlator_plain.cl: COMPUTE of the correlator by multiplications and additions.
 *
 * Vectors hold complex rows as they are: each is multiplied by the real and by the imaginary part of
 * row i, and the two sums are combined at the end. Sums of 8-bit products stay exact, because those of
 * one tile are below 2^24 and tiles are added as integers.
 *
 * Sums of floats are fused and rounded, so that their order counts: it is that of the stream, whatever
 * firings and tiles are. Partial sums are of the samples between multiples of GRID in the stream, and
 * are added to the total one after another; an integration may begin and end between such multiples. */

#define INLINE static inline __attribute__((always_inline))

#define PANEL (VECTORS_SP * VECTOR_SP) /* rows j of a cell */

#if VECTOR_SP == 1 /* row, of two numbers */
#define VECTOR(type) type##2
#define SWAP(v) ((v).s10)
#define SIGNS ((vec)(1, -1))
#elif VECTOR_SP == 2
#define VECTOR(type) type##4
#define SWAP(v) ((v).s1032)
#define SIGNS ((vec)(1, -1, 1, -1))
#elif VECTOR_SP == 4
#define VECTOR(type) type##8
#define SWAP(v) ((v).s10325476)
#define SIGNS ((vec)(1, -1, 1, -1, 1, -1, 1, -1))
#else
#define VECTOR(type) type##16
#define SWAP(v) ((v).s1032547698badcfe)
#define SIGNS ((vec)(1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1))
#endif

typedef float part; /* real or imaginary, in the tile */
typedef VECTOR(float) vec;

#if Y_IS_ci32
typedef VECTOR(int) total;
#define TOTAL(v) VECTOR(convert_int)(v)
#else
typedef vec total;
#define TOTAL(v) (v)
#endif

/* The tile's rows from row r on, of one channel, at its first time. */
#define TILE_ROWS(c, r)                                                                            \
    ((const A_SPACE part *)(tile + A_AT(c, (r) / PANEL, 0, 0, 0) + (r) % PANEL))

INLINE void clear(vec re[CELL_SP][VECTORS_SP], vec im[CELL_SP][VECTORS_SP])
{
    #pragma unroll
    for (int h = 0; h < CELL_SP; h++) {
        #pragma unroll
        for (int w = 0; w < VECTORS_SP; w++)
            re[h][w] = im[h][w] = 0;
    }
}

/* Adds one time of CELL_SP rows i and the vectors from `first` on of a panel of rows j. */
INLINE void add_time(const A_SPACE part *restrict j, const A_SPACE part *restrict i,
                     const int first, vec re[CELL_SP][VECTORS_SP], vec im[CELL_SP][VECTORS_SP])
{
    #pragma unroll
    for (int w = first; w < VECTORS_SP; w++) {
        const vec x = *(const A_SPACE vec *)(j + w * 2 * VECTOR_SP);
        #pragma unroll
        for (int h = 0; h < CELL_SP; h++) {
            re[h][w] = fma(x, (vec)(i[2 * h]), re[h][w]);
            im[h][w] = fma(x, (vec)(i[2 * h + 1]), im[h][w]);
        }
    }
}

INLINE void accumulate(const A_SPACE part *restrict j, const A_SPACE part *restrict i,
                       const int times, const int first, vec re[CELL_SP][VECTORS_SP],
                       vec im[CELL_SP][VECTORS_SP])
{
    for (int t = 0; t < times; t++, j += 2 * PANEL, i += 2 * PANEL)
        add_time(j, i, first, re, im);
}

/* x_j conj(x_i) from x_j Re x_i and x_j Im x_i, or from x_i Re x_j and x_i Im x_j; adds it to the
 * sums, or sets them. */
INLINE void combine(total sum[CELL_SP * VECTORS_SP], const int add, const int strip_j,
                    vec re[CELL_SP][VECTORS_SP], vec im[CELL_SP][VECTORS_SP])
{
    #pragma unroll
    for (int h = 0; h < CELL_SP; h++) {
        #pragma unroll
        for (int w = 0; w < VECTORS_SP; w++) {
            const total both = TOTAL(strip_j ? SIGNS * re[h][w] + SWAP(im[h][w])
                                             : re[h][w] + SIGNS * SWAP(im[h][w]));
            sum[h * VECTORS_SP + w] = add ? sum[h * VECTORS_SP + w] + both : both;
        }
    }
}

#define TILE_WORK int

#if Y_IS_cf32

#define GRID 32
#define GRID_UNROLL 8
#define TILE_PREPARE(work, tile, times, place) (*(work) = (place))

/* GRID times: so few rounds of the loop that its end is predicted. */
INLINE void accumulate_grid(const A_SPACE part *restrict j, const A_SPACE part *restrict i,
                            const int first, vec re[CELL_SP][VECTORS_SP],
                            vec im[CELL_SP][VECTORS_SP])
{
    for (int t = 0; t < GRID; t += GRID_UNROLL) {
        #pragma unroll
        for (int n = t; n < t + GRID_UNROLL; n++)
            add_time(j + n * 2 * PANEL, i + n * 2 * PANEL, first, re, im);
    }
}

/* One cell over one tile, without the vectors before `first`; *work is the place of the tile's first
 * time in the grid. */
INLINE void compute_from(total *sum, const int add, const TILE_TYPE *tile, const int *work,
                         const int c, const int j, const int i, const int times, const int first,
                         const int strip_j)
{
    for (int t = 0, n; t < times; t += n) {
        vec re[CELL_SP][VECTORS_SP], im[CELL_SP][VECTORS_SP];
        const A_SPACE part *rows_j = TILE_ROWS(c, j * PANEL) + t * 2 * PANEL;
        const A_SPACE part *rows_i = TILE_ROWS(c, i) + t * 2 * PANEL;
        n = min(times - t, GRID - (*work + t) % GRID);
        clear(re, im);
        if (n == GRID)
            accumulate_grid(rows_j, rows_i, first, re, im);
        else
            accumulate(rows_j, rows_i, n, first, re, im);
        combine(sum, add || t > 0, strip_j, re, im);
    }
}

#else

#define TILE_PREPARE(work, tile, times, place)

/* One cell over one tile, without the vectors before `first`. */
INLINE void compute_from(total *sum, const int add, const TILE_TYPE *tile, const int *work,
                         const int c, const int j, const int i, const int times, const int first,
                         const int strip_j)
{
    vec re[CELL_SP][VECTORS_SP], im[CELL_SP][VECTORS_SP];
    clear(re, im);
    accumulate(TILE_ROWS(c, j * PANEL), TILE_ROWS(c, i), times, first, re, im);
    combine(sum, add, strip_j, re, im);
}

#endif
