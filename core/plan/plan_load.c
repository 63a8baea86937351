/* plan_load.c: reads a plan file: which nodes run as one, the block, then node by node what was
 * decided (plan_load_node.c). What the pipeline pins stays as it is; what is not known is refused.
 * Room: core/plan. Knows the file's form. Does not know what is fast. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "expand.h"
#include "fail.h"
#include "file.h"
#include "file_conflicts.h"
#include "fuse.h"
#include "memory.h"
#include "plan_file.h"
#include "suggest.h"
#include "text.h"

const char *const ct_plan_about_keys[CT_PLAN_ABOUT] = {"key", "tuned"};

ct_status ct_plan_load_fail(const ct_plan_loader *l, const char *pointer, const char *format, ...)
{
    char sentence[1024], place[1024];
    ct_source_location location = {.file = l->from.file, .text = l->from.text, .pointer = pointer};
    va_list list;
    va_start(list, format);
    ct_number_print_args(sentence, sizeof sentence, format, list);
    va_end(list);
    ct_source_location_print(place, sizeof place, &location, NULL, true);
    if (!*pointer) snprintf(place, sizeof place, "%s: ", l->from.file);
    return ct_error_add(l->err, CT_INVALID, "%s%s", place, sentence);
}

ct_status ct_plan_load_leave(const ct_plan_loader *l, ct_status status)
{
    if (!l->misfits || status != CT_INVALID) return status;
    ++*l->misfits;
    *l->err = (ct_error){0};
    return CT_OK;
}

ct_status ct_plan_load_keys(const ct_plan_loader *l, const char *pointer, const ct_value *object,
                            const char *const *known)
{
    if (object && ct_value_kind(object) != CT_OBJECT)
        return ct_plan_load_fail(l, pointer, "expected an object");
    for (size_t i = 0; known && i < ct_value_count(object); i++) {
        char inner[512], near[CT_SUGGEST_SAY];
        const char *key = ct_value_key(object, i), *const *k = known;
        while (*k && strcmp(*k, key) != 0)
            k++;
        if (*k) continue;
        snprintf(inner, sizeof inner, "%s/%s", pointer, key);
        return ct_plan_load_fail(l, inner, "unknown key \"%s\"%s", key,
                                 ct_suggest_say(near, key, known));
    }
    return CT_OK;
}

static ct_status check_form(const ct_plan_loader *l, const ct_value *root)
{
    static const char *const keys[] = {"cornerturn_plan", "pipeline", "key",     "tuned", "block",
                                       "ranks",           "nodes",    "comment", NULL};
    ct_status status = CT_OK;
    const ct_value *format = ct_value_get(root, "cornerturn_plan");
    if (ct_value_kind(format) != CT_INT)
        return ct_plan_load_fail(l, "", "expected a plan: an object with \"cornerturn_plan\": %d",
                                 CT_PLAN_FORMAT);
    if (ct_value_int(format, 0) != CT_PLAN_FORMAT)
        return ct_plan_load_fail(l, "/cornerturn_plan",
                                 "found version %" PRId64 " of the format, this program reads "
                                 "version %d: make the plan anew",
                                 ct_value_int(format, 0), CT_PLAN_FORMAT);
    CT_TRY(ct_plan_load_keys(l, "", root, keys));
    for (int i = 0; i < CT_PLAN_ABOUT; i++) {
        const ct_value *about = ct_value_get(root, ct_plan_about_keys[i]);
        if (!about || ct_value_kind(about) == CT_OBJECT) continue;
        return ct_plan_load_fail(l, i ? "/tuned" : "/key", "expected an object");
    }
    if (ct_value_kind(l->nodes) != CT_OBJECT)
        return ct_plan_load_fail(l, ct_value_get(root, "nodes") ? "/nodes" : "",
                                 "expected \"nodes\": an object with a member per node");
out:
    return status;
}

/* ---- which nodes run as one */

static void take_graph(ct_plan_loader *l, ct_graph *graph)
{
    ct_graph_free(l->graph);
    l->graph = graph;
}

