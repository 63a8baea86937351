/* tune.c: the public call: one tuning from its beginning to the plan.
 * Room: tuner/pipeline. Order: a meter (workers, or a file of costs); the pipeline as written and
 * its fused variants, each searched in its share of the time; the journal's lines; the choice; the
 * plan. */
#include <math.h>
#include <string.h>

#include "blocks.h"
#include "candidate.h"
#include "confirm.h"
#include "device.h"
#include "fail.h"
#include "json_text.h"
#include "key.h"
#include "lines.h"
#include "look.h"
#include "meter_costs.h"
#include "meter_workers.h"
#include "plan.h"
#include "sized.h"
#include "store.h"
#include "targets.h"
#include "variant.h"

enum { TUNE_VARIANTS = 8 };

/* Of the time, for the pipeline as written, where it has fused variants too. */
#define TUNE_PLAIN 0.6

typedef struct tune {
    ct_tune options;
    const ct_graph *graph;
    ct_context *context;
    ct_meter_costs *costs;
    ct_meter_workers *workers;
    ct_value *costs_root;
    ct_text key; /* of the device, as JSON */
    ct_record *record;
    ct_variant *variant[TUNE_VARIANTS]; /* the first: as written */
    ct_tuner *tuner[TUNE_VARIANTS];
    int variants;
    bool complete;
    ct_contender chosen;
    ct_verdict verdict;
} tune;

/* ---- what is tuned, and who measures */

static ct_status tune_simulate(tune *t, ct_error *err)
{
    ct_status status = CT_OK;
    char digest[CT_DIGEST_SIZE]; /* a journal of other costs is of another device */
    ct_variant *plain = t->variant[0];
    CT_TRY(ct_value_load(&t->costs_root, t->options.costs, err));
    CT_TRY(ct_meter_costs_new(&t->costs, &plain->meter, plain->space, t->costs_root,
                              t->options.costs, err));
    plain->tuner.book->in_place = 1;
    CT_TRY(ct_store_digest_value(digest, t->costs_root, err));
    ct_text_add(&t->key, "{\"device\":\"simulated\",\"costs\":\"%s\"}", digest);
out:
    return status;
}

static ct_status tune_device(tune *t, const char *device, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *hello;
    CT_TRY(
        ct_meter_workers_new(&t->workers, t->context, t->graph, device, &t->options, &hello, err));
    ct_json_open(&t->key, NULL, '{');
    ct_key_copy(&t->key, hello);
    ct_json_close(&t->key, '}');
    CT_TRY(ct_text_check(&t->key, err));
    for (int v = 0; v < t->variants; v++) {
        ct_tuner *tuner = t->tuner[v];
        t->variant[v]->meter = ct_meter_workers_meter(t->workers, t->variant[v]->space);
        CT_NEED(t->variant[v]->meter.of, 0, err);
        tuner->most_bytes = ct_value_int(ct_value_get(hello, "global_bytes"), INT64_MAX);
        tuner->largest_bytes = ct_value_int(ct_value_get(hello, "largest_bytes"), INT64_MAX);
        if (t->options.memory > 0) tuner->most_bytes = t->options.memory;
    }
out:
    return status;
}

static ct_status tune_variant(tune *t, const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    ct_variant **variant = &t->variant[t->variants];
    CT_TRY(ct_variant_new(variant, graph, t->variants ? NULL : t->options.only, err));
    t->tuner[t->variants++] = &(*variant)->tuner;
    CT_TRY(ct_variant_ready(*variant, &t->options, err));
    if (t->variants > 1) {
        (*variant)->tuner.label =
            ct_arena_print((*variant)->tuner.arena, "default, fused %d", t->variants - 1);
        CT_TRY(ct_arena_check((*variant)->tuner.arena, err));
    }
out:
    return status;
}

/* Costs are those of the pipeline as written; so is what `only` names. */
static ct_status tune_variants(tune *t, ct_error *err)
{
    ct_status status = CT_OK;
    ct_graph *graphs[TUNE_VARIANTS - 1] = {NULL};
    int count = 0;
    CT_TRY(tune_variant(t, t->graph, err));
    if (!t->options.costs && !(t->options.only && t->options.only[0]))
        CT_TRY(ct_variant_graphs(t->graph, graphs, TUNE_VARIANTS - 1, &count, err));
    for (int i = 0; i < count; i++)
        CT_TRY(tune_variant(t, graphs[i], err));
out:
    for (int i = 0; i < TUNE_VARIANTS - 1; i++)
        ct_graph_free(graphs[i]);
    return status;
}

/* ---- the journal */

static ct_status tune_head(const tune *t, ct_text *head, ct_error *err)
{
    char digest[CT_DIGEST_SIZE];
    ct_status status = ct_store_digest(digest, t->graph, err);
    if (status != CT_OK) return status;
    ct_text_add(head, "{\"cornerturn_journal\":%d,\"key\":%s,\"pipeline\":\"%s\"", CT_RECORD_FORMAT,
                t->key.data, digest);
    ct_store_add_stages(head, t->graph);
    ct_text_add(head, "}");
    return ct_text_check(head, err);
}

