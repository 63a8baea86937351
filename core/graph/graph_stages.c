/* graph_stages.c: the key "stages" of a pipeline: files of stages that it brings along.
 * Room: core/graph. Knows file names. Does not know how a stage's file is read. Shared libraries
 * are never named by a pipeline: the user says which code may be loaded. */
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "fail.h"
#include "graph_nodes.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), last = strlen(end);
    return length > last && !strcmp(text + length - last, end);
}

static ct_status check_name(const ct_graph *graph, const ct_value *list, size_t n,
                            const char *pointer, ct_error *err)
{
    const char *file = ct_value_text(ct_value_at(list, n), NULL);
    if (file && ends_with(file, ".so"))
        return ct_graph_fail(
            graph, pointer, false, err,
            "a pipeline loads no shared library: name it by --library, and expected "
            "the .json file of a stage here");
    if (!file || !ends_with(file, ".json"))
        return ct_graph_fail(graph, pointer, false, err, "expected the .json file of a stage");
    for (size_t i = 0; i < n; i++)
        if (!strcmp(ct_value_text(ct_value_at(list, i), ""), file))
            return ct_graph_fail(graph, pointer, false, err, "this file is named twice");
    return CT_OK;
}

static ct_status add_file(ct_graph *graph, const char *file, const char *pointer, ct_error *err)
{
    ct_error why = {0};
    const bool relative = *file != '/' && graph->folder && *graph->folder;
    const char *path = relative ? ct_arena_print(graph->arena, "%s/%s", graph->folder, file) : file;
    const ct_status status = ct_context_add_file(graph->context, path, &why);
    if (status == CT_OK || status == CT_FAILED) return ct_error_pass(err, status, &why);
    if (status == CT_INVALID) return ct_error_pass(err, status, &why);
    return ct_graph_fail(graph, pointer, false, err, why.text); /* it cannot be read */
}

static ct_status add_files(ct_graph *graph, const ct_value *list, ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t i = 0; i < ct_value_count(list) && status != CT_FAILED; i++) {
        char pointer[40];
        snprintf(pointer, sizeof pointer, "/stages/%zu", i);
        ct_status one = check_name(graph, list, i, pointer, err);
        if (one == CT_OK)
            one = add_file(graph, ct_value_text(ct_value_at(list, i), ""), pointer, err);
        if (status == CT_OK || one == CT_FAILED) status = one;
    }
    return status;
}

ct_status ct_graph_stages(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *branch = NULL;
    const ct_value *list = ct_value_get(graph->root, "stages");
    if (!list) return CT_OK;
    if (ct_value_kind(list) != CT_LIST)
        return ct_graph_fail(graph, "/stages", false, err,
                             "expected a list of files, such as [\"power.json\"]");
    CT_TRY(ct_context_branch(&branch, graph->context, err));
    ct_context_free(graph->context);
    graph->context = branch;
    CT_TRY(add_files(graph, list, err));
out:
    graph->lacks_stages = status != CT_OK;
    return status;
}
