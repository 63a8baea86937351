/* graph_nodes.c: a step for every node, links between them, and an order to run them in.
 * Room: core/graph. Knows names, ports and links. Does not know shapes (infer_graph.c) or layouts'
 * use.
 */
#include "graph_nodes.h"

#include <string.h>

#include "fail.h"
#include "memory.h"
#include "text.h"

static const ct_value *node_value(const ct_graph *graph, const ct_node *node)
{
    return ct_value_get(ct_value_get(graph->root, "nodes"), node->name);
}

static ct_status fail_at(const ct_graph *graph, const ct_node *node, const char *key, ct_error *err,
                         ct_text *sentence)
{
    ct_text path = {0};
    ct_text_add(&path, "%s%s%s", node->pointer, *key ? "/" : "", key);
    ct_graph_fail(graph, path.data, false, err, sentence->data);
    ct_text_free(&path);
    ct_text_free(sentence);
    return CT_INVALID;
}

/* Messages, plans and settings have a line for it. */
static bool is_printable(const char *name)
{
    while (ct_text_letter(name) > 0)
        name += ct_text_letter(name);
    return *name == 0;
}

/* A point parts a node from its output and from its parameter, "=" a parameter from its value, "/"
 * the steps of a place in the pipeline. */
static ct_status check_name(const ct_graph *graph, const ct_node *node, ct_error *err)
{
    ct_text sentence = {0}, pointer = {0};
    const char *wrong = strpbrk(node->name, "./=\"\\");
    const size_t letters = strlen(node->name);
    const bool printable = is_printable(node->name);
    if (letters <= CT_GRAPH_NAME && *node->name && *node->name != '+' && !wrong && printable)
        return CT_OK;
    ct_text_add(&sentence, "expected a node's name without . / = \" \\ and without + in front");
    if (!printable) ct_text_add(&sentence, ", and of letters, found a control character");
    if (letters > CT_GRAPH_NAME)
        ct_text_add(&sentence, ", of at most %d letters, found %zu", CT_GRAPH_NAME, letters);
    if (wrong && *wrong == '.')
        ct_text_add(&sentence, "; \"%s\" means \"%s\" of the node \"%.*s\"", node->name, wrong + 1,
                    (int)(wrong - node->name), node->name);
    ct_text_add(&pointer, "/nodes/");
    for (const char *c = node->name; *c; c++)
        ct_text_add(&pointer, "%.*s", *c == '/' ? 2 : 1, *c == '/' ? "~1" : c);
    ct_graph_fail(graph, pointer.data, true, err, sentence.data);
    ct_text_free(&sentence);
    ct_text_free(&pointer);
    return CT_INVALID;
}

static void list_stages(const ct_graph *graph, const char *wrong, ct_text *sentence)
{
    const char *names[256] = {0};
    const ct_stage *stage;
    for (size_t i = 0; i < 255 && (stage = ct_context_stage_at(graph->context, i)); i++)
        names[i] = stage->name;
    const char *near = ct_suggest_nearest(wrong, names);
    ct_text_add(sentence, "no stage \"%s\"", wrong);
    if (near) {
        ct_text_add(sentence, "; did you mean \"%s\"?", near);
        return;
    }
    ct_text_add(sentence, "; ");
    if (ct_value_count(ct_value_get(graph->root, "stages")) == 0)
        ct_text_add(sentence,
                    "if it is your own, the pipeline names its page, \"stages\": [\"%s.json\"], "
                    "and the command a library with it, --library FILE; ",
                    wrong);
    ct_text_add(sentence, "'cornerturn info stages' lists the others");
}

/* The ports of a stage in this direction, as far as it has any: "; expected X, M" */
static void list_ports(const ct_step *step, ct_direction direction, ct_text *sentence)
{
    const char *join = "; expected ";
    for (int p = 0; p < ct_step_ports(step); p++) {
        if (step->stage->ports[p].direction != direction) continue;
        ct_text_add(sentence, "%s%s", join, step->stage->ports[p].name);
        join = ", ";
    }
}

