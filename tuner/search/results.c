/* results.c: see results.h.
 * Room: tuner/search. */
#include "results.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <math.h>
#include <string.h>

/* What a transpose takes between other steps, against the same one by itself: measured on CPUs. */
#define FIRST_IN_PLACE 1.5

/* Short steps take up to twice as long in one process as in another, on a machine at rest, too: a
 * larger ratio, in the median of so many pairs, is reported. */
#define DRIFT 2.0
enum { DRIFT_PAIRS = 3 };

static ct_status results_node(ct_results *results, int s, ct_error *err)
{
    ct_predict_axis axis[CT_PORTS];
    const ct_space_node *node = &results->space->node[s];
    results->of_node[s].choice =
        ct_arena_get(results->arena, sizeof(ct_result) * (size_t)node->choices);
    for (int a = 0; a < node->axes; a++)
        axis[a] = (ct_predict_axis){node->axis[a].count, node->axis[a].list};
    return ct_predict_new(&results->of_node[s].predict, axis, node->axes, err);
}

static ct_status results_edge(ct_results *results, int i, ct_error *err)
{
    const ct_space_edge *edge = &results->space->edge[i];
    const size_t layouts = (size_t)edge->layouts;
    const ct_predict_axis axis[2] = {{edge->layouts, edge->list}, {edge->layouts, edge->list}};
    results->transpose[i] = ct_arena_get(results->arena, sizeof(ct_result) * layouts * layouts);
    return ct_predict_new(&results->predict[i], axis, 2, err);
}

ct_status ct_results_new(ct_results **out, const ct_space *space, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_results *results = ct_arena_begin(&arena, sizeof *results);
    *out = NULL;
    CT_NEED(results, sizeof *results, err);
    *results = (ct_results){.space = space,
                            .transposes_in_place = FIRST_IN_PLACE,
                            .least_ratio = 1,
                            .sure = 1,
                            .arena = arena};
    results->of_node = ct_arena_get(arena, sizeof *results->of_node * (size_t)space->nodes);
    results->transpose = ct_arena_get(arena, sizeof(void *) * (size_t)(space->edges + 1));
    results->predict = ct_arena_get(arena, sizeof(void *) * (size_t)(space->edges + 1));
    CT_TRY(ct_arena_check(arena, err));
    for (int s = 0; s < space->nodes; s++)
        CT_TRY(results_node(results, s, err));
    for (int i = 0; i < space->edges; i++)
        CT_TRY(results_edge(results, i, err));
    CT_TRY(ct_arena_check(arena, err));
    *out = results;
    results = NULL;
out:
    ct_results_free(results);
    return status;
}

void ct_results_free(ct_results *results)
{
    if (!results) return;
    for (int s = 0; results->of_node && s < results->space->nodes; s++)
        ct_predict_free(results->of_node[s].predict);
    for (int i = 0; results->predict && i < results->space->edges; i++)
        ct_predict_free(results->predict[i]);
    ct_arena_free(results->arena);
}

ct_result *ct_results_find(const ct_results *results, const ct_question *q)
{
    if (q->node >= 0) return &results->of_node[q->node].choice[q->choice];
    return &results->transpose[q->edge][q->from * results->space->edge[q->edge].layouts + q->to];
}

