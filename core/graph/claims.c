/* claims.c: no file is written by one node and used by another: a sink over its own source, two
 * sinks in one file, two arrays whose descriptions beside them have the same name.
 * Room: core/graph. Knows parameters that name files. Does not know formats.
 * Order: list what every node uses, then compare each with those before it. */
#include "claims.h"

#include <string.h>

#include "file.h"
#include "memory.h"

enum { MOST = 8 }; /* claims of a node, in the mean */

typedef struct claim {
    const ct_node *node;
    const char *param, *given; /* the parameter and its value */
    const char *path;          /* of the file, or of the one beside it */
    bool written;
} claim;

typedef struct claim_list {
    claim *claims;
    int count, room;
} claim_list;

static void claim_add(claim_list *list, const ct_node *node, const char *param, const char *path)
{
    if (list->count == list->room) return;
    list->claims[list->count++] = (claim){.node = node,
                                          .param = param,
                                          .given = ct_step_text(node->step, param),
                                          .path = path,
                                          .written = ct_role_of(node->step) == CT_ROLE_SINK};
}

/* "data/beams.npy" and ".json" -> "data/beams.json" */
static const char *beside(const ct_graph *graph, const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    return ct_arena_print(graph->arena, "%.*s%s", (int)stem, path, ending);
}

static void claim_node(const ct_graph *graph, const ct_node *node, claim_list *list)
{
    const ct_param *param = node->step->stage->params;
    for (; param && param->name; param++) {
        if (param->kind != CT_PARAM_FILE) continue;
        const char *path = ct_step_path(node->step, param->name);
        if (!path) continue;
        claim_add(list, node, param->name, path);
        bool alone = !param->choices || !ct_file_same(path, path); /* a device has no neighbours */
        if (!alone) claim_add(list, node, param->name, beside(graph, path, param->choices));
    }
}

static ct_status claim_compare(const claim *one, const claim *before, ct_error *err)
{
    if ((!one->written && !before->written) || !ct_file_same(one->path, before->path)) return CT_OK;
    return ct_step_fail(one->node->step, one->param, err,
                        "expected a file that nothing else uses, but \"%s\" %s %s",
                        before->node->name, before->written ? "writes" : "reads", before->path);
}

ct_status ct_claims_check(const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    const char *said = NULL; /* a parameter's value has one message at most */
    claim_list list = {.room = graph->count * MOST};
    list.claims = ct_memory_get(sizeof *list.claims * (size_t)(list.room + 1));
    for (int i = 0; i < graph->count; i++)
        if (!graph->nodes[i].broken) claim_node(graph, &graph->nodes[i], &list);
    for (int i = 0; i < list.count; i++)
        for (int k = 0; k < i && list.claims[i].given != said; k++)
            if (claim_compare(&list.claims[i], &list.claims[k], err) != CT_OK) {
                said = list.claims[i].given;
                status = CT_INVALID;
            }
    ct_memory_free(list.claims);
    return status;
}
