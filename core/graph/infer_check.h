/* infer_check.h: what a node is checked for once its shapes are known. Each adds its sentences and
 * returns CT_INVALID where something cannot be.
 * Room: core/graph. */
#ifndef CT_CORE_INFER_CHECK_H
#define CT_CORE_INFER_CHECK_H
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

#endif
