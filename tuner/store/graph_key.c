/* graph_key.c: see graph_key.h. A node's place is found in rounds: in each one it takes up what its
 * neighbours have taken up so far, so that neither names nor the order of nodes decide.
 * Room: tuner/store. */
#include "graph_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "fail.h"
#include "json_text.h"
#include "reaching_params.h"
#include "text.h"

enum { KEY_ROUNDS = 24, KEY_DIGITS = CT_GRAPH_KEY_WORD - 1 };

/* The first digits of the text's SHA-256; the text is freed. */
static ct_status key_take(char out[CT_GRAPH_KEY_WORD], ct_text *text, ct_error *err)
{
    char digest[CT_DIGEST_SIZE];
    const ct_status status = ct_text_check(text, err);
    ct_digest_text(digest, text->data ? text->data : "", text->length);
    snprintf(out, CT_GRAPH_KEY_WORD, "%.*s", KEY_DIGITS, digest);
    ct_text_free(text);
    return status;
}

/* ---- one node by itself */

/* What the run connects, and what lies between launches, follows from the rest. */
static bool key_has_port(const ct_step *step, int p)
{
    const ct_port *port = &step->stage->ports[p];
    return step->port[p].type != CT_NONE && port->direction != CT_SCRATCH &&
           !ct_port_takes_flags(port);
}

static void key_add_ports(ct_text *text, const ct_step *step)
{
    const bool source = ct_role_of(step) == CT_ROLE_SOURCE;
    ct_text_add(text, "%s", source ? "a source" : step->stage->name);
    for (int p = 0; p < ct_step_ports(step); p++)
        if (key_has_port(step, p))
            ct_text_add(text, " %s %s %s", source ? "" : step->stage->ports[p].name,
                        ct_type_name(step->port[p].type), step->port[p].dim);
}

/* T follows from the block. */
static void key_add_sizes(ct_text *text, const ct_step *step)
{
    for (int p = 0; p < ct_step_ports(step); p++) {
        const ct_array *array = &step->port[p];
        if (!key_has_port(step, p)) continue;
        for (int k = 0; k < array->rank; k++)
            if (array->dim[k] != 'T')
                ct_text_add(text, "%s%c=%" PRId64, text->length ? " " : "", array->dim[k],
                            array->extent[k]);
    }
}

static void key_add_layout(ct_text *text, const char *what, const ct_layout *layout, unsigned split)
{
    if (layout->rank) ct_text_add(text, " %s %s %u", what, layout->dim, split);
}

static void key_add_pins(ct_text *text, const ct_node *node)
{
    key_add_layout(text, "read", &node->read, node->read_split);
    key_add_layout(text, "write", &node->write, node->write_split);
    for (int t = 0; t < ct_step_tunables(node->step); t++)
        if (node->pinned[t])
            ct_text_add(text, " %s %" PRId64, node->step->stage->tuning.tunables[t].name,
                        node->tunable[t]);
}

/* Which outputs that nobody has to take are taken. */
static void key_add_taken(ct_text *text, const ct_graph *graph, int n)
{
    const ct_stage *stage = graph->nodes[n].step->stage;
    for (int m = 0; m < graph->count; m++)
        for (int p = 0; p < CT_PORTS; p++) {
            const ct_link *link = &graph->nodes[m].input[p];
            if (link->node == n && (stage->ports[link->port].flags & CT_PORT_OPTIONAL))
                ct_text_add(text, " takes %s", stage->ports[link->port].name);
        }
}

static void key_add_rest(ct_text *text, const ct_graph *graph, int n)
{
    const ct_node *node = &graph->nodes[n];
    const ct_value *fuse =
        ct_value_get(ct_value_get(ct_value_get(graph->root, "nodes"), node->name), "fuse");
    if (ct_role_of(node->step) == CT_ROLE_KERNEL) {
        ct_reaching_params_add(text, node->step);
        key_add_taken(text, graph, n);
        if (ct_value_kind(fuse) == CT_BOOL)
            ct_text_add(text, " fuse %d", ct_value_bool(fuse, false));
    }
    if (ct_role_of(node->step) == CT_ROLE_SOURCE)
        key_add_layout(text, "file", &node->step->port[0].layout, 0);
    key_add_pins(text, node);
}

/* ---- places */

typedef char key_word[CT_GRAPH_KEY_WORD];

