/* split_search.h: the search for splits over ranks. Room: tuner/forecast. */
#ifndef CT_TUNER_SPLIT_SEARCH_H
#define CT_TUNER_SPLIT_SEARCH_H
#include "default_split.h"
#include "forecast.h"

enum { CT_SPLIT_TRY_ALL = 2000 };

typedef struct ct_split_job {
    const ct_graph *graph; /* with its ranks */
    const ct_device *device;
    const char *text, *name; /* of a plan of one process, as JSON; what messages call it */
    int ranks;
    const ct_forecast_known *known;
    int64_t memory; /* that the first rank may take, which has as much as any; 0: no limit */
    int try_all;    /* choices of splits: so many or fewer are all tried, in some seconds */
} ct_split_job;

/* The plan whose predicted block takes least; of equals the rule's. *rule_s: what the rule's takes,
 * INFINITY where that does not fit; *all: all choices were tried, so there is no better one. */
ct_status ct_split_search(ct_plan **out, const ct_split_job *job, double *rule_s, bool *all,
                          ct_error *err);

#endif
