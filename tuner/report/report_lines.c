/* report_lines.c: a journal's lines -> rows and whole plans. See report.h.
 * Room: tuner/report. Knows the form of lines. Does not know what is made of them. */
#include <string.h>

#include "fail.h"
#include "report_lines.h"

static const ct_report_end lines_ends[] = {{"correct", NULL},
                                           {"constraints", "InvalidConfig"},
                                           {"compile", "CompilationFailedConfig"},
                                           {"runtime", "RuntimeFailedConfig"},
                                           {"correctness", "RuntimeFailedConfig"},
                                           {"timeout", "RuntimeFailedConfig"}};

static ct_status lines_fail(const ct_report *report, size_t line, const char *key,
                            const char *expected, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s:%zu: /%s: expected %s", report->file, line, key,
                        expected);
}

static const ct_report_end *lines_end(const ct_value *line)
{
    const char *word = ct_value_text(ct_value_get(line, "status"), "");
    for (size_t i = 0; i < sizeof lines_ends / sizeof lines_ends[0]; i++)
        if (!strcmp(word, lines_ends[i].word)) return &lines_ends[i];
    return NULL;
}

/* NULL: not a list of seconds. */
static double *lines_seconds(const ct_value *list, int *count, ct_arena *arena)
{
    *count = (int)ct_value_count(list);
    double *out = ct_arena_get(arena, sizeof *out * ((size_t)*count + 1));
    for (int i = 0; out && i < *count; i++) {
        out[i] = ct_value_real(ct_value_at(list, (size_t)i), -1);
        if (!(out[i] > 0)) return NULL;
    }
    return ct_value_kind(list) == CT_LIST ? out : NULL;
}

static bool lines_are_tunables(const ct_value *tunables)
{
    for (size_t i = 0; i < ct_value_count(tunables); i++) {
        const ct_kind kind = ct_value_kind(ct_value_at(tunables, i));
        if (kind == CT_LIST || kind == CT_OBJECT || kind == CT_NULL) return false;
    }
    return ct_value_kind(tunables) == CT_OBJECT;
}

/* The member whose name comes next in order; -1 none. */
static int lines_next(const ct_value *tunables, const char *last)
{
    int next = -1;
    for (size_t i = 0; i < ct_value_count(tunables); i++) {
        const char *key = ct_value_key(tunables, i);
        if (strcmp(key, last) > 0 &&
            (next < 0 || strcmp(key, ct_value_key(tunables, (size_t)next)) < 0))
            next = (int)i;
    }
    return next;
}

/* The same text for the same set, in any order. */
static const char *lines_settings(const ct_value *tunables, ct_arena *arena)
{
    const char *out = "";
    for (int i = lines_next(tunables, ""); i >= 0;
         i = lines_next(tunables, ct_value_key(tunables, (size_t)i)))
        out = ct_arena_print(arena, "%s%s%s=%s", out, *out ? " " : "",
                             ct_value_key(tunables, (size_t)i),
                             ct_report_setting(ct_value_at(tunables, (size_t)i), arena));
    return out;
}

static int lines_table(ct_report *report, const ct_value *line, bool transpose)
{
    const char *name = ct_value_text(ct_value_get(line, transpose ? "transpose" : "cell"), "");
    const ct_value *fuse = ct_value_get(line, "fuse");
    for (size_t i = 0; i < ct_value_count(fuse); i++)
        if (i || strcmp(ct_value_text(ct_value_at(fuse, i), ""), name) != 0)
            name = ct_arena_print(report->arena, "%s+%s", name,
                                  ct_value_text(ct_value_at(fuse, i), ""));
    for (int t = 0; t < report->tables; t++)
        if (report->table[t].transpose == transpose && !strcmp(report->table[t].name, name))
            return t;
    ct_report_table *table = &report->table[report->tables];
    *table =
        (ct_report_table){.transpose = transpose, .fused = ct_value_count(fuse) > 0, .name = name};
    return report->tables++;
}

