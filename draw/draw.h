/* draw.h: a picture: boxes, lines, discs, letters and images of cells, as SVG or as PNG, and axes
 * around them.
 * Room: draw. Knows SVG, PNG and colours. Does not know what is shown.
 * Order: ct_canvas_open, everything that is drawn, ct_canvas_save, ct_canvas_free. */
#ifndef CT_DRAW_DRAW_H
#define CT_DRAW_DRAW_H
#include "cornerturn_stage.h"

/* Colours are places in one palette. The first are two scales whose steps look equally large, to
 * people who do not see all colours too: one from dark to light, and one that ends where it begins,
 * for angles. */
enum {
    CT_COLOUR_NONE = -1,
    CT_COLOUR_SCALE = 0,
    CT_COLOUR_SCALE_STEPS = 128,
    CT_COLOUR_CYCLE = CT_COLOUR_SCALE + CT_COLOUR_SCALE_STEPS,
    CT_COLOUR_CYCLE_STEPS = 96,
    CT_COLOUR_WHITE = CT_COLOUR_CYCLE + CT_COLOUR_CYCLE_STEPS,
    CT_COLOUR_INK,
    CT_COLOUR_GREY,
    CT_COLOUR_LIGHT,
    CT_COLOUR_MISSING, /* samples that are missing or flagged */
    CT_COLOUR_NAN,     /* what is no number */
    CT_COLOUR_LINE,
    CT_COLOUR_SECOND,
    CT_COLOUR_BAND,  /* between the smallest and the largest value */
    CT_COLOUR_STAGE, /* of a pipeline's graph: stages, sources and sinks, transposes */
    CT_COLOUR_ENDS,
    CT_COLOUR_TURN,
    CT_COLOURS
};
void ct_palette_rgb(uint8_t out[3], int colour); /* red, green, blue */
/* The colour of a part from 0 to 1 (outside: the nearest). */
int ct_palette_scale(double part);
int ct_palette_cycle(double part);

typedef enum ct_anchor { CT_ANCHOR_START, CT_ANCHOR_MIDDLE, CT_ANCHOR_END } ct_anchor;
typedef struct ct_box {
    double x, y, width, height; /* pixels, from the top left */
} ct_box;

typedef struct ct_canvas ct_canvas;
/* The name's ending says the kind: .svg or .png; another one is CT_USAGE. */
ct_status ct_canvas_check(const char *file, ct_error *err);
ct_status ct_canvas_open(ct_canvas **out, const char *file, int width, int height, ct_error *err);
void ct_canvas_box(ct_canvas *canvas, ct_box box, int fill, int edge);
/* Through all points; one that is not finite interrupts the line. */
void ct_canvas_line(ct_canvas *canvas, const double (*point)[2], size_t count, int colour,
                    double width);
void ct_canvas_stroke(ct_canvas *canvas, double x0, double y0, double x1, double y1, int colour);
/* title: what a browser shows of it; NULL nothing. */
void ct_canvas_disc(ct_canvas *canvas, double x, double y, double radius, int fill, int edge,
                    const char *title);
/* Its base line starts, has its middle, or ends at x, y; upward: turned by 90 degrees. */
void ct_canvas_text(ct_canvas *canvas, double x, double y, ct_anchor anchor, bool upward,
                    int colour, const char *text);
void ct_canvas_print(ct_canvas *canvas, double x, double y, ct_anchor anchor, int colour,
                     const char *format, ...) CT_PRINTF(6, 7);
/* Cells of `columns` x `rows` colours, the first row at the top. */
void ct_canvas_image(ct_canvas *canvas, ct_box box, int columns, int rows, const uint8_t *cells);
/* The file appears when it is whole. */
ct_status ct_canvas_save(ct_canvas *canvas, ct_error *err);
void ct_canvas_free(ct_canvas *canvas); /* NULL is allowed */

/* ---- axes */

/* Values along a box's side: `low` at the left or at the bottom. */
typedef struct ct_axis {
    double low, high;
    const char *label; /* with its unit; NULL: neither label nor numbers */
} ct_axis;
/* A round step that divides `span` into at most `most` parts, and at least two fifths of that. */
double ct_axis_step(double span, double most);
double ct_axis_place(const ct_axis *axis, double value); /* 0 at low, 1 at high */
void ct_axis_bottom(ct_canvas *canvas, ct_box box, const ct_axis *axis);
void ct_axis_left(ct_canvas *canvas, ct_box box, const ct_axis *axis);
void ct_axis_right(ct_canvas *canvas, ct_box box, const ct_axis *axis);

#endif
