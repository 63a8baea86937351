/* detect.cl: one work-item makes a box of outputs, reading WIDTH neighbours at a time; or, TILED,
 * it packs a box of inputs into a tile with channels side by side, and stores a tile of outputs.
 * detect_numbers.cl has what is added up. detect_emit.c defines, from the strides: FIRST_x and BOX_x
 * (the work-item's box), ALONG_x (1 for the dimension of the vectors), WIDTH, PAIRS (a vector holds
 * both polarizations), UNIT (the output is contiguous along the vectors), WITHIN (a vector's
 * elements belong to one integration). */

#if !TILED

#define INPUT global const X_TYPE *restrict X_data
#define OUTPUT global Y_TYPE *restrict Y_data

#if POWER && WIDTH == 1
static voltage load(INPUT, int b, int p, int t, int c)
{
    const voltage v = {X_LOAD(b, p, t, c), 0.0f};
    return v;
}
#elif POWER && !PAIRS
static voltage load(INPUT, int b, int p, int t, int c)
{
    const voltage v = {VLOAD_REAL(0, &X(b, p, t, c)), 0.0f};
    return v;
}
#elif WIDTH == 1
static voltage load(INPUT, int b, int p, int t, int c)
{
    const float2 x = X_LOAD(b, p, t, c);
    const voltage v = {x.x, x.y};
    return v;
}
#elif !PAIRS
static voltage load(INPUT, int b, int p, int t, int c)
{
    const parts x = VLOAD(0, (global const PART *)&X(b, p, t, c));
    const voltage v = {CONVERT(x.even), CONVERT(x.odd)};
    return v;
}
#endif

/* x and y: the two polarizations; with one, y is not used. */
#if PAIRS && POWER
static void load_both(voltage *x, voltage *y, INPUT, int b, int t, int c)
{
    global const float *from = &X(b, 0, t, c);
    const real low = VLOAD_REAL(0, from), high = VLOAD_REAL(1, from);
    x->re = (real)(low.even, high.even);
    y->re = (real)(low.odd, high.odd);
}
#elif PAIRS
static void load_both(voltage *x, voltage *y, INPUT, int b, int t, int c)
{
    global const PART *from = (global const PART *)&X(b, 0, t, c);
    const parts low = VLOAD(0, from), high = VLOAD(1, from);
    const parts re = (parts)(low.even, high.even), im = (parts)(low.odd, high.odd);
    x->re = CONVERT(re.even);
    x->im = CONVERT(im.even);
    y->re = CONVERT(re.odd);
    y->im = CONVERT(im.odd);
}
#else
static void load_both(voltage *x, voltage *y, INPUT, int b, int t, int c)
{
    *x = load(X_data, b, 0, t, c);
#if X_N_P == 2
    *y = load(X_data, b, 1, t, c);
#endif
}
#endif

static void store(OUTPUT, int b, int q, int t, int c, real value)
{
#if WIDTH == 1
    Y(b, q, t, c) = value;
#elif WITHIN
    float lane[WIDTH], sum = 0.0f;
    VSTORE(value, 0, lane);
    for (int i = 0; i < WIDTH; i++)
        sum += lane[i];
    Y(b, q, t, c) = sum;
#elif UNIT
    VSTORE(value, 0, &Y(b, q, t, c));
#else
    float lane[WIDTH];
    VSTORE(value, 0, lane);
    for (int i = 0; i < WIDTH; i++)
        Y(b + i * ALONG_B, q, t + i * ALONG_T, c + i * ALONG_C) = lane[i];
#endif
}

/* Samples that one load brings of an integration. */
#if WITHIN
#define SAMPLES WIDTH
#else
#define SAMPLES 1
#endif

/* Whether sums are of whole numbers. */
#define WHOLE (X_IS_ci8 && !P_STOKES_IS_IQUV && WIDTH > 1 && P_INTEGRATE % SAMPLES == 0)
#if WHOLE
typedef JOIN(uint, WIDTH) whole;
#endif

#if P_INTEGRATE % SAMPLES
/* The last vector moves back to stay inside: its first elements have been counted already. */
static void leave_out(voltage *x, int first)
{
    float keep[WIDTH];
    for (int i = 0; i < WIDTH; i++)
        keep[i] = i < first ? 0.0f : 1.0f;
    const real kept = VLOAD_REAL(0, keep);
    x->re *= kept;
    x->im *= kept;
}
#endif

