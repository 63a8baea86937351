/* emit_oneshot.c: see emit_oneshot.h.
 * Room: core/emit. Knows the order of the parts. Does not know how the kernel is run, or why. */
#include "emit_oneshot.h"
#include "emit_inner.h"
#include "fail.h"
#include "text.h"
#include <ctype.h>
#include <string.h>

/* ---- what there is */

static const char *once_name(const ct_stage *stage)
{
    return stage->kernel.name ? stage->kernel.name : stage->name;
}

bool ct_oneshot_reference(ct_oneshot *out, const ct_step *step)
{
    const ct_stage *stage = step->stage;
    const int first = ct_step_first_output(step);
    if (!stage->verify.text || first < 0) return false;
    *out = (ct_oneshot){.source = stage->verify.text,
                        .name = stage->verify.name,
                        .entry = stage->verify.entry,
                        .parallel = stage->verify.parallel,
                        .port = first,
                        .reference = true};
    if (!out->name) out->name = once_name(stage);
    return true;
}

bool ct_oneshot_fill(ct_oneshot *out, const ct_step *step, int port)
{
    const ct_stage *stage = step->stage;
    const ct_fill *fill = stage->kernel.fills;
    while (fill && fill->port && strcmp(fill->port, stage->ports[port].name) != 0)
        fill++;
    if (!fill || !fill->port) return false;
    *out = (ct_oneshot){
        .source = stage->kernel.text, .name = once_name(stage), .entry = fill->entry, .port = port};
    return true;
}

ct_type ct_oneshot_type(const ct_oneshot *once, ct_type type)
{
    if (!once->reference || type == CT_NONE) return type;
    return ct_type_complex(type) ? CT_CF64 : CT_F64;
}

/* ---- its text */

static bool once_writes(const ct_oneshot *once, const ct_step *step, int port)
{
    return ct_emit_writes(step, port) || (!once->reference && port == once->port);
}

static void once_accessor(ct_text *text, const ct_step *step, const ct_oneshot *once, int port)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    ct_array array = step->port[port];
    ct_access access = ct_emit_access(step, port, letters, aliases);
    array.type = ct_oneshot_type(once, array.type);
    access.array = &array;
    access.write = once_writes(once, step, port);
    access.loose = !once->reference && port == once->port;
    access.said = once->reference ? step->port[port].type : CT_NONE;
    ct_access_emit(text, &access);
}

static void once_ports(ct_text *text, const ct_step *step, const ct_oneshot *once)
{
    for (int i = 0; i < ct_step_ports(step); i++) {
        const bool connected = step->port[i].type != CT_NONE;
        ct_text_add(text, "#define HAVE_%s %d\n", step->stage->ports[i].name, connected);
        ct_emit_flags(text, step, i);
        if (connected) once_accessor(text, step, once, i);
    }
}

static void once_arguments(ct_text *text, const ct_step *step, const ct_oneshot *once)
{
    const char *comma = "";
    ct_text_add(text, "#define CT_ARGS ");
    for (int i = 0; i < ct_step_ports(step); i++) {
        const ct_type type = ct_oneshot_type(once, step->port[i].type);
        if (type == CT_NONE) continue;
        ct_text_add(text, "%sglobal %s%s *restrict %s_data", comma,
                    once_writes(once, step, i) ? "" : "const ", ct_access_type(type),
                    step->stage->ports[i].name);
        comma = ", ";
    }
    if (!once->reference && ct_emit_accumulates(step))
        ct_text_add(text, "%sconst int CT_ADD", comma);
    ct_text_add(text, "\n");
}

/* The letters of tables that kernels fill, and of the stage's own work-items, once each. */
typedef struct once_letters {
    char list[CT_PORTS * CT_DIMS + 27];
} once_letters;

static void once_add_letter(once_letters *all, char letter)
{
    if (!strchr(all->list, letter)) all->list[strlen(all->list)] = letter;
}

