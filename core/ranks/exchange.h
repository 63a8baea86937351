/* exchange.h: a step that brings an array from the ranges that ranks have to other ranges, in any
 * order of dimensions: what the ranks' kernels will read next. It stands in plans as a transpose
 * does. Room: core/ranks. Knows partitions and copies. Does not know graphs or plans. */
#ifndef CT_CORE_EXCHANGE_H
#define CT_CORE_EXCHANGE_H
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "partition.h"
#include "step.h"

/* X: what this rank has; Y: what it gets. Made with ct_step_new; the shapes are set by hand. */
extern const ct_stage ct_exchange_stage;

/* Sets what each rank has of a step of that stage; `whole`: the array as all ranks together have
 * it, dense. The memory is the step's. */
ct_status ct_exchange_set(ct_step *step, const ct_ranks *ranks, const ct_array *whole,
                          const ct_partition *from, const ct_partition *to, ct_error *err);
bool ct_exchange_is(const ct_step *step);
/* One firing in steps, where a block is sent while others are computed; `state`: of the step's
 * program, which then does not enqueue it. All ranks call them for the same blocks in the same
 * order. agree: all meet before the first block; map_arrays: after all that is on the queue;
 * transfer_overlapped: in any one thread, which sleeps while it waits; unmap_arrays. Where an array
 * could not be mapped, undefined values are sent, and what comes for it is dropped. */
ct_status ct_exchange_agree(void *state, ct_error *err);
ct_status ct_exchange_map_arrays(void *state, void *queue, void *const mem[], ct_error *err);
ct_status ct_exchange_transfer_overlapped(void *state, ct_error *err);
ct_status ct_exchange_unmap_arrays(void *state, ct_error *err);
/* Bytes that this rank sends to others and gets from them in one firing, and over the
 * busiest link. */
void ct_exchange_bytes(const ct_step *step, int64_t *sent, int64_t *received, int64_t *link);

#endif
