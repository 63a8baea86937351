/* explain_inner.h: what the files of explain use together. Room: tuner/explain. */
#ifndef CT_TUNER_EXPLAIN_INNER_H
#define CT_TUNER_EXPLAIN_INNER_H
#include "explain_columns.h"
#include "plan.h"

void ct_explain_json(ct_text *json, const ct_plan *plan);
void ct_explain_bytes(char out[32], double bytes); /* "1.5 MiB" */
void ct_explain_bytes_cell(ct_columns *columns, int column, double bytes);

/* What a plan says of its tuning: a line; members of the whole. Nothing of others. */
void ct_explain_tuned(ct_text *text, const ct_plan *plan);
void ct_explain_tuned_json(ct_text *json, const ct_plan *plan);

/* What exchanges send, and what is predicted of a plan: a table, nothing without; */
void ct_explain_forecast(ct_text *text, const ct_plan *plan);
void ct_explain_forecast_json(ct_text *json, const ct_plan *plan); /* members of the whole, */
void ct_explain_forecast_step(ct_text *json, const ct_plan *plan, int step); /* of a step; */
/* further lines of a label. */
void ct_explain_forecast_dot(ct_text *text, const ct_plan *plan, int step);

#endif
