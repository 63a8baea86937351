/* plan_store.c: see plan_store.h.
 * Room: tuner/store. */
#include "plan_store.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "context.h"
#include "device.h"
#include "expand.h"
#include "fail.h"
#include "json_text.h"
#include "memory.h"
#include "plan_key.h"

enum { STORE_PATH = 4096, STORE_NAME = 16 };

ct_status ct_plan_store_digest_value(char out[CT_DIGEST_SIZE], const ct_value *value, ct_error *err)
{
    ct_text text = {0};
    ct_status status = ct_expand_value(&text, value, err);
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

/* ---- the folder */

static ct_status store_folder(char out[STORE_PATH], ct_error *err)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = 0;
    if (data && data[0] == '/')
        length = snprintf(out, STORE_PATH, "%s/cornerturn/plans", data);
    else if (home && home[0] == '/')
        length = snprintf(out, STORE_PATH, "%s/.local/share/cornerturn/plans", home);
    if (length > 0 && length < STORE_PATH - 256) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "there is no place for stored plans: neither XDG_DATA_HOME "
                        "nor HOME is set");
}

static ct_status store_make(char *folder, ct_error *err)
{
    for (char *at = folder + 1;; at++) {
        const char end = *at;
        if (end != '/' && end != '\0') continue;
        *at = '\0';
        const int failed = mkdir(folder, 0777);
        if (failed && errno != EEXIST)
            return ct_error_add(err, CT_DATA, "%s: cannot be made: %s", folder, strerror(errno));
        *at = end;
        if (end == '\0') return CT_OK;
    }
}

/* PIPELINE-DEVICE.json; of ranks PIPELINE-DEVICE-4.json */
static ct_status store_name(char out[STORE_PATH], const ct_graph *graph, const ct_device *device,
                            ct_error *err)
{
    ct_status status = CT_OK;
    char pipeline[CT_DIGEST_SIZE], digest[CT_DIGEST_SIZE], of[16] = "";
    ct_text key = {0};
    CT_TRY(store_folder(out, err));
    CT_TRY(ct_plan_store_digest(pipeline, graph, err));
    ct_json_open(&key, NULL, '{');
    ct_plan_key_device(&key, device);
    ct_json_close(&key, '}');
    CT_TRY(ct_text_check(&key, err));
    ct_digest_text(digest, key.data, key.length);
    const size_t used = strlen(out);
    const int ranks = ct_ranks_size(graph->ranks);
    if (ranks > 1) snprintf(of, sizeof of, "-%d", ranks);
    snprintf(out + used, STORE_PATH - used, "/%.*s-%.*s%s.json", STORE_NAME, pipeline, STORE_NAME,
             digest, of);
out:
    ct_text_free(&key);
    return status;
}

/* ---- putting in */

ct_status ct_tune_keep(char **file, const ct_plan *plan, const ct_device *device, ct_error *err)
{
    CT_GIVEN(err, plan, device);
    ct_status status = CT_OK;
    char folder[STORE_PATH], path[STORE_PATH];
    ct_text text = {0};
    if (file) *file = NULL;
    CT_TRY(store_folder(folder, err));
    CT_TRY(store_make(folder, err));
    CT_TRY(store_name(path, plan->graph, device, err));
    CT_TRY(ct_plan_save(plan, path, err));
    ct_text_add(&text, "%s", path);
    if (file) CT_TRY(ct_text_take(file, &text, err));
out:
    ct_text_free(&text);
    return status;
}

/* ---- finding */

/* A member of the plan's key that is not the device's; "" none. */
static ct_status store_differ(ct_text *out, const ct_value *key, const char *own, ct_error *err)
{
    ct_value *expected = NULL;
    ct_status status = ct_value_parse(&expected, own, "the device's key", err);
    for (size_t i = 0; i < ct_value_count(expected) && !out->length; i++) {
        const char *name = ct_value_key(expected, i);
        const char *found = ct_value_text(ct_value_get(key, name), "nothing");
        const char *wanted = ct_value_text(ct_value_at(expected, i), "");
        if (ct_value_kind(ct_value_at(expected, i)) == CT_TEXT && strcmp(found, wanted) != 0)
            ct_text_add(out, "its %s is \"%s\", this one's \"%s\"", name, found, wanted);
    }
    ct_value_free(expected);
    return status;
}

/* The first step whose kernel is no longer the one that was tuned. */
static ct_status store_stale(ct_text *out, const ct_value *key, const ct_plan *plan,
                             const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    ct_value *own = NULL;
    ct_json_open(&text, NULL, '{');
    CT_TRY(ct_plan_key_sources(&text, plan, device, err));
    ct_json_close(&text, '}');
    CT_TRY(ct_text_check(&text, err));
    CT_TRY(ct_value_parse(&own, text.data, "sources", err));
    const ct_value *now = ct_value_get(own, "sources"), *then = ct_value_get(key, "sources");
    for (size_t i = 0; i < ct_value_count(now) && !out->length; i++) {
        const char *step = ct_value_key(now, i);
        if (strcmp(ct_value_text(ct_value_at(now, i), ""),
                   ct_value_text(ct_value_get(then, step), "")) != 0)
            ct_text_add(out, "the kernel of step \"%s\" is another one now", step);
    }
out:
    ct_value_free(own);
    ct_text_free(&text);
    return status;
}

