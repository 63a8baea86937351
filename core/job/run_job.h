/* run_job.h: a run that is one rank of a job. All ranks do the same steps in the same order, so a
 * rank that fails goes through the exchanges of its block all the same: then all meet at the
 * block's end, and learn of it. run_job.c (what is different where), job_sources.c, job_masks.c and
 * job_allgather.h (what each has a part of), job_files.c (files that several write), job_thread.c
 * (communication while other blocks are computed), job_times.c. Room: core/job. */
#ifndef CT_CORE_RUN_JOB_H
#define CT_CORE_RUN_JOB_H
#include "cornerturn_ranks.h"
#include "job_allgather.h"
#include "ranks.h"
#include "run_io.h"

/* What a rank has taken part in, in a firing. */
enum { CT_JOB_MASK_IN = 1, CT_JOB_MASK_OUT = 2, CT_JOB_SENT = 4 };

struct ct_job {
    const ct_ranks *ranks;
    bool first;             /* this one is rank 0 */
    bool begun;             /* the first block has, or the end */
    unsigned *done;         /* [steps]: CT_JOB_.. of this firing */
    bool *ended;            /* [steps]: sources of which nothing comes any more on some rank */
    int64_t *least;         /* [steps][2]: what sources have read */
    ct_job_buffers buffers; /* of what is gathered from all ranks */
    struct ct_job_thread *thread; /* NULL: nothing is sent while other blocks are computed */
    struct ct_job_times *times;
};

/* Of each source what it reads, and who says what there is to be said; raises what is needed. */
ct_status ct_job_sources_new(ct_run *run, ct_job_need *need, ct_error *err);
/* All have read a block: how far it goes, and the flags of what others have read. */
ct_status ct_job_sources_read(ct_run *run, bool *some, ct_error *err);

ct_status ct_job_masks_new(ct_run *run, ct_job_need *need, ct_error *err);
ct_status ct_job_masks_join(ct_run *run, int step, int port, const ct_array *mask,
                            ct_run_join *join, void *of, ct_error *err);
/* What a step owes the others that was given up; which: CT_JOB_MASK_.. */
void ct_job_masks_give_up(ct_run *run, int step, unsigned which);

/* Sinks whose file several ranks write. find: once the run is made. All ranks call the others.
 * open: before the first block; rank 0 makes the files, the others join them. compare: after a
 * failure: no file is kept to which ranks have given different blocks. */
void ct_job_files_find(ct_run *run);
ct_status ct_job_files_open(ct_run *run, ct_error *err);
void ct_job_files_compare(ct_run *run);
bool ct_job_files_any(const ct_run *run);

/* begin: before the first block. complete: what was posted in the block before has come; post: this
 * block's; give_up: so that other ranks get theirs, whatever has failed; release: waits until
 * nothing is sent from this slot. */
ct_status ct_job_thread_begin(ct_run *run, ct_error *err);
ct_status ct_job_thread_complete(ct_run *run, int step, ct_error *err);
ct_status ct_job_thread_post(ct_run *run, int step, ct_error *err);
void ct_job_thread_give_up(ct_run *run, int step);
ct_status ct_job_thread_release(ct_run *run, int slot, ct_error *err);
void ct_job_thread_stop(ct_run *run);

/* What a rank's steps take, and how long it waits in them for others. What a step stands still
 * counts until ranks agree: of that the least of any rank was sending, the rest waiting. */
ct_status ct_job_times_new(ct_run *run, ct_error *err);
double ct_job_times_stood(const ct_run *run); /* s so far */
void ct_job_times_add(ct_run *run, int step, double seconds);
ct_status ct_job_times_agree(ct_run *run, ct_status mine, ct_error *err);
/* Rank 0 gets those of all ranks. */
ct_status ct_job_times_collect(ct_run *run, ct_error *err);
/* In a trace, once the times of all ranks are collected. */
bool ct_job_times_known(const ct_run *run);
void ct_job_times_print(ct_text *text, const ct_run *run);
void ct_job_times_json(ct_text *json, const ct_run *run, int step); /* [steps]: of the block */

#endif
