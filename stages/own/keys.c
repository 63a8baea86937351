/* keys.c: walks a page of JSON by tables of keys, and says every mistake with its place.
 * Room: stages/own. Knows JSON values. Does not know what the keys mean. */
#include "keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "suggest.h"
#include "value_describe.h"

void ct_own_say(ct_own_reader *reader, const char *pointer, bool key, const char *format, ...)
{
    char sentence[1024];
    va_list args;
    va_start(args, format);
    ct_number_print_args(sentence, sizeof sentence, format, args);
    va_end(args);
    (void)ct_description_fail(&reader->own->description, pointer, key, reader->err, sentence);
    reader->wrong = true;
}

/* A key as a part of a JSON pointer: '~' and '/' are escaped. */
const char *ct_own_pointer(ct_own_reader *reader, const char *pointer, const char *key)
{
    ct_text text = {0};
    ct_text_add(&text, "%s/", pointer);
    for (; *key; key++)
        if (*key == '~' || *key == '/')
            ct_text_add(&text, "~%d", *key == '/');
        else
            ct_text_add(&text, "%c", *key);
    const char *copy = ct_arena_copy(reader->arena, text.data);
    if (text.failed) ct_arena_lacks(reader->arena, text.lacks);
    ct_text_free(&text);
    return copy;
}

static void say_expected(ct_own_reader *reader, const ct_value *value, const char *pointer,
                         const char *expected)
{
    char found[CT_VALUE_DESCRIPTION];
    ct_own_say(reader, pointer, false, "expected %s, found %s", expected,
               ct_value_describe(found, value));
}

/* ---- objects */

static bool is_known(const ct_own_key *keys, const char *name)
{
    for (; keys->name; keys++)
        if (!strcmp(keys->name, name)) return true;
    return !strcmp(name, "comment");
}

static void say_unknown(ct_own_reader *reader, const char *pointer, const char *name,
                        const ct_own_key *keys)
{
    const char *names[32] = {NULL};
    char near[CT_SUGGEST_SAY];
    ct_text list = {0};
    for (int i = 0; keys[i].name && i < 31; i++) {
        names[i] = keys[i].name;
        ct_text_add(&list, "%s%s", i ? (keys[i + 1].name ? ", " : " or ") : "", keys[i].name);
    }
    ct_own_say(reader, pointer, true, "unknown key \"%.60s\", expected %s%s", name,
               list.data ? list.data : "", ct_suggest_say(near, name, names));
    ct_text_free(&list);
}

void ct_own_keys(ct_own_reader *reader, const ct_value *value, const char *pointer,
                 const ct_own_key *keys, void *out)
{
    if (ct_value_kind(value) != CT_OBJECT) {
        say_expected(reader, value, pointer, "an object");
        return;
    }
    for (size_t i = 0; i < ct_value_count(value); i++) {
        const char *name = ct_value_key(value, i);
        if (!is_known(keys, name))
            say_unknown(reader, ct_own_pointer(reader, pointer, name), name, keys);
    }
    for (; keys->name; keys++) {
        const ct_value *inner = ct_value_get(value, keys->name);
        if (inner)
            keys->take(reader, inner, ct_own_pointer(reader, pointer, keys->name),
                       (char *)out + keys->at);
        else if (keys->needed)
            ct_own_say(reader, pointer, true, "missing \"%s\"", keys->name);
    }
}

void *ct_own_rows(ct_own_reader *reader, const ct_value *value, const char *pointer, bool named,
                  size_t size, ct_own_take *take)
{
    const size_t count = ct_value_count(value);
    char *rows = ct_arena_get(reader->arena, (count + 1) * size);
    if (ct_value_kind(value) != (named ? CT_OBJECT : CT_LIST)) {
        say_expected(reader, value, pointer, named ? "an object" : "a list");
        return rows;
    }
    for (size_t i = 0; rows && i < count; i++) {
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        const char *key = named ? ct_value_key(value, i) : number;
        take(reader, ct_value_at(value, i), ct_own_pointer(reader, pointer, key), rows + i * size);
    }
    return rows;
}

/* ---- single values */

void ct_own_text(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    const char *text = ct_value_text(value, NULL);
    if (text)
        *(const char **)out = ct_arena_copy(reader->arena, text);
    else
        say_expected(reader, value, pointer, "a text");
}

