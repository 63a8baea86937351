/* correlator_bytes.cl: COMPUTE of the correlator by dot products of bytes, exact.
 *
 * A lane is a row and holds two times: [re, im, re', im']. Rows j are made unsigned by adding 128;
 * rows i come as they are, for the real part, and as [~im, re, ..], for the imaginary part (~im =
 * -im - 1 exists for -128 too). What the offsets add depends only on one row and is taken off at
 * the end:
 *
 *     sum (xj + 128) . [re, im]   = Re  + 128 sum(re_i + im_i)
 *     sum (xj + 128) . [~im, re]  = Im  - sum(re_j) + 128 sum(re_i + ~im_i) */

typedef int16 total;

#define PANELS I_N_S
#define PAIRS I_N_T /* pairs of times in a tile */
#define TILE_SPACE I_SPACE
#define TILE_TYPE I_TYPE
#define TILE_SIZE I_SIZE
#define TILE_AT(c, s, t, p) I_AT(c, (s) / I_N_s, (t) / 2, (s) % I_N_s, p, (t) % 2)
#define PACK_TILE PACK_I
#define TILE_WORK prepared
#define TILE_PREPARE(work, tile, times, place) prepare(work, tile, times)

/* What COMPUTE needs besides a tile: rows i rotated, and sums of each row. */
typedef struct prepared {
    int rotated[TILE_C * PANELS * PAIRS * PANEL]; /* [~im, re, ..] */
    int16 real[TILE_C * PANELS * VECTORS_SP];            /* 128 sum(re + im) */
    int16 imaginary[TILE_C * PANELS * VECTORS_SP];       /* 128 sum(re + ~im) */
    int16 other[TILE_C * PANELS * VECTORS_SP];           /* sum(re) */
} prepared __attribute__((aligned(64)));

/* [re, im] -> [~im, re] in every half of a lane. */
INLINE int16 rotate_pairs(const int16 v)
{
    return ((v >> 8 & 0x00ff00ff) ^ 0x00ff00ff) | (v << 8 & (int)0xff00ff00);
}

/* Of an odd number of times the last pair loses its second one. */
INLINE void cut(I_TYPE *restrict tile, const int times)
{
    for (int n = 0; n < TILE_C * PANELS; n++) {
        int16 *last = (int16 *)tile + (n * PAIRS + times / 2) * VECTORS_SP;
        for (int w = 0; w < VECTORS_SP; w++)
            last[w] &= 0x0000ffff;
    }
}

INLINE void prepare(prepared *restrict work, I_TYPE *restrict tile, const int times)
{
    const int16 *from = (const int16 *)tile;
    if (times % 2)
        cut(tile, times);
    for (int n = 0; n < TILE_C * PANELS * VECTORS_SP; n++) {
        int16 real = 0, imaginary = 0, other = 0;
        for (int t = 0; t < (times + 1) / 2; t++) {
            const int at = (n / VECTORS_SP * PAIRS + t) * VECTORS_SP + n % VECTORS_SP;
            const int16 v = from[at], rotated = rotate_pairs(v);
            ((int16 *)work->rotated)[at] = rotated;
            real = dot4(real, (int16)((int)0x80808080), v);
            imaginary = dot4(imaginary, (int16)((int)0x80808080), rotated);
            other = dot4(other, (int16)0x00010001, v);
        }
        work->real[n] = real;
        work->imaginary[n] = imaginary;
        work->other[n] = other;
    }
}

/* One cell over one tile, without the vectors before `first`. */
INLINE void compute_from(total sum[2 * CELL_SP * VECTORS_SP], const int add, const I_TYPE *tile,
                         const prepared *work, const int c, const int j, const int i,
                         const int times, const int first, const int strip_j)
{
    int16 re[CELL_SP][VECTORS_SP], im[CELL_SP][VECTORS_SP];
    const int row = c * PANELS * PANEL + i, other = (c * PANELS + j) * VECTORS_SP;
    const int from = row / PANEL * PAIRS * PANEL + row % PANEL;
    #pragma unroll
    for (int h = 0; h < CELL_SP; h++) {
        #pragma unroll
        for (int w = 0; w < VECTORS_SP; w++) {
            re[h][w] = -((const int *)work->real)[row + h];
            im[h][w] = work->other[other + w] - ((const int *)work->imaginary)[row + h];
        }
    }
    accumulate((const int16 *)(tile + I_AT(c, j, 0, 0, 0, 0)), (const int *)tile + from,
               work->rotated + from, (times + 1) / 2, first, 0, re, im);
    #pragma unroll
    for (int h = 0; h < CELL_SP; h++) {
        #pragma unroll
        for (int w = 0; w < VECTORS_SP; w++) {
            total *to = sum + 2 * (h * VECTORS_SP + w);
            const int16 imaginary = strip_j ? -im[h][w] : im[h][w];
            const int16 low = ZIP_LOW(re[h][w], imaginary), high = ZIP_HIGH(re[h][w], imaginary);
            to[0] = add ? to[0] + low : low;
            to[1] = add ? to[1] + high : high;
        }
    }
}
