/* block.h: how many samples a block has where the pipeline leaves that open.
 * Room: core/graph. */
#ifndef CT_CORE_BLOCK_H
#define CT_CORE_BLOCK_H
#include "graph.h"

/* Bytes of every array of the graph, history before the block included, at its present block:
 * [node * CT_PORTS + port], 0 for inputs, which are some output, unless they are regrouped.
 * Released with ct_memory_free. */
ct_status ct_block_bytes(double **out, const ct_graph *graph, ct_error *err);

/* Up to how many samples a block grows so that all divides; as of ct_block_choose. */
int64_t ct_block_room(const ct_graph *graph, int64_t grain, const double *one, const double *two);

/* The block, a multiple of `grain`: a part of a short input, else as much as takes little memory;
 * at least so much that moving history costs little, where that still fits. `one`, `two`: bytes at
 * blocks of `grain` and of 2 * grain, at which graph->block is now. Only what grows with the block
 * counts: tables and histories are as large in small blocks. */
int64_t ct_block_choose(const ct_graph *graph, int64_t grain, const double *one, const double *two);

#endif
