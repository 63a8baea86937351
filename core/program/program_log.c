/* program_log.c: rewrites a compiler's messages as sentences that name the .cl file and the step.
 * Room: core/program. Knows the shape "file:line:column: error: text". Does not know a particular
 * compiler. */
#include "memory.h"
#include "program_inner.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_SENTENCES 5

static void log_add(char *out, size_t size, const char *text)
{
    size_t length = strlen(out);
    if (length < size) snprintf(out + length, size - length, "%s", text);
}

static void log_add_layouts(char *out, size_t size, const ct_step *step, ct_direction direction,
                            const char *verb)
{
    for (int i = 0; i < ct_step_ports(step); i++) {
        const ct_array *array = &step->port[i];
        if (step->stage->ports[i].direction != direction || array->type == CT_NONE || !array->rank)
            continue;
        log_add(out, size, verb);
        log_add(out, size, array->layout.rank ? array->layout.dim : array->dim);
        verb = ",";
    }
}

void ct_program_describe(char *out, size_t size, const ct_step *step)
{
    char word[32];
    snprintf(out, size, "%s (", step->name);
    log_add_layouts(out, size, step, CT_IN, "read ");
    log_add_layouts(out, size, step, CT_OUT, " write ");
    for (int i = 0; i < ct_step_tunables(step); i++) {
        log_add(out, size, " ");
        log_add(out, size, step->stage->tuning.tunables[i].name);
        log_add(out, size, "=");
        log_add(out, size, ct_step_tunable_word(step, i, word));
    }
    log_add(out, size, ")");
}

/* Where "file:line:column" ends in a message; NULL where it has none. */
static const char *log_place_end(const char *line)
{
    for (const char *at = strchr(line, ':'); at; at = strchr(at + 1, ':')) {
        char *end;
        if (strtol(at + 1, &end, 10) <= 0 || *end != ':') continue;
        if (strtol(end + 1, &end, 10) > 0 && *end == ':') return end;
    }
    return NULL;
}

/* ---- what a message is about */

/* The name that the n-th line of a text defines; false where it defines none. */
static bool log_macro(char out[64], const char *source, long line)
{
    static const char define[] = "#define ";
    for (; line > 1 && *source; line--)
        source += strcspn(source, "\n") + 1;
    if (strncmp(source, define, sizeof define - 1) != 0) return false;
    source += sizeof define - 1;
    snprintf(out, 64, "%.*s", (int)strcspn(source, "( \n"), source);
    return true;
}

/* Some compilers say where a macro stands, and then "<Spelling=file:line:column>" for where in it
 * the mistake is: what the user wrote, or what the library defined. */
typedef struct log_place {
    const char *start, *text; /* "power.cl:4:5", its end, and what is said of it */
    int length;
    char macro[64]; /* what stands there, where the mistake is in its definition; "" nothing */
} log_place;

static void log_spelling(log_place *place, const char *source)
{
    static const char word[] = " <Spelling=";
    const size_t file = strcspn(place->start, ":");
    const char *at = place->start + place->length, *end;
    if (strncmp(at, word, sizeof word - 1) != 0) return;
    at += sizeof word - 1;
    end = strstr(at, ">: ");
    if (!end) return;
    place->text = end + 3;
    if (!strncmp(at, place->start, file + 1)) {
        place->start = at;
        place->length = (int)(end - at);
        return;
    }
    while (end > at && *end != ':')
        end--;
    while (end > at && end[-1] != ':')
        end--;
    if (!log_macro(place->macro, source, strtol(end, NULL, 10))) place->macro[0] = 0;
}

/* The dimensions of this program's work-items. */
static void log_letters(char *out, size_t size, const ct_program *program)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    if (program->parallel) {
        snprintf(out, size, "`parallel`, \"%s\",", program->parallel);
        return;
    }
    ct_step_letters(program->step, program->port, letters, aliases);
    snprintf(out, size, "%s, whose letters \"%s\" the work-items have,",
             program->step->stage->ports[program->port].name, letters);
}

/* If the kernel asks for a dimension that `parallel` does not have, that is said. */
static bool log_strange_id(const log_place *place, const ct_program *program, const char *step,
                           ct_error *err)
{
    char who[256], letter;
    const char *at = strstr(place->text, "'ID_");
    if (!at || !strstr(place->text, "undeclared") || at[4] < 'A' || at[4] > 'Z' || at[5] != '\'')
        return false;
    letter = at[4];
    if (program->port < 0 && !program->parallel)
        snprintf(who, sizeof who, "a stage with launches of its own");
    else
        log_letters(who, sizeof who, program);
    ct_error_add(err, CT_INVALID,
                 "%.*s: building %s %s: the kernel asks for ID_%c, but %s has no %c", place->length,
                 place->start, program->of, step, letter, who, letter);
    return true;
}