static void once_stub(ct_text *text, const ct_step *step, int port, once_letters *all)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    ct_step_letters(step, port, letters, aliases);
    ct_text_add(text, "#define %s_SAVE(", step->stage->ports[port].name);
    for (const char *at = letters; *at; at++) {
        ct_text_add(text, "%c, ", tolower((unsigned char)*at));
        once_add_letter(all, *at);
    }
    ct_text_add(text, "value) ((void)(value))\n");
}

/* A text may have several kernels, all of which are compiled, though one is run: what the others
 * ask for is there in name. `port`: the table that the one fills; -1 none. */
static void once_stubs(ct_text *text, const ct_step *step, int port, once_letters *all)
{
    for (int i = 0; i < ct_step_ports(step); i++)
        if (i != port && step->port[i].type != CT_NONE &&
            ct_oneshot_fill(&(ct_oneshot){0}, step, i))
            once_stub(text, step, i, all);
}

static void once_ids(ct_text *text, const once_letters *all, const ct_range *own)
{
    for (const char *at = all->list; *at; at++)
        if (!own || !ct_emit_range_has(own, *at)) ct_text_add(text, "#define ID_%c 0\n", *at);
}

void ct_emit_fills(ct_text *text, const ct_step *step, const ct_range *own)
{
    once_letters all = {0};
    once_stubs(text, step, -1, &all);
    once_ids(text, &all, own);
}

static ct_status once_others(ct_text *text, const ct_step *step, const ct_oneshot *once,
                             const ct_range *own, ct_error *err)
{
    ct_status status = CT_OK;
    ct_range range;
    once_letters all = {0};
    for (int n = 0; n < ct_emit_range_count(step); n++) {
        CT_TRY(ct_emit_range_at(&range, step, n, err));
        for (char letter = 'A'; letter <= 'Z'; letter++)
            if (ct_emit_range_has(&range, letter)) once_add_letter(&all, letter);
    }
    once_stubs(text, step, once->port, &all);
    once_ids(text, &all, own);
out:
    return status;
}

/* What else the stage's own kernel may use: the group's size, tiles, definitions of the stage's. */
static ct_status once_stage(ct_text *text, const ct_step *step, const ct_oneshot *once,
                            const ct_range *range, ct_error *err)
{
    ct_status status = CT_OK;
    ct_launch launches[CT_LAUNCHES] = {0};
    const size_t *local = launches[0].local;
    CT_TRY(once_others(text, step, once, range, err));
    if (ct_emit_launches(step, launches, err) < 0) CT_TRY(ct_step_answer(step, CT_INVALID, NULL));
    CT_TRY(
        ct_emit_tiles(text, step, local[0] ? (int64_t)(local[0] * local[1] * local[2]) : 1, err));
    if (step->stage->kernel.emit)
        CT_TRY(ct_step_answer(step, step->stage->kernel.emit(step, text, err), err));
    CT_TRY(ct_step_complaint(step, err));
out:
    return status;
}

ct_status ct_emit_oneshot(ct_text *out, ct_launch *launch, const ct_step *step,
                          const ct_oneshot *once, ct_error *err)
{
    ct_status status = CT_OK;
    ct_range range;
    CT_TRY(ct_emit_range_of(&range, step, once->port, once->parallel, false, err));
    memset(launch, 0, sizeof *launch);
    ct_emit_range_launch(launch, &range);
    if (once->reference) ct_text_add(out, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    ct_emit_facts(out, step, once->reference);
    once_ports(out, step, once);
    ct_emit_ids(out, &range);
    ct_text_add(out, "#define CT_GROUP\n");
    once_arguments(out, step, once);
    if (!once->reference) CT_TRY(once_stage(out, step, once, &range, err));
    ct_emit_text(out, once->name, once->source);
    CT_TRY(ct_text_check(out, err));
out:
    return status;
}
