/* flag_channels.cl: power, the launches that compare channels. flag_channels judges the channels of a window by IQRM
 * and by spectral kurtosis, a work-item of a group every WG-th; flag_finish makes F of what flag_power has left in it.
 * flag_emit.c defines NEAR (channels on either side that a burst is looked for in), MOST (channels of a window that may
 * be masked), LAGS, and LAG from 1 on. */

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

/* What each work-item of a group has, together. What has a pointer to local memory is inlined: PoCL 3.1 gives each thread
 * its own only where the kernel itself names it. */
#if WG > 1
#define SYNC barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define OF_GROUP(name, join, none)                                                                                     \
    INLINE uint name(local uint *all, const uint mine)                                                                 \
    {                                                                                                                  \
        SYNC;                                                                                                          \
        if (CT_LID == 0) *all = none;                                                                                  \
        SYNC;                                                                                                          \
        join(all, mine);                                                                                               \
        SYNC;                                                                                                          \
        return *all;                                                                                                   \
    }
OF_GROUP(sum_of_group, atomic_add, 0)
OF_GROUP(least_of_group, atomic_min, NO_NUMBER)
#else
#define SYNC
#define sum_of_group(all, mine) (mine)
#define least_of_group(all, mine) (mine)
#endif

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

INLINE int count_below(A_SPACE uint *all, global const uint *key, const uint tried)
{
    whole below = 0;
    int sum = 0;
    for (int c = CT_LID * LANES; c < VOTES_N_C; c += CT_ITEMS * LANES)
        below -= MASK(*(global const keys *)(key + c) < tried);
    for (int lane = 0; lane < LANES; lane++)
        sum += ((const int *)&below)[lane];
    return (int)sum_of_group(all, sum);
}

/* The least number that is not below `from`. */
INLINE uint least_from(A_SPACE uint *all, global const uint *key, const uint from)
{
    natural next = NO_NUMBER;
    uint least = NO_NUMBER;
    for (int c = CT_LID * LANES; c < VOTES_N_C; c += CT_ITEMS * LANES) {
        const natural now = *(global const keys *)(key + c);
        next = MASK((now >= from) & (now < next)) ? now : next;
    }
    for (int lane = 0; lane < LANES; lane++)
        least = min(least, ((const uint *)&next)[lane]);
    return least_of_group(all, least);
}

/* The number that `rank` others are below: bit after bit, until it is the only one that has these. */
INLINE uint ranked_key(A_SPACE uint *all, global const uint *key, const int rank)
{
    uint found = 0;
    int below = 0, upto = VOTES_N_C;
    for (uint bit = 0x80000000u; bit && upto - below > 1; bit >>= 1) {
        const int count = count_below(all, key, found | bit);
        found |= count <= rank ? bit : 0;
        below = count <= rank ? count : below;
        upto = count <= rank ? upto : count;
    }
    return least_from(all, key, found);
}

/* The number below which `quarters` of four parts of `count` lie; between two of them by a straight line. Where nothing
 * is a number neither is this. A group takes the same way whatever it finds, since some compilers copy what follows a
 * barrier that may be left out. */
INLINE float quartile(A_SPACE uint *all, global const uint *key, const int count, const int quarters)
{
    const int rank = (count - 1) * quarters / 4;
    const float part = (float)((count - 1) * quarters % 4) * 0.25f;
    const uint found = ranked_key(all, key, rank);
    const float low = value_of_one(found);
    if (WG == 1 && part == 0.0f) return low;
    const int upto = count_below(all, key, found + 1);
    if (WG == 1 && upto > rank + 1) return low;
    const float high = value_of_one(least_from(all, key, found + 1));
    return part == 0.0f || upto > rank + 1 ? low : low + (high - low) * part;
}

#if WG == 1 && LANES > 1
/* On CPUs three numbers are looked for at a time: what waits for one pass is not the next one. */
enum { QUARTILES = 3 };

static inline void count_below_each(global const uint *key, const uint tried[QUARTILES], int below[QUARTILES])
{
    whole count[QUARTILES] = {0, 0, 0};
    for (int c = 0; c < VOTES_N_C; c += LANES) {
        const natural now = *(global const keys *)(key + c);
#pragma unroll
        for (int k = 0; k < QUARTILES; k++)
            count[k] -= now < tried[k];
    }
#pragma unroll
    for (int k = 0; k < QUARTILES; k++) {
        below[k] = 0;
        for (int lane = 0; lane < LANES; lane++)
            below[k] += ((const int *)&count[k])[lane];
    }
}

