/* verdict.c: see verdict.h.
 * Room: tuner/pipeline. */
#include "verdict.h"

#include <math.h>

#include "confirm.h"
#include "fail.h"

enum { VERDICT_PROCESSES = 3, VERDICT_PICKS = 8, VERDICT_OTHERS = 2 };

/* Until a process has its device. */
#define VERDICT_START_S 1.0

double ct_verdict_median(const double *values, int count)
{
    double ratio[3] = {NAN};
    (void)ct_tune_ratio(ratio, values, NULL, (size_t)count, NULL);
    return ratio[0];
}

/* Of too little to compare, or without memory for it: no difference. */
ct_verdict ct_verdict_compare(const double *seconds, const double *usual, int count)
{
    double ratio[3] = {1, 1, 1};
    (void)ct_tune_ratio(ratio, seconds, usual, (size_t)count, NULL);
    return (ct_verdict){.seconds = ct_verdict_median(seconds, count),
                        .usual = ct_verdict_median(usual, count),
                        .ratio = ratio[0],
                        .low = ratio[1],
                        .high = ratio[2]};
}

ct_verdict_gap ct_verdict_above(const ct_verdict *v, double bound_s)
{
    const double gap = v->seconds - bound_s;
    const double spread = v->ratio > 0 ? v->seconds * (v->high - v->low) / (2 * v->ratio) : 0;
    if (!(bound_s > 0) || !isfinite(bound_s) || !(gap > 0)) return (ct_verdict_gap){0, 0};
    const double noise = fmin(gap, spread);
    return (ct_verdict_gap){noise, gap - noise};
}

/* ---- in fresh processes */

static ct_verdict verdict_of(const ct_whole *own, const ct_whole *other)
{
    const int walls = own->walls < other->walls ? own->walls : other->walls;
    return ct_verdict_compare(own->wall, other->wall, walls);
}

/* The default of the first first, then each one's best picks: those of the first count more. */
static ct_status verdict_gather(ct_tuner *const *tuners, int count, ct_contender *out, int *all,
                                ct_error *err)
{
    ct_status status = CT_OK;
    *all = 0;
    for (int t = 0; t < count; t++) {
        ct_pick picks[CT_TUNER_PICKS];
        int found;
        CT_TRY(ct_confirm_picks(tuners[t], picks, &found, err));
        for (int i = t > 0; i < found && i < (t > 0 ? 1 + VERDICT_OTHERS : CT_TUNER_PICKS); i++)
            if (*all < VERDICT_PICKS) out[(*all)++] = (ct_contender){tuners[t], picks[i]};
    }
out:
    return status;
}

static ct_status verdict_lacks(const ct_tuner *tuner, int64_t least, ct_error *err)
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

ct_status ct_verdict_room(ct_tuner *const *tuners, int count, ct_error *err)
{
    ct_status status = CT_OK;
    bool fits = false;
    int64_t least = 0;
    for (int t = 0; t < count && !fits; t++) {
        CT_TRY(ct_confirm_room(tuners[t], &fits, err));
        if (least == 0 || tuners[t]->least_bytes < least) least = tuners[t]->least_bytes;
    }
    if (!fits && least > 0) status = verdict_lacks(tuners[0], least, err);
out:
    return status;
}

/* The default is kept though there is something better: it is too large. */
static ct_status verdict_memory(const ct_contender *all, int count, int *best, ct_error *err)
{
    bool fits;
    ct_tuner *tuner = all[0].tuner;
    ct_status status = ct_confirm_fits(tuner, &all[0].pick, &fits, err);
    if (status != CT_OK || fits || *best > 0) return status;
    if (count > 1) {
        *best = 1;
        return CT_OK;
    }
    return verdict_lacks(tuner, tuner->least_bytes, err);
}

/* The best of those that are clearly better than the default: as rehearsed and as added up from its
 * parts, which have seen more pairs. 0: none is. */
static int verdict_best(const ct_contender *all, const ct_whole *own, int count)
{
    int best = 0;
    double least = INFINITY;
    for (int i = 1; i < count; i++) {
        const ct_verdict whole = verdict_of(&own[i], &own[0]);
        const double both = whole.ratio * all[i].pick.seconds;
        if (whole.high >= 1 || both >= least) continue;
        least = both;
        best = i;
    }
    return best;
}

