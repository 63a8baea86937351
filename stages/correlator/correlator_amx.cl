/* correlator_amx.cl: COMPUTE of the correlator by products of matrices of bytes (x86, AMX), exact.
 *
 * One instruction adds to 16 x 16 sums the products of 64 bytes each: of 32 times of a row, which are
 * [re, im, re', im', ..]. A cell is a strip of 16 rows j against a panel of rows i. Rows i are taken as
 * the tile holds them, two times of a row in a lane; those of a strip are brought into the order [row][time]
 * first, as they are, for the real part, and as [im, ~re, ..], for the imaginary part. ~re = -re - 1
 * exists for -128 too; what the 1 adds depends only on row i and is taken off at the end:
 *
 *     sum [re_j, im_j] . [re_i, im_i] = Re,    sum [im_j, ~re_j] . [re_i, im_i] = Im - sum(im_i)
 *
 * Sums are modulo 2^32, in which each of them fits. AMX is 1 where the device's compiler takes the
 * instructions and the process may use them: with PROBE this text is what it is asked to build and
 * run. Elsewhere the same sums are made by dot4. */

#define STEP_TIMES 32 /* of one product of matrices */
#define STEP_LANES 256

/* ---- one cell: VECTORS_SP x 2 matrices of sums, real, imaginary, ..: 16 x 16 each */

/* Four strip rows at a time; they become unsigned by adding 128, which is taken off again. */
INLINE void plain_multiply(int16 *restrict sum, const int add, const int *restrict strip,
                           const int *restrict rotated, const int16 *restrict panel, const int steps,
                           const int vectors)
{
    const int signs = (int)0x80808080;
    for (int w = 0; w < vectors; w++) {
        int16 offset = 0;
        for (int k = 0; k < 16 * steps; k++)
            offset = dot4(offset, (int16)signs, panel[k * VECTORS_SP + w]);
        for (int row = 0; row < 16; row++) {
            int16 *re = sum + 32 * w + row, *im = re + 16;
            int16 real = (add ? *re : 0) - offset, imaginary = (add ? *im : 0) - offset;
            for (int k = 0; k < 16 * steps; k++) {
                const int at = k / 16 * STEP_LANES + row * 16 + k % 16;
                const int16 x = panel[k * VECTORS_SP + w];
                real = dot4(real, (int16)(strip[at] ^ signs), x);
                imaginary = dot4(imaginary, (int16)(rotated[at] ^ signs), x);
            }
            *re = real;
            *im = imaginary;
        }
    }
}

#if AMX && defined(__x86_64__)

/* All eight tiles of 16 rows of 64 bytes. They are this work-item's until they are released. */
INLINE void tiles_begin(void)
{
    uchar config[64] __attribute__((aligned(64)));
    #pragma unroll
    for (int n = 0; n < 64; n++)
        config[n] = n == 0 ? 1 : n >= 48 && n < 56 ? 16 : n >= 16 && n < 32 && n % 2 == 0 ? 64 : 0;
    __asm__ volatile("ldtilecfg (%0)" ::"r"(config) : "memory");
}

INLINE void tiles_end(void)
{
    __asm__ volatile("tilerelease" ::: "memory");
}

