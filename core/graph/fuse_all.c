/* fuse_all.c: graphs of every combination of the fusions that are possible, each once.
 * Room: core/graph. Knows graphs. Does not know prices. */
#include <string.h>

#include "fail.h"
#include "fuse.h"
#include "memory.h"
#include "text.h"

enum { FUSIONS = 8 /* of one graph, at most */ };

/* *out: NULL where it is not possible. */
static ct_status try_fusion(ct_graph **out, const ct_graph *graph, const char *consumer,
                            ct_error *err)
{
    ct_status status = CT_OK;
    ct_text why = {0};
    *out = NULL;
    ct_fuse_why_not(graph, consumer, &why); /* cheaper than trying */
    CT_TRY(ct_text_check(&why, err));
    if (why.length > 0) goto out;
    if (ct_fuse_apply(out, graph, consumer, NULL) == CT_FAILED) CT_TRY(ct_memory_fail(0, err));
out:
    ct_text_free(&why);
    return status;
}

ct_status ct_fuse_possible(bool *out, const ct_graph *graph, const char *consumer, ct_error *err)
{
    ct_graph *made = NULL;
    const ct_status status = try_fusion(&made, graph, consumer, err);
    *out = made != NULL;
    ct_graph_free(made);
    return status;
}

/* Consumers of fusions with which all graphs are in the list already. */
typedef struct fused_before {
    const char *consumer;
    const struct fused_before *next;
} fused_before;

static bool is_before(const fused_before *list, const char *consumer)
{
    while (list && strcmp(list->consumer, consumer) != 0)
        list = list->next;
    return list != NULL;
}

static ct_status fuse_others(const ct_graph *graph, const fused_before *list, ct_graph **out,
                             int room, int *count, ct_error *err)
{
    ct_status status = CT_OK;
    fused_before before[FUSIONS];
    int found = 0;
    const ct_value *nodes = ct_value_get(graph->root, "nodes");
    for (size_t i = 0; i < ct_value_count(nodes) && found < FUSIONS && *count < room; i++) {
        const char *consumer = ct_value_key(nodes, i);
        if (is_before(list, consumer)) continue;
        CT_TRY(try_fusion(&out[*count], graph, consumer, err));
        if (!out[*count]) continue;
        const ct_graph *fused = out[(*count)++];
        CT_TRY(fuse_others(fused, list, out, room, count, err));
        before[found] = (fused_before){consumer, list};
        list = &before[found++];
    }
out:
    return status;
}

ct_status ct_fuse_all(const ct_graph *graph, ct_graph **out, int room, int *count, ct_error *err)
{
    return fuse_others(graph, NULL, out, room, count, err);
}
