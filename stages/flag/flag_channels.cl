/* flag_channels.cl: power, the launches that compare channels. flag_channels judges the channels of a window by IQRM
 * and by spectral kurtosis, flag_finish makes F of what flag_power has left in it. flag_emit.c defines
 * NEAR (channels on either side that a burst is looked for in), MOST (channels of a window that may be masked),
 * LAGS, and LAG from 1 on. */

/* Do samples stand out, from one part to another, in half of the channels on one side? */
static inline bool is_broad(global const HOT_TYPE *restrict HOT_data, const int s, const int from,
                            const int to, const int c)
{
    int above = 0, below = 0;
    for (int k = 1; k <= NEAR; k++) {
        int up = 0, down = 0;
        for (int part = from; part <= to; part++) {
            up |= c + k < X_N_C ? HOT(s, part, c + k) : 0;
            down |= c - k >= 0 ? HOT(s, part, c - k) : 0;
        }
        above += up & STANDS;
        below += down & STANDS;
    }
    return NEAR > 0 && 2 * max(above, below) >= NEAR;
}

/* ---- IQRM: columns of VOTES, each with a number for each channel */

enum { MASKED, KEYS, AFTER, BEFORE, RECEIVED, CAST };
#define NO_NUMBER 0xffffffffu

/* A float as an integer of the same order. */
static inline uint key_of_one(const float x)
{
    const uint bits = as_uint(x);
    return x != x ? NO_NUMBER : bits ^ (0x80000000u | (0u - (bits >> 31)));
}

static inline float value_of_one(const uint key)
{
    return as_float(key ^ (0x80000000u | ((key >> 31) - 1u)));
}

static inline int count_below(global const uint *key, const uint tried)
{
    whole below = 0;
    int sum = 0;
    for (int c = 0; c < VOTES_N_C; c += LANES)
        below -= MASK(*(global const keys *)(key + c) < tried);
    for (int lane = 0; lane < LANES; lane++)
        sum += ((const int *)&below)[lane];
    return sum;
}

/* The least number that is not below `from`. */
static inline uint least_from(global const uint *key, const uint from)
{
    natural next = NO_NUMBER;
    uint least = NO_NUMBER;
    for (int c = 0; c < VOTES_N_C; c += LANES) {
        const natural now = *(global const keys *)(key + c);
        next = MASK((now >= from) & (now < next)) ? now : next;
    }
    for (int lane = 0; lane < LANES; lane++)
        least = min(least, ((const uint *)&next)[lane]);
    return least;
}

/* The number that `rank` others are below: bit after bit, on CPUs only until it is the only one that has these. */
static inline uint ranked_key(global const uint *key, const int rank)
{
    uint found = 0;
    int below = 0, upto = VOTES_N_C;
    for (uint bit = 0x80000000u; bit && (GPU || upto - below > 1); bit >>= 1) {
        const int count = count_below(key, found | bit);
        found |= count <= rank ? bit : 0;
        below = count <= rank ? count : below;
        upto = count <= rank ? upto : count;
    }
    return GPU ? found : least_from(key, found);
}

/* The number below which `quarters` of four parts of `count` lie; between two of them by a straight line. */
static inline float quartile(global const uint *key, const int count, const int quarters)
{
    const int rank = (count - 1) * quarters / 4;
    const float part = (float)((count - 1) * quarters % 4) * 0.25f;
    const uint found = ranked_key(key, rank);
    const float low = value_of_one(found);
    if (part == 0.0f || count_below(key, found + 1) > rank + 1) return low;
    return low + (value_of_one(least_from(key, found + 1)) - low) * part;
}

/* The channel that compares itself with c at this lag. */
static inline int voter(const int c, const int lag)
{
    return max(0, min(c - lag, X_N_C - 1));
}

/* Bits of BEFORE or AFTER: where the difference from the voter is far above the others'. */
static inline void vote(global const float *x, global uint *votes, const int stride, const int place,
                        const int sign)
{
    global uint *key = votes + KEYS * stride, *bits = votes + (sign > 0 ? AFTER : BEFORE) * stride;
    const int lag = sign * LAG[place + 1];
    int count = 0;
    for (int c = 0; c < VOTES_N_C; c++) {
        key[c] = c < X_N_C ? key_of_one(x[c] - x[voter(c, lag)]) : NO_NUMBER;
        count += key[c] != NO_NUMBER;
    }
    if (count == 0) return;
    const float middle = quartile(key, count, 2);
    const float spread = (quartile(key, count, 3) - quartile(key, count, 1)) / 1.349f;
    for (int c = 0; c < X_N_C; c++)
        if (x[c] - x[voter(c, lag)] - middle > P_IQRM * spread) bits[c] |= 1u << place;
}

/* Of a channel's votes, which come from channels that have cast fewer than it has received? Without `cast`
 * they are only counted: a voter at the band's end once, at however many lags. */