/* Sums stay in tiles 0 to 3 from the first step to the last. */
INLINE void multiply(int16 *restrict sum, const int add, const int *restrict strip,
                     const int *restrict rotated, const int16 *restrict panel, const int steps,
                     const int vectors)
{
    const long row = 64, panel_row = VECTORS_SP * 64;
    if (add)
        __asm__ volatile("tileloadd (%0,%1,1), %%tmm0\n tileloadd 1024(%0,%1,1), %%tmm1" ::"r"(sum),
                         "r"(row)
                         : "memory");
    else
        __asm__ volatile("tilezero %%tmm0\n tilezero %%tmm1" :::);
    if (vectors == 2 && add)
        __asm__ volatile("tileloadd 2048(%0,%1,1), %%tmm2\n tileloadd 3072(%0,%1,1), %%tmm3" ::"r"(
                             sum),
                         "r"(row)
                         : "memory");
    if (vectors == 2 && !add)
        __asm__ volatile("tilezero %%tmm2\n tilezero %%tmm3" :::);
    for (int k = 0; k < steps; k++) {
        __asm__ volatile("tileloadd (%0,%2,1), %%tmm4\n tileloadd (%1,%2,1), %%tmm5" ::"r"(
                             strip + k * STEP_LANES),
                         "r"(rotated + k * STEP_LANES), "r"(row)
                         : "memory");
        __asm__ volatile("tileloadd (%0,%1,1), %%tmm6\n"
                         "tdpbssd %%tmm6, %%tmm4, %%tmm0\n"
                         "tdpbssd %%tmm6, %%tmm5, %%tmm1" ::"r"(panel + k * 16 * VECTORS_SP),
                         "r"(panel_row)
                         : "memory");
        if (vectors == 2)
            __asm__ volatile("tileloadd 64(%0,%1,1), %%tmm7\n"
                             "tdpbssd %%tmm7, %%tmm4, %%tmm2\n"
                             "tdpbssd %%tmm7, %%tmm5, %%tmm3" ::"r"(panel + k * 16 * VECTORS_SP),
                             "r"(panel_row)
                             : "memory");
    }
    __asm__ volatile("tilestored %%tmm0, (%0,%1,1)\n tilestored %%tmm1, 1024(%0,%1,1)" ::"r"(sum),
                     "r"(row)
                     : "memory");
    if (vectors == 2)
        __asm__ volatile("tilestored %%tmm2, 2048(%0,%1,1)\n tilestored %%tmm3, 3072(%0,%1,1)" ::"r"(
                             sum),
                         "r"(row)
                         : "memory");
}

#else
#define tiles_begin()
#define tiles_end()
#define multiply plain_multiply
#endif

#ifdef PROBE

kernel void probe(global int *answer)
{
#ifndef multiply
    int16 wanted[64], found[64], panel[64];
    int strip[2 * STEP_LANES], rotated[2 * STEP_LANES], same = 1;
    for (int n = 0; n < 2 * STEP_LANES; n++) {
        strip[n] = (n + *answer) * 0x9e3779b1 ^ (int)0x80ff017f;
        rotated[n] = n % 7 ? strip[n] * 0x7feb352d : (int)0x80808080;
    }
    for (int n = 0; n < 1024; n++) {
        ((int *)panel)[n] = n % 5 ? n * 0x846ca68b : (int)0x80808080;
        ((int *)wanted)[n] = ((int *)found)[n] = n;
    }
    tiles_begin();
    for (int add = 0; add < 2; add++) {
        multiply(found, add, strip, rotated, panel, 2, 2);
        plain_multiply(wanted, add, strip, rotated, panel, 2, 2);
        for (int n = 0; n < 64; n++)
            same &= all(wanted[n] == found[n]);
    }
    tiles_end();
    *answer = same;
#endif
}

#else

typedef int16 total;

#define PANELS I_N_S
#define PAIRS I_N_T /* pairs of times in a tile */
#define TILE_SPACE I_SPACE
#define TILE_TYPE I_TYPE
#define TILE_SIZE I_SIZE
#define TILE_AT(c, s, t, p) I_AT(c, (s) / I_N_s, (t) / 2, (s) % I_N_s, p, (t) % 2)
#define PACK_TILE PACK_I
#define TILE_WORK prepared
#define TILE_PREPARE(work, tile, times, place) cut(tile, times)
#define STRIP_PREPARE prepare
#define STRIP_J 1
#define ENGINE_BEGIN tiles_begin
#define ENGINE_END tiles_end

/* What COMPUTE needs besides a tile. */
typedef struct prepared {
    int strip[TILE_T / STEP_TIMES * STEP_LANES];    /* rows j, [step][row][times] */
    int rotated[TILE_T / STEP_TIMES * STEP_LANES];  /* [im, ~re, ..] */
    int16 imaginary[TILE_C * PANELS * VECTORS_SP];  /* sum(im) of rows i, since the integration began */
} prepared __attribute__((aligned(64)));

/* Behind the last time nothing is added, up to a whole step. */
INLINE void cut(I_TYPE *restrict tile, const int times)
{
    const int pairs = (times + STEP_TIMES - 1) / STEP_TIMES * STEP_TIMES / 2;
    if (times % STEP_TIMES == 0)
        return;
    for (int n = 0; n < TILE_C * PANELS; n++) {
        int16 *from = (int16 *)tile + n * PAIRS * VECTORS_SP;
        for (int t = times / 2; t < pairs; t++)
            for (int w = 0; w < VECTORS_SP; w++)
                from[t * VECTORS_SP + w] &= t == times / 2 && times % 2 ? 0x0000ffff : 0;
    }
}

