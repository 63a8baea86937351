/* graph_warnings.c: sentences about what is valid and yet probably not meant: a node that nothing
 * reads. Room: core/graph. Knows links. Does not know who reads the sentences. */
#include "graph_warnings.h"

#include "memory.h"
#include "text.h"

void ct_graph_warn_begin(ct_text *out, const ct_node *node)
{
    char place[768];
    ct_origin_print(place, sizeof place, &node->origin, NULL, true);
    ct_text_add(out, "%s%s", out->length ? "\n" : "", place);
}

const char *ct_graph_warn_keep(ct_arena *arena, ct_text *sentences)
{
    const char *kept = sentences->data ? ct_arena_copy(arena, sentences->data) : "";
    if (sentences->failed) ct_arena_lacks(arena, sentences->lacks);
    if (ct_arena_check(arena, NULL) != CT_OK) kept = "out of memory: warnings are left out";
    ct_text_free(sentences);
    return kept;
}

bool ct_graph_unread(const ct_node *node)
{
    return node->use == 0 && ct_role_of(node->step) != CT_ROLE_SINK;
}

const char *ct_graph_warn(const ct_graph *graph)
{
    ct_text out = {0};
    for (int n = 0; n < graph->count; n++) {
        if (!ct_graph_unread(&graph->nodes[n])) continue;
        ct_graph_warn_begin(&out, &graph->nodes[n]);
        ct_text_add(&out, "nothing reads what this node gives; it is computed all the same");
    }
    return ct_graph_warn_keep(graph->arena, &out);
}
