/* run_keep.c: what whole blocks have given the sinks, where a later block failed.
 * Room: core/run. Knows which sinks are sound. Does not know how they describe it. */
#include "fail.h"
#include "memory.h"
#include "run_resume.h"

ct_status ct_run_keep(ct_run *run, ct_error *err)
{
    ct_status status = ct_run_ready(run, "ct_run_keep", err);
    if (status != CT_OK) return status;
    if (run->started || run->resume)
        return ct_error_add(err, CT_USAGE, "ct_run_keep: %s",
                            run->started ? "call it before the first block"
                                         : "the run keeps a journal to go on from");
    run->keep = true;
    return CT_OK;
}

/* A sink that failed, or has not been opened, has nothing that is whole. */
static bool keep_is_sound(const ct_run *run, ct_error *why)
{
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        if (ct_role_of(at->step) != CT_ROLE_SINK || !at->broken) continue;
        (void)ct_error_add(why, CT_DATA, "\"%s\" itself could not be written", at->step->name);
        return false;
    }
    return true;
}

bool ct_run_keep_begin(ct_run *run, ct_error *why)
{
    const int64_t blocks = run->plan->graph->blocks;
    if (run->block == 0) (void)ct_error_add(why, CT_DATA, "no block was finished");
    if (run->block == 0 || !keep_is_sound(run, why)) return false;
    const char *text =
        blocks > 0 ? ct_arena_print(run->arena, "stopped after block %lld of %lld",
                                    (long long)run->block, (long long)blocks)
                   : ct_arena_print(run->arena, "stopped after block %lld", (long long)run->block);
    for (int s = 0; s < run->plan->count; s++)
        if (run->steps[s].own) ct_step_set_incomplete(run->steps[s].own, text);
    return true;
}