/* A port is read by its macros; by itself its name says nothing to the compiler. */
static bool log_port(const log_place *place, const ct_program *program, const char *step,
                     ct_error *err)
{
    const char *at = strstr(place->text, "undeclared identifier '");
    if (!at) return false;
    at += strlen("undeclared identifier '");
    const int length = (int)strcspn(at, "'");
    for (int p = 0; p < ct_step_ports(program->step); p++) {
        const char *name = program->step->stage->ports[p].name;
        if ((int)strlen(name) != length || strncmp(at, name, (size_t)length) != 0) continue;
        ct_error_add(err, CT_INVALID,
                     "%.*s: building %s %s: %s is a port, whose numbers are %s(..), with an index "
                     "for each dimension in parentheses, or %s_LOAD(..)",
                     place->length, place->start, program->of, step, name, name, name);
        return true;
    }
    return false;
}

/* Where "file:line:column" ends, be it followed by ':' or by a spelling. */
static const char *log_place_length(const char *start)
{
    static const char word[] = " <Spelling=";
    const char *spelling = strstr(start, word), *end = log_place_end(start);
    return spelling && (!end || spelling < end) ? spelling : end;
}

/* One line of the log; true where it was an error that says where it is. */
static bool log_sentence(const char *line, const ct_program *program, const char *source,
                         const char *step, ct_error *err)
{
    static const char word[] = "error: ";
    const char *start = !strncmp(line, word, sizeof word - 1) ? line + sizeof word - 1 : line;
    const char *end = log_place_length(start);
    if (!end || (start == line && !strstr(end, word))) return false;
    log_place place = {.start = start, .text = end + 1, .length = (int)(end - start)};
    log_spelling(&place, source);
    if (strstr(place.text, word)) place.text = strstr(place.text, word) + sizeof word - 1;
    place.text += strspn(place.text, " ");
    if (log_strange_id(&place, program, step, err)) return true;
    if (log_port(&place, program, step, err)) return true;
    ct_error_add(err, CT_INVALID, "%.*s: building %s %s: %s%s%s%s", place.length, place.start,
                 program->of, step, place.text, place.macro[0] ? " (in what " : "", place.macro,
                 place.macro[0] ? " stands for)" : "");
    return true;
}

static char *log_read(const ct_program *program)
{
    size_t size = 0;
    char *log;
    cl_device_id device = program->device->id;
    clGetProgramBuildInfo(program->program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    log = ct_memory_get(size + 1);
    if (!log) return NULL;
    clGetProgramBuildInfo(program->program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    return log;
}

/* "2 errors generated.", which counts what is not quoted here. */
static bool log_is_count(const char *line, size_t length)
{
    static const char end[] = "generated.";
    const size_t last = sizeof end - 1;
    return isdigit((unsigned char)line[0]) && length > last &&
           !strncmp(line + length - last, end, last);
}

/* What the compiler says, without such lines. */
static void log_quote(char *out, size_t size, const char *log)
{
    size_t used = 0;
    while (*log && used + 1 < size) {
        const size_t length = strcspn(log, "\n"), whole = length + (log[length] == '\n');
        if (!log_is_count(log, length))
            used += (size_t)snprintf(out + used, size - used, "%.*s", (int)whole, log);
        log += whole;
    }
    while (used > 0 && used < size && out[used - 1] == '\n')
        out[--used] = 0;
}

ct_status ct_program_fail_build(const ct_program *program, const char *source, ct_error *err)
{
    char *log = log_read(program), *rest = log, step[256], quote[2000] = "";
    int sentences = 0;
    if (!log) return ct_memory_fail(0, err);
    ct_program_describe(step, sizeof step, program->step);
    while (*rest && sentences < LOG_SENTENCES) {
        size_t length = strcspn(rest, "\n");
        bool last = rest[length] == 0;
        rest[length] = 0;
        sentences += log_sentence(rest, program, source, step, err);
        rest += length + !last;
        if (!last) rest[-1] = '\n';
    }
    if (!sentences) {
        log_quote(quote, sizeof quote, log);
        ct_error_add(err, CT_INVALID, "building %s %s failed; the compiler says: %s", program->of,
                     step, quote);
    }
    ct_memory_free(log);
    return CT_INVALID;
}
