/* axis.c: ticks, their numbers and a label along the sides of a box.
 * Room: draw. Knows numbers. Does not know what they are of. */
#include "draw.h"

#include <math.h>
#include <string.h>

enum { TICK = 4, LETTER = 7, MOST_TICKS = 1000 };

double ct_axis_step(double span, double most)
{
    static const double parts[] = {1, 2, 2.5, 5, 10};
    if (!(span > 0) || !isfinite(span)) return 1;
    const double ten = pow(10.0, floor(log10(span / most)));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (span / (parts[i] * ten) <= most * (1 + 1e-9)) return parts[i] * ten;
    return 10 * ten;
}

double ct_axis_place(const ct_axis *axis, double value)
{
    const double span = axis->high - axis->low;
    return span == 0 ? 0.5 : (value - axis->low) / span;
}

/* As many decimals as the step needs, so that neighbours differ. */
static void axis_number(char out[32], double value, double step)
{
    int decimals = 0;
    double left = step;
    while (decimals < 9 && fabs(left - round(left)) > 1e-6 * left) {
        left *= 10;
        decimals++;
    }
    if (fabs(value) < 0.5 * step) value = 0;
    if (fabs(value) >= 1e7 || decimals >= 9)
        ct_number_print(out, 32, "%.6g", value);
    else
        ct_number_print(out, 32, "%.*f", decimals, value);
}

typedef struct axis_ticks {
    double step;
    int64_t first, last; /* multiples of the step */
} axis_ticks;

static axis_ticks axis_ticks_of(const ct_axis *axis, double most)
{
    const double low = fmin(axis->low, axis->high), high = fmax(axis->low, axis->high);
    axis_ticks ticks = {.step = ct_axis_step(high - low, most), .first = 1};
    const double first = ceil(low / ticks.step - 1e-6), last = floor(high / ticks.step + 1e-6);
    if (isfinite(first) && isfinite(last) && fabs(first) < 1e15 && last - first < MOST_TICKS) {
        ticks.first = (int64_t)first;
        ticks.last = (int64_t)last;
    }
    return ticks;
}

void ct_axis_bottom(ct_canvas *canvas, ct_box box, const ct_axis *axis)
{
    const double bottom = box.y + box.height;
    const axis_ticks ticks = axis_ticks_of(axis, fmax(box.width / 70, 2));
    char number[32];
    if (!axis->label) return;
    for (int64_t i = ticks.first; i <= ticks.last; i++) {
        const double value = (double)i * ticks.step,
                     x = box.x + box.width * ct_axis_place(axis, value);
        ct_canvas_stroke(canvas, x, bottom, x, bottom + TICK, CT_COLOUR_INK);
        axis_number(number, value, ticks.step);
        ct_canvas_text(canvas, x, bottom + 17, CT_ANCHOR_MIDDLE, false, CT_COLOUR_INK, number);
    }
    ct_canvas_text(canvas, box.x + box.width / 2, bottom + 34, CT_ANCHOR_MIDDLE, false,
                   CT_COLOUR_INK, axis->label);
}

/* side: -1 left, 1 right. */
static void axis_upright(ct_canvas *canvas, ct_box box, const ct_axis *axis, int side)
{
    const double edge = side < 0 ? box.x : box.x + box.width;
    const axis_ticks ticks = axis_ticks_of(axis, fmax(box.height / 36, 2));
    size_t widest = 0;
    char number[32];
    if (!axis->label) return;
    for (int64_t i = ticks.first; i <= ticks.last; i++) {
        const double value = (double)i * ticks.step;
        const double y = box.y + box.height * (1 - ct_axis_place(axis, value));
        ct_canvas_stroke(canvas, edge, y, edge + side * TICK, y, CT_COLOUR_INK);
        axis_number(number, value, ticks.step);
        widest = strlen(number) > widest ? strlen(number) : widest;
        ct_canvas_text(canvas, edge + side * (TICK + 3), y + 4,
                       side < 0 ? CT_ANCHOR_END : CT_ANCHOR_START, false, CT_COLOUR_INK, number);
    }
    ct_canvas_text(canvas,
                   edge + side * (TICK + 10 + LETTER * (double)widest + (side > 0 ? 10 : 0)),
                   box.y + box.height / 2, CT_ANCHOR_MIDDLE, true, CT_COLOUR_INK, axis->label);
}

void ct_axis_left(ct_canvas *canvas, ct_box box, const ct_axis *axis)
{
    axis_upright(canvas, box, axis, -1);
}

void ct_axis_right(ct_canvas *canvas, ct_box box, const ct_axis *axis)
{
    axis_upright(canvas, box, axis, 1);
}
