/* explain_forecast.h: what exchanges send, and what is predicted of a plan, for explain_plan.c.
 * Room: tuner/explain. */
#ifndef CT_TUNER_EXPLAIN_FORECAST_H
#define CT_TUNER_EXPLAIN_FORECAST_H
#include "plan.h"

void ct_explain_forecast(ct_text *text, const ct_plan *plan);      /* a table; nothing without */
void ct_explain_forecast_json(ct_text *json, const ct_plan *plan); /* members of the whole */
void ct_explain_forecast_step(ct_text *json, const ct_plan *plan, int step); /* of a step */
void ct_explain_forecast_dot(ct_text *text, const ct_plan *plan,
                             int step);            /* further lines of a label */
void ct_explain_bytes(char out[32], double bytes); /* "1.5 MiB" */

#endif
