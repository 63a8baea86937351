/* final_comparison.c: the best candidates of all tuners against the default, in fresh processes,
 * until they separate or tie; then the best one and the default by themselves, which is what a run
 * and `bench` see. Room: tuner/confirm. Knows whole plans' times. Does not know how candidates were
 * found. */
#include <math.h>
#include <stdlib.h>

#include "confirm.h"
#include "fail.h"

/* Processes at first and at most, and of the last comparison; rounds in each. */
enum { FINAL_PROCESSES = 3, FINAL_MOST = 12, FINAL_LAST = 4, FINAL_ROUNDS = 9 };

/* Candidates that are compared, and that there are. */
enum { FINAL_CANDIDATES = 8, FINAL_FOUND = 8 * CT_CONFIRM_CANDIDATES };

/* Until a process has its device. */
#define FINAL_START_S 1.0

/* Pairs that the prediction of a candidate is worth. */
#define FINAL_PREDICTED 15.0

/* The next of a variant comes after the best of another one that is worse by no more than this:
 * what is predicted is further off between variants than between plans of one. */
#define FINAL_NEXT 1.02

typedef struct final_candidate {
    ct_candidate plan;
    double part; /* of the default, as rehearsals and parts predict it */
    double rank;
    ct_plan_timing own;
    bool out; /* clearly worse than another one */
} final_candidate;

/* The first candidate is the default. */
typedef struct final_contest {
    final_candidate one[FINAL_FOUND];
    int count, processes;
    ct_tuner *first;
    double plan_s, within;
} final_contest;

/* ---- which candidates */

static void final_add(final_contest *c, const ct_candidate *plan, double part, double rank)
{
    if (c->count < FINAL_FOUND)
        c->one[c->count++] = (final_candidate){.plan = *plan, .part = part, .rank = rank};
}

/* The default of the first variant, then what each of them has found. */
static ct_status final_add_best(final_contest *c, ct_tuner *tuner, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate best[CT_CONFIRM_CANDIDATES];
    int found;
    bool fits = true;
    const double defaults = tuner->default_s / ct_tuner_default_s(tuner);
    CT_TRY(ct_confirm_best(tuner, best, &found, err));
    if (tuner != c->first) CT_TRY(ct_confirm_fits(&best[0], &fits, err));
    if (fits) final_add(c, &best[0], defaults, tuner == c->first ? 0 : defaults);
    for (int i = 1; i < found; i++) {
        const double part = ct_tuner_part(tuner, best[i].seconds);
        final_add(c, &best[i], part, part * pow(FINAL_NEXT, i - 1));
    }
out:
    return status;
}

static int final_order(const void *a, const void *b)
{
    const double x = ((const final_candidate *)a)->rank, y = ((const final_candidate *)b)->rank;
    return (x > y) - (x < y);
}

static ct_status final_list(final_contest *c, ct_tuner *const *tuners, int count, ct_error *err)
{
    ct_status status = CT_OK;
    for (int t = 0; t < count; t++)
        CT_TRY(final_add_best(c, tuners[t], err));
    qsort(c->one, (size_t)c->count, sizeof c->one[0], final_order);
    if (c->count > FINAL_CANDIDATES) c->count = FINAL_CANDIDATES;
out:
    return status;
}

/* ---- memory */

static ct_status final_lacks(const ct_tuner *tuner, int64_t least, ct_error *err)
{
    if (least <= tuner->most_bytes)
        return ct_error_add(err, CT_INVALID,
                            "the device has at most %lld bytes for one array: too few for a plan",
                            (long long)tuner->largest_bytes);
    return ct_error_add(err, CT_INVALID,
                        "%s: %lld bytes are less than what the smallest plan found takes: %lld",
                        tuner->options->memory > 0 ? "--memory" : "the device's memory",
                        (long long)tuner->most_bytes, (long long)least);
}

