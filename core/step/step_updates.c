/* step_updates.c: tables that are filled before each block: those of a port that says so, and those
 * of which the stage says so while shapes are inferred. Room: core/step. Does not know what tables
 * hold. */
#include "step_inner.h"

void ct_step_updates(ct_step *step, const char *table)
{
    const int port = ct_step_find_port(step, table);
    if (port < 0 || step->stage->ports[port].direction != CT_TABLE)
        ct_step_complain(step, "table", table);
    else
        ct_step_in(step)->updated |= 1u << port;
}

bool ct_step_is_updated(const ct_step *step, int port)
{
    const ct_port *declared = &step->stage->ports[port];
    if (declared->direction != CT_TABLE || step->port[port].type == CT_NONE) return false;
    return (declared->flags & CT_PORT_BLOCK) || (ct_step_in(step)->updated >> port & 1u);
}
