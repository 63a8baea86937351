/* source_position.c: finds the place of a JSON pointer (RFC 6901) in a text.
 * Room: base. Knows JSON's outer form, just enough to step over values; the text has been parsed
 * before, but a wrong one does no harm. Does not know Jansson, which keeps no places. */
#include "source_position.h"

#include <stdlib.h>
#include <string.h>

static const char *position_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* After the string that starts at its quote. */
static const char *position_skip_string(const char *at)
{
    for (at++; *at != '\0' && *at != '"'; at++)
        if (*at == '\\' && at[1] != '\0') at++;
    return *at == '"' ? at + 1 : at;
}

/* After the value that starts here. */
static const char *position_skip(const char *at)
{
    int depth = 0;
    do {
        if (*at == '"') {
            at = position_skip_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else {
            size_t plain = strcspn(at, " \t\r\n,:{}[]\"");
            at += plain > 0 ? plain : 1;
        }
        if (depth > 0) at += strspn(at, " \t\r\n,:");
    } while (depth > 0 && *at != '\0');
    return at;
}

/* ---------------------------------------------------------------- comparing keys */

static unsigned position_hex(const char *at)
{
    unsigned value = 0;
    for (int i = 0; i < 4 && at[i] != '\0'; i++) {
        char digit[2] = {at[i], '\0'};
        value = value * 16 + (unsigned)strtoul(digit, NULL, 16);
    }
    return value;
}

static void position_utf8(unsigned code, char out[5])
{
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int bytes = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    memset(out, 0, 5);
    for (int i = bytes - 1; i > 0; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(bytes == 1 ? code : lead[bytes] | code);
}

/* One character of a JSON string, unescaped, as UTF-8; returns the place after it. */
static const char *position_letter(const char *at, char out[5])
{
    static const char escapes[] = "bfnrt", meant[] = "\b\f\n\r\t";
    memset(out, 0, 5);
    out[0] = *at;
    if (*at != '\\' || at[1] == '\0') return at + 1;
    const char *escape = strchr(escapes, at[1]);
    out[0] = escape != NULL ? meant[escape - escapes] : at[1];
    if (at[1] != 'u' || strlen(at) < 6) return at + 2;
    unsigned code = position_hex(at + 2);
    at += 6;
    if (code >= 0xd800 && code < 0xdc00 && strncmp(at, "\\u", 2) == 0 && strlen(at) >= 6) {
        code = 0x10000 + ((code - 0xd800) << 10) + (position_hex(at + 2) & 0x3ff);
        at += 6;
    }
    position_utf8(code, out);
    return at;
}

/* Whether the string at this quote is the pointer's next part (which ends at '/' or the end). */
static bool position_same(const char *at, const char *part)
{
    for (at++; *at != '\0' && *at != '"';) {
        char letter[5];
        at = position_letter(at, letter);
        for (int i = 0; letter[i] != '\0'; i++, part++) {
            char want = *part;
            if (want == '~' && (part[1] == '0' || part[1] == '1')) {
                want = part[1] == '0' ? '~' : '/';
                part++;
            } else if (want == '/' || want == '\0') {
                return false;
            }
            if (letter[i] != want) return false;
        }
    }
    return *part == '/' || *part == '\0';
}

/* ---------------------------------------------------------------- stepping down */

/* The member's value, and in *name the place of its key; NULL if there is none. */
static const char *position_member(const char *at, const char *part, const char **name)
{
    at = position_space(at + 1);
    while (*at == '"') {
        const char *value = position_space(position_skip_string(at));
        if (*value != ':') return NULL;
        value = position_space(value + 1);
        *name = at;
        if (position_same(at, part)) return value;
        at = position_space(position_skip(value));
        if (*at == ',') at = position_space(at + 1);
    }
    return NULL;
}

static const char *position_element(const char *at, const char *part)
{
    char *end;
    long index = strtol(part, &end, 10);
    if (end == part || (*end != '/' && *end != '\0') || index < 0) return NULL;
    at = position_space(at + 1);
    for (; index > 0 && *at != '\0' && *at != ']'; index--) {
        at = position_space(position_skip(at));
        if (*at == ',') at = position_space(at + 1);
    }
    return *at != '\0' && *at != ']' ? at : NULL;
}

/* Columns count characters, not bytes. */
static ct_source_position position_at(const char *text, const char *at)
{
    ct_source_position place = {1, 1};
    for (; text < at; text++) {
        if (*text == '\n')
            place = (ct_source_position){place.line + 1, 1};
        else if ((*text & 0xc0) != 0x80)
            place.column++;
    }
    return place;
}

ct_source_position ct_source_position_find(const char *text, const char *pointer, bool key)
{
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* a byte order mark */
    const char *value = position_space(text), *name = value;
    while (*pointer == '/' && value != NULL) {
        const char *part = pointer + 1;
        if (*value == '{') {
            value = position_member(value, part, &name);
        } else {
            value = *value == '[' ? position_element(value, part) : NULL;
            name = value;
        }
        pointer = part + strcspn(part, "/");
    }
    if (value == NULL || *value == '\0' || *pointer != '\0') return (ct_source_position){0, 0};
    return position_at(text, key ? name : value);
}
