/* value.c: JSON text -> an immutable tree of ct_value, owned by its root.
 * Room: base. Knows Jansson, as no other room does. Does not know what the values mean. */
#include "cornerturn_stage.h"
#include "fail.h"
#include "file.h"
#include "memory.h"

#include <jansson.h>
#include <string.h>

struct ct_value {
    ct_kind kind;
    size_t count;
    const char *key; /* of an object's member */
    const char *text;
    int64_t integer;
    double real;
    ct_value *children;
};

typedef struct ct_root {
    ct_value value; /* the first member, so that a root's address is its value's */
    ct_arena *arena;
} ct_root;

/* ---------------------------------------------------------------- Jansson's tree -> ours */

static void ct_value_convert(ct_value *value, json_t *json, ct_arena *arena);

static void ct_value_convert_list(ct_value *value, const json_t *json, ct_arena *arena)
{
    value->children = ct_arena_get(arena, json_array_size(json) * sizeof *value->children);
    if (value->children != NULL) value->count = json_array_size(json);
    for (size_t i = 0; i < value->count; i++)
        ct_value_convert(&value->children[i], json_array_get(json, i), arena);
}

static void ct_value_convert_object(ct_value *value, json_t *json, ct_arena *arena)
{
    value->children = ct_arena_get(arena, json_object_size(json) * sizeof *value->children);
    if (value->children == NULL) return;
    value->count = json_object_size(json);
    ct_value *child = value->children;
    const char *key;
    json_t *member;
    json_object_foreach(json, key, member)
    {
        ct_value_convert(child, member, arena);
        child->key = ct_arena_copy(arena, key);
        child++;
    }
}

static void ct_value_convert(ct_value *value, json_t *json, ct_arena *arena)
{
    static const ct_kind kinds[] = {
        [JSON_OBJECT] = CT_OBJECT, [JSON_ARRAY] = CT_LIST, [JSON_STRING] = CT_TEXT,
        [JSON_INTEGER] = CT_INT,   [JSON_REAL] = CT_REAL,  [JSON_TRUE] = CT_BOOL,
        [JSON_FALSE] = CT_BOOL,    [JSON_NULL] = CT_NULL};
    value->kind = kinds[json_typeof(json)];
    value->integer = json_is_true(json) ? 1 : json_integer_value(json);
    value->real = json_number_value(json);
    if (json_is_string(json)) value->text = ct_arena_copy(arena, json_string_value(json));
    if (json_is_array(json)) ct_value_convert_list(value, json, arena);
    if (json_is_object(json)) ct_value_convert_object(value, json, arena);
}

/* ---------------------------------------------------------------- errors */

/* Jansson's column counts the characters up to the last one of the token that it names. */
static int ct_value_column(const json_error_t *error)
{
    const char *near = strstr(error->text, " near '");
    int column = error->column, characters = 0;
    if (near == NULL) return column + 1;
    size_t length = strlen(near + 7);
    for (size_t i = 0; i + 1 < length; i++)
        if ((near[7 + i] & 0xc0) != 0x80) characters++;
    return column - characters + 1 > 0 ? column - characters + 1 : 1;
}

/* Jansson's own words but for the table, then where: "near 'x'". */
static ct_status ct_value_fail(ct_error *err, const char *name, const json_error_t *error)
{
    static const struct {
        enum json_error_code code;
        const char *words;
    } table[] = {{json_error_premature_end_of_input, "the text ends too early"},
                 {json_error_end_of_input_expected, "expected the end of the text"},
                 {json_error_duplicate_key, "this key stands twice in one object"},
                 {json_error_numeric_overflow, "this number is too large"},
                 {json_error_stack_overflow, "too many values inside each other"},
                 {json_error_null_character, "a text cannot hold a character of value 0"},
                 {json_error_invalid_utf8, "the text is no UTF-8"}};
    const char *near = strstr(error->text, " near "), *words = error->text;
    if (json_error_code(error) == json_error_out_of_memory)
        return ct_error_add(err, CT_FAILED, "out of memory: %s cannot be read", name);
    int length = near != NULL ? (int)(near - error->text) : (int)strlen(error->text);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (json_error_code(error) != table[i].code) continue;
        words = table[i].words;
        length = (int)strlen(words);
    }
    if (near != NULL && (strcmp(near, " near '/'") == 0 || strcmp(near, " near '#'") == 0))
        return ct_error_add(err, CT_INVALID,
                            "%s:%d:%d: no valid JSON: found '%c', but JSON has no comments: give a "
                            "member \"comment\": \"..\"",
                            name, error->line, ct_value_column(error), near[7]);
    return ct_error_add(err, CT_INVALID, "%s:%d:%d: no valid JSON: %.*s%s", name, error->line,
                        ct_value_column(error), length, words, near != NULL ? near : "");
}

