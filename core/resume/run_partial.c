/* run_partial.c: what whole blocks have given the sinks, where a later block failed: each sink
 * for itself, so that one that can keep nothing takes nothing from the others. Room: core/resume.
 * Knows which sinks are sound. Does not know how they describe it. */
#include "fail.h"
#include "memory.h"
#include "run_io.h"
#include "run_job.h"
#include "staged_output.h"

/* If a write failed, only some stages can go back to what they had before (CT_STAGE_MENDS); what
 * went into a pipe cannot be taken back. */
static bool is_sound(const ct_run_step *at)
{
    ct_resumable first = {0};
    if (!at->broken) return true;
    return (at->own->stage->traits & CT_STAGE_MENDS) &&
           ct_staged_resumable(ct_step_staged(at->own), 0, &first) && first.part != NULL;
}

static ct_status publish_files(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    ct_staged *staged = ct_step_staged(at->own);
    const char *why = ct_run_files_why(run, at);
    if (at->flaw) CT_TRY(ct_error_add(err, CT_DATA, "%s", at->flaw));
    if (!is_sound(at))
        CT_TRY(ct_error_add(err, CT_DATA, "what failed is not whole up to any block"));
    if (at->open && why) ct_step_set_incomplete(at->own, why);
    CT_TRY(ct_run_io_close(run, s, true, err));
    CT_TRY(ct_staged_settle(&staged, 1, err));
    CT_TRY(ct_staged_publish(&staged, 1, err));
out:
    return status;
}

/* A sink without a sample publishes nothing, so that an older file stays. */
static bool has_some(const ct_run_step *at)
{
    return at->own && ct_role_of(at->own) == CT_ROLE_SINK && !at->joins &&
           ct_step_staged(at->own) != NULL && !at->lost && ct_run_files_blocks(at) > 0 &&
           ct_run_files_samples(at) > 0;
}

static void publish_all(ct_run *run)
{
    bool tried = false;
    if (run->job) ct_job_files_compare(run);
    for (int s = 0; s < run->plan->count; s++) {
        ct_error why = {0};
        if (!has_some(&run->steps[s])) continue;
        tried = true;
        if (publish_files(run, s, &why) == CT_OK) continue;
        (void)ct_error_add(&run->failure, run->failed, "node \"%s\": nothing can be kept: %s",
                           run->steps[s].own->name, why.text);
    }
    if (!tried && run->block > 0 && (!run->job || run->job->first))
        (void)ct_error_add(&run->failure, run->failed,
                           "nothing can be kept: no output has a sample yet");
}

static int64_t partial_kept(const ct_run *run)
{
    return run->block;
}

ct_status ct_run_keep(ct_run *run, ct_error *err)
{
    ct_status status = ct_run_ready(run, "ct_run_keep", err);
    if (status != CT_OK) return status;
    if (run->started || run->resume)
        return ct_error_add(err, CT_USAGE, "ct_run_keep: %s",
                            run->started ? "call it before the first block"
                                         : "the run keeps a journal to go on from");
    run->hooks.kept = partial_kept;
    run->hooks.publish_partial = publish_all;
    return CT_OK;
}
