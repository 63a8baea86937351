/* price_rows.c: see price_rows.h.
 * Room: bench. Order: a table of a journal; a row's features; the pipelines that tables are of. */
#include "price_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cornerturn_stage.h"
#include "fail.h"
#include "file.h"
#include "fuse.h"
#include "price_features.h"
#include "report.h"

enum { VARIANTS = 16, LINE = 512, BLOCK = 1024 };

/* ---- a journal's table */

/* "fft+fir": fft, with which fir runs as one. */
static void print_row(const ct_report_table *table, const ct_report_row *row)
{
    const double seconds = table->transpose ? row->middle : row->ratio * table->usual_s;
    if (*row->settings || row->taken || !ct_report_is_right(row) || !(seconds > 0)) return;
    printf("%s %s %.4g %.*s\n", table->transpose ? "transpose" : "cell", row->at, seconds,
           (int)strcspn(table->name, "+"), table->name);
}

ct_status price_rows_print(const char *journal, ct_error *err)
{
    ct_status status = CT_OK;
    ct_report *report = NULL;
    CT_TRY(ct_report_load(&report, journal, err));
    for (int t = 0; t < report->tables; t++)
        for (int k = 0; k < report->table[t].count; k++)
            print_row(&report->table[t], report->table[t].row[k]);
out:
    ct_report_free(report);
    return status;
}

/* ---- features */

static int rows_name(price_rows *rows, const char *stage, const char *name)
{
    char text[2 * CT_PRICE_NAME];
    snprintf(text, sizeof text, "%s %s", stage, name);
    for (int i = 0; i < rows->names; i++)
        if (!strcmp(rows->name[i], text)) return i;
    if (rows->names % BLOCK == 0)
        rows->name = realloc(rows->name, sizeof *rows->name * (size_t)(rows->names + BLOCK));
    if (!rows->name) abort();
    rows->name[rows->names] = (char *)ct_arena_copy(rows->arena, text);
    return rows->names++;
}

typedef struct row_sink {
    price_rows *rows;
    price_row *row;
} row_sink;

static void row_feature(void *to, const char *stage, const char *name, double value)
{
    const row_sink *sink = to;
    price_row *row = sink->row;
    if (row->features + 2 > PRICE_ROW_FEATURES) abort();
    row->feature[row->features++] = (price_feature){rows_name(sink->rows, stage, name), value};
    row->feature[row->features++] = (price_feature){rows_name(sink->rows, "*", name), value};
}

/* "SPTC,ST>CTSP" as layouts of the ports that are connected, then of the first output; false: it is
 * of another array. */
static bool row_layouts(const ct_node *node, const char *at, int ports[CT_PORTS],
                        ct_layout layouts[CT_PORTS], int *count)
{
    char text[LINE], *rest;
    int p = 0;
    snprintf(text, sizeof text, "%s", at);
    *count = 0;
    for (char *word = strtok_r(text, ",>", &rest); word; word = strtok_r(NULL, ",>", &rest)) {
        const bool last = at[word - text + (ptrdiff_t)strlen(word)] == 0;
        for (; !last && p < CT_PORTS && node->input[p].node < 0; p++)
            continue;
        const int port = last ? ct_step_first_output(node->step) : p++;
        if (port < 0 || port >= CT_PORTS) return false;
        const ct_array *array = &node->step->port[port];
        if (ct_layout_parse(&layouts[*count], word, NULL) != CT_OK) return false;
        if (array->rank != layouts[*count].rank) return false;
        for (int i = 0; i < array->rank; i++)
            if (!strchr(word, array->dim[i])) return false;
        ports[(*count)++] = port;
    }
    return *count > 0;
}

/* What a launch takes does not depend on anything. */
static double row_work(const price_row *row)
{
    return log(fmax(row->seconds - CT_PRICE_LAUNCH_S, row->seconds / 5));
}

static bool row_cell(row_sink *sink, const ct_graph *graph, int n)
{
    int ports[CT_PORTS], count;
    ct_layout layouts[CT_PORTS];
    const ct_node *node = &graph->nodes[n];
    price_row *row = sink->row;
    const ct_price_sink to = {row_feature, sink};
    if (!row_layouts(node, row->at, ports, layouts, &count)) return false;
    row->stage = ct_arena_copy(sink->rows->arena, node->step->stage->name);
    row->value = row_work(row) - ct_price_floor(node->step);
    ct_price_features_step(&to, node->step);
    for (int i = 0; i < count; i++)
        ct_price_features_port(&to, node->step, ports[i], &layouts[i]);
    if (count > 1 && ports[0] == 0)
        ct_price_features_pair(&to, node->step, 0, &layouts[0], ports[count - 1],
                               &layouts[count - 1]);
    return true;
}

