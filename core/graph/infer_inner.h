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

/* What a pass is for. */
typedef enum ct_pass {
    CT_PASS_GROW, /* to find how the block must grow so that all divides, up to a limit */
    CT_PASS_FIXED /* the block stays */
} ct_pass;

/* ---- infer_take.c: samples that a node takes each time, and when */

/* Takes the shapes of what comes in; returns the samples along T to which inputs are regrouped,
 * since they do not come in the same numbers at the same times; 0: they do. */
int64_t ct_infer_inputs(const ct_graph *graph, ct_node *node);
/* Samples of the sources in one sample of an input; 0: none. */
int64_t ct_infer_sample(const ct_graph *graph, const ct_node *node, int port);
/* Input samples along T that a stage takes at once, or a multiple of these. */
int64_t ct_infer_unit(const ct_step *step);
/* The factor by which the block must grow for this node (1: it fits, or *take is set: to so many
 * samples its inputs are to be regrouped). */
int64_t ct_infer_fit(const ct_graph *graph, const ct_node *node, ct_pass pass, int64_t *take);
/* The filter banks whose channels the block has to divide by. */
void ct_infer_say_banks(ct_text *out, const ct_graph *graph);
/* All inputs along T are regrouped to so many samples. */
void ct_infer_regroup(const ct_graph *graph, ct_node *node, int64_t take);
/* When it takes data, and gives them: once its shapes are known. */
void ct_infer_clock(ct_graph *graph, ct_node *node);

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
