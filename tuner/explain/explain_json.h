/* explain_json.h: a plan as JSON, for explain_plan.c.
 * Room: tuner/explain. */
#ifndef CT_TUNER_EXPLAIN_JSON_H
#define CT_TUNER_EXPLAIN_JSON_H
#include "plan.h"

void ct_explain_json(ct_text *json, const ct_plan *plan);

#endif
