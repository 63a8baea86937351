/* flag.cl: a work-item, or a group of them, judges one window of TILE_C channels: packs a tile, stores it
 * as it is, and judges channels side by side. Each work-item has the same channels throughout, so what it
 * writes for one polarization it can read for the next. See README.md. */

#if GPU
#define LANES 1
typedef float lanes;
typedef int whole;
typedef uint natural;
#define AS_NATURAL as_uint
#define AS_LANES as_float
#elif TILE_C >= 16
#define LANES 16
typedef float16 lanes;
typedef int16 whole;
typedef uint16 natural;
#define AS_NATURAL as_uint16
#define AS_LANES as_float16
#else
#define LANES 8
typedef float8 lanes;
typedef int8 whole;
typedef uint8 natural;
#define AS_NATURAL as_uint8
#define AS_LANES as_float8
#endif

/* The tiles' rows that belong to one window. */
#if X_COMPLEX
#define ROWS TILE_T
#else
#define ROWS P_WINDOW
#endif

/* Where a lane has `holds`, as -1 or 0. */
#if GPU
#define MASK(holds) (-(holds))
#else
#define MASK(holds) (holds)
#endif

/* -1 where a sample may be judged: no earlier stage has flagged it. */
#if HAVE_M
#define PRESENT(series, t, c) present_of(M_data, series, t, c)
static inline whole present_of(global const M_TYPE *restrict M_data, const int series, const int t,
                               const int c)
{
    int is[LANES] __attribute__((aligned(64)));
    for (int lane = 0; lane < LANES; lane++)
        is[lane] = M(M_N_S > 1 ? series : 0, t, min(c + lane, X_N_C - 1)) == 0 ? -1 : 0;
    return *(whole *)is;
}
#else
#define PRESENT(series, t, c) ((whole)(-1))
#endif

/* Writes flags, -1 in `found`, of one sample; `again`: beside those of earlier series. */
static inline void save(global F_TYPE *restrict F_data, const int s, const int t, const int c,
                        const whole found, const int again)
{
    const int *flag = (const int *)&found;
    for (int lane = 0; lane < LANES && c + lane < X_N_C; lane++)
        F(s, t, c + lane) = (F_TYPE)((again ? F(s, t, c + lane) : 0) | (flag[lane] & 1));
}

#if X_COMPLEX
/* Of TILE_C channels, by vectors of them. */
typedef struct {
    lanes first[TILE_C / LANES], second[TILE_C / LANES]; /* sums of power, and of its square */
    whole count[TILE_C / LANES];
} sums;

static inline lanes power_of(A_SPACE const A_TYPE *x)
{
#if LANES == 1
    return fma(x->x, x->x, x->y * x->y);
#else
    const A_SPACE lanes *v = (const A_SPACE lanes *)x;
    const lanes re = (lanes)(v[0].even, v[1].even), im = (lanes)(v[0].odd, v[1].odd);
    return fma(re, re, im * im);
#endif
}

/* The estimator of M samples: (M + 1) / (M - 1) (M S2 / S1^2 - 1). A channel without power is no noise,
 * and has no limits. */
static inline whole beyond(const sums *of, const int v, global const LIMITS_TYPE *restrict LIMITS_data)
{
    int found[LANES] __attribute__((aligned(64)));
    const float *first = (const float *)&of->first[v], *second = (const float *)&of->second[v];
    const int *count = (const int *)&of->count[v];
    for (int lane = 0; lane < LANES; lane++) {
        const float n = (float)count[lane], square = first[lane] * first[lane];
        const LIMITS_TYPE limit = LIMITS((int)((long)count[lane] * (LIMITS_N_K - 1) / P_WINDOW));
        const float kurtosis = (n + 1.0f) / (n - 1.0f) * (n * second[lane] / square - 1.0f);
        found[lane] = square > 0.0f && (kurtosis < limit.x || kurtosis > limit.y) ? -1 : 0;
    }
    return *(whole *)found;
}
#else
#define LEAST 8 /* samples that have a median worth the name */

/* Floats as integers of the same order. */
static inline natural key_of(const lanes x)
{
    const natural bits = AS_NATURAL(x);
    return bits ^ ((natural)0x80000000u | (natural)(0u - (bits >> 31)));
}