ct_status ct_confirm_any_room(ct_tuner *const *tuners, int count, ct_error *err)
{
    ct_status status = CT_OK;
    bool fits = false;
    int64_t least = 0;
    for (int t = 0; t < count && !fits; t++) {
        CT_TRY(ct_confirm_room(tuners[t], &fits, err));
        if (least == 0 || tuners[t]->least_bytes < least) least = tuners[t]->least_bytes;
    }
    if (!fits && least > 0) status = final_lacks(tuners[0], least, err);
out:
    return status;
}

/* If the default does not fit into memory, the best other one is taken. *fits: it does. */
static ct_status final_fit(const final_contest *c, int *best, bool *fits, ct_error *err)
{
    const ct_candidate *defaults = &c->one[0].plan;
    ct_status status = ct_confirm_fits(defaults, fits, err);
    if (status != CT_OK || *fits || *best > 0) return status;
    if (c->count > 1) {
        *best = 1;
        return CT_OK;
    }
    return final_lacks(defaults->tuner, defaults->tuner->least_bytes, err);
}

/* ---- time */

static double final_seconds(double plan_s, int processes, int candidates)
{
    return processes * (FINAL_START_S + candidates * plan_s);
}

double ct_confirm_seconds(double plan_s, int tuners)
{
    const int most = CT_CONFIRM_CANDIDATES * tuners;
    return final_seconds(plan_s, FINAL_PROCESSES,
                         most < FINAL_CANDIDATES ? most : FINAL_CANDIDATES) +
           final_seconds(plan_s, FINAL_LAST, 2);
}

/* Infinity: as long as it takes. */
static double final_left(const final_contest *c)
{
    const ct_backend *backend = c->first->backend;
    const double budget = c->first->options->budget_s;
    return budget > 0 ? budget - backend->now(backend->of) : INFINITY;
}

/* Fewer candidates, two at least, and then fewer processes, one at least, where there is not time
 * for all. */
static int final_afford(final_contest *c)
{
    int processes = FINAL_PROCESSES;
    const double left = final_left(c) - final_seconds(c->plan_s, 1, 2);
    while (c->count > 2 && final_seconds(c->plan_s, processes, c->count) > left)
        c->count--;
    while (processes > 1 && final_seconds(c->plan_s, processes, c->count) > left)
        processes--;
    return processes;
}

static int final_in(const final_contest *c)
{
    int in = 0;
    for (int i = 0; i < c->count; i++)
        in += !c->one[i].out;
    return in;
}

/* Another process, and then still the last comparison. */
static bool final_affords_more(const final_contest *c)
{
    return final_left(c) >=
           final_seconds(c->plan_s, 1, final_in(c)) + final_seconds(c->plan_s, FINAL_LAST, 2);
}

/* ---- in fresh processes */

static void final_append(ct_plan_timing *to, const ct_plan_timing *own)
{
    ct_plan_timing all = *own;
    all.walls = to->walls;
    for (int w = 0; w < to->walls; w++)
        all.wall[w] = to->wall[w];
    for (int w = 0; w < own->walls && all.walls < CT_BACKEND_WALLS; w++)
        all.wall[all.walls++] = own->wall[w];
    *to = all;
}

/* Those that are still in, another one first each time. */
static ct_status final_process(final_contest *c, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate in[FINAL_CANDIDATES] = {{0}};
    ct_plan_timing own[FINAL_CANDIDATES];
    int place[FINAL_CANDIDATES], count = 0;
    for (int n = 0; n < c->count; n++) {
        const int i = (c->processes + n) % c->count;
        if (c->one[i].out) continue;
        in[count] = c->one[i].plan;
        place[count++] = i;
    }
    CT_TRY(ct_confirm_time(in, count, (ct_confirm_way){FINAL_ROUNDS, 1}, own, err));
    for (int n = 0; n < count; n++)
        final_append(&c->one[place[n]].own, &own[n]);
    c->processes++;
out:
    return status;
}

static ct_verdict final_against(const final_contest *c, int i, int other)
{
    return ct_verdict_compare(&c->one[i].own, &c->one[other].own);
}

