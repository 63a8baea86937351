/* run_tables.h: tables that change while a run goes on: new_tables.c (by the run's user),
 * time_tables.c (by their stage, with each block). Room: core/run. */
#ifndef CT_CORE_RUN_TABLES_H
#define CT_CORE_RUN_TABLES_H
#include "run.h"

/* Those that were given before the block that the step is at. */
ct_status ct_run_new_tables_take(ct_run *run, int step, ct_error *err);
void ct_run_new_tables_free(ct_run *run);
/* Fills the step's tables that are another block's (CT_PORT_BLOCK). */
ct_status ct_run_time_tables_fill(ct_run *run, int step, ct_error *err);

#endif
