/* graph_nodes.h: the nodes of a graph: making, connecting, sorting.
 * Room: core/graph. */
#ifndef CT_CORE_GRAPH_NODES_H
#define CT_CORE_GRAPH_NODES_H
#include "graph.h"

/* Fills graph->nodes from graph->root, in running order. *sorted: there is such an order, so that
 * the shapes of nodes that are not broken can be inferred even where others failed. */
ct_status ct_graph_nodes(ct_graph *graph, bool *sorted, ct_error *err);
/* Adds the files of "stages" to the graph's context. */
ct_status ct_graph_stages(ct_graph *graph, ct_error *err);
/* Reads "tunables" of every node into its pins. */
ct_status ct_graph_tunables(ct_graph *graph, ct_error *err);
/* Reads "layout" of every node into read[] and write[] pins. */
ct_status ct_graph_layouts(ct_graph *graph, ct_error *err);

/* Of a graph: whether its steps may wait for data; opens its pipes (ct_source_location). */
bool ct_graph_may_wait(void *graph);
/* Of a graph, graph_probe.c: which range this rank probes, and what the others have found
 * (ct_source_location). */
void ct_graph_probe_range(void *graph, const ct_step *step, ct_probe *probe);
ct_status ct_graph_probe_allgather(void *graph, const ct_probe *probe, ct_status mine,
                                   void *records, size_t bytes, ct_error *err);

/* Of a graph, graph_between.c: stages that would fit between two nodes (ct_source_location). */
const char *ct_graph_between(void *graph, const ct_array *there, const ct_port *needed);

ct_status ct_graph_fail(const ct_graph *graph, const char *pointer, bool key, ct_error *err,
                        const char *sentence);
ct_status ct_graph_check_key(const ct_graph *graph, const char *pointer, const char *key,
                             const char *const *known, ct_error *err);

#endif
