/* page.c: a journal as one page that needs nothing else: its head, its colours, its parts.
 * Room: tuner/report. Knows HTML. Does not know what the parts draw. */
#include <string.h>

#include "picture.h"

/* Colours are the reader's, light or dark; cells of maps have their own, from blue (faster than the
 * default) to red, which colour-blind people tell apart. Units of 2^(1/4). */
static const char page_look[] =
    ":root{color-scheme:light dark;--back:#fff;--fore:#1b1f24;--soft:#6a737d;--line:#d8dee4;"
    "--usual:#8c959f;--best:#2f6fb5;--mark:#b35900;"
    "--c0:#1f77b4;--c1:#c85200;--c2:#2e8b57;--c3:#a0367a;--c4:#8a6d00;--c5:#5b5bd6}\n"
    "@media(prefers-color-scheme:dark){:root{--back:#14181d;--fore:#e6edf3;--soft:#9aa4af;"
    "--line:#343b44;--usual:#7d8590;--best:#5aa0e6;--mark:#f0a050;"
    "--c0:#6cb6ff;--c1:#ff9f5a;--c2:#6fd39b;--c3:#f08bd0;--c4:#e3c452;--c5:#a5a5ff}}\n"
    "body{background:var(--back);color:var(--fore);font:15px/1.45 system-ui,sans-serif;"
    "max-width:1180px;margin:24px auto;padding:0 16px}\n"
    "h1{font-size:24px}h2{font-size:19px;margin-top:36px;border-top:1px solid var(--line);"
    "padding-top:14px}h3{font-size:16px;margin-bottom:6px}\n"
    ".pair{display:flex;flex-wrap:wrap;gap:28px;align-items:flex-start;overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px}"
    "td,th{padding:3px 10px;border-bottom:1px solid var(--line);text-align:right}"
    "th{font-weight:600;color:var(--soft)}th:first-child,td:first-child,.words{text-align:left}\n"
    "svg{font:11px system-ui,sans-serif;max-width:none}text{fill:var(--fore)}"
    ".e{text-anchor:end}.m{text-anchor:middle}\n"
    ".grid{stroke:var(--line)}.axis{stroke:var(--soft)}.one{stroke:var(--soft);"
    "stroke-dasharray:5 3}.mark{stroke:var(--mark);stroke-width:2}\n"
    ".usual{fill:var(--usual)}.best{fill:var(--best)}"
    ".key,.dot{display:inline-block;width:12px;height:12px;border-radius:2px}.dot{border-radius:"
    "6px}"
    ".usual-key{background:var(--usual)}.best-key{background:var(--best)}\n"
    ".winner,.first{fill:none;stroke-width:2.5;stroke:var(--mark)}"
    ".first{stroke-dasharray:4 3}\n"
    ".none{fill:url(#hatch)}.hatch{stroke:var(--line);stroke-width:2}"
    ".wrong{fill:var(--back);stroke:var(--line)}.nwrong{fill:var(--soft)}\n"
    ".r0{fill:#08519c}.r1{fill:#3182bd}.r2{fill:#6baed6}.r3{fill:#bdd7e7}.r4{fill:#f2f2f2}"
    ".r5{fill:#fdd0a2}.r6{fill:#fb8d59}.r7{fill:#d7481f}.r8{fill:#8c1d04}\n"
    ".nr0,.nr1,.nr7,.nr8{fill:#fff}.nr2,.nr3,.nr4,.nr5,.nr6{fill:#111}\n";

static void page_style(ct_text *out)
{
    ct_text_add(out, "<style>\n%s", page_look);
    for (int i = 0; i < CT_PICTURE_COLOURS; i++)
        ct_text_add(out, ".c%d{fill:var(--c%d);fill-opacity:.75}.d%d{background:var(--c%d)}\n", i,
                    i, i, i);
    ct_text_add(out, "</style>\n");
}

