/* step.c: the life of a step, its ports and their layouts.
 * Room: core/step. Knows descriptors. Does not know graphs, plans or what is fast. */
#include "device.h"
#include "fail.h"
#include "layout.h"
#include "step_inner.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* NULL where there is no memory. Both halves are in the step's own arena. */
static ct_step *step_make(const ct_stage *stage, const char *name)
{
    ct_arena *arena = NULL;
    ct_step *step = ct_arena_begin(&arena, sizeof *step);
    ct_step_inner *inner = ct_arena_get(arena, sizeof *inner);
    if (!inner) {
        ct_arena_free(arena);
        return NULL;
    }
    inner->arena = arena;
    step->inner = inner;
    step->stage = stage;
    step->name = ct_arena_copy(inner->arena, name);
    step->decimate = step->accumulate = 1;
    for (int p = 0; p < ct_step_ports(step); p++)
        ct_port_parse(&stage->ports[p], inner->dims[p]);
    ct_tunable_read_values(step);
    ct_terms_collect(step);
    return step;
}

ct_status ct_step_bare(ct_step **out, const ct_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    *out = step_make(stage, stage->name);
    CT_NEED(*out, sizeof **out, err);
    CT_TRY(ct_arena_check(ct_step_in(*out)->arena, err));
    return CT_OK;
out:
    ct_step_free(*out);
    *out = NULL;
    return status;
}

/* What `where` and terms say depends on parameters. */
static ct_status step_parse(ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_arena_check(ct_step_in(step)->arena, err));
    CT_TRY(ct_param_defaults(step, err));
    CT_TRY(ct_terms_parse(step, err));
    CT_TRY(ct_legal_parse(step, err));
out:
    return status;
}

ct_status ct_step_new(ct_step **out, const ct_stage *stage, const char *name, const ct_value *given,
                      const char *const *known, const ct_source_location *location, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step *step = step_make(stage, name);
    CT_NEED(step, sizeof *step, err);
    ct_step_in(step)->given = given;
    if (location) ct_step_in(step)->location = *location;
    CT_TRY(ct_param_check(step, known, err));
    CT_TRY(step_parse(step, err));
out:
    if (status != CT_OK) {
        ct_step_free(step);
        step = NULL;
    }
    *out = step;
    return status;
}

ct_status ct_step_copy(ct_step **out, const ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_step_inner *from = ct_step_in(step);
    ct_step *copy = step_make(step->stage, step->name);
    CT_NEED(copy, sizeof *copy, err);
    const char *name = copy->name;
    ct_step_inner *inner = ct_step_in(copy);
    *copy = *step;
    copy->name = name;
    copy->inner = inner;
    inner->given = from->given;
    inner->location = from->location;
    inner->device = from->device;
    inner->probes = from->probes;
    inner->local_bytes = from->local_bytes;
    inner->work_group = from->work_group;
    inner->of_class = from->of_class;
    inner->firing = from->firing;
    inner->ranges = from->ranges;
    memcpy(inner->range, from->range, sizeof inner->range);
    memcpy(inner->whole_meta, from->whole_meta, sizeof inner->whole_meta);
    inner->brought = from->brought;
    inner->updated = from->updated;
    inner->live = from->live;
    if (from->wrong) inner->wrong = ct_arena_copy(inner->arena, from->wrong);
    CT_TRY(step_parse(copy, err));
out:
    if (status != CT_OK) {
        ct_step_free(copy);
        copy = NULL;
    }
    *out = copy;
    return status;
}

void ct_step_set_device(ct_step *step, const ct_device *device)
{
    ct_step_inner *inner = ct_step_in(step);
    step->gpu = device && device->gpu;
    if (device && device != inner->device) inner->probes.count = 0;
    if (device) inner->local_bytes = device->local_bytes;
    if (device) inner->work_group = device->work_group;
    inner->of_class = device ? device->of_class : 0;
    inner->device = device;
}

bool ct_step_device_accepts(const ct_step *step, const char *source)
{
    if (!step || !source) return false;
    ct_step_inner *inner = ct_step_in(step);
    bool accepted = false;
    if (inner->device) {
        accepted = ct_device_accepts(inner->device, source);
        ct_device_probes_keep(&inner->probes, source, accepted);
    } else {
        (void)ct_device_probes_find(&inner->probes, source, &accepted);
    }
    return accepted;
}

static void step_free_defaults(ct_step_inner *inner)
{
    for (int i = 0; i < CT_STEP_PARAMS; i++)
        ct_value_free(inner->otherwise[i]);
}

void ct_step_free(ct_step *step)
{
    ct_step_inner *inner;
    if (!step) return;
    inner = ct_step_in(step);
    step_free_defaults(inner);
    ct_terms_free(step);
    ct_legal_free(step);
    ct_staged_free(inner->staged);
    ct_step_close_open(step);
    ct_memory_free(inner->uses);
    ct_arena_free(inner->arena);
}

void *ct_step_alloc(ct_step *step, size_t bytes)
{
    if (!step) return NULL;
    return ct_arena_get(ct_step_in(step)->arena, bytes);
}

void ct_step_complain(const ct_step *step, const char *what, const char *name)
{
    ct_step_inner *inner = ct_step_in(step);
    if (!inner->wrong) inner->wrong = ct_arena_print(inner->arena, "%s \"%s\"", what, name);
}

ct_status ct_step_complaint(const ct_step *step, ct_error *err)
{
    const char *wrong = ct_step_in(step)->wrong;
    const ct_status status = ct_arena_check(ct_step_in(step)->arena, err);
    if (status != CT_OK || !wrong) return status;
    return ct_step_fail(step, NULL, err, "stage %s asks for its %s, which it does not declare",
                        step->stage->name, wrong);
}