static bool row_copy(row_sink *sink, const ct_graph *graph, int n)
{
    ct_layout from, to;
    char text[LINE];
    price_row *row = sink->row;
    const ct_price_sink into = {row_feature, sink};
    const ct_step *step = graph->nodes[n].step;
    const ct_array *array = &step->port[ct_step_first_output(step)];
    snprintf(text, sizeof text, "%s", row->at);
    char *middle = strchr(text, '>');
    if (!middle) return false;
    *middle = 0;
    if (ct_layout_parse(&from, text, NULL) != CT_OK ||
        ct_layout_parse(&to, middle + 1, NULL) != CT_OK)
        return false;
    if (from.rank != array->rank || to.rank != array->rank) return false;
    row->stage = "transpose";
    row->value = row_work(row) - ct_price_floor_copy(array);
    ct_price_features_copy(&into, array, &from, &to);
    return true;
}

/* ---- tables */

static ct_status add_line(price_rows *rows, int table, const char *line, ct_graph *const *graphs,
                          int count, ct_error *err)
{
    char kind[16], at[128], node[128];
    double seconds;
    if (sscanf(line, "%15s %127s %lf %127[^\n]", kind, at, &seconds, node) != 4) return CT_OK;
    if (rows->rows % BLOCK == 0)
        rows->row = realloc(rows->row, sizeof *rows->row * (size_t)(rows->rows + BLOCK));
    if (!rows->row) return ct_memory_fail(0, err);
    price_row *row = &rows->row[rows->rows];
    *row = (price_row){.table = table, .copy = !strcmp(kind, "transpose"), .seconds = seconds};
    row->node = ct_arena_copy(rows->arena, node);
    row->at = ct_arena_copy(rows->arena, at);
    row_sink sink = {rows, row};
    for (int g = 0; g < count; g++) {
        const int n = ct_graph_find(graphs[g], node);
        if (n < 0 || !(row->copy ? row_copy : row_cell)(&sink, graphs[g], n)) continue;
        rows->rows++;
        return CT_OK;
    }
    return CT_OK;
}

static ct_status add_table(price_rows *rows, ct_context *context, int t, ct_error *err)
{
    ct_status status = CT_OK;
    ct_graph *graphs[VARIANTS] = {NULL};
    int count = 1;
    char *text = NULL, *rest;
    size_t length;
    CT_TRY(ct_graph_load(&graphs[0], context, rows->table[t].pipeline, NULL, err));
    CT_TRY(ct_fuse_all(graphs[0], graphs, VARIANTS, &count, err));
    CT_TRY(ct_file_read(&text, &length, rows->table[t].file, err));
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        CT_TRY(add_line(rows, t, line, graphs, count, err));
out:
    ct_memory_free(text);
    for (int g = 0; g < VARIANTS; g++)
        ct_graph_free(graphs[g]);
    return status;
}

ct_status price_rows_load(price_rows *out, const char *list, ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *context = NULL;
    char *text = NULL, *rest = NULL, machine[LINE], pipeline[LINE], file[LINE];
    size_t length;
    *out = (price_rows){.arena = ct_arena_new()};
    CT_NEED(out->arena, 0, err);
    CT_TRY(ct_file_read(&text, &length, list, err));
    CT_TRY(ct_context_open(&context, err));
    out->table = ct_arena_get(out->arena, sizeof *out->table * (length + 1));
    CT_TRY(ct_arena_check(out->arena, err));
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (sscanf(line, "%511s %511s %511s", machine, pipeline, file) != 3) continue;
        price_table *table = &out->table[out->tables];
        table->machine = ct_arena_copy(out->arena, machine);
        table->pipeline = ct_arena_copy(out->arena, pipeline);
        table->file = ct_arena_copy(out->arena, file);
        CT_TRY(ct_arena_check(out->arena, err));
        CT_TRY(add_table(out, context, out->tables++, err));
    }
out:
    ct_context_free(context);
    ct_memory_free(text);
    return status;
}

void price_rows_free(price_rows *rows)
{
    free(rows->row);
    free(rows->name);
    ct_arena_free(rows->arena);
}
