/* step_names.c: what names stand for in a stage's expressions. docs/expressions.md lists them.
 * Room: core/step. Knows ports, tunables and parameters. Does not know which stage asks, or why. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "step_inner.h"
#include "word.h"

_Static_assert(CT_PORTS <= 8, "places of a slot");

enum { ABSENT = -1, ANY = CT_DIMS }; /* places of a port without the letter; of a port of "*" */

/* ---- loading: from slots into a step, millions of times in a search */

static bool load_number(const void *of, const ct_slot *slot, int64_t *value)
{
    (void)of;
    *value = slot->number;
    return true;
}

static bool load_tunable(const void *of, const ct_slot *slot, int64_t *value)
{
    *value = ((const ct_step *)of)->tunable[slot->number];
    return true;
}

static bool load_choice(const void *of, const ct_slot *slot, int64_t *value)
{
    *value = ((const ct_step *)of)->tunable[slot->number] == slot->place[0];
    return true;
}

static bool load_below(const void *of, const ct_slot *slot, int64_t *value)
{
    *value = ct_tunable_below(of, (int)slot->number);
    return true;
}

static bool load_gpu(const void *of, const ct_slot *slot, int64_t *value)
{
    (void)slot;
    *value = ((const ct_step *)of)->gpu;
    return true;
}

static bool load_overlap(const void *of, const ct_slot *slot, int64_t *value)
{
    (void)slot;
    *value = ((const ct_step *)of)->overlap;
    return true;
}

static bool load_local(const void *of, const ct_slot *slot, int64_t *value)
{
    (void)slot;
    *value = ct_step_in(of)->local_bytes;
    return true;
}

static bool load_group(const void *of, const ct_slot *slot, int64_t *value)
{
    (void)slot;
    *value = ct_step_in(of)->work_group;
    return true;
}

static bool load_decimate(const void *of, const ct_slot *slot, int64_t *value)
{
    const ct_step *step = of;
    (void)slot;
    *value = ct_step_per_firing(step);
    return true;
}

/* The array of the slot's port; NULL where nothing is connected. */
static const ct_array *connected(const void *of, const ct_slot *slot)
{
    const ct_array *array = &((const ct_step *)of)->port[slot->number];
    return array->type == CT_NONE ? NULL : array;
}

static bool load_have(const void *of, const ct_slot *slot, int64_t *value)
{
    *value = connected(of, slot) != NULL;
    return true;
}

static bool load_is(const void *of, const ct_slot *slot, int64_t *value)
{
    *value = ((const ct_step *)of)->port[slot->number].type == (ct_type)slot->place[0];
    return true;
}

static bool load_complex(const void *of, const ct_slot *slot, int64_t *value)
{
    const ct_array *array = connected(of, slot);
    if (array) *value = ct_type_complex(array->type);
    return array != NULL;
}

static bool load_bytes(const void *of, const ct_slot *slot, int64_t *value)
{
    const ct_array *array = connected(of, slot);
    if (array) *value = ct_type_bits(array->type) / 8;
    return array != NULL;
}

/* Which of the array's dimensions the letter is; -1 where the array has none, false where this port
 * cannot have the letter or nothing is connected. */
static bool find_dim(const ct_step *step, int port, const ct_slot *slot, int *dim)
{
    const ct_array *array = &step->port[port];
    const int place = slot->place[port];
    if (place == ABSENT || array->type == CT_NONE) return false;
    *dim = place == ANY ? ct_array_find(array, slot->letter)
                        : ct_port_dim_find(&ct_step_in(step)->dims[port][place], array);
    return place != ANY || *dim >= 0;
}

/* The extent where all of the slot's ports that have the letter agree. */
static bool load_extent(const void *of, const ct_slot *slot, int64_t *value)
{
    const ct_step *step = of;
    bool found = false;
    for (int port = 0; port < CT_PORTS; port++) {
        int dim;
        if (!find_dim(step, port, slot, &dim)) continue;
        const int64_t extent = dim < 0 ? 1 : step->port[port].extent[dim];
        if (found && extent != *value) return false;
        *value = extent;
        found = true;
    }
    return found;
}

static bool load_stride(const void *of, const ct_slot *slot, int64_t *value)
{
    const ct_step *step = of;
    int dim;
    if (!find_dim(step, (int)slot->number, slot, &dim)) return false;
    *value = dim < 0 ? 0 : step->port[slot->number].stride[dim];
    return true;
}

