/* tune_pipeline.c: the public call: one tuning from its beginning to the plan.
 * Room: tuner/pipeline. Order: a backend (workers, or a file of costs); the pipeline as written and
 * its fused variants, each searched in its share of the time; the journal's lines; the final
 * comparison; the plan. */
#include <math.h>
#include <string.h>

#include "candidate_plan.h"
#include "confirm.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "device.h"
#include "fail.h"
#include "fuse.h"
#include "journal_lines.h"
#include "json_text.h"
#include "output_files.h"
#include "phases.h"
#include "plan.h"
#include "plan_key.h"
#include "plan_store.h"
#include "struct_version.h"
#include "tune_inner.h"
#include "warm_start.h"

/* Of the time, for the pipeline as written, where it has fused variants too. */
#define TUNE_PLAIN 0.6

/* Of the time, at least, for the search: where rehearsals take long, the final comparison has
 * fewer. */
#define TUNE_LEAST 0.7

/* ---- what is tuned, and by which backend */

static ct_status tune_simulate(ct_tune_state *t, ct_error *err)
{
    ct_status status = CT_OK;
    char digest[CT_DIGEST_SIZE]; /* a journal of other costs is of another device */
    ct_fusion_variant *plain = t->variant[0];
    CT_TRY(ct_value_load(&t->costs_root, t->options.costs, err));
    CT_TRY(ct_backend_costs_new(&t->costs, &plain->backend, plain->space, t->costs_root,
                                t->options.costs, err));
    plain->tuner.results->transposes_in_place = 1;
    CT_TRY(ct_plan_store_digest_value(digest, t->costs_root, err));
    ct_text_add(&t->key, "{\"device\":\"simulated\",\"costs\":\"%s\"}", digest);
out:
    return status;
}

/* Workers know the device. */
static ct_status tune_workers(ct_tune_state *t, const char *device, const ct_value **hello,
                              ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(
        ct_backend_workers_new(&t->workers, t->context, t->graph, device, &t->options, hello, err));
    t->priced = ct_value_bool(ct_value_get(*hello, "priced"), false);
    ct_json_open(&t->key, NULL, '{');
    ct_plan_key_copy(&t->key, *hello);
    ct_json_close(&t->key, '}');
    CT_TRY(ct_text_check(&t->key, err));
out:
    return status;
}

static ct_status tune_device(ct_tune_state *t, const ct_value *hello, ct_error *err)
{
    ct_status status = CT_OK;
    for (int v = 0; v < t->variants; v++) {
        ct_tuner *tuner = t->tuner[v];
        t->variant[v]->backend = ct_backend_workers_of(t->workers, t->variant[v]->space);
        CT_NEED(t->variant[v]->backend.of, 0, err);
        tuner->side = ct_backend_workers_count(t->workers);
        tuner->most_bytes = ct_value_int(ct_value_get(hello, "global_bytes"), INT64_MAX);
        tuner->largest_bytes = ct_value_int(ct_value_get(hello, "largest_bytes"), INT64_MAX);
        if (t->options.memory > 0) tuner->most_bytes = t->options.memory;
    }
out:
    return status;
}

static ct_status tune_variant(ct_tune_state *t, const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    ct_fusion_variant **variant = &t->variant[t->variants];
    CT_TRY(ct_fusion_variant_new(variant, graph, t->variants ? NULL : t->options.only, t->priced,
                                 err));
    t->tuner[t->variants++] = &(*variant)->tuner;
    CT_TRY(ct_fusion_variant_ready(*variant, &t->options, err));
    (*variant)->tuner.plain = t->tuner[0];
    if (t->variants > 1) t->tuner[t->variants - 2]->next = &(*variant)->tuner;
    if (t->variants > 1) {
        (*variant)->tuner.label =
            ct_arena_print((*variant)->tuner.arena, "default, variant %d", t->variants - 1);
        CT_TRY(ct_arena_check((*variant)->tuner.arena, err));
    }
out:
    return status;
}

