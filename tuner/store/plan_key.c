/* plan_key.c: see plan_key.h.
 * Room: tuner/store. */
#include "plan_key.h"

#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "fail.h"
#include "graph_key.h"
#include "json_text.h"
#include "processor.h"
#include "step_digest.h"

enum { KEYS = 6 };
static const char *const key_names[KEYS] = {"device", "platform", "driver",
                                            "cpu",    "vectors",  "cores"};

/* On a graphics card it does not matter which processor calls it. */
void ct_plan_key_device(ct_text *json, const ct_device *device)
{
    ct_processor processor = {0};
    char cores[16] = "";
    if (!device->gpu) {
        ct_processor_read(&processor, "/proc/cpuinfo");
        snprintf(cores, sizeof cores, "%d", ct_processor_cores((int)device->compute_units));
    }
    const char *const values[KEYS] = {device->name,   device->platform_name, device->driver,
                                      processor.name, processor.vectors,     cores};
    for (int i = 0; i < KEYS; i++)
        ct_json_add_text(json, key_names[i], values[i]);
}

ct_status ct_plan_key_differs(ct_text *out, const ct_value *key, const ct_device *device,
                              ct_error *err)
{
    ct_text own = {0};
    ct_value *here = NULL;
    ct_json_open(&own, NULL, '{');
    ct_plan_key_device(&own, device);
    ct_json_close(&own, '}');
    ct_status status = ct_text_check(&own, err);
    if (status == CT_OK) status = ct_value_parse(&here, own.data, "the device's key", err);
    for (size_t i = 0; i < ct_value_count(here); i++) {
        const char *name = ct_value_key(here, i), *is = ct_value_text(ct_value_at(here, i), "");
        const char *was = ct_value_text(ct_value_get(key, name), NULL);
        if (!was || strcmp(was, is) == 0) continue;
        ct_text_add(out, "its %s is \"%.300s\", this one's \"%.300s\"", name, was, is);
        break;
    }
    ct_value_free(here);
    ct_text_free(&own);
    return status;
}

void ct_plan_key_copy(ct_text *json, const ct_value *hello)
{
    for (int i = 0; i < KEYS; i++)
        ct_json_add_text(json, key_names[i], ct_value_text(ct_value_get(hello, key_names[i]), ""));
}

ct_status ct_plan_key_sources(ct_text *json, const ct_plan *plan, const ct_device *device,
                              ct_error *err)
{
    ct_status status = CT_OK;
    char digest[CT_DIGEST_SIZE];
    ct_json_open(json, "sources", '{');
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *at = &plan->steps[s];
        if (ct_role_of(at->step) != CT_ROLE_KERNEL) continue;
        ct_step_set_device(at->step, device);
        status = ct_step_digest_source(digest, at, err);
        ct_step_set_device(at->step, NULL);
        CT_TRY(status);
        ct_json_add_text(json, at->name, digest);
    }
    ct_json_close(json, '}');
out:
    return status;
}

static bool key_has(const ct_value *sources, const char *digest)
{
    for (size_t i = 0; i < ct_value_count(sources); i++)
        if (strcmp(ct_value_text(ct_value_at(sources, i), ""), digest) == 0) return true;
    return false;
}

ct_status ct_plan_key_stale(ct_text *out, const ct_value *key, const ct_plan *plan,
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
    for (size_t i = 0; then && i < ct_value_count(now) && !out->length; i++)
        if (!key_has(then, ct_value_text(ct_value_at(now, i), "")))
            ct_text_add(out, "the kernel of step \"%s\" is another one now", ct_value_key(now, i));
out:
    ct_value_free(own);
    ct_text_free(&text);
    return status;
}

/* What the default plan is, in 16 digits: ratios to the same one can be compared. */
static ct_status key_add_default(ct_text *key, const ct_graph *graph, const ct_device *device,
                                 ct_error *err)
{
    ct_status status = CT_OK;
    char digest[CT_DIGEST_SIZE];
    ct_plan *usual = NULL;
    ct_text nodes = {0};
    CT_TRY(ct_plan_default(&usual, graph, device, err));
    ct_plan_print_nodes(&nodes, usual);
    CT_TRY(ct_text_check(&nodes, err));
    ct_digest_text(digest, nodes.data, nodes.length);
    digest[16] = '\0';
    ct_json_add_text(key, "default", digest);
out:
    ct_text_free(&nodes);
    ct_plan_free(usual);
    return status;
}

ct_status ct_plan_key_add(ct_plan *plan, const ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text key = {0};
    ct_graph_key graph = {0};
    const ct_graph *pipeline = plan->graph->of ? plan->graph->of : plan->graph;
    CT_TRY(ct_graph_key_make(&graph, pipeline, err));
    ct_json_open(&key, NULL, '{');
    ct_plan_key_device(&key, device);
    CT_TRY(key_add_default(&key, pipeline, device, err));
    ct_graph_key_add(&key, &graph);
    CT_TRY(ct_plan_key_sources(&key, plan, device, err));
    ct_json_close(&key, '}');
    CT_TRY(ct_text_check(&key, err));
    plan->about[0] = ct_arena_copy(plan->arena, key.data);
    CT_TRY(ct_arena_check(plan->arena, err));
out:
    ct_graph_key_free(&graph);
    ct_text_free(&key);
    return status;
}