/* As the generator defines X_FASTEST: the last letter of the layout, as the accessor has it. */
static bool load_fastest(const void *of, const ct_slot *slot, int64_t *value)
{
    const ct_array *array = connected(of, slot);
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    if (!array) return false;
    char own = array->rank > 0 ? array->dim[array->rank - 1] : '\0';
    if (array->layout.rank > 0) own = array->layout.dim[array->layout.rank - 1];
    ct_step_letters(of, (int)slot->number, letters, aliases);
    const char *place = own ? strchr(aliases, own) : NULL;
    *value = place ? letters[place - aliases] : 0;
    return true;
}

/* ---- binding: each gives a slot where the name is of its kind */

static bool is_letter(const char *text)
{
    return isupper((unsigned char)text[0]) && !text[1];
}

static bool bind_number(ct_slot *slot, int64_t number)
{
    *slot = (ct_slot){.load = load_number, .number = number};
    return true;
}

/* Where the port may have the letter. */
static int letter_place(const ct_step *step, int port, char letter)
{
    const ct_port_dim *dims = ct_step_in(step)->dims[port];
    if (!strcmp(step->stage->ports[port].dims, "*")) return ANY;
    for (int k = 0; k < CT_DIMS && dims[k].letter; k++)
        if (dims[k].letter == letter) return k;
    return ABSENT;
}

/* `only`: this port; -1: all that have the letter. */
static bool bind_letter(const ct_step *step, const char *letter, int only, ct_slot *slot)
{
    bool any = false;
    if (!is_letter(letter)) return false;
    slot->letter = letter[0];
    slot->number = only;
    for (int port = 0; port < CT_PORTS; port++) {
        const bool asked = port < ct_step_ports(step) && (only < 0 || only == port);
        slot->place[port] = asked ? letter_place(step, port, letter[0]) : ABSENT;
        any = any || slot->place[port] != ABSENT;
    }
    return any;
}

static bool bind_port_extent(const ct_step *step, int port, const char *rest, ct_slot *slot)
{
    slot->load = load_extent;
    return bind_letter(step, rest, port, slot);
}

static bool bind_port_stride(const ct_step *step, int port, const char *rest, ct_slot *slot)
{
    slot->load = load_stride;
    return bind_letter(step, rest, port, slot);
}

static bool bind_port_type(const ct_step *step, int port, const char *rest, ct_slot *slot)
{
    const ct_type type = ct_type_parse(rest);
    (void)step;
    *slot = (ct_slot){.load = load_is, .number = port, .place = {(int)type}};
    return type != CT_NONE;
}

static bool bind_port_fact(int port, const char *rest, ct_slot *slot,
                           bool (*load)(const void *, const ct_slot *, int64_t *))
{
    *slot = (ct_slot){.load = load, .number = port};
    return *rest == 0;
}

static bool bind_port_fastest(const ct_step *step, int port, const char *rest, ct_slot *slot)
{
    (void)step;
    return bind_port_fact(port, rest, slot, load_fastest);
}

static bool bind_port_complex(const ct_step *step, int port, const char *rest, ct_slot *slot)
{
    (void)step;
    return bind_port_fact(port, rest, slot, load_complex);
}

static bool bind_port_bytes(const ct_step *step, int port, const char *rest, ct_slot *slot)
{
    (void)step;
    return bind_port_fact(port, rest, slot, load_bytes);
}

/* What may follow a port's name. */
static const struct {
    const char *after;
    bool (*bind)(const ct_step *step, int port, const char *rest, ct_slot *slot);
} port_names[] = {{"_N_", bind_port_extent},       {"_STRIDE_", bind_port_stride},
                  {"_IS_", bind_port_type},        {"_FASTEST", bind_port_fastest},
                  {"_COMPLEX", bind_port_complex}, {"_TYPE_BYTES", bind_port_bytes}};

/* What follows `start` in `name`; NULL where it does not start so. */
static const char *after(const char *name, const char *start)
{
    const size_t length = strlen(start);
    return strncmp(name, start, length) ? NULL : name + length;
}

static bool bind_port(const ct_step *step, const char *name, ct_slot *slot)
{
    for (int port = 0; port < ct_step_ports(step); port++) {
        const char *rest = after(name, step->stage->ports[port].name), *last;
        for (size_t i = 0; rest && i < sizeof port_names / sizeof port_names[0]; i++)
            if ((last = after(rest, port_names[i].after)) != NULL &&
                port_names[i].bind(step, port, last, slot))
                return true;
    }
    return false;
}

static bool bind_have(const ct_step *step, const char *name, ct_slot *slot)
{
    const char *rest = after(name, "HAVE_");
    const int port = rest ? ct_step_find_port(step, rest) : -1;
    *slot = (ct_slot){.load = load_have, .number = port};
    return port >= 0;
}

