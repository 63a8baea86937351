/* markdown.c: a journal as tables in Markdown: what the page draws, in numbers.
 * Room: tuner/report. Knows Markdown's tables. Does not know where they are put. */
#include <math.h>
#include <string.h>

#include "report.h"

static void markdown_text(ct_text *out, const char *text)
{
    for (; *text; text++)
        ct_text_add(out, "%s%c", *text == '|' ? "\\" : "",
                    (unsigned char)*text < ' ' ? ' ' : *text);
}

static void markdown_search(ct_text *out, const ct_report *report)
{
    int wrong = 0;
    for (int i = 0; i < report->candidates; i++)
        wrong += !ct_report_is_right(&report->candidate[i]);
    ct_text_add(out,
                "## Search\n\n%d candidates, %d of them not usable; %d rehearsals of whole plans. ",
                report->candidates, wrong, report->wholes);
    ct_text_add(out, "Noise of one timing: %s %%. ",
                ct_report_digits(100 * ct_report_noise(report), 2, report->arena));
    if (!report->ended)
        ct_text_add(out, "The search was cut off.\n");
    else if (!report->chosen)
        ct_text_add(out, "The plan takes %.3f of the default's time.\n", report->end_ratio);
    else if (!strcmp(report->chosen, "default"))
        ct_text_add(out, "Nothing was clearly better: the default was kept.\n");
    else {
        ct_text_add(out, "Chosen, with %.3f of the default's time: ", report->end_ratio);
        markdown_text(out, report->chosen);
        ct_text_add(out, ".\n");
    }
    if (report->ended && !report->complete)
        ct_text_add(out, "The search did not come to its end.\n");
}

static void markdown_signal(ct_text *out, const ct_report *report)
{
    if (!report->usual || !(report->usual->signal_s > 0)) return;
    ct_text_add(
        out, "A block lasts %s s; the default plan takes %s of that",
        ct_report_digits(report->usual->signal_s, 3, report->arena),
        ct_report_digits(report->usual->seconds / report->usual->signal_s, 3, report->arena));
    if (report->best && report->best->signal_s > 0)
        ct_text_add(
            out, ", the %s %s of its own",
            report->chosen && !strcmp(report->best->plan, report->chosen) ? "chosen one"
                                                                          : "best other one",
            ct_report_digits(report->best->seconds / report->best->signal_s, 3, report->arena));
    ct_text_add(out, ".\n");
}

static void markdown_transposes(ct_text *out, const ct_report *report)
{
    bool any = false;
    for (int d = 0; d < CT_REPORT_FAR; d++) {
        const ct_report_transposed by = ct_report_transposed_by(report, d);
        if (by.count == 0) continue;
        if (!any)
            ct_text_add(out, "\n## Transposes\n\n| distance | transposes | least | median | most "
                             "|\n|---:|---:|---:|---:|---:|\n");
        any = true;
        ct_text_add(out, "| %d | %d | %.2f | %.2f | %.2f |\n", d, by.count, by.least, by.median,
                    by.most);
    }
}

static void markdown_spread(ct_text *out, const ct_report *report)
{
    bool any = false;
    for (int t = 0; t < report->tables; t++)
        any = any || (!report->table[t].transpose && report->table[t].count > 0);
    if (!any) return;
    ct_text_add(out, "\n## How rare the best is\n\n| step | candidates | best | mean | standard "
                     "deviation | best from mean | within 1 %% | 5 %% | 10 %% |\n"
                     "|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (int t = 0; t < report->tables; t++) {
        const ct_report_spread s = ct_report_spread_of(&report->table[t]);
        if (report->table[t].transpose || s.count == 0) continue;
        ct_text_add(out, "| ");
        markdown_text(out, report->table[t].name);
        ct_text_add(out, " | %d | %.3f | %.3f | %.3f | %.2f |", s.count, s.best, s.mean,
                    s.deviation, s.away);
        for (int i = 0; i < CT_REPORT_SHARES; i++)
            ct_text_add(out, " %.1f |", s.within[i]);
        ct_text_add(out, "\n");
    }
}

/* Steps are there even where nothing is known of them: independence is not taken for granted. */
static void markdown_separability(ct_text *out, const ct_report *report)
{
    bool any = false;
    for (int t = 0; t < report->tables; t++) {
        const ct_report_table *table = &report->table[t];
        const ct_report_separability a = ct_report_separability_of(report, table);
        if (table->transpose || table->count == 0) continue;
        if (!any)
            ct_text_add(out, "\n## Reading and writing apart\n\n| step | cells foretold | off by, "
                             "median | worst | at | best foretold | its time to the best's "
                             "|\n|---|---:|---:|---:|---|---|---:|\n");
        any = true;
        ct_text_add(out, "| ");
        markdown_text(out, table->name);
        if (a.count > 0)
            ct_text_add(out, " | %d | %.1f %% | %.1f %% | %s | %s | %.3f |\n", a.count,
                        100 * a.median, 100 * a.worst, a.worst_row->at, a.predicted->at,
                        a.predicted->ratio / a.best->ratio);
        else
            ct_text_add(out, " | 0 | | | | | |\n");
    }
}

static void markdown_plans(ct_text *out, const ct_report *report)
{
    int count = 0;
    double *miss = ct_arena_get(report->arena, sizeof *miss * ((size_t)report->wholes + 1));
    for (int i = 0; miss && i < report->wholes; i++) {
        const ct_report_whole *whole = &report->whole[i];
        const double predicted = whole->usual ? 0 : ct_report_predicted(report, whole);
        if (!(predicted > 0)) continue;
        if (count == 0)
            ct_text_add(out, "\n## Whole plans and sums of steps\n\n| plan | foretold | measured | "
                             "blocks |\n|---|---:|---:|---:|\n");
        miss[count++] = fabs(predicted / whole->ratio - 1);
        ct_text_add(out, "| ");
        markdown_text(out, whole->plan);
        ct_text_add(out, " | %.3f | %.3f | %d |\n", predicted, whole->ratio, whole->blocks);
    }
    if (count > 0)
        ct_text_add(out, "\nForetold is off by %.1f %% in the median.\n",
                    100 * ct_report_median(miss, count, report->arena));
}

void ct_report_markdown(ct_text *out, const ct_report *report)
{
    markdown_search(out, report);
    markdown_signal(out, report);
    markdown_transposes(out, report);
    markdown_spread(out, report);
    markdown_separability(out, report);
    markdown_plans(out, report);
}
