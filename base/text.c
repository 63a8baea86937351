/* text.c: a text that grows.
 * Room: base. Knows characters and JSON's quoting. Does not know what is written. */
#include "text.h"
#include "cornerturn_stage.h"

#include "memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ct_text_lacks(ct_text *text, size_t bytes)
{
    if (text->failed) return;
    text->failed = true;
    text->lacks = bytes;
}

/* False: there is no memory, now or in an earlier call. Readers of `data` find "", not NULL. */
static bool ct_text_reserve(ct_text *text, size_t more)
{
    size_t need = text->length + more + 1;
    if (text->failed) return false;
    if (need <= text->capacity) return true;
    const size_t capacity = need > 2 * text->capacity ? need : 2 * text->capacity;
    if (ct_memory_grow(&text->data, capacity, NULL) == CT_OK) {
        text->capacity = capacity;
        return true;
    }
    ct_text_lacks(text, capacity);
    if (text->data == NULL) text->data = (char *)"";
    return false;
}

void ct_text_add(ct_text *text, const char *format, ...)
{
    if (!text || !format) return;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = ct_number_print_args(NULL, 0, format, args);
    assert(length >= 0);
    if (ct_text_reserve(text, (size_t)length)) {
        ct_number_print_args(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

void ct_text_free(ct_text *text)
{
    if (text->capacity > 0) ct_memory_free(text->data);
    *text = (ct_text){0};
}

ct_status ct_text_check(const ct_text *text, ct_error *err)
{
    return text->failed ? ct_memory_fail(text->lacks, err) : CT_OK;
}

void ct_text_end(ct_text *part, ct_text *whole)
{
    if (part->failed) ct_text_lacks(whole, part->lacks);
    ct_text_free(part);
}

ct_status ct_text_take(char **out, ct_text *text, ct_error *err)
{
    ct_status status = CT_OK;
    *out = NULL;
    (void)ct_text_reserve(text, 0);
    CT_TRY(ct_text_check(text, err));
    text->data[text->length] = '\0';
    *out = text->data;
    *text = (ct_text){0};
out:
    ct_text_free(text);
    return status;
}

/* Bytes of the UTF-8 character that starts here; 0 where none does. */
static int ct_text_character(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, low, high; /* of the first byte; of the second */
        int bytes;
    } forms[] = {
        {0x01, 0x7f, 0, 0xff, 1},    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (at[0] < forms[i].first || at[0] > forms[i].last) continue;
        if (forms[i].bytes > 1 && (at[1] < forms[i].low || at[1] > forms[i].high)) return 0;
        for (int k = 2; k < forms[i].bytes; k++)
            if ((at[k] & 0xc0) != 0x80) return 0;
        return forms[i].bytes;
    }
    return 0;
}

/* Characters that move what stands around them: controls, line ends, directions of writing. */
static bool ct_text_moves(const unsigned char *at, int bytes)
{
    static const struct {
        unsigned first, last;
    } moves[] = {{0x01, 0x1f},     {0x7f, 0x9f},     {0x200e, 0x200f},
                 {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff}};
    static const unsigned first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    unsigned code = at[0] & first_bits[bytes];
    for (int k = 1; k < bytes; k++)
        code = code << 6 | (at[k] & 0x3fu);
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (code >= moves[i].first && code <= moves[i].last) return true;
    return false;
}

int ct_text_letter(const char *text)
{
    if (!text) return 0;
    const unsigned char *at = (const unsigned char *)text;
    const int bytes = ct_text_character(at);
    return bytes > 0 && ct_text_moves(at, bytes) ? 0 : bytes;
}

static void ct_text_add_escaped(ct_text *text, unsigned char c)
{
    static const char plain[] = "\"\\\n\t\r\b\f", escaped[] = "\"\\ntrbf";
    const char *place = strchr(plain, c);
    if (place != NULL)
        ct_text_add(text, "\\%c", escaped[place - plain]);
    else if (c < 0x20)
        ct_text_add(text, "\\u%04x", c);
    else
        ct_text_add(text, "%c", c);
}

/* Bytes that are no UTF-8 (a compiler's message may hold any) become the replacement character. */
void ct_text_add_json(ct_text *text, const char *plain)
{
    const unsigned char *at = (const unsigned char *)plain;
    ct_text_add(text, "\"");
    while (*at != '\0') {
        int bytes = ct_text_character(at);
        if (bytes == 0)
            ct_text_add(text, "\\ufffd");
        else if (bytes == 1)
            ct_text_add_escaped(text, *at);
        else
            ct_text_add(text, "%.*s", bytes, (const char *)at);
        at += bytes > 0 ? bytes : 1;
    }
    ct_text_add(text, "\"");
}
