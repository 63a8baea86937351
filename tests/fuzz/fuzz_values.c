/* fuzz_values.c: a mutator for inputs that are JSON, or hold some: it changes whole values and
 * keys, so that most of what it makes can still be read. For targets that plain bytes do not lead
 * into. Room: tests/fuzz. Knows JSON's brackets and quotes. Does not know what the values mean. */
#include "fuzz.h"

#include <string.h>

/* libFuzzer's, or the driver's: by bytes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { SPANS = 1024, LONGEST = 8192, DEPTH = 64 };

typedef struct span {
    size_t at, length;
    bool key;
} span;

typedef struct text {
    char *at;
    size_t size, most;
    unsigned chance;
    span spans[SPANS];
    int count;
} text;

static unsigned roll(text *t, unsigned sides)
{
    t->chance = t->chance * 1664525u + 1013904223u;
    return (t->chance >> 8) % sides;
}

/* ---- where the values are */

static size_t string_length(const text *t, size_t at)
{
    size_t end = at + 1;
    while (end < t->size && t->at[end] != '"')
        end += t->at[end] == '\\' ? 2 : 1;
    return (end < t->size ? end + 1 : t->size) - at;
}

static size_t word_length(const text *t, size_t at)
{
    static const char letters[] = "+-.0123456789abcdefghijklmnopqrstuvwxyzE";
    size_t end = at;
    while (end < t->size && t->at[end] && strchr(letters, t->at[end]))
        end++;
    return end - at;
}

static bool is_key(const text *t, size_t behind)
{
    while (behind < t->size && strchr(" \n\r\t", t->at[behind] ? t->at[behind] : 'x'))
        behind++;
    return behind < t->size && t->at[behind] == ':';
}

static span *add_span(text *t, size_t at, size_t length, bool key)
{
    if (t->count == SPANS) return NULL;
    t->spans[t->count] = (span){at, length, key};
    return &t->spans[t->count++];
}

static void find_spans(text *t)
{
    span *open[DEPTH];
    int depth = 0;
    t->count = 0;
    for (size_t at = 0; at < t->size;) {
        const char c = t->at[at];
        size_t length = c == '"' ? string_length(t, at) : word_length(t, at);
        if (length > 0) (void)add_span(t, at, length, c == '"' && is_key(t, at + length));
        if (length == 0 && (c == '{' || c == '[') && depth < DEPTH)
            open[depth++] = add_span(t, at, 1, false);
        if (length == 0 && (c == '}' || c == ']') && depth > 0 && open[--depth])
            open[depth]->length = at + 1 - open[depth]->at;
        at += length > 0 ? length : 1;
    }
}

/* ---- changes */

/* Puts `length` bytes, which may be the text's own, in place of some. */
static void put(text *t, size_t at, size_t old, const char *what, size_t length)
{
    char copy[LONGEST];
    if (length > sizeof copy || t->size - old + length > t->most) return;
    memcpy(copy, what, length);
    memmove(t->at + at + length, t->at + at + old, t->size - at - old);
    memcpy(t->at + at, copy, length);
    t->size += length - old;
}

static const span *some(text *t, bool key)
{
    const int start = (int)roll(t, (unsigned)t->count);
    for (int i = 0; i < t->count; i++) {
        const span *one = &t->spans[(start + i) % t->count];
        if (one->key == key) return one;
    }
    return NULL;
}

static void replace_by_table(text *t)
{
    static const char *const values[] = {"0",
                                         "1",
                                         "-1",
                                         "2",
                                         "3",
                                         "7",
                                         "64",
                                         "2147483648",
                                         "1e-170",
                                         "1e308",
                                         "0.5",
                                         "4096",
                                         "null",
                                         "true",
                                         "false",
                                         "\"\"",
                                         "[]",
                                         "{}",
                                         "[1, 2]",
                                         "1e15",
                                         "-1e300",
                                         "\"T\"",
                                         "\"$a\"",
                                         "\"SPTC\"",
                                         "9223372036854775807",
                                         "\"all\"",
                                         "[[0, 0, 0], [1, 1, 1]]",
                                         "\"a.npy\"",
                                         "65536",
                                         "1e9",
                                         "-9223372036854775808"};
    const span *one = some(t, false);
    const char *value = values[roll(t, sizeof values / sizeof values[0])];
    if (one) put(t, one->at, one->length, value, strlen(value));
}

static void replace_by_other(text *t)
{
    const bool key = roll(t, 4) == 0;
    const span *one = some(t, key), *other = some(t, key);
    if (one && other) put(t, one->at, one->length, t->at + other->at, other->length);
}

/* The element or member, with a comma on either side. */
static void remove_one(text *t)
{
    const span *one = some(t, roll(t, 2));
    if (!one) return;
    size_t at = one->at, end = one->at + one->length;
    while (end < t->size && one->key && !strchr(",}", t->at[end]))
        end++;
    if (end < t->size && t->at[end] == ',')
        end++;
    else
        while (at > 0 && strchr(" \n,", t->at[at - 1]))
            at--;
    put(t, at, end - at, "", 0);
}

static void repeat_one(text *t)
{
    const span *one = some(t, false);
    if (!one) return;
    put(t, one->at + one->length, 0, t->at + one->at, one->length);
    put(t, one->at + one->length, 0, ", ", 2);
}

/* Another member: a key that stands somewhere, and a value. */
static void add_member(text *t)
{
    const span *key = some(t, true), *value = some(t, false), *before = some(t, true);
    if (!key || !value || !before) return;
    const span k = *key, v = *value, b = *before;
    char member[LONGEST];
    const size_t length = k.length + v.length + 4;
    if (length > sizeof member) return;
    memcpy(member, t->at + k.at, k.length);
    memcpy(member + k.length, ": ", 2);
    memcpy(member + k.length + 2, t->at + v.at, v.length);
    memcpy(member + length - 2, ", ", 2);
    put(t, b.at, 0, member, length);
}

static void change_number(text *t)
{
    static const char *const parts[] = {"0", "9", "-", ".5", "e9", "e-9", "1"};
    const span *one = some(t, false);
    const char *part = parts[roll(t, sizeof parts / sizeof parts[0])];
    if (!one || !strchr("-0123456789", t->at[one->at])) return;
    if (roll(t, 2))
        put(t, one->at + (part[0] == '-' ? 0 : one->length), 0, part, strlen(part));
    else
        put(t, one->at + one->length - 1, 1, part, strlen(part));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static void (*const changes[])(text *) = {replace_by_table, replace_by_table, replace_by_other,
                                              remove_one,       repeat_one,       add_member,
                                              change_number,    change_number};
    static text t;
    t = (text){.at = (char *)data, .size = size, .most = most, .chance = seed};
    if (roll(&t, 8) == 0) return LLVMFuzzerMutate(data, size, most);
    for (unsigned times = 1 + roll(&t, roll(&t, 4) ? 2 : 8); times > 0; times--) {
        find_spans(&t);
        if (t.count == 0) return LLVMFuzzerMutate(data, t.size, most);
        changes[roll(&t, sizeof changes / sizeof changes[0])](&t);
    }
    return t.size;
}