static void page_fact(ct_text *out, const char *name, const char *value)
{
    ct_text_add(out, "<tr><th>%s</th><td class=\"words\">", name);
    ct_picture_escape(out, value);
    ct_text_add(out, "</td></tr>\n");
}

/* What is left to gain at most, and why that is not known better. */
static const char *page_bound(const ct_report *report)
{
    ct_arena *arena = report->arena;
    return ct_arena_print(
        arena, "%s ms of %s ms; between them %s ms by noise, %s ms by what is only predicted",
        ct_report_digits(1e3 * report->bound_s, 3, arena),
        ct_report_digits(1e3 * report->end_s, 3, arena),
        ct_report_digits(1e3 * report->noise_s, 2, arena),
        ct_report_digits(1e3 * report->model_s, 2, arena));
}

static const char *page_end(const ct_report *report)
{
    if (!report->ended) return "the journal has no end: the search was cut off";
    const char *how = report->complete ? "complete" : "the search did not come to its end";
    if (report->chosen && !strcmp(report->chosen, "default"))
        return ct_arena_print(report->arena, "%s; nothing was clearly better, the default was kept",
                              how);
    return ct_arena_print(report->arena, "%s; the plan takes %s of the default's time", how,
                          ct_report_digits(report->end_ratio, 3, report->arena));
}

static bool page_is_taken(const ct_report_row *row)
{
    return row->taken;
}

static bool page_is_disturbed(const ct_report_row *row)
{
    return row->disturbed && !row->taken;
}

static int page_count(const ct_report *report, bool (*is)(const ct_report_row *))
{
    int count = 0;
    for (int i = 0; i < report->lines; i++)
        count += is(&report->line[i]);
    return count;
}

/* Said only where there are any. */
static void page_more(ct_text *out, const ct_report *report, const char *name,
                      bool (*is)(const ct_report_row *))
{
    const int count = page_count(report, is);
    if (count > 0) page_fact(out, name, ct_arena_print(report->arena, "%d", count));
}

static void page_facts(ct_text *out, const ct_report *report)
{
    static const char *const keys[] = {"device", "platform", "driver", "cpu"};
    int wrong = 0;
    for (int i = 0; i < report->candidates; i++)
        wrong += !ct_report_is_right(&report->candidate[i]);
    ct_text_add(out, "<table>\n");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = ct_value_text(ct_value_get(report->key, keys[i]), NULL);
        if (value) page_fact(out, keys[i], value);
    }
    page_fact(out, "pipeline (SHA-256)", report->pipeline);
    page_fact(out, "journal",
              ct_arena_print(report->arena, "%s, last written %s", report->file, report->time));
    page_fact(out, "measured",
              ct_arena_print(report->arena,
                             "%d candidates in %d measurements, %d of them not usable; %d "
                             "rehearsals of whole plans",
                             report->candidates, report->lines - page_count(report, page_is_taken),
                             wrong, report->wholes));
    page_more(out, report, "not measured: the same work as another", page_is_taken);
    page_more(out, report, "measured beside other work of the machine", page_is_disturbed);
    page_fact(out, "noise of one timing",
              ct_arena_print(report->arena, "%s %%",
                             ct_report_digits(100 * ct_report_noise(report), 2, report->arena)));
    page_fact(out, "search", page_end(report));
    if (report->bound_s > 0) page_fact(out, "at best", page_bound(report));
    ct_text_add(out, "</table>\n");
}

