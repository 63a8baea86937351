/* picture.c: see picture.h.
 * Room: tuner/report. */
#include "picture.h"

#include <math.h>

void ct_picture_escape(ct_text *out, const char *plain)
{
    static const char *const names[128] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};
    for (; *plain; plain++) {
        const unsigned char sign = (unsigned char)*plain;
        if (sign < 128 && names[sign])
            ct_text_add(out, "%s", names[sign]);
        else if (sign >= ' ')
            ct_text_add(out, "%c", sign);
        else
            ct_text_add(out, " ");
    }
}

void ct_picture_open(ct_text *out, double width, double height, const char *title)
{
    ct_text_add(out,
                "<svg viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\">"
                "<title>",
                width, height, width, height);
    ct_picture_escape(out, title);
    ct_text_add(out, "</title>\n");
}

void ct_picture_close(ct_text *out)
{
    ct_text_add(out, "</svg>\n");
}

void ct_picture_text(ct_text *out, double x, double y, const char *look, const char *text)
{
    ct_text_add(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, look);
    ct_picture_escape(out, text);
    ct_text_add(out, "</text>\n");
}

void ct_picture_line(ct_text *out, double x1, double y1, double x2, double y2, const char *look)
{
    ct_text_add(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1,
                y1, x2, y2, look);
}

double ct_picture_place(const ct_picture_axis *axis, double value)
{
    const double part = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                                  : (value - axis->low) / (axis->high - axis->low);
    return axis->from + fmin(1, fmax(0, part)) * (axis->to - axis->from);
}

ct_picture_axis ct_picture_ratios(double low, double high, double from, double to)
{
    return (ct_picture_axis){fmin(0.9, low * 0.95), fmax(1.1, high * 1.05), from, to, true};
}

/* Round values of an axis, and whether one has room for a label. */
static void picture_rounds(ct_text *out, const ct_picture_axis *axis, double least,
                           void (*line)(ct_text *, double at, double from, double to, double value,
                                        bool label),
                           double from, double to)
{
    static const double round[] = {0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1,  1.5, 2,
                                   3,    5,   7,   10,  20,  30,  50, 100, 200};
    double last = INFINITY;
    for (size_t i = 0; i < sizeof round / sizeof round[0]; i++) {
        if (round[i] < axis->low || round[i] > axis->high) continue;
        const double at = ct_picture_place(axis, round[i]);
        const bool label = fabs(last - at) >= least;
        line(out, at, from, to, round[i], label);
        if (label) last = at;
    }
}

static void picture_level(ct_text *out, double y, double x1, double x2, double value, bool label)
{
    char text[32];
    ct_number_print(text, sizeof text, "%g", value);
    ct_picture_line(out, x1, y, x2, y, value == 1 ? "one" : "grid");
    if (label) ct_picture_text(out, x1 - 6, y + 4, "e", text);
}

static void picture_upright(ct_text *out, double x, double y1, double y2, double value, bool label)
{
    char text[32];
    ct_number_print(text, sizeof text, "%g", value);
    ct_picture_line(out, x, y1, x, y2, value == 1 ? "one" : "grid");
    if (label) ct_picture_text(out, x, y1 + 16, "m", text);
}

void ct_picture_grid(ct_text *out, const ct_picture_axis *axis, double x1, double x2)
{
    picture_rounds(out, axis, 12, picture_level, x1, x2);
}

void ct_picture_across(ct_text *out, const ct_picture_axis *axis, double y1, double y2)
{
    picture_rounds(out, axis, 24, picture_upright, y1, y2);
}

void ct_picture_upright(ct_text *out, double x, double y, const char *text)
{
    ct_text_add(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"m\" transform=\"rotate(-90 %.1f %.1f)\">",
                x, y, x, y);
    ct_picture_escape(out, text);
    ct_text_add(out, "</text>\n");
}

const char *ct_picture_seconds(double seconds, ct_arena *arena)
{
    static const struct {
        double least;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {0, "ns"}};
    int u = 0;
    while (seconds < units[u].least)
        u++;
    const double value = seconds / (u == 3 ? 1e-9 : units[u].least);
    return ct_arena_print(arena, "%s %s", ct_report_digits(value, 3, arena), units[u].unit);
}
