/* parset.c: LOFAR's parameter sets of phase centres; see observation.h.
 * Room: core/graph. Knows lines of text. Does not know what the positions are for. */
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "file.h"
#include "observation.h"

#define BEGIN "PIC.Core."
#define MIDDLE ".phaseCenter"

/* Reads "NAME.phaseCenter = [x, y, z]" after BEGIN; the name's length, 0 where the line is
 * another. */
static int read_line(const char *line, double out[3])
{
    const int name = (int)strcspn(line, ".\r\n ");
    if (strncmp(line + name, MIDDLE, sizeof MIDDLE - 1) != 0) return 0;
    const char *at = line + name + sizeof MIDDLE - 1;
    at += strspn(at, " \t");
    if (*at++ != '=') return 0;
    at += strspn(at, " \t");
    if (*at++ != '[') return 0;
    for (int k = 0; k < 3; k++) {
        char *end;
        out[k] = ct_number_read(at, &end);
        end += strspn(end, " \t");
        if (end == at || *end != (k < 2 ? ',' : ']')) return 0;
        at = end + 1;
    }
    return name;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : NULL;
}

static int64_t count_lines(const char *text)
{
    int64_t count = 0;
    for (const char *line = text; line; line = next_line(line))
        count += strncmp(line, BEGIN, sizeof BEGIN - 1) == 0;
    return count;
}

static void read_lines(ct_parset *out, const char *text, ct_arena *arena)
{
    for (const char *line = text; line; line = next_line(line)) {
        double at[3];
        if (strncmp(line, BEGIN, sizeof BEGIN - 1) != 0) continue;
        const int name = read_line(line + sizeof BEGIN - 1, at);
        if (name == 0) continue;
        memcpy(out->positions[out->count], at, sizeof at);
        out->names[out->count++] = ct_arena_print(arena, "%.*s", name, line + sizeof BEGIN - 1);
    }
}

ct_status ct_parset_read(ct_parset *out, const char *file, ct_arena *arena, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    size_t length = 0;
    *out = (ct_parset){0};
    CT_TRY(ct_file_read(&text, &length, file, err));
    const size_t most = (size_t)count_lines(text) + 1;
    out->names = ct_arena_get(arena, most * sizeof *out->names);
    out->positions = ct_arena_get(arena, most * sizeof *out->positions);
    CT_TRY(ct_arena_check(arena, err));
    read_lines(out, text, arena);
    CT_TRY(ct_arena_check(arena, err));
    if (out->count == 0)
        CT_TRY(ct_error_add(err, CT_INVALID,
                            "%s has no line \"" BEGIN "NAME" MIDDLE " = [x, y, z]\"", file));
out:
    ct_memory_free(text);
    return status;
}
