/* json_text.c: JSON written member by member.
 * Room: base. Knows JSON's punctuation. Does not know what is written. */
#include "json_text.h"
#include "cornerturn_stage.h"

#include <inttypes.h>

/* What comes before a member: a comma but for the first, a line for each object in a list, the key.
 */
static void json_begin(ct_text *json, const char *key, char bracket)
{
    const char last = json->length > 0 ? json->data[json->length - 1] : '[';
    const bool first = last == '{' || last == '[';
    if (!first) ct_text_add(json, ",");
    if (bracket && json->length > 0)
        ct_text_add(json, "\n");
    else if (!first)
        ct_text_add(json, " ");
    if (!key) return;
    ct_text_add_json(json, key);
    ct_text_add(json, ": ");
}

void ct_json_open(ct_text *json, const char *key, char bracket)
{
    json_begin(json, key, bracket);
    ct_text_add(json, "%c", bracket);
}

void ct_json_close(ct_text *json, char bracket)
{
    ct_text_add(json, "%c", bracket);
}

void ct_json_add_text(ct_text *json, const char *key, const char *value)
{
    json_begin(json, key, 0);
    if (value)
        ct_text_add_json(json, value);
    else
        ct_text_add(json, "null");
}

void ct_json_add_int(ct_text *json, const char *key, int64_t value)
{
    json_begin(json, key, 0);
    ct_text_add(json, "%" PRId64, value);
}

void ct_json_add_real(ct_text *json, const char *key, double value)
{
    char text[CT_NUMBER_TEXT];
    json_begin(json, key, 0);
    ct_text_add(json, "%s", ct_number_shortest(text, value, false));
}

void ct_json_add_bool(ct_text *json, const char *key, bool value)
{
    json_begin(json, key, 0);
    ct_text_add(json, value ? "true" : "false");
}

static void json_add_several(ct_text *json, const char *key, const ct_value *value, bool object)
{
    ct_json_open(json, key, object ? '{' : '[');
    for (size_t i = 0; i < ct_value_count(value); i++)
        ct_json_add_value(json, object ? ct_value_key(value, i) : NULL, ct_value_at(value, i));
    ct_json_close(json, object ? '}' : ']');
}

/* A real number stays real, even if it is whole. */
void ct_json_add_value(ct_text *json, const char *key, const ct_value *value)
{
    char text[CT_NUMBER_TEXT];
    switch (ct_value_kind(value)) {
    case CT_NULL:
        ct_json_add_text(json, key, NULL);
        break;
    case CT_BOOL:
        ct_json_add_bool(json, key, ct_value_bool(value, false));
        break;
    case CT_INT:
        ct_json_add_int(json, key, ct_value_int(value, 0));
        break;
    case CT_REAL:
        json_begin(json, key, 0);
        ct_text_add(json, "%s", ct_number_shortest(text, ct_value_real(value, 0), true));
        break;
    case CT_TEXT:
        ct_json_add_text(json, key, ct_value_text(value, ""));
        break;
    case CT_LIST:
    case CT_OBJECT:
        json_add_several(json, key, value, ct_value_kind(value) == CT_OBJECT);
    }
}

void ct_json_one_line(char *text)
{
    for (; text && *text; text++)
        if (*text == '\n') *text = ' ';
}
