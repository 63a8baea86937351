/* tune_inner.h: what the parts of a tuning share.
 * Room: tuner/pipeline. Private to tune_pipeline.c (from its beginning to the final comparison) and
 * tuned_plan.c (the plan, and what is said of it). */
#ifndef CT_TUNER_TUNE_INNER_H
#define CT_TUNER_TUNE_INNER_H
#include "backend_costs.h"
#include "backend_workers.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fusion_variant.h"
#include "verdict.h"

enum { TUNE_VARIANTS = 8 };

typedef struct ct_tune_state {
    ct_tune options;
    const ct_graph *graph;
    ct_context *context;
    ct_backend_costs *costs;
    ct_backend_workers *workers;
    ct_value *costs_root;
    ct_text key; /* of the device, as JSON */
    ct_tuning_journal *journal;
    bool priced;                               /* the device is one that there are prices for */
    ct_fusion_variant *variant[TUNE_VARIANTS]; /* the first: what the default plan is of */
    ct_tuner *tuner[TUNE_VARIANTS];
    int variants;
    bool whole[TUNE_VARIANTS]; /* its search came to its end */
    bool complete;             /* all of them did */
    ct_candidate chosen;
    ct_verdict verdict;
    ct_verdict_block block; /* that was chosen in place of the default's */
} ct_tune_state;

/* The chosen plan, with what the tuning says of it. */
ct_status ct_tuned_plan(ct_tune_state *t, ct_plan **out, const char *device_name, ct_error *err);
/* The journal's last line. */
ct_status ct_tuned_end(ct_tune_state *t, ct_error *err);

#endif
