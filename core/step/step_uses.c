/* step_uses.c: what a stage says while shapes are inferred, beyond these: files that it reads and
 * writes, tables that are filled before each block, warnings. Room: core/step. Knows names of
 * files. Does not know what is in files and tables, or who reads warnings. */
#include "step_inner.h"

static void step_use(ct_step *step, const char *param, const char *file, bool written)
{
    ct_step_inner *inner = ct_step_in(step);
    if (inner->use_count == inner->use_room) {
        const int room = 2 * inner->use_room + 4;
        const size_t bytes = (size_t)room * sizeof *inner->uses;
        if (ct_memory_grow(&inner->uses, bytes, NULL) != CT_OK) {
            ct_arena_lacks(inner->arena, bytes);
            return;
        }
        inner->use_room = room;
    }
    inner->uses[inner->use_count++] = (ct_step_file_use){
        .param = param, .file = ct_arena_copy(inner->arena, file), .written = written};
}

void ct_step_reads(ct_step *step, const char *param, const char *file)
{
    if (!step || !file) return;
    step_use(step, param, file, false);
}

void ct_step_writes(ct_step *step, const char *param, const char *file)
{
    if (!step || !file) return;
    step_use(step, param, file, true);
}

const ct_step_file_use *ct_step_uses(const ct_step *step, int *count)
{
    *count = ct_step_in(step)->use_count;
    return ct_step_in(step)->uses;
}

/* ---- tables */

void ct_step_updates(ct_step *step, const char *table)
{
    if (!step || !table) return;
    const int port = ct_step_find_port(step, table);
    if (port < 0 || step->stage->ports[port].direction != CT_TABLE)
        ct_step_complain(step, "table", table);
    else
        ct_step_in(step)->updated |= 1u << port;
}

bool ct_step_is_updated(const ct_step *step, int port)
{
    const ct_port *declared = &step->stage->ports[port];
    if (declared->direction != CT_TABLE || step->port[port].type == CT_NONE) return false;
    return (declared->flags & CT_PORT_BLOCK) || (ct_step_in(step)->updated >> port & 1u);
}

/* ---- warnings */

enum { SENTENCE = 1024 };

/* One more line. */
static void add_sentence(ct_step_inner *inner, const char **lines, const char *format, va_list args)
{
    char sentence[SENTENCE];
    ct_number_print_args(sentence, sizeof sentence, format, args);
    *lines =
        ct_arena_print(inner->arena, "%s%s%s", *lines ? *lines : "", *lines ? "\n" : "", sentence);
}

void ct_step_warn(ct_step *step, const char *format, ...)
{
    va_list args;
    if (!step || !format) return;
    va_start(args, format);
    add_sentence(ct_step_in(step), &ct_step_in(step)->warned, format, args);
    va_end(args);
}

void ct_step_say(const ct_step *step, const char *format, ...)
{
    va_list args;
    if (!step || !format) return;
    va_start(args, format);
    add_sentence(ct_step_in(step), &ct_step_in(step)->said, format, args);
    va_end(args);
}

const char *ct_step_said(const ct_step *step)
{
    return ct_step_in(step)->said;
}

const char *ct_step_warned(const ct_step *step)
{
    const char *warned = ct_step_in(step)->warned;
    return warned ? warned : "";
}