/* Costs are those of the pipeline as written; so is what `only` names. */
static bool tune_is_as_written(const ct_tune_state *t)
{
    return t->options.costs || (t->options.only && t->options.only[0]);
}

static bool tune_is_same(const ct_graph *a, const ct_graph *b)
{
    if (a->count != b->count) return false;
    for (int n = 0; n < a->count; n++)
        if (strcmp(a->nodes[n].name, b->nodes[n].name) != 0 ||
            a->nodes[n].step->stage != b->nodes[n].step->stage)
            return false;
    return true;
}

/* The one that the default plan is of comes first: it is what others are compared with. */
static ct_status tune_graphs(ct_tune_state *t, ct_graph *graphs[TUNE_VARIANTS], int *count,
                             ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan *plan = NULL;
    graphs[(*count)++] = ct_graph_retain(t->graph);
    if (tune_is_as_written(t)) return CT_OK;
    CT_TRY(ct_fuse_all(t->graph, graphs, TUNE_VARIANTS, count, err));
    if (!t->priced) return CT_OK;
    CT_TRY(ct_plan_default(&plan, t->graph, NULL, err));
    for (int i = 1; i < *count; i++) {
        ct_graph *own = graphs[i];
        if (!tune_is_same(own, plan->graph)) continue;
        graphs[i] = graphs[0];
        graphs[0] = own;
    }
out:
    ct_plan_free(plan);
    return status;
}

static ct_status tune_variants(ct_tune_state *t, ct_error *err)
{
    ct_status status = CT_OK;
    ct_graph *graphs[TUNE_VARIANTS] = {NULL};
    int count = 0;
    CT_TRY(tune_graphs(t, graphs, &count, err));
    for (int i = 0; i < count; i++)
        CT_TRY(tune_variant(t, graphs[i], err));
out:
    for (int i = 0; i < TUNE_VARIANTS; i++)
        ct_graph_free(graphs[i]);
    return status;
}

/* ---- the journal */

static ct_status tune_head(const ct_tune_state *t, ct_text *head, ct_error *err)
{
    char digest[CT_DIGEST_SIZE];
    ct_status status = ct_plan_store_digest(digest, t->graph, err);
    if (status != CT_OK) return status;
    ct_text_add(head, "{\"cornerturn_journal\":%d,\"key\":%s,\"pipeline\":\"%s\"",
                CT_TUNING_JOURNAL_FORMAT, t->key.data, digest);
    ct_plan_store_add_stages(head, t->graph);
    ct_warm_start_add_steps(head, t->graph);
    ct_text_add(head, "}");
    return ct_text_check(head, err);
}

/* Gives the line to the first variant that has the step, from which the others learn; the default's
 * rehearsal to the variant whose default it is. *taken: there was one. */
static ct_status tune_take(ct_tune_state *t, const ct_value *line, bool *taken, ct_error *err)
{
    bool rest = false; /* what other lines say is for people */
    for (int v = 0; v < t->variants && !*taken; v++) {
        ct_question q;
        ct_answer answer;
        ct_plan_timing whole;
        const char *plan;
        ct_tuner *tuner = t->tuner[v];
        const ct_status status = ct_journal_lines_read(line, tuner->space, &q, &answer,
                                                       tuner->arena, v == 0 ? err : NULL);
        if (status == CT_OK) {
            ct_results_add(tuner->results, &q, &answer);
            ct_dedup_keep(&tuner->dedup, q.node, q.same, &answer, tuner->arena);
            t->tuner[0]->done++;
            *taken = true;
        }
        if (status == CT_EOF &&
            ct_journal_lines_read_whole(line, &plan, &whole, tuner->arena) == CT_OK &&
            !strcmp(plan, tuner->label)) {
            ct_confirm_default_from(tuner, &whole);
            *taken = true;
        }
        rest |= status == CT_EOF;
    }
    *taken |= rest;
    return *taken ? CT_OK : CT_INVALID;
}

