/* graph_list.c: a graph's nodes and links, one by one, for programs.
 * Room: core/graph. */
#include "graph.h"

const ct_step *ct_graph_step_at(const ct_graph *graph, size_t n)
{
    if (!graph) return NULL;
    return n < (size_t)graph->count ? graph->nodes[n].step : NULL;
}
