/* choose.h: the plan of a pipeline for which nothing was measured.
 * Room: tuner/choose. */
#ifndef CT_TUNER_CHOOSE_H
#define CT_TUNER_CHOOSE_H
#include "plan.h"
#include "text.h"

/* As ct_plan_default, of this graph as it is: no nodes are fused. priced: for a device that there
 * are prices for. */
ct_status ct_choose_plan(ct_plan **out, const ct_graph *graph, const ct_device *device, bool priced,
                         ct_error *err);
/* NULL: a CPU. */
bool ct_choose_has_prices(const ct_device *device);
/* Adds lines: what the plan's steps are expected to take, and what the next best choice of layouts
 * and fusion would. Nothing where there are no prices. */
void ct_choose_say(ct_text *out, const ct_plan *plan);

#endif
