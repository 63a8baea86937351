/* zerodm.cl: a work-item, or a group of them, takes TILE_T times of all channels, tile after tile: adds up
 * channels, and takes their mean off; or for a fit keeps means of groups of them, zerodm_common.cl. See README.md. */

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

INLINE void begin(sums *of)
{
    for (int k = 0; k < MEANS; k++)
        of->sum[k] = of->count[k] = 0.0f;
}

INLINE void add_terms(sums *to, A_SPACE const A_TYPE *a, A_SPACE const uchar *f, const int first, const int end)
{
    for (int k = 0; k < MEANS; k++) {
        lanes sum = to->sum[k], count = to->count[k];
        for (int n = first; n < end; n++) {
            const lanes x = LOAD(a + TERM(k, n));
            const whole has = has_say(x, f + (BY_CHANNEL ? TERM(k, n) : 0));
            sum += EITHER(has, x, 0.0f);
            count += EITHER(has, 1.0f, 0.0f);
        }
        to->sum[k] = sum;
        if (JUDGED) to->count[k] = count;
    }
}

/* Channels that tiles have beyond the last one are 0, and are counted. */
#define BEYOND ((X_N_C + TILE_C - 1) / TILE_C * TILE_C - X_N_C)

#if HAVE_Z
/* What is added up together of a tile's channels of a group: all, or all of the tile's, or 16. */
#define RUN (TILE_C % GROUP_C == 0 ? GROUP_C : GROUP_C % TILE_C == 0 ? TILE_C : 16)
#define RUN_TERMS (ALONG_T ? RUN : RUN / LANES)

/* Vectors of times: of as many sums over channels side by side there are as many vectors. */
#if ALONG_T
#define TIMES MEANS
#define OVER_CHANNELS(of, k) ((of)[k])
#else
#define TIMES (MEANS / LANES)
#define OVER_CHANNELS(of, k) totals((of) + (k) * LANES)

/* Of each of 16 vectors the sum over its lanes, in order. */
INLINE lanes totals(const lanes of[LANES])
{
    lanes sum[LANES];
    for (int k = 0; k < LANES; k++)
        sum[k] = of[k];
    for (int count = LANES / 2; count > 0; count /= 2)
        for (int k = 0; k < count; k++) {
            const lanes a = sum[2 * k], b = sum[2 * k + 1];
            sum[k] = (lanes)(a.even + a.odd, b.even + b.odd);
        }
    return sum[0];
}
#endif

/* Means over a group's channels; none where nothing has a say. */
INLINE void leave(const sums *of, global float *z, const int group)
{
    const bool last = group == GROUPS - 1;
    const float channels = last ? X_N_C - (GROUPS - 1) * GROUP_C : GROUP_C, beyond = last ? BEYOND : 0;
    for (int k = 0; k < TIMES; k++) {
        const lanes sum = OVER_CHANNELS(of->sum, k);
        const lanes count = JUDGED ? OVER_CHANNELS(of->count, k) - beyond : (lanes)channels;
        STORE_MEANS(EITHER(count > 0.0f, sum / count, NAN), z + group * Z_STRIDE_C + PLACE(k));
    }
}

/* Of a tile that begins with channel c. Leaves each group that ends in it, but for the last one, which channels beyond
 * the last are counted with. */
INLINE void add_tile(sums *of, A_SPACE const A_TYPE *a, A_SPACE const uchar *f, global float *z, const int c)
{
    for (int n = 0; n < TERMS; n += RUN_TERMS) {
        const int end = c + (n / RUN_TERMS + 1) * RUN, group = end / GROUP_C - 1;
        add_terms(of, a, f, n, n + RUN_TERMS);
        if (end % GROUP_C != 0 || group >= GROUPS - 1) continue;
        leave(of, z, group);
        begin(of);
    }
}

kernel void zerodm(CT_ARGS)
{
    A_SPACE A_TYPE a[A_SIZE] __attribute__((aligned(64)));
    A_SPACE uchar f[FLAGS_ROOM(F_SIZE)] __attribute__((aligned(64)));
    const int t = get_group_id(0) * TILE_T, series = get_group_id(1);
    const int b = series / X_N_Q, q = series % X_N_Q, s = STATION(b);
    global float *z = &Z(series, 0, t);
    sums of;
    begin(&of);
    for (int c = 0; c < X_N_C; c += TILE_C) {
        PACK_A(a, b, q, t, c);
        PACK_F(f, s, t, c);
        CT_BARRIER;
        const bool last = c + TILE_C >= X_N_C;
        PREFETCH_A(b, q, last ? t + TILE_T : t, last ? 0 : c + TILE_C);
        PREFETCH_F(s, last ? t + TILE_T : t, last ? 0 : c + TILE_C);
        add_tile(&of, a, f, z, c);
        CT_BARRIER;
    }
    leave(&of, z, GROUPS - 1);
}
#else
static inline void finish(lanes mean[MEANS], const sums *of, FLAGS, const int s, const int t)
{
    for (int k = 0; k < MEANS; k++) {
        const lanes sum = ALONG_T ? of->sum[k] : (lanes)TOTAL(of->sum[k]);
        const lanes count = ALONG_T ? of->count[k] : (lanes)TOTAL(of->count[k]);
        const lanes n = JUDGED ? count - (float)BEYOND : (lanes)(float)X_N_C;
        const lanes all = EITHER(n > 0.0f, sum / n, NAN);
        mean[k] = only_present(all, FLAGS_DATA, s, t + (ALONG_T ? PLACE(k) : k), ALONG_T);
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
    begin(&of);
    for (int c = 0; c < X_N_C; c += TILE_C) {
        PACK_A(a, b, q, t, c);
        PACK_F(f, s, t, c);
        CT_BARRIER;
        add_terms(&of, a, f, 0, TERMS);
        CT_BARRIER;
    }
    finish(mean, &of, FLAGS_DATA, s, t);
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
}
#endif
