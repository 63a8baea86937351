/* emit.c: puts a step's OpenCL source together. docs/kernels.md is its contract.
 * Room: core/emit. Knows the order of the parts. Does not know OpenCL calls or any stage. Order:
 * heading, facts, accessors, ids, arguments, tiles, the stage's emit(), then the stage's own text
 * under its own name. */
#include "emit.h"
#include "emit_inner.h"
#include "fail.h"
#include "text.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

ct_access ct_emit_access(const ct_step *step, int port, char letters[CT_DIMS + 1],
                         char aliases[CT_DIMS + 1])
{
    const ct_port *declared = &step->stage->ports[port];
    ct_access access = {.name = declared->name, .array = &step->port[port]};
    ct_step_letters(step, port, letters, aliases);
    access.letters = letters;
    access.aliases = aliases;
    access.write = ct_emit_writes(step, port);
    return access;
}

bool ct_emit_writes(const ct_step *step, int port)
{
    const ct_direction direction = step->stage->ports[port].direction;
    return direction == CT_OUT || direction == CT_SCRATCH;
}

void ct_emit_piece(ct_text *text, const ct_step *step, const char *comma)
{
    if (!ct_step_accumulates(step)) return;
    ct_text_add(text, "%sconst int CT_ADD", comma);
    if (ct_step_carries(step))
        ct_text_add(text, ", const int CT_FIRST, const int CT_END, const long CT_START");
}

static const char *emit_layout(const ct_array *array)
{
    return array->layout.rank ? array->layout.dim : array->dim;
}

static void emit_heading(ct_text *text, const ct_step *step)
{
    char word[32];
    ct_text_add(text, "/* step %s: stage %s, written by cornerturn\n *", step->name,
                step->stage->name);
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->port[i].type != CT_NONE)
            ct_text_add(text, " %s %s %s;", step->stage->ports[i].name,
                        ct_type_name(step->port[i].type), emit_layout(&step->port[i]));
    ct_text_add(text, "\n *");
    for (int i = 0; i < ct_step_tunables(step); i++)
        ct_text_add(text, " %s=%s", step->stage->tuning.tunables[i].name,
                    ct_step_tunable_word(step, i, word));
    ct_text_add(text, " */\n");
}

/* M_LEFT_OUT(s, t, c) and M_MISSING(s, t, c): what flags say of a sample; 0 where there are none.
 * Of flags that the pipeline brings, any number but 0 says both. */
void ct_emit_flags(ct_text *text, const ct_step *step, int port)
{
    static const struct {
        const char *name, *says;
    } rows[] = {{"LEFT_OUT", "& 1"}, {"MISSING", "& 3) == 1"}};
    const char *name = step->stage->ports[port].name;
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1], list[4 * CT_DIMS] = "";
    if (!ct_port_takes_flags(&step->stage->ports[port])) return;
    ct_step_letters(step, port, letters, aliases);
    for (size_t i = 0, used = 0; letters[i]; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%c", i ? ", " : "",
                                 tolower((unsigned char)letters[i]));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ct_text_add(text, "#define %s_%s(%s) ", name, rows[i].name, list);
        if (step->port[port].type == CT_NONE)
            ct_text_add(text, "0\n");
        else if (ct_step_brought(step, port))
            ct_text_add(text, "(%s(%s) != 0)\n", name, list);
        else
            ct_text_add(text, "(%s(int)%s(%s) %s)\n", i ? "(" : "", name, list, rows[i].says);
    }
}

static void emit_accessors(ct_text *text, const ct_step *step)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    for (int i = 0; i < ct_step_ports(step); i++) {
        ct_access access;
        bool connected = step->port[i].type != CT_NONE;
        ct_text_add(text, "#define HAVE_%s %d\n", step->stage->ports[i].name, connected);
        ct_emit_flags(text, step, i);
        if (!connected) continue;
        access = ct_emit_access(step, i, letters, aliases);
        ct_access_emit(text, &access);
    }
}

static void emit_arguments(ct_text *text, const ct_step *step)
{
    const char *comma = "";
    ct_text_add(text, "#define CT_ARGS ");
    for (int i = 0; i < ct_step_ports(step); i++) {
        const ct_port *port = &step->stage->ports[i];
        if (step->port[i].type == CT_NONE) continue;
        ct_text_add(text, "%sglobal %s%s *restrict %s_data", comma,
                    ct_emit_writes(step, i) ? "" : "const ", ct_access_type(step->port[i].type),
                    port->name);
        comma = ", ";
    }
    ct_emit_piece(text, step, comma);
    ct_text_add(text, "\n");
}

static ct_status emit_ranges(ct_text *text, const ct_step *step, int64_t *group, ct_error *err)
{
    ct_status status = CT_OK;
    ct_launch launches[CT_LAUNCHES] = {0};
    ct_range range;
    const int ranges = ct_emit_range_count(step);
    const bool several = step->stage->kernel.launches;
    if (ct_emit_launches(step, launches, err) < 0) return ct_step_answer(step, CT_INVALID, NULL);
    if (ranges > 0) CT_TRY(ct_emit_range_at(&range, step, 0, err));
    if (ranges > 0 && !several) ct_emit_ids(text, &range);
    ct_emit_fills(text, step, ranges > 0 ? &range : NULL);
    if (!step->stage->kernel.launch && !several) ct_emit_group(text, &launches[0]);
    *group = launches[0].local[0]
                 ? (int64_t)(launches[0].local[0] * launches[0].local[1] * launches[0].local[2])
                 : 1;
out:
    return status;
}

void ct_emit_text(ct_text *text, const char *name, const char *source)
{
    ct_text_add(text, "#line 1 \"%s\"\n%s", name, source);
}

ct_status ct_emit_source(ct_text *out, const ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_stage *stage = step->stage;
    int64_t group = 1;
    if (!stage->kernel.text) return CT_OK;
    emit_heading(out, step);
    ct_emit_facts(out, step, false);
    emit_accessors(out, step);
    CT_TRY(emit_ranges(out, step, &group, err));
    emit_arguments(out, step);
    CT_TRY(ct_emit_tiles(out, step, group, err));
    if (stage->kernel.emit) CT_TRY(ct_step_answer(step, stage->kernel.emit(step, out, err), err));
    CT_TRY(ct_step_complaint(step, err));
    CT_TRY(ct_emit_kernels(out, step, err));
    CT_TRY(ct_text_check(out, err));
out:
    return status;
}
