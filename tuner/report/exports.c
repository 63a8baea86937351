/* exports.c: a journal as other tuners' files: Kernel Tuner's cache, which its dashboard shows, and
 * results in the T4 form. Room: tuner/report. Knows both forms. Does not know files.
 *
 * Layouts are parameters, "read" and "write", like the tunables; a tunable that a candidate
 * leaves as it is has the value "default". Values have no commas, since the cache's keys are values
 * with commas between. Times are milliseconds. */
#include <string.h>

#include "json_text.h"
#include "report.h"

#define EXPORTS_MS 1e3

typedef struct exports_names {
    const char **tunable;
    int count;
} exports_names;

/* "CTSP,ST" -> "CTSP+ST" */
static const char *exports_plain(const char *text, ct_arena *arena)
{
    char *out = ct_arena_get(arena, strlen(text) + 1);
    for (size_t i = 0; out && text[i]; i++)
        out[i] = text[i] == ',' ? '+' : text[i];
    return out ? out : "";
}

static void exports_value(ct_text *out, const char *key, const ct_value *value, ct_arena *arena)
{
    const ct_kind kind = ct_value_kind(value);
    if (!value)
        ct_json_add_text(out, key, "default");
    else if (kind == CT_INT || kind == CT_BOOL)
        ct_json_add_int(out, key, ct_value_int(value, ct_value_bool(value, false)));
    else if (kind == CT_REAL)
        ct_json_add_real(out, key, ct_value_real(value, 0));
    else
        ct_json_add_text(out, key, exports_plain(ct_value_text(value, ""), arena));
}

static void exports_parameters(ct_text *out, const ct_report_row *row, const exports_names *names,
                               ct_arena *arena)
{
    ct_json_add_text(out, "read", exports_plain(row->read, arena));
    ct_json_add_text(out, "write", exports_plain(row->write, arena));
    for (int i = 0; i < names->count; i++)
        exports_value(out, names->tunable[i], ct_value_get(row->tunables, names->tunable[i]),
                      arena);
}

static void exports_times(ct_text *out, const char *key, const ct_report_row *row)
{
    ct_json_open(out, key, '[');
    for (int i = 0; i < row->pairs; i++)
        ct_json_add_real(out, NULL, row->seconds[i] * EXPORTS_MS);
    ct_json_close(out, ']');
}

static double exports_sum(const ct_report_row *row)
{
    double sum = 0;
    for (int i = 0; i < row->pairs; i++)
        sum += row->seconds[i] + row->usual[i];
    return sum * EXPORTS_MS;
}

/* A row is one line: of what was added since, the first line break stays. */
static void exports_flatten(ct_text *out, size_t from)
{
    bool first = true;
    for (size_t i = from; i < out->length; i++) {
        if (out->data[i] != '\n') continue;
        if (!first) out->data[i] = ' ';
        first = false;
    }
}

/* ---- Kernel Tuner's cache */

static const char *exports_key(const ct_report_row *row, const exports_names *names,
                               ct_arena *arena)
{
    const char *out = ct_arena_print(arena, "%s,%s", exports_plain(row->read, arena),
                                     exports_plain(row->write, arena));
    for (int i = 0; i < names->count; i++) {
        const ct_value *value = ct_value_get(row->tunables, names->tunable[i]);
        const char *text = value ? ct_report_setting(value, arena) : "default";
        out = ct_arena_print(arena, "%s,%s", out, exports_plain(text, arena));
    }
    return out;
}

static void exports_cached(ct_text *out, const ct_report *report, const ct_report_row *row,
                           const exports_names *names)
{
    ct_json_open(out, exports_key(row, names, report->arena), '{');
    exports_parameters(out, row, names, report->arena);
    if (row->end->error) {
        ct_json_add_text(out, "__error__", row->end->error);
        ct_json_add_text(out, "time", row->end->error);
    } else {
        ct_json_add_real(out, "time", row->middle * EXPORTS_MS);
        ct_json_add_real(out, "ratio", row->ratio);
    }
    exports_times(out, "times", row);
    ct_json_add_real(out, "compile_time", row->build_s * EXPORTS_MS);
    ct_json_add_real(out, "verification_time", 0);
    ct_json_add_real(out, "benchmark_time", exports_sum(row));
    ct_json_add_real(out, "strategy_time", 0);
    ct_json_add_real(out, "framework_time", 0);
    ct_json_add_text(out, "timestamp", report->time);
    ct_json_close(out, '}');
}

typedef enum exports_column { EXPORTS_READ, EXPORTS_WRITE, EXPORTS_TUNABLE } exports_column;

static const char *exports_cell(const ct_report_row *row, exports_column column, const char *name,
                                ct_arena *arena)
{
    const ct_value *value = ct_value_get(row->tunables, name ? name : "");
    if (column == EXPORTS_READ) return exports_plain(row->read, arena);
    if (column == EXPORTS_WRITE) return exports_plain(row->write, arena);
    return value ? ct_report_setting(value, arena) : "default";
}

