/* step_wait.c: whether a source may wait for data while shapes are inferred, and for which, where
 * ranks share them. Room: core/step. Does not know what is waited for, or who the others are. */
#include "step_inner.h"

bool ct_step_may_wait(const ct_step *step)
{
    const ct_source_location *location = &ct_step_in(step)->location;
    return !location->may_wait || location->may_wait(location->graph);
}

void ct_step_hear_part(ct_step *step, char dim, int64_t extent, int64_t *first, int64_t *count)
{
    const ct_source_location *location = &ct_step_in(step)->location;
    ct_heard *heard = &ct_step_in(step)->heard;
    *heard = (ct_heard){.dim = dim, .extent = extent, .count = extent};
    if (location->hear_part) location->hear_part(location->graph, step, heard);
    *first = heard->first;
    *count = heard->count;
}

ct_status ct_step_hear_rest(ct_step *step, ct_status mine, void *records, size_t bytes,
                            ct_error *err)
{
    const ct_source_location *location = &ct_step_in(step)->location;
    return location->hear_rest ? location->hear_rest(location->graph, &ct_step_in(step)->heard,
                                                     mine, records, bytes, err)
                               : mine;
}

char ct_step_heard(const ct_step *step)
{
    const ct_heard *heard = &ct_step_in(step)->heard;
    return heard->extent > 1 ? heard->dim : 0;
}
