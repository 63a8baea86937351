/* block.h: how many samples a block has where the pipeline leaves that open.
 * Room: core/graph. */
#ifndef CT_CORE_BLOCK_H
#define CT_CORE_BLOCK_H
#include "graph.h"

/* Bytes of every array of the graph, history before the block included, at its present block:
 * [node * CT_PORTS + port], 0 for inputs, which are some output, unless they are regrouped.
 * Released with ct_memory_free. */
ct_status ct_block_bytes(double **out, const ct_graph *graph, ct_error *err);

/* The longest block, a multiple of `grain`, whose arrays fit; as of ct_block_choose. */
int64_t ct_block_room(const ct_graph *graph, int64_t grain, const double *one, const double *two);

/* The block, a multiple of `grain`: the whole input where it fits, else as much as fits; at least
 * so much that history is a small share of it, where that still fits in more room. `one`, `two`:
 * bytes at blocks of `grain` and of 2 * grain, at which graph->block is now. Only what grows with
 * the block counts against the room: tables and histories are as large in small blocks. */
int64_t ct_block_choose(const ct_graph *graph, int64_t grain, const double *one, const double *two);

#endif
