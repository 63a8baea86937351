/* file_conflicts.c: no file is written by one node and used by another: a sink over its own source
 * or over somebody's weights, two sinks in one file, a description next to one array that is
 * another array's, an output over the pipeline itself, through whatever links. Room: core/graph.
 * Knows which files steps use. Does not know formats. Order: list what every node uses, find each
 * file's identity once, sort, compare neighbours. */
#include "file_conflicts.h"

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

typedef struct file_use {
    const ct_node *node; /* NULL: the pipeline's own text, or a stage's */
    const char *who;     /* then: which of them */
    const char *param;
    const char *path;
    bool written;
    bool single; /* it can be read only once */
    bool folder; /* that is written */
    ct_file_id id;
} file_use;

struct ct_file_uses {
    file_use *uses;
    int count, room;
};

/* Standard input, a pipe. */
static bool is_read_once(const char *path)
{
    struct stat about;
    if (strcmp(path, "/dev/stdin") == 0) return true;
    return stat(path, &about) == 0 && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

/* `param`: where there is no node, its name. */
static void add_use(const ct_graph *graph, const ct_node *node, const char *param, const char *path,
                    bool written)
{
    ct_file_uses *list = graph->file_uses;
    if (list->count == list->room) {
        const int room = 2 * list->room + 16;
        file_use *more = ct_arena_get(graph->arena, (size_t)room * sizeof *more);
        if (!more) return; /* the arena knows */
        if (list->uses) memcpy(more, list->uses, (size_t)list->count * sizeof *more);
        list->uses = more;
        list->room = room;
    }
    file_use *one = &list->uses[list->count++];
    *one = (file_use){.node = node, .path = path, .written = written};
    *(node ? &one->param : &one->who) = param;
    ct_file_identify(&one->id, path, graph->arena);
    one->single = is_read_once(path);
}

/* What a parameter names, where the step does not say itself what becomes of it. */
static void add_param(const ct_graph *graph, const ct_node *node, const ct_param *param)
{
    int count = 0;
    const ct_step_file_use *uses = ct_step_uses(node->step, &count);
    const char *path = ct_step_path(node->step, param->name);
    const bool written = ct_role_of(node->step) == CT_ROLE_SINK;
    ct_output_path output;
    if (!path) return;
    for (int i = 0; i < count; i++)
        if (!strcmp(uses[i].param, param->name)) return;
    const int place = graph->file_uses->count;
    add_use(graph, node, param->name, path, written);
    const bool folder = param->choices && !strcmp(param->choices, "/");
    if (folder && place < graph->file_uses->count) graph->file_uses->uses[place].folder = true;
    const bool single = ct_output_path_find(&output, path) == 0 &&
                        output.kind != CT_OUTPUT_PATH_FILE && output.kind != CT_OUTPUT_PATH_FOLDER;
    if (param->choices && !folder && !single) /* a device has no neighbours */
        add_use(graph, node, param->name,
                ct_arena_print(graph->arena, "%s%s", path, param->choices), written);
}

static void add_node(const ct_graph *graph, const ct_node *node)
{
    int count = 0;
    const ct_step_file_use *uses = ct_step_uses(node->step, &count);
    for (const ct_param *param = node->step->stage->params; param && param->name; param++)
        if (param->kind == CT_PARAM_FILE) add_param(graph, node, param);
    for (int i = 0; i < count; i++)
        add_use(graph, node, uses[i].param, uses[i].file, uses[i].written);
}

/* By file, then as they were listed. */
static int use_order(const void *a, const void *b)
{
    const file_use *one = *(const file_use *const *)a, *other = *(const file_use *const *)b;
    const int files = ct_file_id_compare(&one->id, &other->id);
    return files ? files : (one > other) - (one < other);
}

static ct_status use_blame(const file_use *one, const file_use *before, ct_error *err)
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

/* The first in the run of equals with which it conflicts; NULL none. */
static const file_use *use_against(file_use *const *first, file_use *const *one)
{
    for (; first < one; first++)
        if ((*first)->written || (*one)->written || (*one)->single) return *first;
    return NULL;
}

/* One message for each parameter, in the nodes' order. */
static ct_status uses_say(const ct_file_uses *list, const file_use *const *against, ct_error *err)
{
    ct_status status = CT_OK;
    const file_use *said = NULL;
    for (int i = 0; i < list->count; i++) {
        const file_use *one = &list->uses[i];
        if (!against[i] || !one->node) continue;
        if (said && said->node == one->node && !strcmp(said->param, one->param)) continue;
        status = use_blame(one, against[i], err);
        said = one;
    }
    return status;
}

static ct_status uses_compare(const ct_file_uses *list, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t bytes = sizeof(file_use *) * (size_t)(list->count + 1);
    file_use **sorted = ct_memory_get(bytes);
    const file_use **against = ct_memory_get(bytes);
    int count = 0, first = 0;
    CT_NEED(sorted, bytes, err);
    CT_NEED(against, bytes, err);
    for (int i = 0; i < list->count; i++)
        if (list->uses[i].id.any) sorted[count++] = &list->uses[i];
    qsort(sorted, (size_t)count, sizeof *sorted, use_order);
    for (int i = 1; i < count; i++) {
        if (ct_file_id_compare(&sorted[first]->id, &sorted[i]->id) != 0) first = i;
        against[sorted[i] - list->uses] = use_against(sorted + first, sorted + i);
    }
    CT_TRY(uses_say(list, against, err));
out:
    ct_memory_free(against);
    ct_memory_free(sorted);
    return status;
}

/* The pipeline itself, and what its stages were read from. */
static void add_texts(const ct_graph *graph)
{
    const char *file;
    if (access(graph->file, F_OK) == 0)
        add_use(graph, NULL, "the pipeline itself", graph->file, false);
    for (size_t i = 0; (file = ct_context_file_at(graph->context, i)) != NULL; i++)
        add_use(graph, NULL, "a stage of the pipeline", file, false);
}

ct_status ct_file_conflicts_check(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    graph->file_uses = ct_arena_get(graph->arena, sizeof *graph->file_uses);
    CT_TRY(ct_arena_check(graph->arena, err));
    add_texts(graph);
    for (int i = 0; i < graph->count; i++)
        if (!graph->nodes[i].broken) add_node(graph, &graph->nodes[i]);
    CT_TRY(ct_arena_check(graph->arena, err));
    CT_TRY(uses_compare(graph->file_uses, err));
out:
    return status;
}

ct_status ct_file_conflicts_check_file(const ct_graph *graph, const char *file, const char *who,
                                       bool written, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = ct_arena_new();
    ct_file_id id;
    ct_file_identify(&id, file, arena);
    status = ct_arena_check(arena, err);
    for (int i = 0; id.any && status == CT_OK && i < graph->file_uses->count; i++) {
        const file_use *one = &graph->file_uses->uses[i];
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

ct_status ct_file_conflicts_check_folders(const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    const file_use *said = NULL;
    for (int i = 0; i < graph->file_uses->count; i++) {
        const file_use *one = &graph->file_uses->uses[i];
        if (!one->written || (said && said->node == one->node && said->param == one->param))
            continue;
        const char *lacks = ct_output_path_problem(one->path, one->folder);
        if (!lacks) continue;
        status = ct_step_fail_data(one->node->step, one->param, err, "%s: cannot be written: %s",
                                   one->path, lacks);
        said = one;
    }
    return status;
}

const char *ct_file_conflicts_file(const ct_graph *graph, int n, bool *written)
{
    if (!graph->file_uses || n >= graph->file_uses->count) return NULL;
    *written = graph->file_uses->uses[n].written;
    return graph->file_uses->uses[n].path;
}
