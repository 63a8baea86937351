/* job_allgather.h: flags of which each rank of a job has a part, brought to all of them.
 * Room: core/job. Order: ct_job_allgather_need for all that may be, ct_job_allgather_new, then
 * ct_job_allgather on all ranks in the same order, whatever has failed. */
#ifndef CT_CORE_JOB_ALLGATHER_H
#define CT_CORE_JOB_ALLGATHER_H
#include "partition.h"
#include "run.h"

/* `whole`: u8, all that the ranks have together, dense; `key`: the dimensions by which two ranks'
 * parts differ. partition NULL: each rank has all. */
typedef struct ct_job_split {
    const ct_partition *partition;
    ct_array whole, key;
} ct_job_split;

typedef struct ct_job_buffers {
    uint8_t *send, *receive;
    int *numbers; /* bytes and places of both, as the wire wants them */
} ct_job_buffers;

typedef struct ct_job_need {
    int64_t send, receive; /* bytes */
} ct_job_need;

/* Whether ranks have different parts: else nothing needs to be exchanged. */
bool ct_job_allgather_differs(const struct ct_job *job, const ct_job_split *split);
/* Whether this rank is the lowest of those that have its part. */
bool ct_job_allgather_gives(const struct ct_job *job, const ct_job_split *split);
/* Raises what is needed. CT_INVALID: it is too much. */
ct_status ct_job_allgather_need(const struct ct_job *job, const ct_job_split *split,
                                ct_job_need *need, ct_error *err);
ct_status ct_job_allgather_new(ct_run *run, const ct_job_need *need, ct_error *err);
/* own NULL: this rank has failed, and gives nothing flagged. join NULL: it wants nothing. */
ct_status ct_job_allgather(struct ct_job *job, const ct_job_split *split, const ct_array *own,
                           ct_run_join *join, void *of, ct_error *err);

#endif
