/* infer_flags.c: see infer_inner.h.
 * Room: core/graph. Knows links, ports and groups of channels. Does not know who flags what. */
#include "infer_inner.h"

#include "fail.h"

/* Groups of one channel each. */
static ct_status apart(const ct_groups **out, ct_step *step, int64_t channels, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_groups *had = *out;
    if (had && had->count == channels && had->channels == channels) return CT_OK;
    ct_groups *groups = ct_step_alloc(step, sizeof *groups);
    int32_t *of = ct_step_alloc(step, sizeof *of * (size_t)channels);
    CT_NEED(groups, sizeof *groups, err);
    CT_NEED(of, sizeof *of * (size_t)channels, err);
    for (int64_t c = 0; c < channels; c++)
        of[c] = (int32_t)c;
    *groups = (ct_groups){.count = channels, .channels = channels, .of = of};
    *out = groups;
out:
    return status;
}

ct_status ct_infer_flags_in(ct_node *node, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step *step = node->step;
    ct_array *data = &step->port[0];
    for (int p = 1; p < ct_step_ports(step); p++) {
        if (!ct_port_takes_flags(&step->stage->ports[p])) continue;
        ct_step_bring(step, p, node->input[p].node >= 0);
        if (node->input[p].node < 0)
            step->port[p] = ct_step_flags(step, p, ct_array_groups(data) > 1);
        else if (ct_array_find(&step->port[p], 'C') >= 0)
            CT_TRY(apart(&data->meta.groups, step, ct_array_extent(data, 'C'), err));
    }
out:
    return status;
}

ct_status ct_infer_flags_out(ct_node *node, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step *step = node->step;
    for (int f = 1; f < ct_step_ports(step); f++) {
        const ct_array *flags = &step->port[f];
        if (!ct_port_gives_flags(&step->stage->ports[f]) || ct_array_find(flags, 'C') < 0) continue;
        for (int p = 1; p < ct_step_ports(step); p++)
            if (p != f && step->stage->ports[p].direction == CT_OUT &&
                ct_array_find(&step->port[p], 'C') >= 0)
                CT_TRY(apart(&step->port[p].meta.groups, step, ct_array_extent(flags, 'C'), err));
    }
out:
    return status;
}

static bool is_read(const ct_graph *graph, const ct_node *node, int port)
{
    const int n = (int)(node - graph->nodes);
    for (int i = n + 1; i < graph->count; i++)
        for (int p = 0; p < CT_PORTS; p++)
            if (graph->nodes[i].input[p].node == n && graph->nodes[i].input[p].port == port)
                return true;
    return false;
}

void ct_infer_unused(const ct_graph *graph, ct_node *node)
{
    ct_step *step = node->step;
    int optional = 0, read = 0;
    for (int p = 1; p < ct_step_ports(step); p++) {
        const ct_port *port = &step->stage->ports[p];
        if (port->direction != CT_OUT || !(port->flags & CT_PORT_OPTIONAL)) continue;
        if (ct_port_gives_flags(port)) continue; /* the run reads them */
        optional++;
        if (is_read(graph, node, p))
            read++;
        else
            step->port[p].type = CT_NONE;
    }
    for (int p = 1; p < ct_step_ports(step); p++)
        if (optional > 0 && read == 0 && (step->stage->traits & CT_STAGE_LEAVES_OUT) &&
            ct_port_takes_flags(&step->stage->ports[p]) && node->input[p].node < 0)
            step->port[p].type = CT_NONE;
}
