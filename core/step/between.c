/* between.c: whether a stage, by what its ports declare, makes what another one needs of what there
 * is.
 * Room: core/step. Knows ports' dims and types. Does not know any stage, nor parameters. */
#include "step_inner.h"
#include "word.h"
#include <string.h>

static bool takes_type(const ct_port *port, ct_type type)
{
    return !strcmp(port->types, "*") || port->types[0] == '=' ||
           ct_word_find(port->types, ct_type_name(type)) >= 0;
}

/* Stages that take anything lead nowhere in particular. */
static bool takes(const ct_port *port, const ct_array *array)
{
    ct_array copy = *array;
    return strcmp(port->dims, "*") != 0 && takes_type(port, array->type) &&
           ct_port_order(port, &copy);
}

/* The first type of an output that is taken; CT_NONE where there is none. */
static ct_type made_type(const ct_port *out, const ct_array *in, const ct_port *needed)
{
    char word[32];
    if (out->types[0] == '=') return takes_type(needed, in->type) ? in->type : CT_NONE;
    for (int n = 0; ct_word_at(out->types, n, word, sizeof word); n++) {
        const ct_type type = ct_type_parse(word);
        if (takes_type(needed, type)) return type;
    }
    return CT_NONE;
}

/* Dimensions that the input has, too, and those that there have to be. */
static ct_array made_array(const ct_port *out, const ct_array *in, const ct_port *needed)
{
    ct_port_dim dims[CT_DIMS];
    ct_array made = {.type = made_type(out, in, needed)};
    const int count = ct_port_parse(out, dims);
    for (int i = 0; i < count; i++) {
        const int place = ct_port_dim_find(&dims[i], in);
        if (place >= 0 || !dims[i].optional)
            ct_array_add(&made, place >= 0 ? in->dim[place] : dims[i].choices[0], 1);
    }
    return made;
}

bool ct_step_leads(const ct_stage *between, const ct_array *there, const ct_port *needed)
{
    const ct_port *port = between->ports;
    if (!port->name || port->direction != CT_IN || !takes(port, there)) return false;
    for (port++; port->name && port->direction != CT_OUT; port++)
        if (port->direction == CT_IN && !(port->flags & CT_PORT_OPTIONAL)) return false;
    if (!port->name) return false;
    const ct_array made = made_array(port, there, needed);
    return made.type != CT_NONE && takes(needed, &made);
}
