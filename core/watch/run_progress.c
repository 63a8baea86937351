/* run_progress.c: how far a run is, and how long it has waited for sources and sinks.
 * Room: core/watch. Knows clocks and queues. Does not know who reads it. */
#include "fail.h"
#include "run_io.h"
#include "struct_version.h"

static void add_waits(const ct_run *run, ct_progress *now)
{
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        if (!at->own) continue;
        const bool source = ct_role_of(at->own) == CT_ROLE_SOURCE, busy = ct_run_stream_busy(at);
        *(source ? &now->read_wait_s : &now->write_wait_s) += at->waited;
        if (source) now->ahead += at->stream && at->request->asked && !busy;
        if (!source) now->behind += busy;
    }
}

ct_status ct_run_progress(const ct_run *run, ct_progress *out, ct_error *err)
{
    CT_GIVEN(err, run);
    static const ct_struct_version kind = CT_STRUCT_VERSION(ct_progress, samples);
    const ct_graph *graph = run->plan->graph;
    ct_progress now = {.block = run->block,
                       .blocks = graph->blocks,
                       .signal_s = (double)(run->block - run->first) * graph->block_s,
                       .wall_s = run->seconds,
                       .flagged = run->flagged,
                       .samples = run->samples,
                       .journal_s = run->journal_s,
                       .build_s = run->build_s};
    add_waits(run, &now);
    return ct_struct_give(out, &kind, &now, err);
}
