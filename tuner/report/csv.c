/* csv.c: a journal as comma-separated values (RFC 4180), a row for each measurement.
 * Room: tuner/report. */
#include <string.h>

#include "report.h"

static void csv_text(ct_text *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        ct_text_add(out, "%s", text);
        return;
    }
    ct_text_add(out, "\"");
    for (; *text; text++)
        ct_text_add(out, "%s%c", *text == '"' ? "\"" : "", *text);
    ct_text_add(out, "\"");
}

static void csv_number(ct_text *out, double value)
{
    if (value > 0)
        ct_text_add(out, ",%.6g", value);
    else
        ct_text_add(out, ",");
}

void ct_report_csv(ct_text *out, const ct_report *report)
{
    ct_text_add(out, "kind,node,at,tunables,status,ratio,seconds,default_seconds,pairs,build_s,"
                     "load,disturbed,taken,foretold\r\n");
    for (int i = 0; i < report->lines; i++) {
        const ct_report_row *row = &report->line[i];
        ct_text_add(out, "%s,", row->transpose ? "transpose" : "cell");
        csv_text(out, report->table[row->table].name);
        ct_text_add(out, ",");
        csv_text(out, row->at);
        ct_text_add(out, ",");
        csv_text(out, row->settings);
        ct_text_add(out, ",%s", row->end->word);
        csv_number(out, row->ratio);
        csv_number(out, row->middle);
        csv_number(out, row->usual_middle);
        ct_text_add(out, ",%d,%.4g,%.3g,%d,%d", row->pairs, row->build_s, row->load, row->disturbed,
                    row->taken);
        csv_number(out, report->candidate[row->candidate].predicted);
        ct_text_add(out, "\r\n");
    }
}
