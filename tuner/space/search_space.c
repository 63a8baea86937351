/* search_space.c: see search_space.h.
 * Room: tuner/space. Order: nodes with their axes first, then the edges between them. */
#include "search_space.h"

#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "layout.h"
#include "text.h"

/* ---- layouts */

/* The letters without those of extent 1: only these decide where elements lie. */
static void space_essence(const ct_array *array, const ct_layout *layout, char out[CT_DIMS + 1])
{
    int length = 0;
    for (int i = 0; i < layout->rank; i++)
        if (ct_array_extent(array, layout->dim[i]) > 1) out[length++] = layout->dim[i];
    out[length] = 0;
}

/* Of layouts that are the same but for extents of 1, the one whose extents of 1 come first is
 * taken: the same for the writer and for all readers. */
static bool space_is_before(const ct_array *array, const ct_layout *a, const ct_layout *b)
{
    for (int i = 0; i < a->rank; i++) {
        const bool one = ct_array_extent(array, a->dim[i]) == 1;
        const bool other = ct_array_extent(array, b->dim[i]) == 1;
        if (one != other) return one;
        if (one && a->dim[i] != b->dim[i]) return a->dim[i] < b->dim[i];
    }
    return false;
}

static void space_add(const ct_array *array, ct_space_axis *axis, const ct_layout *layout)
{
    char own[CT_DIMS + 1], other[CT_DIMS + 1];
    int i = 0;
    space_essence(array, layout, own);
    for (; i < axis->count; i++) {
        space_essence(array, &axis->list[i], other);
        if (!strcmp(own, other)) break;
    }
    if (i == axis->count)
        axis->list[axis->count++] = *layout;
    else if (i > 0 && space_is_before(array, layout, &axis->list[i]))
        axis->list[i] = *layout;
}

/* What the default plan says of a port. */
static ct_status space_default(const ct_space *space, const ct_space_node *node, int port,
                               ct_layout *out, ct_error *err)
{
    const char *name = node->step->stage->ports[port].name;
    if (space->usual) {
        *out = space->usual[node->index * CT_PORTS + port];
        return CT_OK;
    }
    const ct_value *own = ct_value_get(ct_value_get(space->default_plan, "nodes"), node->name);
    const char *text = ct_value_text(ct_value_get(ct_value_get(own, "layouts"), name), NULL);
    if (text) return ct_layout_parse(out, text, err);
    return ct_error_add(err, CT_FAILED, "the default plan has no layout for %s.%s", node->name,
                        name);
}

static bool space_is_wanted(const ct_space *space, const ct_space_node *node)
{
    const char *const *only = space->only;
    for (int i = 0; only && only[i]; i++)
        if (!strcmp(only[i], node->name)) return true;
    return !only || !only[0];
}

static bool space_is_pinned(const ct_space *space, const ct_space_node *node,
                            const ct_space_axis *axis)
{
    const ct_node *own = &space->graph->nodes[node->index];
    if (!node->free || !space_is_wanted(space, node)) return true;
    if (!axis->out) return axis->port == 0 && own->read.rank;
    return axis->port != ct_step_first_output(own->step) || own->write.rank;
}

static ct_status space_layouts(ct_space *space, ct_space_node *node, ct_space_axis *axis,
                               ct_error *err)
{
    ct_status status = CT_OK;
    ct_layout own, *all = NULL;
    int64_t count = 0;
    const ct_array *array = &node->step->port[axis->port];
    CT_TRY(space_default(space, node, axis->port, &own, err));
    if (!space_is_pinned(space, node, axis))
        count = ct_step_layouts(&all, node->step, axis->port, NULL);
    if (count < 0) CT_TRY(ct_memory_fail(0, err));
    axis->list = ct_arena_get(space->arena, sizeof *axis->list * (size_t)(count + 1));
    CT_TRY(ct_arena_check(space->arena, err));
    axis->list[axis->count++] = own;
    for (int64_t i = 0; i < count; i++)
        space_add(array, axis, &all[i]);
out:
    ct_memory_free(all);
    return status;
}

/* ---- nodes */

static bool space_is_axis(const ct_node *own, int port, bool out)
{
    const ct_direction direction = own->step->stage->ports[port].direction;
    if (own->step->port[port].type == CT_NONE) return false;
    return out ? direction == CT_OUT : direction == CT_IN && own->input[port].node >= 0;
}

static ct_status space_axes(ct_space *space, ct_space_node *node, const ct_node *own, bool out,
                            ct_error *err)
{
    ct_status status = CT_OK;
    for (int p = 0; p < ct_step_ports(own->step); p++) {
        ct_space_axis *axis = &node->axis[node->axes];
        if (!space_is_axis(own, p, out)) continue;
        *axis = (ct_space_axis){.port = p, .out = out, .edge = -1, .place = -1};
        CT_TRY(space_layouts(space, node, axis, err));
        node->choices *= axis->count;
        node->axes++;
        node->inputs += !out;
    }
out:
    return status;
}

