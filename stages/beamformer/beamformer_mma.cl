/* beamformer_mma.cl: products of matrices of floats by a GPU's matrix units, for beamformer_group.cl.
 *
 * NVIDIA's mma.m16n8k8 adds 16 x 8 sums of 8 products each, for 32 work-items (a warp) together: here of 16
 * beams with 8 samples, over the real and the imaginary parts of 4 stations. Lane L of a warp has
 *
 *     the weights of station L % 4: of beam L / 4, and of the beam 8 further
 *     the sample L / 4 of station L % 4
 *     four sums: of beam L / 4 with samples 2 (L % 4) and the next, and of the beam 8 further
 *
 * Its factors are floats of 11 bits (TF32). So a number is two of these, whose sum it is up to its last bit (between 5e-35 and
 * 3.4e38); integers of 8 bits are one. Of the product of two numbers that of both second parts is left out: less than 2^-22 of it.
 *
 * Matrix units do not round to nearest while they add up (Fasi et al. 2021): a sum over many stations would lose more than
 * one in single precision does. So each product begins at 0, and is added outside of them (Ootomo and Yokota 2022).
 *
 * MMA is 1 where the device takes the instruction: with PROBE this text is what it is asked to build and
 * run, and the sums must be those that the layout above gives. Elsewhere each work-item makes them in that
 * layout, of the same parts. */

/* Only NVIDIA's compilers know the instruction; another one (PoCL 3.1 for a CPU) crashes over it. */
#if defined(PROBE) && !defined(__NV_CL_C_VERSION) && !defined(__NVPTX__)
#undef MMA
#define MMA 0
#endif

#define INLINE static inline __attribute__((always_inline))

#define WARP 32
#define PRODUCT_B 16 /* beams, samples and stations of one product */
#define PRODUCT_TP 8
#define PRODUCT_S 4
#if X_IS_ci8 || X_IS_ci4
#define SAMPLE_PARTS 1
#else
#define SAMPLE_PARTS 2
#endif

/* The nearest number of 11 bits, and what remains. */
INLINE float2 first_part(const float2 x)
{
    return as_float2((as_uint2(x) + 0x1000u) & 0xffffe000u);
}

INLINE float2 second_part(const float2 x)
{
    return as_float2(as_uint2(x - first_part(x)) & 0xffffe000u);
}

/* Stations' weights, or samples: the first one of the first station. A station's are neighbours, the next station's
 * lie `apart` numbers further. */
typedef struct side {
    local const float2 *first;
    uint apart;
} side;

INLINE side side_of(local const float2 *first, const uint apart)
{
    return (side){first, apart};
}

INLINE float2 number_of(const side of, const uint station, const uint n)
{
    return of.first[station * of.apart + n];
}

/* A lane's sums of one product; beam and sample of the n-th. */
typedef struct product {
    float re[4], im[4];
} product;
#define SUM_B(lane, n) ((lane) / 4 + (n) / 2 * 8)
#define SUM_TP(lane, n) ((lane) % 4 * 2 + (n) % 2)

INLINE float2 add_plain(const float2 sum, const float2 w, const float2 x)
{
    return fma((float2)(w.x), x, fma((float2)(w.y), (float2)(-x.y, x.x), sum));
}

/* A lane's n-th sum. It is called so often that compilers would take minutes to inline it. */
static __attribute__((noinline)) float2 plain_sum(float2 sum, const side w, const side x,
                                                  const uint lane, const uint n)
{
    for (uint s = 0; s < PRODUCT_S; s++) {
        const float2 weight = number_of(w, s, SUM_B(lane, n));
        const float2 sample = number_of(x, s, SUM_TP(lane, n));
        const float2 first = SAMPLE_PARTS == 1 ? sample : first_part(sample);
        sum = add_plain(sum, second_part(weight), first);
        if (SAMPLE_PARTS > 1) sum = add_plain(sum, first_part(weight), second_part(sample));
        sum = add_plain(sum, first_part(weight), first);
    }
    return sum;
}

#if MMA

/* A lane's weights: of each part, those of two beams. Its sample. */
typedef struct rows {
    float2 part[2][2];
} rows;
typedef struct column {
    float2 part[SAMPLE_PARTS];
} column;

INLINE rows take_rows(const side w, const uint lane)
{
    const float2 one = number_of(w, lane % 4, lane / 4), other = number_of(w, lane % 4, lane / 4 + 8);
    return (rows){{{first_part(one), first_part(other)}, {second_part(one), second_part(other)}}};
}