/* Makes one more node run as one with `consumer`: the one before it, which `wanted` names. */
static ct_status fuse_one(ct_plan_loader *l, const char *pointer, const char *wanted,
                          const char *consumer)
{
    ct_status status = CT_OK;
    ct_text why = {0};
    ct_error inner = {0};
    ct_graph *fused = NULL;
    const char *producer = ct_fuse_producer(l->graph, consumer);
    if (!producer || strcmp(producer, wanted) != 0)
        CT_TRY(ct_plan_load_fail(l, pointer,
                                 "found \"%s\", but the node before \"%s\" is %s%s%s: only those "
                                 "run as one",
                                 wanted, consumer, producer ? "\"" : "",
                                 producer ? producer : "none", producer ? "\"" : ""));
    ct_fuse_why_not(l->graph, consumer, &why);
    CT_TRY(ct_text_check(&why, l->err));
    if (why.length) CT_TRY(ct_plan_load_fail(l, pointer, "%s", why.data));
    const ct_status applied = ct_fuse_apply(&fused, l->graph, consumer, &inner);
    if (applied == CT_FAILED) CT_TRY(ct_error_pass(l->err, applied, &inner));
    if (applied != CT_OK)
        CT_TRY(ct_plan_load_fail(l, pointer, "cannot run as one here: %s", inner.text));
    take_graph(l, fused);
out:
    ct_text_free(&why);
    return status;
}

static bool same_names(const ct_value *a, const ct_value *b)
{
    bool same = ct_value_count(a) == ct_value_count(b);
    for (size_t i = 0; same && i < ct_value_count(a); i++)
        same =
            strcmp(ct_value_text(ct_value_at(a, i), ""), ct_value_text(ct_value_at(b, i), "")) == 0;
    return same;
}

static ct_status say_fused(const ct_plan_loader *l, const char *pointer, const ct_value *has)
{
    ct_text list = {0};
    for (size_t i = 0; i < ct_value_count(has); i++) {
        ct_text_add(&list, i ? ", " : "");
        ct_text_add_json(&list, ct_value_text(ct_value_at(has, i), ""));
    }
    ct_plan_load_fail(l, pointer, "the pipeline pins \"fuse\": true: expected [%s]", list.data);
    ct_text_free(&list);
    return CT_INVALID;
}

/* The list names what runs as one with this node, in the flow's order, this node last. */
static ct_status fuse_node(ct_plan_loader *l, const char *node, const ct_value *names)
{
    char pointer[512];
    ct_status status = CT_OK;
    const ct_value *has = ct_fuse_names(l->graph, node);
    const size_t count = ct_value_count(names);
    snprintf(pointer, sizeof pointer, "/nodes/%s/fuse", node);
    if (ct_value_kind(names) != CT_LIST)
        return ct_plan_load_fail(l, pointer,
                                 "expected a list of the nodes that run as one with this, such as "
                                 "[\"beams\"], or []");
    for (size_t i = 0; i < count; i++)
        if (ct_value_kind(ct_value_at(names, i)) != CT_TEXT)
            return ct_plan_load_fail(l, pointer, "expected names of nodes");
    if (has && !same_names(has, names)) return say_fused(l, pointer, has);
    for (size_t i = 0; i < count && !has; i++) {
        const char *next = i + 1 < count ? ct_value_text(ct_value_at(names, i + 1), "") : node;
        CT_TRY(fuse_one(l, pointer, ct_value_text(ct_value_at(names, i), ""), next));
    }
out:
    return status;
}

static ct_status fuse_nodes(ct_plan_loader *l)
{
    ct_status status = CT_OK;
    for (size_t i = 0; i < ct_value_count(l->nodes); i++) {
        const ct_value *names = ct_value_get(ct_value_at(l->nodes, i), "fuse");
        if (names) CT_TRY(ct_plan_load_leave(l, fuse_node(l, ct_value_key(l->nodes, i), names)));
    }
out:
    return status;
}

