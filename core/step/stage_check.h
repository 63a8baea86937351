/* stage_check.h: what the checks of a stage's descriptor share.
 * Room: core/step, and seen by no other. */
#ifndef CT_CORE_STEP_STAGE_CHECK_H
#define CT_CORE_STEP_STAGE_CHECK_H
#include "cornerturn_stage.h"

int ct_stage_find_port(const ct_stage *stage, const char *name); /* -1: none */
bool ct_stage_is_identifier(const char *name);
ct_status ct_stage_check_more(const ct_stage *stage, ct_error *err);

#endif
