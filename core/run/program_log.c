/* program_log.c: rewrites a compiler's messages as sentences that name the .cl file and the step.
 * Room: core/run. Knows the shape "file:line:column: error: text". Does not know a particular
 * compiler. */
#include "memory.h"
#include "program_inner.h"
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
        log_add(out, size, step->stage->tunables[i].name);
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

/* One line of the log; true where it was an error that says where it is. */
static bool log_sentence(const char *line, const char *step, ct_error *err)
{
    static const char word[] = "error: ";
    const char *start = !strncmp(line, word, sizeof word - 1) ? line + sizeof word - 1 : line;
    const char *end = log_place_end(start), *text;
    if (!end || (start == line && !strstr(end, word))) return false;
    text = strstr(end, word) ? strstr(end, word) + sizeof word - 1 : end + 1;
    text += strspn(text, " ");
    ct_error_add(err, CT_INVALID, "%.*s: building step %s: %s", (int)(end - start), start, step,
                 text);
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

ct_status ct_program_fail_build(const ct_program *program, ct_error *err)
{
    char *log = log_read(program), *rest = log, step[256];
    int sentences = 0;
    if (!log) return ct_memory_fail(0, err);
    ct_program_describe(step, sizeof step, program->step);
    while (*rest && sentences < LOG_SENTENCES) {
        size_t length = strcspn(rest, "\n");
        bool last = rest[length] == 0;
        rest[length] = 0;
        sentences += log_sentence(rest, step, err);
        rest += length + !last;
        if (!last) rest[-1] = '\n';
    }
    if (!sentences)
        ct_error_add(err, CT_INVALID, "building step %s failed; the compiler says: %.2000s", step,
                     log);
    ct_memory_free(log);
    return CT_INVALID;
}
