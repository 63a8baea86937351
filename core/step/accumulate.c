/* accumulate.c: which outputs add up several firings, and how many samples a firing gives them.
 * Room: core/step. Knows ports' flags. Does not know when an output is complete. */
#include "step.h"
#include "step_inner.h"

bool ct_accumulate_declared(const ct_stage *stage)
{
    for (int p = 0; p < CT_PORTS && stage->ports[p].name; p++)
        if (stage->ports[p].flags & CT_PORT_ACCUMULATE) return true;
    return false;
}

const char *ct_accumulate_wrong(const ct_stage *stage, int port)
{
    const unsigned flags = stage->ports[port].flags & (CT_PORT_ACCUMULATE | CT_PORT_CARRY);
    if (flags && stage->ports[port].direction != CT_OUT) return "only an output accumulates";
    if (flags == CT_PORT_CARRY) return "it carries sums on, but does not accumulate";
    for (int p = 0; flags && p < port; p++)
        if (stage->ports[p].direction == CT_OUT && (stage->ports[p].flags & CT_PORT_ACCUMULATE) &&
            (stage->ports[p].flags ^ flags) & CT_PORT_CARRY)
            return "of outputs that accumulate all carry sums on, or none";
    return NULL;
}

static bool is_connected_with(const ct_step *step, unsigned flag)
{
    for (int p = 0; p < ct_step_ports(step); p++)
        if ((step->stage->ports[p].flags & flag) && step->port[p].type != CT_NONE) return true;
    return false;
}

bool ct_step_accumulates(const ct_step *step)
{
    return is_connected_with(step, CT_PORT_ACCUMULATE);
}

bool ct_step_carries(const ct_step *step)
{
    return is_connected_with(step, CT_PORT_CARRY);
}

int64_t ct_step_firing(const ct_step *step)
{
    return ct_step_in(step)->firing;
}

int64_t ct_step_per_firing(const ct_step *step)
{
    return step->accumulate > 1 ? ct_step_firing(step) : step->decimate;
}
