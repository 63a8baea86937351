/* canvas_test.c: pictures: a PNG's bytes unpacked again by the standard's own words, letters of
 * texts that come from files, ticks. */
#include "canvas_inner.h"
#include "io_trial.h"
#include "memory.h"

#include <math.h>

/* ---- a reader of PNG files with fixed codes, bit by bit as RFC 1951 describes it */

typedef struct bits {
    const uint8_t *from;
    size_t at; /* bit */
} bits;

static unsigned next_bits(bits *in, int count)
{
    unsigned value = 0;
    for (int i = 0; i < count; i++, in->at++)
        value |= (unsigned)(in->from[in->at / 8] >> in->at % 8 & 1) << i;
    return value;
}

static unsigned next_code(bits *in, unsigned code, int count)
{
    for (int i = 0; i < count; i++)
        code = code << 1 | next_bits(in, 1);
    return code;
}

static unsigned next_symbol(bits *in)
{
    unsigned code = next_code(in, 0, 7);
    if (code < 24) return code + 256;
    code = next_code(in, code, 1);
    if (code >= 48 && code < 192) return code - 48;
    if (code >= 192 && code < 200) return code - 192 + 280;
    code = next_code(in, code, 1);
    assert_true(code >= 400);
    return code - 400 + 144;
}