/* As timed whole, and as added up from its parts, which have seen more pairs at first. */
static double final_both(const final_contest *c, int i)
{
    const double whole = final_against(c, i, 0).ratio, part = c->one[i].part;
    const double walls = c->one[i].own.walls;
    if (!(part > 0) || !isfinite(part)) return whole;
    return exp((walls * log(whole) + FINAL_PREDICTED * log(part)) / (walls + FINAL_PREDICTED));
}

/* The best one but the default; `better`: of those that are clearly better than it. 0: none. */
static int final_best(const final_contest *c, bool better)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 1; i < c->count; i++) {
        const double both = final_both(c, i);
        if (c->one[i].out || both >= least) continue;
        if (better && final_against(c, i, 0).high >= 1) continue;
        least = both;
        best = i;
    }
    return best;
}

/* Takes those out that are clearly worse than the best. True: it is as good as all that are left,
 * as far as is worth it, and clearly better than the default or as good. */
static bool final_settle(final_contest *c)
{
    const int best = final_best(c, false);
    bool settled = true;
    for (int i = 1; i < c->count; i++) {
        if (i == best || c->one[i].out) continue;
        const ct_verdict other = final_against(c, i, best);
        c->one[i].out = other.low > 1;
        settled &= other.low >= 1 - c->within;
    }
    if (best == 0) return true;
    const ct_verdict whole = final_against(c, best, 0);
    return settled && (whole.high < 1 || whole.low >= 1 - c->within);
}

static ct_status final_compare(final_contest *c, ct_error *err)
{
    ct_status status = CT_OK;
    const int processes = final_afford(c);
    bool settled = c->count < 2;
    while (c->processes < processes ||
           (!settled && c->processes < FINAL_MOST && final_affords_more(c))) {
        CT_TRY(final_process(c, err));
        if (c->processes >= processes) settled = final_settle(c);
    }
out:
    return status;
}

/* By itself in turn with the default, as `bench` times them: others in memory take room in the
 * caches. What is no longer clearly better then is a tie, if the default can be had. */
static ct_status final_last(const final_contest *c, int *best, bool fits, ct_verdict *verdict,
                            ct_error *err)
{
    ct_status status = CT_OK;
    int processes = FINAL_LAST;
    const ct_candidate both[] = {c->one[0].plan, c->one[*best].plan};
    ct_plan_timing own[2];
    const int count = *best > 0 ? 2 : 1;
    *verdict = final_against(c, *best, 0);
    while (processes > 0 && final_seconds(c->plan_s, processes, count) > final_left(c))
        processes--;
    if (processes == 0) return CT_OK;
    CT_TRY(ct_confirm_time(both, count, (ct_confirm_way){FINAL_ROUNDS, processes}, own, err));
    *verdict = ct_verdict_compare(&own[count - 1], &own[0]);
    if (*best == 0 || !fits || verdict->high < 1) return CT_OK;
    *verdict = ct_verdict_compare(&own[0], &own[0]);
    *best = 0;
out:
    return status;
}

/* A tie goes to the default. */
ct_status ct_confirm_choose(ct_tuner *const *tuners, int count, ct_candidate *chosen,
                            ct_verdict *verdict, ct_error *err)
{
    ct_status status = CT_OK;
    bool fits = true;
    ct_tuner *first = tuners[0];
    final_contest *c = ct_arena_get(first->arena, sizeof *c);
    CT_NEED(c, sizeof *c, err);
    *c = (final_contest){.first = first, .within = ct_tuner_within(first)};
    first->doing = "the best plans in fresh processes";
    for (int t = 0; t < count; t++)
        c->plan_s = fmax(c->plan_s, tuners[t]->plan_s);
    CT_TRY(final_list(c, tuners, count, err));
    CT_TRY(final_compare(c, err));
    int best = final_best(c, true);
    CT_TRY(final_fit(c, &best, &fits, err));
    CT_TRY(final_last(c, &best, fits, verdict, err));
    *chosen = c->one[best].plan;
out:
    return status;
}