static ct_status lines_pairs(ct_report *report, ct_report_row *row, const ct_value *line,
                             ct_error *err)
{
    int usual = 0;
    row->seconds = lines_seconds(ct_value_get(line, "seconds"), &row->pairs, report->arena);
    row->usual = lines_seconds(ct_value_get(line, "default_seconds"), &usual, report->arena);
    if (!row->seconds)
        return lines_fail(report, row->line, "seconds", "a list of numbers above 0", err);
    if (!row->usual || usual != row->pairs)
        return lines_fail(report, row->line, "default_seconds",
                          "as many numbers above 0 as \"seconds\" has", err);
    if (!row->end->error && row->pairs == 0)
        return lines_fail(report, row->line, "seconds", "at least one of what is \"correct\"", err);
    return CT_OK;
}

ct_status ct_report_lines_row(ct_report *report, const ct_value *line, size_t place, ct_error *err)
{
    ct_report_row *row = &report->line[report->lines];
    const char *at = ct_value_text(ct_value_get(line, "at"), ""), *to = strchr(at, '>');
    *row = (ct_report_row){.line = place, .at = at, .end = lines_end(line)};
    row->transpose = ct_value_get(line, "transpose") != NULL;
    if (ct_value_kind(ct_value_get(line, row->transpose ? "transpose" : "cell")) != CT_TEXT)
        return lines_fail(report, place, row->transpose ? "transpose" : "cell", "a node's name",
                          err);
    if (!to || !to[1]) return lines_fail(report, place, "at", "layouts such as \"SPTC>CTSP\"", err);
    if (!row->end) return lines_fail(report, place, "status", "a word such as \"correct\"", err);
    row->tunables = ct_value_get(line, "tunables");
    if (!lines_are_tunables(row->tunables))
        return lines_fail(report, place, "tunables", "an object of plain values", err);
    row->read = ct_arena_print(report->arena, "%.*s", (int)(to - at), at);
    row->write = to + 1;
    row->settings = lines_settings(row->tunables, report->arena);
    row->more = ct_value_bool(ct_value_get(line, "more"), false);
    row->taken = ct_value_bool(ct_value_get(line, "taken"), false);
    row->disturbed = ct_value_bool(ct_value_get(line, "disturbed"), false);
    row->build_s = ct_value_real(ct_value_get(line, "build_s"), 0);
    row->load = ct_value_real(ct_value_get(line, "load"), 0);
    row->table = lines_table(report, line, row->transpose);
    report->lines++;
    return lines_pairs(report, row, line, err);
}

ct_status ct_report_lines_whole(ct_report *report, const ct_value *line, size_t place,
                                ct_error *err)
{
    int count = 0;
    const ct_value *whole = ct_value_get(line, "whole"), *steps = ct_value_get(whole, "steps");
    ct_report_whole *out = &report->whole[report->wholes];
    double *seconds = lines_seconds(ct_value_get(whole, "seconds"), &count, report->arena);
    if (!seconds || count == 0)
        return lines_fail(report, place, "whole/seconds", "a list of numbers above 0", err);
    for (size_t i = 0; i < ct_value_count(steps); i++)
        if (!(ct_value_real(ct_value_at(steps, i), -1) >= 0))
            return lines_fail(report, place, "whole/steps", "seconds of each step", err);
    *out = (ct_report_whole){.plan = ct_value_text(ct_value_get(whole, "plan"), ""),
                             .seconds = ct_report_median(seconds, count, report->arena),
                             .blocks = count,
                             .samples = ct_value_real(ct_value_get(whole, "samples"), 0),
                             .signal_s = ct_value_real(ct_value_get(whole, "signal_s"), 0),
                             .steps = ct_value_count(steps) ? steps : NULL};
    report->wholes++;
    return CT_OK;
}

ct_status ct_report_lines_other(const ct_report *report, size_t place, ct_error *err)
{
    return ct_error_add(err, CT_DATA,
                        "%s:%zu: expected \"cell\", \"transpose\", \"whole\" or \"end\"",
                        report->file, place);
}