static ct_status space_node(ct_space *space, int n, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_node *own = &space->graph->nodes[n];
    ct_space_node *node = &space->node[n];
    *node = (ct_space_node){.index = n, .name = own->name, .step = own->step, .choices = 1};
    node->free = ct_role_of(own->step) == CT_ROLE_KERNEL;
    CT_TRY(space_axes(space, node, own, false, err));
    CT_TRY(space_axes(space, node, own, true, err));
out:
    return status;
}

/* ---- edges */

int ct_space_layout(const ct_space_edge *edge, const char *layout)
{
    for (int i = 0; i < edge->layouts; i++)
        if (!strcmp(edge->list[i].dim, layout)) return i;
    return -1;
}

static int space_number(ct_space_edge *edge, const ct_layout *layout)
{
    const int place = ct_space_layout(edge, layout->dim);
    if (place >= 0) return place;
    edge->list[edge->layouts] = *layout;
    return edge->layouts++;
}

static int *space_numbers(ct_space *space, ct_space_edge *edge, const ct_space_axis *axis)
{
    int *number = ct_arena_get(space->arena, sizeof *number * (size_t)axis->count);
    for (int i = 0; number && i < axis->count; i++)
        number[i] = space_number(edge, &axis->list[i]);
    return number;
}

static ct_space_axis *space_axis(const ct_space *space, ct_link from)
{
    ct_space_node *node = &space->node[from.node];
    for (int a = node->inputs; a < node->axes; a++)
        if (node->axis[a].port == from.port) return &node->axis[a];
    return NULL;
}

static ct_status space_reader(ct_space *space, int s, int a, ct_error *err)
{
    ct_space_node *node = &space->node[s];
    const ct_link from = space->graph->nodes[node->index].input[node->axis[a].port];
    ct_space_axis *written = space_axis(space, from);
    if (!written)
        return ct_error_add(err, CT_FAILED, "%s reads an output that is none", node->name);
    if (written->edge < 0) {
        written->edge = space->edges++;
        space->edge[written->edge] = (ct_space_edge){
            .writer = from.node, .writer_axis = (int)(written - space->node[from.node].axis)};
    }
    ct_space_edge *edge = &space->edge[written->edge];
    if (edge->readers == CT_SPACE_READERS)
        return ct_error_add(err, CT_INVALID, "%s has more than %d readers: too many to tune",
                            space->node[from.node].name, CT_SPACE_READERS);
    node->axis[a].edge = written->edge;
    node->axis[a].place = edge->readers;
    edge->reader_node[edge->readers] = s;
    edge->reader_axis[edge->readers++] = a;
    return CT_OK;
}

static ct_status space_edge(ct_space *space, ct_space_edge *edge, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_space_axis *written = &space->node[edge->writer].axis[edge->writer_axis];
    const ct_array *array = &space->node[edge->writer].step->port[written->port];
    int most = written->count;
    for (int r = 0; r < edge->readers; r++)
        most += space->node[edge->reader_node[r]].axis[edge->reader_axis[r]].count;
    edge->list = ct_arena_get(space->arena, sizeof *edge->list * (size_t)most);
    CT_TRY(ct_arena_check(space->arena, err));
    edge->bytes = (double)ct_array_count(array) * ct_type_bits(array->type) / 8;
    edge->number[0] = space_numbers(space, edge, written);
    for (int r = 0; r < edge->readers; r++) {
        const ct_space_axis *read = &space->node[edge->reader_node[r]].axis[edge->reader_axis[r]];
        edge->number[1 + r] = space_numbers(space, edge, read);
    }
    CT_TRY(ct_arena_check(space->arena, err));
out:
    return status;
}

/* A name in `only` that is no node. */
static ct_status space_check(const ct_space *space, ct_error *err)
{
    const char **names = ct_arena_get(space->arena, sizeof *names * (size_t)(space->nodes + 1));
    if (!names) return ct_arena_check(space->arena, err);
    for (int n = 0; n < space->nodes; n++)
        names[n] = space->graph->nodes[n].name;
    for (int i = 0; space->only && space->only[i]; i++) {
        const char *near = ct_suggest_nearest(space->only[i], names);
        if (ct_graph_find(space->graph, space->only[i]) >= 0) continue;
        return ct_error_add(err, CT_USAGE, "--only: the pipeline has no node \"%s\"%s%s%s",
                            space->only[i], near ? "; did you mean \"" : "", near ? near : "",
                            near ? "\"?" : "");
    }
    return CT_OK;
}