void ct_own_expect(ct_own_reader *reader, ct_said said)
{
    if (reader->said_count + 1 >= reader->said_room) {
        const int room = 2 * reader->said_room + 16;
        ct_said *more = ct_arena_get(reader->arena, (size_t)room * sizeof *more);
        if (!more) return; /* the arena knows */
        if (reader->said) memcpy(more, reader->said, (size_t)reader->said_count * sizeof *more);
        reader->said = more;
        reader->said_room = room;
    }
    reader->said[reader->said_count++] = said;
}

void ct_own_number(ct_own_reader *reader, const ct_value *value, const char *pointer,
                   const char **out, ct_said_kind kind, int64_t least)
{
    const char *text = ct_value_text(value, NULL);
    if (!text && ct_value_kind(value) != CT_INT) {
        say_expected(reader, value, pointer, "an expression or a whole number");
        return;
    }
    *out = text ? ct_arena_copy(reader->arena, text)
                : ct_arena_print(reader->arena, "%lld", (long long)ct_value_int(value, 0));
    ct_own_expect(reader, (ct_said){pointer, *out, least, kind});
}

void ct_own_expression(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    ct_own_number(reader, value, pointer, out, CT_SAID_SHAPE, INT64_MIN);
}

void ct_own_parallel(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    const char **text = out;
    ct_own_text(reader, value, pointer, out);
    if (*text) ct_own_expect(reader, (ct_said){pointer, *text, 1, CT_SAID_PARALLEL});
}

static void add_word(ct_own_reader *reader, const ct_value *value, const char *pointer,
                     ct_text *words)
{
    const char *text = ct_value_text(value, NULL), *blank = words->length ? " " : "";
    if (text && *text && !strpbrk(text, " \t\n"))
        ct_text_add(words, "%s%s", blank, text);
    else if (ct_value_kind(value) == CT_INT)
        ct_text_add(words, "%s%lld", blank, (long long)ct_value_int(value, 0));
    else
        say_expected(reader, value, pointer, "a word or a whole number");
}

void ct_own_words(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    ct_text words = {0};
    if (ct_value_kind(value) == CT_TEXT) {
        ct_own_text(reader, value, pointer, out);
        return;
    }
    if (ct_value_kind(value) == CT_LIST)
        for (size_t i = 0; i < ct_value_count(value); i++) {
            char number[24];
            snprintf(number, sizeof number, "%zu", i);
            add_word(reader, ct_value_at(value, i), ct_own_pointer(reader, pointer, number),
                     &words);
        }
    else
        add_word(reader, value, pointer, &words);
    *(const char **)out = ct_arena_copy(reader->arena, words.data ? words.data : "");
    if (words.failed) ct_arena_lacks(reader->arena, words.lacks);
    ct_text_free(&words);
}

void ct_own_bool(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    if (ct_value_kind(value) == CT_BOOL)
        *(bool *)out = ct_value_bool(value, false);
    else
        say_expected(reader, value, pointer, "true or false");
}

void ct_own_int(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    if (ct_value_kind(value) == CT_INT)
        *(int64_t *)out = ct_value_int(value, 0);
    else
        say_expected(reader, value, pointer, "a whole number");
}

void ct_own_real(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    if (ct_value_kind(value) == CT_INT || ct_value_kind(value) == CT_REAL)
        *(double *)out = ct_value_real(value, 0);
    else
        say_expected(reader, value, pointer, "a number");
}

int ct_own_choice(ct_own_reader *reader, const ct_value *value, const char *pointer,
                  const char *const *words)
{
    const char *text = ct_value_text(value, NULL);
    char expected[128] = "", found[CT_VALUE_DESCRIPTION], near[CT_SUGGEST_SAY] = "";
    for (int i = 0; words[i]; i++)
        if (text && !strcmp(text, words[i])) return i;
    for (int i = 0; words[i]; i++) {
        const size_t length = strlen(expected);
        snprintf(expected + length, sizeof expected - length, "%s\"%s\"",
                 i == 0         ? ""
                 : words[i + 1] ? ", "
                                : " or ",
                 words[i]);
    }
    if (text) ct_suggest_say(near, text, words);
    ct_own_say(reader, pointer, false, "expected %s, found %s%s", expected,
               ct_value_describe(found, value), near);
    return -1;
}
