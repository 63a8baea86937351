/* flags_rule.c: the flag of an output sample, from those of the input samples that it is made of: a
 * window in time, or several stations or channels.
 * Room: core/flags. Knows rows of flags. Does not know whose they are. */
#include <string.h>

#include "flags.h"

/* A sample that is missing is not also a sum of which a part is missing. */
static uint8_t any_of(uint8_t a, uint8_t b)
{
    const uint8_t both = a | b;
    return both & CT_FLAGS_MISSING ? both & CT_FLAGS_OUTSIDE : both;
}

static uint8_t all_of(uint8_t a, uint8_t b)
{
    if ((a | b) & 2) return CT_FLAGS_OUTSIDE;
    if (a & b & CT_FLAGS_MISSING) return CT_FLAGS_MISSING;
    return a | b ? CT_FLAGS_PARTLY : 0;
}

uint8_t ct_flags_rule_join(uint8_t a, uint8_t b, bool leaves_out)
{
    return leaves_out ? all_of(a, b) : any_of(a, b);
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

void ct_flags_rule_spread(uint8_t *out, int64_t count, const uint8_t *in, ct_flags_rule rule,
                          bool more)
{
    latest last = {-1, -1, -1, -1};
    int64_t next = 0;
    for (int64_t t = 0; t < count; t++) {
        const int64_t first = t * rule.decimate;
        for (int64_t end = first + rule.decimate + rule.overlap; next < end; next++)
            look(&last, in[next], next);
        const uint8_t flag = sum_up(&last, first, rule.leaves_out);
        out[t] = more ? ct_flags_rule_join(out[t], flag, rule.leaves_out) : flag;
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
