/* graph.c: a pipeline's text -> a graph of nodes in running order, all mistakes are reported in one
 * pass. Room: core/graph. Knows nodes, links and pinned layouts. Does not know what stages compute.
 * Order: read, expand constants, make a step per node, connect, sort, infer shapes (infer_graph.c).
 */
#include "graph.h"

#include <assert.h>
#include <string.h>

#include "context.h"
#include "expand.h"
#include "fail.h"
#include "file.h"
#include "file_conflicts.h"
#include "fuse.h"
#include "graph_nodes.h"
#include "graph_warnings.h"
#include "memory.h"
#include "observation.h"
#include "suggest.h"
#include "text.h"

ct_status ct_graph_fail(const ct_graph *graph, const char *pointer, bool key, ct_error *err,
                        const char *sentence)
{
    char place[512];
    ct_source_location location = {.file = graph->file, .text = graph->text, .pointer = pointer};
    if (!*pointer) return ct_error_add(err, CT_INVALID, "%s:1:1: %s", graph->file, sentence);
    ct_source_location_print(place, sizeof place, &location, NULL, key);
    return ct_error_add(err, CT_INVALID, "%s%s", place, sentence);
}

int ct_graph_find(const ct_graph *graph, const char *name)
{
    for (int i = 0; i < graph->count; i++)
        if (strcmp(graph->nodes[i].name, name) == 0) return i;
    return -1;
}

static const char *folder_of(ct_arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? ct_arena_print(arena, "%.*s", (int)(slash - file), file) : NULL;
}

static ct_status check_top(const ct_graph *graph, const ct_value *root, ct_error *err)
{
    static const char *const keys[] = {"cornerturn", "constants",   "stages",  "nodes",
                                       "block",      "observation", "comment", NULL};
    ct_status status = CT_OK;
    if (ct_value_kind(root) != CT_OBJECT)
        return ct_error_add(err, CT_INVALID,
                            "%s:1:1: expected a pipeline: an object with the keys "
                            "\"cornerturn\" and \"nodes\"",
                            graph->file);
    for (size_t i = 0; i < ct_value_count(root); i++)
        status =
            ct_graph_check_key(graph, "", ct_value_key(root, i), keys, err) ? CT_INVALID : status;
    if (!ct_value_get(root, "cornerturn"))
        status = ct_graph_fail(graph, "", false, err,
                               "missing \"cornerturn\": 1, the version of "
                               "the pipeline format");
    else if (ct_value_int(ct_value_get(root, "cornerturn"), 0) != 1)
        status = ct_graph_fail(graph, "/cornerturn", false, err,
                               "expected the number 1: this program reads version 1 of the "
                               "pipeline format");
    if (ct_value_get(root, "constants") &&
        ct_value_kind(ct_value_get(root, "constants")) != CT_OBJECT)
        status = ct_graph_fail(graph, "/constants", false, err,
                               "expected an object with a member per constant");
    if (ct_value_kind(ct_value_get(root, "nodes")) != CT_OBJECT ||
        ct_value_count(ct_value_get(root, "nodes")) == 0)
        status = ct_graph_fail(graph, ct_value_get(root, "nodes") ? "/nodes" : "", false, err,
                               "expected \"nodes\": an object with a member per node");
    return status;
}

ct_status ct_graph_check_key(const ct_graph *graph, const char *pointer, const char *key,
                             const char *const *known, ct_error *err)
{
    for (const char *const *k = known; *k; k++)
        if (strcmp(*k, key) == 0) return CT_OK;
    ct_text path = {0}, sentence = {0};
    char near[CT_SUGGEST_SAY];
    ct_text_add(&path, "%s/%s", pointer, key);
    ct_text_add(&sentence, "unknown key \"%s\", expected ", key);
    for (const char *const *k = known; *k; k++)
        ct_text_add(&sentence, "%s%s", k == known ? "" : k[1] ? ", " : " or ", *k);
    ct_text_add(&sentence, "%s", ct_suggest_say(near, key, known));
    ct_graph_fail(graph, path.data, true, err, sentence.data);
    ct_text_free(&path);
    ct_text_free(&sentence);
    return CT_INVALID;
}

