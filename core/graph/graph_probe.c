/* graph_probe.c: sources whose data come to one rank only: which range of them this rank probes
 * before shapes are known, and what the others have found. Room: core/graph. Knows pins. Does not
 * know what is found. */
#include "graph_nodes.h"
#include "ranks.h"

/* Whether a split is pinned that is not this one by itself. */
static bool pins_other(const ct_layout *pin, uint8_t split, char dim)
{
    for (int k = 0; k < pin->rank; k++)
        if ((split >> k & 1) && pin->dim[k] != dim) return true;
    return false;
}

void ct_graph_probe_range(void *of, const ct_step *step, ct_probe *probe)
{
    const ct_graph *graph = of;
    for (int n = 0; n < graph->count; n++) {
        const ct_node *node = &graph->nodes[n];
        if (node->step != step) continue;
        probe->divided = !pins_other(&node->read, node->read_split, probe->dim) &&
                         !pins_other(&node->write, node->write_split, probe->dim);
    }
    if (probe->divided) ct_ranks_range(graph->ranks, probe->extent, &probe->first, &probe->count);
}

ct_status ct_graph_probe_allgather(void *of, const ct_probe *probe, ct_status mine, void *records,
                                   size_t bytes, ct_error *err)
{
    const ct_graph *graph = of;
    return ct_ranks_allgather(graph->ranks, mine, probe->divided ? records : NULL, bytes,
                              probe->extent, err);
}
