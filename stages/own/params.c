/* params.c: the keys "params" and "require" of a stage's page.
 * Room: stages/own. Knows ct_param's fields as keys. Does not know what a parameter means. */
#include "keys.h"

#include <stddef.h>
#include <string.h>

#include "value_describe.h"

typedef struct own_param_row {
    ct_param param;
    int kind;
    const ct_value *otherwise;
    const char *otherwise_at;
    bool needed;
} own_param_row;

static const char *const kinds[] = {
    [CT_PARAM_INT] = "integer", [CT_PARAM_REAL] = "real", [CT_PARAM_BOOL] = "bool",
    [CT_PARAM_TEXT] = "text",   [CT_PARAM_FILE] = "file", [CT_PARAM_FILE + 1] = NULL};

static void take_kind(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    *(int *)out = ct_own_choice(reader, value, pointer, kinds);
}

/* Its kind is known only when all keys are read. */
static void take_default(ct_own_reader *reader, const ct_value *value, const char *pointer,
                         void *out)
{
    (void)reader;
    own_param_row *row = (own_param_row *)((char *)out - offsetof(own_param_row, otherwise));
    row->otherwise = value;
    row->otherwise_at = pointer;
}

static void take_range(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    double *range = out;
    double ends[2] = {0};
    const bool pair = ct_value_kind(value) == CT_LIST && ct_value_count(value) == 2;
    for (size_t i = 0; pair && i < 2; i++) {
        const ct_kind kind = ct_value_kind(ct_value_at(value, i));
        ends[i] = ct_value_real(ct_value_at(value, i), 0);
        if (kind != CT_INT && kind != CT_REAL) ends[1] = ends[0] = 0;
    }
    if (!pair || ends[0] >= ends[1])
        ct_own_say(reader, pointer, false,
                   "expected the least and the greatest, such as [1, 4096]");
    else
        memcpy(range, ends, sizeof ends);
}

#define AT(member) offsetof(own_param_row, member)
static const ct_own_key param_keys[] = {{"kind", take_kind, AT(kind), true},
                                        {"default", take_default, AT(otherwise), false},
                                        {"range", take_range, AT(param.minimum), false},
                                        {"choices", ct_own_words, AT(param.choices), false},
                                        {"needed", ct_own_bool, AT(needed), false},
                                        {"help", ct_own_text, AT(param.help), false},
                                        {0}};
#undef AT
_Static_assert(offsetof(ct_param, maximum) == offsetof(ct_param, minimum) + sizeof(double),
               "a range is two numbers in a row");

static bool fits(int kind, const ct_value *value)
{
    const ct_kind found = ct_value_kind(value);
    if (kind == CT_PARAM_INT) return found == CT_INT;
    if (kind == CT_PARAM_REAL) return found == CT_INT || found == CT_REAL;
    if (kind == CT_PARAM_BOOL) return found == CT_BOOL;
    return found == CT_TEXT;
}

/* As a descriptor has it: a text. */
static const char *print_default(ct_own_reader *reader, const ct_value *value)
{
    switch (ct_value_kind(value)) {
    case CT_INT:
        return ct_arena_print(reader->arena, "%lld", (long long)ct_value_int(value, 0));
    case CT_REAL:
        return ct_arena_print(reader->arena, "%.17g", ct_value_real(value, 0));
    case CT_BOOL:
        return ct_value_bool(value, false) ? "true" : "false";
    default:
        return ct_arena_copy(reader->arena, ct_value_text(value, ""));
    }
}

static void take_otherwise(ct_own_reader *reader, own_param_row *row)
{
    const double number = ct_value_real(row->otherwise, 0);
    const ct_param *param = &row->param;
    char found[CT_VALUE_DESCRIPTION];
    ct_value_describe(found, row->otherwise);
    if (row->needed)
        ct_own_say(reader, row->otherwise_at, true,
                   "expected either \"needed\": true or a default, found both");
    if (row->kind >= 0 && !fits(row->kind, row->otherwise))
        ct_own_say(reader, row->otherwise_at, false, "expected a default of kind \"%s\", found %s",
                   kinds[row->kind], found);
    else if (param->minimum < param->maximum &&
             !(number >= param->minimum && number <= param->maximum))
        ct_own_say(reader, row->otherwise_at, false,
                   "expected a default from %.10g to %.10g, found %s", param->minimum,
                   param->maximum, found);
    else
        row->param.otherwise = print_default(reader, row->otherwise);
}

const ct_param *ct_own_param(const ct_stage *stage, const char *name)
{
    for (const ct_param *p = stage->params; p && p->name; p++)
        if (!strcmp(p->name, name)) return p;
    return NULL;
}

static void take_param(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    own_param_row row = {.kind = -1};
    ct_own_keys(reader, value, pointer, param_keys, &row);
    row.param.kind = row.kind < 0 ? CT_PARAM_INT : (ct_param_kind)row.kind;
    const bool numbers = row.kind == CT_PARAM_INT || row.kind == CT_PARAM_REAL;
    if (row.kind >= 0 && !numbers && row.param.minimum < row.param.maximum)
        ct_own_say(reader, ct_own_pointer(reader, pointer, "range"), true,
                   "only numbers have a range");
    if (row.kind >= 0 && row.kind != CT_PARAM_TEXT && row.param.choices) {
        ct_own_say(reader, ct_own_pointer(reader, pointer, "choices"), true,
                   "only texts have choices");
        row.param.choices = NULL;
    }
    if (row.needed) row.param.otherwise = "!";
    if (row.otherwise) take_otherwise(reader, &row);
    row.param.name = ct_arena_copy(reader->arena, strrchr(pointer, '/') + 1);
    if (strspn(row.param.name, "abcdefghijklmnopqrstuvwxyz0123456789_") != strlen(row.param.name))
        ct_own_say(reader, pointer, true,
                   "expected a name of small letters, digits and _: the kernel sees it as P_NAME");
    *(ct_param *)out = row.param;
}

void ct_own_params(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    *(const ct_param **)out =
        ct_own_rows(reader, value, pointer, true, sizeof(ct_param), take_param);
}

/* ---- require */

#define AT(member) offsetof(ct_own_rule, member)
static const ct_own_key rule_keys[] = {{"that", ct_own_expression, AT(that), true},
                                       {"param", ct_own_text, AT(param), false},
                                       {"say", ct_own_text, AT(say), true},
                                       {0}};
#undef AT

static void take_rule(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    ct_own_rule *rule = out;
    *rule = (ct_own_rule){.that = "1", .say = "", .pointer = pointer};
    ct_own_keys(reader, value, pointer, rule_keys, rule);
}

void ct_own_rules(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    *(const ct_own_rule **)out =
        ct_own_rows(reader, value, pointer, false, sizeof(ct_own_rule), take_rule);
}
