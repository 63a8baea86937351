/* canvas_inner.h: what the two kinds of pictures share.
 * Room: draw. */
#ifndef CT_DRAW_CANVAS_INNER_H
#define CT_DRAW_CANVAS_INNER_H
#include "draw.h"
#include "text.h"

enum { CT_LETTER_WIDTH = 7, CT_LETTER_HEIGHT = 13, CT_LETTER_BASE = 11 };

/* A kind of picture; canvas.c has checked what these get. */
typedef struct ct_canvas_kind {
    const char *ending;
    ct_status (*begin)(ct_canvas *, ct_error *);
    void (*box)(ct_canvas *, ct_box, int fill, int edge);
    void (*line)(ct_canvas *, const double (*point)[2], size_t count, int colour, double width);
    void (*disc)(ct_canvas *, double x, double y, double radius, int fill, int edge,
                 const char *title);
    void (*text)(ct_canvas *, double x, double y, ct_anchor, bool upward, int colour,
                 const char *text);
    void (*image)(ct_canvas *, ct_box, int columns, int rows, const uint8_t *cells);
    ct_status (*end)(ct_canvas *, ct_error *); /* writes the file */
} ct_canvas_kind;
extern const ct_canvas_kind ct_canvas_svg, ct_canvas_png;

struct ct_canvas {
    const ct_canvas_kind *kind;
    char *file;
    int width, height;
    uint8_t *pixels; /* [height][width] colours; NULL in an SVG */
    ct_text text;    /* what an SVG holds so far; that memory was missing, of both */
};

/* letters.c: CT_LETTER_HEIGHT rows; NULL: there is no such letter. */
const uint8_t *ct_letters_find(uint32_t code);
/* The next letter of a text, and it is passed; one that is none, or that no XML may hold, is '?'.
 */
uint32_t ct_letters_next(const char **text);

/* png.c: a PNG file of colours; released with ct_memory_free. */
ct_status ct_png_make(uint8_t **out, size_t *length, int width, int height, const uint8_t *pixels,
                      ct_error *err);

#endif
