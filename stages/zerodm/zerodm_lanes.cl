/* zerodm_lanes.cl: what both kernels compute with: samples and flags side by side, what has a say, and what is left as
 * the output has it. */

#define INLINE static inline __attribute__((always_inline))
/* Of vectors on CPUs: what is computed with, whether it holds, what of samples and flags is in memory. On CPUs bytes
 * stay bytes, and what is left becomes the output's type in registers. */
#if WG > 1
#define LANES 1
#define TOTAL(x) (x)
#define TO_LANES(x) (x)
#define TO_WHOLE(x) (x)
#define TO_RESULT(x) (x)
#define ALL 1
typedef float lanes, sample, result;
typedef int whole;
typedef uchar flags;
#else
#define LANES 16
#define TOTAL total
#define TO_LANES convert_float16
#define TO_WHOLE convert_int16
#define ALL ((whole)(-1))
typedef float16 lanes;
typedef int16 whole;
typedef uchar16 flags;
#if X_IS_u8
typedef uchar16 sample;
#elif X_IS_i8
typedef char16 sample;
#else
typedef float16 sample;
#endif

static inline float total(const lanes x)
{
    const float8 a = x.lo + x.hi;
    const float4 b = a.lo + a.hi;
    return (b.x + b.z) + (b.y + b.w);
}

#if Y_IS_i8
#define TO_RESULT CT_CONVERT_char16_sat_rte
typedef char16 result;
#elif Y_IS_i16
#define TO_RESULT CT_CONVERT_short16_sat_rte
typedef short16 result;
#else
#define TO_RESULT(x) (x)
typedef float16 result;
#endif
#endif

/* A tile's rows: times side by side, or channels. */
#define ALONG_T (WG > 1 || X_FASTEST == DIM_T)

#define LOAD(at) TO_LANES(*(A_SPACE const sample *)(at))
#define IS_FINITE(x) (fabs(x) <= MAXFLOAT)
#define EITHER(holds, a, b) ((holds) ? (lanes)(a) : (lanes)(b))

/* ---- what has a say */

#if HAVE_M
#define STATION(b) (M_N_S > 1 ? (b) : 0)
#define FLAGS global const M_TYPE *restrict M_data
#define FLAGS_DATA M_data
#else
#define STATION(b) 0
#define FLAGS int M_data
#define FLAGS_DATA 0
#endif

/* Flags have channels of their own, and a tile that is like the samples'; else a whole sample is flagged, and has no
 * mean. */
#if HAVE_M && M_STRIDE_C != 0
#define BY_CHANNEL 1
#define FLAGS_ROOM(size) size
#else
#define BY_CHANNEL 0
#define FLAGS_ROOM(size) 1
#define PACK_F(f, s, t, c)
#define PACK_G(g, s, t, c)
#define PREFETCH_F(s, t, c)
#define PREFETCH_G(s, t, c)
#endif
#define BY_SAMPLE (HAVE_M && !BY_CHANNEL)
#if X_IS_f32 || X_IS_f16
#define MAY_BE_NONE 1
#else
#define MAY_BE_NONE 0
#endif
#define JUDGED (BY_CHANNEL || MAY_BE_NONE)

static inline whole has_say(const lanes x, A_SPACE const uchar *flagged)
{
    whole has = ALL;
#if BY_CHANNEL
    has = has && TO_WHOLE((*(A_SPACE const flags *)flagged & (flags)1) == (flags)0);
#endif
#if MAY_BE_NONE
    has = has && IS_FINITE(x);
#endif
    return has;
}

/* Of what a mean or a sample went into. */
static inline whole still_has_say(const whole has, const lanes left)
{
    return MAY_BE_NONE || BY_SAMPLE ? has && IS_FINITE(left) : has;
}

static inline result scaled(const lanes left, const whole has, const bool judged)
{
    return TO_RESULT(judged ? EITHER(still_has_say(has, left), left * P_SCALE, 0.0f) : left * P_SCALE);
}

/* Of a sample that is flagged there is no mean: lanes are so many samples apart. */
static inline lanes only_present(const lanes mean, FLAGS, const int s, const int t, const int apart)
{
#if BY_SAMPLE
    float of[LANES] __attribute__((aligned(64)));
    *(lanes *)of = mean;
    for (int lane = 0; lane < LANES; lane++)
        if (M_LEFT_OUT(s, min(t + lane * apart, X_N_T - 1), 0)) of[lane] = NAN;
    return *(lanes *)of;
#else
    return mean;
#endif
}

/* Of an array, whose rows may begin anywhere. */
#if LANES > 1
#define LOAD_MEANS(at) vload16(0, at)
#define STORE_MEANS(x, at) vstore16(x, 0, at)
#else
#define LOAD_MEANS(at) (*(at))
#define STORE_MEANS(x, at) (*(at) = (x))
#endif

/* Where results are put: floats where the samples were that they come from. */
#if WG > 1 || !(X_IS_u8 || X_IS_i8 || Y_IS_i8 || Y_IS_i16)
#define ROOM(r, size, a) A_SPACE float *r = a
#else
#define ROOM(r, size, a) R_SPACE R_TYPE r[size] __attribute__((aligned(64)))
#endif
