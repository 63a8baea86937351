/* plan_adapt.h: the text of a plan as another pipeline with the same graph of stages needs it:
 * nodes have their names there, sources are those that there are, and sinks write the order that
 * they have without a plan. Room: tuner/store. Knows plans' files. Does not know which plan is
 * taken, nor whether it fits. */
#ifndef CT_TUNER_PLAN_ADAPT_H
#define CT_TUNER_PLAN_ADAPT_H
#include "graph_key.h"
#include "plan.h"
#include "text.h"

typedef struct ct_plan_adapt {
    const ct_graph_key *key, *here; /* of the plan's pipeline, of the one that needs it */
    const int *other;               /* ct_graph_key_compare */
    const ct_plan *usual;           /* what that one would take by default */
} ct_plan_adapt;

ct_status ct_plan_adapt_text(ct_text *out, const ct_value *plan, const ct_plan_adapt *adapt,
                             ct_error *err);

#endif