static inline void least_from_each(global const uint *key, const uint from[QUARTILES], uint least[QUARTILES])
{
    natural next[QUARTILES] = {NO_NUMBER, NO_NUMBER, NO_NUMBER};
    for (int c = 0; c < VOTES_N_C; c += LANES) {
        const natural now = *(global const keys *)(key + c);
#pragma unroll
        for (int k = 0; k < QUARTILES; k++)
            next[k] = (now >= from[k]) & (now < next[k]) ? now : next[k];
    }
#pragma unroll
    for (int k = 0; k < QUARTILES; k++) {
        least[k] = NO_NUMBER;
        for (int lane = 0; lane < LANES; lane++)
            least[k] = min(least[k], ((const uint *)&next[k])[lane]);
    }
}

/* As ranked_key finds each; more bits than it needs change nothing. */
static inline void ranked_keys(global const uint *key, const int rank[QUARTILES], uint found[QUARTILES])
{
    int below[QUARTILES] = {0, 0, 0}, upto[QUARTILES] = {VOTES_N_C, VOTES_N_C, VOTES_N_C}, count[QUARTILES];
    uint tried[QUARTILES], from[QUARTILES] = {0, 0, 0};
    bool several = true;
    for (uint bit = 0x80000000u; bit && several; bit >>= 1) {
        several = false;
#pragma unroll
        for (int k = 0; k < QUARTILES; k++)
            tried[k] = from[k] | bit;
        count_below_each(key, tried, count);
#pragma unroll
        for (int k = 0; k < QUARTILES; k++) {
            from[k] |= count[k] <= rank[k] ? bit : 0;
            below[k] = count[k] <= rank[k] ? count[k] : below[k];
            upto[k] = count[k] <= rank[k] ? upto[k] : count[k];
            several |= upto[k] - below[k] > 1;
        }
    }
    least_from_each(key, from, found);
}

static inline void quartiles(global const uint *key, const int count, float of[QUARTILES])
{
    int rank[QUARTILES], upto[QUARTILES];
    uint found[QUARTILES], behind[QUARTILES];
#pragma unroll
    for (int k = 0; k < QUARTILES; k++)
        rank[k] = (count - 1) * (k + 1) / 4;
    ranked_keys(key, rank, found);
#pragma unroll
    for (int k = 0; k < QUARTILES; k++)
        behind[k] = found[k] + 1;
    count_below_each(key, behind, upto);
    least_from_each(key, behind, behind);
#pragma unroll
    for (int k = 0; k < QUARTILES; k++) {
        const float part = (float)((count - 1) * (k + 1) % 4) * 0.25f, low = value_of_one(found[k]);
        const float high = value_of_one(behind[k]);
        of[k] = part == 0.0f || upto[k] > rank[k] + 1 ? low : low + (high - low) * part;
    }
}
#endif

/* The channel that compares itself with c at this lag. */
static inline int voter(const int c, const int lag)
{
    return max(0, min(c - lag, X_N_C - 1));
}

/* Of x, where it is a number. */
INLINE float median_of(A_SPACE uint *all, global const float *x, global uint *votes, const int stride)
{
    global uint *key = votes + KEYS * stride;
    int count = 0;
    for (int c = CT_LID; c < VOTES_N_C; c += CT_ITEMS) {
        key[c] = c < X_N_C ? key_of_one(x[c]) : NO_NUMBER;
        count += key[c] != NO_NUMBER;
    }
    return quartile(all, key, (int)sum_of_group(all, count), 2);
}

/* Bits of BEFORE or AFTER: where the difference from the voter is far above the others', and by at least `least`. */
INLINE void vote(A_SPACE uint *all, global const float *x, global uint *votes, const int stride, const float least,
                 const int place, const int sign)
{
    global uint *key = votes + KEYS * stride, *bits = votes + (sign > 0 ? AFTER : BEFORE) * stride;
    const int lag = sign * LAG[place + 1];
    int count = 0;
    for (int c = CT_LID; c < VOTES_N_C; c += CT_ITEMS) {
        key[c] = c < X_N_C ? key_of_one(x[c] - x[voter(c, lag)]) : NO_NUMBER;
        count += key[c] != NO_NUMBER;
    }
    count = (int)sum_of_group(all, count);
    float low = 0, middle = 0, high = 0;
#if WG == 1 && LANES > 1
    float of[QUARTILES];
    quartiles(key, count, of);
    low = of[0], middle = of[1], high = of[2];
#else
    /* The median first: where nothing is far enough above it the others are not asked for. */
    uint far = 1;
#pragma unroll 1
    for (int n = 0; n < 3 && far; n++) {
        const float now = quartile(all, key, count, n == 0 ? 2 : 2 * n - 1);
        middle = n == 0 ? now : middle;
        low = n == 1 ? now : low;
        high = now;
        far = 0;
        for (int c = CT_LID; c < X_N_C; c += CT_ITEMS)
            far |= x[c] - x[voter(c, lag)] - middle > least;
        far = sum_of_group(all, far);
    }
#endif
    const float many = P_IQRM * ((high - low) / 1.349f), most = least > many ? least : many;
    for (int c = CT_LID; c < X_N_C; c += CT_ITEMS)
        if (x[c] - x[voter(c, lag)] - middle > most) bits[c] |= 1u << place;
}