static ct_status read_block(const ct_graph *graph, int64_t *block, ct_error *err)
{
    static const char *const keys[] = {"T", NULL};
    const ct_value *given = ct_value_get(graph->root, "block");
    *block = 0;
    if (!given) return CT_OK;
    if (ct_value_kind(given) != CT_OBJECT)
        return ct_graph_fail(graph, "/block", false, err,
                             "expected the samples per block, such as {\"T\": 65536}");
    for (size_t i = 0; i < ct_value_count(given); i++)
        if (ct_graph_check_key(graph, "/block", ct_value_key(given, i), keys, err))
            return CT_INVALID;
    *block = ct_value_int(ct_value_get(given, "T"), 0);
    if (*block > 0 && *block <= CT_GRAPH_BLOCK) return CT_OK;
    bool large = *block > 0;
    *block = 0;
    return ct_graph_fail(graph, "/block/T", false, err,
                         large ? "expected at most 1000000000000000 samples"
                               : "expected a positive number of samples");
}

/* *top: mistakes outside the nodes, which do not hide those inside. */
static ct_status read_expanded(ct_graph *graph, const char *const *settings, ct_status *top,
                               ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *plain = NULL;
    ct_text text = {0};
    CT_TRY(ct_value_parse(&plain, graph->text, graph->file, err));
    *top = check_top(graph, plain, err);
    const ct_value *nodes = ct_value_get(plain, "nodes");
    if (ct_value_kind(nodes) != CT_OBJECT || ct_value_count(nodes) == 0) CT_TRY(*top);
    CT_TRY(ct_expand_print(&text, plain, settings, graph->file, graph->text, err));
    CT_TRY(ct_value_parse(&graph->root, text.data, graph->file, err));
    graph->expanded = ct_arena_copy(graph->arena, text.data);
out:
    ct_value_free(plain);
    ct_text_free(&text);
    return status;
}

ct_status ct_graph_print(ct_text *out, const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    CT_TRY(ct_value_parse(&root, graph->expanded, graph->file, err));
    CT_TRY(ct_expand_escape(out, root, err));
out:
    ct_value_free(root);
    return status;
}

bool ct_graph_pins_block(const ct_graph *graph)
{
    return ct_value_get(graph->root, "block") != NULL;
}

/* Goes on after a mistake as far as it makes sense, so that all are reported in one pass. */
static ct_status understand(ct_graph *graph, int64_t otherwise, ct_error *err)
{
    int64_t block = 0;
    bool sorted = false;
    ct_status blocks = read_block(graph, &block, err);
    if (!ct_graph_pins_block(graph)) block = otherwise;
    ct_status sky = ct_observation_read(graph, err);
    if (sky == CT_FAILED) return sky;
    ct_status nodes = ct_graph_nodes(graph, &sorted, err);
    if (nodes == CT_FAILED) return nodes;
    ct_status shapes = sorted ? ct_infer_graph(graph, block, err) : CT_INVALID;
    ct_status files = sorted ? ct_file_conflicts_check(graph, err) : CT_INVALID;
    return nodes ? nodes : blocks ? blocks : sky ? sky : shapes ? shapes : files;
}

static ct_graph *graph_new(ct_context *context, const char *text, const char *name)
{
    ct_arena *arena = NULL;
    ct_graph *graph = ct_arena_begin(&arena, sizeof *graph);
    if (!graph) return NULL;
    graph->arena = arena;
    graph->context = ct_context_retain(context);
    graph->file = ct_arena_copy(arena, name);
    graph->text = ct_arena_copy(arena, text);
    graph->folder = folder_of(arena, name);
    return graph;
}

/* What a graph is read from, and how. */
typedef struct graph_text {
    const char *text, *name;
    const char *const *settings;
    bool waits_for_none;
} graph_text;

static ct_status graph_read(ct_graph **out, ct_context *context, const graph_text *from,
                            ct_error *err)
{
    ct_status status = CT_OK, top = CT_OK, stages;
    ct_graph *graph = graph_new(context, from->text, from->name);
    *out = NULL;
    CT_NEED(graph, sizeof *graph, err);
    graph->waits_for_none = from->waits_for_none;
    CT_TRY(ct_arena_check(graph->arena, err));
    CT_TRY(read_expanded(graph, from->settings, &top, err));
    stages = ct_graph_stages(graph, err);
    if (stages == CT_FAILED) CT_TRY(stages);
    CT_TRY(ct_fuse_graph(graph, err));
    CT_TRY(understand(graph, 0, err));
    CT_TRY(stages);
    CT_TRY(top);
    graph->warnings = ct_graph_warn(graph);
    CT_TRY(ct_arena_check(graph->arena, err));
    *out = graph;
    graph = NULL;
out:
    ct_graph_free(graph);
    return status;
}

