/* final_comparison.c: the best candidates of all tuners against the default, in fresh processes; or
 * a guess, where somebody has stopped the tuning.
 * Room: tuner/confirm. Knows whole plans' times. Does not know how candidates were found. */
#include <math.h>

#include "confirm.h"
#include "fail.h"

enum { FINAL_PROCESSES = 3, FINAL_CANDIDATES = 8, FINAL_OTHERS = 2 };

/* Until a process has its device. */
#define FINAL_START_S 1.0

/* The first tuner's default, then the best candidates of each tuner: more of the first one. */
static ct_status final_list(ct_tuner *const *tuners, int count, ct_candidate *out, int *all,
                            ct_error *err)
{
    ct_status status = CT_OK;
    *all = 0;
    for (int t = 0; t < count; t++) {
        ct_candidate best[CT_CONFIRM_CANDIDATES];
        int found;
        CT_TRY(ct_confirm_best(tuners[t], best, &found, err));
        for (int i = t > 0; i < found && i < (t > 0 ? 1 + FINAL_OTHERS : CT_CONFIRM_CANDIDATES);
             i++)
            if (*all < FINAL_CANDIDATES) out[(*all)++] = best[i];
    }
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

/* If the default does not fit into memory, the best other one is taken. */
static ct_status final_fit(const ct_candidate *all, int count, int *best, ct_error *err)
{
    bool fits;
    ct_status status = ct_confirm_fits(&all[0], &fits, err);
    if (status != CT_OK || fits || *best > 0) return status;
    if (count > 1) {
        *best = 1;
        return CT_OK;
    }
    return final_lacks(all[0].tuner, all[0].tuner->least_bytes, err);
}

/* ---- in fresh processes */

/* The best of those that are clearly better than the default: as timed whole, and as added up from
 * its parts, which have seen more pairs. 0: none is. */
static int final_best(const ct_candidate *all, const ct_plan_timing *own, int count)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 1; i < count; i++) {
        const ct_verdict whole = ct_verdict_compare(&own[i], &own[0]);
        const double both = whole.ratio * all[i].seconds;
        if (whole.high >= 1 || both >= least) continue;
        least = both;
        best = i;
    }
    return best;
}

double ct_confirm_seconds(double plan_s, int tuners)
{
    const int most = CT_CONFIRM_CANDIDATES + FINAL_OTHERS * (tuners - 1);
    return FINAL_PROCESSES *
           (FINAL_START_S + plan_s * (most < FINAL_CANDIDATES ? most : FINAL_CANDIDATES));
}

/* How many candidates, two at least, and processes, one at least, there is time for. */
static int final_afford(ct_tuner *const *tuners, int count, int *candidates)
{
    double plan_s = 0, left = tuners[0]->options->budget_s;
    int processes = FINAL_PROCESSES;
    for (int t = 0; t < count; t++)
        plan_s = fmax(plan_s, tuners[t]->plan_s);
    if (left <= 0 || plan_s <= 0) return processes;
    left -= tuners[0]->backend->now(tuners[0]->backend->of);
    while (*candidates > 2 && processes * (FINAL_START_S + *candidates * plan_s) > left)
        (*candidates)--;
    while (processes > 1 && processes * (FINAL_START_S + *candidates * plan_s) > left)
        processes--;
    return processes;
}

/* A tie goes to the default. */
ct_status ct_confirm_choose(ct_tuner *const *tuners, int count, ct_candidate *chosen,
                            ct_verdict *verdict, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate all[FINAL_CANDIDATES];
    ct_plan_timing own[FINAL_CANDIDATES];
    int candidates = 0;
    tuners[0]->doing = "the best plans in fresh processes";
    CT_TRY(final_list(tuners, count, all, &candidates, err));
    const int processes = final_afford(tuners, count, &candidates);
    CT_TRY(ct_confirm_time(all, candidates, processes, own, err));
    int best = final_best(all, own, candidates);
    CT_TRY(final_fit(all, candidates, &best, err));
    *chosen = all[best];
    *verdict = ct_verdict_compare(&own[best], &own[0]);
out:
    return status;
}

/* ---- without timing anything */

/* Sums of parts miss the whole by a few percent. */
#define FINAL_CLEAR 0.97

/* What the default is predicted to take, from the same parts. */
static double final_default(const ct_candidate *defaults)
{
    double seconds = 0.0;
    ct_question parts[2 * CT_TUNER_BATCH];
    const ct_results *results = defaults->tuner->results;
    const int count = ct_refine_parts(defaults->tuner, defaults, parts, 2 * CT_TUNER_BATCH);
    for (int i = 0; i < count; i++)
        seconds += ct_results_seconds(results, &parts[i]);
    return seconds;
}

/* Compares with the first tuner's default: both defaults were timed whole. */
static ct_status final_guess(ct_tuner *tuner, const ct_tuner *first, ct_candidate *chosen,
                             double *ratio, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate best;
    CT_TRY(ct_tuner_candidate(tuner, &best, err));
    const double defaults = final_default(&best);
    const double own =
        tuner->default_s > 0 && first->default_s > 0 ? tuner->default_s / first->default_s : 1;
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_MEASURED, err));
    status = ct_cost_model_best(tuner->model, &best, NULL);
    if (status == CT_OK && own * best.seconds < *ratio * FINAL_CLEAR * defaults) {
        best.tuned = true;
        *ratio = own * best.seconds / defaults;
        *chosen = best;
    }
    if (status == CT_INVALID) status = CT_OK;
out:
    return status;
}

ct_status ct_confirm_guess(ct_tuner *const *tuners, int count, ct_candidate *chosen,
                           ct_verdict *verdict, ct_error *err)
{
    ct_status status = CT_OK;
    double ratio = 1;
    CT_TRY(ct_tuner_candidate(tuners[0], chosen, err));
    for (int t = 0; t < count; t++)
        CT_TRY(final_guess(tuners[t], tuners[0], chosen, &ratio, err));
    *verdict =
        (ct_verdict){ratio * tuners[0]->default_s, tuners[0]->default_s, ratio, ratio, ratio};
out:
    return status;
}
