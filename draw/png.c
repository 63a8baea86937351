/* png.c: a PNG file: one byte a pixel, with the palette.
 * Room: draw. Knows PNG and deflate. Does not know what is drawn. [RFC 2083, 1950, 1951]
 * What repeats the pixel before, or the row above, becomes a copy: pictures are mostly that, so
 * that no library has to search for more. Codes are the fixed ones. */
#include "canvas_inner.h"

#include <string.h>

#include "memory.h"

enum { LEAST = 3, LONGEST = 258, FARTHEST = 32768, ADLER = 65521 };

typedef struct png_bits {
    uint8_t *out;
    size_t length;
    uint32_t held; /* bits that are no whole byte yet, the first one lowest */
    int count;
} png_bits;

static void png_put(png_bits *bits, uint32_t value, int count)
{
    bits->held |= value << bits->count;
    bits->count += count;
    for (; bits->count >= 8; bits->count -= 8, bits->held >>= 8)
        bits->out[bits->length++] = (uint8_t)bits->held;
}

/* Codes go highest bit first. */
static void png_put_code(png_bits *bits, uint32_t code, int count)
{
    uint32_t turned = 0;
    for (int i = 0; i < count; i++)
        turned |= (code >> i & 1) << (count - 1 - i);
    png_put(bits, turned, count);
}

static void png_put_symbol(png_bits *bits, unsigned symbol)
{
    if (symbol < 144)
        png_put_code(bits, 48 + symbol, 8);
    else if (symbol < 256)
        png_put_code(bits, 400 + symbol - 144, 9);
    else if (symbol < 280)
        png_put_code(bits, symbol - 256, 7);
    else
        png_put_code(bits, 192 + symbol - 280, 8);
}

/* Groups of `per` codes with one more bit each than the group before, the first two with none: the
 * code of `value`, and in *extra how many bits follow, in *rest what they are. */
static unsigned png_group(unsigned value, unsigned per, int *extra, uint32_t *rest)
{
    unsigned code = 0, first = 0;
    for (*extra = 0;; code++) {
        if (code >= 2 * per) *extra = (int)(code / per) - 1;
        if (value < first + (1u << *extra)) break;
        first += 1u << *extra;
    }
    *rest = value - first;
    return code;
}

static void png_put_copy(png_bits *bits, unsigned length, unsigned distance)
{
    int extra = 0;
    uint32_t rest = 0;
    unsigned code = 28; /* 258 has a code of its own */
    if (length < LONGEST) code = png_group(length - LEAST, 4, &extra, &rest);
    png_put_symbol(bits, 257 + code);
    png_put(bits, rest, extra);
    code = png_group(distance - 1, 2, &extra, &rest);
    png_put_code(bits, code, 5);
    png_put(bits, rest, extra);
}

/* How many bytes from `at` on are those at `distance` before. */
static unsigned png_same(const uint8_t *raw, size_t at, size_t end, size_t distance)
{
    unsigned same = 0;
    if (distance > at || distance > FARTHEST) return 0;
    while (same < LONGEST && at + same < end && raw[at + same] == raw[at + same - distance])
        same++;
    return same;
}

static void png_deflate(png_bits *bits, const uint8_t *raw, size_t length, size_t row)
{
    png_put(bits, 3, 3); /* the last block, fixed codes */
    for (size_t at = 0; at < length;) {
        const unsigned before = png_same(raw, at, length, 1),
                       above = png_same(raw, at, length, row);
        const unsigned same = before > above ? before : above;
        if (same >= LEAST)
            png_put_copy(bits, same, before >= above ? 1 : (unsigned)row);
        else
            png_put_symbol(bits, raw[at]);
        at += same >= LEAST ? same : 1;
    }
    png_put_symbol(bits, 256);
    png_put(bits, 0, (8 - bits->count) & 7);
}

static void png_put_whole(png_bits *bits, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        bits->out[bits->length++] = (uint8_t)(value >> shift);
}

static uint32_t png_adler(const uint8_t *raw, size_t length)
{
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < length; i++) {
        low = (low + raw[i]) % ADLER;
        high = (high + low) % ADLER;
    }
    return high << 16 | low;
}

static uint32_t png_crc(const uint8_t *from, size_t length)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc ^= from[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

/* A chunk: its length and its checksum around what has been put since `start`. */
static size_t png_open_chunk(png_bits *bits, const char *name)
{
    png_put_whole(bits, 0);
    memcpy(bits->out + bits->length, name, 4);
    bits->length += 4;
    return bits->length - 4;
}

static void png_close_chunk(png_bits *bits, size_t start)
{
    const size_t end = bits->length;
    bits->length = start - 4;
    png_put_whole(bits, (uint32_t)(end - start - 4));
    bits->length = end;
    png_put_whole(bits, png_crc(bits->out + start, end - start));
}

static void png_put_head(png_bits *bits, int width, int height)
{
    static const uint8_t magic[] = "\x89PNG\r\n\x1a\n", how[] = {8, 3, 0, 0, 0};
    memcpy(bits->out, magic, 8);
    bits->length = 8;
    size_t chunk = png_open_chunk(bits, "IHDR");
    png_put_whole(bits, (uint32_t)width);
    png_put_whole(bits, (uint32_t)height);
    memcpy(bits->out + bits->length, how, sizeof how);
    bits->length += sizeof how;
    png_close_chunk(bits, chunk);
    chunk = png_open_chunk(bits, "PLTE");
    for (int i = 0; i < CT_COLOURS; i++, bits->length += 3)
        ct_palette_rgb(bits->out + bits->length, i);
    png_close_chunk(bits, chunk);
}

/* Before each row: how it was changed, which is not at all. */
static void png_rows(uint8_t *raw, int width, int height, const uint8_t *pixels)
{
    for (int y = 0; y < height; y++, raw += width + 1, pixels += width) {
        raw[0] = 0;
        memcpy(raw + 1, pixels, (size_t)width);
    }
}

ct_status ct_png_make(uint8_t **out, size_t *length, int width, int height, const uint8_t *pixels,
                      ct_error *err)
{
    ct_status status = CT_OK;
    const size_t row = (size_t)width + 1, bytes = row * (size_t)height;
    const size_t most = bytes + bytes / 8 + 4096;
    uint8_t *raw = ct_memory_get(bytes);
    png_bits bits = {.out = ct_memory_get(most)};
    CT_NEED(raw, bytes, err);
    CT_NEED(bits.out, most, err);
    png_rows(raw, width, height, pixels);
    png_put_head(&bits, width, height);
    size_t chunk = png_open_chunk(&bits, "IDAT");
    bits.out[bits.length++] = 0x78;
    bits.out[bits.length++] = 0x01;
    png_deflate(&bits, raw, bytes, row);
    png_put_whole(&bits, png_adler(raw, bytes));
    png_close_chunk(&bits, chunk);
    chunk = png_open_chunk(&bits, "IEND");
    png_close_chunk(&bits, chunk);
    *length = bits.length;
    *out = bits.out;
    bits.out = NULL;
out:
    ct_memory_free(raw);
    ct_memory_free(bits.out);
    return status;
}