static inline bool count_votes(global uint *votes, const int stride, const int c, const bool compare)
{
    const int received = compare ? votes[RECEIVED * stride + c] : 0, last = X_N_C - 1;
    global uint *cast = votes + CAST * stride;
    int sum = 0, ends = 0;
    for (int n = 0; n < 2 * LAGS; n++) {
        const int sign = n & 1 ? -1 : 1, place = n >> 1;
        if (!(votes[(sign > 0 ? AFTER : BEFORE) * stride + c] >> place & 1)) continue;
        const int from = voter(c, sign * LAG[place + 1]), end = from == 0 ? 1 : from == last ? 2 : 0;
        if (compare && (int)cast[from] < received) return true;
        if (compare || (end & ends)) continue;
        ends |= end;
        cast[from]++;
        sum++;
    }
    if (!compare) votes[RECEIVED * stride + c] = sum;
    return false;
}

/* Masks the channels whose statistic is far above that of others nearby. V. Morello, K. M. Rajwade, B. W.
 * Stappers, MNRAS 510 (2022). */
static inline void mask_outliers(global const float *x, global uint *votes, const int stride)
{
    for (int c = 0; c < X_N_C; c++)
        votes[AFTER * stride + c] = votes[BEFORE * stride + c] = votes[CAST * stride + c] = 0;
    for (int place = 0; place < LAGS; place++) {
        vote(x, votes, stride, place, 1);
        vote(x, votes, stride, place, -1);
    }
    for (int c = 0; c < X_N_C; c++)
        count_votes(votes, stride, c, false);
    for (int c = 0; c < X_N_C; c++)
        votes[MASKED * stride + c] |= count_votes(votes, stride, c, true);
}

kernel void flag_channels(CT_ARGS)
{
    const int window = get_global_id(0), s = get_global_id(1);
    const int begin = F_N_S > 1 ? s : 0, end = F_N_S > 1 ? s + 1 : X_N_S;
    global uint *votes = &VOTES(s, window, 0, 0);
    int masked = 0;
    for (int c = 0; c < X_N_C; c++)
        votes[c] = 0;
    for (int b = begin * X_N_P; b < end * X_N_P; b++) {
        for (int k = 0; k < 2 && LAGS > 0; k++)
            mask_outliers(&STAT(b, k, window, 0), votes, VOTES_STRIDE_K);
#if HAVE_LIMITS
        for (int c = 0; c < X_N_C; c++) {
            const float beyond = STAT(b, 2, window, c);
            votes[c] |= beyond == 1.0f || (beyond == 2.0f && !is_broad(HOT_data, s, window * PARTS,
                                                                       window * PARTS + PARTS - 1, c));
        }
#endif
    }
    for (int c = 0; c < X_N_C; c++)
        masked += votes[c];
    for (int c = 0; c < X_N_C && masked > MOST; c++)
        votes[c] = 0;
}

/* -1 where a part has a burst nearby in frequency and time. */
static inline whole bursts(global const HOT_TYPE *restrict HOT_data, const int s, const int window,
                           const int part, const int c)
{
    const int from = window * PARTS + max(part - 1, 0), to = window * PARTS + min(part + 1, PARTS - 1);
    int is[LANES] __attribute__((aligned(64)));
    for (int lane = 0; lane < LANES; lane++)
        is[lane] = c + lane < X_N_C && is_broad(HOT_data, s, from, to, c + lane) ? -1 : 0;
    return *(whole *)is;
}

static inline whole masks(global const VOTES_TYPE *restrict VOTES_data, const int s, const int window, const int c)
{
    int is[LANES] __attribute__((aligned(64)));
    for (int lane = 0; lane < LANES; lane++)
        is[lane] = c + lane < X_N_C ? -(int)VOTES(s, window, MASKED, c + lane) : 0;
    return *(whole *)is;
}

kernel void flag_finish(CT_ARGS)
{
    const int first = get_group_id(0) * TILE_C, window = get_group_id(1), s = get_group_id(2);
    for (int v = CT_LID; v < TILE_C / LANES; v += CT_ITEMS) {
        const int c = first + v * LANES;
        if (c >= X_N_C) break;
        const whole masked = masks(VOTES_data, s, window, c);
        for (int part = 0; part < PARTS; part++) {
            const whole asks = take(&HOT(s, window * PARTS + part, c), HOT_STRIDE_C, c) & ASKS;
            const bool some = ANY(MASK(asks != 0));
            if (!some && !ANY(masked)) continue;
            const whole kept = some ? bursts(HOT_data, s, window, part, c) : (whole)0;
            for (int t = window * P_WINDOW + part * PART; t < window * P_WINDOW + min((part + 1) * PART, P_WINDOW);
                 t++) {
                const whole code = take(&F(s, t, c), F_STRIDE_C, c);
                put(&F(s, t, c), F_STRIDE_C, c, (code & SURELY) | (code >> 1 & ~kept & 1) | (masked & 1), 0);
            }
        }
    }
}
