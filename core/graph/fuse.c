/* fuse.c: a node that asks to be fused takes its producer's parameters and input, and the producer
 * goes. The fused stage is an ordinary one (`fuses` in ct_stage), so nothing after this knows.
 * Room: core/graph. Knows the pipeline's values and stages' names. Does not know what stages
 * compute. */
#include "fuse.h"

#include <stdio.h>
#include <string.h>

#include "expand.h"
#include "fail.h"
#include "graph_nodes.h"
#include "memory.h"
#include "text.h"

typedef struct pair {
    const ct_value *nodes, *producer, *consumer;
    const char *producer_name, *consumer_name;
} pair;

static const ct_stage *find_fused(const ct_context *context, const char *first, const char *second)
{
    char wanted[128];
    const ct_stage *stage;
    snprintf(wanted, sizeof wanted, "%s %s", first, second);
    for (size_t i = 0; (stage = ct_context_stage_at(context, i)); i++)
        if (stage->fuses && strcmp(stage->fuses, wanted) == 0) return stage;
    return NULL;
}

static const char *stage_of(const ct_value *node)
{
    return ct_value_text(ct_value_get(node, "stage"), "");
}

/* How many inputs name this node, "node.port" included. */
static int count_uses(const ct_value *nodes, const char *name)
{
    int uses = 0;
    size_t length = strlen(name);
    for (size_t i = 0; i < ct_value_count(nodes); i++) {
        const ct_value *input = ct_value_get(ct_value_at(nodes, i), "input");
        size_t members = ct_value_kind(input) == CT_OBJECT ? ct_value_count(input) : 1;
        for (size_t m = 0; m < members; m++) {
            const ct_value *one = ct_value_kind(input) == CT_OBJECT ? ct_value_at(input, m) : input;
            const char *text = ct_value_text(one, "");
            if (strncmp(text, name, length) == 0 && (text[length] == 0 || text[length] == '.'))
                uses++;
        }
    }
    return uses;
}

/* The node at this place and the one before it; *fused: the stage that does both, or NULL. */
static void find_pair(const ct_graph *graph, size_t at, pair *out, const ct_stage **fused)
{
    const ct_value *nodes = ct_value_get(graph->root, "nodes");
    *out = (pair){.nodes = nodes,
                  .consumer = ct_value_at(nodes, at),
                  .consumer_name = ct_value_key(nodes, at)};
    out->producer_name = ct_value_text(ct_value_get(out->consumer, "input"), "");
    out->producer = ct_value_get(nodes, out->producer_name);
    *fused = find_fused(graph->context, stage_of(out->producer), stage_of(out->consumer));
}

/* What is pinned of the array between the two, which a fusion does away with; NULL nothing. */
static const char *find_pin(const pair *p, const char **of)
{
    const ct_value *write = ct_value_get(ct_value_get(p->producer, "layout"), "write");
    const ct_value *read = ct_value_get(ct_value_get(p->consumer, "layout"), "read");
    bool written = strcmp(ct_value_text(write, "auto"), "auto") != 0;
    *of = written ? p->producer_name : p->consumer_name;
    if (written) return "write";
    return strcmp(ct_value_text(read, "auto"), "auto") != 0 ? "read" : NULL;
}

/* The sentence stays empty where nothing is against it. */
static void why_not(const pair *p, const ct_stage *fused, ct_text *sentence)
{
    const char *first = stage_of(p->producer), *own = stage_of(p->consumer), *of;
    const char *pin = find_pin(p, &of);
    const ct_value *wanted = ct_value_get(p->consumer, "fuse");
    if (ct_value_kind(wanted) == CT_BOOL && !ct_value_bool(wanted, true))
        ct_text_add(sentence, "the pipeline pins \"fuse\": false");
    else if (!fused)
        ct_text_add(sentence, "no stage does %s and %s in one pass", *first ? first : "the input",
                    *own ? own : "this");
    else if (count_uses(p->nodes, p->producer_name) != 1)
        ct_text_add(sentence,
                    "node \"%s\" feeds other nodes too, so it cannot be fused into this one",
                    p->producer_name);
    else if (ct_value_get(p->producer, "tunables"))
        ct_text_add(sentence,
                    "\"%s\" pins tunables of a stage that is not there when the two are fused",
                    p->producer_name);
    else if (ct_value_get(p->consumer, "tunables") && !ct_value_bool(wanted, false))
        ct_text_add(sentence,
                    "\"%s\" pins tunables of a stage that is not there when the two are fused",
                    p->consumer_name);
    else if (pin)
        ct_text_add(sentence,
                    "\"%s\" pins the %s layout of an array that is not there when the two are "
                    "fused",
                    of, pin);
}

