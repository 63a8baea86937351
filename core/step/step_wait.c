/* step_wait.c: whether a source may wait for data while shapes are inferred, and for which, where
 * there are ranks; whether these come even if nobody waits. Room: core/step. Does not know what is
 * waited for, or who the others are. */
#include <math.h>

#include "clock.h"
#include "fail.h"
#include "step_inner.h"

bool ct_step_may_wait(const ct_step *step)
{
    if (!step) return false;
    const ct_source_location *location = &ct_step_in(step)->location;
    return !location->may_wait || location->may_wait(location->graph);
}

void ct_step_probe_range(ct_step *step, char dim, int64_t extent, int64_t *first, int64_t *count)
{
    if (!step || !first || !count) return;
    const ct_source_location *location = &ct_step_in(step)->location;
    ct_probe *probe = &ct_step_in(step)->probe;
    *probe = (ct_probe){.dim = dim, .extent = extent, .count = extent};
    if (location->probe_range) location->probe_range(location->graph, step, probe);
    *first = probe->first;
    *count = probe->count;
}

ct_status ct_step_probe_allgather(ct_step *step, ct_status mine, void *records, size_t bytes,
                                  ct_error *err)
{
    CT_GIVEN(err, step);
    const ct_source_location *location = &ct_step_in(step)->location;
    return location->probe_allgather
               ? location->probe_allgather(location->graph, &ct_step_in(step)->probe, mine, records,
                                           bytes, err)
               : mine;
}

char ct_step_probed_dim(const ct_step *step)
{
    const ct_probe *probe = &ct_step_in(step)->probe;
    return probe->extent > 1 ? probe->dim : 0;
}

void ct_step_live(ct_step *step, double in_s, bool again)
{
    if (!step) return;
    ct_step_in(step)->live = (ct_step_live_start){true, again, ct_clock_now() + in_s};
}

bool ct_step_is_live(const ct_step *step)
{
    return ct_step_in(step)->live.is;
}

double ct_step_left_s(const ct_step *step)
{
    const ct_step_live_start *live = &ct_step_in(step)->live;
    return live->is && live->again ? live->start_s - ct_clock_now() : INFINITY;
}