#define LOW4(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define HIGH4(a, b)                                                                                \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define LOW8(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define HIGH8(a, b)                                                                                \
    __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define EVEN16(a, b)                                                                               \
    __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define ODD16(a, b)                                                                                \
    __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)

/* 16 vectors of rows become 16 vectors of times, four rounds of pairs of vectors. */
INLINE void transpose(int16 a[16])
{
    int16 b[16];
    #pragma unroll
    for (int n = 0; n < 16; n += 2) {
        b[n] = LOW4(a[n], a[n + 1]);
        b[n + 1] = HIGH4(a[n], a[n + 1]);
    }
    #pragma unroll
    for (int n = 0; n < 16; n += 4) {
        a[n] = LOW8(b[n], b[n + 2]);
        a[n + 1] = HIGH8(b[n], b[n + 2]);
        a[n + 2] = LOW8(b[n + 1], b[n + 3]);
        a[n + 3] = HIGH8(b[n + 1], b[n + 3]);
    }
    #pragma unroll
    for (int n = 0; n < 8; n++) {
        b[n / 4 * 8 + n % 4] = EVEN16(a[n / 4 * 8 + n % 4], a[n / 4 * 8 + n % 4 + 4]);
        b[n / 4 * 8 + n % 4 + 4] = ODD16(a[n / 4 * 8 + n % 4], a[n / 4 * 8 + n % 4 + 4]);
    }
    #pragma unroll
    for (int n = 0; n < 8; n++) {
        a[n] = EVEN16(b[n], b[n + 8]);
        a[n + 8] = ODD16(b[n], b[n + 8]);
    }
}

/* Sums of imaginary parts of a strip over a tile, of its w-th panel of 16 rows. */
INLINE void add_imaginary(prepared *restrict work, const I_TYPE *restrict tile, const int n,
                          const int steps, const int add)
{
    const int16 *from = (const int16 *)tile + n / VECTORS_SP * PAIRS * VECTORS_SP + n % VECTORS_SP;
    int16 sum = 0;
    for (int t = 0; t < steps * 16; t++)
        sum = dot4(sum, (int16)0x01000100, from[t * VECTORS_SP]);
    work->imaginary[n] = add ? work->imaginary[n] + sum : sum;
}

/* What the strip from row `strip` on needs; with a panel's first strip what the panel needs, and with
 * the first one of a work-item what the panels before it do. */
INLINE void prepare(prepared *restrict work, const I_TYPE *restrict tile, const int c,
                    const int strip, const int first, const int times, const int add)
{
    const int steps = (times + STEP_TIMES - 1) / STEP_TIMES, n = c * PANELS * VECTORS_SP + strip / 16;
    const int16 *from = (const int16 *)tile + n / VECTORS_SP * PAIRS * VECTORS_SP + n % VECTORS_SP;
    for (int k = strip == first ? 0 : strip / 16; strip % PANEL == 0 && k < (strip + PANEL) / 16; k++)
        add_imaginary(work, tile, c * PANELS * VECTORS_SP + k, steps, add);
    for (int k = 0; k < steps; k++) {
        int16 rows[16];
        #pragma unroll
        for (int t = 0; t < 16; t++)
            rows[t] = from[(k * 16 + t) * VECTORS_SP];
        transpose(rows);
        #pragma unroll
        for (int row = 0; row < 16; row++) {
            ((int16 *)work->strip)[k * 16 + row] = rows[row];
            ((int16 *)work->rotated)[k * 16 + row] =
                (rows[row] >> 8 & 0x00ff00ff | rows[row] << 8 & (int)0xff00ff00) ^ (int)0xff00ff00;
        }
    }
}

