/* correlator_dot.cl: COMPUTE of the correlator by dot products of bytes, exact.
 *
 * vpdpbusd adds four products of an unsigned and a signed byte to each 32-bit lane. A lane is a row
 * and holds two times: [re, im, re', im']. Rows j are made unsigned by adding 128; rows i come as
 * they are, for the real part, and as [~im, re, ..], for the imaginary part (~im = -im - 1 exists
 * for -128 too). What the offsets add depends on one row alone and is taken off at the end:
 *
 *     sum (xj + 128) . [re, im]   = Re  + 128 sum(re_i + im_i)
 *     sum (xj + 128) . [~im, re]  = Im  - sum(re_j) + 128 sum(re_i + ~im_i) */

typedef int16 total;
#define INLINE static inline __attribute__((always_inline))

#define EXACT 1
#define LANES VW           /* rows in a vector */
#define BLOCK (NV * LANES) /* rows j of a cell */
#define BLOCKS I_N_S
#define PAIRS I_N_T /* pairs of times in a tile */
#define TILE_SPACE I_SPACE
#define TILE_TYPE I_TYPE
#define TILE_SIZE I_SIZE
#define TILE_AT(c, s, t, p) I_AT(c, (s) / I_N_s, (t) / 2, (s) % I_N_s, p, (t) % 2)
#define PACK_TILE PACK_I
#define TILE_WORK(work) prepared work[1]
#define TILE_PREPARE(work, tile, times) prepare(work, tile, times)

#if defined(__x86_64__) && defined(POCL_DEVICE_ADDRESS_BITS)
INLINE int16 dot4(int16 sum, const int16 unsigned_bytes, const int16 signed_bytes)
{
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(unsigned_bytes), "v"(signed_bytes));
    return sum;
}
#else
INLINE int16 dot4(int16 sum, const int16 unsigned_bytes, const int16 signed_bytes)
{
    #pragma unroll
    for (int byte = 0; byte < 32; byte += 8)
        sum += ((unsigned_bytes >> byte) & 255) * ((signed_bytes << (24 - byte)) >> 24);
    return sum;
}
#endif

/* What COMPUTE wants to know of a tile: rows i in both forms, and sums of each row. */
typedef struct prepared {
    int row[CG * BLOCKS * PAIRS * BLOCK * 2]; /* [re, im, ..] and [~im, re, ..] */
    int16 real[CG * BLOCKS * NV];          /* 128 sum(re + im) */
    int16 imaginary[CG * BLOCKS * NV];     /* 128 sum(re + ~im) */
    int16 other[CG * BLOCKS * NV];         /* sum(re) */
} prepared __attribute__((aligned(64)));

/* [re, im] -> [~im, re] in every half of a lane. */
INLINE int16 turn(const int16 v)
{
    return ((v >> 8 & 0x00ff00ff) ^ 0x00ff00ff) | (v << 8 & (int)0xff00ff00);
}

/* Of an odd number of times the last pair loses its second one. */
INLINE void cut(I_TYPE *restrict tile, const int times)
{
    for (int n = 0; n < CG * BLOCKS; n++) {
        int16 *last = (int16 *)tile + (n * PAIRS + times / 2) * NV;
        for (int w = 0; w < NV; w++)
            last[w] &= 0x0000ffff;
    }
}

INLINE void prepare(prepared *restrict work, I_TYPE *restrict tile, const int times)
{
    const int16 *from = (const int16 *)tile;
    int16 *to = (int16 *)work->row;
    if (times % 2)
        cut(tile, times);
    for (int n = 0; n < CG * BLOCKS * NV; n++) {
        int16 real = 0, imaginary = 0, other = 0;
        for (int t = 0; t < (times + 1) / 2; t++) {
            const int at = (n / NV * PAIRS + t) * NV + n % NV;
            const int16 v = from[at], turned = turn(v);
            to[2 * at] = (int16)(v.lo, turned.lo).s08192a3b4c5d6e7f;
            to[2 * at + 1] = (int16)(v.hi, turned.hi).s08192a3b4c5d6e7f;
            real = dot4(real, (int16)((int)0x80808080), v);
            imaginary = dot4(imaginary, (int16)((int)0x80808080), turned);
            other = dot4(other, (int16)0x00010001, v);
        }
        work->real[n] = real;
        work->imaginary[n] = imaginary;
        work->other[n] = other;
    }
}

/* Adds `pairs` pairs of times of H rows i and the vectors from `first` on of a block of rows j. */
INLINE void accumulate(const int16 *restrict j, const int *restrict i, const int pairs,
                       const int first, int16 re[H][NV], int16 im[H][NV])
{
    for (int t = 0; t < pairs; t++, j += NV, i += 2 * BLOCK) {
        #pragma unroll
        for (int w = first; w < NV; w++) {
            const int16 x = j[w] ^ (int)0x80808080;
            #pragma unroll
            for (int h = 0; h < H; h++) {
                re[h][w] = dot4(re[h][w], x, (int16)(i[2 * h]));
                im[h][w] = dot4(im[h][w], x, (int16)(i[2 * h + 1]));
            }
        }
    }
}

/* One cell over one tile, without the vectors before `first`. */
INLINE void compute_from(total sum[2 * H * NV], const int add, const int16 *j, const prepared *work,
                         const int at, const int other, const int pairs, const int first)
{
    int16 re[H][NV], im[H][NV];
    const int row = at / BLOCK * PAIRS * BLOCK + at % BLOCK;
    #pragma unroll
    for (int h = 0; h < H; h++) {
        #pragma unroll
        for (int w = 0; w < NV; w++) {
            re[h][w] = -((const int *)work->real)[at + h];
            im[h][w] = work->other[other + w] - ((const int *)work->imaginary)[at + h];
        }
    }
    accumulate(j, work->row + 2 * row, pairs, first, re, im);
    #pragma unroll
    for (int h = 0; h < H; h++) {
        #pragma unroll
        for (int w = 0; w < NV; w++) {
            const int16 low = (int16)(re[h][w].lo, im[h][w].lo).s08192a3b4c5d6e7f;
            const int16 high = (int16)(re[h][w].hi, im[h][w].hi).s08192a3b4c5d6e7f;
            sum[2 * (h * NV + w)] = add ? sum[2 * (h * NV + w)] + low : low;
            sum[2 * (h * NV + w) + 1] = add ? sum[2 * (h * NV + w) + 1] + high : high;
        }
    }
}

/* On the diagonal, vectors whose rows all stand above it are left out. */
static void compute(total sum[2 * H * NV], const int add, const I_TYPE *tile, const prepared *work,
                    const int c, const int j, const int i, const int times)
{
    const int16 *rows = (const int16 *)(tile + I_AT(c, j, 0, 0, 0, 0));
    const int at = c * BLOCKS * BLOCK + i, other = (c * BLOCKS + j) * NV;
    const int first = (i - j * BLOCK) / X_N_P * X_N_P / LANES;
    if (i < j * BLOCK || first == 0)
        compute_from(sum, add, rows, work, at, other, (times + 1) / 2, 0);
#if NV > 1
    else if (first == 1)
        compute_from(sum, add, rows, work, at, other, (times + 1) / 2, 1);
#endif
#if NV > 2
    else if (first == 2)
        compute_from(sum, add, rows, work, at, other, (times + 1) / 2, 2);
    else
        compute_from(sum, add, rows, work, at, other, (times + 1) / 2, 3);
#endif
}
