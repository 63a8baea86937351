/* job_masks.c: masks that a stage takes or gives, of which each rank has a part. Room: core/job.
 * Knows who has which part. Does not know what a mask flags. */
#include "fail.h"
#include "run_job.h"
#include "step_range.h"

/* The port's flags as all ranks have them together. */
static ct_job_split split_of(const ct_run *run, int s, int port)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const bool in = step->step->stage->ports[port].direction == CT_IN;
    ct_job_split split = {.partition = in ? step->input_partition : step->partition,
                          .whole = step->step->port[port]};
    for (int k = 0; k < split.whole.rank; k++)
        split.whole.extent[k] = ct_step_port_whole(step->step, port, split.whole.dim[k]);
    split.whole.offset = 0;
    ct_array_dense(&split.whole, NULL);
    split.key = split.whole;
    return split;
}

ct_status ct_job_masks_join(ct_run *run, int s, int port, const ct_array *mask, ct_run_join *join,
                            void *of, ct_error *err)
{
    static const int64_t begin[CT_DIMS];
    const ct_job_split split = split_of(run, s, port);
    const bool in = run->steps[s].step->stage->ports[port].direction == CT_IN;
    if (!ct_job_allgather_differs(run->job, &split)) {
        join(of, mask, begin);
        return CT_OK;
    }
    run->job->done[s] |= in ? CT_JOB_MASK_IN : CT_JOB_MASK_OUT;
    return ct_job_allgather(run->job, &split, mask, join, of, err);
}

ct_status ct_job_masks_new(ct_run *run, ct_job_need *need, ct_error *err)
{
    static const ct_direction directions[] = {CT_IN, CT_OUT};
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++)
        for (int d = 0; d < 2; d++) {
            const int port = ct_flags_mask_port(run->plan->steps[s].step, directions[d]);
            if (!ct_run_masks_read(run, s, port)) continue;
            const ct_job_split split = split_of(run, s, port);
            CT_TRY(ct_job_allgather_need(run->job, &split, need, err));
        }
out:
    return status;
}

void ct_job_masks_give_up(ct_run *run, int s, unsigned which)
{
    const bool in = which == CT_JOB_MASK_IN;
    const int port = ct_flags_mask_port(run->plan->steps[s].step, in ? CT_IN : CT_OUT);
    if (run->job->done[s] & which) return;
    if (in ? !ct_run_masks_read(run, s, port) : !ct_run_masks_gives(run, s, port)) return;
    const ct_job_split split = split_of(run, s, port);
    if (ct_job_allgather_differs(run->job, &split))
        (void)ct_job_allgather(run->job, &split, NULL, NULL, NULL, NULL);
}