static int key_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What the node reads, in the order of its ports. */
static void key_add_inputs(ct_text *text, const ct_graph *graph, int n, const key_word *at)
{
    for (int p = 0; p < CT_PORTS; p++) {
        const ct_link *link = &graph->nodes[n].input[p];
        if (link->node >= 0) ct_text_add(text, " %d %s.%d", p, at[link->node], link->port);
    }
}

/* Who reads it, in whatever order they stand; sinks are left out. */
static ct_status key_add_readers(ct_text *text, const ct_graph *graph, int n, const key_word *at,
                                 ct_arena *arena)
{
    const size_t most = (size_t)graph->count * CT_PORTS;
    const char **reader = ct_arena_get(arena, most * sizeof *reader);
    size_t count = 0;
    if (!reader) return CT_FAILED;
    for (int m = 0; m < graph->count; m++)
        for (int p = 0; p < CT_PORTS; p++) {
            const ct_link *link = &graph->nodes[m].input[p];
            if (link->node != n || ct_role_of(graph->nodes[m].step) == CT_ROLE_SINK) continue;
            reader[count++] = ct_arena_print(arena, " %d>%s.%d", link->port, at[m], p);
        }
    qsort(reader, count, sizeof *reader, key_by_text);
    for (size_t i = 0; i < count; i++)
        ct_text_add(text, "%s", reader[i]);
    return CT_OK;
}

static ct_status key_round(const ct_graph *graph, const key_word *at, key_word *next, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = ct_arena_new();
    CT_NEED(arena, 0, err);
    for (int n = 0; n < graph->count; n++) {
        ct_text text = {0};
        ct_text_add(&text, "%s", at[n]);
        key_add_inputs(&text, graph, n, at);
        if (ct_role_of(graph->nodes[n].step) != CT_ROLE_SINK)
            (void)key_add_readers(&text, graph, n, at, arena);
        CT_TRY(key_take(next[n], &text, err));
    }
    CT_TRY(ct_arena_check(arena, err));
out:
    ct_arena_free(arena);
    return status;
}

/* Before the first round: each node by itself. */
static ct_status key_begin(const ct_graph *graph, key_word *at, ct_error *err)
{
    ct_status status = CT_OK;
    for (int n = 0; n < graph->count; n++) {
        ct_text text = {0};
        key_add_ports(&text, graph->nodes[n].step);
        CT_TRY(key_take(at[n], &text, err));
    }
out:
    return status;
}

static ct_status key_places(ct_graph_key *key, const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    int rounds = 0; /* a further sink changes nobody's place */
    const size_t bytes = (size_t)graph->count * sizeof(key_word);
    key_word *at = ct_arena_get(key->arena, bytes), *next = ct_arena_get(key->arena, bytes);
    CT_NEED(at && next ? at : NULL, bytes, err);
    CT_TRY(key_begin(graph, at, err));
    for (int n = 0; n < graph->count; n++)
        rounds += !key->node[n].sink;
    for (int round = 0; round < KEY_ROUNDS && round < rounds; round++) {
        key_word *swap = at;
        CT_TRY(key_round(graph, at, next, err));
        at = next;
        next = swap;
    }
    for (int n = 0; n < graph->count; n++)
        memcpy(key->node[n].at, at[n], CT_GRAPH_KEY_WORD);
out:
    return status;
}

/* ---- the whole */

/* The nodes' words in the order of the alphabet, so that theirs does not matter. */
static ct_status key_add_sorted(ct_text *text, const ct_graph_key *key, bool all)
{
    int count = 0;
    const char **line = ct_arena_get(key->arena, (size_t)key->count * sizeof *line);
    if (!line) return CT_FAILED;
    for (int n = 0; n < key->count; n++) {
        const ct_graph_key_node *node = &key->node[n];
        if (all)
            line[count++] =
                ct_arena_print(key->arena, "%s %s %s;", node->at, node->rest, node->sizes);
        else if (!node->sink)
            line[count++] = node->at;
    }
    qsort(line, (size_t)count, sizeof *line, key_by_text);
    for (int i = 0; i < count; i++)
        ct_text_add(text, "%s", line[i]);
    return CT_OK;
}

ct_status ct_graph_key_digest(char out[CT_GRAPH_KEY_WORD], const ct_graph_key *key, ct_error *err)
{
    ct_text text = {0};
    ct_text_add(&text, "%s %" PRId64, key->stages, key->block);
    (void)key_add_sorted(&text, key, true);
    const ct_status status = key_take(out, &text, err);
    return status == CT_OK ? ct_arena_check(key->arena, err) : status;
}

