/* graph_tunables.c: the tunables that a pipeline pins: "tunables": {"ENGINE": "clfft"}.
 * Room: core/graph. Knows names and declared values. Does not know what is legal together: that is
 * found when layouts are known. */
#include <inttypes.h>
#include <stdio.h>

#include "fail.h"
#include "graph_nodes.h"
#include "text.h"

static ct_status read_pin(const ct_graph *graph, ct_node *node, const char *name,
                          const ct_value *value, ct_error *err)
{
    char pointer[512], number[32];
    ct_error inner = {0};
    snprintf(pointer, sizeof pointer, "%s/tunables/%s", node->pointer, name);
    snprintf(number, sizeof number, "%" PRId64, ct_value_int(value, 0));
    const char *word = ct_value_text(value, ct_value_kind(value) == CT_INT ? number : "none");
    const int place = ct_step_read_tunable(node->step, name, word, node->tunable, &inner);
    if (place < 0) return ct_graph_fail(graph, pointer, false, err, inner.text);
    node->pinned[place] = true;
    return CT_OK;
}

static ct_status read_pins(const ct_graph *graph, ct_node *node, ct_error *err)
{
    char pointer[512];
    ct_status status = CT_OK;
    const ct_value *nodes = ct_value_get(graph->root, "nodes");
    const ct_value *given = ct_value_get(ct_value_get(nodes, node->name), "tunables");
    snprintf(pointer, sizeof pointer, "%s/tunables", node->pointer);
    if (given && ct_value_kind(given) != CT_OBJECT)
        return ct_graph_fail(graph, pointer, false, err, "expected an object such as {\"WG\": 64}");
    for (size_t i = 0; i < ct_value_count(given); i++)
        if (read_pin(graph, node, ct_value_key(given, i), ct_value_at(given, i), err) != CT_OK)
            status = CT_INVALID;
    return status;
}

ct_status ct_graph_tunables(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < graph->count; i++)
        if (graph->nodes[i].step && read_pins(graph, &graph->nodes[i], err) != CT_OK)
            status = CT_INVALID;
    return status;
}
