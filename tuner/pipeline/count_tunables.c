/* count_tunables.c: see count_tunables.h.
 * Room: tuner/pipeline. */
#include "count_tunables.h"

#include <math.h>

/* Combinations that are counted one by one; random walks, the same ones every time. */
enum { COUNT_VISITS = 400000, COUNT_WALKS = 4000 };

typedef struct counting {
    ct_step *step;
    int tunables;
    int64_t visits; /* left */
    double found;
    uint64_t state;
} counting;

static bool count_fits(const counting *c, int tunable)
{
    if (!ct_step_is_legal_so_far(c->step, tunable)) return false;
    return tunable + 1 < c->tunables || ct_step_is_legal(c->step);
}

/* False: there are too many. */
static bool count_walk(counting *c, int tunable)
{
    if (tunable == c->tunables) {
        c->found++;
        return true;
    }
    for (int n = 0; n < ct_step_tunable_count(c->step, tunable); n++) {
        if (c->visits-- <= 0) return false;
        c->step->tunable[tunable] = ct_step_tunable_value(c->step, tunable, n);
        if (count_fits(c, tunable) && !count_walk(c, tunable + 1)) return false;
    }
    return true;
}

static uint64_t count_random(counting *c)
{
    c->state ^= c->state << 13;
    c->state ^= c->state >> 7;
    c->state ^= c->state << 17;
    return c->state;
}

/* One random way down: the product of how many ways there were at each place; 0 at a dead end. */
static double count_probe(counting *c)
{
    double product = 1.0;
    for (int t = 0; t < c->tunables; t++) {
        int fits = 0;
        int64_t chosen = 0;
        for (int n = 0; n < ct_step_tunable_count(c->step, t); n++) {
            c->step->tunable[t] = ct_step_tunable_value(c->step, t, n);
            if (!count_fits(c, t)) continue;
            if (count_random(c) % (uint64_t)++fits == 0) chosen = c->step->tunable[t];
        }
        if (fits == 0) return 0.0;
        c->step->tunable[t] = chosen;
        product *= fits;
    }
    return product;
}

static ct_tunables_count count_estimate(counting *c)
{
    double sum = 0.0, squares = 0.0;
    for (int walk = 0; walk < COUNT_WALKS; walk++) {
        const double found = count_probe(c);
        sum += found;
        squares += found * found;
    }
    const double mean = sum / COUNT_WALKS;
    return (ct_tunables_count){mean,
                               sqrt(fmax(0, squares / COUNT_WALKS - mean * mean) / COUNT_WALKS)};
}

ct_tunables_count ct_count_tunables(ct_step *step)
{
    counting c = {.step = step,
                  .tunables = ct_step_tunables(step),
                  .visits = COUNT_VISITS,
                  .state = 88172645463325252u};
    int64_t before[CT_TUNABLES];
    for (int t = 0; t < c.tunables; t++)
        before[t] = step->tunable[t];
    ct_tunables_count count = {0, 0};
    if (count_walk(&c, 0))
        count.number = c.found;
    else
        count = count_estimate(&c);
    for (int t = 0; t < c.tunables; t++)
        step->tunable[t] = before[t];
    return count;
}