ct_status ct_step_answer(const ct_step *step, ct_status said, ct_error *err)
{
    const ct_status status = ct_arena_check(ct_step_in(step)->arena, err);
    return status != CT_OK ? status : said;
}

void ct_step_watch(ct_step *step, const atomic_bool *stop)
{
    ct_step_in(step)->stop = stop;
}

bool ct_step_stopped(const ct_step *step)
{
    if (!step) return false;
    const atomic_bool *stop = ct_step_in(step)->stop;
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

int ct_step_ports(const ct_step *step)
{
    int count = 0;
    while (count < CT_PORTS && step->stage->ports[count].name)
        count++;
    return count;
}

static bool step_same_name(const char *a, const char *b)
{
    while (*a && toupper((unsigned char)*a) == toupper((unsigned char)*b))
        a++, b++;
    return *a == 0 && *b == 0;
}

int ct_step_find_port(const ct_step *step, const char *name)
{
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step_same_name(step->stage->ports[i].name, name)) return i;
    return -1;
}

ct_array *ct_step_port(ct_step *step, const char *name)
{
    if (!step || !name) return NULL;
    int place = ct_step_find_port(step, name);
    return place < 0 ? NULL : &step->port[place];
}

const ct_array *ct_step_array(const ct_step *step, const char *name)
{
    if (!step || !name) return NULL;
    int place = ct_step_find_port(step, name);
    return place < 0 ? NULL : &step->port[place];
}

bool ct_step_has_history(const ct_step *step, int port)
{
    return port == 0 || ct_port_takes_flags(&step->stage->ports[port]);
}

void ct_step_extend(ct_step *step)
{
    for (int i = 0; i < ct_step_ports(step); i++) {
        int t = ct_array_find(&step->port[i], 'T');
        if (ct_step_has_history(step, i) && t >= 0) {
            step->port[i].extent[t] += step->overlap;
            ct_array_dense(&step->port[i], NULL);
        }
    }
}

const char *ct_step_pattern(const ct_step *step, int port, char out[CT_STEP_PATTERN])
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    const char *declared = step->stage->ports[port].layout;
    size_t length = 0;
    ct_step_letters(step, port, letters, aliases);
    for (const char *at = declared ? declared : "*"; *at && length + 1 < CT_STEP_PATTERN; at++) {
        const char *place = *at == '*' ? NULL : strchr(letters, *at);
        char letter = place ? aliases[place - letters] : *at;
        if (letter != '-') out[length++] = letter;
    }
    out[length] = 0;
    return out;
}

ct_layout ct_step_prefer(const ct_step *step, int port)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    const char *declared = step->stage->ports[port].prefer;
    ct_layout wish = {0}, own = {0};
    if (!declared || ct_layout_parse(&wish, declared, NULL) != CT_OK) return own;
    ct_step_letters(step, port, letters, aliases);
    for (int i = 0; i < wish.rank; i++) {
        const char *place = strchr(letters, wish.dim[i]);
        const char letter = place ? aliases[place - letters] : wish.dim[i];
        if (ct_array_find(&step->port[port], letter) >= 0 && !strchr(own.dim, letter))
            own.dim[own.rank++] = letter;
    }
    return own;
}

static ct_status step_layout_same(const ct_step *step, int port, const ct_layout *layout,
                                  ct_error *err)
{
    const char *pattern = step->stage->ports[port].layout;
    int other = ct_step_find_port(step, pattern + 1);
    if (!step->port[other].layout.rank || ct_layout_equal(&step->port[other].layout, layout))
        return CT_OK;
    return ct_error_add(err, CT_INVALID,
                        "step %s: port %s of %s cannot have layout %s: it must be that of %s, %s",
                        step->name, step->stage->ports[port].name, step->stage->name, layout->dim,
                        pattern + 1, step->port[other].layout.dim);
}

static ct_status step_layout_check(const ct_step *step, int port, const ct_layout *layout,
                                   ct_error *err)
{
    const ct_port *declared = &step->stage->ports[port];
    char pattern[CT_STEP_PATTERN];
    if (!ct_layout_covers(layout, &step->port[port]))
        return ct_error_add(err, CT_INVALID,
                            "step %s: layout %s does not fit port %s, which has the dimensions %s",
                            step->name, layout->dim, declared->name, step->port[port].dim);
    if (declared->layout[0] == '=') return step_layout_same(step, port, layout, err);
    if (!ct_layout_matches(layout, ct_step_pattern(step, port, pattern)))
        return ct_error_add(err, CT_INVALID,
                            "step %s: port %s of %s cannot have layout %s: it takes %s", step->name,
                            declared->name, step->stage->name, layout->dim, declared->layout);
    return CT_OK;
}

ct_status ct_step_set_layout(ct_step *step, int port, const ct_layout *layout, ct_error *err)
{
    ct_status status = CT_OK;
    ct_layout natural = ct_layout_natural(&step->port[port]);
    const ct_layout *chosen = layout && layout->rank ? layout : &natural;
    CT_TRY(step_layout_check(step, port, chosen, err));
    ct_array_dense(&step->port[port], chosen);
out:
    return status;
}

/* Made by the stage for itself. */
static bool is_inner(const ct_port *port)
{
    return port->direction == CT_SCRATCH || port->direction == CT_TABLE;
}

void ct_step_settle(ct_step *step)
{
    const ct_stage *stage = step->stage;
    if (!stage->needs) return;
    for (int i = 0; i < ct_step_ports(step); i++)
        if (is_inner(&stage->ports[i]) && (stage->ports[i].flags & CT_PORT_OPTIONAL) &&
            step->port[i].type != CT_NONE && !stage->needs(step, i))
            step->port[i].type = CT_NONE;
}

const char *ct_step_name(const ct_step *step)
{
    if (!step) return "";
    return step->name;
}
