/* run_keep.c: what whole blocks have given the sinks, where a later block failed: each sink for
 * itself, so that one that can keep nothing takes nothing from the others.
 * Room: core/run. Knows which sinks are sound. Does not know how they describe it. */
#include "fail.h"
#include "memory.h"
#include "run_resume.h"
#include "staged_output.h"

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

/* Whole blocks that a sink has taken, and their samples. */
static int64_t keep_blocks(const ct_run_step *at)
{
    return at->broken ? at->request->number : at->fired;
}

static int64_t keep_samples(const ct_run_step *at)
{
    return at->position - (at->broken ? at->request->count : 0);
}

/* "12 of 40", or "12" where nobody knows how many there would have been. */
static const char *keep_part(const ct_run *run, int64_t done)
{
    const long long blocks = run->plan->graph->blocks;
    return blocks > 0 ? ct_arena_print(run->arena, "%lld of %lld", (long long)done, blocks)
                      : ct_arena_print(run->arena, "%lld", (long long)done);
}

/* Why not all of the stream is there; NULL where it is. */
static const char *keep_why(const ct_run *run, const ct_run_step *at)
{
    if (run->ended && !at->broken) return NULL;
    return ct_arena_print(run->arena, "stopped after block %s%s", keep_part(run, keep_blocks(at)),
                          at->broken ? ": the next one could not be written" : "");
}

/* A sink whose write failed knows what it had before, where it says that it does; what a pipe has
 * taken its reader has. */
static bool keep_is_sound(const ct_run_step *at)
{
    ct_resumable first = {0};
    if (!at->broken) return true;
    return (at->own->stage->traits & CT_STAGE_MENDS) &&
           ct_staged_resumable(ct_step_staged(at->own), 0, &first) && first.part != NULL;
}

static ct_status keep_files(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    ct_staged *staged = ct_step_staged(at->own);
    const char *why = keep_why(run, at);
    if (at->uneven)
        CT_TRY(ct_error_add(err, CT_DATA,
                            "ranks write parts of it, and not all have their part of "
                            "the same blocks"));
    if (!keep_is_sound(at))
        CT_TRY(ct_error_add(err, CT_DATA, "what failed is not whole up to any block"));
    if (at->open && why) ct_step_set_incomplete(at->own, why);
    CT_TRY(ct_run_io_close(run, s, true, err));
    CT_TRY(ct_staged_settle(&staged, 1, err));
    CT_TRY(ct_staged_publish(&staged, 1, err));
out:
    return status;
}

/* Who has no sample yet leaves what the name has. */
static bool keep_has_some(const ct_run_step *at)
{
    return at->own && ct_role_of(at->own) == CT_ROLE_SINK && at->part != CT_RUN_PART_JOINS &&
           ct_step_staged(at->own) != NULL && !at->lost && keep_blocks(at) > 0 &&
           keep_samples(at) > 0;
}

void ct_run_keep_all(ct_run *run)
{
    bool tried = false;
    for (int s = 0; s < run->plan->count; s++) {
        ct_error why = {0};
        if (!keep_has_some(&run->steps[s])) continue;
        tried = true;
        if (keep_files(run, s, &why) == CT_OK) continue;
        (void)ct_error_add(&run->failure, run->failed, "node \"%s\": nothing can be kept: %s",
                           run->steps[s].own->name, why.text);
    }
    if (!tried && run->block > 0 && ct_ranks_rank(run->plan->graph->ranks) == 0)
        (void)ct_error_add(&run->failure, run->failed,
                           "nothing can be kept: no output has a sample yet");
}

const char *ct_run_file_holds(ct_run *run, size_t n)
{
    int s = 0;
    if (!run || !ct_run_io_file(run, n, &s, &n)) return NULL;
    const ct_run_step *at = &run->steps[s];
    const double spacing_s = at->own->port[0].meta.sample_time_s;
    const int64_t samples = keep_samples(at);
    if (!ct_step_incomplete(at->own)) return NULL;
    const char *seconds =
        spacing_s > 0 ? ct_arena_print(run->arena, " (%.6g s)", (double)samples * spacing_s) : "";
    const char *text = ct_arena_print(run->arena, "%s blocks, %lld samples%s",
                                      keep_part(run, keep_blocks(at)), (long long)samples, seconds);
    return text ? text : "";
}