static ct_status node_new(ct_graph *graph, ct_node *node, ct_error *err)
{
    ct_text sentence = {0};
    const ct_value *given = node_value(graph, node);
    if (ct_value_kind(given) != CT_OBJECT) {
        ct_text_add(&sentence,
                    "expected an object such as {\"stage\": \"fft\", \"input\": \"fir\"}");
        return fail_at(graph, node, "", err, &sentence);
    }
    if (check_name(graph, node, err) != CT_OK) return CT_INVALID;
    const char *name = ct_value_text(ct_value_get(given, "stage"), NULL);
    if (!name) {
        ct_text_add(&sentence, "missing \"stage\": what this node does");
        return fail_at(graph, node, "", err, &sentence);
    }
    const ct_stage *stage = ct_context_stage(graph->context, name);
    if (!stage && graph->lacks_stages) return CT_INVALID; /* reported already */
    if (!stage) {
        list_stages(graph, name, &sentence);
        return fail_at(graph, node, "stage", err, &sentence);
    }
    return ct_step_new(&node->step, stage, node->name, given, ct_step_keys(), &node->location, err);
}

static ct_status nodes_new(ct_graph *graph, ct_error *err)
{
    ct_arena *arena = graph->arena;
    const ct_value *nodes = ct_value_get(graph->root, "nodes");
    ct_status status = CT_OK;
    graph->nodes = ct_arena_get(arena, sizeof *graph->nodes * (ct_value_count(nodes) + 1));
    if (!graph->nodes) return ct_arena_check(arena, err);
    graph->count = (int)ct_value_count(nodes);
    for (int i = 0; i < graph->count; i++) {
        ct_node *node = &graph->nodes[i];
        node->name = ct_arena_copy(arena, ct_value_key(nodes, (size_t)i));
        node->pointer = ct_arena_print(arena, "/nodes/%s", node->name);
        node->location = (ct_source_location){.file = graph->file,
                                              .text = graph->text,
                                              .pointer = node->pointer,
                                              .folder = graph->folder,
                                              .observation = graph->observation,
                                              .may_wait = ct_graph_may_wait,
                                              .probe_range = ct_graph_probe_range,
                                              .probe_allgather = ct_graph_probe_allgather,
                                              .between = ct_graph_between,
                                              .graph = graph};
        for (int p = 0; p < CT_PORTS; p++)
            node->input[p].node = -1;
        ct_status made = ct_arena_check(arena, err);
        if (made == CT_OK) made = node_new(graph, node, err);
        node->broken = made != CT_OK;
        if (made == CT_FAILED) return made;
        if (node->broken) status = CT_INVALID;
    }
    return status;
}

static int output_port(const ct_step *step, const char *name)
{
    if (name) {
        int port = ct_step_find_port(step, name);
        return port >= 0 && step->stage->ports[port].direction == CT_OUT ? port : -1;
    }
    return ct_step_first_output(step);
}

static void say_no_node(const ct_graph *graph, const char *wrong, ct_text *sentence)
{
    const char **names = ct_memory_get(sizeof *names * (size_t)(graph->count + 1));
    for (int i = 0; names && i < graph->count; i++)
        names[i] = graph->nodes[i].name;
    const char *near = ct_suggest_nearest(wrong, names);
    ct_text_add(sentence, "no node \"%s\"", wrong);
    if (near)
        ct_text_add(sentence, "; did you mean \"%s\"?", near);
    else
        for (int i = 0; i < graph->count; i++)
            ct_text_add(sentence, "%s%s", i ? ", " : "; there are ", names[i]);
    ct_memory_free(names);
}

