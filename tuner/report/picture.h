/* picture.h: what the report's pictures share: SVG in a page whose colours follow the reader's.
 * Room: tuner/report. Knows SVG and the page's classes. Does not know what is drawn. */
#ifndef CT_TUNER_REPORT_PICTURE_H
#define CT_TUNER_REPORT_PICTURE_H
#include "report.h"

/* Values from `low` to `high` on pixels from `from` to `to`. */
typedef struct ct_picture_axis {
    double low, high, from, to;
    bool log;
} ct_picture_axis;

enum { CT_PICTURE_COLOURS = 6 }; /* classes c0 .. c5 */

void ct_picture_escape(ct_text *out, const char *plain);
void ct_picture_open(ct_text *out, double width, double height, const char *title);
void ct_picture_close(ct_text *out);
/* `look`: classes; "e" ends at x, "m" is centred there. */
void ct_picture_text(ct_text *out, double x, double y, const char *look, const char *text);
void ct_picture_line(ct_text *out, double x1, double y1, double x2, double y2, const char *look);
double ct_picture_place(const ct_picture_axis *axis, double value);
/* Wide enough for values from low to high, with a little room, and always for 1. */
ct_picture_axis ct_picture_ratios(double low, double high, double from, double to);
/* Lines with labels at round values: of a vertical axis across from x1 to x2. */
void ct_picture_grid(ct_text *out, const ct_picture_axis *axis, double x1, double x2);
/* Of a horizontal one, from y1 to y2. */
void ct_picture_across(ct_text *out, const ct_picture_axis *axis, double y1, double y2);
/* A vertical axis's name, read upwards, centred at y. */
void ct_picture_upright(ct_text *out, double x, double y, const char *text);
/* 0.00123 -> 1.23 ms */
const char *ct_picture_seconds(double seconds, ct_arena *arena);

/* The parts of the page. */
void ct_report_steps(ct_text *out, const ct_report *report);
void ct_report_map(ct_text *out, const ct_report *report, const ct_report_table *table);
void ct_report_transposes(ct_text *out, const ct_report *report);
void ct_report_plans(ct_text *out, const ct_report *report);
void ct_report_order(ct_text *out, const ct_report *report);
void ct_report_histogram(ct_text *out, const ct_report *report, const ct_report_table *table);

#endif
