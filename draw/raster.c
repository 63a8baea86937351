/* raster.c: a picture as pixels, for PNG.
 * Room: draw. Knows pixels. Does not know PNG. */
#include "canvas_inner.h"

#include <math.h>

#include "file.h"
#include "memory.h"

static ct_status raster_begin(ct_canvas *canvas, ct_error *err)
{
    const size_t bytes = (size_t)canvas->width * (size_t)canvas->height;
    canvas->pixels = ct_memory_get(bytes);
    return canvas->pixels ? CT_OK : ct_memory_fail(bytes, err);
}

static void raster_set(ct_canvas *canvas, int x, int y, int colour)
{
    if (colour != CT_COLOUR_NONE && x >= 0 && x < canvas->width && y >= 0 && y < canvas->height)
        canvas->pixels[(size_t)y * (size_t)canvas->width + (size_t)x] = (uint8_t)colour;
}

/* A pixel's number, not far outside the picture. */
static int raster_at(double place)
{
    return (int)floor(fmin(fmax(place, -20000.0), 20000.0));
}

static void raster_fill(ct_canvas *canvas, int x0, int y0, int x1, int y1, int colour)
{
    for (int y = y0 < 0 ? 0 : y0; y < y1 && y < canvas->height; y++)
        for (int x = x0 < 0 ? 0 : x0; x < x1 && x < canvas->width; x++)
            raster_set(canvas, x, y, colour);
}

static void raster_box(ct_canvas *canvas, ct_box box, int fill, int edge)
{
    const int x0 = raster_at(box.x + 0.5), x1 = raster_at(box.x + box.width + 0.5);
    const int y0 = raster_at(box.y + 0.5), y1 = raster_at(box.y + box.height + 0.5);
    if (fill != CT_COLOUR_NONE) raster_fill(canvas, x0, y0, x1, y1, fill);
    if (edge == CT_COLOUR_NONE) return;
    raster_fill(canvas, x0, y0, x1 + 1, y0 + 1, edge);
    raster_fill(canvas, x0, y1, x1 + 1, y1 + 1, edge);
    raster_fill(canvas, x0, y0, x0 + 1, y1 + 1, edge);
    raster_fill(canvas, x1, y0, x1 + 1, y1 + 1, edge);
}

/* The part of it inside the picture, roughly: so that no step goes far outside. */
static bool raster_clip(const ct_canvas *canvas, double a[2], double b[2])
{
    const double size[2] = {canvas->width + 50.0, canvas->height + 50.0};
    for (int i = 0; i < 2; i++)
        for (int end = 0; end < 2; end++) {
            double *one = end ? b : a, *other = end ? a : b;
            const double limit = one[i] < -50 ? -50 : one[i] > size[i] ? size[i] : one[i];
            if (limit == one[i]) continue;
            if ((other[i] < -50 && one[i] < -50) || (other[i] > size[i] && one[i] > size[i]))
                return false;
            one[1 - i] += (other[1 - i] - one[1 - i]) * (limit - one[i]) / (other[i] - one[i]);
            one[i] = limit;
        }
    return true;
}

static void raster_segment(ct_canvas *canvas, const double from[2], const double to[2], int colour,
                           int wide)
{
    double a[2] = {from[0], from[1]}, b[2] = {to[0], to[1]};
    if (!raster_clip(canvas, a, b)) return;
    const int steps = 1 + (int)fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1]));
    for (int i = 0; i <= steps; i++) {
        const double part = i / (double)steps;
        const int x = raster_at(a[0] + part * (b[0] - a[0])) - (wide - 1) / 2;
        const int y = raster_at(a[1] + part * (b[1] - a[1])) - (wide - 1) / 2;
        raster_fill(canvas, x, y, x + wide, y + wide, colour);
    }
}

static void raster_line(ct_canvas *canvas, const double (*point)[2], size_t count, int colour,
                        double width)
{
    for (size_t i = 0; i + 1 < count; i++)
        raster_segment(canvas, point[i], point[i + 1], colour, width > 1.6 ? 2 : 1);
}

static void raster_disc(ct_canvas *canvas, double x, double y, double radius, int fill, int edge,
                        const char *title)
{
    (void)title;
    const double large = fmin(radius, 2000.0);
    for (int py = raster_at(y - large - 1); py <= raster_at(y + large + 1); py++)
        for (int px = raster_at(x - large - 1); px <= raster_at(x + large + 1); px++) {
            const double far = hypot(px + 0.5 - x, py + 0.5 - y);
            if (far <= large + 0.2)
                raster_set(canvas, px, py,
                           edge != CT_COLOUR_NONE && far > large - 0.9 ? edge : fill);
        }
}

static void raster_letter(ct_canvas *canvas, int x, int y, bool upward, int colour, uint32_t code)
{
    const uint8_t *row = ct_letters_find(code);
    if (code == ' ') return;
    if (!row) row = ct_letters_find('?');
    for (int v = 0; row && v < CT_LETTER_HEIGHT; v++)
        for (int u = 0; u < CT_LETTER_WIDTH; u++)
            if (row[v] >> (7 - u) & 1) {
                if (upward)
                    raster_set(canvas, x + v - CT_LETTER_BASE, y - u, colour);
                else
                    raster_set(canvas, x + u, y + v - CT_LETTER_BASE, colour);
            }
}

static void raster_text(ct_canvas *canvas, double x, double y, ct_anchor anchor, bool upward,
                        int colour, const char *text)
{
    int letters = 0;
    for (const char *at = text; *at; letters++)
        (void)ct_letters_next(&at);
    const double back = 0.5 * (int)anchor * letters * CT_LETTER_WIDTH;
    int px = raster_at(x - (upward ? 0 : back)), py = raster_at(y + (upward ? back : 0));
    for (const char *at = text; *at;) {
        raster_letter(canvas, px, py, upward, colour, ct_letters_next(&at));
        px += upward ? 0 : CT_LETTER_WIDTH;
        py -= upward ? CT_LETTER_WIDTH : 0;
    }
}

static void raster_image(ct_canvas *canvas, ct_box box, int columns, int rows, const uint8_t *cells)
{
    const int x0 = raster_at(box.x + 0.5), x1 = raster_at(box.x + box.width + 0.5);
    const int y0 = raster_at(box.y + 0.5), y1 = raster_at(box.y + box.height + 0.5);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            const int column = (int)((int64_t)(x - x0) * columns / (x1 - x0));
            const int row = (int)((int64_t)(y - y0) * rows / (y1 - y0));
            raster_set(canvas, x, y, cells[(size_t)row * (size_t)columns + (size_t)column]);
        }
}

static ct_status raster_end(ct_canvas *canvas, ct_error *err)
{
    uint8_t *png = NULL;
    size_t length = 0;
    ct_status status =
        ct_png_make(&png, &length, canvas->width, canvas->height, canvas->pixels, err);
    if (status == CT_OK) status = ct_file_write(canvas->file, (const char *)png, length, err);
    ct_memory_free(png);
    return status;
}

const ct_canvas_kind ct_canvas_png = {".png",      raster_begin, raster_box,   raster_line,
                                      raster_disc, raster_text,  raster_image, raster_end};
