/* run_build.h: all that blocks need is built before the first of them. Room: core/run. */
#ifndef CT_CORE_RUN_BUILD_H
#define CT_CORE_RUN_BUILD_H
#include "run.h"

/* Where a source sends whether it is read or not, and what it needs is not built yet. */
ct_status ct_run_build_for_live(ct_run *run, ct_error *err);

#endif
