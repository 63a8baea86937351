/* plan_store.c: see plan_store.h.
 * Room: tuner/store. */
#include "plan_store.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "device.h"
#include "expand.h"
#include "fail.h"
#include "graph_key.h"
#include "json_text.h"
#include "near_plans.h"
#include "plan_key.h"
#include "store_folder.h"

enum { STORE_NAME = 16 };

ct_status ct_plan_store_digest_value(char out[CT_DIGEST_SIZE], const ct_value *value, ct_error *err)
{
    ct_text text = {0};
    ct_status status = ct_expand_digest(&text, value, err);
    if (status == CT_OK) status = ct_text_check(&text, err);
    if (status == CT_OK) ct_digest_text(out, text.data, text.length);
    ct_text_free(&text);
    return status;
}

ct_status ct_plan_store_digest(char out[CT_DIGEST_SIZE], const ct_graph *graph, ct_error *err)
{
    return ct_plan_store_digest_value(out, graph->of ? graph->of->root : graph->root, err);
}

static void store_add_stage(ct_text *json, const ct_graph *graph, const ct_node *node, int place)
{
    ct_text files = {0};
    const ct_stage *stage = node->step->stage;
    ct_context_stage_files(&files, graph->context, stage);
    ct_text_add(json, place ? "," : ",\"stages\":{");
    ct_text_add_json(json, node->name);
    ct_text_add(json, ":{\"digest\":\"%s\",\"files\":", stage->digest);
    ct_text_add_json(json, files.data ? files.data : "");
    ct_text_add(json, "}");
    ct_text_end(&files, json);
}

void ct_plan_store_add_stages(ct_text *json, const ct_graph *graph)
{
    int count = 0;
    for (int n = 0; n < graph->count; n++)
        if (graph->nodes[n].step->stage->digest)
            store_add_stage(json, graph, &graph->nodes[n], count++);
    if (count) ct_text_add(json, "}");
}

/* ---- putting in */

/* GRAPH-ALL.json: 16 digits of the graph of stages, and of it with all sizes, pins and the device;
 * of ranks GRAPH-ALL-4.json. */
static ct_status store_name(char out[CT_STORE_PATH], const ct_graph *graph, const ct_device *device,
                            ct_error *err)
{
    ct_status status = CT_OK;
    char pipeline[CT_GRAPH_KEY_WORD], digest[CT_DIGEST_SIZE], of[16] = "";
    ct_text key = {0};
    ct_graph_key all = {0};
    CT_TRY(ct_store_folder(out, err));
    CT_TRY(ct_graph_key_make(&all, graph, err));
    CT_TRY(ct_graph_key_digest(pipeline, &all, err));
    ct_json_open(&key, NULL, '{');
    ct_plan_key_device(&key, device);
    ct_json_add_text(&key, "pipeline", pipeline);
    ct_json_close(&key, '}');
    CT_TRY(ct_text_check(&key, err));
    ct_digest_text(digest, key.data, key.length);
    const size_t used = strlen(out);
    const int ranks = ct_ranks_size(graph->ranks);
    if (ranks > 1) snprintf(of, sizeof of, "-%d", ranks);
    snprintf(out + used, CT_STORE_PATH - used, "/%s-%.*s%s.json", all.stages, STORE_NAME, digest,
             of);
out:
    ct_graph_key_free(&all);
    ct_text_free(&key);
    return status;
}

static const char *store_word(const ct_value *root, const char *name)
{
    return ct_value_text(ct_value_get(ct_value_get(root, "key"), name), "");
}

/* What a plan takes: of the default plan's time where that is the same plan for both, else seconds
 * per sample, which depend on what else the machine did. */
static double store_cost(const ct_value *root, bool ratio)
{
    const ct_value *tuned = ct_value_get(root, "tuned");
    const int64_t block = ct_value_int(ct_value_get(ct_value_get(root, "block"), "T"), 1);
    const int64_t samples = ct_value_int(ct_value_get(tuned, "samples"), block);
    if (ratio) return ct_value_real(ct_value_get(tuned, "ratio"), 1);
    return ct_value_real(ct_value_get(tuned, "seconds"), 0) / (double)(samples > 0 ? samples : 1);
}

