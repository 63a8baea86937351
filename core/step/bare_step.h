/* bare_step.h: a step of which only the names are used, without parameters and shapes, for the
 * checks of its stage's descriptor. Room: core/step. */
#ifndef CT_CORE_BARE_STEP_H
#define CT_CORE_BARE_STEP_H
#include "expr.h"
#include "step.h"

ct_status ct_step_bare(ct_step **out, const ct_stage *stage, ct_error *err);
/* The names that a stage's expressions may use. */
ct_names ct_step_names(const ct_step *step);
/* Whether some port may have this dimension. */
bool ct_port_any_has(const ct_step *step, char letter);
/* Checks these parameters as those of a node that stands there; adds every error. */
ct_status ct_param_check_given(ct_step *step, const ct_value *given,
                               const ct_source_location *location, ct_error *err);
bool ct_param_is_known(const char *const *known, const char *key);

#endif
