/* run_failure.c: a run that failed stays failed: its first failure is remembered and said again.
 * Room: core/run. Knows when a call makes sense. Does not know what a block does. */
#include "fail.h"
#include "run.h"

ct_status ct_run_ready(ct_run *run, const char *call, ct_error *err)
{
    if (!run) return ct_error_add(err, CT_USAGE, "%s: there is no run", call);
    if (run->inside)
        return ct_error_add(err, CT_USAGE, "%s: the run is inside a call: wait until that returns",
                            call);
    if (run->failed != CT_OK) return ct_error_pass(err, run->failed, &run->failure);
    if (run->finished)
        return ct_error_add(err, CT_USAGE, "%s: the run is finished; ct_run_new makes another one",
                            call);
    /* Several processes look at it where they agree, since the others would wait for this one. */
    if (!run->hooks.agree && ct_run_check_cancelled(run, &run->failure) != CT_OK)
        return ct_run_fail(run, CT_INTERRUPTED, err);
    return CT_OK;
}

ct_status ct_run_check_cancelled(const ct_run *run, ct_error *err)
{
    if (!atomic_load_explicit(&run->cancelled, memory_order_relaxed)) return CT_OK;
    const int64_t done = run->hooks.kept ? run->hooks.kept(run) : 0;
    if (done <= 0) return ct_error_add(err, CT_INTERRUPTED, "interrupted: no output was written");
    return ct_error_add(err, CT_INTERRUPTED, "interrupted after block %lld", (long long)run->block);
}

void ct_run_explain(const ct_run *run, ct_status status, ct_error *err)
{
    if (status == CT_OK || err->count > 0 || ct_run_check_cancelled(run, err) != CT_OK) return;
    (void)ct_error_add(err, status,
                       "the run failed with status %d, and whoever failed did not say why",
                       (int)status);
}

ct_status ct_run_fail(ct_run *run, ct_status status, ct_error *err)
{
    run->failed = status;
    if (!run->hooks.agree) ct_run_explain(run, status, &run->failure);
    if (run->hooks.failed) run->hooks.failed(run, &run->failure);
    return ct_error_pass(err, status, &run->failure);
}

void ct_run_cancel(ct_run *run)
{
    if (!run) return;
    atomic_store_explicit(&run->cancelled, true, memory_order_relaxed);
    atomic_store_explicit(&run->stopping, true, memory_order_relaxed);
}
