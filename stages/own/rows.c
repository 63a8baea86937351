/* rows.c: the keys "tunables", "tiles", "terms" and "cases" of a stage's page.
 * Room: stages/own. Knows the rows' fields as keys. Does not know which values are legal. */
#include "keys.h"

#include <stddef.h>
#include <string.h>

#include "json_text.h"

static const char *name_of(ct_own_reader *reader, const char *pointer)
{
    return ct_arena_copy(reader->arena, strrchr(pointer, '/') + 1);
}

/* ---- tunables */

#define AT(member) offsetof(ct_tunable, member)
static const ct_own_key tunable_keys[] = {{"values", ct_own_words, AT(values), true},
                                          {"cpu", ct_own_words, AT(cpu), false},
                                          {"gpu", ct_own_words, AT(gpu), false},
                                          {"help", ct_own_text, AT(help), false},
                                          {0}};
#undef AT

/* The first value, where no default is given. */
static void take_tunable(ct_own_reader *reader, const ct_value *value, const char *pointer,
                         void *out)
{
    ct_tunable *tunable = out;
    *tunable = (ct_tunable){.help = ""};
    ct_own_keys(reader, value, pointer, tunable_keys, tunable);
    tunable->name = name_of(reader, pointer);
    if (!tunable->values || !*tunable->values) {
        if (tunable->values)
            ct_own_say(reader, ct_own_pointer(reader, pointer, "values"), false,
                       "expected at least one value");
        *tunable = (ct_tunable){tunable->name, "1", "1", "1", ""};
        return;
    }
    const char *first =
        ct_arena_print(reader->arena, "%.*s", (int)strcspn(tunable->values, " "), tunable->values);
    if (!tunable->cpu) tunable->cpu = first;
    if (!tunable->gpu) tunable->gpu = tunable->cpu;
}

void ct_own_tunables(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    *(const ct_tunable **)out =
        ct_own_rows(reader, value, pointer, true, sizeof(ct_tunable), take_tunable);
}

/* ---- tiles */

#define AT(member) offsetof(ct_tile, member)
static const ct_own_key tile_keys[] = {
    {"name", ct_own_text, AT(name), true},         {"port", ct_own_text, AT(port), true},
    {"order", ct_own_text, AT(order), true},       {"extents", ct_own_text, AT(extents), true},
    {"padding", ct_own_words, AT(padding), false}, {"type", ct_own_text, AT(type), true},
    {"when", ct_own_words, AT(when), false},       {0}};
#undef AT

static void take_tile(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    ct_tile *tile = out;
    ct_own_keys(reader, value, pointer, tile_keys, tile);
    if (!tile->name) tile->name = "A"; /* said already */
}

void ct_own_tiles(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    *(const ct_tile **)out = ct_own_rows(reader, value, pointer, false, sizeof(ct_tile), take_tile);
}

/* ---- terms: a name's expression, or that and what it means */

#define AT(member) offsetof(ct_term, member)
static const ct_own_key term_keys[] = {
    {"value", ct_own_text, AT(value), true}, {"help", ct_own_text, AT(help), false}, {0}};
#undef AT

static void take_term(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    ct_term *term = out;
    *term = (ct_term){.value = "1", .help = ""};
    if (ct_value_kind(value) == CT_OBJECT)
        ct_own_keys(reader, value, pointer, term_keys, term);
    else
        ct_own_text(reader, value, pointer, &term->value);
    term->name = name_of(reader, pointer);
}

void ct_own_terms(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    *(const ct_term **)out = ct_own_rows(reader, value, pointer, true, sizeof(ct_term), take_term);
}

/* ---- cases */

static bool is_file(const ct_stage *stage, const char *name)
{
    const ct_param *param = ct_own_param(stage, name);
    return param && param->kind == CT_PARAM_FILE;
}

/* The parameters of a case as JSON; files are beside the page. */
static void take_case_params(ct_own_reader *reader, const ct_value *value, const char *pointer,
                             void *out)
{
    ct_text text = {0};
    if (ct_value_kind(value) != CT_OBJECT) {
        ct_own_say(reader, pointer, false, "expected an object of parameters");
        *(const char **)out = "null";
        return;
    }
    ct_json_open(&text, NULL, '{');
    for (size_t i = 0; i < ct_value_count(value); i++) {
        const char *name = ct_value_key(value, i);
        const ct_value *given = ct_value_at(value, i);
        const char *file = ct_value_text(given, "/");
        if (is_file(reader->stage, name) && *file != '/')
            ct_json_add_text(&text, name,
                             ct_arena_print(reader->arena, "%s%s", reader->folder, file));
        else
            ct_json_add_value(&text, name, given);
    }
    ct_json_close(&text, '}');
    *(const char **)out = ct_arena_copy(reader->arena, text.data);
    if (text.failed) ct_arena_lacks(reader->arena, text.lacks);
    ct_text_free(&text);
}

#define AT(member) offsetof(ct_case, member)
static const ct_own_key case_keys[] = {{"params", take_case_params, AT(params), false},
                                       {"extents", ct_own_text, AT(extents), false},
                                       {"type", ct_own_text, AT(type), false},
                                       {"tunables", ct_own_text, AT(tunables), false},
                                       {"inputs", ct_own_case_arrays, 0, false},
                                       {"outputs", ct_own_case_arrays, 0, false},
                                       {0}};
#undef AT

static void take_case(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    ct_case *one = out;
    const bool given = ct_value_get(value, "inputs") != NULL;
    reader->number++;
    ct_own_keys(reader, value, pointer, case_keys, one);
    if (!given && (!one->extents || !one->type) && ct_value_kind(value) == CT_OBJECT)
        ct_own_say(reader, pointer, true,
                   "expected \"extents\" and \"type\" of the first port, or \"inputs\"");
    if (!one->extents) one->extents = "";
}

void ct_own_cases(ct_own_reader *reader, const ct_value *value, const char *pointer, void *out)
{
    *(const ct_case **)out = ct_own_rows(reader, value, pointer, false, sizeof(ct_case), take_case);
}