static void keep_all(stokes *sum, stokes *rest, const stokes *part)
{
    keep(&sum->i, &rest->i, part->i);
#if P_STOKES_IS_IQUV
    keep(&sum->q, &rest->q, part->q);
    keep(&sum->u, &rest->u, part->u);
    keep(&sum->v, &rest->v, part->v);
#endif
}

#if WHOLE
/* Numbers of 8 bits are multiplied and added as whole ones: SPAN sums of them stay below 2^24, so that
 * the result is what f32 would give. Squares of real and imaginary parts have 16 bits, of two
 * polarizations still; neighbours are added as 32 bits. */
static inline words squares(global const PART *from)
{
    const words part = AS_WORDS(CONVERT_WORDS(VLOAD(0, from)));
    return part * part;
}

static inline whole neighbours(const words x)
{
    const whole pair = AS_WHOLE(x);
    return (pair & 0xffff) + (pair >> 16);
}

#if PAIRS
#define FROM(p) ((global const PART *)&X(b, 0, t, c) + (p) * 2 * WIDTH)
#else
#define FROM(p) ((global const PART *)&X(b, p, t, c))
#endif

static inline whole power(INPUT, int b, int t, int c)
{
#if PAIRS
    const whole low = neighbours(squares(FROM(0))), high = neighbours(squares(FROM(1)));
    return (whole)(low.even + low.odd, high.even + high.odd);
#elif X_N_P == 2
    return neighbours(squares(FROM(0)) + squares(FROM(1)));
#else
    return neighbours(squares(FROM(0)));
#endif
}

/* Rows lie too far apart for the processor to see what is read next. */
static inline void expect(INPUT, int b, int t, int c)
{
#if GPU || ALONG_T
#else
    __builtin_prefetch((const void *)(size_t)FROM(0), 0, 2);
    if (X_N_P == 2)
        __builtin_prefetch((const void *)(size_t)FROM(1), 0, 2);
#endif
}

/* Samples from k to `end` of the integration t. */
static stokes detect_span(INPUT, int b, int t, int c, int k, const int end)
{
    whole sum = 0;
    for (; k < end; k += SAMPLES) {
        sum += power(X_data, b, t * P_INTEGRATE + k, c);
        expect(X_data, b, (t + 1) * P_INTEGRATE + k, c);
    }
    const stokes out = {CONVERT(sum), 0.0f, 0.0f, 0.0f};
    return out;
}
#else
/* Samples from k to `end` of the integration t. */
static stokes detect_span(INPUT, int b, int t, int c, int k, const int end)
{
    stokes sum = {0.0f, 0.0f, 0.0f, 0.0f};
    voltage x = {0.0f, 0.0f}, y = {0.0f, 0.0f};
    for (; k < end; k += SAMPLES) {
        load_both(&x, &y, X_data, b, t * P_INTEGRATE + min(k, P_INTEGRATE - SAMPLES), c);
#if P_INTEGRATE % SAMPLES
        leave_out(&x, k - (P_INTEGRATE - SAMPLES));
        leave_out(&y, k - (P_INTEGRATE - SAMPLES));
#endif
        add(&sum, &x, &y);
    }
    return sum;
}
#endif

static void detect_one(INPUT, OUTPUT, int b, int t, int c)
{
    stokes sum = {0.0f, 0.0f, 0.0f, 0.0f}, rest = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int left = P_INTEGRATE; left > 0; left -= SPAN * SAMPLES) {
        const int k = P_INTEGRATE - left;
        const stokes part = detect_span(X_data, b, t, c, k, k + min(left, SPAN * SAMPLES));
        keep_all(&sum, &rest, &part);
    }
    store(Y_data, b, 0, t, c, sum.i);
#if P_STOKES_IS_IQUV
    store(Y_data, b, 1, t, c, sum.q);
    store(Y_data, b, 2, t, c, sum.u);
    store(Y_data, b, 3, t, c, sum.v);
#endif
}

/* Steps of WIDTH along the vectors' dimension; the last vector moves back to stay inside. */
#define OUTPUTS (WIDTH / SAMPLES)
#define STEP(along) (1 + (along) * (OUTPUTS - 1))
#define INSIDE(i, n, along) ((along) ? min(i, (n)-OUTPUTS) : (i))

