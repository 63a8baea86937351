/* splits.h: the search for splits over ranks. Room: tuner/pipeline. */
#ifndef CT_TUNER_SPLITS_H
#define CT_TUNER_SPLITS_H
#include "plan_cost.h"
#include "plan_partitions.h"

enum { CT_SPLITS_TRY_ALL = 2000 };

typedef struct ct_splits_job {
    const ct_graph *graph; /* with its ranks */
    const ct_device *device;
    const char *text, *name; /* of a plan of one process, as JSON; what messages call it */
    int ranks;
    const ct_plan_known *known;
    int64_t memory; /* that the first rank may take, which has as much as any; 0: no limit */
    int try_all;    /* choices of splits: so many or fewer are all tried, in some seconds */
} ct_splits_job;

/* The plan whose foretold block takes least; of equals the rule's. *rule_s: what the rule's takes,
 * INFINITY where that does not fit; *all: all choices were tried, so there is no better one. */
ct_status ct_splits_search(ct_plan **out, const ct_splits_job *job, double *rule_s, bool *all,
                           ct_error *err);
/* What a block takes, s; without what is unknown. */
double ct_splits_seconds(const ct_plan *plan);

#endif
