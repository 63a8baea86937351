/* claims.c: no file is written by one node and used by another: a sink over its own source or over
 * somebody's weights, two sinks in one file, a description beside one array that is another
 * array's, an output over the pipeline itself, through whatever links. Room: core/graph. Knows
 * which files steps use. Does not know formats. Order: list what every node uses, find each file's
 * identity once, sort, compare neighbours. */
#include "claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "fail.h"
#include "file.h"
#include "memory.h"
#include "output_path.h"

typedef struct claim {
    const ct_node *node; /* NULL: the pipeline's own text, or a stage's */
    const char *who;     /* then: which of them */
    const char *param;
    const char *path;
    bool written;
    bool once; /* it can be read only once */
    ct_file_id id;
} claim;

struct ct_claims {
    claim *claims;
    int count, room;
};

/* Standard input, a pipe. */
static bool is_read_once(const char *path)
{
    struct stat about;
    if (strcmp(path, "/dev/stdin") == 0) return true;
    return stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

/* `param`: where there is no node, who. */
static void claim_add(const ct_graph *graph, const ct_node *node, const char *param,
                      const char *path, bool written)
{
    ct_claims *list = graph->claims;
    if (list->count == list->room) {
        const int room = 2 * list->room + 16;
        claim *more = ct_arena_get(graph->arena, (size_t)room * sizeof *more);
        if (!more) return; /* the arena knows */
        if (list->claims) memcpy(more, list->claims, (size_t)list->count * sizeof *more);
        list->claims = more;
        list->room = room;
    }
    claim *one = &list->claims[list->count++];
    *one = (claim){.node = node, .path = path, .written = written};
    *(node ? &one->param : &one->who) = param;
    ct_file_identify(&one->id, path, graph->arena);
    one->once = is_read_once(path);
}

/* "data/beams.npy" and ".json" -> "data/beams.json" */
static const char *beside(const ct_graph *graph, const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    return ct_arena_print(graph->arena, "%.*s%s", (int)stem, path, ending);
}

/* What a parameter names, where the step does not say itself what becomes of it. */
static void claim_param(const ct_graph *graph, const ct_node *node, const ct_param *param)
{
    int count = 0;
    const ct_step_file_use *uses = ct_step_uses(node->step, &count);
    const char *path = ct_step_path(node->step, param->name);
    const bool written = ct_role_of(node->step) == CT_ROLE_SINK;
    ct_output_path output;
    if (!path) return;
    for (int i = 0; i < count; i++)
        if (!strcmp(uses[i].param, param->name)) return;
    claim_add(graph, node, param->name, path, written);
    const bool single =
        ct_output_path_find(&output, path) == 0 && output.kind != CT_OUTPUT_PATH_FILE;
    if (param->choices && !single) /* a device has no neighbours */
        claim_add(graph, node, param->name, beside(graph, path, param->choices), written);
}

static void claim_node(const ct_graph *graph, const ct_node *node)
{
    int count = 0;
    const ct_step_file_use *uses = ct_step_uses(node->step, &count);
    for (const ct_param *param = node->step->stage->params; param && param->name; param++)
        if (param->kind == CT_PARAM_FILE) claim_param(graph, node, param);
    for (int i = 0; i < count; i++)
        claim_add(graph, node, uses[i].param, uses[i].file, uses[i].written);
}

/* By file, then as they were listed. */
static int claim_order(const void *a, const void *b)
{
    const claim *one = *(const claim *const *)a, *other = *(const claim *const *)b;
    const int files = ct_file_id_compare(&one->id, &other->id);
    return files ? files : (one > other) - (one < other);
}

static ct_status claim_blame(const claim *one, const claim *before, ct_error *err)
{
    if (one->node == before->node)
        return ct_step_fail(one->node->step, one->param, err,
                            "expected a name of its own for each file, but %s would be %s twice",
                            one->path, one->written || before->written ? "written" : "read");
    return ct_step_fail(one->node->step, one->param, err,
                        "expected a file that nothing else uses, but %s%s%s %s %s",
                        before->node ? "\"" : "", before->node ? before->node->name : before->who,
                        before->node ? "\"" : "",
                        before->written ? "writes"
                        : before->node  ? "reads"
                                        : "is in",
                        before->path);
}

/* The first in the run of equals that it cannot stand beside; NULL none. */
static const claim *claim_against(claim *const *first, claim *const *one)
{
    for (; first < one; first++)
        if ((*first)->written || (*one)->written || (*one)->once) return *first;
    return NULL;
}

/* One message for each parameter, in the nodes' order. */
static ct_status claims_say(const ct_claims *list, const claim *const *against, ct_error *err)
{
    ct_status status = CT_OK;
    const claim *said = NULL;
    for (int i = 0; i < list->count; i++) {
        const claim *one = &list->claims[i];
        if (!against[i] || !one->node) continue;
        if (said && said->node == one->node && !strcmp(said->param, one->param)) continue;
        status = claim_blame(one, against[i], err);
        said = one;
    }
    return status;
}

static ct_status claims_compare(const ct_claims *list, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t bytes = sizeof(claim *) * (size_t)(list->count + 1);
    claim **sorted = ct_memory_get(bytes);
    const claim **against = ct_memory_get(bytes);
    int count = 0, first = 0;
    CT_NEED(sorted, bytes, err);
    CT_NEED(against, bytes, err);
    for (int i = 0; i < list->count; i++)
        if (list->claims[i].id.any) sorted[count++] = &list->claims[i];
    qsort(sorted, (size_t)count, sizeof *sorted, claim_order);
    for (int i = 1; i < count; i++) {
        if (ct_file_id_compare(&sorted[first]->id, &sorted[i]->id) != 0) first = i;
        against[sorted[i] - list->claims] = claim_against(sorted + first, sorted + i);
    }
    CT_TRY(claims_say(list, against, err));
out:
    ct_memory_free(against);
    ct_memory_free(sorted);
    return status;
}

/* The pipeline itself, and what its stages were read from. */
static void claim_texts(const ct_graph *graph)
{
    const char *file;
    if (access(graph->file, F_OK) == 0)
        claim_add(graph, NULL, "the pipeline itself", graph->file, false);
    for (size_t i = 0; (file = ct_context_file_at(graph->context, i)) != NULL; i++)
        claim_add(graph, NULL, "a stage of the pipeline", file, false);
}

ct_status ct_claims_check(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    graph->claims = ct_arena_get(graph->arena, sizeof *graph->claims);
    CT_TRY(ct_arena_check(graph->arena, err));
    claim_texts(graph);
    for (int i = 0; i < graph->count; i++)
        if (!graph->nodes[i].broken) claim_node(graph, &graph->nodes[i]);
    CT_TRY(ct_arena_check(graph->arena, err));
    CT_TRY(claims_compare(graph->claims, err));
out:
    return status;
}

ct_status ct_claims_check_file(const ct_graph *graph, const char *file, const char *who,
                               bool written, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = ct_arena_new();
    ct_file_id id;
    ct_file_identify(&id, file, arena);
    status = ct_arena_check(arena, err);
    for (int i = 0; id.any && status == CT_OK && i < graph->claims->count; i++) {
        const claim *one = &graph->claims->claims[i];
        if ((!written && !one->written) || ct_file_id_compare(&id, &one->id) != 0 || !one->id.any)
            continue;
        status = ct_error_add(err, CT_INVALID,
                              "%s: expected a file that nothing else uses for %s, but %s%s%s %s it",
                              file, who, one->node ? "\"" : "",
                              one->node ? one->node->name : one->who, one->node ? "\"" : "",
                              one->written ? "writes"
                              : one->node  ? "reads"
                                           : "is in");
    }
    ct_arena_free(arena);
    return status;
}

ct_status ct_claims_check_folders(const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    const claim *said = NULL;
    for (int i = 0; i < graph->claims->count; i++) {
        const claim *one = &graph->claims->claims[i];
        if (!one->written || (said && said->node == one->node && said->param == one->param))
            continue;
        const char *lacks = ct_output_path_problem(one->path);
        if (!lacks) continue;
        status = ct_step_fail_data(one->node->step, one->param, err, "%s: cannot be written: %s",
                                   one->path, lacks);
        said = one;
    }
    return status;
}

const char *ct_claims_file(const ct_graph *graph, int n, bool *written)
{
    if (!graph->claims || n >= graph->claims->count) return NULL;
    *written = graph->claims->claims[n].written;
    return graph->claims->claims[n].path;
}
