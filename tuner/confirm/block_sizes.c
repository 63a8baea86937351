/* block_sizes.c: other blocks than the default's, with the plan that was found.
 * Room: tuner/confirm. Knows whole plans' times. Does not know layouts. */
#include <math.h>

#include "confirm.h"
#include "fail.h"

/* Blocks that are tried; processes in which they are tried, and in which the best is judged at
 * least and at most; rounds in each of these. */
enum { BLOCKS_MOST = 4, BLOCKS_TRIES = 2, BLOCKS_LEAST = 1, BLOCKS_JUDGED = 4, BLOCKS_ROUNDS = 9 };

/* Of the default's samples: numerators and denominators. */
static const int64_t blocks_sizes[][2] = {{1, 2}, {2, 1}, {4, 1}};
enum { BLOCKS_SIZES = sizeof blocks_sizes / sizeof blocks_sizes[0] };

/* The candidate as it is, then with other blocks, if these are possible and fit. */
static ct_status blocks_list(const ct_candidate *candidate, ct_candidate *out, int *count,
                             ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t samples = candidate->tuner->graph->block;
    *count = 1;
    out[0] = *candidate;
    for (int i = 0; i < BLOCKS_SIZES; i++) {
        bool fits = false;
        out[*count] = *candidate;
        out[*count].block = samples * blocks_sizes[i][0] / blocks_sizes[i][1];
        if (samples * blocks_sizes[i][0] % blocks_sizes[i][1] == 0)
            CT_TRY(ct_confirm_fits(&out[*count], &fits, err));
        *count += fits;
    }
out:
    return status;
}

/* ---- time */

/* Two comparisons of two plans each, of which one may be four times as long as by default. */
static double blocks_judged_s(double plan_s, int processes)
{
    return 2 * processes * (1 + 5 * plan_s);
}

/* Their mean size is twice the default's. */
static double blocks_tried_s(double plan_s)
{
    return BLOCKS_TRIES * (1 + 2 * BLOCKS_MOST * plan_s);
}

double ct_confirm_block_sizes_seconds(double plan_s)
{
    return blocks_tried_s(plan_s) + blocks_judged_s(plan_s, BLOCKS_JUDGED);
}

static double blocks_left(const ct_tuner *tuner)
{
    const double budget = tuner->options->budget_s;
    return budget > 0 ? budget - tuner->backend->now(tuner->backend->of) : INFINITY;
}

/* ---- which one */

/* The one that takes least of those that are clearly faster than the first; 0: none. */
static int blocks_best(const ct_plan_timing *own, int count)
{
    int best = 0;
    double least = 1;
    for (int i = 1; i < count; i++) {
        const ct_verdict one = ct_verdict_compare(&own[i], &own[0]);
        if (one.high >= 1 || one.ratio >= least) continue;
        best = i;
        least = one.ratio;
    }
    return best;
}

/* By pairs of their own: those that have chosen it make it look better than it is. */
static ct_status blocks_judge(const ct_candidate *with, const ct_candidate *without, int processes,
                              ct_verdict *out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan_timing own[2];
    const ct_candidate pair[] = {*without, *with};
    CT_TRY(ct_confirm_time(pair, 2, (ct_confirm_way){BLOCKS_ROUNDS, processes}, own, err));
    *out = ct_verdict_compare(&own[1], &own[0]);
out:
    return status;
}

static bool blocks_is_same(const ct_candidate *a, const ct_candidate *b)
{
    bool same = a->tuner == b->tuner && a->tuned == b->tuned;
    for (int s = 0; same && s < a->tuner->space->nodes; s++)
        same = a->choice[s] == b->choice[s];
    return same;
}

/* The candidate with another block takes its place, if it is clearly faster for that. */
static ct_status blocks_take(const ct_candidate *defaults, const ct_candidate *with,
                             ct_candidate *candidate, ct_verdict *verdict, ct_verdict_block *block,
                             ct_error *err)
{
    ct_status status = CT_OK;
    ct_verdict own, whole;
    int processes = BLOCKS_JUDGED;
    const ct_tuner *tuner = candidate->tuner;
    while (processes > BLOCKS_LEAST &&
           blocks_judged_s(tuner->plan_s, processes) > blocks_left(tuner))
        processes--;
    CT_TRY(blocks_judge(with, candidate, processes, &own, err));
    if (own.high >= 1) return CT_OK;
    whole = own;
    if (!blocks_is_same(candidate, defaults))
        CT_TRY(blocks_judge(with, defaults, processes, &whole, err));
    if (whole.high >= 1) return CT_OK;
    *block = (ct_verdict_block){with->block, tuner->graph->block, own.ratio, own.low, own.high};
    *verdict = whole;
    *candidate = *with;
out:
    return status;
}

ct_status ct_confirm_block_sizes(const ct_candidate *defaults, ct_candidate *candidate,
                                 ct_verdict *verdict, ct_verdict_block *block, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate all[BLOCKS_MOST];
    ct_plan_timing own[BLOCKS_MOST];
    int count = 0, best = 0;
    ct_tuner *tuner = candidate->tuner;
    const double plan_s = tuner->plan_s;
    *block = (ct_verdict_block){0};
    tuner->doing = "other blocks";
    if (blocks_tried_s(plan_s) + blocks_judged_s(plan_s, BLOCKS_LEAST) > blocks_left(tuner))
        return CT_OK;
    CT_TRY(blocks_list(candidate, all, &count, err));
    if (count == 1) return CT_OK;
    CT_TRY(
        ct_confirm_time(all, count, (ct_confirm_way){CT_CONFIRM_ROUNDS, BLOCKS_TRIES}, own, err));
    tuner->plan_s = plan_s; /* that of longer ones is no measure for others */
    best = blocks_best(own, count);
    if (best > 0) CT_TRY(blocks_take(defaults, &all[best], candidate, verdict, block, err));
out:
    return status;
}
