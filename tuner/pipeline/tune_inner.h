/* tune_inner.h: what the parts of a tuning share.
 * Room: tuner/pipeline. Private to tune.c (from its beginning to the choice) and tuned.c (the plan,
 * and what is said of it). */
#ifndef CT_TUNER_TUNE_INNER_H
#define CT_TUNER_TUNE_INNER_H
#include "meter_costs.h"
#include "meter_workers.h"
#include "variant.h"
#include "verdict.h"

enum { TUNE_VARIANTS = 8 };

typedef struct ct_tune_state {
    ct_tune options;
    const ct_graph *graph;
    ct_context *context;
    ct_meter_costs *costs;
    ct_meter_workers *workers;
    ct_value *costs_root;
    ct_text key; /* of the device, as JSON */
    ct_record *record;
    ct_variant *variant[TUNE_VARIANTS]; /* the first: as written */
    ct_tuner *tuner[TUNE_VARIANTS];
    int variants;
    bool whole[TUNE_VARIANTS]; /* its search came to its end */
    bool complete;             /* all of them did */
    ct_contender chosen;
    ct_verdict verdict;
} ct_tune_state;

/* The chosen plan, with what the tuning says of it. */
ct_status ct_tuned_plan(ct_tune_state *t, ct_plan **out, const char *device_name, ct_error *err);
/* The journal's last line. */
ct_status ct_tuned_end(ct_tune_state *t, ct_error *err);

#endif
