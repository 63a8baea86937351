/* space.c: see space.h.
 * Room: tuner/pipeline. Order: sites with their axes first, then the spots between them. */
#include "space.h"

#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "layout.h"
#include "text.h"

/* ---- layouts */

/* The letters without those of extent 1: what decides where elements lie. */
static void space_essence(const ct_array *array, const ct_layout *layout, char out[CT_DIMS + 1])
{
    int length = 0;
    for (int i = 0; i < layout->rank; i++)
        if (ct_array_extent(array, layout->dim[i]) > 1) out[length++] = layout->dim[i];
    out[length] = 0;
}

/* Of layouts with one essence that is taken whose extents of 1 come first: the same for the writer
 * and for all readers. */
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

static void space_add(const ct_array *array, ct_axis *axis, const ct_layout *layout)
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
static ct_status space_usual(const ct_space *space, const ct_site *site, int port, ct_layout *out,
                             ct_error *err)
{
    const char *name = site->step->stage->ports[port].name;
    const ct_value *node = ct_value_get(ct_value_get(space->usual, "nodes"), site->name);
    const char *text = ct_value_text(ct_value_get(ct_value_get(node, "layouts"), name), NULL);
    if (text) return ct_layout_parse(out, text, err);
    return ct_error_add(err, CT_FAILED, "the default plan has no layout for %s.%s", site->name,
                        name);
}

static bool space_is_wanted(const ct_space *space, const ct_site *site)
{
    const char *const *only = space->only;
    for (int i = 0; only && only[i]; i++)
        if (!strcmp(only[i], site->name)) return true;
    return !only || !only[0];
}

static bool space_is_pinned(const ct_space *space, const ct_site *site, const ct_axis *axis)
{
    const ct_node *node = &space->graph->nodes[site->node];
    if (!site->free || !space_is_wanted(space, site)) return true;
    if (!axis->out) return axis->port == 0 && node->read.rank;
    return axis->port != ct_step_first_output(node->step) || node->write.rank;
}

static ct_status space_layouts(ct_space *space, ct_site *site, ct_axis *axis, ct_error *err)
{
    ct_status status = CT_OK;
    ct_layout usual, *all = NULL;
    int64_t count = 0;
    const ct_array *array = &site->step->port[axis->port];
    CT_TRY(space_usual(space, site, axis->port, &usual, err));
    if (!space_is_pinned(space, site, axis))
        count = ct_step_layouts(&all, site->step, axis->port, NULL);
    if (count < 0) CT_TRY(ct_memory_fail(0, err));
    axis->list = ct_arena_get(space->arena, sizeof *axis->list * (size_t)(count + 1));
    CT_TRY(ct_arena_check(space->arena, err));
    axis->list[axis->count++] = usual;
    for (int64_t i = 0; i < count; i++)
        space_add(array, axis, &all[i]);
out:
    ct_memory_free(all);
    return status;
}

/* ---- sites */

static bool space_is_axis(const ct_node *node, int port, bool out)
{
    const ct_direction direction = node->step->stage->ports[port].direction;
    if (node->step->port[port].type == CT_NONE) return false;
    return out ? direction == CT_OUT : direction == CT_IN && node->input[port].node >= 0;
}

static ct_status space_axes(ct_space *space, ct_site *site, const ct_node *node, bool out,
                            ct_error *err)
{
    ct_status status = CT_OK;
    for (int p = 0; p < ct_step_ports(node->step); p++) {
        ct_axis *axis = &site->axis[site->axes];
        if (!space_is_axis(node, p, out)) continue;
        *axis = (ct_axis){.port = p, .out = out, .spot = -1, .place = -1};
        CT_TRY(space_layouts(space, site, axis, err));
        site->cells *= axis->count;
        site->axes++;
        site->inputs += !out;
    }
out:
    return status;
}

static ct_status space_site(ct_space *space, int n, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_node *node = &space->graph->nodes[n];
    ct_site *site = &space->site[n];
    *site = (ct_site){.node = n, .name = node->name, .step = node->step, .cells = 1};
    site->free = ct_role_of(node->step) == CT_ROLE_KERNEL;
    CT_TRY(space_axes(space, site, node, false, err));
    CT_TRY(space_axes(space, site, node, true, err));
out:
    return status;
}

/* ---- spots */

int ct_space_layout(const ct_spot *spot, const char *layout)
{
    for (int i = 0; i < spot->layouts; i++)
        if (!strcmp(spot->list[i].dim, layout)) return i;
    return -1;
}

static int space_number(ct_spot *spot, const ct_layout *layout)
{
    const int place = ct_space_layout(spot, layout->dim);
    if (place >= 0) return place;
    spot->list[spot->layouts] = *layout;
    return spot->layouts++;
}

static int *space_numbers(ct_space *space, ct_spot *spot, const ct_axis *axis)
{
    int *number = ct_arena_get(space->arena, sizeof *number * (size_t)axis->count);
    for (int i = 0; number && i < axis->count; i++)
        number[i] = space_number(spot, &axis->list[i]);
    return number;
}

static ct_axis *space_axis(const ct_space *space, ct_link from)
{
    ct_site *site = &space->site[from.node];
    for (int a = site->inputs; a < site->axes; a++)
        if (site->axis[a].port == from.port) return &site->axis[a];
    return NULL;
}