/* Reads "node" or "node.port" into the link of one port. */
static ct_status link_port(ct_graph *graph, ct_node *node, int port, const char *key,
                           const ct_value *given, ct_error *err)
{
    ct_text sentence = {0};
    char name[128] = "";
    const char *text = ct_value_text(given, NULL);
    if (!text || strlen(text) >= sizeof name) {
        ct_text_add(&sentence, "expected a node's name, or \"node.port\"");
        return fail_at(graph, node, key, err, &sentence);
    }
    memcpy(name, text, strlen(text) + 1);
    char *dot = strchr(name, '.');
    if (dot && ct_graph_find(graph, name) >= 0)
        return CT_INVALID; /* such a name is reported already */
    if (dot) *dot++ = 0;
    int from = ct_graph_find(graph, name);
    if (from < 0) {
        say_no_node(graph, name, &sentence);
        return fail_at(graph, node, key, err, &sentence);
    }
    const ct_step *step = graph->nodes[from].step;
    if (!step) return CT_INVALID; /* reported already */
    int out = output_port(step, dot);
    if (out < 0) {
        ct_text_add(&sentence,
                    dot ? "node \"%s\" (%s) has no output \"%s\""
                        : "node \"%s\" (%s) has no output",
                    name, step->stage->name, dot);
        if (dot) list_ports(step, CT_OUT, &sentence);
        return fail_at(graph, node, key, err, &sentence);
    }
    node->input[port] = (ct_link){from, out};
    graph->nodes[from].use++;
    return CT_OK;
}

static ct_status link_named(ct_graph *graph, ct_node *node, const ct_value *input, ct_error *err)
{
    ct_status status = CT_OK;
    for (size_t i = 0; i < ct_value_count(input); i++) {
        ct_text key = {0}, sentence = {0};
        const char *name = ct_value_key(input, i);
        int port = ct_step_find_port(node->step, name);
        ct_text_add(&key, "input/%s", name);
        if (port < 0 || node->step->stage->ports[port].direction != CT_IN) {
            ct_text_add(&sentence, "stage %s has no input \"%s\"", node->step->stage->name, name);
            list_ports(node->step, CT_IN, &sentence);
            status = fail_at(graph, node, key.data, err, &sentence);
        } else if (link_port(graph, node, port, key.data, ct_value_at(input, i), err)) {
            status = CT_INVALID;
        }
        ct_text_free(&key);
    }
    return status;
}

static ct_status link_node(ct_graph *graph, ct_node *node, ct_error *err)
{
    const ct_stage *stage = node->step->stage;
    const ct_value *input = ct_value_get(node_value(graph, node), "input");
    ct_text sentence = {0};
    ct_status status = CT_OK;
    bool takes = ct_role_of_stage(stage) != CT_ROLE_SOURCE;
    if (input && !takes) {
        ct_text_add(&sentence, "stage %s takes no input", stage->name);
        return fail_at(graph, node, "input", err, &sentence);
    }
    if (ct_value_kind(input) == CT_OBJECT)
        status = link_named(graph, node, input, err);
    else if (input)
        status = link_port(graph, node, 0, "input", input, err);
    for (int p = 0; status == CT_OK && p < ct_step_ports(node->step); p++) {
        const ct_port *port = &stage->ports[p];
        if (port->direction != CT_IN || node->input[p].node >= 0) continue;
        if (port->flags & (CT_PORT_OPTIONAL | CT_PORT_FLAGS)) continue;
        ct_text_add(&sentence,
                    p == 0 ? "missing \"input\": stage %s needs one"
                           : "stage %s needs an input for its port \"%s\"",
                    stage->name, port->name);
        status = fail_at(graph, node, "", err, &sentence);
    }
    return status;
}

/* A node without a step: its inputs are looked up all the same, so that every mistake is reported.
 */
