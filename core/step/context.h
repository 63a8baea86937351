/* context.h: the stages that are known, as graphs keep them.
 * Room: core/step. Knows stages only as descriptors. */
#ifndef CT_CORE_CONTEXT_H
#define CT_CORE_CONTEXT_H
#include "cornerturn_stage.h"
#include "memory.h"

/* Keeps the context until as many ct_context_free follow. */
ct_context *ct_context_hold(ct_context *context);

/* Whether a descriptor is one that the library can work with: every mistake that can be seen
 * without data. CT_INVALID says which of them comes first. */
ct_status ct_stage_check(const ct_stage *stage, ct_error *err);

/* A copy that needs nothing of the caller's but its functions: texts and tables live as `arena`. */
const ct_stage *ct_stage_copy(ct_arena *arena, const ct_stage *stage);

#endif
