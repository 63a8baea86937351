/* run_build.h: all that blocks need is built before the first of them. Room: core/run. */
#ifndef CT_CORE_RUN_BUILD_H
#define CT_CORE_RUN_BUILD_H
#include "run.h"

/* A step whose program is there once, on zeros. */
ct_status ct_run_build_step(ct_run *run, int s, ct_error *err);
/* All of them, and what blocks need besides. */
ct_status ct_run_build_all(ct_run *run, ct_error *err);
/* Builds what a run of this plan builds, from the last step to the first, for the driver's store:
 * a run in another process that builds from the first on meanwhile finds it there. Of each kernel
 * only one group runs, so memory is asked for and hardly touched. */
ct_status ct_run_build_ahead(const ct_plan *plan, ct_device *device, ct_error *err);
/* Where a source sends whether it is read or not, and what it needs is not built yet. */
ct_status ct_run_build_for_live(ct_run *run, ct_error *err);

#endif