static ct_status link_broken(ct_graph *graph, ct_node *node, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *input = ct_value_get(node_value(graph, node), "input");
    if (ct_value_kind(input) == CT_TEXT) return link_port(graph, node, 0, "input", input, err);
    for (size_t i = 0; ct_value_kind(input) == CT_OBJECT && i < ct_value_count(input); i++) {
        ct_text key = {0};
        ct_text_add(&key, "input/%s", ct_value_key(input, i));
        if (link_port(graph, node, 0, key.data, ct_value_at(input, i), err)) status = CT_INVALID;
        ct_text_free(&key);
    }
    return status;
}

/* Says one cycle among the nodes that could not be placed. */
static ct_status say_cycle(const ct_graph *graph, const int *place, ct_error *err)
{
    int at = 0;
    while (place[at] >= 0)
        at++;
    for (int i = 0; i < graph->count; i++) { /* walks upstream until it is surely on a cycle */
        const ct_node *node = &graph->nodes[at];
        for (int p = 0; p < CT_PORTS; p++)
            if (node->input[p].node >= 0 && place[node->input[p].node] < 0) {
                at = node->input[p].node;
                break;
            }
    }
    ct_text sentence = {0};
    ct_text_add(&sentence, "the nodes feed each other in a cycle: %s", graph->nodes[at].name);
    int walk = at;
    do {
        const ct_node *node = &graph->nodes[walk];
        for (int p = 0; p < CT_PORTS; p++)
            if (node->input[p].node >= 0 && place[node->input[p].node] < 0) {
                walk = node->input[p].node;
                break;
            }
        ct_text_add(&sentence, " <- %s", graph->nodes[walk].name);
    } while (walk != at);
    return fail_at(graph, &graph->nodes[at], "input", err, &sentence);
}

static bool is_ready(const ct_node *node, const int *place)
{
    for (int p = 0; p < CT_PORTS; p++)
        if (node->input[p].node >= 0 && place[node->input[p].node] < 0) return false;
    return true;
}

/* Puts producers before users, otherwise in the pipeline's own order. */
static ct_status sort_nodes(ct_graph *graph, ct_error *err)
{
    size_t count = (size_t)graph->count;
    ct_status status = CT_OK;
    int placed = 0, before = -1;
    int *place = ct_memory_get(sizeof *place * (count + 1));
    ct_node *sorted = ct_arena_get(graph->arena, sizeof *sorted * (count + 1));
    CT_NEED(place, sizeof *place * (count + 1), err);
    CT_TRY(ct_arena_check(graph->arena, err));
    memset(place, -1, sizeof *place * (count + 1));
    while (placed > before) {
        before = placed;
        for (int i = 0; i < graph->count; i++)
            if (place[i] < 0 && is_ready(&graph->nodes[i], place)) {
                sorted[placed] = graph->nodes[i];
                place[i] = placed++;
            }
    }
    if (placed < graph->count) {
        status = say_cycle(graph, place, err);
    } else {
        for (int i = 0; i < graph->count; i++)
            for (int p = 0; p < CT_PORTS; p++)
                if (sorted[i].input[p].node >= 0)
                    sorted[i].input[p].node = place[sorted[i].input[p].node];
        graph->nodes = sorted;
    }
out:
    ct_memory_free(place);
    return status;
}

static ct_status link_nodes(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < graph->count; i++) {
        ct_node *node = &graph->nodes[i];
        if ((node->step ? link_node(graph, node, err) : link_broken(graph, node, err)) == CT_OK)
            continue;
        node->broken = true;
        status = CT_INVALID;
    }
    return status;
}

ct_status ct_graph_nodes(ct_graph *graph, bool *sorted, ct_error *err)
{
    ct_status made = nodes_new(graph, err);
    *sorted = false;
    if (made == CT_FAILED) return made;
    ct_status linked = link_nodes(graph, err);
    ct_status layouts = ct_graph_layouts(graph, err);
    ct_status tunables = ct_graph_tunables(graph, err);
    ct_status order = sort_nodes(graph, err);
    *sorted = order == CT_OK;
    if (order == CT_FAILED) return order;
    return made || linked || layouts || tunables || order ? CT_INVALID : CT_OK;
}