static ct_status check_pair(const ct_graph *graph, const pair *p, const ct_stage *fused,
                            ct_error *err)
{
    ct_text pointer = {0}, sentence = {0};
    ct_status status = CT_OK;
    ct_text_add(&pointer, "/nodes/%s/fuse", p->consumer_name);
    why_not(p, fused, &sentence);
    CT_TRY(ct_text_check(&sentence, err));
    if (sentence.length) status = ct_graph_fail(graph, pointer.data, false, err, sentence.data);
out:
    ct_text_free(&pointer);
    ct_text_free(&sentence);
    return status;
}

static ct_status add_members(ct_text *out, const ct_value *node, const char *const *without,
                             ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t i = 0; i < ct_value_count(node); i++) {
        bool leave = false;
        const char *key = ct_value_key(node, i);
        for (const char *const *w = without; *w; w++)
            leave = leave || strcmp(*w, key) == 0;
        if (leave) continue;
        ct_text_add(out, ",");
        ct_text_add_json(out, key);
        ct_text_add(out, ":");
        CT_TRY(ct_expand_value(out, ct_value_at(node, i), err));
    }
out:
    return status;
}

/* The reads are the producer's, the writes the consumer's. */
static void add_layout(ct_text *out, const pair *p)
{
    const char *read =
        ct_value_text(ct_value_get(ct_value_get(p->producer, "layout"), "read"), NULL);
    const char *write =
        ct_value_text(ct_value_get(ct_value_get(p->consumer, "layout"), "write"), NULL);
    ct_text_add(out, ",\"layout\":{\"read\":");
    ct_text_add_json(out, read ? read : "auto");
    ct_text_add(out, ",\"write\":");
    ct_text_add_json(out, write ? write : "auto");
    ct_text_add(out, "}");
}

static void add_list(ct_text *out, const ct_value *names, const char *before, const char *after)
{
    if (ct_value_kind(names) != CT_LIST) return;
    for (size_t i = 0; i < ct_value_count(names); i++) {
        ct_text_add(out, "%s", before);
        ct_text_add_json(out, ct_value_text(ct_value_at(names, i), ""));
        ct_text_add(out, "%s", after);
    }
}

/* What a fused node stands for is a list in place of the "fuse" that asked for it. */
static void add_names(ct_text *out, const pair *p)
{
    ct_text_add(out, ",\"fuse\":[");
    add_list(out, ct_value_get(p->producer, "fuse"), "", ",");
    ct_text_add_json(out, p->producer_name);
    add_list(out, ct_value_get(p->consumer, "fuse"), ",", "");
    ct_text_add(out, "]");
}

static ct_status add_fused(ct_text *out, const pair *p, const ct_stage *fused, ct_error *err)
{
    static const char *const of_producer[] = {"stage", "layout", "fuse", "comment", NULL};
    static const char *const of_consumer[] = {"stage", "layout", "fuse", "comment", "input", NULL};
    ct_status status = CT_OK;
    ct_text_add(out, "{\"stage\":");
    ct_text_add_json(out, fused->name);
    CT_TRY(add_members(out, p->producer, of_producer, err));
    CT_TRY(add_members(out, p->consumer, of_consumer, err));
    add_layout(out, p);
    add_names(out, p);
    ct_text_add(out, "}");
out:
    return status;
}

static ct_status add_nodes(ct_text *out, const pair *p, const ct_stage *fused, ct_error *err)
{
    ct_status status = CT_OK;
    const char *comma = "";
    for (size_t i = 0; i < ct_value_count(p->nodes); i++) {
        const ct_value *node = ct_value_at(p->nodes, i);
        if (node == p->producer) continue;
        ct_text_add(out, "%s", comma);
        ct_text_add_json(out, ct_value_key(p->nodes, i));
        ct_text_add(out, ":");
        if (node == p->consumer)
            CT_TRY(add_fused(out, p, fused, err));
        else
            CT_TRY(ct_expand_value(out, node, err));
        comma = ",";
    }
out:
    return status;
}