static ct_status tune_line(ct_tune_state *t, size_t n, ct_error *err)
{
    ct_error inner = {0};
    bool taken = false;
    if (tune_take(t, ct_tuning_journal_line(t->journal, n), &taken, &inner) == CT_OK) return CT_OK;
    return ct_error_add(err, CT_INVALID, "%s:%zu: %s", t->options.journal, n + 1, inner.text);
}

static ct_status tune_journal(ct_tune_state *t, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text head = {0};
    if (!t->options.journal) return CT_OK;
    CT_TRY(tune_head(t, &head, err));
    CT_TRY(
        ct_tuning_journal_open(&t->journal, t->options.journal, head.data, t->options.resume, err));
    for (int v = 0; v < t->variants; v++)
        t->tuner[v]->journal = t->journal;
    for (size_t n = 1; n < ct_tuning_journal_count(t->journal); n++)
        CT_TRY(tune_line(t, n, err));
out:
    ct_text_free(&head);
    return status;
}

/* ---- the search */

/* What the final comparison needs is kept for it, as far as one can tell from rehearsals so far. */
static double tune_until(const ct_tune_state *t)
{
    double plan_s = 0;
    const double budget = t->options.budget_s, defaults = t->tuner[0]->default_s;
    for (int v = 0; v < t->variants; v++)
        plan_s = fmax(plan_s, t->tuner[v]->plan_s);
    if (budget <= 0) return INFINITY;
    const bool blocks = t->workers && !ct_graph_pins_block(t->graph);
    const double last = plan_s > 0 ? ct_confirm_seconds(plan_s, t->variants) : 6 + 90 * defaults;
    return fmax(TUNE_LEAST * budget,
                budget - last - (blocks ? ct_confirm_block_sizes_seconds(plan_s) : 0));
}

/* Otherwise only the default could be chosen, without a message. */
static ct_status tune_affords(const ct_tune_state *t, ct_error *err)
{
    const ct_backend *backend = t->tuner[0]->backend;
    const double spent = backend->now(backend->of);
    if (t->options.budget_s <= 0 || spent < t->options.budget_s) return CT_OK;
    return ct_error_add(
        err, CT_USAGE,
        "the default plan alone took %.3g of %.3g seconds: a larger budget is needed, some %.0f s",
        spent, t->options.budget_s, 10 * ceil(spent / 2));
}

/* What the others know is not measured again. */
static void tune_learn(ct_tune_state *t, int v)
{
    for (int other = 0; other < t->variants; other++)
        if (other != v) ct_fusion_variant_learn(t->variant[v], t->variant[other]);
}

static ct_status tune_one(ct_tune_state *t, int v, ct_error *err)
{
    ct_status status = CT_OK;
    ct_tuner *tuner = t->tuner[v];
    const double share = v > 0 || t->variants == 1 ? 1 : TUNE_PLAIN;
    tune_learn(t, v);
    CT_TRY(ct_confirm_default(tuner, err));
    if (v == 0) CT_TRY(tune_affords(t, err));
    if (v == 0 && t->workers && t->options.budget_s > 0) CT_TRY(ct_confirm_pace(tuner, err));
    tuner->until = tune_until(t);
    CT_TRY(ct_phases_run(tuner, share, &t->whole[v], err));
out:
    return status;
}

/* The first variant left time for the others, which may not have used it. */
static ct_status tune_rest(ct_tune_state *t, ct_error *err)
{
    ct_status status = CT_OK;
    t->complete = true;
    for (int v = 0; v < t->variants; v++) {
        t->tuner[v]->until = tune_until(t);
        tune_learn(t, v);
        if (!t->whole[v]) CT_TRY(ct_phases_rest(t->tuner[v], &t->whole[v], err));
        t->complete &= t->whole[v];
    }
out:
    return status;
}

