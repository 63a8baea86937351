/* flag.cl: voltages. A work-item, or a group of them, judges one window of TILE_C channels: packs a tile, stores
 * it as it is, and judges channels side by side. Each work-item has the same channels throughout, so what it
 * writes for one polarization it can read for the next. Power is judged in flag_power.cl and
 * flag_channels.cl. See README.md. */

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

kernel void flag(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    const int c = get_group_id(0) * TILE_C, first = get_group_id(1) * P_WINDOW, s = get_group_id(2);
    const int begin = F_N_S > 1 ? s : 0, end = F_N_S > 1 ? s + 1 : X_N_S;
    int again = 0;
    for (int series = begin; series < end; series++)
        for (int p = 0; p < X_N_P; p++, again = 1) {
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
                    put(&F(s, t, c + v * LANES), F_STRIDE_C, c + v * LANES, found & 1, again);
            }
        }
}
#endif
