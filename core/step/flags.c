/* flags.c: ports that take flags, and ports that give them: which there may be, and their shapes.
 * Room: core/step. Knows descriptors and shapes. Does not know where flags go. */
#include <string.h>

#include "step_inner.h"

static bool takes_channels(const ct_port *port)
{
    ct_port_dim dims[CT_DIMS];
    const int count = ct_port_parse(port, dims);
    for (int i = 0; i < count; i++)
        if (dims[i].letter == 'C') return true;
    return false;
}

ct_array ct_step_flags(const ct_step *step, int port, bool channels)
{
    const ct_array *data = &step->port[0];
    ct_array flags = {.type = CT_U8};
    ct_array_add(&flags, 'S', ct_array_extent(data, 'S'));
    ct_array_add(&flags, 'T', ct_array_extent(data, 'T'));
    if (channels && takes_channels(&step->stage->ports[port]) && ct_array_find(data, 'C') >= 0)
        ct_array_add(&flags, 'C', ct_array_extent(data, 'C'));
    ct_array_dense(&flags, NULL);
    return flags;
}

void ct_step_bring(ct_step *step, int port, bool brought)
{
    uint32_t *ports = &ct_step_in(step)->brought;
    *ports = brought ? *ports | 1u << port : *ports & ~(1u << port);
}

bool ct_step_brought(const ct_step *step, int port)
{
    return ct_step_in(step)->brought >> port & 1;
}

/* ---- descriptors */

static bool is_repeated(const ct_stage *stage, int port)
{
    for (int p = 0; p < port; p++)
        if ((stage->ports[p].flags & CT_PORT_FLAGS) &&
            stage->ports[p].direction == stage->ports[port].direction)
            return true;
    return false;
}

/* T in any case, S and C perhaps, and no others. */
static bool has_given_dims(const ct_port *port)
{
    ct_port_dim dims[CT_DIMS];
    const int count = ct_port_parse(port, dims);
    bool time = false;
    for (int i = 0; i < count; i++) {
        if (dims[i].choices[1] || !strchr("STC", dims[i].letter)) return false;
        time = time || (dims[i].letter == 'T' && !dims[i].optional);
    }
    return time;
}

const char *ct_flags_wrong(const ct_stage *stage, int p)
{
    const ct_port *port = &stage->ports[p];
    if (!(port->flags & CT_PORT_FLAGS)) return NULL;
    if (port->direction != CT_IN && port->direction != CT_OUT)
        return "flags are an input or an output";
    if (p == 0)
        return port->direction == CT_IN ? "flags stand beside the data, which are the first port's"
                                        : "a source says in its read() which samples are missing";
    if (is_repeated(stage, p)) return "another port has the flags";
    if (port->direction == CT_IN) return NULL;
    if (strcmp(port->types, "u8") != 0) return "flags that a stage gives have the type u8";
    if (!has_given_dims(port))
        return "flags that a stage gives have the dims ST, or S?T where the data may have no "
               "stations, or T for all stations alike, and C behind them for flags of channels";
    if (ct_accumulate_declared(stage) && !(port->flags & CT_PORT_ACCUMULATE))
        return "where another output gathers several blocks, the flags do, too";
    return NULL;
}

/* ---- shapes */

static ct_status check_channels(const ct_step *step, int flags, int port, ct_error *err)
{
    const ct_array *f = &step->port[flags], *y = &step->port[port];
    if (ct_array_find(f, 'C') < 0 || ct_array_find(y, 'C') < 0) return CT_OK;
    if (ct_array_extent(f, 'C') == ct_array_extent(y, 'C')) return CT_OK;
    return ct_step_fail(
        step, NULL, err,
        "port %s flags %lld channels, port %s has %lld: expected as many, or flags without C",
        step->stage->ports[flags].name, (long long)ct_array_extent(f, 'C'),
        step->stage->ports[port].name, (long long)ct_array_extent(y, 'C'));
}

static ct_status check_one(const ct_step *step, int flags, int port, ct_error *err)
{
    const ct_array *f = &step->port[flags], *y = &step->port[port];
    if (port == flags || y->type == CT_NONE || ct_array_find(y, 'T') < 0) return CT_OK;
    if (check_channels(step, flags, port, err) != CT_OK) return CT_INVALID;
    if (ct_array_find(f, 'S') < 0 || ct_array_extent(f, 'S') == ct_array_extent(y, 'S'))
        return CT_OK;
    return ct_step_fail(
        step, NULL, err,
        "port %s flags %lld stations, port %s has %lld (dimensions %s): expected as "
        "many, or flags without S",
        step->stage->ports[flags].name, (long long)ct_array_extent(f, 'S'),
        step->stage->ports[port].name, (long long)ct_array_extent(y, 'S'), y->dim);
}

ct_status ct_step_check_flags(const ct_step *step, ct_error *err)
{
    const ct_port *ports = step->stage->ports;
    for (int f = 0; f < ct_step_ports(step); f++) {
        if (!ct_port_gives_flags(&ports[f]) || step->port[f].type == CT_NONE) continue;
        for (int p = 0; p < ct_step_ports(step); p++)
            if (ports[p].direction == CT_OUT && check_one(step, f, p, err) != CT_OK)
                return CT_INVALID;
    }
    return CT_OK;
}
