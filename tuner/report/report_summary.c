/* report_summary.c: a journal in a sentence: how much faster the chosen plan is, and by what; and
 * what to do next. See report.h. Room: tuner/report. Knows what plans are called, and whole plans'
 * steps. Does not know how it is shown. */
#include <string.h>

#include "report.h"

/* Of all measurements, those that other work disturbed, from which on it is worth a word. */
#define SUMMARY_DISTURBED 0.2

/* ---- by what */

/* "fir SPT>SPTC, fft SPTC>CTSP, block 65536" -> name and layouts of one node; false: there are no
 * more. */
static bool summary_node(const char **plan, char name[128], char at[128])
{
    const size_t length = strcspn(*plan, ",");
    size_t space = length;
    while (space > 0 && (*plan)[space - 1] != ' ')
        space--;
    if (space == 0 || space > 127 || length - space > 127) return false;
    memcpy(name, *plan, space - 1);
    name[space - 1] = 0;
    memcpy(at, *plan + space, length - space);
    at[length - space] = 0;
    *plan += length;
    *plan += strspn(*plan, ", ");
    return true;
}

/* The node's cells; of a name that is a part of one that several nodes share, these. */
static const ct_report_table *summary_table(const ct_report *report, const char *name)
{
    const size_t length = strlen(name);
    const ct_report_table *found = NULL;
    for (int t = 0; t < report->tables; t++) {
        const ct_report_table *table = &report->table[t];
        const bool begins = strncmp(table->name, name, length) == 0;
        if (table->transpose || !begins) continue;
        if (table->name[length] == 0) return table;
        if (table->name[length] == '+') found = table;
    }
    return found;
}

static void summary_list(ct_text *out, const char *before, const char *name, int n)
{
    ct_text_add(out, "%s%s", n == 0 ? before : ", ", name);
}

/* Nodes whose layouts are not the default's. */
static int summary_layouts(ct_text *out, const ct_report *report, const char *comma)
{
    char name[128], at[128];
    int count = 0;
    const char *plan = report->chosen;
    while (summary_node(&plan, name, at)) {
        const ct_report_table *table = summary_table(report, name);
        if (!table || !table->usual || strcmp(table->usual, at) == 0) continue;
        if (count == 0) ct_text_add(out, "%s", comma);
        summary_list(out, "layouts of ", name, count++);
    }
    return count;
}

static bool summary_has(const ct_report_whole *whole, const char *step)
{
    return ct_value_get(whole->steps, step) != NULL;
}

/* Nodes that have a step of their own in one plan only; of transposes how many. */
static int summary_steps(ct_text *out, const ct_report_whole *of, const ct_report_whole *other,
                         const char *before, const char *comma)
{
    int count = 0;
    for (size_t i = 0; i < ct_value_count(of->steps); i++) {
        const char *name = ct_value_key(of->steps, i);
        if (strchr(name, '>') || summary_has(other, name)) continue;
        if (count == 0) ct_text_add(out, "%s", comma);
        summary_list(out, before, name, count++);
    }
    return count;
}

static int summary_transposes(const ct_report_whole *whole)
{
    int count = 0;
    for (size_t i = 0; i < ct_value_count(whole->steps); i++)
        count += strchr(ct_value_key(whole->steps, i), '>') != NULL;
    return count;
}

/* Nodes of which other tunables were the best in the plan's layouts. */
static int summary_tunables(ct_text *out, const ct_report *report, const char *comma)
{
    char name[128], at[128];
    int count = 0;
    const char *plan = report->chosen;
    while (summary_node(&plan, name, at)) {
        const ct_report_table *table = summary_table(report, name);
        const ct_report_row *best = NULL;
        for (int i = 0; table && i < table->count; i++) {
            const ct_report_row *row = table->row[i];
            const bool better = !best || row->ratio < best->ratio;
            if (!strcmp(row->at, at) && ct_report_is_right(row) && better) best = row;
        }
        if (!best || !best->settings[0]) continue;
        if (count == 0) ct_text_add(out, "%s", comma);
        summary_list(out, "tunables of ", name, count++);
    }
    return count;
}

