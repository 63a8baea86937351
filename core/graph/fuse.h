/* fuse.h: two nodes in a row become one, where a stage does the work of both in one pass.
 * Room: core/graph. Called by core/graph.c after constants are put in, before steps are made; by
 * core/explain.c and tuners to learn what could be fused. */
#ifndef CT_CORE_FUSE_H
#define CT_CORE_FUSE_H
#include "graph.h"

/* For every node with "fuse": true: finds the stage whose `fuses` names its producer's stage and
 * its own, and replaces graph->root by a pipeline in which one node has both nodes' parameters. */
ct_status ct_fuse_graph(ct_graph *graph, ct_error *err);

/* A pair that is not fused and could be. Names live as the graph. */
typedef struct ct_fusion {
    const char *producer, *consumer; /* nodes: "fuse": true on the consumer joins them */
    const char *stage;               /* that does both */
} ct_fusion;

/* All such pairs: one reader only, nothing pinned in between, and the fused stage takes both nodes'
 * parameters and shapes (each is tried). How many there are; up to `room` of them in out[]. */
size_t ct_fuse_list(const ct_graph *graph, ct_fusion *out, size_t room);
/* The same pipeline with this node fused into the one in front of it: a graph of its own. */
ct_status ct_fuse_apply(ct_graph **out, const ct_graph *graph, const char *consumer, ct_error *err);

#endif
