/* step_wait.c: whether a source may wait for data while shapes are inferred.
 * Room: core/step. Does not know what is waited for. */
#include "step_inner.h"

bool ct_step_may_wait(const ct_step *step)
{
    const ct_origin *origin = &ct_step_in(step)->origin;
    return !origin->may_wait || origin->may_wait(origin->graph);
}
