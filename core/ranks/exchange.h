/* exchange.h: a step that brings an array from the parts that ranks have to other parts, in any
 * order of dimensions: what the ranks' kernels are to read next. It stands in plans as a transpose
 * does. Room: core/ranks. Knows shares and copies. Does not know graphs or plans. */
#ifndef CT_CORE_EXCHANGE_H
#define CT_CORE_EXCHANGE_H
#include "share.h"
#include "step.h"

/* X: what this rank has; Y: what it gets. Made with ct_step_new; the shapes are set by hand. */
extern const ct_stage ct_exchange_stage;

/* Tells a step of that stage who has what; `whole`: the array as all ranks together have it, dense.
 * The memory is the step's. */
ct_status ct_exchange_set(ct_step *step, const ct_ranks *ranks, const ct_array *whole,
                          const ct_share *from, const ct_share *to, ct_error *err);
bool ct_exchange_is(const ct_step *step);
/* What travels: bytes that this rank sends to others and gets from them in one firing, and over the
 * busiest link. */
void ct_exchange_bytes(const ct_step *step, int64_t *sent, int64_t *received, int64_t *link);

#endif
