/* plan_exchanges.c: a rank's ranges of each node, and the exchanges between nodes that are split in
 * different ways. Room: core/plan. Knows partitions. Does not know how they were chosen. */
#include <string.h>

#include "exchange.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "plan_builder.h"
#include "step_range.h"

static void take_sink_ranges(ct_step *step, const ct_partition *partition, int rank)
{
    int64_t first[CT_DIMS], count[CT_DIMS];
    const ct_array whole = step->port[0];
    ct_partition_box(partition, &whole, rank, first, count);
    for (int k = 0; k < whole.rank && partition->axes > 0; k++)
        if (count[k] < whole.extent[k]) ct_step_set_range(step, whole.dim[k], first[k], count[k]);
}

/* The node's step, or the ranges of it that are this rank's. */
ct_status ct_plan_own_step(const ct_plan_builder *b, int n, ct_step **out)
{
    ct_status status = CT_OK;
    const ct_partition *partition = b->partition ? &b->partition[n] : NULL;
    CT_TRY(ct_step_copy(out, b->graph->nodes[n].step, b->err));
    if (ct_role_of(*out) == CT_ROLE_SINK) {
        if (partition) take_sink_ranges(*out, partition, b->graph->ranks->rank);
        return CT_OK;
    }
    for (int w = 0; partition && w < partition->axes; w++) {
        int64_t first, count;
        ct_partition_range(partition, w, b->graph->ranks->rank, &first, &count);
        if (count < partition->axis[w].indices)
            ct_step_set_range(*out, partition->axis[w].dim, first, count);
    }
out:
    return status;
}

/* ---- exchanges */

/* An edge that an exchange has made of this one for such a reader, in this layout (NULL: any); -1
 * none. */
static int find_exchanged(const ct_plan_builder *b, int edge, const ct_layout *layout,
                          const ct_partition *to, const ct_array *whole)
{
    for (int e = 0; e < b->plan->edge_count; e++) {
        const ct_plan_exchanged *made = &b->exchanged[e];
        if (made->to && made->from == edge &&
            (!layout || ct_layout_equal(&b->plan->edges[e].array.layout, layout)) &&
            made->to->root == to->root &&
            ct_partition_serves(made->to, to, whole, b->graph->ranks->size))
            return e;
    }
    return -1;
}

static ct_status insert_exchange(ct_plan_builder *b, int edge, const ct_layout *layout,
                                 ct_link reader, const ct_array *whole, int *out)
{
    ct_status status = CT_OK;
    ct_plan *plan = b->plan;
    const ct_link from = b->graph->nodes[reader.node].input[reader.port];
    const ct_partition *to = &b->input_partition[reader.node];
    int64_t first[CT_DIMS], count[CT_DIMS];
    char text[CT_PARTITION_TEXT];
    const int at = plan->count;
    const char *name = ct_arena_print(plan->arena, "%s>%s %s", plan->edges[edge].name, layout->dim,
                                      ct_partition_print(text, to));
    ct_plan_step *step = ct_plan_step_new(b, name ? name : "", -1);
    CT_TRY(ct_step_new(&step->step, &ct_exchange_stage, step->name, NULL, NULL, NULL, b->err));
    step->step->port[0] = plan->edges[edge].array;
    step->step->decimate = step->step->accumulate = 1;
    CT_TRY(ct_step_infer(step->step, b->err));
    ct_partition_box(to, whole, b->graph->ranks->rank, first, count);
    memcpy(step->step->port[1].extent, count, sizeof count);
    ct_array_dense(&step->step->port[1], NULL);
    CT_TRY(
        ct_exchange_set(step->step, b->graph->ranks, whole, &b->partition[from.node], to, b->err));
    step->clock = b->graph->nodes[from.node].out_clock;
    step->reader = reader;
    step->edge[0] = edge;
    step->reason[0] = step->reason[1] = "parts move between ranks";
    plan->edges[edge].last = at;
    *out = step->edge[1] = ct_plan_edge_new(b, &step->step->port[1], layout,
                                            b->choices[reader.node].copy[reader.port].rows, at, 1);
    plan->edges[*out].name = name;
    b->exchanged[*out] = (ct_plan_exchanged){edge, to};
out:
    return status;
}

ct_status ct_plan_exchange(ct_plan_builder *b, int n, int port, bool *done, int *edge)
{
    const ct_link link = b->graph->nodes[n].input[port];
    const int written = b->written[link.node * CT_PORTS + link.port];
    const ct_layout *layout = &b->choices[n].layout[port];
    ct_array whole = b->graph->nodes[link.node].step->port[link.port];
    *done = false;
    if (!b->partition) return CT_OK;
    ct_array_dense(&whole, NULL);
    if (ct_partition_serves(&b->partition[link.node], &b->input_partition[n], &whole,
                            b->graph->ranks->size))
        return CT_OK;
    if (layout->rank == 0) layout = &b->plan->edges[written].array.layout;
    *done = true;
    *edge = find_exchanged(b, written, layout, &b->input_partition[n], &whole);
    if (*edge < 0) *edge = find_exchanged(b, written, NULL, &b->input_partition[n], &whole);
    if (*edge >= 0) return CT_OK;
    return insert_exchange(b, written, layout, (ct_link){n, port}, &whole, edge);
}
