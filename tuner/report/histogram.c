/* histogram.c: of the report's page: how a node's candidates are spread, and where the best lies.
 * Room: tuner/report. */
#include <math.h>
#include <string.h>

#include "picture.h"

enum { HISTOGRAM_BINS = 24, HISTOGRAM_LEFT = 20, HISTOGRAM_WIDTH = 420, HISTOGRAM_HEIGHT = 170 };

typedef struct histogram {
    const ct_report_table *table;
    ct_report_spread spread;
} histogram;

static void histogram_bars(ct_text *out, const histogram *h, const ct_picture_axis *x)
{
    int bin[HISTOGRAM_BINS] = {0}, most = 1;
    const double wide = (x->to - x->from) / HISTOGRAM_BINS;
    for (int i = 0; i < h->table->count; i++) {
        if (!ct_report_is_right(h->table->row[i])) continue;
        int at = (int)((ct_picture_place(x, h->table->row[i]->ratio) - x->from) / wide);
        at = at < HISTOGRAM_BINS ? at : HISTOGRAM_BINS - 1;
        most = ++bin[at] > most ? bin[at] : most;
    }
    for (int b = 0; b < HISTOGRAM_BINS; b++) {
        const double high = (HISTOGRAM_HEIGHT - 50.0) * bin[b] / most;
        if (bin[b] == 0) continue;
        ct_text_add(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"best\">"
                    "<title>%d candidates</title></rect>\n",
                    x->from + wide * b + 0.5, HISTOGRAM_HEIGHT - 30 - high, wide - 1, high, bin[b]);
    }
}

static void histogram_mark(ct_text *out, const ct_picture_axis *x, double value, const char *look,
                           double y)
{
    char label[32];
    const double at = ct_picture_place(x, value);
    ct_picture_line(out, at, 8, at, HISTOGRAM_HEIGHT - 30, look);
    ct_number_print(label, sizeof label, "%.2f", value);
    ct_picture_text(out, at, y, "m", label);
}

static void histogram_draw(ct_text *out, const histogram *h)
{
    const ct_picture_axis x = {fmin(0.95, h->spread.best * 0.98), fmax(1.05, h->spread.most * 1.02),
                               HISTOGRAM_LEFT, HISTOGRAM_WIDTH - 20, true};
    ct_picture_open(out, HISTOGRAM_WIDTH, HISTOGRAM_HEIGHT, h->table->name);
    histogram_bars(out, h, &x);
    ct_picture_line(out, x.from, HISTOGRAM_HEIGHT - 30, x.to, HISTOGRAM_HEIGHT - 30, "axis");
    histogram_mark(out, &x, h->spread.best, "mark", HISTOGRAM_HEIGHT - 16);
    histogram_mark(out, &x, h->spread.most, "grid", HISTOGRAM_HEIGHT - 16);
    histogram_mark(out, &x, 1, "one", HISTOGRAM_HEIGHT - 3);
    ct_picture_close(out);
}

static void histogram_numbers(ct_text *out, const ct_report_spread *h)
{
    ct_text_add(out,
                "<table><tr><th>candidates</th><td>%d</td></tr>\n"
                "<tr><th>best ratio</th><td>%.3f</td></tr>\n<tr><th>mean</th><td>%.3f</td></tr>\n"
                "<tr><th>standard deviation</th><td>%.3f</td></tr>\n",
                h->count, h->best, h->mean, h->deviation);
    if (h->deviation > 0)
        ct_text_add(out,
                    "<tr><th>best one's distance from the mean</th><td>%.2f standard "
                    "deviations</td></tr>\n",
                    h->away);
    for (int i = 0; i < CT_REPORT_SHARES; i++)
        ct_text_add(out, "<tr><th>within %d %% of the best</th><td>%.1f %%</td></tr>\n",
                    h->percent[i], h->within[i]);
    ct_text_add(out, "</table>\n");
}

void ct_report_histogram(ct_text *out, const ct_report *report, const ct_report_table *table)
{
    const histogram h = {table, ct_report_spread_of(table)};
    (void)report;
    if (h.spread.count == 0) return;
    ct_text_add(out, "<section><h3>");
    ct_picture_escape(out, table->name);
    ct_text_add(out, "</h3>\n<div class=\"pair\">\n");
    histogram_draw(out, &h);
    histogram_numbers(out, &h.spread);
    ct_text_add(out, "</div></section>\n");
}
