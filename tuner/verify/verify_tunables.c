/* verify_tunables.c: which combinations of tunables are tried: all legal ones where they are
 * few, else so many that any two values of two tunables meet (a covering array of strength two,
 * built greedily: Cohen et al. 1997, "The AETG system"; most faults need no more than two factors:
 * Kuhn, Wallace and Gallo 2004). Room: tuner/verify. Knows steps' tunables. Does not know layouts
 * or runs. */
#include "verify_inner.h"
#include <string.h>

#define TUNABLES_FEW 200   /* up to so many legal combinations all are tried */
#define TUNABLES_DRAWS 16  /* legal candidates of which the one that covers most is taken */
#define TUNABLES_VAIN 2000 /* after so many candidates without anything new all is covered */

typedef struct tunables_cover {
    ct_step *step;
    int64_t all;
    uint64_t seed;
    int64_t draws;          /* so far; makes the next one another */
    int first[CT_TUNABLES]; /* number of a tunable's first value */
    int values;             /* of all tunables together */
    unsigned char *covered; /* values x values */
} tunables_cover;

static int64_t verify_combinations(const ct_step *step)
{
    int64_t count = 1;
    for (int i = 0; i < ct_step_tunables(step); i++)
        count *= ct_step_tunable_count(step, i);
    return count;
}

bool ct_verify_combination(ct_step *step, int64_t n)
{
    for (int i = 0; i < ct_step_tunables(step); i++) {
        int values = ct_step_tunable_count(step, i);
        step->tunable[i] = ct_step_tunable_value(step, i, (int)(n % values));
        n /= values;
    }
    return ct_step_is_legal(step);
}

/* Numbers of the combination's values, each unique over all tunables. */
static void tunables_values(const tunables_cover *cover, int64_t n, int out[CT_TUNABLES])
{
    for (int i = 0; i < ct_step_tunables(cover->step); i++) {
        int values = ct_step_tunable_count(cover->step, i);
        out[i] = cover->first[i] + (int)(n % values);
        n /= values;
    }
}

/* How many pairs of values this combination would add, or adds. */
static int tunables_gain(tunables_cover *cover, int64_t n, bool add)
{
    int value[CT_TUNABLES] = {0}, gain = 0, count = ct_step_tunables(cover->step);
    tunables_values(cover, n, value);
    for (int i = 0; i < count; i++)
        for (int j = 0; j <= i; j++) { /* with itself: a single tunable's values count too */
            unsigned char *covered = &cover->covered[value[i] * cover->values + value[j]];
            gain += !*covered;
            if (add) *covered = 1;
        }
    return gain;
}

/* The best of some legal combinations; -1 where none brings anything new. */
static int64_t tunables_draw(tunables_cover *cover)
{
    int64_t best = -1;
    int most = 0;
    for (int found = 0, vain = 0; found < TUNABLES_DRAWS && vain < TUNABLES_VAIN;) {
        int64_t n = (int64_t)(ct_verify_hash(9, (uint64_t)cover->draws++, cover->seed) %
                              (uint64_t)cover->all);
        int gain = tunables_gain(cover, n, false);
        if (gain == 0 || !ct_verify_combination(cover->step, n)) {
            vain++;
            continue;
        }
        found++;
        best = gain > most ? n : best;
        most = gain > most ? gain : most;
    }
    return best;
}

static int64_t tunables_covering(int64_t *list, ct_step *step, int64_t most, uint64_t seed)
{
    tunables_cover cover = {.step = step, .all = verify_combinations(step), .seed = seed};
    int64_t count = 0, next;
    for (int i = 0; i < ct_step_tunables(step); i++) {
        cover.first[i] = cover.values;
        cover.values += ct_step_tunable_count(step, i);
    }
    cover.covered = ct_memory_get((size_t)cover.values * (size_t)cover.values);
    if (!cover.covered) return -1;
    while (count < most && (next = tunables_draw(&cover)) >= 0) {
        tunables_gain(&cover, next, true);
        list[count++] = next;
    }
    ct_memory_free(cover.covered);
    return count;
}

/* ---- all legal ones: a walk that goes back where a condition fails already */

typedef struct tunables_walk {
    ct_step *step;
    int64_t *list, count, most;
} tunables_walk;

/* False where there are more than wanted. */
static bool tunables_from(tunables_walk *walk, int tunable, int64_t n, int64_t radix)
{
    if (tunable == ct_step_tunables(walk->step)) {
        if (!ct_step_is_legal(walk->step)) return true;
        if (walk->count == walk->most) return false;
        walk->list[walk->count++] = n;
        return true;
    }
    const int values = ct_step_tunable_count(walk->step, tunable);
    for (int v = 0; v < values; v++) {
        walk->step->tunable[tunable] = ct_step_tunable_value(walk->step, tunable, v);
        if (ct_step_is_legal_so_far(walk->step, tunable) &&
            !tunables_from(walk, tunable + 1, n + v * radix, radix * values))
            return false;
    }
    return true;
}

/* All legal ones as long as they are at most so many; -1 where there are more. */
static int64_t tunables_every(int64_t *list, ct_step *step, int64_t most)
{
    tunables_walk walk = {.step = step, .list = list, .most = most};
    return tunables_from(&walk, 0, 0, 1) ? walk.count : -1;
}

int64_t ct_verify_tunables(int64_t **list, const ct_step *of, int64_t most, uint64_t seed)
{
    ct_step step = *of;
    int64_t limit = most ? most : TUNABLES_FEW, count;
    *list = ct_memory_get((size_t)(limit > 4096 ? limit : 4096) * sizeof **list);
    if (!*list) return -1;
    if (ct_step_tunables(of) == 0) return 0;
    count = tunables_every(*list, &step, limit);
    if (count >= 0) return count;
    return tunables_covering(*list, &step, most ? most : 4096, seed);
}
