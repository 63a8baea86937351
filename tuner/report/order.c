/* order.c: of the report's page: candidates in the order in which they were measured.
 * Room: tuner/report. */
#include <math.h>

#include "picture.h"

enum { ORDER_LEFT = 44, ORDER_WIDTH = 640, ORDER_HEIGHT = 280 };

static int order_range(const ct_report *report, double *low, double *high)
{
    int count = 0;
    *low = *high = 1;
    for (int i = 0; i < report->candidates; i++) {
        const ct_report_row *row = &report->candidate[i];
        if (row->transpose || !ct_report_is_right(row)) continue;
        *low = fmin(*low, row->ratio);
        *high = fmax(*high, row->ratio);
        count++;
    }
    return count;
}

static void order_point(ct_text *out, const ct_report *report, const ct_report_row *row, double x,
                        double y)
{
    const ct_report_table *table = &report->table[row->table];
    ct_text_add(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" class=\"c%d\"><title>", x, y,
                row->table % CT_PICTURE_COLOURS);
    ct_picture_escape(out, table->name);
    ct_text_add(out, " ");
    ct_picture_escape(out, row->at);
    ct_text_add(out, ": %.3f ", row->ratio);
    ct_picture_escape(out, row->settings);
    ct_text_add(out, "</title></circle>\n");
}

static void order_draw(ct_text *out, const ct_report *report)
{
    double low, high, place = 0;
    const int count = order_range(report, &low, &high);
    const ct_picture_axis y = ct_picture_ratios(low, high, ORDER_HEIGHT - 40, 10);
    const ct_picture_axis x = {0, count + 1, ORDER_LEFT, ORDER_WIDTH - 10, false};
    ct_picture_open(out, ORDER_WIDTH, ORDER_HEIGHT, "ratios in the order of measurement");
    ct_picture_grid(out, &y, ORDER_LEFT, ORDER_WIDTH - 10);
    for (int i = 0; i < report->candidates; i++) {
        const ct_report_row *row = &report->candidate[i];
        if (!row->transpose && ct_report_is_right(row))
            order_point(out, report, row, ct_picture_place(&x, ++place),
                        ct_picture_place(&y, row->ratio));
    }
    ct_picture_text(out, ORDER_WIDTH / 2, ORDER_HEIGHT - 12, "m", "candidates, first to last");
    ct_picture_close(out);
}

static void order_row(ct_text *out, const ct_report_table *table, int n)
{
    int right = 0, tuned = 0, pairs = 0;
    for (int i = 0; i < table->count; i++) {
        right += ct_report_is_right(table->row[i]);
        tuned += *table->row[i]->settings != 0;
        pairs += table->row[i]->pairs;
    }
    ct_text_add(out, "<tr><th><span class=\"dot d%d\"></span> ", n % CT_PICTURE_COLOURS);
    ct_picture_escape(out, table->name);
    ct_text_add(out, "%s</th><td>%d</td><td>%d</td><td>%d</td><td>%d</td></tr>\n",
                table->transpose ? ", transposes" : "", table->count, tuned, table->count - right,
                pairs);
}

void ct_report_order(ct_text *out, const ct_report *report)
{
    ct_text_add(out, "<section><h2>Candidates in the order of measurement</h2>\n<p>Ratio to the "
                     "step's default, below 1 is faster.</p>\n<div class=\"pair\">\n");
    order_draw(out, report);
    ct_text_add(out, "<table><tr><th>step</th><th>candidates</th><th>with other tunables</th>"
                     "<th>not usable</th><th>pairs</th></tr>\n");
    for (int i = 0; i < report->tables; i++)
        order_row(out, &report->table[i], i);
    ct_text_add(out, "</table></div></section>\n");
}