static size_t unpack(uint8_t *out, size_t room, const uint8_t *from)
{
    static const unsigned lengths[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                       15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                       67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const int more[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                               2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    bits in = {from, 0};
    size_t length = 0;
    assert_int_equal(next_bits(&in, 3), 3);
    for (unsigned symbol; (symbol = next_symbol(&in)) != 256;) {
        if (symbol < 256) {
            assert_true(length < room);
            out[length++] = (uint8_t)symbol;
            continue;
        }
        assert_true(symbol < 286);
        unsigned count = lengths[symbol - 257] + next_bits(&in, more[symbol - 257]);
        const unsigned code = next_code(&in, 0, 5), extra = code < 4 ? 0 : code / 2 - 1;
        const unsigned base = code < 4 ? code : (2 + code % 2) << extra;
        const unsigned distance = 1 + base + next_bits(&in, (int)extra);
        assert_true(distance <= length && length + count <= room);
        for (; count > 0; count--, length++)
            out[length] = out[length - distance];
    }
    return length;
}

static unsigned big(const uint8_t *at)
{
    return (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
}

static void png_of(int width, int height, int (*pixel)(int x, int y))
{
    ct_error err = {0};
    uint8_t *pixels = malloc((size_t)width * (size_t)height), *png = NULL;
    const size_t raw = (size_t)(width + 1) * (size_t)height;
    uint8_t *found = malloc(raw + 1);
    size_t length = 0;
    for (int i = 0; i < width * height; i++)
        pixels[i] = (uint8_t)pixel(i % width, i / width);
    assert_int_equal(ct_png_make(&png, &length, width, height, pixels, &err), CT_OK);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(big(png + 16), width);
    assert_int_equal(big(png + 20), height);
    const uint8_t *data = png + 8 + 12 + 13 + 12 + 3 * CT_COLOURS;
    assert_memory_equal(data + 4, "IDAT", 4);
    assert_int_equal(unpack(found, raw + 1, data + 10), raw);
    for (int y = 0; y < height; y++) {
        assert_int_equal(found[(size_t)y * (size_t)(width + 1)], 0);
        assert_memory_equal(found + (size_t)y * (size_t)(width + 1) + 1,
                            pixels + (size_t)y * (size_t)width, (size_t)width);
    }
    assert_memory_equal(png + length - 8, "IEND\xae\x42\x60\x82", 8); /* its checksum is known */
    ct_memory_free(png);
    free(pixels);
    free(found);
}

static int plain(int x, int y)
{
    (void)x, (void)y;
    return CT_COLOUR_WHITE;
}
static int noise(int x, int y)
{
    return (int)(((unsigned)x * 2654435761u + (unsigned)y * 40503u) >> 13) % CT_COLOURS;
}
static int stripes(int x, int y)
{
    return (x * x / 97 + (y / 5) * 3) % 256 % CT_COLOURS;
}

static void png_unpacks(void **unused)
{
    (void)unused;
    static const int sizes[][2] = {{1, 1}, {3, 259}, {258, 2}, {259, 7}, {960, 601}, {33001, 3}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        png_of(sizes[i][0], sizes[i][1], plain);
        png_of(sizes[i][0], sizes[i][1], noise);
        png_of(sizes[i][0], sizes[i][1], stripes);
    }
}

/* What a file's header says may be anything. */
static void svg_keeps_letters_only(void **unused)
{
    (void)unused;
    ct_error err = {0};
    ct_canvas *canvas = NULL;
    size_t bytes;
    const char *path = trial_path("text.svg");
    assert_int_equal(ct_canvas_open(&canvas, path, 50, 20, &err), CT_OK);
    ct_canvas_text(canvas, 1, 2, CT_ANCHOR_START, false, CT_COLOUR_INK,
                   "<a href=\"x\">&\x01\xff\xef\xbf\xbf\xc2\xb5");
    ct_canvas_text(canvas, NAN, 2, CT_ANCHOR_START, false, CT_COLOUR_INK, "nowhere");
    assert_int_equal(ct_canvas_save(canvas, &err), CT_OK);
    ct_canvas_free(canvas);
    char *text = (char *)trial_read(path, &bytes);
    assert_non_null(strstr(text, ">&#60;a href=&#34;x&#34;&#62;&#38;???\xc2\xb5</text>"));
    assert_null(strstr(text, "nowhere"));
    free(text);
}

/* Nothing that is drawn outside touches memory that is not the picture's. */
static void far_away_is_nowhere(void **unused)
{
    (void)unused;
    ct_error err = {0};
    ct_canvas *canvas = NULL;
    const double point[][2] = {{-1e300, 5}, {1e300, 5}, {NAN, 1}, {3, 3}, {7, 1e9}, {7, -1e9}};
    assert_int_equal(ct_canvas_open(&canvas, trial_path("far.png"), 31, 17, &err), CT_OK);
    ct_canvas_line(canvas, point, 6, CT_COLOUR_LINE, 2);
    ct_canvas_disc(canvas, -1e5, 1e9, 30, CT_COLOUR_LINE, CT_COLOUR_INK, NULL);
    ct_canvas_disc(canvas, 30, 16, 5, CT_COLOUR_LINE, CT_COLOUR_INK, NULL);
    ct_canvas_box(canvas, (ct_box){-5, -5, 1e12, 8}, CT_COLOUR_LIGHT, CT_COLOUR_INK);
    ct_canvas_text(canvas, 29, 1, CT_ANCHOR_MIDDLE, true, CT_COLOUR_INK,
                   "far \xc2\xb5 \xe2\x88\x80");
    assert_int_equal(canvas->pixels[5 * 31 + 15], CT_COLOUR_LINE);
    assert_int_equal(canvas->pixels[9 * 31 + 15], CT_COLOUR_WHITE);
    assert_int_equal(ct_canvas_save(canvas, &err), CT_OK);
    ct_canvas_free(canvas);
}

static void steps_are_round(void **unused)
{
    (void)unused;
    for (double span = 1e-9; span < 1e12; span *= 1.37) {
        const double step = ct_axis_step(span, 8), ten = pow(10, floor(log10(step) + 1e-9));
        const double digit = step / ten;
        assert_true(span / step <= 8.0001 && span / step >= 3.1999);
        assert_true(fabs(digit - 1) < 1e-9 || fabs(digit - 2) < 1e-9 || fabs(digit - 2.5) < 1e-9 ||
                    fabs(digit - 5) < 1e-9);
    }
    assert_true(ct_axis_step(0, 8) > 0 && ct_axis_step(NAN, 8) > 0 &&
                ct_axis_step(INFINITY, 8) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_unpacks), cmocka_unit_test(svg_keeps_letters_only),
        cmocka_unit_test(far_away_is_nowhere), cmocka_unit_test(steps_are_round)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
