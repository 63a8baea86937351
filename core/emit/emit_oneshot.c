/* emit_oneshot.c: see emit_oneshot.h.
 * Room: core/emit. Knows the order of the parts. Does not know how the kernel is run, or why. */
#include "emit_oneshot.h"
#include "emit_inner.h"
#include "fail.h"
#include "text.h"
#include <ctype.h>
#include <string.h>

/* ---- what there is */

static const char *oneshot_name(const ct_stage *stage)
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
    if (!out->name) out->name = oneshot_name(stage);
    return true;
}

bool ct_oneshot_fill(ct_oneshot *out, const ct_step *step, int port)
{
    const ct_stage *stage = step->stage;
    const ct_fill *fill = stage->kernel.fills;
    while (fill && fill->port && strcmp(fill->port, stage->ports[port].name) != 0)
        fill++;
    if (!fill || !fill->port) return false;
    *out = (ct_oneshot){.source = stage->kernel.text,
                        .name = oneshot_name(stage),
                        .entry = fill->entry,
                        .port = port};
    return true;
}

ct_type ct_oneshot_type(const ct_oneshot *oneshot, ct_type type)
{
    if (!oneshot->reference || type == CT_NONE) return type;
    return ct_type_complex(type) ? CT_CF64 : CT_F64;
}

/* ---- its text */

static bool oneshot_writes(const ct_oneshot *oneshot, const ct_step *step, int port)
{
    return ct_emit_writes(step, port) || (!oneshot->reference && port == oneshot->port);
}

static void oneshot_accessor(ct_text *text, const ct_step *step, const ct_oneshot *oneshot,
                             int port)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    ct_array array = step->port[port];
    ct_access access = ct_emit_access(step, port, letters, aliases);
    array.type = ct_oneshot_type(oneshot, array.type);
    access.array = &array;
    access.write = oneshot_writes(oneshot, step, port);
    access.loose = !oneshot->reference && port == oneshot->port;
    access.said = oneshot->reference ? step->port[port].type : CT_NONE;
    ct_access_emit(text, &access);
}

static void oneshot_ports(ct_text *text, const ct_step *step, const ct_oneshot *oneshot)
{
    for (int i = 0; i < ct_step_ports(step); i++) {
        const bool connected = step->port[i].type != CT_NONE;
        ct_text_add(text, "#define HAVE_%s %d\n", step->stage->ports[i].name, connected);
        ct_emit_flags(text, step, i);
        if (connected) oneshot_accessor(text, step, oneshot, i);
    }
}

static void oneshot_arguments(ct_text *text, const ct_step *step, const ct_oneshot *oneshot)
{
    const char *comma = "";
    ct_text_add(text, "#define CT_ARGS ");
    for (int i = 0; i < ct_step_ports(step); i++) {
        const ct_type type = ct_oneshot_type(oneshot, step->port[i].type);
        if (type == CT_NONE) continue;
        ct_text_add(text, "%sglobal %s%s *restrict %s_data", comma,
                    oneshot_writes(oneshot, step, i) ? "" : "const ", ct_access_type(type),
                    step->stage->ports[i].name);
        comma = ", ";
    }
    if (!oneshot->reference) ct_emit_piece(text, step, comma);
    ct_text_add(text, "\n");
}

/* The letters of tables that kernels fill, and of the stage's own work-items, once each. */
typedef struct oneshot_letters {
    char list[CT_PORTS * CT_DIMS + 27];
} oneshot_letters;

static void oneshot_add_letter(oneshot_letters *all, char letter)
{
    if (!strchr(all->list, letter)) all->list[strlen(all->list)] = letter;
}

static void oneshot_stub(ct_text *text, const ct_step *step, int port, oneshot_letters *all)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    ct_step_letters(step, port, letters, aliases);
    ct_text_add(text, "#define %s_SAVE(", step->stage->ports[port].name);
    for (const char *at = letters; *at; at++) {
        ct_text_add(text, "%c, ", tolower((unsigned char)*at));
        oneshot_add_letter(all, *at);
    }
    ct_text_add(text, "value) ((void)(value))\n");
}

/* A text may have several kernels, all of which are compiled, though one is run: what the others
 * ask for is there in name. `port`: the table that the one fills; -1 none. */
static void oneshot_stubs(ct_text *text, const ct_step *step, int port, oneshot_letters *all)
{
    for (int i = 0; i < ct_step_ports(step); i++)
        if (i != port && step->port[i].type != CT_NONE &&
            ct_oneshot_fill(&(ct_oneshot){0}, step, i))
            oneshot_stub(text, step, i, all);
}

static void oneshot_ids(ct_text *text, const oneshot_letters *all, const ct_range *own)
{
    for (const char *at = all->list; *at; at++)
        if (!own || !ct_emit_range_has(own, *at)) ct_text_add(text, "#define ID_%c 0\n", *at);
}

void ct_emit_fills(ct_text *text, const ct_step *step, const ct_range *own)
{
    oneshot_letters all = {0};
    oneshot_stubs(text, step, -1, &all);
    oneshot_ids(text, &all, own);
}

static ct_status oneshot_others(ct_text *text, const ct_step *step, const ct_oneshot *oneshot,
                                const ct_range *own, ct_error *err)
{
    ct_status status = CT_OK;
    ct_range range;
    oneshot_letters all = {0};
    for (int n = 0; n < ct_emit_range_count(step); n++) {
        CT_TRY(ct_emit_range_at(&range, step, n, err));
        for (char letter = 'A'; letter <= 'Z'; letter++)
            if (ct_emit_range_has(&range, letter)) oneshot_add_letter(&all, letter);
    }
    oneshot_stubs(text, step, oneshot->port, &all);
    oneshot_ids(text, &all, own);
out:
    return status;
}

/* What else the stage's own kernel may use: the group's size, tiles, definitions of the stage's. */
static ct_status oneshot_stage(ct_text *text, const ct_step *step, const ct_oneshot *oneshot,
                               const ct_range *range, ct_error *err)
{
    ct_status status = CT_OK;
    ct_launch launches[CT_LAUNCHES] = {0};
    const size_t *local = launches[0].local;
    CT_TRY(oneshot_others(text, step, oneshot, range, err));
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
                          const ct_oneshot *oneshot, ct_error *err)
{
    ct_status status = CT_OK;
    ct_range range;
    CT_TRY(ct_emit_range_of(&range, step, oneshot->port, oneshot->parallel, false, err));
    memset(launch, 0, sizeof *launch);
    ct_emit_range_launch(launch, &range);
    if (oneshot->reference) ct_text_add(out, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    ct_emit_facts(out, step, oneshot->reference);
    oneshot_ports(out, step, oneshot);
    ct_emit_ids(out, &range);
    ct_text_add(out, "#define CT_GROUP\n");
    oneshot_arguments(out, step, oneshot);
    if (!oneshot->reference) CT_TRY(oneshot_stage(out, step, oneshot, &range, err));
    ct_emit_text(out, oneshot->name, oneshot->source);
    CT_TRY(ct_text_check(out, err));
out:
    return status;
}
