/* graph_layouts.c: the layouts that a pipeline pins: "layout": "BDT" on a source or sink,
 * "layout": {"read": "CTSP", "write": "auto"} elsewhere.
 * Room: core/graph. Read before shapes are known; infer_graph.c checks that a
 * pinned layout has the array's dimensions. */
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "graph_nodes.h"
#include "text.h"

static ct_status read_pin(const ct_graph *graph, ct_node *node, const char *key,
                          const ct_value *given, ct_layout *out, ct_error *err)
{
    char path[512], place[512];
    ct_source_location location = {.file = graph->file, .text = graph->text, .pointer = path};
    ct_error inner = {0};
    snprintf(path, sizeof path, "%s/layout%s%s", node->pointer, *key ? "/" : "", key);
    const char *text = ct_value_text(given, NULL);
    if (text && strcmp(text, "auto") == 0) return CT_OK;
    if (text && ct_layout_parse(out, text, &inner) == CT_OK) {
        *(out == &node->read ? &node->read_split : &node->write_split) = out->split;
        out->split = 0;
        return CT_OK;
    }
    ct_source_location_print(place, sizeof place, &location, NULL, false);
    return ct_error_add(err, CT_INVALID, "%s%s", place,
                        text ? inner.text : "expected a layout such as \"STPC\", or \"auto\"");
}

static ct_status read_pins(const ct_graph *graph, ct_node *node, const ct_value *given,
                           const char *const *keys, ct_error *err)
{
    ct_status status = CT_OK;
    char path[512];
    snprintf(path, sizeof path, "%s/layout", node->pointer);
    for (size_t i = 0; i < ct_value_count(given); i++) {
        const char *key = ct_value_key(given, i);
        ct_layout *pin = *key == 'r' ? &node->read : &node->write;
        if (ct_graph_check_key(graph, path, key, keys, err) ||
            read_pin(graph, node, key, ct_value_at(given, i), pin, err))
            status = CT_INVALID;
    }
    return status;
}

ct_status ct_graph_layouts(ct_graph *graph, ct_error *err)
{
    static const char *const keys[] = {"read", "write", NULL}, *const last[] = {"read", NULL};
    ct_status status = CT_OK;
    for (int i = 0; i < graph->count; i++) {
        ct_node *node = &graph->nodes[i];
        const ct_value *given =
            ct_value_get(ct_value_get(ct_value_get(graph->root, "nodes"), node->name), "layout");
        bool broken = !node->step;
        bool source = !broken && ct_role_of(node->step) == CT_ROLE_SOURCE;
        bool sink = !broken && ct_role_of(node->step) == CT_ROLE_SINK;
        ct_status one = CT_OK;
        if (ct_value_kind(given) == CT_OBJECT)
            one = read_pins(graph, node, given, source ? keys + 1 : sink ? last : keys, err);
        else if (given && (source || sink || broken))
            one = read_pin(graph, node, "", given, source ? &node->write : &node->read, err);
        else if (given && strcmp(ct_value_text(given, ""), "auto") != 0) {
            char path[512];
            snprintf(path, sizeof path, "%s/layout", node->pointer);
            one = ct_graph_fail(graph, path, false, err,
                                "expected {\"read\": \"STPC\", \"write\": \"auto\"}");
        }
        if (one) status = CT_INVALID;
    }
    return status;
}
