/* canvas.c: what is drawn, on to the kind of picture that the file's name asks for.
 * Room: draw. Knows the kinds. Does not know SVG or PNG. */
#include "canvas_inner.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "memory.h"

static bool canvas_ends(const char *file, const char *ending)
{
    const size_t length = strlen(file), tail = strlen(ending);
    return length > tail && strcmp(file + length - tail, ending) == 0;
}

static const ct_canvas_kind *canvas_kind(const char *file)
{
    static const ct_canvas_kind *const kinds[] = {&ct_canvas_svg, &ct_canvas_png};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (canvas_ends(file, kinds[i]->ending)) return kinds[i];
    return NULL;
}

ct_status ct_canvas_check(const char *file, ct_error *err)
{
    if (canvas_kind(file) != NULL) return CT_OK;
    return ct_error_add(err, CT_USAGE, "%s: expected a picture's name that ends with .svg or .png",
                        file);
}

ct_status ct_canvas_open(ct_canvas **out, const char *file, int width, int height, ct_error *err)
{
    ct_status status = CT_OK;
    ct_canvas *canvas = NULL;
    const ct_canvas_kind *kind = canvas_kind(file);
    CT_TRY(ct_canvas_check(file, err));
    canvas = ct_memory_get(sizeof *canvas);
    CT_NEED(canvas, sizeof *canvas, err);
    *canvas = (ct_canvas){.kind = kind, .width = width, .height = height};
    canvas->file = ct_memory_copy(file);
    CT_NEED(canvas->file, strlen(file) + 1, err);
    CT_TRY(kind->begin(canvas, err));
    ct_canvas_box(canvas, (ct_box){0, 0, width, height}, CT_COLOUR_WHITE, CT_COLOUR_NONE);
    *out = canvas;
    return CT_OK;
out:
    ct_canvas_free(canvas);
    *out = NULL;
    return status;
}

void ct_canvas_box(ct_canvas *canvas, ct_box box, int fill, int edge)
{
    if (isfinite(box.x + box.y + box.width + box.height) && box.width >= 0 && box.height >= 0)
        canvas->kind->box(canvas, box, fill, edge);
}

static bool is_there(const double point[2])
{
    return isfinite(point[0]) && isfinite(point[1]);
}

void ct_canvas_line(ct_canvas *canvas, const double (*point)[2], size_t count, int colour,
                    double width)
{
    for (size_t start = 0, end; start < count; start = end + 1) {
        for (end = start; end < count && is_there(point[end]);)
            end++;
        if (end > start + 1)
            canvas->kind->line(canvas, point + start, end - start, colour, width);
        else if (end > start) /* alone: a dot */
            ct_canvas_disc(canvas, point[start][0], point[start][1], 1.5, colour, CT_COLOUR_NONE,
                           NULL);
    }
}

void ct_canvas_stroke(ct_canvas *canvas, double x0, double y0, double x1, double y1, int colour)
{
    const double point[2][2] = {{x0, y0}, {x1, y1}};
    ct_canvas_line(canvas, point, 2, colour, 1);
}

void ct_canvas_disc(ct_canvas *canvas, double x, double y, double radius, int fill, int edge,
                    const char *title)
{
    if (isfinite(x + y + radius)) canvas->kind->disc(canvas, x, y, radius, fill, edge, title);
}

void ct_canvas_text(ct_canvas *canvas, double x, double y, ct_anchor anchor, bool upward,
                    int colour, const char *text)
{
    if (isfinite(x + y)) canvas->kind->text(canvas, x, y, anchor, upward, colour, text);
}

void ct_canvas_print(ct_canvas *canvas, double x, double y, ct_anchor anchor, int colour,
                     const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    ct_number_print_args(text, sizeof text, format, args);
    va_end(args);
    ct_canvas_text(canvas, x, y, anchor, false, colour, text);
}

void ct_canvas_image(ct_canvas *canvas, ct_box box, int columns, int rows, const uint8_t *cells)
{
    if (columns > 0 && rows > 0) canvas->kind->image(canvas, box, columns, rows, cells);
}

ct_status ct_canvas_save(ct_canvas *canvas, ct_error *err)
{
    const ct_status status = ct_text_check(&canvas->text, err);
    return status == CT_OK ? canvas->kind->end(canvas, err) : status;
}

void ct_canvas_free(ct_canvas *canvas)
{
    if (canvas == NULL) return;
    ct_memory_free(canvas->file);
    ct_memory_free(canvas->pixels);
    ct_text_free(&canvas->text);
    ct_memory_free(canvas);
}

/* U+FFFE and U+FFFF are no letters of XML; control characters are none of UTF-8's here. */
uint32_t ct_letters_next(const char **text)
{
    static const uint8_t first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const uint8_t *at = (const uint8_t *)*text;
    const int bytes = ct_text_letter(*text);
    uint32_t code = bytes > 0 && bytes < 5 ? at[0] & first[bytes] : '?';
    for (int i = 1; i < bytes; i++)
        code = code << 6 | (at[i] & 0x3f);
    *text += bytes > 0 ? bytes : 1;
    return (code & 0xfffe) == 0xfffe ? '?' : code;
}