/* ---- the block */

static ct_status check_block(const ct_plan_loader *l, const ct_value *block, int64_t samples)
{
    static const char *const keys[] = {"T", NULL};
    ct_status status = ct_plan_load_keys(l, "/block", block, keys);
    if (status != CT_OK) return status;
    if (samples < 1 || samples > CT_GRAPH_BLOCK)
        return ct_plan_load_fail(l, "/block",
                                 "expected the samples per block, such as {\"T\": 65536}");
    if (samples != l->graph->block && ct_graph_pins_block(l->graph))
        return ct_plan_load_fail(l, "/block/T",
                                 "found %" PRId64 " samples, but the pipeline pins %" PRId64,
                                 samples, l->graph->block);
    return CT_OK;
}

static ct_status load_block(ct_plan_loader *l, const ct_value *block)
{
    ct_status status = CT_OK;
    ct_error inner = {0};
    ct_graph *graph = NULL;
    const int64_t samples = ct_value_int(ct_value_get(block, "T"), 0);
    if (!block || (l->misfits && ct_graph_pins_block(l->graph))) return CT_OK;
    CT_TRY(check_block(l, block, samples));
    if (samples == l->graph->block) return CT_OK;
    const ct_status made = ct_graph_with_block(&graph, l->graph, samples, &inner);
    if (made == CT_FAILED) CT_TRY(ct_error_pass(l->err, made, &inner));
    if (made != CT_OK) CT_TRY(ct_plan_load_fail(l, "/block/T", "%s", inner.text));
    take_graph(l, graph);
out:
    return status;
}

/* ---- the whole */

/* Which node of the plan runs as one with this one; NULL none. */
static const char *find_fused(const ct_graph *graph, const char *name)
{
    for (int n = 0; n < graph->count; n++) {
        const ct_value *names = ct_fuse_names(graph, graph->nodes[n].name);
        for (size_t i = 0; i < ct_value_count(names); i++)
            if (strcmp(ct_value_text(ct_value_at(names, i), ""), name) == 0)
                return graph->nodes[n].name;
    }
    return NULL;
}

/* Nodes that the pipeline has lost. */
static ct_status check_nodes(const ct_plan_loader *l)
{
    for (size_t i = 0; i < ct_value_count(l->nodes); i++) {
        char pointer[512];
        const char *name = ct_value_key(l->nodes, i), *fused = find_fused(l->graph, name);
        if (ct_graph_find(l->graph, name) >= 0) continue;
        snprintf(pointer, sizeof pointer, "/nodes/%s", name);
        if (fused)
            return ct_plan_load_fail(l, pointer, "\"%s\" runs as one with \"%s\": decide there",
                                     name, fused);
        return ct_plan_load_fail(l, pointer,
                                 "the pipeline has no node \"%s\"; the plan is for another "
                                 "pipeline",
                                 name);
    }
    return CT_OK;
}

static ct_status load_choices(ct_plan_loader *l, ct_choice *choices)
{
    ct_status status = CT_OK;
    CT_TRY(ct_plan_load_leave(l, check_nodes(l)));
    for (int n = 0; n < l->graph->count; n++) {
        CT_TRY(ct_plan_load_node(l, n, &choices[n]));
        choices[n].of_one = l->planned.size == 0;
        choices[n].misfits = l->misfits;
    }
    for (int n = 0; l->splits && n < l->graph->count; n++)
        if (l->splits[n]) choices[n].split = ct_plan_split_of(l->splits[n], l->graph->ranks);
out:
    return status;
}

static ct_status keep_about(ct_plan *plan, const ct_value *root, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < CT_PLAN_ABOUT; i++) {
        ct_text text = {0};
        const ct_value *about = ct_value_get(root, ct_plan_about_keys[i]);
        if (about) status = ct_expand_value(&text, about, err);
        if (about && status == CT_OK) plan->about[i] = ct_arena_copy(plan->arena, text.data);
        ct_text_free(&text);
        CT_TRY(status);
    }
    CT_TRY(ct_arena_check(plan->arena, err));