/* To the first variant that has the step, from which the others learn; the default's rehearsal to
 * the one whose default it is. *taken: there was one. */
static ct_status tune_take(tune *t, const ct_value *line, bool *taken, ct_error *err)
{
    bool rest = false; /* what other lines say is for people */
    for (int v = 0; v < t->variants && !*taken; v++) {
        ct_question q;
        ct_answer answer;
        ct_whole whole;
        const char *plan;
        ct_tuner *tuner = t->tuner[v];
        const ct_status status =
            ct_lines_read(line, tuner->space, &q, &answer, tuner->arena, v == 0 ? err : NULL);
        if (status == CT_OK) {
            ct_book_enter(tuner->book, &q, &answer);
            ct_same_keep(&tuner->same, q.site, q.same, &answer, tuner->arena);
            *taken = true;
        }
        if (status == CT_EOF && ct_lines_read_whole(line, &plan, &whole, tuner->arena) == CT_OK &&
            !strcmp(plan, tuner->label)) {
            ct_confirm_default_from(tuner, &whole);
            *taken = true;
        }
        rest |= status == CT_EOF;
    }
    *taken |= rest;
    return *taken ? CT_OK : CT_INVALID;
}

static ct_status tune_line(tune *t, size_t n, ct_error *err)
{
    ct_error inner = {0};
    bool taken = false;
    if (tune_take(t, ct_record_line(t->record, n), &taken, &inner) == CT_OK) return CT_OK;
    return ct_error_add(err, CT_INVALID, "%s:%zu: %s", t->options.journal, n + 1, inner.text);
}

static ct_status tune_journal(tune *t, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text head = {0};
    if (!t->options.journal) return CT_OK;
    CT_TRY(tune_head(t, &head, err));
    CT_TRY(ct_record_open(&t->record, t->options.journal, head.data, t->options.resume, err));
    for (int v = 0; v < t->variants; v++)
        t->tuner[v]->record = t->record;
    for (size_t n = 1; n < ct_record_count(t->record); n++)
        CT_TRY(tune_line(t, n, err));
out:
    ct_text_free(&head);
    return status;
}

/* ---- the search */

/* What the last look needs is kept for it. */
static double tune_until(const tune *t)
{
    const double usual = t->tuner[0]->usual_s;
    if (t->options.budget_s <= 0) return INFINITY;
    return fmax(0.3 * t->options.budget_s, t->options.budget_s - 6 - 90 * usual);
}

/* Else nothing but the default could ever be chosen, in silence. */
static ct_status tune_affords(const tune *t, ct_error *err)
{
    const ct_meter *meter = t->tuner[0]->meter;
    const double spent = meter->now(meter->of);
    if (t->options.budget_s <= 0 || spent < t->options.budget_s) return CT_OK;
    return ct_error_add(
        err, CT_USAGE,
        "the default plan alone took %.3g of %.3g seconds: a larger budget is needed", spent,
        t->options.budget_s);
}

static ct_status tune_look(tune *t, int v, double until, ct_error *err)
{
    ct_status status = CT_OK;
    bool whole = true;
    ct_tuner *tuner = t->tuner[v];
    const double share = v > 0 || t->variants == 1 ? 1 : TUNE_PLAIN;
    if (v > 0) ct_variant_learn(t->variant[v], t->variant[0]);
    CT_TRY(ct_confirm_default(tuner, err));
    if (v == 0) until = tune_until(t);
    if (v == 0) CT_TRY(tune_affords(t, err));
    tuner->until = until;
    CT_TRY(ct_look_run(tuner, share, &whole, err));
    t->complete &= whole;
out:
    return status;
}

static ct_status tune_search(tune *t, ct_error *err)
{
    ct_status status = CT_OK;
    t->complete = true;
    CT_TRY(ct_verdict_room(t->tuner, t->variants, err));
    for (int v = 0; v < t->variants; v++)
        CT_TRY(tune_look(t, v, t->tuner[0]->until, err));
    CT_TRY(ct_verdict_choose(t->tuner, t->variants, &t->chosen, &t->verdict, err));
    if (t->workers && !ct_graph_pins_block(t->graph))
        CT_TRY(ct_blocks_try(&t->chosen, &t->verdict, err));
out:
    if (status != CT_INTERRUPTED) return status;
    /* Whoever stops the search has the best plan so far. */
    t->complete = false;
    const ct_status guess = ct_verdict_guess(t->tuner, t->variants, &t->chosen, &t->verdict, err);
    return guess == CT_OK ? CT_INTERRUPTED : guess;
}

/* ---- the plan */

static int64_t tune_space(const ct_space *space)
{
    int64_t cells = 0;
    for (int s = 0; s < space->sites; s++)
        if (space->site[s].free) cells += space->site[s].cells;
    return cells;
}

static double tune_bound(const tune *t)
{
    double bound = INFINITY;
    for (int i = 0; i < t->variants; i++)
        bound = fmin(bound, t->tuner[i]->bound_s);
    return bound;
}

