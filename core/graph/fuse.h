/* fuse.h: two nodes in a row become one, where a stage does the work of both in one pass.
 * Room: core/graph. Order: graph.c asks for it after constants are put in, before steps are made.
 */
#ifndef CT_CORE_FUSE_H
#define CT_CORE_FUSE_H
#include "graph.h"

/* For every node with "fuse": true: finds the stage whose `fuses` names its producer's stage and
 * its own, and replaces graph->root by a pipeline in which one node has both nodes' parameters. */
ct_status ct_fuse_graph(ct_graph *graph, ct_error *err);

/* A pair that is not fused and could be. Names live as the graph. */
typedef struct ct_fusion {
    const char *producer, *consumer; /* nodes */
    const char *stage;               /* that does both */
} ct_fusion;

/* All such pairs: one reader only, nothing pinned that the fusion would do away with ("fuse": false
 * neither), and the fused stage takes both nodes' parameters and shapes (each is tried). *count:
 * how many there are; up to `room` of them in out[]. Fails for want of memory only. */
ct_status ct_fuse_list(const ct_graph *graph, ct_fusion *out, size_t room, size_t *count,
                       ct_error *err);
/* Graphs with one or more of such pairs fused, in every combination; out[*count] is the first, and
 * there are at most `room` of them with those that are there. */
ct_status ct_fuse_all(const ct_graph *graph, ct_graph **out, int room, int *count, ct_error *err);
/* The same pipeline with this node fused into the one before it: a graph of its own. Errors say the
 * pipeline's places. */
ct_status ct_fuse_apply(ct_graph **out, const ct_graph *graph, const char *consumer, ct_error *err);
/* Why the node cannot be fused into the one before it, as one sentence; "" where it can, as far as
 * can be told without trying. */
void ct_fuse_why_not(const ct_graph *graph, const char *consumer, ct_text *sentence);
/* Whether it can be, tried. Fails for want of memory only. */
ct_status ct_fuse_possible(bool *out, const ct_graph *graph, const char *consumer, ct_error *err);
/* The names of the nodes that a fused node stands for, its own not included, in the order of the
 * flow: a list; NULL for all other nodes. */
const ct_value *ct_fuse_names(const ct_graph *graph, const char *node);
/* The node that the first input comes from; NULL none. */
const char *ct_fuse_producer(const ct_graph *graph, const char *node);

#endif