/* The rest of the budget buys certainty, for the variants that need it: twice as many measurements
 * each time. */
static ct_status tune_certain(ct_tune_state *t, ct_error *err)
{
    ct_status status = CT_OK;
    bool certain = t->options.exhaustive;
    for (double share = 2 * CT_TUNER_SHARE; !certain && share < 2; share *= 2) {
        certain = true;
        for (int v = 0; v < t->variants; v++) {
            ct_tuner *tuner = t->tuner[v];
            tune_learn(t, v);
            tuner->until = tune_until(t);
            if (ct_phases_is_certain(tuner)) continue;
            certain = false;
            tuner->share = share;
            CT_TRY(ct_phases_certain(tuner, err));
        }
    }
out:
    return status;
}

/* An interrupt here leaves what was chosen before. */
static ct_status tune_block(ct_tune_state *t, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate defaults;
    if (!t->workers || ct_graph_pins_block(t->graph)) return CT_OK;
    CT_TRY(ct_tuner_candidate(t->tuner[0], &defaults, err));
    CT_TRY(ct_confirm_block_sizes(&defaults, &t->chosen, &t->verdict, &t->block, err));
out:
    if (status == CT_INTERRUPTED) t->complete = false;
    return status;
}

static ct_status tune_search(ct_tune_state *t, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_confirm_any_room(t->tuner, t->variants, err));
    for (int v = 0; v < t->variants; v++)
        CT_TRY(tune_one(t, v, err));
    CT_TRY(tune_rest(t, err));
    CT_TRY(tune_certain(t, err));
    CT_TRY(ct_confirm_choose(t->tuner, t->variants, &t->chosen, &t->verdict, err));
    return tune_block(t, err);
out:
    if (status != CT_INTERRUPTED) return status;
    /* After an interrupt the result is the best plan so far. */
    t->complete = false;
    const ct_status guess = ct_confirm_guess(t->tuner, t->variants, &t->chosen, &t->verdict, err);
    return guess == CT_OK ? CT_INTERRUPTED : guess;
}

/* ---- life */

static ct_status tune_open(ct_tune_state *t, const char *device, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *hello = NULL;
    CT_TRY(ct_output_files_check(t->graph, &t->options, err));
    t->priced = true;
    if (!t->options.costs) CT_TRY(tune_workers(t, device, &hello, err));
    CT_TRY(tune_variants(t, err));
    CT_TRY(t->options.costs ? tune_simulate(t, err) : tune_device(t, hello, err));
    CT_TRY(ct_warm_start_begin(t, err));
    CT_TRY(tune_journal(t, err));
out:
    return status;
}

static void tune_close(ct_tune_state *t)
{
    ct_tuning_journal_close(t->journal);
    for (int v = 0; v < TUNE_VARIANTS; v++)
        ct_fusion_variant_free(t->variant[v]);
    ct_backend_costs_free(t->costs);
    ct_backend_workers_free(t->workers);
    ct_value_free(t->costs_root);
    ct_text_free(&t->key);
}

ct_status ct_tune_pipeline(ct_plan **out, ct_context *context, const ct_graph *graph,
                           const char *device, const ct_tune *options, ct_error *err)
{
    CT_GIVEN_OUT(err, out, context, graph);
    static const ct_struct_version kind = CT_STRUCT_VERSION(ct_tune, of);
    ct_status status = CT_OK, search = CT_OK;
    ct_tune_state t = {.graph = graph, .context = context};
    CT_TRY(ct_struct_take(&t.options, &kind, options, err));
    CT_TRY(tune_open(&t, device, err));
    search = tune_search(&t, err);
    if (search != CT_INTERRUPTED) CT_TRY(search);
    CT_TRY(ct_tuned_end(&t, err));
    ct_warm_start_end(&t);
    CT_TRY(ct_tuned_plan(&t, out, device, err));
    status = search;
out:
    tune_close(&t);
    return status;
}
