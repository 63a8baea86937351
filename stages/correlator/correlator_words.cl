/* correlator_words.cl: COMPUTE of the correlator by dot products of 16-bit words, exact.
 *
 * A lane is a row and holds one time, [re, im]. Two full-scale products overflow 32 bits, so sums
 * are made twice: S modulo 2^32, of the words, and an estimate Q of S / 2^14, only of their high
 * bytes h (x = 256 h + 128 + r, -128 <= r <= 127). The estimate is off by less than 2^23 for each
 * product, so by less than 2^31 over the 256 products of 128 times: the difference S - 2^14 Q,
 * which is known modulo 2^32, is then known, and so is S. The high bytes take half of the
 * instructions, with two times in a lane: 1.5 for a product instead of the 2 of splitting one
 * factor into bytes.
 *
 * Rows i come as they are and rotated, [~im, re] with ~im = -im - 1, which exists for -32768 too.
 * With the sums over a tile s = sum(h_re + h_im), t = sum(h_re + ~h_im) and a bytewise (xj + 128) .
 * i as in correlator_bytes.cl, real and imaginary part of sum (2 h_j + 1) conj(2 h_i + 1) are
 *
 *     4 A_re - 510 s_i + 2 s_j + 2 times,    4 A_im - 510 t_i + 2 s_j + 4 pairs */

typedef long16 total;

#define PAIRS (TILE_T / 2) /* pairs of times in a tile */
#define TILE_WORK prepared
#define TILE_PREPARE(work, tile, times, place) prepare(work, tile, times)

/* What COMPUTE needs besides a tile: rows rotated, their high bytes, and sums of each row. */
typedef struct prepared {
    int rotated[TILE_C * PANELS * TILE_T * PANEL];         /* [~im, re] */
    int bytes[TILE_C * PANELS * PAIRS * PANEL];         /* [re, re', im, im'] */
    int rotated_bytes[TILE_C * PANELS * PAIRS * PANEL];    /* [~im, ~im', re, re'] */
    int16 words[TILE_C * PANELS * VECTORS_SP];                  /* sum(re), modulo 2^32 */
    int16 real[TILE_C * PANELS * VECTORS_SP];                   /* 2 times - 510 s */
    int16 imaginary[TILE_C * PANELS * VECTORS_SP];              /* 4 pairs - 510 t */
    int16 other[TILE_C * PANELS * VECTORS_SP];                  /* 2 s */
} prepared __attribute__((aligned(64)));

/* Of words and of bytes alike: halves change places, then the lower one its sign. */
INLINE int16 rotate_pairs(const int16 v)
{
    return rotate(v, (int16)16) ^ 0x0000ffff;
}

/* The n-th vector of rows over all times, for `from` on. */
INLINE void prepare_rows(prepared *restrict work, const int16 *restrict from, const int n,
                         const int times)
{
    const int pairs = (times + 1) / 2;
    int16 *rotated = (int16 *)work->rotated + n / VECTORS_SP * TILE_T * VECTORS_SP + n % VECTORS_SP;
    int16 *bytes = (int16 *)work->bytes + n / VECTORS_SP * PAIRS * VECTORS_SP + n % VECTORS_SP;
    int16 *rotated_bytes =
        (int16 *)work->rotated_bytes + n / VECTORS_SP * PAIRS * VECTORS_SP + n % VECTORS_SP;
    int16 words = 0, s = 0, t = 0;
    for (int p = 0; p < pairs; p++) {
        const int16 a = from[2 * p * VECTORS_SP],
                    b = 2 * p + 1 < times ? from[(2 * p + 1) * VECTORS_SP] : 0;
        const int16 high = (a >> 8 & 0x00ff00ff) | (b & (int)0xff00ff00);
        const int16 high_rotated = rotate_pairs(high);
        rotated[2 * p * VECTORS_SP] = rotate_pairs(a);
        rotated[(2 * p + 1) * VECTORS_SP] = rotate_pairs(b);
        bytes[p * VECTORS_SP] = high;
        rotated_bytes[p * VECTORS_SP] = high_rotated;
        words = dot2(dot2(words, a, (int16)1), b, (int16)1);
        s = dot4(s, (int16)0x01010101, high);
        t = dot4(t, (int16)0x01010101, high_rotated);
    }
    work->words[n] = words;
    work->real[n] = 2 * times - 510 * s;
    work->imaginary[n] = 4 * pairs - 510 * t;
    work->other[n] = 2 * s;
}

INLINE void prepare(prepared *restrict work, const A_TYPE *restrict tile, const int times)
{
    for (int n = 0; n < TILE_C * PANELS * VECTORS_SP; n++)
        prepare_rows(work,
                     (const int16 *)tile + n / VECTORS_SP * TILE_T * VECTORS_SP + n % VECTORS_SP, n,
                     times);
}

/* Makes 16 sums from their estimates and from the sums modulo 2^32; adds or sets them, or with `signs`
 * their conjugates. */
INLINE void widen(total *restrict sum, const int add, const total signs, const int16 estimate,
                  const int16 modulo)
{
    const int16 rest = as_int16(as_uint16(modulo) - (as_uint16(estimate) << 14));
    const total whole = (((convert_long16(estimate) << 14) + convert_long16(rest)) ^ signs) - signs;
    *sum = add ? *sum + whole : whole;
}

/* One cell over one tile, without the vectors before `first`. */
INLINE void compute_from(total sum[2 * CELL_SP * VECTORS_SP], const int add, const A_TYPE *tile,
                         const prepared *work, const int c, const int j, const int i,
                         const int times, const int first, const int strip_j)
{
    int16 re[CELL_SP][VECTORS_SP], im[CELL_SP][VECTORS_SP];
    int16 re_bytes[CELL_SP][VECTORS_SP], im_bytes[CELL_SP][VECTORS_SP];
    const int row = c * PANELS * PANEL + i, other = (c * PANELS + j) * VECTORS_SP;
    const total odd = {0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1};
    const total signs = strip_j ? odd : 0;
    const int word = row / PANEL * TILE_T * PANEL + row % PANEL;
    const int byte = row / PANEL * PAIRS * PANEL + row % PANEL;
    #pragma unroll
    for (int h = 0; h < CELL_SP; h++) {
        #pragma unroll
        for (int w = 0; w < VECTORS_SP; w++) {
            re[h][w] = re_bytes[h][w] = im_bytes[h][w] = 0;
            im[h][w] = work->words[other + w];
        }
    }
    accumulate((const int16 *)(tile + A_AT(c, j, 0, 0, 0)), (const int *)tile + word,
               work->rotated + word, times, first, 1, re, im);
    accumulate((const int16 *)work->bytes + other * PAIRS, work->bytes + byte,
               work->rotated_bytes + byte, (times + 1) / 2, first, 0, re_bytes, im_bytes);
    #pragma unroll
    for (int h = 0; h < CELL_SP; h++) {
        #pragma unroll
        for (int w = 0; w < VECTORS_SP; w++) {
            const int16 q_re = 4 * re_bytes[h][w] + work->other[other + w] +
                               ((const int *)work->real)[row + h];
            const int16 q_im = 4 * im_bytes[h][w] + work->other[other + w] +
                               ((const int *)work->imaginary)[row + h];
            total *to = sum + 2 * (h * VECTORS_SP + w);
            widen(to, add, signs, ZIP_LOW(q_re, q_im), ZIP_LOW(re[h][w], im[h][w]));
            widen(to + 1, add, signs, ZIP_HIGH(q_re, q_im), ZIP_HIGH(re[h][w], im[h][w]));
        }
    }
}