/* One cell over one tile; of a panel on the diagonal only the vectors that reach below it. */
static void compute(total *sum, const int add, const I_TYPE *tile, const prepared *work,
                    const int c, const int panel, const int strip, const int times,
                    const int strip_j)
{
    const int steps = (times + STEP_TIMES - 1) / STEP_TIMES;
    const int last = (strip % PANEL + 15) / X_N_P * X_N_P + X_N_P - 1; /* of the strip's last station */
    const int16 *from = (const int16 *)(tile + I_AT(c, panel, 0, 0, 0, 0));
    if (VECTORS_SP == 1 || strip / PANEL == panel && last < 16)
        multiply(sum, add, work->strip, work->rotated, from, steps, 1);
    else
        multiply(sum, add, work->strip, work->rotated, from, steps, VECTORS_SP);
}

#if X_N_P == 2 && Y_STRIDE_Q == 1

#define ZIP_LOW2(a, b) as_int16(__builtin_shufflevector(as_long8(a), as_long8(b), 0, 8, 1, 9, 2, 10, 3, 11))
#define ZIP_HIGH2(a, b)                                                                            \
    as_int16(__builtin_shufflevector(as_long8(a), as_long8(b), 4, 12, 5, 13, 6, 14, 7, 15))

/* Past the caches, where pieces of 32 bytes stay whole ones of memory: who asks for sums reads them
 * much later. */
#if Y_STRIDE_L % 4 == 0 && Y_STRIDE_C % 4 == 0 && Y_STRIDE_T % 4 == 0 && Y_OFFSET % 4 == 0
#define SAVE8(to, v) __builtin_nontemporal_store(v, (global int8 *)(to))
#else
#define SAVE8(to, v) vstore8(v, 0, to)
#endif

/* Of one station j with up to eight stations i from `first` on: four products of each lie together. */
INLINE void save_row(global Y_TYPE *restrict Y_data, const int add, const int m, const int c,
                     const int j, const int first, const int16 a, const int16 b, const int16 x,
                     const int16 y)
{
    const int16 low = ZIP_LOW(a, b), high = ZIP_HIGH(a, b), below = ZIP_LOW(x, y),
                above = ZIP_HIGH(x, y);
    const int16 four[4] = {ZIP_LOW2(low, below), ZIP_HIGH2(low, below), ZIP_LOW2(high, above),
                           ZIP_HIGH2(high, above)};
    #pragma unroll
    for (int n = 0; n < 8; n++) {
        global int *to = (global int *)(Y_data + Y_AT(m, j * (j + 1) / 2 + first + n, c, 0));
        const int8 v = n % 2 ? four[n / 2].hi : four[n / 2].lo;
        if (first + n > j)
            continue;
        if (add)
            vstore8(vload8(0, to) + v, 0, to);
        else
            SAVE8(to, v);
    }
}

INLINE void save_cell(global Y_TYPE *restrict Y_data, const int add, const int m, const int c,
                      const int panel, const int strip, const total *restrict sum,
                      const int16 *restrict imaginary)
{
    for (int row = 0; row < 16; row += 2)
        for (int w = 0; w < VECTORS_SP; w++) {
            const int j = (strip + row) / 2, first = (panel * PANEL + 16 * w) / 2;
            const int16 *re = sum + 32 * w + row, *im = re + 16;
            if (first <= j && j < X_N_S)
                save_row(Y_data, add, m, c, j, first, re[0], im[0] + imaginary[w], re[1],
                         im[1] + imaginary[w]);
        }
}

#define SAVE_CELL(how, at, sum, work, c)                                                           \
    save_cell(Y_data, (how) == ADD, at.m, at.c, at.panel, at.strip, sum,                                    \
              work->imaginary + (c * PANELS + at.panel) * VECTORS_SP)

#else

/* Whole complex numbers, row by row. */
INLINE void finish(total *restrict to, const total *restrict sum, const int16 *restrict imaginary)
{
    for (int row = 0; row < 16; row++)
        for (int w = 0; w < VECTORS_SP; w++) {
            const int16 re = sum[32 * w + row], im = sum[32 * w + 16 + row] + imaginary[w];
            *to++ = ZIP_LOW(re, im);
            *to++ = ZIP_HIGH(re, im);
        }
}

#define SAVE_CELL(how, at, sum, work, c)                                                           \
    do {                                                                                           \
        total whole[SUMS];                                                                         \
        finish(whole, sum, work->imaginary + (c * PANELS + at.panel) * VECTORS_SP);                \
        move(Y_data, how, at, whole);                                                              \
    } while (0)

#endif
#endif
