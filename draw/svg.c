/* svg.c: a picture as one self-contained SVG.
 * Room: draw. Knows SVG. Does not know what is drawn. */
#include "canvas_inner.h"

#include <stdio.h>

#include "file.h"
#include "memory.h"

static ct_status svg_begin(ct_canvas *canvas, ct_error *err)
{
    (void)err;
    ct_text_add(&canvas->text,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                "xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n",
                canvas->width, canvas->height, canvas->width, canvas->height);
    return CT_OK;
}

static const char *svg_colour(char out[8], int colour)
{
    uint8_t rgb[3];
    if (colour == CT_COLOUR_NONE) return "none";
    ct_palette_rgb(rgb, colour);
    snprintf(out, 8, "#%02x%02x%02x", (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
    return out;
}

static void svg_paint(ct_canvas *canvas, int fill, int edge)
{
    char one[8], two[8];
    ct_text_add(&canvas->text, " fill=\"%s\"", svg_colour(one, fill));
    if (edge != CT_COLOUR_NONE) ct_text_add(&canvas->text, " stroke=\"%s\"", svg_colour(two, edge));
}

/* What XML takes for its own, and bytes that are no letters. */
static void svg_add_text(ct_text *text, const char *plain)
{
    while (*plain) {
        const char *start = plain;
        const uint32_t code = ct_letters_next(&plain);
        if (code == '&' || code == '<' || code == '>' || code == '"')
            ct_text_add(text, "&#%u;", (unsigned)code);
        else if (code == '?')
            ct_text_add(text, "?");
        else
            ct_text_add(text, "%.*s", (int)(plain - start), start);
    }
}

static void svg_box(ct_canvas *canvas, ct_box box, int fill, int edge)
{
    ct_text_add(&canvas->text, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", box.x,
                box.y, box.width, box.height);
    svg_paint(canvas, fill, edge);
    ct_text_add(&canvas->text, "/>\n");
}

static void svg_line(ct_canvas *canvas, const double (*point)[2], size_t count, int colour,
                     double width)
{
    ct_text_add(&canvas->text, "<path d=\"");
    for (size_t i = 0; i < count; i++)
        ct_text_add(&canvas->text, "%s%.2f %.2f", i == 0 ? "M" : "L", point[i][0], point[i][1]);
    ct_text_add(&canvas->text, "\" stroke-width=\"%.2f\" stroke-linejoin=\"round\"", width);
    svg_paint(canvas, CT_COLOUR_NONE, colour);
    ct_text_add(&canvas->text, "/>\n");
}

static void svg_disc(ct_canvas *canvas, double x, double y, double radius, int fill, int edge,
                     const char *title)
{
    ct_text_add(&canvas->text, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"", x, y, radius);
    svg_paint(canvas, fill, edge);
    if (title) {
        ct_text_add(&canvas->text, "><title>");
        svg_add_text(&canvas->text, title);
        ct_text_add(&canvas->text, "</title></circle>\n");
    } else {
        ct_text_add(&canvas->text, "/>\n");
    }
}

static void svg_text(ct_canvas *canvas, double x, double y, ct_anchor anchor, bool upward,
                     int colour, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    if (upward)
        ct_text_add(&canvas->text, "<text transform=\"translate(%.2f %.2f) rotate(-90)\"", x, y);
    else
        ct_text_add(&canvas->text, "<text x=\"%.2f\" y=\"%.2f\"", x, y);
    ct_text_add(&canvas->text, " text-anchor=\"%s\"", anchors[anchor]);
    svg_paint(canvas, colour, CT_COLOUR_NONE);
    ct_text_add(&canvas->text, ">");
    svg_add_text(&canvas->text, text);
    ct_text_add(&canvas->text, "</text>\n");
}

static void svg_base64(ct_text *text, const uint8_t *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        const size_t left = length - i;
        const uint32_t three = (uint32_t)bytes[i] << 16 |
                               (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? bytes[i + 2] : 0);
        ct_text_add(text, "%c%c%c%c", digits[three >> 18], digits[three >> 12 & 63],
                    left > 1 ? digits[three >> 6 & 63] : '=', left > 2 ? digits[three & 63] : '=');
    }
}

/* A PNG inside: small, and cells keep their edges however large it is shown. */
static void svg_image(ct_canvas *canvas, ct_box box, int columns, int rows, const uint8_t *cells)
{
    uint8_t *png = NULL;
    size_t length = 0;
    if (ct_png_make(&png, &length, columns, rows, cells, NULL) != CT_OK) {
        ct_text_lacks(&canvas->text, (size_t)columns * (size_t)rows);
        return;
    }
    ct_text_add(&canvas->text,
                "<image x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
                "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
                "xlink:href=\"data:image/png;base64,",
                box.x, box.y, box.width, box.height);
    svg_base64(&canvas->text, png, length);
    ct_text_add(&canvas->text, "\"/>\n");
    ct_memory_free(png);
}

static ct_status svg_end(ct_canvas *canvas, ct_error *err)
{
    ct_text_add(&canvas->text, "</svg>\n");
    const ct_status status = ct_text_check(&canvas->text, err);
    return status == CT_OK
               ? ct_file_write(canvas->file, canvas->text.data, canvas->text.length, err)
               : status;
}

const ct_canvas_kind ct_canvas_svg = {".svg",   svg_begin, svg_box,   svg_line,
                                      svg_disc, svg_text,  svg_image, svg_end};