static void page_apart_row(ct_text *out, const ct_report *report, const ct_report_table *table)
{
    const ct_report_apart a = ct_report_apart_of(report, table);
    ct_text_add(out, "<tr><th>");
    ct_picture_escape(out, table->name);
    ct_text_add(out, "</th><td>%d</td>", a.count);
    if (a.count > 0) {
        ct_text_add(out, "<td>%.1f %%</td><td>%.1f %%</td><td class=\"words\">", 100 * a.median,
                    100 * a.worst);
        ct_picture_escape(out, a.worst_row->at);
        ct_text_add(out, "</td><td class=\"words\">");
        ct_picture_escape(out, a.foretold->at);
        ct_text_add(out, "</td><td>%.3f</td></tr>\n", a.foretold->ratio / a.best->ratio);
    } else
        ct_text_add(out, "<td class=\"words\" colspan=\"5\">not known: too few were "
                         "measured</td></tr>\n");
}

static void page_apart(ct_text *out, const ct_report *report)
{
    ct_text_add(out, "<h2>Reading and writing apart</h2>\n<p>What a cell would take if reading and "
                     "writing cost apart from each other, foretold by the other cells, against "
                     "what it takes; default tunables.</p>\n<table><tr><th>step</th>"
                     "<th>cells foretold</th><th>off by, median</th><th>worst</th>"
                     "<th class=\"words\">at</th><th class=\"words\">best foretold</th>"
                     "<th>its time to the best's</th></tr>\n");
    for (int t = 0; t < report->tables; t++)
        if (!report->table[t].transpose && report->table[t].count > 0)
            page_apart_row(out, report, &report->table[t]);
    ct_text_add(out, "</table>\n");
}

/* What a hatched cell is filled with, once for all maps. */
static void page_hatch(ct_text *out)
{
    ct_text_add(out,
                "<svg width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><pattern id=\"hatch\" "
                "width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
                "patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" "
                "class=\"hatch\"/></pattern></defs></svg>\n");
}

static void page_scale(ct_text *out)
{
    static const char *const labels[] = {"0.5", "", "0.7", "", "1", "", "1.4", "", "2"};
    ct_text_add(out, "<svg viewBox=\"0 0 420 34\" width=\"420\" height=\"34\">");
    for (int i = 0; i < 9; i++)
        ct_text_add(out,
                    "<rect x=\"%d\" y=\"2\" width=\"30\" height=\"14\" class=\"r%d\"/>"
                    "<text x=\"%d\" y=\"29\" class=\"m\">%s</text>",
                    10 + 30 * i, i, 25 + 30 * i, labels[i]);
    ct_text_add(out, "<rect x=\"300\" y=\"2\" width=\"30\" height=\"14\" class=\"none\"/>"
                     "<text x=\"336\" y=\"13\">not measured</text></svg>\n");
}

static void page_each(ct_text *out, const ct_report *report, const char *title,
                      void (*part)(ct_text *, const ct_report *, const ct_report_table *))
{
    ct_text_add(out, "%s", title);
    for (int t = 0; t < report->tables; t++)
        if (!report->table[t].transpose) part(out, report, &report->table[t]);
}

void ct_report_html(ct_text *out, const ct_report *report)
{
    ct_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                     "<meta name=\"viewport\" content=\"width=device-width\"/>\n"
                     "<title>A pipeline tuned</title>\n");
    page_style(out);
    ct_text_add(out, "</head>\n<body>\n<h1>A pipeline tuned</h1>\n");
    page_facts(out, report);
    page_hatch(out);
    ct_report_steps(out, report);
    ct_text_add(out,
                "<h2>Layouts</h2>\n<p>Time as a multiple of the default's, for each layout that is "
                "read (rows) and written (columns), by their fastest dimensions, with the best "
                "tunables measured there. The best has a full frame, the default a dashed one; x: "
                "no right result.</p>\n");
    page_scale(out);
    page_each(out, report, "", ct_report_map);
    page_apart(out, report);
    ct_report_transposes(out, report);
    ct_report_plans(out, report);
    ct_report_order(out, report);
    page_each(out, report,
              "<h2>How rare is the best</h2>\n<p>Candidates by their ratio to the default, which "
              "is at 1 (dashed).</p>\n",
              ct_report_histogram);
    ct_text_add(out, "</body>\n</html>\n");
}