static ct_status space_reader(ct_space *space, int s, int a, ct_error *err)
{
    ct_site *site = &space->site[s];
    const ct_link from = space->graph->nodes[site->node].input[site->axis[a].port];
    ct_axis *written = space_axis(space, from);
    if (!written)
        return ct_error_add(err, CT_FAILED, "%s reads an output that is none", site->name);
    if (written->spot < 0) {
        written->spot = space->spots++;
        space->spot[written->spot] =
            (ct_spot){.site = from.node, .axis = (int)(written - space->site[from.node].axis)};
    }
    ct_spot *spot = &space->spot[written->spot];
    if (spot->readers == CT_SPACE_READERS)
        return ct_error_add(err, CT_INVALID, "%s has more than %d readers: too many to tune",
                            space->site[from.node].name, CT_SPACE_READERS);
    site->axis[a].spot = written->spot;
    site->axis[a].place = spot->readers;
    spot->reader_site[spot->readers] = s;
    spot->reader_axis[spot->readers++] = a;
    return CT_OK;
}

static ct_status space_spot(ct_space *space, ct_spot *spot, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_axis *written = &space->site[spot->site].axis[spot->axis];
    const ct_array *array = &space->site[spot->site].step->port[written->port];
    int most = written->count;
    for (int r = 0; r < spot->readers; r++)
        most += space->site[spot->reader_site[r]].axis[spot->reader_axis[r]].count;
    spot->list = ct_arena_get(space->arena, sizeof *spot->list * (size_t)most);
    CT_TRY(ct_arena_check(space->arena, err));
    spot->bytes = (double)ct_array_count(array) * ct_type_bits(array->type) / 8;
    spot->number[0] = space_numbers(space, spot, written);
    for (int r = 0; r < spot->readers; r++) {
        const ct_axis *read = &space->site[spot->reader_site[r]].axis[spot->reader_axis[r]];
        spot->number[1 + r] = space_numbers(space, spot, read);
    }
    CT_TRY(ct_arena_check(space->arena, err));
out:
    return status;
}

/* A name in `only` that is no node. */
static ct_status space_check(const ct_space *space, ct_error *err)
{
    const char **names = ct_arena_get(space->arena, sizeof *names * (size_t)(space->sites + 1));
    if (!names) return ct_arena_check(space->arena, err);
    for (int n = 0; n < space->sites; n++)
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

ct_status ct_space_new(ct_space **out, const ct_graph *graph, const ct_value *usual,
                       const char *const *only, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_space *space = ct_arena_begin(&arena, sizeof *space);
    CT_NEED(space, sizeof *space, err);
    *space = (ct_space){.graph = graph, .usual = usual, .only = only, .sites = graph->count};
    space->arena = arena;
    space->site = ct_arena_get(arena, sizeof *space->site * (size_t)graph->count);
    space->spot = ct_arena_get(arena, sizeof *space->spot * (size_t)graph->count * CT_PORTS);
    CT_TRY(ct_arena_check(arena, err));
    CT_TRY(space_check(space, err));
    for (int n = 0; n < graph->count; n++)
        CT_TRY(space_site(space, n, err));
    for (int s = 0; s < space->sites; s++)
        for (int a = 0; a < space->site[s].inputs; a++)
            CT_TRY(space_reader(space, s, a, err));
    for (int i = 0; i < space->spots; i++)
        CT_TRY(space_spot(space, &space->spot[i], err));
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
    for (int s = 0; s < space->sites; s++)
        if (!strcmp(space->site[s].name, name)) return s;
    return -1;
}

/* ---- cells */

void ct_space_places(const ct_site *site, int64_t cell, int places[CT_PORTS])
{
    for (int a = site->axes - 1; a >= 0; a--) {
        places[a] = (int)(cell % site->axis[a].count);
        cell /= site->axis[a].count;
    }
}

int64_t ct_space_cell(const ct_site *site, const int places[CT_PORTS])
{
    int64_t cell = 0;
    for (int a = 0; a < site->axes; a++)
        cell = cell * site->axis[a].count + places[a];
    return cell;
}

void ct_space_print(const ct_site *site, int64_t cell, char at[CT_SPACE_AT])
{
    int places[CT_PORTS], used = 0;
    ct_space_places(site, cell, places);
    at[0] = 0;
    for (int a = 0; a < site->axes && a <= site->inputs; a++)
        used +=
            snprintf(at + used, CT_SPACE_AT - (size_t)used, "%s%s",
                     a == site->inputs ? ">" : (a ? "," : ""), site->axis[a].list[places[a]].dim);
}

int64_t ct_space_read(const ct_site *site, const char *at)
{
    int places[CT_PORTS] = {0};
    for (int a = 0; a < site->axes && a <= site->inputs; a++) {
        const size_t length = strcspn(at, ",>");
        places[a] = -1;
        for (int i = 0; i < site->axis[a].count; i++) {
            const char *dim = site->axis[a].list[i].dim;
            if (strlen(dim) == length && !strncmp(dim, at, length)) places[a] = i;
        }
        if (places[a] < 0) return -1;
        at += length + (at[length] != 0);
    }
    return *at ? -1 : ct_space_cell(site, places);
}

bool ct_space_allows(const ct_site *site, int64_t cell)
{
    int places[CT_PORTS];
    ct_space_places(site, cell, places);
    for (int a = 0; a < site->axes; a++) {
        const char *pattern = site->step->stage->ports[site->axis[a].port].layout;
        if (!pattern || *pattern != '=') continue;
        const int as = ct_step_find_port(site->step, pattern + 1);
        for (int b = 0; b < site->axes; b++)
            if (site->axis[b].port == as &&
                !ct_layout_equal(&site->axis[a].list[places[a]], &site->axis[b].list[places[b]]))
                return false;
    }
    return true;
}