static void summary_reasons(ct_text *out, const ct_report *report)
{
    static const char by[] = ", by ", and[] = "; ";
    int count = 0;
    const ct_report_whole *usual = report->usual, *best = report->best;
    const bool chosen = best && strcmp(best->plan, report->chosen) == 0;
    count += summary_layouts(out, report, by);
    if (chosen && usual && usual->steps && best->steps) {
        const int more = summary_transposes(best) - summary_transposes(usual);
        count += summary_steps(out, usual, best, "fusion of ", count ? and : by);
        count += summary_steps(out, best, usual, "no fusion of ", count ? and : by);
        if (more != 0)
            ct_text_add(out, "%s%d transpose%s %s", count ? and : by, more > 0 ? more : -more,
                        more == 1 || more == -1 ? "" : "s", more > 0 ? "more" : "fewer");
        count += more != 0;
    }
    count += summary_tunables(out, report, count ? and : by);
    if (report->end_block)
        ct_text_add(out, "%sa block of %lld samples instead of %lld", count ? and : by,
                    (long long)ct_value_int(ct_value_get(report->end_block, "samples"), 0),
                    (long long)ct_value_int(ct_value_get(report->end_block, "default_samples"), 0));
}

/* ---- how much */

static bool summary_keeps(const ct_report *report)
{
    return report->chosen && strcmp(report->chosen, "default") == 0;
}

void ct_report_summary_say(ct_text *out, const ct_report *report)
{
    ct_arena *arena = report->arena;
    if (!report->ended) {
        ct_text_add(out, "The search has no end in this journal: nothing was chosen yet.");
        return;
    }
    if (summary_keeps(report) || !(report->end_ratio > 0)) {
        ct_text_add(out, "No plan was clearly faster than the default plan, which was kept.");
        return;
    }
    ct_text_add(out, "The chosen plan is %s times as fast as the default plan%s",
                ct_report_digits(1 / report->end_ratio, 3, arena),
                report->end_signal_s > 0 ? ", per second of signal" : "");
    if (report->end_low > 0 && report->end_high > report->end_low)
        ct_text_add(out, " (%s to %s with 95 %% confidence)",
                    ct_report_digits(1 / report->end_high, 3, arena),
                    ct_report_digits(1 / report->end_low, 3, arena));
    if (report->chosen) summary_reasons(out, report);
    ct_text_add(out, ".");
}

/* ---- what next */

/* The plan's file, whose journal has its name and ".journal"; else "PLAN". */
static const char *summary_plan(const ct_report *report)
{
    static const char end[] = ".journal";
    const size_t length = strlen(report->file), last = strlen(end);
    if (length <= last || strcmp(report->file + length - last, end) != 0) return "PLAN";
    return ct_arena_print(report->arena, "%.*s", (int)(length - last), report->file);
}

static double summary_disturbed(const ct_report *report)
{
    int disturbed = 0;
    for (int i = 0; i < report->lines; i++)
        disturbed += report->line[i].disturbed;
    return report->lines > 0 ? (double)disturbed / report->lines : 0;
}

void ct_report_summary_next(ct_text *out, const ct_report *report)
{
    const char *plan = summary_plan(report);
    const double above = report->end_s > 0 ? report->model_s / report->end_s : 0;
    if (!report->ended || !report->complete)
        ct_text_add(out,
                    "The search did not come to its end: cornerturn tune PIPELINE -o %s --resume "
                    "--budget 600 goes on with it.\n",
                    plan);
    if (summary_disturbed(report) > SUMMARY_DISTURBED)
        ct_text_add(out,
                    "%.0f %% of the measurements ran beside other work of the machine: tune again "
                    "while it has none.\n",
                    100 * summary_disturbed(report));
    if (report->complete && above > 0.05)
        ct_text_add(out,
                    "Up to %.0f %% less may be possible by what is only predicted: a larger "
                    "--budget measures more of it.\n",
                    100 * above);
    if (report->ended && !summary_keeps(report))
        ct_text_add(out,
                    "To use the plan: cornerturn run PIPELINE --plan %s; to compare it once more: "
                    "cornerturn bench PIPELINE --plan default --plan %s.\n",
                    plan, plan);
    ct_text_add(out, "Where the time of a run goes: cornerturn run PIPELINE%s%s --trace.",
                summary_keeps(report) || !report->ended ? "" : " --plan ",
                summary_keeps(report) || !report->ended ? "" : plan);
}
