/* in_place.c: what steps take in place, between the other steps of a plan: taken from plans that
 * were timed whole into the results.
 * Room: tuner/confirm. */
#include <math.h>
#include <string.h>

#include "confirm.h"
#include "fail.h"

enum { PLACE_PASSES = 12, PLACE_PARTS = 2 * CT_TUNER_BATCH };

static double place_step(const ct_plan_timing *timing, const char *name)
{
    for (int i = 0; i < timing->steps; i++)
        if (!strcmp(timing->name[i], name)) return timing->seconds[i];
    return 0;
}

static void place_transpose(ct_tuner *tuner, const ct_question *q, const ct_plan_timing *own)
{
    char array[CT_SPACE_NAME], step[CT_SPACE_NAME];
    ct_results *results = tuner->results;
    const ct_space_edge *edge = &tuner->space->edge[q->edge];
    ct_result *result = ct_results_find(results, q);
    ct_space_edge_name(array, tuner->space, q->edge);
    ct_number_print(step, sizeof step, "%.100s>%s", array, edge->list[q->to].dim);
    const double seconds = place_step(own, step);
    if (seconds <= 0 || results->copy_rate <= 0 || !result->known) return;
    result->in_place = seconds * results->copy_rate / edge->bytes;
    const double more = result->in_place / result->ratio;
    results->transposes_in_place =
        tuner->in_place ? sqrt(results->transposes_in_place * more) : more;
    tuner->in_place = true;
}

static void place_parts(const ct_candidate *candidate, const ct_plan_timing *defaults,
                        const ct_plan_timing *own)
{
    ct_question parts[PLACE_PARTS];
    ct_tuner *tuner = candidate->tuner;
    const int count = ct_refine_parts(tuner, candidate, parts, PLACE_PARTS);
    for (int i = 0; i < count; i++) {
        const ct_question *q = &parts[i];
        if (q->node < 0) {
            place_transpose(tuner, q, own);
            continue;
        }
        const char *name = tuner->space->node[q->node].name;
        const double seconds = place_step(own, name), before = place_step(defaults, name);
        if (seconds > 0 && before > 0)
            ct_results_find(tuner->results, q)->in_place = seconds / before;
    }
}

/* ---- the default */

void ct_confirm_default_from(ct_tuner *tuner, const ct_plan_timing *defaults)
{
    tuner->default_s = ct_results_median(defaults->wall, defaults->walls);
    for (int s = 0; s < tuner->space->nodes; s++) {
        const double seconds = place_step(defaults, tuner->space->node[s].name);
        if (tuner->space->node[s].free && seconds > 0) tuner->results->of_node[s].base = seconds;
    }
}

static ct_status place_answered(void *to, const ct_question *q, const ct_answer *answer,
                                ct_error *err)
{
    (void)q, (void)err;
    *(ct_answer *)to = *answer;
    return CT_OK;
}

/* Names the step whose default fails; where none fails by itself, returns the error of the whole
 * plan. */
static ct_status place_blame(ct_tuner *tuner, const ct_error *why, ct_error *err)
{
    static const char own[] = "the default of step ";
    for (int s = 0; s < tuner->space->nodes; s++) {
        const ct_question q = {.node = s, .pairs = 1};
        const char *name = tuner->space->node[s].name;
        ct_answer answer = {.end = CT_END_correct};
        if (!tuner->space->node[s].free) continue;
        const ct_status status =
            tuner->backend->ask(tuner->backend->of, &q, 1, place_answered, &answer, err);
        if (status != CT_OK) return status;
        if (answer.end == CT_END_correct) continue;
        if (!strncmp(answer.say, own, strlen(own)))
            return ct_error_add(err, CT_FAILED, "%s", answer.say);
        return ct_error_add(err, CT_FAILED, "%s\"%s\" fails: %s", own, name, answer.say);
    }
    return ct_error_pass(err, CT_FAILED, why);
}

static ct_status place_time_default(ct_tuner *tuner, ct_plan_timing *out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate defaults;
    CT_TRY(ct_tuner_candidate(tuner, &defaults, err));
    CT_TRY(ct_confirm_time(&defaults, 1, (ct_confirm_way){CT_CONFIRM_ROUNDS, 0}, out, err));
out:
    return status;
}

ct_status ct_confirm_default(ct_tuner *tuner, ct_error *err)
{
    ct_status status = CT_OK;
    ct_error why = {0};
    ct_plan_timing defaults;
    tuner->doing = "the default plan";
    if (tuner->default_s > 0) return CT_OK;
    status = place_time_default(tuner, &defaults, &why);
    if (status == CT_FAILED) CT_TRY(place_blame(tuner, &why, err));
    if (status != CT_OK) CT_TRY(ct_error_pass(err, status, &why));
    ct_confirm_default_from(tuner, &defaults);
out:
    return status;
}

ct_status ct_confirm_pace(ct_tuner *tuner, ct_error *err)
{
    ct_plan_timing defaults;
    return place_time_default(tuner, &defaults, err);
}

/* ---- the best candidates */

static bool place_is_known(const ct_candidate *candidate)
{
    ct_question parts[PLACE_PARTS];
    const ct_tuner *tuner = candidate->tuner;
    const int count = ct_refine_parts(tuner, candidate, parts, PLACE_PARTS);
    for (int i = 0; i < count; i++)
        if (ct_results_find(tuner->results, &parts[i])->in_place <= 0) return false;
    return true;
}

/* Keeps the first one, with which the others are compared, and those with parts that were not timed
 * in place yet. */
static void place_drop_known(ct_candidate *candidates, int *count)
{
    int left = 1;
    for (int i = 1; i < *count; i++)
        if (!place_is_known(&candidates[i])) candidates[left++] = candidates[i];
    *count = left;
}

ct_status ct_confirm_calibrate(ct_tuner *tuner, double share, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate candidates[CT_CONFIRM_CANDIDATES];
    ct_plan_timing own[CT_CONFIRM_CANDIDATES];
    int count = 0;
    tuner->doing = "the best plans in place";
    for (int pass = 0; pass < PLACE_PASSES; pass++) {
        CT_TRY(ct_tuner_check_time(tuner, share, err));
        CT_TRY(ct_confirm_best(tuner, candidates, &count, err));
        place_drop_known(candidates, &count);
        if (count < 2) break;
        CT_TRY(
            ct_confirm_time(candidates, count, (ct_confirm_way){CT_CONFIRM_ROUNDS, 0}, own, err));
        if (own[0].steps == 0) break;
        for (int i = 0; i < count; i++)
            place_parts(&candidates[i], &own[0], &own[i]);
        ct_confirm_default_from(tuner, &own[0]);
    }
out:
    return status;
}
