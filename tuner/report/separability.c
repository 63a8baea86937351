/* separability.c: whether what a step takes to read one layout and to write another are separable
 * costs: each cell against what the others predict of it, as if they were.
 * Room: tuner/report. Knows tables. Does not know what is printed.
 *
 * Separable costs multiply: a cell takes m(r, w) = m(r, v) m(q, w) / m(q, v), for any other read
 * layout q and any other write layout v. The median over all such three cells that were measured is
 * the prediction; noise and single odd cells hardly change it, and no cell has a say in its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

typedef struct separability {
    ct_arena *arena;
    const char **read, **write; /* the layouts of the table's rows, each once */
    int reads, writes;
    double *value; /* [read * write]: the ratio's logarithm; NAN where there is none */
    double *three; /* what three other cells say */
} separability;

/* The name's place; it is added where it is new. */
static int separability_place(const char **names, int *count, const char *name)
{
    int i = 0;
    while (i < *count && strcmp(names[i], name) != 0)
        i++;
    if (i == *count) names[(*count)++] = name;
    return i;
}

/* Tunables change both sides of a step: only the defaults are compared. */
static bool separability_counts(const ct_report_row *row)
{
    return ct_report_is_right(row) && !*row->settings;
}

static int separability_read(separability *a, const ct_report_row *row)
{
    return separability_place(a->read, &a->reads, row->read);
}

static int separability_write(separability *a, const ct_report_row *row)
{
    return separability_place(a->write, &a->writes, row->write);
}

static bool separability_open(separability *a, const ct_report_table *table)
{
    const size_t most = (size_t)table->count + 1;
    a->read = ct_arena_get(a->arena, sizeof *a->read * most);
    a->write = ct_arena_get(a->arena, sizeof *a->write * most);
    if (!a->read || !a->write) return false;
    for (int i = 0; i < table->count; i++) {
        (void)separability_read(a, table->row[i]);
        (void)separability_write(a, table->row[i]);
    }
    const size_t cells = (size_t)a->reads * (size_t)a->writes;
    a->value = ct_arena_get(a->arena, sizeof *a->value * (cells + 1));
    a->three = ct_arena_get(a->arena, sizeof *a->three * (cells + 1));
    if (!a->value || !a->three) return false;
    for (size_t i = 0; i < cells; i++)
        a->value[i] = NAN;
    for (int i = 0; i < table->count; i++) {
        const ct_report_row *row = table->row[i];
        const int at = separability_read(a, row) * a->writes + separability_write(a, row);
        if (separability_counts(row)) a->value[at] = log(row->ratio);
    }
    return true;
}

/* 0: there are no three others. */
static double separability_predict(separability *a, const ct_report_row *row)
{
    int count = 0;
    const int writes = a->writes, r = separability_read(a, row), w = separability_write(a, row);
    for (int q = 0; q < a->reads; q++)
        for (int v = 0; v < writes; v++) {
            const double sum =
                a->value[r * writes + v] + a->value[q * writes + w] - a->value[q * writes + v];
            if (q != r && v != w && !isnan(sum)) a->three[count++] = sum;
        }
    return count ? exp(ct_report_middle(a->three, count)) : 0;
}

void ct_report_separability_predict(ct_report *report)
{
    for (int t = 0; t < report->tables; t++) {
        const ct_report_table *table = &report->table[t];
        separability a = {.arena = report->arena};
        if (table->transpose || !separability_open(&a, table)) continue;
        for (int i = 0; i < table->count; i++)
            if (separability_counts(table->row[i]))
                table->row[i]->predicted = separability_predict(&a, table->row[i]);
    }
}

ct_report_separability ct_report_separability_of(const ct_report *report,
                                                 const ct_report_table *table)
{
    ct_report_separability out = {0};
    double *miss = ct_arena_get(report->arena, sizeof *miss * ((size_t)table->count + 1));
    for (int i = 0; miss && i < table->count; i++) {
        const ct_report_row *row = table->row[i];
        if (!(row->predicted > 0)) continue;
        miss[out.count] = fabs(row->predicted / row->ratio - 1);
        if (!out.worst_row || miss[out.count] > out.worst) {
            out.worst = miss[out.count];
            out.worst_row = row;
        }
        if (!out.best || row->ratio < out.best->ratio) out.best = row;
        if (!out.predicted || row->predicted < out.predicted->predicted) out.predicted = row;
        out.count++;
    }
    if (out.count > 0) out.median = ct_report_middle(miss, out.count);
    return out;
}