#if WG > 1
#define CAST_VOTE(at) atomic_inc(at)
#else
#define CAST_VOTE(at) (*(at))++
#endif

/* Of a channel's votes, which come from channels that have cast fewer than it has received? Without `cast`
 * they are only counted: a voter at the band's end once, at however many lags. On GPUs without a `continue`:
 * where the loop had two, NVIDIA's compiler (driver 580) counted the first vote only. On CPUs most have none. */
static inline bool count_votes(global uint *votes, const int stride, const int c, const bool compare)
{
    const int received = compare ? votes[RECEIVED * stride + c] : 0, last = X_N_C - 1;
    global uint *cast = votes + CAST * stride;
    int sum = 0;
    bool first = false, final = false, fewer = false;
    const bool none = (votes[AFTER * stride + c] | votes[BEFORE * stride + c]) == 0;
    for (int n = 0; n < 2 * LAGS && (WG > 1 || !none); n++) {
        const int sign = n & 1 ? -1 : 1, place = n >> 1, from = voter(c, sign * LAG[place + 1]);
        const bool is = votes[(sign > 0 ? AFTER : BEFORE) * stride + c] >> place & 1;
        if (WG == 1 && !is) continue;
        const bool known = (from == 0 && first) || (from == last && final);
        fewer |= compare && is && (int)cast[from] < received;
        if (!compare && is && !known) {
            CAST_VOTE(cast + from);
            sum++;
        }
        first |= is && from == 0;
        final |= is && from == last;
    }
    if (!compare) votes[RECEIVED * stride + c] = sum;
    return fewer;
}

/* Masks the channels whose statistic is far above that of others nearby. V. Morello, K. M. Rajwade, B. W.
 * Stappers, MNRAS 510 (2022). */
INLINE void mask_outliers(A_SPACE uint *all, global const float *x, global uint *votes, const int stride,
                          const float least)
{
    for (int c = CT_LID; c < X_N_C; c += CT_ITEMS)
        votes[AFTER * stride + c] = votes[BEFORE * stride + c] = votes[CAST * stride + c] = 0;
    for (int n = 0; n < 2 * LAGS; n++)
        vote(all, x, votes, stride, least, n >> 1, n & 1 ? -1 : 1);
    for (int c = CT_LID; c < X_N_C; c += CT_ITEMS)
        count_votes(votes, stride, c, false);
    SYNC;
    for (int c = CT_LID; c < X_N_C; c += CT_ITEMS)
        votes[MASKED * stride + c] |= count_votes(votes, stride, c, true);
    SYNC;
}

kernel void flag_channels(CT_ARGS)
{
    const int window = get_group_id(0), s = get_group_id(1);
    const int begin = F_N_S > 1 ? s : 0, end = F_N_S > 1 ? s + 1 : X_N_S;
    global uint *votes = &VOTES(s, window, 0, 0);
    A_SPACE uint all[1];
    int masked = 0;
    for (int c = CT_LID; c < X_N_C; c += CT_ITEMS)
        votes[c] = 0;
    for (int b = begin * X_N_P; b < end * X_N_P; b++) {
#if LAGS > 0
        const float least = P_LEAST_EXCESS * median_of(all, &STAT(b, 0, window, 0), votes, VOTES_STRIDE_K);
        for (int k = 0; k < 2; k++)
            mask_outliers(all, &STAT(b, k, window, 0), votes, VOTES_STRIDE_K, k ? least : 0.0f);
#endif
#if HAVE_LIMITS
        for (int c = CT_LID; c < X_N_C; c += CT_ITEMS) {
            const float beyond = STAT(b, 2, window, c);
            votes[c] |= beyond == 1.0f || (beyond == 2.0f && !is_broad(HOT_data, s, window * PARTS,
                                                                       window * PARTS + PARTS - 1, c));
        }
#endif
    }
    for (int c = CT_LID; c < X_N_C; c += CT_ITEMS)
        masked += votes[c];
    masked = (int)sum_of_group(all, masked);
    for (int c = CT_LID; c < X_N_C && masked > MOST; c += CT_ITEMS)
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
