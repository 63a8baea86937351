/* choose_usual.c: layouts by rule: what is pinned, else what the readers prefer, else what the
 * writer does. So plans are where there are no prices, and files everywhere. Room: tuner/choose.
 * Knows graphs, patterns and preferences. Does not know what anything costs. */
#include "choose_inner.h"

#include <string.h>

#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "plan.h"

/* The layout that a reader of this output wants: rank 0 where any will do. */
static ct_layout ask_reader(const ct_node *reader, int port, const char **reason)
{
    if (port == 0 && reader->read.rank) {
        *reason = "the reader's is pinned";
        return reader->read;
    }
    *reason = "the reader prefers it";
    return ct_step_prefer(reader->step, port);
}

/* Of all readers, the first with a wish decides (pinned before preferred). */
static ct_layout ask_readers(const ct_graph *graph, int node, int port, const char **reason)
{
    ct_layout wish = {0};
    bool pinned = false;
    for (int n = node + 1; n < graph->count; n++)
        for (int p = 0; p < CT_PORTS; p++) {
            const ct_node *reader = &graph->nodes[n];
            if (reader->input[p].node != node || reader->input[p].port != port) continue;
            const char *why = NULL;
            ct_layout asked = ask_reader(reader, p, &why);
            bool now = p == 0 && reader->read.rank;
            if (asked.rank == 0 || (wish.rank && (pinned || !now))) continue;
            wish = ct_layout_fit(&graph->nodes[node].step->port[port], "*", &asked);
            pinned = now;
            *reason = why;
        }
    return wish;
}

static void choose_write(const ct_graph *graph, int n, int port, ct_choice *choice)
{
    const ct_node *node = &graph->nodes[n];
    const ct_array *array = &node->step->port[port];
    const char *pattern = node->step->stage->ports[port].layout;
    const char *reason = NULL;
    char own[CT_STEP_PATTERN];
    if (port == ct_step_first_output(node->step) && node->write.rank) {
        choice->layout[port] = node->write;
        choice->reason[port] = "pinned";
        return;
    }
    if (array->layout.rank) {
        choice->layout[port] = array->layout;
        choice->reason[port] = "as the file has it";
        return;
    }
    ct_layout wish = ask_readers(graph, n, port, &reason);
    const bool same = pattern && *pattern == '=';
    if (wish.rank == 0) {
        wish = ct_step_prefer(node->step, port);
        reason = wish.rank ? "the writer prefers it" : "natural order";
    }
    if (same) {
        wish = choice->layout[ct_step_find_port(node->step, pattern + 1)];
        reason = "as it reads";
    }
    choice->layout[port] =
        ct_layout_fit(array, same ? "*" : ct_step_pattern(node->step, port, own), &wish);
    choice->reason[port] = reason;
}

static void choose_read(const ct_graph *graph, const ct_choice *choices, int n, int port,
                        ct_choice *choice)
{
    const ct_node *node = &graph->nodes[n];
    ct_link link = node->input[port];
    const char *pattern = node->step->stage->ports[port].layout;
    const ct_layout *written = &choices[link.node].layout[link.port];
    char own[CT_STEP_PATTERN];
    choice->layout[port] = *written;
    choice->reason[port] = "as written";
    if (port == 0 && node->read.rank) {
        choice->layout[port] = node->read;
        choice->reason[port] = "pinned";
    } else if (pattern && *pattern != '=' &&
               !ct_layout_matches(written, ct_step_pattern(node->step, port, own))) {
        choice->layout[port] = ct_layout_fit(&node->step->port[port], own, written);
        choice->reason[port] = "the stage needs it";
    }
}

static void choose_table(const ct_node *node, int port, ct_choice *choice)
{
    const ct_port *declared = &node->step->stage->ports[port];
    char own[CT_STEP_PATTERN];
    const ct_layout wish = ct_step_prefer(node->step, port);
    choice->layout[port] =
        ct_layout_fit(&node->step->port[port], ct_step_pattern(node->step, port, own), &wish);
    choice->reason[port] = declared->direction == CT_TABLE ? "a table" : "between launches";
}

static void choose_node(const ct_graph *graph, ct_choice *choices, int n)
{
    const ct_node *node = &graph->nodes[n];
    for (int p = 0; p < ct_step_ports(node->step); p++)
        if (node->input[p].node >= 0) choose_read(graph, choices, n, p, &choices[n]);
    for (int p = 0; p < ct_step_ports(node->step); p++) {
        ct_direction direction = node->step->stage->ports[p].direction;
        if (node->step->port[p].type == CT_NONE) continue;
        if (direction == CT_OUT) choose_write(graph, n, p, &choices[n]);
        if (direction == CT_TABLE || direction == CT_SCRATCH) choose_table(node, p, &choices[n]);
    }
}

/* A file has the layout that it has where no nodes are fused. */
static void keep_files(const ct_graph *graph, ct_choice *choices, const ct_choice *apart)
{
    for (int n = 0; n < graph->count; n++) {
        const int other = ct_graph_find(graph->of, graph->nodes[n].name);
        if (other < 0 || ct_role_of(graph->nodes[n].step) != CT_ROLE_SINK) continue;
        memcpy(choices[n].layout, apart[other].layout, sizeof choices[n].layout);
    }
}

ct_status ct_choose_usual(ct_choice *choices, const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    ct_choice *apart = NULL;
    for (int n = 0; n < graph->count; n++)
        choose_node(graph, choices, n);
    if (!graph->of) return CT_OK;
    const size_t bytes = sizeof *apart * (size_t)graph->of->count;
    apart = ct_memory_get(bytes);
    CT_NEED(apart, bytes, err);
    CT_TRY(ct_choose_usual(apart, graph->of, err));
    keep_files(graph, choices, apart);
out:
    ct_memory_free(apart);
    return status;
}