/* What the bound is, and what stands between it and the plan. */
static void tune_certify(const tune *t, ct_text *out)
{
    const double bound = tune_bound(t);
    const ct_verdict_gap gap = ct_verdict_above(&t->verdict, bound);
    ct_text_add(out, ",\"bound_seconds\":%.6g,\"noise_seconds\":%.3g,\"model_seconds\":%.3g", bound,
                gap.noise_s, gap.model_s);
}

static void tune_about(const tune *t, ct_text *out)
{
    const ct_verdict *v = &t->verdict;
    int64_t measured = 0, cells = 0, disturbed = 0;
    for (int i = 0; i < t->variants; i++) {
        measured += t->tuner[i]->book->measured;
        disturbed += t->tuner[i]->book->disturbed;
        cells += tune_space(t->variant[i]->space);
    }
    ct_text_add(out, "{\"key\":%s,\"tuned\":{\"seconds\":%.6g,\"default_seconds\":%.6g",
                t->key.data, v->seconds, v->usual);
    ct_text_add(out, ",\"ratio\":%.4f,\"low\":%.4f,\"high\":%.4f", v->ratio, v->low, v->high);
    tune_certify(t, out);
    ct_text_add(out, ",\"measured\":%lld,\"space\":%lld", (long long)measured, (long long)cells);
    if (disturbed > 0) ct_text_add(out, ",\"disturbed\":%lld", (long long)disturbed);
    ct_text_add(out, ",\"complete\":%s},", t->complete ? "true" : "false");
}

/* The kernels that were tuned belong to the key. */
static ct_status tune_key_sources(ct_plan *plan, const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text key = {0};
    ct_json_open(&key, NULL, '{');
    ct_key_device(&key, device);
    CT_TRY(ct_key_sources(&key, plan, device, err));
    ct_json_close(&key, '}');
    CT_TRY(ct_text_check(&key, err));
    plan->about[0] = ct_arena_copy(plan->arena, key.data);
    CT_TRY(ct_arena_check(plan->arena, err));
out:
    ct_text_free(&key);
    return status;
}

static ct_status tune_plan(tune *t, ct_plan **out, const char *device_name, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0}, pick = {0};
    ct_device *device = NULL;
    const ct_contender *chosen = &t->chosen;
    CT_TRY(ct_candidate_pick(&pick, chosen->tuner->space, chosen->tuner->book, &chosen->pick, err));
    tune_about(t, &text);
    ct_text_add(&text, "%s", pick.data + 1);
    CT_TRY(ct_text_check(&text, err));
    if (!t->options.costs) CT_TRY(ct_device_open(&device, device_name, err));
    CT_TRY(ct_plan_parse(out, t->graph, text.data, "the tuned plan", device, err));
    if (device) CT_TRY(tune_key_sources(*out, device, err));
out:
    if (status != CT_OK) {
        ct_plan_free(*out);
        *out = NULL;
    }
    ct_device_free(device);
    ct_text_free(&text);
    ct_text_free(&pick);
    return status;
}

static ct_status tune_end(tune *t, ct_error *err)
{
    ct_text line = {0}, name = {0};
    if (!t->record) return CT_OK;
    ct_confirm_name(&t->chosen, &name);
    ct_text_add(&line, "{\"end\":{\"complete\":%s,\"ratio\":%.4f,\"plan\":",
                t->complete ? "true" : "false", t->verdict.ratio);
    ct_text_add_json(&line, name.data ? name.data : "");
    ct_text_add(&line, ",\"seconds\":%.6g", t->verdict.seconds);
    tune_certify(t, &line);
    ct_text_add(&line, "}}");
    ct_status status = ct_text_check(&line, err);
    if (status == CT_OK) status = ct_record_add(t->record, line.data, err);
    ct_text_free(&line);
    ct_text_free(&name);
    return status;
}

/* ---- life */

static ct_status tune_open(tune *t, const char *device, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_targets_check(t->graph, &t->options, err));
    CT_TRY(tune_variants(t, err));
    CT_TRY(t->options.costs ? tune_simulate(t, err) : tune_device(t, device, err));
    CT_TRY(tune_journal(t, err));
out:
    return status;
}

static void tune_close(tune *t)
{
    ct_record_close(t->record);
    for (int v = 0; v < TUNE_VARIANTS; v++)
        ct_variant_free(t->variant[v]);
    ct_meter_costs_free(t->costs);
    ct_meter_workers_free(t->workers);
    ct_value_free(t->costs_root);
    ct_text_free(&t->key);
}

ct_status ct_tune_pipeline(ct_plan **out, ct_context *context, const ct_graph *graph,
                           const char *device, const ct_tune *options, ct_error *err)
{
    static const ct_sized kind = CT_SIZED(ct_tune, of);
    ct_status status = CT_OK, search = CT_OK;
    tune t = {.graph = graph, .context = context};
    *out = NULL;
    CT_TRY(ct_sized_take(&t.options, &kind, options, err));
    CT_TRY(tune_open(&t, device, err));
    search = tune_search(&t, err);
    if (search != CT_INTERRUPTED) CT_TRY(search);
    CT_TRY(tune_end(&t, err));
    CT_TRY(tune_plan(&t, out, device, err));
    status = search;
out:
    tune_close(&t);
    return status;
}
