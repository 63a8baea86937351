/* infer_inner.h: what is done with a node when shapes are inferred. Checks add their sentences and
 * return CT_INVALID where something cannot be. Room: core/graph. */
#ifndef CT_CORE_INFER_INNER_H
#define CT_CORE_INFER_INNER_H
#include "graph.h"

/* Samples at the start of a step's input that give no output. */
static inline int64_t ct_infer_overlap(const ct_step *step)
{
    return step->overlap_kind == CT_VALID ? step->overlap : 0;
}

ct_status ct_infer_check_times(const ct_graph *graph, const ct_node *node, ct_error *err);
ct_status ct_infer_check_flags(const ct_node *node, ct_error *err);
ct_status ct_infer_check_sizes(const ct_node *node, ct_error *err);
ct_status ct_infer_check_length(const ct_graph *graph, const ct_node *node, ct_error *err);
ct_status ct_infer_check_pins(ct_node *node, ct_error *err);
/* infer_splits.c: sets the node's `split` from what is pinned; CT_INVALID where its stage cannot be
 * split so. */
ct_status ct_infer_splits(ct_node *node, ct_error *err);

/* ---- infer_flags.c: which channels are flagged together, and ports that no node needs */

/* A flags port that the pipeline leaves open has the run's, of channels where these are not all
 * flagged together; after one that is given flags of channels each channel is for itself. */
ct_status ct_infer_flags_in(ct_node *node, ct_error *err);
/* Likewise after a stage that gives flags of channels. */
ct_status ct_infer_flags_out(ct_node *node, ct_error *err);
/* Optional outputs that no node reads are not made; of a stage that leaves out what is flagged, and
 * has such, the flags port is there for their sake. */
void ct_infer_unused(const ct_graph *graph, ct_node *node);

#endif
