/* fusion_variant.c: see fusion_variant.h.
 * Room: tuner/search. */
#include "fusion_variant.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "candidate_plan.h"
#include "choose.h"
#include "fail.h"

/* Only the plan's layouts are used, and they do not depend on the device. */
static ct_status variant_usual(ct_fusion_variant *variant, bool priced, ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan *plan = NULL;
    char *text = NULL;
    CT_TRY(ct_choose_plan(&plan, variant->graph, NULL, priced, err));
    CT_TRY(ct_plan_print(&text, plan, err));
    CT_TRY(ct_value_parse(&variant->default_plan, text, "the default plan", err));
out:
    free(text);
    ct_plan_free(plan);
    return status;
}

ct_status ct_fusion_variant_new(ct_fusion_variant **out, const ct_graph *graph,
                                const char *const *only, bool priced, ct_error *err)
{
    ct_status status = CT_OK;
    ct_fusion_variant *variant = ct_memory_get(sizeof *variant);
    CT_NEED(variant, sizeof *variant, err);
    variant->graph = ct_graph_retain(graph);
    CT_TRY(variant_usual(variant, priced, err));
    CT_TRY(ct_space_new(&variant->space, graph, NULL, variant->default_plan, only, err));
out:
    if (status != CT_OK) {
        ct_fusion_variant_free(variant);
        variant = NULL;
    }
    *out = variant;
    return status;
}

ct_status ct_fusion_variant_ready(ct_fusion_variant *variant, const ct_tune *options, ct_error *err)
{
    ct_status status = CT_OK;
    ct_tuner *tuner = &variant->tuner;
    *tuner = (ct_tuner){.graph = variant->graph,
                        .space = variant->space,
                        .backend = &variant->backend,
                        .options = options,
                        .label = "default",
                        .doing = "",
                        .until = INFINITY,
                        .due = INFINITY,
                        .side = 1,
                        .plain = tuner,
                        .best = INFINITY,
                        .share = CT_TUNER_SHARE,
                        .all = ct_tuner_all(variant->space),
                        .most_bytes = INT64_MAX,
                        .largest_bytes = INT64_MAX,
                        .arena = ct_arena_new()};
    CT_NEED(tuner->arena, 0, err);
    CT_TRY(ct_results_new(&tuner->results, variant->space, err));
    CT_TRY(ct_cost_model_new(&tuner->model, variant->space, err));
out:
    return status;
}

void ct_fusion_variant_free(ct_fusion_variant *variant)
{
    if (!variant) return;
    ct_cost_model_free(variant->tuner.model);
    ct_results_free(variant->tuner.results);
    ct_arena_free(variant->tuner.arena);
    ct_space_free(variant->space);
    ct_value_free(variant->default_plan);
    ct_graph_free(variant->graph);
    ct_memory_free(variant);
}

/* ---- what variants have in common */

static void variant_learn_choices(ct_fusion_variant *to, const ct_fusion_variant *from, int s,
                                  int other)
{
    const ct_space_node *node = &to->space->node[s], *theirs = &from->space->node[other];
    for (int64_t choice = 0; choice < theirs->choices; choice++) {
        char at[CT_SPACE_AT];
        const ct_result *entry = &from->tuner.results->of_node[other].choice[choice];
        if (!entry->known) continue;
        ct_space_print(theirs, choice, at);
        const int64_t own = ct_space_read(node, at);
        const ct_question q = {.node = s, .choice = own};
        if (own >= 0) ct_results_adopt(to->tuner.results, &q, entry);
    }
    ct_dedup_learn(&to->tuner.dedup, s, &from->tuner.dedup, other, to->tuner.arena);
    ct_node_results *own = &to->tuner.results->of_node[s];
    const ct_node_results *known = &from->tuner.results->of_node[other];
    const double samples = (double)to->graph->block / (double)from->graph->block;
    if (own->base <= 0) own->base = known->base * samples;
    own->gain = fmax(own->gain, known->gain);
}

static void variant_learn_edge(ct_fusion_variant *to, const ct_fusion_variant *from, int i,
                               int other)
{
    const ct_space_edge *edge = &to->space->edge[i], *theirs = &from->space->edge[other];
    for (int a = 0; a < theirs->layouts; a++)
        for (int b = 0; b < theirs->layouts; b++) {
            const ct_result *entry =
                &from->tuner.results->transpose[other][a * theirs->layouts + b];
            const int own_a = ct_space_layout(edge, theirs->list[a].dim);
            const int own_b = ct_space_layout(edge, theirs->list[b].dim);
            const ct_question q = {.node = -1, .edge = i, .from = own_a, .to = own_b};
            if (entry->known && own_a >= 0 && own_b >= 0)
                ct_results_adopt(to->tuner.results, &q, entry);
        }
}

/* The default's layouts of a step may differ between the two, and its ratios are to the default's:
 * only those steps count whose default is the same choice. */
static bool variant_is_same(const ct_space_node *a, const ct_space_node *b)
{
    char own[CT_SPACE_AT], other[CT_SPACE_AT];
    if (a->step->stage != b->step->stage || a->axes != b->axes || !a->free) return false;
    ct_space_print(a, 0, own);
    ct_space_print(b, 0, other);
    return !strcmp(own, other);
}

void ct_fusion_variant_learn(ct_fusion_variant *to, const ct_fusion_variant *from)
{
    char array[CT_SPACE_NAME];
    for (int s = 0; s < to->space->nodes; s++) {
        const int other = ct_space_find(from->space, to->space->node[s].name);
        if (other >= 0 && variant_is_same(&to->space->node[s], &from->space->node[other]))
            variant_learn_choices(to, from, s, other);
    }
    for (int i = 0; i < to->space->edges; i++) {
        ct_space_edge_name(array, to->space, i);
        const int other = ct_space_find_edge(from->space, array);
        const ct_space_node *writer = &to->space->node[to->space->edge[i].writer];
        if (other < 0) continue;
        const ct_space_node *theirs = &from->space->node[from->space->edge[other].writer];
        if (writer->step->stage == theirs->step->stage) variant_learn_edge(to, from, i, other);
    }
    ct_dedup_learn(&to->tuner.dedup, -1, &from->tuner.dedup, -1, to->tuner.arena);
    ct_results *own = to->tuner.results;
    const ct_results *known = from->tuner.results;
    if (own->copy_rate <= 0) own->copy_rate = known->copy_rate;
    if (!to->tuner.in_place) own->transposes_in_place = known->transposes_in_place;
    own->least_ratio = fmin(own->least_ratio, known->least_ratio);
}
