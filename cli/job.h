/* job.h: how a verb that the ranks of a job do together ends.
 * Room: cli. */
#ifndef CT_CLI_JOB_H
#define CT_CLI_JOB_H
#include "cornerturn_ranks.h"

/* Says what went wrong on this rank while the others are still there: where one has ended, mpirun
 * ends those that have not. Returns `status`; without ranks the sentence stays where it is. */
ct_status ct_job_close(ct_ranks *ranks, ct_status status, ct_error *err);

#endif
