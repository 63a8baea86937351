/* transposes.c: of the report's page: what transposes take, against how far apart the layouts are.
 * Room: tuner/report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

enum {
    TRANSPOSES_MOST = 64,
    TRANSPOSES_WIDTH = 520,
    TRANSPOSES_HEIGHT = 300,
    TRANSPOSES_LEFT = 44
};

typedef struct transposes {
    const ct_report *report;
    double low, high;
    int farthest, count;
    int at[TRANSPOSES_MOST]; /* how many of each distance */
} transposes;

/* How far the dimensions move, in places, all together. */
static int transposes_distance(const ct_report_row *row)
{
    int sum = 0;
    for (int i = 0; row->read[i]; i++) {
        const char *to = strchr(row->write, row->read[i]);
        if (to) sum += abs((int)(to - row->write) - i);
    }
    return sum < TRANSPOSES_MOST ? sum : TRANSPOSES_MOST - 1;
}

static bool transposes_counts(const ct_report_row *row)
{
    return row->transpose && ct_report_is_right(row) && !*row->settings;
}

static void transposes_collect(transposes *t)
{
    t->low = t->high = 1;
    for (int i = 0; i < t->report->candidates; i++) {
        const ct_report_row *row = &t->report->candidate[i];
        if (!transposes_counts(row)) continue;
        const int distance = transposes_distance(row);
        t->count++;
        t->at[distance]++;
        t->farthest = distance > t->farthest ? distance : t->farthest;
        t->low = fmin(t->low, row->ratio);
        t->high = fmax(t->high, row->ratio);
    }
}

static void transposes_point(ct_text *out, const transposes *t, const ct_report_row *row, double x,
                             double y)
{
    ct_text_add(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"c%d\"><title>", x, y,
                row->table % CT_PICTURE_COLOURS);
    ct_picture_escape(out, t->report->table[row->table].name);
    ct_text_add(out, " ");
    ct_picture_escape(out, row->at);
    ct_text_add(out, ": %.2f of a copy's time, %s</title></circle>\n", row->ratio,
                ct_picture_seconds(row->middle, t->report->arena));
}

static void transposes_draw(ct_text *out, const transposes *t)
{
    const ct_picture_axis y = ct_picture_ratios(t->low, t->high, TRANSPOSES_HEIGHT - 40, 10);
    const ct_picture_axis x = {0, t->farthest + 1, TRANSPOSES_LEFT, TRANSPOSES_WIDTH - 10, false};
    ct_picture_open(out, TRANSPOSES_WIDTH, TRANSPOSES_HEIGHT, "transposes against distance");
    ct_picture_grid(out, &y, TRANSPOSES_LEFT, TRANSPOSES_WIDTH - 10);
    for (int d = 0; d <= t->farthest; d++) {
        char label[16];
        ct_number_print(label, sizeof label, "%d", d);
        ct_picture_text(out, ct_picture_place(&x, d), TRANSPOSES_HEIGHT - 22, "m", label);
    }
    ct_picture_text(out, TRANSPOSES_WIDTH / 2, TRANSPOSES_HEIGHT - 6, "m",
                    "places that dimensions move, in all");
    for (int i = 0; i < t->report->candidates; i++) {
        const ct_report_row *row = &t->report->candidate[i];
        if (transposes_counts(row))
            transposes_point(out, t, row, ct_picture_place(&x, transposes_distance(row)),
                             ct_picture_place(&y, row->ratio));
    }
    ct_picture_close(out);
}

static void transposes_row(ct_text *out, const transposes *t, int distance)
{
    double *list = ct_arena_get(t->report->arena, sizeof *list * ((size_t)t->at[distance] + 1));
    double least = INFINITY, most = 0;
    int count = 0;
    for (int i = 0; list && i < t->report->candidates; i++) {
        const ct_report_row *row = &t->report->candidate[i];
        if (!transposes_counts(row) || transposes_distance(row) != distance) continue;
        list[count++] = row->ratio;
        least = fmin(least, row->ratio);
        most = fmax(most, row->ratio);
    }
    if (count > 0)
        ct_text_add(out, "<tr><td>%d</td><td>%d</td><td>%.2f</td><td>%.2f</td><td>%.2f</td></tr>\n",
                    distance, count, least, ct_report_median(list, count, t->report->arena), most);
}

void ct_report_transposes(ct_text *out, const ct_report *report)
{
    transposes t = {.report = report};
    transposes_collect(&t);
    if (t.count == 0) return;
    ct_text_add(out, "<section><h2>Transposes</h2>\n<p>Time of a transpose as a multiple of a "
                     "copy's of as many bytes, against the distance between the two layouts. ");
    for (int i = 0; i < report->tables; i++) {
        if (!report->table[i].transpose) continue;
        ct_text_add(out, "<span class=\"dot d%d\"></span> ", i % CT_PICTURE_COLOURS);
        ct_picture_escape(out, report->table[i].name);
        ct_text_add(out, " ");
    }
    ct_text_add(out, "</p>\n<div class=\"pair\">\n");
    transposes_draw(out, &t);
    ct_text_add(out, "<table><tr><th>distance</th><th>transposes</th><th>least</th>"
                     "<th>median</th><th>most</th></tr>\n");
    for (int d = 0; d <= t.farthest; d++)
        transposes_row(out, &t, d);
    ct_text_add(out, "</table></div></section>\n");
}