static bool bind_extent(const ct_step *step, const char *name, ct_slot *slot)
{
    const char *rest = after(name, "N_");
    *slot = (ct_slot){.load = load_extent};
    return rest && bind_letter(step, rest, -1, slot);
}

static bool bind_dim(const ct_step *step, const char *name, ct_slot *slot)
{
    const char *rest = after(name, "DIM_");
    (void)step;
    return rest && is_letter(rest) && bind_number(slot, rest[0]);
}

static bool bind_step(const ct_step *step, const char *name, ct_slot *slot)
{
    static const struct {
        const char *name;
        bool (*load)(const void *, const ct_slot *, int64_t *);
    } names[] = {{"GPU", load_gpu},
                 {"LOCAL_BYTES", load_local},
                 {"WORK_GROUP", load_group},
                 {"OVERLAP", load_overlap},
                 {"DECIMATE", load_decimate}};
    (void)step;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i].name)) slot->load = names[i].load;
    return slot->load != NULL;
}

/* "ENGINE_IS_fftw": of a tunable whose values are words, as kernels see it. */
static bool bind_tunable_choice(const ct_step *step, const char *name, ct_slot *slot)
{
    for (int i = 0; i < ct_step_tunables(step); i++) {
        const char *rest = after(name, step->stage->tuning.tunables[i].name);
        const char *word = rest ? after(rest, "_IS_") : NULL;
        if (!word || !isalpha((unsigned char)word[0])) continue;
        const int place = ct_word_find(step->stage->tuning.tunables[i].values, word);
        *slot = (ct_slot){load_choice, .number = i, .place = {place}, .uses = UINT64_C(1) << i};
        return place >= 0;
    }
    return false;
}

static bool bind_tunable(const ct_step *step, const char *name, ct_slot *slot)
{
    const char *rest = after(name, "BELOW_");
    int place = ct_tunable_find(step, name);
    const bool below = place < 0 && rest;
    if (below) place = ct_tunable_find(step, rest);
    if (place < 0) return false;
    *slot =
        (ct_slot){below ? load_below : load_tunable, .number = place, .uses = UINT64_C(1) << place};
    return true;
}

/* A parameter's value stays as it is while the step lives. */
static bool bind_value(const ct_step *step, const ct_param *param, ct_slot *slot)
{
    if (param->kind == CT_PARAM_INT) return bind_number(slot, ct_step_int(step, param->name));
    return param->kind == CT_PARAM_BOOL && bind_number(slot, ct_step_bool(step, param->name));
}

/* "MODE_IS_coherent": the name as in `small`, the word as in `rest`. */
static bool bind_choice(const ct_step *step, char *small, const char *rest, ct_slot *slot)
{
    char *is = strstr(small, "_is_");
    if (!is) return false;
    *is = 0;
    const ct_param *param = ct_param_find(step->stage, small, NULL);
    const char *word = rest + (is - small) + 4, *chosen;
    if (!param || param->kind != CT_PARAM_TEXT || ct_word_find(param->choices, word) < 0)
        return false;
    chosen = ct_step_text(step, param->name);
    return bind_number(slot, chosen && !strcmp(chosen, word));
}

/* "taps", "P_TAPS", "P_MODE_IS_coherent" */
static bool bind_param(const ct_step *step, const char *name, ct_slot *slot)
{
    char small[64] = "";
    const char *rest = after(name, "P_");
    if (!rest) rest = name;
    for (size_t i = 0; i + 1 < sizeof small && rest[i]; i++)
        small[i] = (char)tolower((unsigned char)rest[i]);
    const ct_param *param = ct_param_find(step->stage, small, NULL);
    return param ? bind_value(step, param, slot) : bind_choice(step, small, rest, slot);
}

static bool bind_name(const void *of, const char *name, ct_slot *slot, const char **text)
{
    static bool (*const kinds[])(const ct_step *, const char *, ct_slot *) = {
        bind_tunable, bind_extent,         bind_step, bind_have,
        bind_port,    bind_tunable_choice, bind_dim,  bind_param};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        *slot = (ct_slot){0};
        if (kinds[i](of, name, slot)) return true;
    }
    *text = ct_terms_find(of, name);
    return *text != NULL;
}

ct_names ct_step_names(const ct_step *step)
{
    return (ct_names){bind_name, step};
}

bool ct_step_extent(const ct_step *step, char letter, int64_t *value)
{
    ct_slot slot = {0};
    return bind_letter(step, (char[]){letter, 0}, -1, &slot) && load_extent(step, &slot, value);
}