static ct_status key_node(ct_graph_key *key, const ct_graph *graph, int n, ct_error *err)
{
    ct_text sizes = {0}, rest = {0};
    const ct_node *node = &graph->nodes[n];
    ct_graph_key_node *out = &key->node[n];
    out->name = ct_arena_copy(key->arena, node->name);
    out->sink = ct_role_of(node->step) == CT_ROLE_SINK;
    if (!out->sink) key_add_sizes(&sizes, node->step);
    ct_status status = ct_text_check(&sizes, err);
    out->sizes = ct_arena_copy(key->arena, sizes.data ? sizes.data : "");
    ct_text_free(&sizes);
    key_add_rest(&rest, graph, n);
    if (status == CT_OK) return key_take(out->rest, &rest, err);
    ct_text_free(&rest);
    return status;
}

static ct_status key_room(ct_graph_key *out, int count, ct_error *err)
{
    ct_status status = CT_OK;
    *out = (ct_graph_key){.count = count, .arena = ct_arena_new()};
    CT_NEED(out->arena, 0, err);
    const size_t bytes = sizeof *out->node * (size_t)(count > 0 ? count : 1);
    out->node = ct_arena_get(out->arena, bytes);
    CT_NEED(out->node, bytes, err);
out:
    return status;
}

ct_status ct_graph_key_make(ct_graph_key *out, const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    if (graph->of) graph = graph->of;
    CT_TRY(key_room(out, graph->count, err));
    out->block = ct_graph_pins_block(graph) ? graph->block : 0;
    for (int n = 0; n < graph->count; n++)
        CT_TRY(key_node(out, graph, n, err));
    CT_TRY(key_places(out, graph, err));
    (void)key_add_sorted(&text, out, false);
    CT_TRY(key_take(out->stages, &text, err));
    CT_TRY(ct_arena_check(out->arena, err));
out:
    ct_text_free(&text);
    if (status != CT_OK) ct_graph_key_free(out);
    return status;
}

void ct_graph_key_free(ct_graph_key *key)
{
    ct_arena_free(key->arena);
    *key = (ct_graph_key){0};
}

/* ---- in a plan's file */

void ct_graph_key_add(ct_text *json, const ct_graph_key *key)
{
    ct_json_add_text(json, "graph", key->stages);
    if (key->block) ct_json_add_int(json, "block", key->block);
    ct_json_open(json, "nodes", '{');
    for (int n = 0; n < key->count; n++) {
        const ct_graph_key_node *node = &key->node[n];
        ct_json_open(json, node->name, '{');
        ct_json_add_text(json, "at", node->at);
        ct_json_add_text(json, "rest", node->rest);
        if (node->sink)
            ct_json_add_bool(json, "sink", true);
        else
            ct_json_add_text(json, "sizes", node->sizes);
        ct_json_close(json, '}');
    }
    ct_json_close(json, '}');
}

static void key_read_word(char out[CT_GRAPH_KEY_WORD], const ct_value *value)
{
    snprintf(out, CT_GRAPH_KEY_WORD, "%s", ct_value_text(value, ""));
}

ct_status ct_graph_key_read(ct_graph_key *out, const ct_value *key, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *nodes = ct_value_get(key, "nodes");
    *out = (ct_graph_key){0};
    if (ct_value_kind(nodes) != CT_OBJECT || !ct_value_text(ct_value_get(key, "graph"), NULL))
        return ct_error_add(err, CT_INVALID, "its \"key\" does not say for which graph it is");
    CT_TRY(key_room(out, (int)ct_value_count(nodes), err));
    key_read_word(out->stages, ct_value_get(key, "graph"));
    out->block = ct_value_int(ct_value_get(key, "block"), 0);
    for (int n = 0; n < out->count; n++) {
        const ct_value *value = ct_value_at(nodes, (size_t)n);
        ct_graph_key_node *node = &out->node[n];
        node->name = ct_arena_copy(out->arena, ct_value_key(nodes, (size_t)n));
        node->sizes = ct_arena_copy(out->arena, ct_value_text(ct_value_get(value, "sizes"), ""));
        node->sink = ct_value_bool(ct_value_get(value, "sink"), false);
        key_read_word(node->at, ct_value_get(value, "at"));
        key_read_word(node->rest, ct_value_get(value, "rest"));
    }
    CT_TRY(ct_arena_check(out->arena, err));
out:
    if (status != CT_OK) ct_graph_key_free(out);
    return status;
}
