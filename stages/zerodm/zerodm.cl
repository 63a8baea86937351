/* zerodm.cl: a work-item, or a group of them, takes TILE_T times of all channels, tile after tile: adds up
 * channels, and takes their mean off, or keeps it in Z for the fit: zerodm_fit.cl. See README.md. */

#define FAST (ALONG_T ? TILE_T : TILE_C)

/* Of a row of times each work-item has its own; vectors of a row are numbered. */
#define VECTORS (FAST / LANES / WG)
#define PLACE(v) ((v) * LANES + (WG > 1 ? CT_LID : 0))
#define MEANS (ALONG_T ? VECTORS : TILE_T)
#define TERMS (ALONG_T ? TILE_C : VECTORS) /* of a mean, in a tile */
#define TERM(k, n) (ALONG_T ? A_AT(n, PLACE(k)) : A_AT(k, PLACE(n)))

typedef struct {
    lanes sum[MEANS], count[MEANS];
} sums;

INLINE void add_tile(sums *to, A_SPACE const A_TYPE *a, A_SPACE const uchar *f)
{
    for (int k = 0; k < MEANS; k++) {
        lanes sum = to->sum[k], count = to->count[k];
        for (int n = 0; n < TERMS; n++) {
            const lanes x = LOAD(a + TERM(k, n));
            const whole has = has_say(x, f + (BY_CHANNEL ? TERM(k, n) : 0));
            sum += EITHER(has, x, 0.0f);
            count += EITHER(has, 1.0f, 0.0f);
        }
        to->sum[k] = sum;
        if (JUDGED) to->count[k] = count;
    }
}

/* Of a sample that is flagged there is none. */
static inline lanes only_present(const lanes mean, FLAGS, const int s, const int t)
{
#if BY_SAMPLE
    float of[LANES] __attribute__((aligned(64)));
    *(lanes *)of = mean;
    for (int lane = 0; lane < LANES; lane++)
        if (M_LEFT_OUT(s, min(t + (ALONG_T ? lane : 0), X_N_T - 1), 0)) of[lane] = NAN;
    return *(lanes *)of;
#else
    return mean;
#endif
}

/* Channels that tiles have beyond the last one are 0, and are counted. */
#define BEYOND ((X_N_C + TILE_C - 1) / TILE_C * TILE_C - X_N_C)

static inline void finish(lanes mean[MEANS], const sums *of, FLAGS, const int s, const int t)
{
    for (int k = 0; k < MEANS; k++) {
        const lanes sum = ALONG_T ? of->sum[k] : (lanes)TOTAL(of->sum[k]);
        const lanes count = ALONG_T ? of->count[k] : (lanes)TOTAL(of->count[k]);
        const lanes n = JUDGED ? count - (float)BEYOND : (lanes)(float)X_N_C;
        const lanes all = EITHER(n > 0.0f, sum / n, NAN);
        mean[k] = only_present(all, FLAGS_DATA, s, t + (ALONG_T ? PLACE(k) : k));
    }
}

kernel void zerodm(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    A_SPACE uchar f[FLAGS_ROOM(F_SIZE)] __attribute__((aligned(64)));
    const int t = get_group_id(0) * TILE_T, series = get_group_id(1);
    const int b = series / X_N_Q, q = series % X_N_Q, s = STATION(b);
    sums of;
    lanes mean[MEANS] __attribute__((aligned(64)));
    for (int k = 0; k < MEANS; k++)
        of.sum[k] = of.count[k] = 0.0f;
    for (int c = 0; c < X_N_C; c += TILE_C) {
        PACK_A(a, b, q, t, c);
        PACK_F(f, s, t, c);
        CT_BARRIER;
#if HAVE_Z
        const bool last = c + TILE_C >= X_N_C;
        PREFETCH_A(b, q, last ? t + TILE_T : t, last ? 0 : c + TILE_C);
        PREFETCH_F(s, last ? t + TILE_T : t, last ? 0 : c + TILE_C);
#endif
        add_tile(&of, a, f);
        CT_BARRIER;
    }
    finish(mean, &of, FLAGS_DATA, s, t);
#if HAVE_Z
    for (int k = 0; k < MEANS; k++)
#if ALONG_T && LANES > 1
        vstore16(mean[k], 0, &Z(series, t + PLACE(k)));
#elif ALONG_T
        Z(series, t + PLACE(k)) = mean[k];
#else
        Z(series, t + k) = mean[k].s0;
#endif
#else
    ROOM(r, R_SIZE, a);
    for (int c = 0; c < X_N_C; c += TILE_C) {
        if (X_N_C > TILE_C) {
            PACK_A(a, b, q, t, c);
            PACK_F(f, s, t, c);
            CT_BARRIER;
        }
        for (int k = 0; k < MEANS; k++)
            for (int n = 0; n < TERMS; n++) {
                const lanes x = LOAD(a + TERM(k, n));
                const whole has = has_say(x, f + (BY_CHANNEL ? TERM(k, n) : 0));
                *(R_SPACE result *)(r + TERM(k, n)) = scaled(x - mean[k], has, JUDGED || BY_SAMPLE);
            }
        CT_BARRIER;
        STORE_R(r, b, q, t, c);
        CT_BARRIER;
    }
#endif
}