ct_status ct_graph_parse(ct_graph **out, ct_context *context, const char *text, const char *name,
                         const char *const *settings, ct_error *err)
{
    CT_GIVEN_OUT(err, out, context, text, name);
    const graph_text from = {text, name, settings, false};
    return graph_read(out, context, &from, err);
}

ct_status ct_graph_load(ct_graph **out, ct_context *context, const char *pipeline_json,
                        const char *const *settings, ct_error *err)
{
    CT_GIVEN_OUT(err, out, context, pipeline_json);
    char *text = NULL;
    size_t length = 0;
    ct_status status = ct_file_read(&text, &length, pipeline_json, err);
    if (status == CT_OK) status = ct_graph_parse(out, context, text, pipeline_json, settings, err);
    ct_memory_free(text);
    return status;
}

ct_status ct_graph_check(ct_graph **out, ct_context *context, const char *pipeline_json,
                         const char *const *settings, bool *complete, ct_error *err)
{
    CT_GIVEN_OUT(err, out, context, pipeline_json, complete);
    graph_text from = {NULL, pipeline_json, settings, true};
    char *text = NULL;
    size_t length = 0;
    *complete = false;
    ct_status status = ct_file_read(&text, &length, pipeline_json, err);
    from.text = text;
    if (status == CT_OK) status = graph_read(out, context, &from, err);
    if (status == CT_OK) *complete = !(*out)->unknown;
    ct_memory_free(text);
    return status;
}

ct_status ct_graph_complete(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t block = 0;
    graph->waits_for_none = graph->unknown = false;
    CT_TRY(read_block(graph, &block, err));
    status = ct_infer_graph(graph, block, err);
    const ct_status files = ct_file_conflicts_check(graph, err);
    CT_TRY(status);
    CT_TRY(files);
    graph->warnings = ct_graph_warn(graph);
    CT_TRY(ct_arena_check(graph->arena, err));
out:
    return status;
}

ct_status ct_graph_make(ct_graph **out, const ct_graph *like, ct_value *root, int64_t block,
                        ct_error *err)
{
    ct_status status = CT_OK;
    ct_graph *graph = graph_new(like->context, like->text, like->file);
    *out = NULL;
    if (!graph) ct_value_free(root);
    CT_NEED(graph, sizeof *graph, err);
    graph->root = root;
    graph->of = ct_graph_retain(like->of ? like->of : like);
    graph->waits_for_none = like->waits_for_none;
    graph->ranks = like->ranks;
    CT_TRY(ct_arena_check(graph->arena, err));
    CT_TRY(understand(graph, block, err));
    graph->warnings = ct_graph_warn(graph);
    CT_TRY(ct_arena_check(graph->arena, err));
    *out = graph;
    graph = NULL;
out:
    ct_graph_free(graph);
    return status;
}

ct_status ct_graph_with_block(ct_graph **out, const ct_graph *like, int64_t block, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    ct_value *root = NULL;
    *out = NULL;
    CT_TRY(ct_expand_value(&text, like->root, err));
    CT_TRY(ct_value_parse(&root, text.data, like->file, err));
    CT_TRY(ct_graph_make(out, like, root, block, err));
out:
    ct_text_free(&text);
    return status;
}

const char *ct_graph_warnings(const ct_graph *graph)
{
    if (!graph) return "";
    return graph->warnings;
}

ct_status ct_graph_check_outputs(const ct_graph *graph, ct_error *err)
{
    CT_GIVEN(err, graph);
    return ct_file_conflicts_check_folders(graph, err);
}

/* Graphs are made by graph_new only, so none is const by nature. */
ct_graph *ct_graph_retain(const ct_graph *graph)
{
    ct_graph *retained = (ct_graph *)graph;
    ct_refcount_retain(&retained->refcount);
    return retained;
}

void ct_graph_told(const ct_graph *graph, ct_doing doing, const char *step, int n, int of)
{
    ct_context_told(graph->context, doing, step, n, of);
}

void ct_graph_free(ct_graph *graph)
{
    if (!graph || !ct_refcount_release(&graph->refcount)) return;
    for (int i = 0; i < graph->count; i++)
        ct_step_free(graph->nodes[i].step);
    ct_value_free(graph->root);
    ct_graph_free(graph->of);
    ct_context_free(graph->context);
    ct_arena_free(graph->arena);
}
