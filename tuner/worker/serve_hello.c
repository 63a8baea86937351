/* serve_hello.c: the first question: the pipeline and the device that all others are about.
 * Room: tuner/worker. Knows graphs and devices. Does not know what is measured. */
#include "expand.h"
#include "fail.h"
#include "key.h"
#include "serve_inner.h"
#include "text.h"

/* Inputs that nobody reads may lie in this share of the device's memory. */
enum { SHARE = 8 };

static ct_status hello_graph(ct_serve *serve, const ct_value *question, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    const ct_value *pipeline = ct_value_get(question, "pipeline");
    const char *name = ct_value_text(ct_value_get(question, "name"), "pipeline");
    if (!pipeline) CT_TRY(ct_error_add(err, CT_USAGE, "expected a \"pipeline\""));
    CT_TRY(ct_expand_value(&text, pipeline, err));
    CT_TRY(ct_graph_parse(&serve->graph, serve->context, text.data, name, NULL, err));
out:
    ct_text_free(&text);
    return status;
}

static void hello_say(const ct_serve *serve, const ct_serve_base *base, ct_text *json)
{
    const ct_device *device = serve->device;
    ct_key_device(json, device);
    ct_json_add_int(json, "global_bytes", device->global_bytes);
    ct_json_add_int(json, "largest_bytes", device->largest_buffer);
    ct_serve_add_plan(json, "default", base->plan);
}

ct_status ct_serve_hello(ct_serve *serve, const ct_value *question, ct_text *json, ct_error *err)
{
    ct_status status = CT_OK;
    ct_serve_base *base = NULL;
    ct_plan *plan = NULL;
    ct_serve_forget(serve);
    CT_TRY(hello_graph(serve, question, err));
    serve->word = "runtime";
    CT_TRY(
        ct_device_open(&serve->device, ct_value_text(ct_value_get(question, "device"), NULL), err));
    CT_TRY(ct_device_check(serve->device, err));
    CT_TRY(ct_inputs_new(&serve->inputs, serve->device,
                         (size_t)(serve->device->global_bytes / SHARE), err));
    serve->pool.inputs = serve->inputs;
    serve->word = "constraints";
    CT_TRY(ct_plan_default(&plan, serve->graph, serve->device, err));
    CT_TRY(ct_serve_base_get(&base, serve, plan, err));
    hello_say(serve, base, json);
out:
    ct_plan_free(plan);
    if (status != CT_OK) ct_serve_forget(serve);
    return status;
}
