/* correlator_mma.cl: products of matrices of bytes by a GPU's matrix units, for correlator_group.cl.
 *
 * NVIDIA's mma.m16n8k32 adds 16 x 8 sums of 32 products of signed bytes each, for 32 work-items (a warp)
 * together: here of 16 rows j with 8 rows i, over 16 times of [re, im]. Words hold two times of a row, as
 * in the tile; lane L of a warp has
 *
 *     four words of rows j: of row L / 4, of the row 8 further, and of both 8 times later
 *     two words of rows i: of row L / 4, and of it 8 times later; all from time 2 (L % 4) on
 *     four sums: of row j L / 4 with rows i 2 (L % 4) and the next, and of the row j 8 further
 *
 * MMA is 1 where the device takes the instruction: with PROBE this text is what it is asked to build
 * and run, and the sums must be those that the layout above gives. Elsewhere they are made in that
 * layout by dot4 of correlator_dp4a.cl, which this text is put behind. */

/* Only NVIDIA's compilers know the instruction; another one (PoCL 3.1 for a CPU) crashes over it. */
#if defined(PROBE) && !defined(__NV_CL_C_VERSION) && !defined(__NVPTX__)
#undef MMA
#define MMA 0
#endif

#define WARP 32
#define PRODUCT_J 16    /* rows of one product */
#define PRODUCT_I 8
#define PRODUCT_WORDS 8 /* of each row, */
#define PRODUCT_TIMES 16

/* What rows i become before they are multiplied: [re, im], [~im, re], or [1, 0] in every other row. */
enum { AS_IT_IS, ROTATED, ONES_EVEN, ONES_ODD };

INLINE int become(const int word, const int how, const uint row)
{
    if (how < ONES_EVEN) return how == ROTATED ? rotate_pairs(word) : word;
    return row % 2 == how - ONES_EVEN ? 0x00010001 : 0;
}

/* Rows of a product: the first word of the first row. Words of neighbouring rows are neighbours, those of
 * later times lie `apart` words from each other. Of rows j as many times count as `times` says. */
typedef struct side {
    local const int *words;
    uint apart, times;
} side;

/* A word that holds times 2 k and 2 k + 1, without what lies behind the last time. */
INLINE int cut(const side of, const int word, const uint k)
{
    return 2 * k + 1 < of.times ? word : 2 * k < of.times ? word & 0x0000ffff : 0;
}

/* A lane's n-th word of rows j, and of rows i. */
INLINE int word_j(const side j, const uint lane, const uint n)
{
    local const int *of_lane = j.words + lane % 4 * j.apart + lane / 4;
    return cut(j, of_lane[n / 2 * 4 * j.apart + n % 2 * 8], lane % 4 + n / 2 * 4);
}

INLINE int word_i(const side i, const uint lane, const uint n)
{
    local const int *of_lane = i.words + lane % 4 * i.apart + lane / 4;
    return of_lane[n * 4 * i.apart];
}

/* Row j and row i of a lane's n-th sum. */
#define SUM_J(lane, n) ((lane) / 4 + (n) / 2 * 8)
#define SUM_I(lane, n) ((lane) % 4 * 2 + (n) % 2)

/* A lane's n-th sum: each word of its rows is asked of the lane that has it. It is called so often that
 * compilers would take minutes to inline it. */
static __attribute__((noinline)) int plain_sum(int sum, const side j, const side i, const int how, const uint lane,
                     const uint n)
{
    const uint row_j = SUM_J(lane, n), row_i = SUM_I(lane, n);
    for (uint k = 0; k < PRODUCT_WORDS; k++)
        sum = dot4(sum, word_j(j, row_j % 8 * 4 + k % 4, row_j / 8 + k / 4 * 2),
                   become(word_i(i, row_i * 4 + k % 4, k / 4), how, row_i));
    return sum;
}

#if MMA

typedef struct operand {
    int word[4];
} operand;

INLINE operand take_j(const side j, const uint lane)
{
    return (operand){{word_j(j, lane, 0), word_j(j, lane, 1), word_j(j, lane, 2), word_j(j, lane, 3)}};
}

INLINE operand take_i(const side i, const uint lane)
{
    return (operand){{word_i(i, lane, 0), word_i(i, lane, 1)}};
}

/* Adds to a lane's sums. All lanes of a warp come here together. */
INLINE void add_product(int *sum0, int *sum1, int *sum2, int *sum3, const operand j,
                        const operand i, const int how, const uint lane)
{
    __asm__ volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+r"(*sum0), "+r"(*sum1), "+r"(*sum2), "+r"(*sum3)
                     : "r"(j.word[0]), "r"(j.word[1]), "r"(j.word[2]), "r"(j.word[3]),
                       "r"(become(i.word[0], how, lane / 4)), "r"(become(i.word[1], how, lane / 4)));
}

#else

typedef side operand;
#define take_j(j, lane) (j)
#define take_i(i, lane) (i)

INLINE void add_product(int *sum0, int *sum1, int *sum2, int *sum3, const operand j,
                        const operand i, const int how, const uint lane)
{
    *sum0 = plain_sum(*sum0, j, i, how, lane, 0);
    *sum1 = plain_sum(*sum1, j, i, how, lane, 1);
    *sum2 = plain_sum(*sum2, j, i, how, lane, 2);
    *sum3 = plain_sum(*sum3, j, i, how, lane, 3);
}

#endif

#ifdef PROBE
kernel __attribute__((reqd_work_group_size(WARP, 1, 1))) void probe(global int *answer)
{
#if MMA
    enum { APART = PRODUCT_J + PRODUCT_I, TIMES = 2 * PRODUCT_WORDS };
    local int words[PRODUCT_WORDS * APART], same[WARP];
    const uint lane = get_local_id(0);
    const side j = {words, APART, TIMES}, i = {words + PRODUCT_J, APART, TIMES};
    int all = 1;
    for (int n = lane; n < PRODUCT_WORDS * APART; n += WARP)
        words[n] = n % 5 ? (n + *answer) * (int)0x9e3779b1 : (int)0x80808080;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int how = AS_IT_IS; how <= ONES_ODD; how++) {
        int sum[4] = {lane, 2 * lane, 3 * lane, 4 * lane};
        add_product(sum, sum + 1, sum + 2, sum + 3, take_j(j, lane), take_i(i, lane), how, lane);
        for (int n = 0; n < 4; n++)
            all &= sum[n] == plain_sum((n + 1) * lane, j, i, how, lane, n);
    }
    same[lane] = all;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < WARP; n++)
        all &= same[n];
    if (lane == 0) *answer = all;
#endif
}
#endif
