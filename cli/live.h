/* live.h: a run of what comes whether it is read or not: all is built first, and a stream that
 * began meanwhile is asked for again. Room: cli. */
#ifndef CT_CLI_LIVE_H
#define CT_CLI_LIVE_H
#include "pipeline.h"

enum { CT_LIVE_TIMES = 5, CT_LIVE_SETTINGS = 4096 };

/* Where a source is live, or `always`, builds all that the run needs; *late: its stream has begun,
 * or will before the run can open it, and would begin later if the pipeline was read again. */
ct_status ct_live_build(ct_run *run, bool always, bool *late, ct_error *err);
/* Before the pipeline is read for the n-th time, from 1: kernels that are built are found in caches
 * at first; where that was of no use streams are to begin later, by settings that `room` holds. */
ct_status ct_live_put_off(ct_pipeline *p, int n, char room[CT_LIVE_SETTINGS], ct_error *err);

#endif
