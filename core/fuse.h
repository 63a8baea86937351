/* fuse.h: two nodes in a row become one, where a stage does the work of both in one pass.
 * Room: core. Called by core/graph.c after constants are put in, before steps are made. */
#ifndef CT_CORE_FUSE_H
#define CT_CORE_FUSE_H
#include "graph.h"

/* For every node with "fuse": true: finds the stage whose `fuses` names its producer's stage and
 * its own, and replaces graph->root by a pipeline in which one node has both nodes' parameters. */
ct_status ct_fuse_graph(ct_graph *graph, ct_error *err);

#endif
