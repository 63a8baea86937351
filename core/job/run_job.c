/* run_job.c: where a run that is one rank of a job differs from one that is the only one;
 * ct_run_new, which finds out which of them it is. Room: core/job. Knows when ranks meet. Does not
 * know what they exchange, or how (core/ranks). */
#include "run_job.h"
#include "cornerturn_ranks.h"

#include <string.h>

#include "exchange.h"
#include "fail.h"
#include "memory.h"

static ct_status job_begin(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->job->begun) return CT_OK;
    run->job->begun = true;
    CT_TRY(ct_job_thread_begin(run, err));
    CT_TRY(ct_job_files_open(run, err));
out:
    return status;
}

static ct_status job_agree(ct_run *run, ct_status mine, ct_error *err)
{
    memset(run->job->done, 0, sizeof *run->job->done * (size_t)run->plan->count);
    return ct_job_times_agree(run, mine, err);
}

static ct_status job_fire(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const double before = ct_job_times_stood(run);
    if (run->steps[s].background) return ct_job_thread_post(run, s, err);
    CT_TRY(ct_run_fire_kernel(run, s, err));
    ct_job_times_add(run, s, ct_job_times_stood(run) - before);
out:
    return status;
}

/* This rank has failed, but the others still wait for what its steps send. */
static void job_give_up(ct_run *run, int s)
{
    ct_run_step *at = &run->steps[s];
    if (!ct_run_is_due(run, s)) return;
    ct_job_masks_give_up(run, s, CT_JOB_MASK_IN);
    if (at->background && !(run->job->done[s] & CT_JOB_SENT))
        ct_job_thread_give_up(run, s);
    else if (ct_exchange_is(at->step) && !at->background && !at->launched)
        (void)ct_program_enqueue(at->program, at->mem, NULL, NULL);
    ct_job_masks_give_up(run, s, CT_JOB_MASK_OUT);
}

static const ct_run_hooks job_hooks = {
    .begin = job_begin,
    .agree = job_agree,
    .sources_read = ct_job_sources_read,
    .fire = job_fire,
    .complete = ct_job_thread_complete,
    .give_up = job_give_up,
    .join_mask = ct_job_masks_join,
    .release = ct_job_thread_release,
    .stop = ct_job_thread_stop,
};

static ct_status job_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_job_need need = {0};
    const ct_ranks *ranks = run->plan->graph->ranks;
    const size_t steps = (size_t)run->plan->count;
    if (ct_ranks_size(ranks) < 2) return CT_OK;
    struct ct_job *job = run->job = ct_arena_get(run->arena, sizeof *job);
    CT_NEED(job, sizeof *job, err);
    job->ranks = ranks;
    job->first = ct_ranks_rank(ranks) == 0;
    job->done = ct_arena_get(run->arena, sizeof *job->done * steps);
    job->ended = ct_arena_get(run->arena, sizeof *job->ended * steps);
    job->least = ct_arena_get(run->arena, sizeof *job->least * 2 * steps);
    CT_TRY(ct_job_times_new(run, err));
    ct_job_files_find(run);
    CT_TRY(ct_job_sources_new(run, &need, err));
    CT_TRY(ct_job_masks_new(run, &need, err));
    CT_TRY(ct_job_allgather_new(run, &need, err));
    run->hooks = job_hooks;
out:
    return status;
}

ct_status ct_run_new(ct_run **out, const ct_plan *plan, ct_device *device, ct_error *err)
{
    CT_GIVEN_OUT(err, out, plan, device);
    ct_status status = ct_run_make(out, plan, device, err);
    if (status != CT_OK) return status;
    status = job_new(*out, err);
    if (status == CT_OK) return CT_OK;
    ct_run_free(*out);
    *out = NULL;
    return status;
}

ct_status ct_run_collect(ct_run *run, ct_error *err)
{
    CT_GIVEN(err, run);
    return run->job ? ct_job_times_collect(run, err) : CT_OK;
}
