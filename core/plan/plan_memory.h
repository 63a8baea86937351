/* plan_memory.h: which edges share memory.
 * Room: core/plan. Order: after all steps are placed and all arrays have their strides. */
#ifndef CT_CORE_PLAN_MEMORY_H
#define CT_CORE_PLAN_MEMORY_H
#include "plan.h"

/* Which steps work on earlier blocks, so that exchanges overlap them. Before ct_plan_memory. */
void ct_plan_overlap(ct_plan *plan);
/* Gives every edge a slot so that no two edges that live at once share one; sets slot_bytes and
 * device_bytes. */
ct_status ct_plan_memory(ct_plan *plan, ct_error *err);

#endif