/* Whether it still is what it was: it can be loaded, and its kernels are those of today. */
static ct_status store_holds(bool *out, const char *path, const ct_graph *graph,
                             const ct_device *device)
{
    ct_status status = CT_OK;
    ct_near_plans near = {0};
    ct_text text = {0}, stale = {0};
    ct_plan *plan = NULL;
    *out = false;
    CT_TRY(ct_near_plans_read(&near, graph, device, path, NULL));
    CT_TRY(ct_near_plans_text(&text, &near, &near.plan[0], graph, device, NULL));
    CT_TRY(ct_plan_parse(&plan, graph, text.data, path, device, NULL));
    CT_TRY(ct_plan_key_stale(&stale, ct_value_get(near.plan[0].root, "key"), plan, device, NULL));
    *out = near.plan[0].match.same && !*near.plan[0].device_why && !stale.length;
out:
    ct_plan_free(plan);
    ct_text_free(&text);
    ct_text_free(&stale);
    ct_near_plans_free(&near);
    return status == CT_FAILED ? status : CT_OK;
}

/* That of a whole search before that of a part, else the faster one. */
static bool store_is_better(const ct_value *old, const ct_value *now)
{
    const bool ratio = strcmp(store_word(old, "default"), store_word(now, "default")) == 0;
    const bool whole[2] = {ct_near_plans_is_whole(old), ct_near_plans_is_whole(now)};
    const double cost[2] = {store_cost(old, ratio), store_cost(now, ratio)};
    if (whole[0] != whole[1]) return whole[0];
    return cost[0] > 0 && cost[0] < cost[1];
}

static ct_status store_put(const char *path, const ct_plan *plan, const ct_graph *graph,
                           const ct_device *device, bool *put, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *old = NULL, *now = NULL;
    char *text = NULL;
    bool holds = false;
    CT_TRY(ct_plan_print(&text, plan, err));
    CT_TRY(ct_value_parse(&now, text, path, err));
    CT_TRY(store_holds(&holds, path, graph, device));
    if (holds) (void)ct_value_load(&old, path, NULL);
    *put = !old || !store_is_better(old, now);
    if (*put) CT_TRY(ct_plan_save(plan, path, err));
out:
    ct_value_free(old);
    ct_value_free(now);
    free(text);
    return status;
}

/* A search that was cut short before it found anything has nothing to say. */
static ct_status store_says_nothing(bool *out, const ct_plan *plan, ct_error *err)
{
    ct_value *tuned = NULL;
    const char *text = plan->about[1] ? plan->about[1] : "{}";
    const ct_status status = ct_value_parse(&tuned, text, "\"tuned\"", err);
    *out = status == CT_OK && !ct_value_bool(ct_value_get(tuned, "complete"), false) &&
           ct_value_real(ct_value_get(tuned, "ratio"), 1) >= 1;
    ct_value_free(tuned);
    return status;
}

ct_status ct_tune_keep(char **file, const ct_plan *plan, const ct_device *device, ct_error *err)
{
    CT_GIVEN(err, plan, device);
    ct_status status = CT_OK;
    char folder[CT_STORE_PATH], path[CT_STORE_PATH];
    ct_text text = {0};
    bool put = false, nothing = false;
    int lock = -1;
    const ct_graph *graph = plan->graph->of ? plan->graph->of : plan->graph;
    if (file) *file = NULL;
    CT_TRY(ct_store_folder(folder, err));
    CT_TRY(store_says_nothing(&nothing, plan, err));
    if (nothing) goto out;
    CT_TRY(ct_store_folder_make(folder, err));
    CT_TRY(store_name(path, graph, device, err));
    lock = ct_store_folder_lock(folder);
    CT_TRY(store_put(path, plan, graph, device, &put, err));
    ct_text_add(&text, "%s", path);
    if (file && put) CT_TRY(ct_text_take(file, &text, err));
out:
    ct_store_folder_unlock(lock);
    ct_text_free(&text);
    return status;
}