kernel void detect(CT_ARGS)
{
    const int b_end = min(FIRST_B + BOX_B, Y_N_B);
    const int t_end = min(FIRST_T + BOX_T, Y_N_T);
    const int c_end = min(FIRST_C + BOX_C, Y_N_C);
    for (int b = FIRST_B; b < b_end; b += STEP(ALONG_B))
        for (int t = FIRST_T; t < t_end; t += STEP(ALONG_T))
            for (int c = FIRST_C; c < c_end; c += STEP(ALONG_C))
                detect_one(X_data, Y_data, INSIDE(b, Y_N_B, ALONG_B), INSIDE(t, Y_N_T, ALONG_T),
                           INSIDE(c, Y_N_C, ALONG_C));
}

#else

/* Outputs of a box along T. A longer integration is one output, made of several tiles. */
#define WHOLE (TILE_T % P_INTEGRATE == 0)
#define TIMES (WHOLE ? TILE_T : P_INTEGRATE)
#define LONG (!WHOLE && P_INTEGRATE > SPAN)
#define TOGETHER (LONG ? SPAN : P_INTEGRATE) /* times that are added plainly: whole tiles */

static inline void load_tile(voltage *v, const A_TYPE *restrict from)
{
#if POWER
    v->re = *(const real *)from;
    v->im = 0.0f;
#else
    const float16 pairs = *(const float16 *)from;
    v->re = pairs.even;
    v->im = pairs.odd;
#endif
}

/* One time of one beam and WIDTH channels, added to what the tile of results holds. */
static inline void detect_tile(R_TYPE *restrict to, const A_TYPE *restrict from, const int first)
{
    stokes sum = {0.0f, 0.0f, 0.0f, 0.0f};
    voltage x = {0.0f, 0.0f}, y = {0.0f, 0.0f};
    load_tile(&x, from);
    if (X_N_P == 2)
        load_tile(&y, from + A_STRIDE_P);
    add(&sum, &x, &y);
    const real value[4] = {sum.i, sum.q, sum.u, sum.v};
    #pragma unroll
    for (int q = 0; q < R_N_Q; q++) {
        real *place = (real *)(to + q * R_STRIDE_Q);
        *place = first ? value[q] : *place + value[q];
    }
}

static void detect_times(R_TYPE *restrict r, const A_TYPE *restrict a, const int k, const int times)
{
    for (int b = 0; b < TILE_B; b++)
        for (int t = 0; t < times; t++)
            for (int c = 0; c < TILE_C; c += WIDTH)
                detect_tile(r + R_AT(b, 0, (k + t) / P_INTEGRATE, c), a + A_AT(b, t, 0, c),
                            (k + t) % TOGETHER == 0);
}

kernel void detect(CT_ARGS)
{
    const int c = (int)get_global_id(0) * TILE_C, b = (int)get_global_id(2) * TILE_B;
    const int t = (int)get_global_id(1) * R_N_T;
    A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    R_TYPE r[R_SIZE] __attribute__((aligned(64)));
#if LONG
    R_TYPE sum[R_SIZE] __attribute__((aligned(64))), rest[R_SIZE] __attribute__((aligned(64)));
    for (int n = 0; n < R_SIZE; n++)
        sum[n] = rest[n] = 0.0f;
#endif
    for (int k = 0; k < TIMES; k += TILE_T) {
        PACK_A(a, b, 0, t * P_INTEGRATE + k, c);
        if (c + TILE_C < X_N_C)
            PREFETCH_A(b, 0, t * P_INTEGRATE + k, c + TILE_C);
        detect_times(r, a, k, min(TILE_T, TIMES - k));
#if LONG
        if ((k + TILE_T) % SPAN == 0 || k + TILE_T >= TIMES)
            for (int n = 0; n < R_SIZE; n += WIDTH)
                keep((real *)(sum + n), (real *)(rest + n), *(const real *)(r + n));
#endif
    }
#if LONG
    STORE_R(sum, b, 0, t, c);
#else
    STORE_R(r, b, 0, t, c);
#endif
}

#endif

#if HAVE_COUNTS
#define STATION (M_N_S > 1 ? b : 0) /* beams are flagged together */

/* Samples that went into a sum; those that did not are 0 in X. */
kernel void detect_count(CT_ARGS)
{
    const int c = get_global_id(0), t = get_global_id(1), b = get_global_id(2);
    uint valid = 0;
    for (int k = 0; k < P_INTEGRATE; k++)
        valid += !M_MISSING(STATION, t * P_INTEGRATE + k, c);
    COUNTS(b, t, c) = valid;
}
#endif
