/* run_clear.c: data that are flagged become 0 for a step that leaves them out, before it runs: in
 * the array that it reads, or where others want that as it is, in a copy of it, which it reads
 * instead. Room: core/run. Knows whose arrays these are. Does not know how they are cleared
 * (core/flags). */
#include "fail.h"
#include "run_flags.h"
#include "run_memory.h"

/* The plan's. It has none if the stage of a source never flags anything, and the program has bound
 * another source that does: then it is made now. */
static ct_status find_copy(ct_run *run, int s, const ct_buffer **out, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_buffer *own = &run->steps[s].side[0];
    *out = own;
    if (step->zeroed >= 0)
        *out = &run->memory->slots[run->plan->edges[step->zeroed].slot];
    else if (!own->mem)
        CT_TRY(ct_buffer_new(own, run->device,
                             ct_array_bytes(&run->plan->edges[step->edge[0]].array), err));
out:
    return status;
}

static bool leaves_out(const ct_plan_step *step)
{
    return step->node >= 0 && step->edge[0] >= 0 &&
           (step->step->stage->traits & CT_STAGE_LEAVES_OUT);
}

ct_status ct_run_clear_build(ct_run *run, ct_error *err)
{
    for (int s = 0; s < run->plan->count; s++)
        if (leaves_out(&run->plan->steps[s]))
            return ct_flags_clear_build(&run->flags->clearing, run->device, err);
    return CT_OK;
}

/* In the array itself the samples before this block were cleared with the last one. */
ct_status ct_run_clear(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    if (!leaves_out(step)) return CT_OK;
    const ct_flags *window = &run->flags->window[step->node], *fresh = ct_run_flags_read(run, s);
    const ct_buffer *read = ct_run_slots_read(run, s, 0), *copy = read;
    const ct_flags *flags = step->others_need_flagged && window->data ? window : fresh;
    run->steps[s].mem[0] = *read;
    if (!ct_flags_any_missing(flags)) return CT_OK;
    if (step->others_need_flagged) {
        CT_TRY(find_copy(run, s, &copy, err));
        CT_TRY(ct_run_buffers_copy(run, copy, read,
                                   ct_array_bytes(&run->plan->edges[step->edge[0]].array), err));
        run->steps[s].mem[0] = *copy;
    }
    CT_TRY(ct_flags_clear(&run->flags->clearing, run->device, step->step, copy, flags,
                          !step->others_need_flagged, err));
out:
    return status;
}
