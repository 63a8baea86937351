/* infer_flags.h: which channels are flagged together, from node to node, and ports that nobody
 * needs. Room: core/graph. */
#ifndef CT_CORE_INFER_FLAGS_H
#define CT_CORE_INFER_FLAGS_H
#include "graph.h"

/* A flags port that the pipeline leaves open has the run's, of channels where these are not all
 * flagged together; after one that is given flags of channels each channel is for itself. */
ct_status ct_infer_flags_in(ct_node *node, ct_error *err);
/* Likewise after a stage that gives flags of channels. */
ct_status ct_infer_flags_out(ct_node *node, ct_error *err);
/* Optional outputs that no node reads are not made; of a stage that leaves out what is flagged, and
 * has such, the flags port is there for their sake. */
void ct_infer_unused(const ct_graph *graph, ct_node *node);

#endif
