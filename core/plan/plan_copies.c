/* plan_copies.c: an input that reads another layout than was written gets a transpose of its own,
 * or reads the copy that another input has. Room: core/plan. Knows layouts and edges. Does not know
 * when a copy pays. */
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "plan_builder.h"

static const char *port_name(const ct_plan_builder *b, ct_link at)
{
    return b->graph->nodes[at.node].step->stage->ports[at.port].name;
}

/* "transposes/X" of the node's object. */
static ct_status fail_copy(const ct_plan_builder *b, ct_link reader, const char *sentence)
{
    char key[64];
    snprintf(key, sizeof key, "transposes/%s", port_name(b, reader));
    return ct_plan_fail(b, reader.node, key, "%s", sentence);
}

static int find_copy(const ct_plan_builder *b, int edge, const ct_layout *layout)
{
    for (int e = 0; e < b->plan->edge_count; e++)
        if (b->source[e] == edge && ct_layout_equal(&b->plan->edges[e].array.layout, layout))
            return e;
    return -1;
}

/* "fft>CTSP"; a second copy of this kind says whose it is: "fft>CTSP vis". */
static const char *name_copy(const ct_plan_builder *b, int edge, const ct_layout *layout, int node)
{
    const char *from = b->plan->edges[edge].name;
    bool first = find_copy(b, edge, layout) < 0;
    return ct_arena_print(b->plan->arena, "%s>%s%s%s", from, layout->dim, first ? "" : " ",
                          first ? "" : b->graph->nodes[node].name);
}

/* Inserts the step that brings `edge` into `layout`. */
static ct_status insert(ct_plan_builder *b, int edge, const ct_layout *layout, ct_link reader,
                        int *out)
{
    ct_status status = CT_OK;
    ct_plan *plan = b->plan;
    const ct_node *node = &b->graph->nodes[reader.node];
    const ct_stage *stage = ct_context_stage(b->graph->context, "transpose");
    if (!stage)
        return ct_error_add(b->err, CT_INVALID, "no stage \"transpose\" to bridge %s to %s",
                            plan->edges[edge].array.layout.dim, layout->dim);
    const char *name = name_copy(b, edge, layout, reader.node);
    int at = plan->count;
    ct_plan_step *step = ct_plan_step_new(b, name, -1);
    CT_TRY(ct_step_new(&step->step, stage, step->name, NULL, NULL, NULL, b->err));
    step->step->port[0] = plan->edges[edge].array;
    step->step->decimate = step->step->accumulate = 1;
    CT_TRY(ct_step_infer(step->step, b->err));
    step->clock = node->regroup[reader.port] > 0
                      ? node->clock
                      : b->graph->nodes[node->input[reader.port].node].out_clock;
    step->reader = reader;
    step->edge[0] = edge;
    step->reason[0] = step->reason[1] = "bridges a mismatch";
    plan->edges[edge].last = at;
    *out = step->edge[1] = ct_plan_edge_new(b, &step->step->port[1], layout,
                                            b->choices[reader.node].copy[reader.port].rows, at, 1);
    plan->edges[*out].name = name;
    b->source[*out] = edge;
    b->copied[reader.node * CT_PORTS + reader.port] = *out;
out:
    return status;
}

/* The copy that another input has made, where it is one of this array in this layout. */
static ct_status reuse(const ct_plan_builder *b, int written, const ct_layout *wanted,
                       ct_link reader, int *edge)
{
    char sentence[512];
    const ct_link with = b->choices[reader.node].copy[reader.port].with;
    const char *name = b->graph->nodes[with.node].name, *port = port_name(b, with);
    int copy = b->copied[with.node * CT_PORTS + with.port];
    *edge = copy;
    if (copy < 0)
        snprintf(sentence, sizeof sentence,
                 "found \"%s.%s\", which has no transpose of its own %s; expected an input of a "
                 "node before this one that has",
                 name, port, with.node < reader.node ? "to share" : "at this place");
    else if (b->source[copy] != written)
        snprintf(sentence, sizeof sentence,
                 "found \"%s.%s\", whose transpose is one of \"%s\"; this input reads \"%s\"", name,
                 port, b->plan->edges[b->source[copy]].name, b->plan->edges[written].name);
    else if (!ct_layout_equal(&b->plan->edges[copy].array.layout, wanted))
        snprintf(sentence, sizeof sentence,
                 "found \"%s.%s\", whose transpose is in %s; this input reads %s", name, port,
                 b->plan->edges[copy].array.layout.dim, wanted->dim);
    else
        return CT_OK;
    return fail_copy(b, reader, sentence);
}

/* An array is sent once; a reader that needs another order transposes what has come. */
static ct_status connect_exchanged(ct_plan_builder *b, const ct_layout *wanted, ct_link reader,
                                   int *edge)
{
    const int come = *edge;
    if (wanted->rank == 0 || ct_layout_equal(wanted, &b->plan->edges[come].array.layout))
        return CT_OK;
    *edge = find_copy(b, come, wanted);
    return *edge >= 0 ? CT_OK : insert(b, come, wanted, reader, edge);
}

/* Over ranks the other input may have an exchange where the plan has seen a transpose, and with
 * another block one of the two may have its samples gathered. */
static bool is_shared(const ct_plan_builder *b, int n, int port)
{
    const ct_copy_choice *copy = &b->choices[n].copy[port];
    const ct_node *with = copy->kind == CT_COPY_SHARED ? &b->graph->nodes[copy->with.node] : NULL;
    if (!with || b->graph->nodes[n].regroup[port] > 0 || with->regroup[copy->with.port] > 0)
        return false;
    return !(b->partition && b->copied[copy->with.node * CT_PORTS + copy->with.port] < 0);
}

ct_status ct_plan_connect(ct_plan_builder *b, int n, int port, int *edge)
{
    char sentence[256];
    const ct_link link = b->graph->nodes[n].input[port], reader = {n, port};
    const ct_choice *choice = &b->choices[n];
    const ct_layout *wanted = &choice->layout[port];
    int written = b->written[link.node * CT_PORTS + link.port];
    bool exchanged = false;
    ct_status status = ct_plan_exchange(b, n, port, &exchanged, edge);
    if (!exchanged) *edge = written;
    if (status == CT_OK) status = ct_plan_regroup(b, n, port, edge);
    if (status != CT_OK) return status;
    if (exchanged) return connect_exchanged(b, wanted, reader, edge);
    written = *edge;
    const ct_layout *has = &b->plan->edges[written].array.layout;
    if (wanted->rank == 0 || ct_layout_equal(wanted, has)) {
        if (choice->copy[port].kind == CT_COPY_OPEN || b->partition) return CT_OK;
        snprintf(sentence, sizeof sentence,
                 "\"%s\" is written in %s and read in %s: there is nothing to transpose",
                 b->plan->edges[written].name, has->dim, has->dim);
        return fail_copy(b, reader, sentence);
    }
    const bool own = choice->copy[port].kind == CT_COPY_OWN;
    if (is_shared(b, n, port)) return reuse(b, written, wanted, reader, edge);
    *edge = own ? -1 : find_copy(b, written, wanted);
    return *edge >= 0 ? CT_OK : insert(b, written, wanted, reader, edge);
}