ct_status ct_space_new(ct_space **out, const ct_graph *graph, const ct_layout *usual,
                       const ct_value *default_plan, const char *const *only, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_space *space = ct_arena_begin(&arena, sizeof *space);
    CT_NEED(space, sizeof *space, err);
    *space = (ct_space){.graph = graph,
                        .usual = usual,
                        .default_plan = default_plan,
                        .only = only,
                        .nodes = graph->count};
    space->arena = arena;
    space->node = ct_arena_get(arena, sizeof *space->node * (size_t)graph->count);
    space->edge = ct_arena_get(arena, sizeof *space->edge * (size_t)graph->count * CT_PORTS);
    CT_TRY(ct_arena_check(arena, err));
    CT_TRY(space_check(space, err));
    for (int n = 0; n < graph->count; n++)
        CT_TRY(space_node(space, n, err));
    for (int s = 0; s < space->nodes; s++)
        for (int a = 0; a < space->node[s].inputs; a++)
            CT_TRY(space_reader(space, s, a, err));
    for (int i = 0; i < space->edges; i++)
        CT_TRY(space_edge(space, &space->edge[i], err));
out:
    if (status != CT_OK) {
        ct_space_free(space);
        space = NULL;
    }
    *out = space;
    return status;
}

void ct_space_free(ct_space *space)
{
    if (space) ct_arena_free(space->arena);
}

int ct_space_find(const ct_space *space, const char *name)
{
    for (int s = 0; s < space->nodes; s++)
        if (!strcmp(space->node[s].name, name)) return s;
    return -1;
}

/* ---- choices */

void ct_space_places(const ct_space_node *node, int64_t choice, int places[CT_PORTS])
{
    for (int a = node->axes - 1; a >= 0; a--) {
        places[a] = (int)(choice % node->axis[a].count);
        choice /= node->axis[a].count;
    }
}

int64_t ct_space_choice(const ct_space_node *node, const int places[CT_PORTS])
{
    int64_t choice = 0;
    for (int a = 0; a < node->axes; a++)
        choice = choice * node->axis[a].count + places[a];
    return choice;
}

void ct_space_print(const ct_space_node *node, int64_t choice, char at[CT_SPACE_AT])
{
    int places[CT_PORTS], used = 0;
    ct_space_places(node, choice, places);
    at[0] = 0;
    for (int a = 0; a < node->axes && a <= node->inputs; a++)
        used +=
            snprintf(at + used, CT_SPACE_AT - (size_t)used, "%s%s",
                     a == node->inputs ? ">" : (a ? "," : ""), node->axis[a].list[places[a]].dim);
}

int64_t ct_space_read(const ct_space_node *node, const char *at)
{
    int places[CT_PORTS] = {0};
    for (int a = 0; a < node->axes && a <= node->inputs; a++) {
        const size_t length = strcspn(at, ",>");
        places[a] = -1;
        for (int i = 0; i < node->axis[a].count; i++) {
            const char *dim = node->axis[a].list[i].dim;
            if (strlen(dim) == length && !strncmp(dim, at, length)) places[a] = i;
        }
        if (places[a] < 0) return -1;
        at += length + (at[length] != 0);
    }
    return *at ? -1 : ct_space_choice(node, places);
}

bool ct_space_allows(const ct_space_node *node, int64_t choice)
{
    int places[CT_PORTS];
    ct_space_places(node, choice, places);
    for (int a = 0; a < node->axes; a++) {
        const char *pattern = node->step->stage->ports[node->axis[a].port].layout;
        if (!pattern || *pattern != '=') continue;
        const int as = ct_step_find_port(node->step, pattern + 1);
        for (int b = 0; b < node->axes; b++)
            if (node->axis[b].port == as &&
                !ct_layout_equal(&node->axis[a].list[places[a]], &node->axis[b].list[places[b]]))
                return false;
    }
    return true;
}

/* ---- what arrays are called */

void ct_space_edge_name(char out[CT_SPACE_NAME], const ct_space *space, int i)
{
    const ct_space_edge *edge = &space->edge[i];
    const ct_space_node *node = &space->node[edge->writer];
    const bool first = edge->writer_axis == node->inputs;
    snprintf(out, CT_SPACE_NAME, "%s%s%s", node->name, first ? "" : ".",
             first ? "" : node->step->stage->ports[node->axis[edge->writer_axis].port].name);
}

int ct_space_find_edge(const ct_space *space, const char *array)
{
    char name[CT_SPACE_NAME];
    for (int i = 0; i < space->edges; i++) {
        ct_space_edge_name(name, space, i);
        if (!strcmp(name, array)) return i;
    }
    return -1;
}
