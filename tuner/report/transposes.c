/* transposes.c: of the report's page: what transposes take, against how far apart the layouts are.
 * Room: tuner/report. */
#include <math.h>

#include "picture.h"

enum { TRANSPOSES_WIDTH = 560, TRANSPOSES_HEIGHT = 320, TRANSPOSES_LEFT = 60 };

typedef struct transposes {
    const ct_report *report;
    double low, high;
    int farthest, count, arrays;
    ct_report_transposed by[CT_REPORT_FAR];
    ct_picture_axis x, y;
} transposes;

static void transposes_collect(transposes *t)
{
    t->low = t->high = 1;
    for (int d = 0; d < CT_REPORT_FAR; d++) {
        t->by[d] = ct_report_transposed_by(t->report, d);
        if (t->by[d].count == 0) continue;
        t->count += t->by[d].count;
        t->farthest = d;
        t->low = fmin(t->low, t->by[d].least);
        t->high = fmax(t->high, t->by[d].most);
    }
    for (int i = 0; i < t->report->tables; i++)
        t->arrays += t->report->table[i].transpose;
    t->y = ct_picture_ratios(t->low, t->high, TRANSPOSES_HEIGHT - 44, 10);
    t->x = (ct_picture_axis){1, t->farthest + 1, TRANSPOSES_LEFT, TRANSPOSES_WIDTH - 10, false};
}

/* Arrays stand beside each other, and so do the points of one, so that none hides another. */
static double transposes_place(const transposes *t, const ct_report_row *row, int distance)
{
    double before = 0.1 + 0.08 * (double)(row->line % 11);
    for (int i = 0; i < row->table; i++)
        before += t->report->table[i].transpose;
    return ct_picture_place(&t->x, distance + 1.5 * (before / t->arrays - 0.5));
}

static void transposes_point(ct_text *out, const transposes *t, const ct_report_row *row,
                             int distance)
{
    ct_text_add(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" class=\"c%d\"><title>",
                transposes_place(t, row, distance), ct_picture_place(&t->y, row->ratio),
                row->table % CT_PICTURE_COLOURS);
    ct_picture_escape(out, t->report->table[row->table].name);
    ct_text_add(out, " ");
    ct_picture_escape(out, row->at);
    ct_text_add(out, ": %.2f of a copy's time, %s</title></circle>\n", row->ratio,
                ct_picture_seconds(row->middle, t->report->arena));
}

static void transposes_axis(ct_text *out, const transposes *t)
{
    ct_picture_grid(out, &t->y, TRANSPOSES_LEFT, TRANSPOSES_WIDTH - 10);
    for (int d = 0; d <= t->farthest; d++) {
        char label[16];
        const double x = ct_picture_place(&t->x, d), wide = 30;
        if (t->by[d].count == 0) continue;
        ct_number_print(label, sizeof label, "%d", d);
        ct_picture_text(out, x, TRANSPOSES_HEIGHT - 26, "m", label);
        const double y = ct_picture_place(&t->y, t->by[d].median);
        ct_picture_line(out, x - wide, y, x + wide, y, "mark");
    }
    ct_picture_text(out, TRANSPOSES_WIDTH / 2, TRANSPOSES_HEIGHT - 8, "m",
                    "distance: places that dimensions move, in all (line: median)");
    ct_picture_upright(out, 14, TRANSPOSES_HEIGHT / 2 - 17, "time of a copy = 1");
}

static void transposes_draw(ct_text *out, const transposes *t)
{
    ct_picture_open(out, TRANSPOSES_WIDTH, TRANSPOSES_HEIGHT, "transposes against distance");
    for (int i = 0; i < t->report->candidates; i++) {
        const ct_report_row *row = &t->report->candidate[i];
        const int distance = ct_report_distance(row);
        if (distance >= 0) transposes_point(out, t, row, distance);
    }
    transposes_axis(out, t);
    ct_picture_close(out);
}

static void transposes_legend(ct_text *out, const ct_report *report)
{
    for (int i = 0; i < report->tables; i++) {
        if (!report->table[i].transpose) continue;
        ct_text_add(out, "<span class=\"dot d%d\"></span> ", i % CT_PICTURE_COLOURS);
        ct_picture_escape(out, report->table[i].name);
        ct_text_add(out, " ");
    }
}

void ct_report_transposes(ct_text *out, const ct_report *report)
{
    transposes t = {.report = report};
    transposes_collect(&t);
    if (t.count == 0) return;
    ct_text_add(out, "<section><h2>Transposes</h2>\n<p>Time of a transpose by itself as a multiple "
                     "of a copy's of as many bytes, against the distance between the two layouts, "
                     "for what is written by ");
    transposes_legend(out, report);
    ct_text_add(out, "</p>\n<div class=\"pair\">\n");
    transposes_draw(out, &t);
    ct_text_add(out, "<table><tr><th>distance</th><th>transposes</th><th>least</th>"
                     "<th>median</th><th>most</th></tr>\n");
    for (int d = 0; d <= t.farthest; d++)
        if (t.by[d].count > 0)
            ct_text_add(out,
                        "<tr><td>%d</td><td>%d</td><td>%.2f</td><td>%.2f</td><td>%.2f</td></tr>\n",
                        d, t.by[d].count, t.by[d].least, t.by[d].median, t.by[d].most);
    ct_text_add(out, "</table></div></section>\n");
}