/* Each value that occurs, once. */
static void exports_values(ct_text *out, const ct_report_table *table, exports_column column,
                           const char *name, ct_arena *arena)
{
    static const char *const layouts[] = {"read", "write"};
    ct_json_open(out, name ? name : layouts[column], '[');
    for (int i = 0; i < table->count; i++) {
        const char *text = exports_cell(table->row[i], column, name, arena);
        bool before = false;
        for (int k = 0; k < i && !before; k++)
            before = !strcmp(exports_cell(table->row[k], column, name, arena), text);
        if (before) continue;
        if (name)
            exports_value(out, NULL, ct_value_get(table->row[i]->tunables, name), arena);
        else
            ct_json_add_text(out, NULL, text);
    }
    ct_json_close(out, ']');
}

static void exports_head(ct_text *out, const ct_report *report, const ct_report_table *table,
                         const exports_names *names)
{
    ct_json_add_text(out, "device_name", ct_value_text(ct_value_get(report->key, "device"), ""));
    ct_json_add_text(out, "kernel_name",
                     ct_arena_print(report->arena, "%s%s", table->name,
                                    table->transpose ? " (transposes)" : ""));
    ct_json_add_text(out, "problem_size", report->pipeline);
    ct_json_open(out, "tune_params_keys", '[');
    ct_json_add_text(out, NULL, "read");
    ct_json_add_text(out, NULL, "write");
    for (int i = 0; i < names->count; i++)
        ct_json_add_text(out, NULL, names->tunable[i]);
    ct_json_close(out, ']');
    ct_json_open(out, "tune_params", '{');
    exports_values(out, table, EXPORTS_READ, NULL, report->arena);
    exports_values(out, table, EXPORTS_WRITE, NULL, report->arena);
    for (int i = 0; i < names->count; i++)
        exports_values(out, table, EXPORTS_TUNABLE, names->tunable[i], report->arena);
    ct_json_close(out, '}');
    ct_json_add_text(out, "objective", "time");
}

void ct_report_cache(ct_text *out, const ct_report *report, const ct_report_table *table)
{
    exports_names names = {0};
    names.tunable = ct_report_tunables(report, table, &names.count);
    ct_json_open(out, NULL, '{');
    exports_head(out, report, table, &names);
    ct_json_open(out, "cache", '{');
    for (int i = 0; i < table->count; i++) {
        const size_t from = out->length;
        exports_cached(out, report, table->row[i], &names);
        exports_flatten(out, from);
    }
    /* Kernel Tuner looks for these very bytes to see that the file is whole. */
    ct_text_add(out, "}\n}\n");
}

/* ---- T4 */

static void exports_measured(ct_text *out, const ct_report_row *row)
{
    ct_json_open(out, "measurements", '[');
    ct_json_open(out, NULL, '{');
    ct_json_add_text(out, "name", "time");
    if (row->end->error)
        ct_json_add_text(out, "value", row->end->error);
    else
        ct_json_add_real(out, "value", row->middle * EXPORTS_MS);
    ct_json_add_text(out, "unit", "ms");
    ct_json_close(out, '}');
    ct_json_close(out, ']');
    ct_json_open(out, "objectives", '[');
    ct_json_add_text(out, NULL, "time");
    ct_json_close(out, ']');
}

static void exports_result(ct_text *out, const ct_report *report, const ct_report_row *row,
                           const exports_names *names)
{
    const ct_report_table *table = &report->table[row->table];
    ct_json_open(out, NULL, '{');
    ct_json_add_text(out, "timestamp", report->time);
    ct_json_open(out, "configuration", '{');
    ct_json_add_text(out, "kind", row->transpose ? "transpose" : "cell");
    ct_json_add_text(out, "node", table->name);
    exports_parameters(out, row, names, report->arena);
    ct_json_close(out, '}');
    ct_json_open(out, "times", '{');
    ct_json_add_real(out, "compilation_time", row->build_s * EXPORTS_MS);
    ct_json_add_real(out, "benchmark", exports_sum(row));
    exports_times(out, "runtimes", row);
    ct_json_add_real(out, "framework", 0);
    ct_json_add_real(out, "search_algorithm", 0);
    ct_json_add_real(out, "validation", 0);
    ct_json_close(out, '}');
    ct_json_add_text(out, "invalidity", row->end->word);
    ct_json_add_int(out, "correctness", strcmp(row->end->word, "correctness") != 0);
    exports_measured(out, row);
    ct_json_close(out, '}');
}

void ct_report_t4(ct_text *out, const ct_report *report)
{
    exports_names *names =
        ct_arena_get(report->arena, sizeof *names * ((size_t)report->tables + 1));
    ct_json_open(out, NULL, '{');
    ct_json_add_text(out, "schema_version", "1.0.0");
    ct_json_open(out, "metadata", '{');
    ct_json_add_text(out, "timeunit", "milliseconds");
    ct_json_add_text(out, "device", ct_value_text(ct_value_get(report->key, "device"), ""));
    ct_json_add_text(out, "pipeline", report->pipeline);
    ct_json_close(out, '}');
    ct_json_open(out, "results", '[');
    for (int t = 0; names && t < report->tables; t++)
        names[t].tunable = ct_report_tunables(report, &report->table[t], &names[t].count);
    for (int i = 0; names && i < report->candidates; i++) {
        const size_t from = out->length;
        exports_result(out, report, &report->candidate[i], &names[report->candidate[i].table]);
        exports_flatten(out, from);
    }
    ct_json_close(out, ']');
    ct_json_close(out, '}');
    ct_text_add(out, "\n");
}
