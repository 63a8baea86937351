/* spread.c: how a node's candidates are spread, the distance between transposes' layouts, and what
 * a plan's steps come to by themselves. Room: tuner/report. Does not know what is drawn of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* ---- candidates */

static void spread_moments(ct_report_spread *out, const ct_report_table *table)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < table->count; i++) {
        const double ratio = table->row[i]->ratio;
        if (!ct_report_is_right(table->row[i])) continue;
        out->count++;
        sum += ratio;
        squares += ratio * ratio;
        out->best = fmin(out->best, ratio);
        out->most = fmax(out->most, ratio);
    }
    if (out->count == 0) return;
    out->mean = sum / out->count;
    out->deviation = sqrt(fmax(0, squares / out->count - out->mean * out->mean));
    if (out->deviation > 0) out->away = (out->mean - out->best) / out->deviation;
}

ct_report_spread ct_report_spread_of(const ct_report_table *table)
{
    ct_report_spread out = {.best = INFINITY, .percent = {1, 5, 10}};
    spread_moments(&out, table);
    for (int s = 0; s < CT_REPORT_SHARES && out.count > 0; s++) {
        int count = 0;
        for (int i = 0; i < table->count; i++)
            count += ct_report_is_right(table->row[i]) &&
                     table->row[i]->ratio <= out.best * (1 + out.percent[s] / 100.0);
        out.within[s] = 100.0 * count / out.count;
    }
    return out;
}

/* ---- transposes */

int ct_report_distance(const ct_report_row *row)
{
    int sum = 0;
    if (!row->transpose || !ct_report_is_right(row) || *row->settings) return -1;
    for (int i = 0; row->read[i]; i++) {
        const char *to = strchr(row->write, row->read[i]);
        if (to) sum += abs((int)(to - row->write) - i);
    }
    return sum < CT_REPORT_FAR ? sum : CT_REPORT_FAR - 1;
}

ct_report_transposed ct_report_transposed_by(const ct_report *report, int distance)
{
    ct_report_transposed out = {.least = INFINITY};
    double *list = ct_arena_get(report->arena, sizeof *list * ((size_t)report->candidates + 1));
    for (int i = 0; list && i < report->candidates; i++) {
        const ct_report_row *row = &report->candidate[i];
        if (ct_report_distance(row) != distance) continue;
        list[out.count++] = row->ratio;
        out.least = fmin(out.least, row->ratio);
        out.most = fmax(out.most, row->ratio);
    }
    if (list) out.median = ct_report_median(list, out.count, report->arena);
    return out;
}

/* ---- plans */

/* "SPTC>CTSP": what the node does in the plan; "" where its name does not say. */
static const char *spread_at(const ct_report *report, const char *plan, const char *node)
{
    const size_t length = strlen(node);
    for (const char *at = plan; at; at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL)
        if (!strncmp(at, node, length) && at[length] == ' ') {
            const char *from = at + length + 1, *to = strstr(from, ", ");
            const int size = to ? (int)(to - from) : (int)strlen(from);
            return ct_arena_print(report->arena, "%.*s", size, from);
        }
    return "";
}

static const ct_report_table *spread_table(const ct_report *report, bool transpose,
                                           const char *name, size_t length)
{
    for (int t = 0; t < report->tables; t++)
        if (report->table[t].transpose == transpose && strlen(report->table[t].name) == length &&
            !strncmp(report->table[t].name, name, length))
            return &report->table[t];
    return NULL;
}

/* A transpose that was put in, "fft>CTSP": what it takes by itself, from the layout that the node
 * writes; below 0: not known. */
static double spread_copy(const ct_report *report, const char *plan, const char *step)
{
    const char *to = strrchr(step, '>');
    const ct_report_table *table = spread_table(report, true, step, (size_t)(to - step));
    const char *at = table ? spread_at(report, plan, table->name) : "", *from = strrchr(at, '>');
    for (int i = 0; table && i < table->count; i++) {
        const ct_report_row *row = table->row[i];
        if (ct_report_distance(row) < 0 || strcmp(row->write, to + 1) != 0) continue;
        if (!from || !strcmp(row->read, from + 1)) return row->middle;
    }
    return -1;
}

/* A node's share of its default, by itself, in the layouts that the plan names, times what the
 * default takes in place; what has no choice takes what it takes there. Below 0: not known. */
static double spread_step(const ct_report *report, const char *plan, const char *step)
{
    const ct_report_table *table = spread_table(report, false, step, strlen(step));
    const double usual = ct_value_real(ct_value_get(report->usual->steps, step), 0);
    const char *at = spread_at(report, plan, step);
    double best = INFINITY;
    if (!*at) return table && strcmp(plan, "default") != 0 ? -1 : usual;
    for (int i = 0; table && i < table->count; i++)
        if (!strcmp(table->row[i]->at, at) && ct_report_is_right(table->row[i]))
            best = fmin(best, table->row[i]->ratio);
    return isfinite(best) ? best * usual : -1;
}

double ct_report_predicted(const ct_report *report, const ct_report_whole *whole)
{
    double sum = 0, usual = 0;
    if (!report->usual || !report->usual->steps || !whole->steps) return 0;
    if (whole->samples != report->usual->samples) return 0; /* parts were measured with one block */
    for (size_t i = 0; i < ct_value_count(report->usual->steps); i++)
        usual += ct_value_real(ct_value_at(report->usual->steps, i), 0);
    for (size_t i = 0; i < ct_value_count(whole->steps); i++) {
        const char *name = ct_value_key(whole->steps, i);
        const double seconds = strchr(name, '>') ? spread_copy(report, whole->plan, name)
                                                 : spread_step(report, whole->plan, name);
        if (!(seconds >= 0)) return 0;
        sum += seconds;
    }
    return usual > 0 ? sum / usual : 0;
}
