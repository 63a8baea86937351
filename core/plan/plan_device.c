/* plan_device.c: whether a device can take a plan, before anything is built for it.
 * Room: core/plan. Knows memory and launches. Does not know OpenCL calls; what a kernel takes of
 * local memory and registers only its compiler says. */
#include "device.h"
#include "emit.h"
#include "fail.h"
#include "plan.h"

/* At the node, or at the one that an inserted transpose stands before. */
static ct_status fail_group(const ct_plan *plan, const ct_plan_step *at, long long group,
                            const ct_device *device, ct_error *err)
{
    const int node = at->node >= 0 ? at->node : at->reader.node;
    return ct_step_fail(plan->graph->nodes[node].step, at->node >= 0 ? "tunables" : NULL, err,
                        "step %s has %lld work-items in a group; device \"%s\" takes at most %lld: "
                        "choose smaller tunables",
                        at->name, group, device->name, (long long)device->work_group);
}

static ct_status check_groups(const ct_plan *plan, const ct_plan_step *at, const ct_device *device,
                              ct_error *err)
{
    ct_launch launches[CT_LAUNCHES] = {0};
    const ct_stage *stage = at->step->stage;
    if (!stage->kernel.text || stage->engine.prepare) return CT_OK;
    const int count = ct_emit_launches(at->step, launches, err);
    if (count < 0) return CT_INVALID;
    for (int i = 0; i < count; i++) {
        const size_t *local = launches[i].local, group = local[0] * local[1] * local[2];
        if ((int64_t)group > device->work_group)
            return fail_group(plan, at, (long long)group, device, err);
    }
    return CT_OK;
}

ct_status ct_plan_check(const ct_plan *plan, const ct_device *device, ct_error *err)
{
    CT_GIVEN(err, plan, device);
    ct_status status = CT_OK;
    CT_TRY(ct_plan_fits(plan, device->global_bytes, device->largest_buffer, err));
    for (int s = 0; s < plan->count; s++)
        CT_TRY(check_groups(plan, &plan->steps[s], device, err));
out:
    return status;
}