/* ---------------------------------------------------------------- making */

/* Some editors put a byte order mark in front, which is skipped. */
static const char *ct_value_begin(const char *text)
{
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

ct_status ct_value_parse(ct_value **out, const char *text, const char *name, ct_error *err)
{
    CT_GIVEN_OUT(err, out, text, name);
    json_error_t error;
    json_t *json =
        json_loads(ct_value_begin(text), JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (json == NULL) return ct_value_fail(err, name, &error);
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_root *root = ct_arena_begin(&arena, sizeof *root);
    CT_NEED(root, sizeof *root, err);
    root->arena = arena;
    ct_value_convert(&root->value, json, arena);
    CT_TRY(ct_arena_check(arena, err));
    *out = &root->value;
    arena = NULL;
out:
    ct_arena_free(arena);
    json_decref(json);
    return status;
}

ct_status ct_value_load(ct_value **out, const char *file, ct_error *err)
{
    CT_GIVEN_OUT(err, out, file);
    ct_status status = CT_OK;
    char *text = NULL;
    size_t length = 0;
    CT_TRY(ct_file_read(&text, &length, file, err));
    if (strlen(text) != length)
        CT_TRY(ct_error_add(err, CT_INVALID, "%s: expected JSON, found a byte of value 0", file));
    CT_TRY(ct_value_parse(out, text, file, err));
out:
    ct_memory_free(text);
    return status;
}

void ct_value_free(ct_value *root)
{
    if (root != NULL) ct_arena_free(((ct_root *)root)->arena);
}

/* ---------------------------------------------------------------- reading */

ct_kind ct_value_kind(const ct_value *value)
{
    return value != NULL ? value->kind : CT_NULL;
}

size_t ct_value_count(const ct_value *value)
{
    return value != NULL ? value->count : 0;
}

const ct_value *ct_value_at(const ct_value *value, size_t index)
{
    return index < ct_value_count(value) ? &value->children[index] : NULL;
}

const char *ct_value_key(const ct_value *value, size_t index)
{
    const ct_value *child = ct_value_at(value, index);
    return child != NULL ? child->key : NULL;
}

const ct_value *ct_value_get(const ct_value *value, const char *key)
{
    if (!value || !key) return NULL;
    if (ct_value_kind(value) != CT_OBJECT) return NULL;
    for (size_t i = 0; i < value->count; i++)
        if (strcmp(value->children[i].key, key) == 0) return &value->children[i];
    return NULL;
}

bool ct_value_bool(const ct_value *value, bool otherwise)
{
    return ct_value_kind(value) == CT_BOOL ? value->integer != 0 : otherwise;
}

int64_t ct_value_int(const ct_value *value, int64_t otherwise)
{
    return ct_value_kind(value) == CT_INT ? value->integer : otherwise;
}

double ct_value_real(const ct_value *value, double otherwise)
{
    ct_kind kind = ct_value_kind(value);
    return kind == CT_INT || kind == CT_REAL ? value->real : otherwise;
}

const char *ct_value_text(const ct_value *value, const char *otherwise)
{
    return ct_value_kind(value) == CT_TEXT ? value->text : otherwise;
}
