/* port.c: reads a port's `dims` and fits arrays to it.
 * Room: core/step. Knows "SPTC", "[BS]?TC", "*". Does not know layouts' patterns or any stage. */
#include "step_inner.h"
#include <string.h>

static const char *ports_read(const char *at, ct_port_dim *dim)
{
    memset(dim, 0, sizeof *dim);
    if (*at == '[') {
        size_t length = strcspn(at + 1, "]");
        memcpy(dim->choices, at + 1, length);
        at += length + 2;
    } else {
        dim->choices[0] = *at++;
    }
    dim->letter = dim->choices[0];
    dim->optional = *at == '?';
    return at + dim->optional;
}

int ct_port_parse(const ct_port *port, ct_port_dim out[CT_DIMS])
{
    int count = 0;
    const char *at = port->dims;
    if (!strcmp(at, "*")) return 0;
    while (*at) {
        at = ports_read(at, &out[count++]);
    }
    return count;
}

bool ct_port_any_has(const ct_step *step, char letter)
{
    for (int i = 0; i < ct_step_ports(step); i++) {
        const ct_port_dim *dims = ct_step_in(step)->dims[i];
        if (!strcmp(step->stage->ports[i].dims, "*")) return true;
        for (int k = 0; k < CT_DIMS && dims[k].letter; k++)
            if (dims[k].letter == letter) return true;
    }
    return false;
}

int ct_port_dim_find(const ct_port_dim *dim, const ct_array *array)
{
    for (const char *letter = dim->choices; *letter; letter++) {
        int place = ct_array_find(array, *letter);
        if (place >= 0) return place;
    }
    return -1;
}

static void ports_move(ct_array *to, const ct_array *from, int place)
{
    to->dim[to->rank] = from->dim[place];
    to->extent[to->rank] = from->extent[place];
    to->stride[to->rank] = from->stride[place];
    to->rank++;
}

bool ct_port_order(const ct_port *port, ct_array *array)
{
    ct_port_dim dims[CT_DIMS];
    int count = ct_port_parse(port, dims);
    ct_array ordered = *array;
    if (!strcmp(port->dims, "*")) return true;
    ordered.rank = 0;
    memset(ordered.dim, 0, sizeof ordered.dim);
    for (int i = 0; i < count; i++) {
        int place = ct_port_dim_find(&dims[i], array);
        if (place >= 0)
            ports_move(&ordered, array, place);
        else if (!dims[i].optional)
            return false;
    }
    if (ordered.rank != array->rank) return false;
    *array = ordered;
    return true;
}

void ct_step_letters(const ct_step *step, int port, char letters[CT_DIMS + 1],
                     char aliases[CT_DIMS + 1])
{
    ct_port_dim dims[CT_DIMS];
    const ct_array *array = &step->port[port];
    int count = ct_port_parse(&step->stage->ports[port], dims);
    memset(letters, 0, CT_DIMS + 1);
    memset(aliases, 0, CT_DIMS + 1);
    if (!strcmp(step->stage->ports[port].dims, "*")) {
        memcpy(letters, array->dim, (size_t)array->rank);
        memcpy(aliases, array->dim, (size_t)array->rank);
        return;
    }
    for (int i = 0; i < count; i++) {
        int place = ct_port_dim_find(&dims[i], array);
        letters[i] = dims[i].letter;
        aliases[i] = place >= 0 ? array->dim[place] : '-';
    }
}

bool ct_port_takes_flags(const ct_port *port)
{
    return port->direction == CT_IN && (port->flags & CT_PORT_FLAGS);
}

bool ct_port_gives_flags(const ct_port *port)
{
    return port->direction == CT_OUT && (port->flags & CT_PORT_FLAGS);
}

bool ct_port_is_exact(const ct_port *port)
{
    return (port->flags & CT_PORT_EXACT) || ct_port_gives_flags(port);
}
