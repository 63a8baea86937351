/* graph_list.c: a graph's nodes and links, one by one, for programs.
 * Room: core/graph. */
#include "graph.h"

const ct_step *ct_graph_step_at(const ct_graph *graph, size_t n)
{
    return n < (size_t)graph->count ? graph->nodes[n].step : NULL;
}

const ct_step *ct_graph_input(const ct_graph *graph, size_t n, const char *port,
                              const char **from_port)
{
    if (n >= (size_t)graph->count) return NULL;
    const int p = ct_step_find_port(graph->nodes[n].step, port);
    const ct_link link = p < 0 ? (ct_link){-1, -1} : graph->nodes[n].input[p];
    if (link.node < 0) return NULL;
    const ct_step *from = graph->nodes[link.node].step;
    if (from_port) *from_port = from->stage->ports[link.port].name;
    return from;
}
