/* role.c: what a stage is in a pipeline, as its ports say: where data come from, where they go to,
 * or what computes. Room: core/step. Decided here for all callers. */
#include "step.h"

ct_role ct_role_of_stage(const ct_stage *stage)
{
    bool takes = false, gives = false;
    for (int p = 0; p < CT_PORTS && stage->ports[p].name; p++) {
        takes = takes || stage->ports[p].direction == CT_IN;
        gives = gives || stage->ports[p].direction == CT_OUT;
    }
    if (!gives) return CT_ROLE_SINK;
    return takes ? CT_ROLE_KERNEL : CT_ROLE_SOURCE;
}

ct_role ct_role_of(const ct_step *step)
{
    return ct_role_of_stage(step->stage);
}

bool ct_step_is_threaded(const ct_step *step)
{
    return (step->stage->traits & CT_STAGE_THREAD) && ct_role_of(step) != CT_ROLE_KERNEL;
}

int ct_step_first_output(const ct_step *step)
{
    for (int p = 0; p < ct_step_ports(step); p++)
        if (step->stage->ports[p].direction == CT_OUT) return p;
    return -1;
}
