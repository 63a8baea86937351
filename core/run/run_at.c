/* run_at.c: which step is at work, for who shows progress, and for who has to say what has crashed.
 * Room: core/run. Knows steps and threads. Does not know who asks. */
#include "run_io.h"

const char *ct_run_at(const ct_run *run)
{
    if (!run || !run->steps) return NULL;
    for (int s = 0; s < run->plan->count; s++)
        if (run->steps[s].stream && ct_run_stream_is_mine(&run->steps[s]))
            return run->plan->steps[s].name;
    const int at = atomic_load_explicit(&run->at, memory_order_relaxed);
    return at > 0 ? run->plan->steps[at - 1].name : NULL;
}

const char *ct_run_device_at(const ct_run *run)
{
    for (int s = 0; run && run->steps && s < run->plan->count; s++)
        if (run->steps[s].program && !ct_program_is_done(run->steps[s].program))
            return run->plan->steps[s].name;
    return NULL;
}

void ct_run_told(const ct_run *run, ct_doing doing, int step)
{
    int n = 0, of = 0;
    for (int s = 0; s < run->plan->count; s++) {
        of += !run->steps[s].own;
        n += !run->steps[s].own && s <= step;
    }
    ct_graph_told(run->plan->graph, doing, step < 0 ? NULL : run->plan->steps[step].name, n, of);
}
