/* stage_check.h: a stage's descriptor before any step is made of it.
 * Room: core/stage. Knows what a descriptor may say. Does not know where stages come from. */
#ifndef CT_CORE_STAGE_CHECK_H
#define CT_CORE_STAGE_CHECK_H
#include "cornerturn_stage.h"
#include "description.h"
#include "memory.h"

/* Whether a descriptor is one that the library can work with: every mistake that can be seen
 * without data. CT_INVALID says which of them comes first. */
ct_status ct_stage_check(const ct_stage *stage, ct_error *err);
/* The same of one that was read from a file: sentences say where in it, and all of them come. */
ct_status ct_stage_check_file(const ct_stage *stage, const ct_description *description,
                              ct_error *err);
/* A copy that needs nothing of the caller's but its functions: texts and tables live as `arena`. */
const ct_stage *ct_stage_copy(ct_arena *arena, const ct_stage *stage);

#endif