/* The pipeline with the two as one node, and all else that it says. */
static ct_status make_root(ct_value **out, const ct_graph *graph, const pair *p,
                           const ct_stage *fused, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    *out = NULL;
    ct_text_add(&text, "{\"nodes\":{");
    CT_TRY(add_nodes(&text, p, fused, err));
    ct_text_add(&text, "}");
    for (size_t i = 0; i < ct_value_count(graph->root); i++) {
        const char *key = ct_value_key(graph->root, i);
        if (strcmp(key, "nodes") == 0) continue;
        ct_text_add(&text, ",");
        ct_text_add_json(&text, key);
        ct_text_add(&text, ":");
        CT_TRY(ct_expand_value(&text, ct_value_at(graph->root, i), err));
    }
    ct_text_add(&text, "}");
    CT_TRY(ct_text_check(&text, err));
    CT_TRY(ct_value_parse(out, text.data, graph->file, err));
out:
    ct_text_free(&text);
    return status;
}

static ct_status check_kinds(const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *nodes = ct_value_get(graph->root, "nodes");
    for (size_t i = 0; i < ct_value_count(nodes); i++) {
        const ct_value *fuse = ct_value_get(ct_value_at(nodes, i), "fuse");
        char pointer[256];
        if (!fuse || ct_value_kind(fuse) == CT_BOOL) continue;
        snprintf(pointer, sizeof pointer, "/nodes/%s/fuse", ct_value_key(nodes, i));
        status = ct_graph_fail(graph, pointer, false, err, "expected true or false");
    }
    return status;
}

ct_status ct_fuse_graph(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(check_kinds(graph, err));
    for (size_t i = 0; i < ct_value_count(ct_value_get(graph->root, "nodes")); i++) {
        pair p;
        const ct_stage *fused;
        ct_value *root;
        const ct_value *node = ct_value_at(ct_value_get(graph->root, "nodes"), i);
        if (!ct_value_bool(ct_value_get(node, "fuse"), false)) continue;
        find_pair(graph, i, &p, &fused);
        CT_TRY(check_pair(graph, &p, fused, err));
        CT_TRY(make_root(&root, graph, &p, fused, err));
        ct_value_free(graph->root);
        graph->root = root;
        i = (size_t)-1; /* the nodes are others now */
    }
out:
    return status;
}

/* ---- what could be fused, and what is */

/* The place of the node in root's "nodes"; their number where there is none. */
static size_t find_node(const ct_graph *graph, const char *name)
{
    const ct_value *nodes = ct_value_get(graph->root, "nodes");
    size_t at = 0;
    while (at < ct_value_count(nodes) && strcmp(ct_value_key(nodes, at), name) != 0)
        at++;
    return at;
}

void ct_fuse_why_not(const ct_graph *graph, const char *consumer, ct_text *sentence)
{
    pair p;
    const ct_stage *fused;
    find_pair(graph, find_node(graph, consumer), &p, &fused);
    why_not(&p, fused, sentence);
}

const ct_value *ct_fuse_names(const ct_graph *graph, const char *node)
{
    const ct_value *of = ct_value_get(ct_value_get(graph->root, "nodes"), node);
    const ct_value *names = ct_value_get(of, "fuse");
    return ct_value_kind(names) == CT_LIST ? names : NULL;
}

const char *ct_fuse_producer(const ct_graph *graph, const char *node)
{
    const ct_value *nodes = ct_value_get(graph->root, "nodes");
    const char *name = ct_value_text(ct_value_get(ct_value_get(nodes, node), "input"), "");
    return ct_value_get(nodes, name) ? name : NULL;
}

ct_status ct_fuse_apply(ct_graph **out, const ct_graph *graph, const char *consumer, ct_error *err)
{
    ct_status status = CT_OK;
    pair p;
    const ct_stage *fused;
    ct_value *root;
    size_t at = find_node(graph, consumer);
    *out = NULL;
    if (at == ct_value_count(ct_value_get(graph->root, "nodes")))
        return ct_error_add(err, CT_USAGE, "no node \"%s\" to fuse", consumer);
    find_pair(graph, at, &p, &fused);
    CT_TRY(check_pair(graph, &p, fused, err));
    CT_TRY(make_root(&root, graph, &p, fused, err));
    CT_TRY(ct_graph_make(out, graph, root, 0, err));
out:
    return status;
}

ct_status ct_fuse_list(const ct_graph *graph, ct_fusion *out, size_t room, size_t *count,
                       ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *nodes = ct_value_get(graph->root, "nodes");
    *count = 0;
    for (size_t i = 0; i < ct_value_count(nodes); i++) {
        pair p;
        const ct_stage *fused;
        find_pair(graph, i, &p, &fused);
        bool possible;
        CT_TRY(ct_fuse_possible(&possible, graph, p.consumer_name, err));
        if (!possible) continue;
        if (*count < room) out[*count] = (ct_fusion){p.producer_name, p.consumer_name, fused->name};
        ++*count;
    }
out:
    return status;
}
