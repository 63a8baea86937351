/* map.c: of the report's page: a node's read layouts against its write layouts.
 * Room: tuner/report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

enum { MAP_LEFT = 110, MAP_TOP = 70, MAP_HIGH = 22, MAP_FEW = 14, MAP_BINS = 9, MAP_LISTED = 8 };

typedef struct map {
    const ct_report *report;
    const ct_report_table *table;
    ct_report_names read, write;
    const ct_report_row **cell; /* the best of each; one that went wrong where there is no other */
    const ct_report_row *best;
    double wide;
} map;

/* By the fastest dimension, then the next: those go alike. */
static int map_compare(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t m = strlen(x), n = strlen(y);
    while (m > 0 && n > 0 && x[m - 1] == y[n - 1]) {
        m--;
        n--;
    }
    return (m > 0 ? x[m - 1] : 0) - (n > 0 ? y[n - 1] : 0);
}

static void map_sort(ct_report_names *names)
{
    qsort(names->name, (size_t)names->count, sizeof *names->name, map_compare);
}

static bool map_better(const ct_report_row *a, const ct_report_row *b)
{
    if (!b || !ct_report_is_right(a)) return !b;
    return !ct_report_is_right(b) || a->ratio < b->ratio;
}

static bool map_collect(map *m)
{
    ct_arena *arena = m->report->arena;
    if (!ct_report_name_pairs(&m->read, &m->write, m->table, arena)) return false;
    map_sort(&m->read);
    map_sort(&m->write);
    m->cell = ct_arena_get(arena, sizeof *m->cell * (size_t)m->read.count * (size_t)m->write.count);
    for (int i = 0; m->cell && i < m->table->count; i++) {
        const ct_report_row *row = m->table->row[i];
        const ct_report_row **cell = &m->cell[ct_report_name(&m->read, row->read) * m->write.count +
                                              ct_report_name(&m->write, row->write)];
        if (map_better(row, *cell)) *cell = row;
        if (ct_report_is_right(row) && map_better(row, m->best)) m->best = row;
    }
    return m->cell != NULL;
}

/* Bins of a factor of 2^(1/4), the one in the middle around 1. */
static int map_bin(double ratio)
{
    const double bin = floor(4 * log2(ratio) + MAP_BINS / 2.0);
    return (int)fmin(MAP_BINS - 1, fmax(0, bin));
}

static void map_title(ct_text *out, const map *m, const ct_report_row *row)
{
    ct_text_add(out, "<title>");
    ct_picture_escape(out, row->at);
    if (ct_report_is_right(row))
        ct_text_add(out, ": %.3f of the default's time, %s, %d pairs", row->ratio,
                    ct_picture_seconds(row->middle, m->report->arena), row->pairs);
    else
        ct_text_add(out, ": %s", row->end->word);
    if (*row->settings) ct_text_add(out, "; ");
    ct_picture_escape(out, row->settings);
    ct_text_add(out, "</title>");
}

static void map_cell(ct_text *out, const map *m, int r, int w)
{
    const ct_report_row *row = m->cell[r * m->write.count + w];
    const double x = MAP_LEFT + m->wide * w, y = MAP_TOP + MAP_HIGH * r;
    char look[16] = "none", number[16] = "";
    if (row) {
        ct_number_print(look, sizeof look, "wrong");
        ct_number_print(number, sizeof number, "x");
    }
    if (row && ct_report_is_right(row)) {
        ct_number_print(look, sizeof look, "r%d", map_bin(row->ratio));
        ct_number_print(number, sizeof number, m->wide > MAP_HIGH ? "%.2f" : "", row->ratio);
    }
    ct_text_add(out, "<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>",
                x + 0.5, y + 0.5, m->wide - 1, MAP_HIGH - 1, look);
    if (row) map_title(out, m, row);
    if (*number)
        ct_text_add(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"m n%s\">%s</text>", x + m->wide / 2,
                    y + MAP_HIGH - 7, look, number);
    ct_text_add(out, "</g>\n");
}

static void map_frame(ct_text *out, const map *m, const char *at, const char *look)
{
    for (int i = 0; i < m->read.count * m->write.count; i++)
        if (m->cell[i] && !strcmp(m->cell[i]->at, at))
            ct_text_add(
                out, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>\n",
                MAP_LEFT + m->wide * (i % m->write.count) + 1,
                MAP_TOP + MAP_HIGH * (i / m->write.count) + 1, m->wide - 2, MAP_HIGH - 2, look);
}

static void map_draw(ct_text *out, const map *m)
{
    ct_picture_open(out, MAP_LEFT + m->wide * m->write.count + 10,
                    MAP_TOP + MAP_HIGH * m->read.count + 10, m->table->name);
    for (int w = 0; w < m->write.count; w++) {
        const double x = MAP_LEFT + m->wide * (w + 0.5) + 4;
        ct_text_add(out, "<text x=\"%.1f\" y=\"%d\" transform=\"rotate(-60 %.1f %d)\">", x,
                    MAP_TOP - 6, x, MAP_TOP - 6);
        ct_picture_escape(out, m->write.name[w]);
        ct_text_add(out, "</text>\n");
    }
    for (int r = 0; r < m->read.count; r++) {
        ct_picture_text(out, MAP_LEFT - 6, MAP_TOP + MAP_HIGH * (r + 1) - 7, "e", m->read.name[r]);
        for (int w = 0; w < m->write.count; w++)
            map_cell(out, m, r, w);
    }
    if (m->table->usual) map_frame(out, m, m->table->usual, "first");
    if (m->best) map_frame(out, m, m->best->at, "winner");
    ct_picture_close(out);
}

/* The best cells, in ascending order of their ratio. */
static void map_list(ct_text *out, const map *m)
{
    double last = 0;
    ct_text_add(out, "<table><tr><th>read</th><th>write</th><th>ratio</th><th>seconds</th>"
                     "<th class=\"words\">tunables</th></tr>\n");
    for (int n = 0; n < MAP_LISTED; n++) {
        const ct_report_row *next = NULL;
        for (int i = 0; i < m->read.count * m->write.count; i++)
            if (m->cell[i] && ct_report_is_right(m->cell[i]) && m->cell[i]->ratio > last &&
                (!next || m->cell[i]->ratio < next->ratio))
                next = m->cell[i];
        if (!next) break;
        last = next->ratio;
        ct_text_add(out, "<tr><td>");
        ct_picture_escape(out, next->read);
        ct_text_add(out, "</td><td>");
        ct_picture_escape(out, next->write);
        ct_text_add(out, "</td><td>%.3f</td><td>%s</td><td class=\"words\">", next->ratio,
                    ct_picture_seconds(next->middle, m->report->arena));
        ct_picture_escape(out, *next->settings ? next->settings : "default");
        ct_text_add(out, "</td></tr>\n");
    }
    ct_text_add(out, "</table>\n");
}

void ct_report_map(ct_text *out, const ct_report *report, const ct_report_table *table)
{
    map m = {.report = report, .table = table};
    if (!map_collect(&m)) return;
    m.wide = m.write.count <= MAP_FEW ? 44 : MAP_HIGH;
    ct_text_add(out, "<section><h3>");
    ct_picture_escape(out, table->name);
    ct_text_add(out, "</h3>\n<div class=\"pair\">\n");
    map_draw(out, &m);
    map_list(out, &m);
    ct_text_add(out, "</div></section>\n");
}