static inline lanes value_of(const natural key)
{
    return AS_LANES(key ^ ((natural)0x80000000u | ((key >> 31) - 1u)));
}

/* The number that `rank` others are smaller than, bit after bit. What is no number is larger than all. */
static inline natural ranked(const A_SPACE lanes *x, const whole rank)
{
    natural found = 0u;
    for (uint bit = 0x80000000u; bit != 0u; bit >>= 1) {
        const natural tried = found | bit;
        whole below = 0;
        for (int row = 0; row < ROWS; row++)
            below -= MASK(key_of(x[row * (TILE_C / LANES)]) < tried);
        found = below <= rank ? tried : found;
    }
    return found;
}

/* The median of `count` numbers: where they are even, the mean of the two in the middle. */
static inline lanes median(const A_SPACE lanes *x, const whole count)
{
    const natural low = ranked(x, (count - 1) / 2);
    natural high = 0xffffffffu;
    whole upto = 0;
    for (int row = 0; row < ROWS; row++) {
        const natural key = key_of(x[row * (TILE_C / LANES)]);
        upto -= MASK(key <= low);
        high = key > low ? min(key, high) : high;
    }
    high = upto > count / 2 ? low : high;
    return 0.5f * (value_of(low) + value_of(high));
}
#endif

kernel void flag(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    const int c = get_group_id(0) * TILE_C, first = get_group_id(1) * P_WINDOW, s = get_group_id(2);
    const int begin = F_N_S > 1 ? s : 0, end = F_N_S > 1 ? s + 1 : X_N_S;
    int again = 0;
    for (int series = begin; series < end; series++)
        for (int p = 0; p < X_N_P; p++, again = 1) {
#if X_COMPLEX
            sums sum;
            for (int v = 0; v < TILE_C / LANES; v++)
                sum.first[v] = sum.second[v] = 0.0f, sum.count[v] = 0;
            for (int t = first; t < first + P_WINDOW; t += TILE_T) {
                PACK_A(a, series, p, t, c);
                CT_BARRIER;
                STORE_R(a, series, p, t, c);
                for (int row = 0; row < TILE_T; row++)
                    for (int v = CT_LID; v < TILE_C / LANES; v += CT_ITEMS) {
                        const whole is = PRESENT(series, t + row, c + v * LANES);
                        lanes power = power_of(a + A_AT(row, v * LANES));
                        power = is ? power : (lanes)0.0f;
                        sum.first[v] += power;
                        sum.second[v] = fma(power, power, sum.second[v]);
                        sum.count[v] -= is;
                    }
                CT_BARRIER;
            }
            for (int v = CT_LID; v < TILE_C / LANES; v += CT_ITEMS) {
                const whole found = beyond(&sum, v, LIMITS_data);
                for (int t = first; t < first + P_WINDOW; t++)
                    save(F_data, s, t, c + v * LANES, found, again);
            }
#else
            PACK_A(a, series, p, first, c);
            CT_BARRIER;
            STORE_R(a, series, p, first, c);
            CT_BARRIER;
            for (int v = CT_LID; v < TILE_C / LANES; v += CT_ITEMS) {
                A_SPACE lanes *x = (A_SPACE lanes *)a + v;
                whole count = 0;
                for (int row = 0; row < ROWS; row++) {
                    A_SPACE lanes *of = x + row * (TILE_C / LANES);
                    const whole is = PRESENT(series, first + row, c + v * LANES) & MASK(*of == *of);
                    *of = is ? *of : (lanes)NAN;
                    count -= is;
                }
                const lanes middle = median(x, count);
                for (int row = 0; row < ROWS; row++)
                    x[row * (TILE_C / LANES)] = fabs(x[row * (TILE_C / LANES)] - middle);
                const lanes spread = median(x, count) * 1.4826f;
                const whole judged = MASK(count >= LEAST) & MASK(spread > 0.0f);
                const lanes most = judged ? P_THRESHOLD * spread : (lanes)INFINITY;
                for (int row = 0; row < ROWS; row++) {
                    const lanes away = x[row * (TILE_C / LANES)];
                    const whole is = PRESENT(series, first + row, c + v * LANES);
                    save(F_data, s, first + row, c + v * LANES,
                         is & (MASK(away > most) | MASK(away != away)), again);
                }
            }
            CT_BARRIER;
#endif
        }
}
