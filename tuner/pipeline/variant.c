/* variant.c: see variant.h.
 * Room: tuner/pipeline. */
#include "variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "candidate.h"
#include "fail.h"
#include "fuse.h"
#include "plan.h"

enum { VARIANT_FUSIONS = 8 };

/* Layouts do not depend on the device, and no more is asked of this plan. */
static ct_status variant_usual(ct_variant *variant, ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan *plan = NULL;
    char *text = NULL;
    CT_TRY(ct_plan_default(&plan, variant->graph, NULL, err));
    CT_TRY(ct_plan_print(&text, plan, err));
    CT_TRY(ct_value_parse(&variant->usual, text, "the default plan", err));
out:
    free(text);
    ct_plan_free(plan);
    return status;
}

ct_status ct_variant_new(ct_variant **out, const ct_graph *graph, const char *const *only,
                         ct_error *err)
{
    ct_status status = CT_OK;
    ct_variant *variant = ct_memory_get(sizeof *variant);
    CT_NEED(variant, sizeof *variant, err);
    variant->graph = ct_graph_retain(graph);
    CT_TRY(variant_usual(variant, err));
    CT_TRY(ct_space_new(&variant->space, graph, variant->usual, only, err));
out:
    if (status != CT_OK) {
        ct_variant_free(variant);
        variant = NULL;
    }
    *out = variant;
    return status;
}

ct_status ct_variant_ready(ct_variant *variant, const ct_tune *options, ct_error *err)
{
    ct_status status = CT_OK;
    ct_tuner *tuner = &variant->tuner;
    *tuner = (ct_tuner){.graph = variant->graph,
                        .space = variant->space,
                        .meter = &variant->meter,
                        .options = options,
                        .label = "default",
                        .doing = "",
                        .until = INFINITY,
                        .due = INFINITY,
                        .side = 1,
                        .all = ct_tuner_all(variant->space),
                        .most_bytes = INT64_MAX,
                        .largest_bytes = INT64_MAX,
                        .arena = ct_arena_new()};
    CT_NEED(tuner->arena, 0, err);
    CT_TRY(ct_book_new(&tuner->book, variant->space, err));
    CT_TRY(ct_model_new(&tuner->model, variant->space, err));
out:
    return status;
}

void ct_variant_free(ct_variant *variant)
{
    if (!variant) return;
    ct_model_free(variant->tuner.model);
    ct_book_free(variant->tuner.book);
    ct_arena_free(variant->tuner.arena);
    ct_space_free(variant->space);
    ct_value_free(variant->usual);
    ct_graph_free(variant->graph);
    ct_memory_free(variant);
}

/* ---- fusions */

/* Each possible fusion of `graph`, and those of what comes of it, as far as there is room. */
ct_status ct_variant_graphs(const ct_graph *graph, ct_graph **out, int room, int *count,
                            ct_error *err)
{
    ct_status status = CT_OK;
    ct_fusion fusions[VARIANT_FUSIONS];
    size_t found = 0;
    CT_TRY(ct_fuse_list(graph, fusions, VARIANT_FUSIONS, &found, err));
    for (size_t i = 0; i < found && i < VARIANT_FUSIONS && *count < room; i++) {
        CT_TRY(ct_fuse_apply(&out[*count], graph, fusions[i].consumer, err));
        const ct_graph *fused = out[(*count)++];
        /* Those before it are in the list already. */
        if (i + 1 < found) CT_TRY(ct_variant_graphs(fused, out, room, count, err));
    }
out:
    return status;
}

/* ---- what variants have in common */

static void variant_learn_cells(ct_variant *to, const ct_variant *from, int s, int other)
{
    const ct_site *site = &to->space->site[s], *theirs = &from->space->site[other];
    for (int64_t cell = 0; cell < theirs->cells; cell++) {
        char at[CT_SPACE_AT];
        const ct_entry *entry = &from->tuner.book->shelf[other].cell[cell];
        if (!entry->known) continue;
        ct_space_print(theirs, cell, at);
        const int64_t own = ct_space_read(site, at);
        const ct_question q = {.site = s, .cell = own};
        if (own >= 0) ct_book_adopt(to->tuner.book, &q, entry);
    }
    ct_same_learn(&to->tuner.same, s, &from->tuner.same, other, to->tuner.arena);
    to->tuner.book->shelf[s].base = from->tuner.book->shelf[other].base;
    to->tuner.book->shelf[s].gain = from->tuner.book->shelf[other].gain;
}

static void variant_learn_spot(ct_variant *to, const ct_variant *from, int i, int other)
{
    const ct_spot *spot = &to->space->spot[i], *theirs = &from->space->spot[other];
    for (int a = 0; a < theirs->layouts; a++)
        for (int b = 0; b < theirs->layouts; b++) {
            const ct_entry *entry = &from->tuner.book->transpose[other][a * theirs->layouts + b];
            const int own_a = ct_space_layout(spot, theirs->list[a].dim);
            const int own_b = ct_space_layout(spot, theirs->list[b].dim);
            const ct_question q = {.site = -1, .spot = i, .from = own_a, .to = own_b};
            if (entry->known && own_a >= 0 && own_b >= 0) ct_book_adopt(to->tuner.book, &q, entry);
        }
}

/* The default's layouts of a step may differ between the two, and its ratios are to the default's:
 * only those steps count whose default is the same cell. */
static bool variant_is_same(const ct_site *a, const ct_site *b)
{
    char own[CT_SPACE_AT], other[CT_SPACE_AT];
    if (a->step->stage != b->step->stage || a->axes != b->axes || !a->free) return false;
    ct_space_print(a, 0, own);
    ct_space_print(b, 0, other);
    return !strcmp(own, other);
}

void ct_variant_learn(ct_variant *to, const ct_variant *from)
{
    char array[CT_CANDIDATE_STEP];
    for (int s = 0; s < to->space->sites; s++) {
        const int other = ct_space_find(from->space, to->space->site[s].name);
        if (other >= 0 && variant_is_same(&to->space->site[s], &from->space->site[other]))
            variant_learn_cells(to, from, s, other);
    }
    for (int i = 0; i < to->space->spots; i++) {
        ct_candidate_array(array, to->space, i);
        const int other = ct_candidate_spot(from->space, array);
        const ct_site *writer = &to->space->site[to->space->spot[i].site];
        if (other < 0) continue;
        const ct_site *theirs = &from->space->site[from->space->spot[other].site];
        if (writer->step->stage == theirs->step->stage) variant_learn_spot(to, from, i, other);
    }
    ct_same_learn(&to->tuner.same, -1, &from->tuner.same, -1, to->tuner.arena);
    to->tuner.book->copy_rate = from->tuner.book->copy_rate;
    to->tuner.book->in_place = from->tuner.book->in_place;
    to->tuner.book->least_ratio = from->tuner.book->least_ratio;
}
