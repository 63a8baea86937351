/* run_build.c: all that blocks need, before the first of them: each step is done once, on zeros,
 * since many drivers build a kernel when it is started for the first time, and all memory is there
 * then. Where a source is live this comes before any source is opened, or what it sends meanwhile
 * would be lost. Room: core/run. Knows the order of things. Does not know any stage. */
#include <math.h>

#include "clock.h"
#include "exchange.h"
#include "fail.h"
#include "run_build.h"
#include "run_flags.h"
#include "run_memory.h"
#include "run_tables.h"

/* What goes to other processes does not go there yet. */
ct_status ct_run_build_step(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    double seconds;
    ct_run_step *at = &run->steps[s];
    if (!at->program || at->built || ct_exchange_is(at->step)) return CT_OK;
    CT_TRY(ct_run_check_cancelled(run, err));
    ct_run_told(run, CT_DOING_START, s);
    CT_TRY(ct_run_time_tables_fill(run, s, err));
    if (run->ahead) ct_program_only_build(at->program);
    CT_TRY(ct_program_enqueue(at->program, at->mem, NULL, err));
    CT_TRY(ct_program_wait(at->program, &seconds, err));
    at->built = true;
out:
    return status;
}

ct_status ct_run_build_all(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const double start = ct_clock_now();
    for (int s = 0; s < run->plan->count; s++)
        CT_TRY(ct_run_build_step(run, s, err));
    CT_TRY(ct_run_clear_build(run, err));
    CT_TRY(ct_run_buffers_clear(run, err));
    run->complete = true;
    run->build_s += ct_clock_now() - start;
    if (run->inside) run->seconds -= ct_clock_now() - start; /* as where a step is first fired */
out:
    ct_run_told(run, CT_DOING_START, -1);
    return status;
}

static bool is_live(const ct_run_step *at)
{
    return at->own && !at->io.read && ct_step_is_live(at->own);
}

ct_status ct_run_build_for_live(ct_run *run, ct_error *err)
{
    for (int s = 0; s < run->plan->count && !run->complete; s++)
        if (is_live(&run->steps[s])) return ct_run_build_all(run, err);
    return CT_OK;
}

double ct_run_starts_in(const ct_run *run)
{
    double least = INFINITY;
    for (int s = 0; run && s < run->plan->count; s++)
        if (is_live(&run->steps[s])) least = fmin(least, ct_step_left_s(run->steps[s].own));
    return least;
}

ct_status ct_run_build(ct_run *run, ct_error *err)
{
    ct_status status = ct_run_ready(run, "ct_run_build", err);
    if (status != CT_OK) return status;
    if (run->started || run->block > 0)
        return ct_error_add(err, CT_USAGE,
                            "ct_run_build: expected it before the first block and before "
                            "ct_run_resume");
    if (!run->complete) status = ct_run_build_all(run, &run->failure);
    return status == CT_OK ? CT_OK : ct_run_fail(run, status, err);
}