bool ct_results_same_tunables(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

bool ct_results_has(const ct_results *results, const ct_question *q)
{
    const ct_result *result = ct_results_find(results, q);
    const ct_tried *tried = result->tried;
    if (!q->tunables) return result->known;
    while (tried && strcmp(tried->tunables, q->tunables) != 0)
        tried = tried->next;
    return tried;
}

/* ---- expecting */

static double results_in_place(const ct_result *result)
{
    return result->in_place > 0 ? result->in_place : result->ratio;
}

static double results_predict(const ct_results *results, ct_predict *predict, int64_t choice,
                              double middle, double *least)
{
    double deviation, value = middle + ct_predict_expect(predict, choice, &deviation);
    *least = exp(value - results->sure * deviation);
    return exp(value);
}

double ct_results_choice(const ct_results *results, int s, int64_t choice, double *least)
{
    const ct_space_node *node = &results->space->node[s];
    const ct_node_results *known = &results->of_node[s];
    const ct_result *result = &known->choice[choice];
    double ratio, lowest;
    if (least) *least = 0.0;
    if (!node->free) return 0.0;
    if (!ct_space_allows(node, choice))
        ratio = lowest = INFINITY;
    else if (result->known)
        ratio = lowest = results_in_place(result);
    else
        ratio = results_predict(results, known->predict, choice, 0, &lowest);
    if (least) *least = lowest * known->base * (result->tuned ? 1 : 1 - known->gain);
    return ratio * known->base;
}

/* No transpose is faster than a copy, or than the fastest that was measured. */
double ct_results_transpose(const ct_results *results, int edge, int from, int to, double *least)
{
    const ct_space_edge *at = &results->space->edge[edge];
    const int place = from * at->layouts + to;
    const ct_result *result = &results->transpose[edge][place];
    double copy = results->copy_rate > 0 ? at->bytes / results->copy_rate : 0.0;
    double ratio, lowest;
    if (least) *least = 0.0;
    if (from == to) return 0.0;
    if (result->known)
        ratio = lowest =
            result->in_place > 0 ? result->in_place : results->transposes_in_place * result->ratio;
    else {
        ratio = results_predict(results, results->predict[edge], place, log(CT_RESULTS_TRANSPOSE),
                                &lowest);
        ratio *= results->transposes_in_place;
        lowest = results->transposes_in_place * fmax(lowest, results->least_ratio);
    }
    if (isinf(ratio)) copy = 1; /* it cannot be made, whatever a copy takes */
    if (least) *least = copy * lowest;
    return copy * fmax(ratio, lowest);
}

double ct_results_seconds(const ct_results *results, const ct_question *q)
{
    if (q->node >= 0) return ct_results_choice(results, q->node, q->choice, NULL);
    return ct_results_transpose(results, q->edge, q->from, q->to, NULL);
}

/* ---- learning */

double ct_results_median(const double *values, int count)
{
    double ratio[3] = {NAN};
    (void)ct_tune_ratio(ratio, values, NULL, (size_t)count, NULL);
    return ratio[0];
}

/* Few pairs give no reliable interval: their noise is taken as at least 0.1 / pairs. */
static double results_ratio(const ct_answer *answer, double *noise)
{
    double ratio[3] = {INFINITY, INFINITY, INFINITY};
    if (answer->end != CT_END_correct || answer->count == 0) return INFINITY;
    (void)ct_tune_ratio(ratio, answer->seconds, answer->default_seconds, (size_t)answer->count,
                        NULL);
    *noise = fmax(log(ratio[2] / ratio[1]) / 4, 0.1 / answer->count);
    return ratio[0];
}

/* Values of tunables are compared in their own choices only. */
static void results_learn(ct_results *results, const ct_question *q, double ratio, double noise)
{
    if (!isfinite(ratio) || ratio <= 0 || q->tunables) return;
    if (q->node >= 0)
        ct_predict_learn(results->of_node[q->node].predict, q->choice, log(ratio), noise);
    else
        ct_predict_learn(results->predict[q->edge],
                         q->from * results->space->edge[q->edge].layouts + q->to,
                         log(ratio / CT_RESULTS_TRANSPOSE), noise);
}

void ct_results_adopt(ct_results *results, const ct_question *q, const ct_result *result)
{
    ct_result *own = ct_results_find(results, q);
    if (own->known && (own->tuned || !result->tuned)) return;
    const bool learned = own->known;
    const double in_place = own->in_place;
    *own = *result;
    if (in_place > 0) own->in_place = in_place;
    if (!learned)
        results_learn(results, q, q->node >= 0 ? result->plain : result->ratio, result->noise);
}

static void results_first(ct_results *results, const ct_question *q, const ct_answer *answer)
{
    double *base = q->node >= 0 ? &results->of_node[q->node].base : NULL;
    if (answer->count == 0 || (base ? *base : results->copy_rate) != 0) return;
    const double default_s = ct_results_median(answer->default_seconds, answer->count);
    if (base)
        *base = default_s;
    else
        results->copy_rate = results->space->edge[q->edge].bytes / default_s;
}

double ct_results_drift(ct_results *results, const ct_question *q, const ct_answer *answer)
{
    if (q->node < 0 || answer->count < DRIFT_PAIRS || answer->taken) return 0;
    ct_node_results *known = &results->of_node[q->node];
    const double default_s = ct_results_median(answer->default_seconds, answer->count);
    const double drift = known->least > 0 ? default_s / known->least : 1;
    if (known->least <= 0 || drift < 1) known->least = default_s;
    return drift > DRIFT ? drift : 0;
}

static void results_keep(const ct_results *results, ct_result *result, const ct_question *q)
{
    result->tunables = q->tunables ? ct_arena_copy(results->arena, q->tunables) : NULL;
}

static void results_try(const ct_results *results, ct_result *result, const ct_question *q,
                        double ratio)
{
    if (!q->tunables || ct_results_has(results, q)) return;
    ct_tried *tried = ct_arena_get(results->arena, sizeof *tried);
    if (!tried) return;
    *tried = (ct_tried){ct_arena_copy(results->arena, q->tunables), ratio, result->tried};
    result->tried = tried;
}

/* The mean of two medians of ratios, weighted by their pairs. */
static double results_mean(double a, int more, double b, int count)
{
    if (!isfinite(a) || !isfinite(b) || more + count == 0) return fmax(a, b);
    return exp((log(a) * more + log(b) * count) / (more + count));
}

void ct_results_add(ct_results *results, const ct_question *q, const ct_answer *answer)
{
    ct_result *result = ct_results_find(results, q);
    double noise = 0, ratio = results_ratio(answer, &noise);
    results_first(results, q, answer);
    results_learn(results, q, ratio, noise);
    results->answers++;
    results->disturbed += answer->disturbed && !answer->taken;
    if (!result->known) {
        results->measured += !answer->taken;
        if (q->node < 0 && isfinite(ratio))
            results->least_ratio = fmin(results->least_ratio, ratio);
        *result = (ct_result){.known = true,
                              .end = answer->end,
                              .ratio = ratio,
                              .plain = q->tunables ? NAN : ratio,
                              .noise = noise};
        results_keep(results, result, q);
    } else if (ct_results_same_tunables(result->tunables, q->tunables)) {
        result->ratio = results_mean(result->ratio, result->count, ratio, answer->count);
        if (!q->tunables) result->plain = result->ratio;
    } else if (ratio < result->ratio) {
        if (result->in_place > 0) result->in_place *= ratio / result->ratio;
        result->ratio = ratio;
        result->count = 0;
        results_keep(results, result, q);
    }
    results_try(results, result, q, ratio);
    if (ct_results_same_tunables(result->tunables, q->tunables)) result->count += answer->count;
    if (q->node >= 0 && isfinite(result->plain))
        results->of_node[q->node].gain =
            fmax(results->of_node[q->node].gain, 1 - result->ratio / result->plain);
}
