/* bench_inner.h: what the parts of the bench share.
 * Room: tuner/bench. */
#ifndef CT_TUNER_BENCH_INNER_H
#define CT_TUNER_BENCH_INNER_H
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "limits.h"
#include "text.h"
#include "workload.h"

/* The probes that run in every round: what is measured is compared with them. */
enum { BENCH_FMA, BENCH_COPY, BENCH_PROBES };
enum { BENCH_THINGS = 24 }; /* most things in one set of rounds */

typedef struct ct_bench_run {
    const ct_bench *asked;
    ct_context *context;
    ct_device *device;
    ct_timed_step *probe[BENCH_PROBES];
    ct_text *json;
    const char *comma; /* between members of the list that is written; "" before the first */
} ct_bench_run;

/* Adds one member of the list "stages". */
ct_status ct_bench_stage(ct_bench_run *run, const ct_workload *work, ct_error *err);

/* What asked->ragged says: members of the list "ragged", of one workload. */
ct_status ct_bench_ragged(ct_bench_run *run, const ct_workload *work, ct_error *err);
enum { BENCH_RAGGED_MOST = 1024 }; /* the highest count */
ct_status ct_bench_ragged_check(const char *counts, ct_error *err);

int ct_bench_output(const ct_step *step); /* the port that is written */
/* An output that follows the input ("=X") does so. */
ct_status ct_bench_set_layouts(ct_step *step, const ct_layout *read, const ct_layout *write,
                               ct_error *err);
/* The layouts that the user named, with the defaults for them. */
ct_status ct_bench_ask_layouts(ct_step *step, const ct_bench *asked, ct_error *err);
/* Tunables as the user set them, NULL at the end. */
ct_status ct_bench_ask_tunables(ct_step *step, const char *const *settings, ct_error *err);

#endif
