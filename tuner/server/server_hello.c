/* server_hello.c: the first question: the pipeline and the device that all others are about.
 * Room: tuner/server. Knows graphs and devices. Does not know what is measured. */
#include "choose.h"
#include "expand.h"
#include "fail.h"
#include "plan_key.h"
#include "server_inner.h"
#include "text.h"

/* Inputs that nobody reads may lie in this share of the device's memory. */
enum { SHARE = 8 };

static ct_status hello_graph(ct_server *server, const ct_value *question, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    const ct_value *pipeline = ct_value_get(question, "pipeline");
    const char *name = ct_value_text(ct_value_get(question, "name"), "pipeline");
    if (!pipeline) CT_TRY(ct_error_add(err, CT_USAGE, "expected a \"pipeline\""));
    CT_TRY(ct_expand_value(&text, pipeline, err));
    CT_TRY(ct_graph_parse(&server->graph, server->context, text.data, name, NULL, err));
out:
    ct_text_free(&text);
    return status;
}

static void hello_say(const ct_server *server, const ct_server_base *base, ct_text *json)
{
    const ct_device *device = server->device;
    ct_plan_key_device(json, device);
    ct_json_add_int(json, "global_bytes", device->global_bytes);
    ct_json_add_int(json, "largest_bytes", device->largest_buffer);
    ct_json_add_bool(json, "priced", ct_choose_has_prices(device));
    ct_server_add_plan(json, "default", base->plan);
}

ct_status ct_server_hello(ct_server *server, const ct_value *question, ct_text *json, ct_error *err)
{
    ct_status status = CT_OK;
    ct_server_base *base = NULL;
    ct_plan *plan = NULL;
    ct_server_forget(server);
    CT_TRY(hello_graph(server, question, err));
    server->word = "runtime";
    CT_TRY(ct_device_open(&server->device, ct_value_text(ct_value_get(question, "device"), NULL),
                          err));
    CT_TRY(ct_device_check(server->device, err));
    CT_TRY(ct_inputs_new(&server->inputs, server->device,
                         (size_t)(server->device->global_bytes / SHARE), err));
    server->pool.inputs = server->inputs;
    server->word = "constraints";
    CT_TRY(ct_choose_plan(&plan, server->graph, server->device,
                          ct_choose_has_prices(server->device), err));
    CT_TRY(ct_server_base_get(&base, server, plan, err));
    hello_say(server, base, json);
out:
    ct_plan_free(plan);
    if (status != CT_OK) ct_server_forget(server);
    return status;
}