double ct_verdict_seconds(double plan_s, int tuners)
{
    const int most = CT_TUNER_PICKS + VERDICT_OTHERS * (tuners - 1);
    return VERDICT_PROCESSES *
           (VERDICT_START_S + plan_s * (most < VERDICT_PICKS ? most : VERDICT_PICKS));
}

/* How many contenders, two at least, and processes, one at least, there is time for. */
static int verdict_afford(ct_tuner *const *tuners, int count, int *contenders)
{
    double plan_s = 0, left = tuners[0]->options->budget_s;
    int processes = VERDICT_PROCESSES;
    for (int t = 0; t < count; t++)
        plan_s = fmax(plan_s, tuners[t]->plan_s);
    if (left <= 0 || plan_s <= 0) return processes;
    left -= tuners[0]->meter->now(tuners[0]->meter->of);
    while (*contenders > 2 && processes * (VERDICT_START_S + *contenders * plan_s) > left)
        (*contenders)--;
    while (processes > 1 && processes * (VERDICT_START_S + *contenders * plan_s) > left)
        processes--;
    return processes;
}

/* A tie goes to the default. */
ct_status ct_verdict_choose(ct_tuner *const *tuners, int count, ct_contender *chosen,
                            ct_verdict *verdict, ct_error *err)
{
    ct_status status = CT_OK;
    ct_contender all[VERDICT_PICKS];
    ct_whole own[VERDICT_PICKS];
    int contenders = 0;
    tuners[0]->doing = "the best plans in fresh processes";
    CT_TRY(verdict_gather(tuners, count, all, &contenders, err));
    const int processes = verdict_afford(tuners, count, &contenders);
    CT_TRY(ct_confirm_rehearse(all, contenders, processes, own, err));
    int best = verdict_best(all, own, contenders);
    CT_TRY(verdict_memory(all, contenders, &best, err));
    *chosen = all[best];
    *verdict = verdict_of(&own[best], &own[0]);
out:
    return status;
}

/* ---- without */

/* Sums of parts miss the whole by a few percent. */
#define VERDICT_CLEAR 0.97

/* What the default is predicted to take, from the same parts. */
static double verdict_usual(const ct_tuner *tuner, const ct_pick *usual)
{
    double seconds = 0.0;
    ct_question parts[2 * CT_TUNER_BATCH];
    const int count = ct_refine_parts(tuner, usual, parts, 2 * CT_TUNER_BATCH);
    for (int i = 0; i < count; i++)
        seconds +=
            parts[i].site >= 0
                ? ct_book_cell(tuner->book, parts[i].site, parts[i].cell, NULL)
                : ct_book_transpose(tuner->book, parts[i].spot, parts[i].from, parts[i].to, NULL);
    return seconds;
}

/* Against the first one's default: how its own compares with that was rehearsed. */
static ct_status verdict_guess(ct_tuner *tuner, const ct_tuner *first, ct_contender *chosen,
                               double *ratio, ct_error *err)
{
    ct_status status = CT_OK;
    ct_pick pick;
    CT_TRY(ct_tuner_pick(tuner, &pick, err));
    const double usual = verdict_usual(tuner, &pick);
    const double own =
        tuner->usual_s > 0 && first->usual_s > 0 ? tuner->usual_s / first->usual_s : 1;
    CT_TRY(ct_model_price(tuner->model, tuner->book, CT_PRICE_MEASURED, err));
    status = ct_model_best(tuner->model, &pick, NULL);
    if (status == CT_OK && own * pick.seconds < *ratio * VERDICT_CLEAR * usual) {
        pick.tuned = true;
        *ratio = own * pick.seconds / usual;
        *chosen = (ct_contender){tuner, pick};
    }
    if (status == CT_INVALID) status = CT_OK;
out:
    return status;
}

ct_status ct_verdict_guess(ct_tuner *const *tuners, int count, ct_contender *chosen,
                           ct_verdict *verdict, ct_error *err)
{
    ct_status status = CT_OK;
    double ratio = 1;
    chosen->tuner = tuners[0];
    CT_TRY(ct_tuner_pick(tuners[0], &chosen->pick, err));
    for (int t = 0; t < count; t++)
        CT_TRY(verdict_guess(tuners[t], tuners[0], chosen, &ratio, err));
    *verdict = (ct_verdict){ratio * tuners[0]->usual_s, tuners[0]->usual_s, ratio, ratio, ratio};
out:
    return status;
}