INLINE column take_column(const side x, const uint lane)
{
    const float2 sample = number_of(x, lane % 4, lane / 4);
#if SAMPLE_PARTS == 1
    return (column){{sample}};
#else
    return (column){{first_part(sample), second_part(sample)}};
#endif
}

#define MULTIPLY "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
#define FACTORS(w, x, y)                                                                               \
    "r"(as_uint(w[0].x)), "r"(as_uint(w[1].x)), "r"(as_uint(w[0].y)), "r"(as_uint(w[1].y)), "r"(as_uint(x)), \
        "r"(as_uint(y))

INLINE void set_parts(float sum[4], const float2 w[2], const float x, const float y)
{
    __asm__ volatile(MULTIPLY "{%10, %10, %10, %10};"
                     : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
                     : FACTORS(w, x, y), "f"(0.0f));
}

INLINE void add_parts(float sum[4], const float2 w[2], const float x, const float y)
{
    __asm__ volatile(MULTIPLY "{%0, %1, %2, %3};"
                     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                     : FACTORS(w, x, y));
}

/* Products of parts; which parts the n-th is of: the small ones first. */
#define TERMS (1 + SAMPLE_PARTS)
#define ROWS_PART(n) ((n) == 0)
#define COLUMN_PART(n) ((n) == 1 && SAMPLE_PARTS > 1)

/* The first one sets a lane's sums, others add to them. All lanes of a warp come here together. */
INLINE void take_term(product *sum, const rows w, const column x, const uint lane, const int n)
{
    const float2 sample = x.part[COLUMN_PART(n)];
    if (n == 0) {
        set_parts(sum->re, w.part[ROWS_PART(n)], sample.x, -sample.y);
        set_parts(sum->im, w.part[ROWS_PART(n)], sample.y, sample.x);
    } else {
        add_parts(sum->re, w.part[ROWS_PART(n)], sample.x, -sample.y);
        add_parts(sum->im, w.part[ROWS_PART(n)], sample.y, sample.x);
    }
}

#else

typedef side rows, column;
#define take_rows(w, lane) (w)
#define take_column(x, lane) (x)
#define TERMS 1 /* all at once */

INLINE void take_term(product *sum, const rows w, const column x, const uint lane, const int n)
{
    #pragma unroll
    for (int k = 0; k < 4; k++) {
        const float2 one = plain_sum((float2)(0), w, x, lane, k);
        sum->re[k] = one.x, sum->im[k] = one.y;
    }
}

#endif

INLINE void add_product(product *sum, const product one)
{
    #pragma unroll
    for (int k = 0; k < 4; k++)
        sum->re[k] += one.re[k], sum->im[k] += one.im[k];
}

#ifdef PROBE
/* Sums of 4 stations' numbers of 24 bits below 1; parts that are lost would cost 100 times what may be lost. */
kernel __attribute__((reqd_work_group_size(WARP, 1, 1))) void probe(global int *answer)
{
#if MMA
    local float2 weights[PRODUCT_S * PRODUCT_B], samples[PRODUCT_S * PRODUCT_TP];
    local int same[WARP];
    const uint lane = get_local_id(0), seed = 1 + *answer;
    const side w = side_of(weights, PRODUCT_B), x = side_of(samples, PRODUCT_TP);
    product sum = {{lane / 32.0f, 0.2f, 0.3f, 0.4f}, {0.5f, lane / 32.0f, 0.7f, 0.8f}};
    int all = 1;
    for (uint n = lane; n < PRODUCT_S * PRODUCT_B; n += WARP)
        weights[n] = convert_float2(as_int2((uint2)(2 * n + seed, 2 * n + 1 + seed) * 0x9e3779b1u)) * 0x1p-31f;
    samples[lane] = convert_float2(as_int2((uint2)(lane + seed, lane + 77 * seed) * 0x85ebca77u)) * 0x1p-31f;
    barrier(CLK_LOCAL_MEM_FENCE);
    const product before = sum;
    product one;
    for (int n = 0; n < TERMS; n++)
        take_term(&one, take_rows(w, lane), take_column(x, lane), lane, n);
    add_product(&sum, one);
    for (int n = 0; n < 4; n++) {
        const float2 plain = plain_sum((float2)(before.re[n], before.im[n]), w, x, lane, n);
        all &= fabs(sum.re[n] - plain.x) <= 2e-5f && fabs(sum.im[n] - plain.y) <= 2e-5f;
    }
    same[lane] = all;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 0; n < WARP; n++)
        all &= same[n];
    if (lane == 0) *answer = all;
#endif
}
#endif
