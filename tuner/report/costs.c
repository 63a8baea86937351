/* costs.c: a journal as a file of costs, for `tune --simulate`.
 * Room: tuner/report. Knows the form of costs (docs/tuning.md). Does not know who reads it.
 *
 * A cell costs what it takes with the default tunables, which is what a search over layouts sees
 * first; with others only where the defaults gave no right result. */
#include <string.h>

#include "json_text.h"
#include "report.h"

/* The candidate that speaks for its cell; NULL: another one does, or none can. */
static const ct_report_row *costs_speaker(const ct_report_table *table, int i)
{
    const ct_report_row *best = NULL;
    for (int k = 0; k < table->count; k++) {
        const ct_report_row *row = table->row[k];
        if (strcmp(row->at, table->row[i]->at) != 0) continue;
        if (k < i) return NULL;
        if (!ct_report_is_right(row)) continue;
        if (!*row->settings) return row;
        if (!best || row->ratio < best->ratio) best = row;
    }
    return best;
}

static void costs_table(ct_text *out, const ct_report_table *table)
{
    bool any = false;
    for (int i = 0; i < table->count; i++) {
        const ct_report_row *row = costs_speaker(table, i);
        if (!row) continue;
        if (!any) ct_json_open(out, table->name, '{');
        any = true;
        ct_json_add_real(out, row->at,
                         table->transpose ? row->middle : row->ratio * table->usual_s);
    }
    if (any) ct_json_close(out, '}');
}

static void costs_tables(ct_text *out, const ct_report *report, bool transpose)
{
    ct_json_open(out, transpose ? "transposes" : "nodes", '{');
    for (int t = 0; t < report->tables; t++)
        if (report->table[t].transpose == transpose && !report->table[t].fused)
            costs_table(out, &report->table[t]);
    ct_json_close(out, '}');
}

/* What a measurement takes: building it, and both sides of its pairs. */
static double costs_candidate(const ct_report *report)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < report->lines; i++) {
        const ct_report_row *row = &report->line[i];
        if (row->taken) continue;
        count++;
        sum += row->build_s;
        for (int p = 0; p < row->pairs; p++)
            sum += row->seconds[p] + row->usual[p];
    }
    return count ? sum / count : 1;
}

void ct_report_costs(ct_text *out, const ct_report *report)
{
    ct_json_open(out, NULL, '{');
    ct_json_add_int(out, "cornerturn_costs", 1);
    ct_json_add_real(out, "noise", ct_report_noise(report));
    ct_json_add_int(out, "seed", 1);
    ct_json_add_real(out, "candidate_s", costs_candidate(report));
    costs_tables(out, report, false);
    costs_tables(out, report, true);
    ct_json_close(out, '}');
    ct_text_add(out, "\n");
}
