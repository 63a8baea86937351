/* flags_rule.c: the flag of an output sample, from those of the input samples that it is made of: a
 * window in time, or several stations or channels.
 * Room: core/flags. Knows rows of flags. Does not know whose they are. */
#include <string.h>

#include "flags.h"
#include "flags_find.h"

/* A sample that is missing is not also a sum of which a part is missing. */
static inline uint8_t any_of(uint8_t a, uint8_t b)
{
    const uint8_t both = a | b;
    return both & CT_FLAGS_MISSING ? both & CT_FLAGS_OUTSIDE : both;
}

static inline uint8_t all_of(uint8_t a, uint8_t b)
{
    if ((a | b) & 2) return CT_FLAGS_OUTSIDE;
    if (a & b & CT_FLAGS_MISSING) return CT_FLAGS_MISSING;
    return a | b ? CT_FLAGS_PARTLY : 0;
}

/* Two loops, so that a compiler makes vectors of either. */
void ct_flags_rule_join(uint8_t *to, const uint8_t *from, int64_t count, bool leaves_out)
{
    for (int64_t t = 0; leaves_out && t < count; t++)
        to[t] = all_of(to[t], from[t]);
    for (int64_t t = 0; !leaves_out && t < count; t++)
        to[t] = any_of(to[t], from[t]);
}

/* The latest input samples of each kind. */
typedef struct latest {
    int64_t flagged, missing, outside, good;
} latest;

static void look(latest *last, uint8_t flag, int64_t t)
{
    if (flag) last->flagged = t;
    if (flag & CT_FLAGS_MISSING) last->missing = t;
    if (flag & 2) last->outside = t;
    if (!(flag & CT_FLAGS_MISSING)) last->good = t;
}

/* The flag of all samples from `first` to the latest. */
static uint8_t sum_up(const latest *last, int64_t first, bool leaves_out)
{
    if (last->outside >= first) return CT_FLAGS_OUTSIDE;
    if (last->flagged < first) return 0;
    if (leaves_out ? last->good < first : last->missing >= first) return CT_FLAGS_MISSING;
    return CT_FLAGS_PARTLY;
}

/* The outputs before this one need no sample from `flagged` on. */
static int64_t outputs_before(int64_t flagged, int64_t count, ct_flags_rule rule)
{
    const int64_t t = (flagged - rule.overlap) / rule.decimate;
    return flagged < rule.overlap ? 0 : t < count ? t : count;
}

/* From output t on those that are made of samples of which none is flagged become 0; where they
 * end. */
static int64_t spread_nothing(uint8_t *out, int64_t t, int64_t count, const uint8_t *in,
                              int64_t next, ct_flags_rule rule)
{
    const int64_t whole = count * rule.decimate + rule.overlap;
    const int64_t end = outputs_before(ct_flags_find(in, next, whole), count, rule);
    if (end <= t) return t;
    memset(out + t, 0, (size_t)(end - t));
    return end;
}

/* Where each output is made of one sample, of which it has what says most. */
static void spread_each(uint8_t *restrict out, const uint8_t *restrict in, int64_t count)
{
    for (int64_t t = 0; t < count; t++)
        out[t] = in[t] & 2                  ? CT_FLAGS_OUTSIDE
                 : in[t] & CT_FLAGS_MISSING ? CT_FLAGS_MISSING
                 : in[t]                    ? CT_FLAGS_PARTLY
                                            : 0;
}

void ct_flags_rule_spread(uint8_t *out, int64_t count, const uint8_t *in, ct_flags_rule rule,
                          bool more)
{
    if (!more && rule.decimate == 1 && rule.overlap == 0) {
        spread_each(out, in, count);
        return;
    }
    latest last = {-1, -1, -1, -1};
    int64_t next = 0;
    for (int64_t t = 0; t < count; t++) {
        if (!more && last.flagged < t * rule.decimate)
            t = spread_nothing(out, t, count, in, next, rule);
        if (t == count) break;
        const int64_t first = t * rule.decimate;
        if (next < first) next = first;
        for (int64_t end = first + rule.decimate + rule.overlap; next < end; next++)
            look(&last, in[next], next);
        const uint8_t flag = sum_up(&last, first, rule.leaves_out);
        out[t] = !more ? flag : rule.leaves_out ? all_of(out[t], flag) : any_of(out[t], flag);
    }
}

void ct_flags_rule_stations(uint8_t *out, const uint8_t *rows, int64_t count, int64_t apart,
                            int64_t stations)
{
    for (int64_t t = 0; t < count; t++) {
        uint8_t all = 0xff;
        bool every = true;
        for (int64_t s = 0; s < stations; s++) {
            const uint8_t flag = rows[s * apart + t];
            all &= flag;
            every = every && flag;
        }
        out[t] = all & CT_FLAGS_MISSING ? all & CT_FLAGS_OUTSIDE : every ? CT_FLAGS_PARTLY : 0;
    }
}
