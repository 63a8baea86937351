/* report_page.c: a journal as one page for a browser: report.html, which draws it, with the journal
 * as JSON in it. Room: tuner/report. Knows what the page reads. Does not know how it looks. */
#include <string.h>

#include "json_text.h"
#include "report.h"
#include "report_html.h"

/* What stands for the JSON in report.html. */
#define PAGE_MARK "@JOURNAL@"

/* ---- the search */

static void page_device(ct_text *json, const ct_report *report)
{
    static const char *const keys[] = {"device", "platform", "driver", "cpu"};
    ct_json_open(json, "device", '{');
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = ct_value_text(ct_value_get(report->key, keys[i]), NULL);
        if (value) ct_json_add_text(json, keys[i], value);
    }
    ct_json_close(json, '}');
}

static void page_count(ct_text *json, const ct_report *report)
{
    int wrong = 0, taken = 0, disturbed = 0;
    for (int i = 0; i < report->candidates; i++)
        wrong += !ct_report_is_right(&report->candidate[i]);
    for (int i = 0; i < report->lines; i++) {
        taken += report->line[i].taken;
        disturbed += report->line[i].disturbed && !report->line[i].taken;
    }
    ct_json_open(json, "count", '{');
    ct_json_add_int(json, "candidates", report->candidates);
    ct_json_add_int(json, "measurements", report->lines - taken);
    ct_json_add_int(json, "wrong", wrong);
    ct_json_add_int(json, "taken", taken);
    ct_json_add_int(json, "disturbed", disturbed);
    ct_json_add_int(json, "rehearsals", report->wholes);
    ct_json_close(json, '}');
}

static void page_summary(ct_text *json, const ct_report *report)
{
    ct_text say = {0}, next = {0};
    ct_report_summary_say(&say, report);
    ct_report_summary_next(&next, report);
    ct_json_add_text(json, "summary", say.data ? say.data : "");
    ct_json_add_text(json, "next", next.data ? next.data : "");
    ct_text_end(&say, json);
    ct_text_end(&next, json);
}

static void page_search(ct_text *json, const ct_report *report)
{
    page_summary(json, report);
    ct_json_add_text(json, "file", report->file);
    ct_json_add_text(json, "written", report->time);
    ct_json_add_text(json, "pipeline", report->pipeline);
    ct_json_add_real(json, "noise", ct_report_noise(report));
    page_device(json, report);
    page_count(json, report);
    if (!report->ended) return;
    ct_json_open(json, "end", '{');
    ct_json_add_bool(json, "complete", report->complete);
    ct_json_add_text(json, "plan", report->chosen);
    ct_json_add_real(json, "ratio", report->end_ratio);
    ct_json_add_real(json, "seconds", report->end_s);
    ct_json_add_real(json, "signal_s", report->end_signal_s);
    ct_json_add_real(json, "bound_s", report->bound_s);
    ct_json_add_real(json, "noise_s", report->noise_s);
    ct_json_add_real(json, "model_s", report->model_s);
    ct_json_close(json, '}');
}

/* ---- plans */

static void page_plan(ct_text *json, const ct_report *report, const ct_report_whole *whole)
{
    const double predicted = whole->usual ? 0 : ct_report_predicted(report, whole);
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "plan", whole->plan);
    ct_json_add_real(json, "ratio", whole->ratio);
    ct_json_add_real(json, "seconds", whole->seconds);
    ct_json_add_real(json, "samples", whole->samples);
    ct_json_add_real(json, "signal_s", whole->signal_s);
    ct_json_add_int(json, "blocks", whole->blocks);
    if (predicted > 0) ct_json_add_real(json, "predicted", predicted);
    ct_json_open(json, "steps", '[');
    for (size_t i = 0; i < ct_value_count(whole->steps); i++) {
        ct_json_open(json, NULL, '{');
        ct_json_add_text(json, "name", ct_value_key(whole->steps, i));
        ct_json_add_real(json, "seconds", ct_value_real(ct_value_at(whole->steps, i), 0));
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
    ct_json_close(json, '}');
}

static void page_plans(ct_text *json, const ct_report *report)
{
    const ct_report_whole *usual = report->usual, *best = report->best;
    ct_json_add_int(json, "default_plan", usual ? usual - report->whole : -1);
    ct_json_add_int(json, "best_plan", best ? best - report->whole : -1);
    ct_json_open(json, "plans", '[');
    for (int i = 0; i < report->wholes; i++)
        page_plan(json, report, &report->whole[i]);
    ct_json_close(json, ']');
}

/* ---- transposes and steps */