typedef struct store_lookup {
    const ct_graph *graph;
    const ct_device *device;
    bool nearest;
    ct_text key; /* of the device */
    ct_text why; /* why the last one that was found was not taken */
    ct_plan *plan;
    ct_text file;
} store_lookup;

static ct_status store_try(store_lookup *lookup, const char *path, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    ct_plan *plan = NULL;
    ct_text why = {0};
    CT_TRY(ct_value_load(&root, path, err));
    if (ct_value_int(ct_value_get(ct_value_get(root, "ranks"), "size"), 1) !=
        ct_ranks_size(lookup->graph->ranks))
        goto out;
    const ct_value *key = ct_value_get(root, "key");
    CT_TRY(store_differ(&why, key, lookup->key.data, err));
    if (!why.length || lookup->nearest)
        CT_TRY(ct_plan_load(&plan, lookup->graph, path, lookup->device, err));
    if (!why.length && ct_ranks_rank(lookup->graph->ranks) == 0)
        CT_TRY(store_stale(&why, key, plan, lookup->device, err));
    ct_text_free(&lookup->why);
    if (why.length) ct_text_add(&lookup->why, "%s: %s", path, why.data);
    if (plan && (!why.length || (lookup->nearest && !lookup->plan))) {
        ct_plan_free(lookup->plan);
        lookup->plan = plan;
        plan = NULL;
        ct_text_free(&lookup->file);
        ct_text_add(&lookup->file, "%s", path);
    }
out:
    ct_text_free(&why);
    ct_plan_free(plan);
    ct_value_free(root);
    return status;
}

/* Those of this pipeline; one that cannot be read or does not fit any more says why. */
static ct_status store_find(store_lookup *lookup, ct_error *err)
{
    ct_status status = CT_OK;
    char folder[STORE_PATH], path[STORE_PATH + 256], pipeline[CT_DIGEST_SIZE];
    DIR *all = NULL;
    const struct dirent *entry;
    if (store_folder(folder, NULL) != CT_OK || !(all = opendir(folder))) return CT_OK;
    CT_TRY(ct_plan_store_digest(pipeline, lookup->graph, err));
    while ((entry = readdir(all))) {
        ct_error inner = {0};
        const size_t length = strlen(entry->d_name);
        if (strncmp(entry->d_name, pipeline, STORE_NAME) != 0 || length < 6 ||
            strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        status = store_try(lookup, path, &inner);
        if (status == CT_FAILED) CT_TRY(ct_error_pass(err, status, &inner));
        if (status != CT_OK) {
            ct_text_free(&lookup->why);
            ct_text_add(&lookup->why, "%s", inner.text);
        }
        status = CT_OK;
    }
out:
    closedir(all);
    return status;
}

/* All ranks take the one that they all have found, or none. Kernels are compared by rank 0, whose
 * part of the work is the one that was tuned. */
static ct_status store_agree(store_lookup *lookup, ct_status found, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    const ct_ranks *ranks = lookup->graph->ranks;
    if (lookup->plan) ct_plan_print_nodes(&text, lookup->plan);
    if (found == CT_OK) found = ct_text_check(&text, err);
    CT_TRY(ct_ranks_agree(ranks, found, err));
    status = ct_ranks_same(ranks, "stored plan", text.data ? text.data : "", NULL, NULL);
    if (status != CT_INVALID) goto out;
    if (lookup->plan) {
        ct_text_free(&lookup->why);
        ct_text_add(&lookup->why, "%s: not all ranks take it", lookup->file.data);
    }
    ct_plan_free(lookup->plan);
    lookup->plan = NULL;
    status = CT_OK;
out:
    ct_text_free(&text);
    return status;
}

ct_status ct_tune_stored(ct_plan **out, const ct_graph *graph, const ct_device *device,
                         bool nearest, char **say, ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph, device, say);
    ct_status status = CT_OK;
    store_lookup lookup = {.graph = graph, .device = device, .nearest = nearest};
    ct_text text = {0};
    *say = NULL;
    ct_json_open(&lookup.key, NULL, '{');
    ct_plan_key_device(&lookup.key, device);
    ct_json_close(&lookup.key, '}');
    CT_TRY(ct_text_check(&lookup.key, err));
    CT_TRY(store_agree(&lookup, store_find(&lookup, err), err));
    if (lookup.plan)
        ct_text_add(&text, "the stored plan %s", lookup.file.data);
    else if (lookup.why.length)
        ct_text_add(&text, "a stored plan is not used: %s", lookup.why.data);
    if (text.length) CT_TRY(ct_text_take(say, &text, err));
    *out = lookup.plan;
    lookup.plan = NULL;
out:
    ct_plan_free(lookup.plan);
    ct_text_free(&text);
    ct_text_free(&lookup.key);
    ct_text_free(&lookup.why);
    ct_text_free(&lookup.file);
    return status;
}