out:
    return status;
}

static ct_status keep_grid(ct_plan *plan, const ct_value *root, ct_error *err)
{
    const ct_value *grid = ct_value_get(ct_value_get(root, "ranks"), "grid");
    if (!grid || !plan->partition) return CT_OK;
    plan->grid = ct_arena_copy(plan->arena, ct_value_text(grid, ""));
    return ct_arena_check(plan->arena, err);
}

static ct_status load_plan(ct_plan **out, ct_plan_loader *l, const ct_value *root,
                           const ct_device *device)
{
    ct_status status = CT_OK;
    ct_choice *choices = NULL;
    const ct_stage *transpose = ct_context_stage(l->graph->context, "transpose");
    CT_TRY(check_form(l, root));
    if (transpose)
        CT_TRY(ct_step_new(&l->transpose, transpose, "transpose", NULL, NULL, NULL, l->err));
    CT_TRY(ct_plan_load_ranks(l, ct_value_get(root, "ranks")));
    CT_TRY(fuse_nodes(l));
    CT_TRY(ct_plan_load_leave(l, load_block(l, ct_value_get(root, "block"))));
    choices = ct_memory_get(sizeof *choices * (size_t)l->graph->count);
    CT_NEED(choices, sizeof *choices * (size_t)l->graph->count, l->err);
    CT_TRY(load_choices(l, choices));
    CT_TRY(ct_plan_build(out, l->graph, choices, &l->from, device, l->err));
    CT_TRY(keep_grid(*out, root, l->err));
    CT_TRY(keep_about(*out, root, l->err));
out:
    if (status != CT_OK) {
        ct_plan_free(*out);
        *out = NULL;
    }
    ct_memory_free(choices);
    return status;
}

static ct_status parse_plan(ct_plan **out, ct_plan_loader *l, const ct_device *device)
{
    ct_status status = CT_OK;
    ct_value *root = NULL;
    *out = NULL;
    CT_TRY(ct_value_parse(&root, l->from.text, l->from.file, l->err));
    l->nodes = ct_value_get(root, "nodes");
    CT_TRY(load_plan(out, l, root, device));
out:
    ct_step_free(l->transpose);
    ct_graph_free(l->graph);
    ct_value_free(root);
    return status;
}

ct_status ct_plan_parse_near(ct_plan **out, const ct_graph *graph, const char *text,
                             const char *name, const ct_device *device, int *misfits, ct_error *err)
{
    ct_error inner = {0};
    ct_plan_loader l = {.from = {.file = name, .text = text},
                        .graph = ct_graph_retain(graph),
                        .misfits = misfits,
                        .err = &inner};
    const ct_status status = parse_plan(out, &l, device);
    return status == CT_OK ? status : ct_error_pass(err, status, &inner);
}

ct_status ct_plan_parse_split(ct_plan **out, const ct_graph *graph, const char *text,
                              const char *name, const char *const *splits, const ct_device *device,
                              ct_error *err)
{
    ct_plan_loader l = {.from = {.file = name, .text = text},
                        .graph = ct_graph_retain(graph),
                        .splits = splits,
                        .err = err};
    return parse_plan(out, &l, device);
}

ct_status ct_plan_parse(ct_plan **out, const ct_graph *graph, const char *text, const char *name,
                        const ct_device *device, ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph, text, name);
    return ct_plan_parse_split(out, graph, text, name, NULL, device, err);
}

ct_status ct_plan_load(ct_plan **out, const ct_graph *graph, const char *file,
                       const ct_device *device, ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph, file);
    ct_status status = CT_OK;
    char *text = NULL;
    size_t length = 0;
    CT_TRY(ct_file_conflicts_check_file(graph, file, "the plan", false, err));
    CT_TRY(ct_file_read(&text, &length, file, err));
    CT_TRY(ct_plan_parse(out, graph, text, file, device, err));
out:
    ct_memory_free(text);
    return status;
}
