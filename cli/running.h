/* running.h: what the verb run knows of a run: run.c, and run_set_up.c, which makes it. Room: cli.
 */
#ifndef CT_CLI_RUNNING_H
#define CT_CLI_RUNNING_H
#include "beside.h"
#include "continuous.h"
#include "cornerturn_ranks.h"
#include "live.h"
#include "preparing.h"
#include "stats.h"

typedef struct ct_running {
    ct_run *run;
    int64_t most;  /* blocks; below 0: all */
    bool done;     /* nothing is left to be computed */
    bool progress; /* on a terminal */
    bool line;     /* a progress line stands there */
    bool trace, json, keep, whole, resume, quiet, in_step, build_only;
    double checkpoint; /* seconds */
    double follow;     /* seconds; below 0: not */
    ct_preparing preparing;
    ct_beside beside;
    ct_stats stats;
    ct_continuous continuous;
    ct_ranks *ranks;  /* NULL: one process */
    const char *grid; /* of them; NULL none */
    bool met;         /* all ranks know how this one fares */
    char room[CT_LIVE_SETTINGS];
} ct_running;

/* All up to a run that can begin; live streams do not begin before all is built. */
ct_status ct_run_set_up(ct_pipeline *p, ct_running *r, ct_error *err);
/* All is built, and nothing opened. */
ct_status ct_run_set_up_only(ct_pipeline *p, ct_running *r, ct_error *err);
/* Ranks meet wherever one may have failed, so that its sentence is said once, and all end. */
ct_status ct_run_set_up_meet(ct_running *r, ct_status status, ct_error *err);

#endif