static void page_transposes(ct_text *json, const ct_report *report)
{
    ct_json_open(json, "transposes", '[');
    for (int d = 0; d < CT_REPORT_FAR; d++) {
        const ct_report_transposed by = ct_report_transposed_by(report, d);
        if (by.count == 0) continue;
        ct_json_open(json, NULL, '{');
        ct_json_add_int(json, "distance", d);
        ct_json_add_int(json, "count", by.count);
        ct_json_add_real(json, "least", by.least);
        ct_json_add_real(json, "median", by.median);
        ct_json_add_real(json, "most", by.most);
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
}

static void page_spread(ct_text *json, const ct_report_table *table)
{
    const ct_report_spread spread = ct_report_spread_of(table);
    ct_json_open(json, "spread", '{');
    ct_json_add_int(json, "count", spread.count);
    ct_json_add_real(json, "best", spread.best);
    ct_json_add_real(json, "most", spread.most);
    ct_json_add_real(json, "mean", spread.mean);
    ct_json_add_real(json, "deviation", spread.deviation);
    ct_json_add_real(json, "away", spread.away);
    ct_json_open(json, "within", '[');
    for (int i = 0; i < CT_REPORT_SHARES; i++) {
        ct_json_open(json, NULL, '{');
        ct_json_add_int(json, "percent", spread.percent[i]);
        ct_json_add_real(json, "candidates", spread.within[i]);
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
    ct_json_close(json, '}');
}

static void page_separability(ct_text *json, const ct_report *report, const ct_report_table *table)
{
    const ct_report_separability found = ct_report_separability_of(report, table);
    ct_json_open(json, "separability", '{');
    ct_json_add_int(json, "count", found.count);
    if (found.count > 0) {
        ct_json_add_real(json, "median", found.median);
        ct_json_add_real(json, "worst", found.worst);
        ct_json_add_text(json, "worst_at", found.worst_row->at);
        ct_json_add_text(json, "best_predicted", found.predicted->at);
        ct_json_add_real(json, "time_to_best", found.predicted->ratio / found.best->ratio);
    }
    ct_json_close(json, '}');
}

static void page_candidate(ct_text *json, const ct_report_row *row)
{
    const int distance = ct_report_distance(row);
    ct_json_open(json, NULL, '{');
    ct_json_add_int(json, "line", (int64_t)row->line);
    ct_json_add_text(json, "read", row->read);
    ct_json_add_text(json, "write", row->write);
    ct_json_add_text(json, "settings", row->settings);
    ct_json_add_text(json, "status", row->end->word);
    ct_json_add_real(json, "ratio", row->ratio);
    ct_json_add_real(json, "seconds", row->middle);
    ct_json_add_int(json, "pairs", row->pairs);
    if (distance >= 0) ct_json_add_int(json, "distance", distance);
    ct_json_close(json, '}');
}

static void page_table(ct_text *json, const ct_report *report, const ct_report_table *table)
{
    ct_json_open(json, NULL, '{');
    ct_json_add_text(json, "name", table->name);
    ct_json_add_bool(json, "transpose", table->transpose);
    if (!table->transpose) {
        ct_json_add_text(json, "default_layouts", table->usual);
        page_spread(json, table);
        page_separability(json, report, table);
    }
    ct_json_open(json, "candidates", '[');
    for (int i = 0; i < table->count; i++)
        page_candidate(json, table->row[i]);
    ct_json_close(json, ']');
    ct_json_close(json, '}');
}

/* ---- the page */

/* In a script, where nothing in a text may end it or begin a comment. */
static void page_add_json(ct_text *out, const char *json)
{
    for (size_t length; *json; json += length) {
        length = strcspn(json, "<>&");
        ct_text_add(out, "%.*s", (int)length, json);
        if (!json[length]) return;
        ct_text_add(out, "\\u%04x", (unsigned)json[length++]);
    }
}

void ct_report_page(ct_text *out, const ct_report *report)
{
    ct_text json = {0};
    const char *mark = strstr(report_html, PAGE_MARK);
    ct_json_open(&json, NULL, '{');
    page_search(&json, report);
    page_plans(&json, report);
    page_transposes(&json, report);
    ct_json_open(&json, "tables", '[');
    for (int t = 0; t < report->tables; t++)
        page_table(&json, report, &report->table[t]);
    ct_json_close(&json, ']');
    ct_json_close(&json, '}');
    ct_text_add(out, "%.*s", (int)(mark - report_html), report_html);
    if (json.data) page_add_json(out, json.data);
    ct_text_add(out, "%s", mark + strlen(PAGE_MARK));
    ct_text_end(&json, out);
}
