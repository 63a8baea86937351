/* param.c: what the user gave for a stage's parameters: checked once, then read by the stage.
 * Room: core/step. Knows ct_param and JSON values. Does not know what a parameter means. */
#include "fail.h"
#include "step_inner.h"
#include "suggest.h"
#include "text.h"
#include "value_describe.h"
#include "word.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PARAM_GIVEN(otherwise) ((otherwise) && strcmp((otherwise), "!") != 0)

const ct_param *ct_param_find(const ct_stage *stage, const char *name, int *place)
{
    const ct_param *param = stage->params;
    for (int i = 0; param && param->name; param++, i++)
        if (!strcmp(param->name, name)) {
            if (place) *place = i;
            return param;
        }
    return NULL;
}

static bool param_is_bounded(const ct_param *param)
{
    return param->minimum != 0 || param->maximum != 0;
}

/* "a positive integer", "a number from 0 to 1", "true or false" */
static void param_expected(char *out, size_t size, const ct_param *param)
{
    static const char *const words[] = {"an integer", "a number",      "true or false",
                                        "a text",     "a file's name", "a value"};
    const char *word = words[param->kind];
    bool number = param->kind == CT_PARAM_INT || param->kind == CT_PARAM_REAL;
    if (!number || !param_is_bounded(param))
        snprintf(out, size, "%s", word);
    else if (param->kind == CT_PARAM_INT && param->minimum == 1 && param->maximum <= 1)
        snprintf(out, size, "a positive integer");
    else if (param->maximum > param->minimum)
        ct_number_print(out, size, "%s from %.10g to %.10g", word, param->minimum, param->maximum);
    else
        ct_number_print(out, size, "%s of at least %.10g", word, param->minimum);
}

static bool param_kind_fits(const ct_param *param, const ct_value *value)
{
    ct_kind kind = ct_value_kind(value);
    switch (param->kind) {
    case CT_PARAM_INT:
        return kind == CT_INT;
    case CT_PARAM_REAL:
        return kind == CT_INT || kind == CT_REAL;
    case CT_PARAM_BOOL:
        return kind == CT_BOOL;
    case CT_PARAM_TEXT:
        return kind == CT_TEXT;
    case CT_PARAM_FILE:
        return kind == CT_TEXT && *ct_value_text(value, "");
    case CT_PARAM_ANY:
        break;
    }
    return true;
}

/* maximum <= minimum stands for "no upper bound" */
static bool param_range_fits(const ct_param *param, const ct_value *value)
{
    double number = ct_value_real(value, 0);
    bool is_number = param->kind == CT_PARAM_INT || param->kind == CT_PARAM_REAL;
    if (!is_number || !param_is_bounded(param)) return true;
    return number >= param->minimum &&
           (param->maximum <= param->minimum || number <= param->maximum);
}

/* "none, mean or sum" */
static void param_list(char *out, size_t size, const char *words)
{
    char word[64], next[64];
    size_t length = 0;
    out[0] = 0;
    for (int i = 0; ct_word_at(words, i, word, sizeof word); i++) {
        bool last = !ct_word_at(words, i + 1, next, sizeof next);
        const char *join = i == 0 ? "" : last ? " or " : ", ";
        if (length < size)
            length += (size_t)snprintf(out + length, size - length, "%s\"%s\"", join, word);
    }
}

static ct_status param_fail_choice(const ct_step *step, const ct_param *param, const char *text,
                                   ct_error *err)
{
    char words[16][64], list[512], near[CT_SUGGEST_SAY];
    const char *choices[17] = {NULL};
    for (int i = 0; i < 16 && ct_word_at(param->choices, i, words[i], sizeof words[i]); i++)
        choices[i] = words[i];
    param_list(list, sizeof list, param->choices);
    return ct_step_fail(step, param->name, err, "expected %s, found \"%s\"%s", list, text,
                        ct_suggest_say(near, text, choices));
}

static ct_status param_check_one(const ct_step *step, const ct_param *param, const ct_value *value,
                                 ct_error *err)
{
    char expected[128], found[CT_VALUE_DESCRIPTION];
    const char *text = ct_value_text(value, NULL);
    if (!param_kind_fits(param, value) || !param_range_fits(param, value)) {
        if (param->choices && param->kind != CT_PARAM_FILE && !text)
            param_list(expected, sizeof expected, param->choices);
        else
            param_expected(expected, sizeof expected, param);
        return ct_step_fail(step, param->name, err, "expected %s, found %s", expected,
                            ct_value_describe(found, value));
    }
    if (param->choices && param->kind != CT_PARAM_FILE && text &&
        ct_word_find(param->choices, text) < 0)
        return param_fail_choice(step, param, text, err);
    return CT_OK;
}

const char *const *ct_step_keys(void)
{
    static const char *const keys[] = {"stage",    "input",   "layout", "fuse",
                                       "tunables", "comment", NULL};
    return keys;
}

bool ct_param_is_known(const char *const *known, const char *key)
{
    for (; known && *known; known++)
        if (!strcmp(*known, key)) return true;
    return false;
}

static ct_status param_fail_unknown(const ct_step *step, const char *key, const char *const *known,
                                    ct_error *err)
{
    char where[768], near[CT_SUGGEST_SAY];
    const char *choices[CT_STEP_PARAMS + 17] = {NULL};
    const ct_source_location *location = &ct_step_in(step)->location;
    int count = 0;
    for (const ct_param *p = step->stage->params; p && p->name; p++)
        choices[count++] = p->name;
    for (int i = 0; i < 16 && known && known[i]; i++)
        choices[count++] = known[i];
    ct_source_location_print(where, sizeof where, location, key, true);
    for (const ct_tunable *t = step->stage->tuning.tunables; t && t->name; t++)
        if (strcasecmp(t->name, key) == 0)
            return ct_error_add(err, CT_INVALID,
                                "%s%s has no parameter \"%s\"; the tunable is pinned by "
                                "\"tunables\": {\"%s\": ...}",
                                where, step->stage->name, key, t->name);
    return ct_error_add(err, CT_INVALID, "%s%s has no parameter \"%s\"%s", where, step->stage->name,
                        key, ct_suggest_say(near, key, choices));
}

static ct_status param_check_keys(const ct_step *step, const char *const *known, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *given = ct_step_in(step)->given;
    for (size_t i = 0; i < ct_value_count(given); i++) {
        const char *key = ct_value_key(given, i);
        if (!ct_param_is_known(known, key) && !ct_param_find(step->stage, key, NULL))
            status = param_fail_unknown(step, key, known, err);
    }
    return status;
}

/* A list or object as a default is written as JSON in the descriptor. */
ct_status ct_param_defaults(ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    ct_step_inner *inner = ct_step_in(step);
    const ct_param *param = step->stage->params;
    for (int i = 0; param && param->name; param++, i++)
        if (param->kind == CT_PARAM_ANY && PARAM_GIVEN(param->otherwise))
            CT_TRY(ct_value_parse(&inner->otherwise[i], param->otherwise, step->stage->name, err));
out:
    return status;
}

ct_status ct_param_check(ct_step *step, const char *const *known, ct_error *err)
{
    const ct_value *given = ct_step_in(step)->given;
    ct_status status = param_check_keys(step, known, err);
    for (const ct_param *p = step->stage->params; p && p->name; p++) {
        const ct_value *value = ct_value_get(given, p->name);
        ct_status one = CT_OK;
        if (value)
            one = param_check_one(step, p, value, err);
        else if (p->otherwise && !strcmp(p->otherwise, "!"))
            one = ct_step_fail(step, NULL, err, "\"%s\" is missing: %s", p->name,
                               p->help ? p->help : "it must be given");
        if (one != CT_OK) status = one;
    }
    return status;
}

ct_status ct_param_check_given(ct_step *step, const ct_value *given,
                               const ct_source_location *location, ct_error *err)
{
    ct_step_inner *inner = ct_step_in(step);
    inner->location = *location;
    inner->given = given;
    const ct_status status = ct_param_check(step, NULL, err);
    inner->given = NULL;
    inner->location = (ct_source_location){0};
    return status;
}

/* The user's value of a declared parameter; `*otherwise` becomes the default, NULL where none. */
static const ct_value *param_get(const ct_step *step, const char *name, const char **otherwise)
{
    const ct_param *param = ct_param_find(step->stage, name, NULL);
    *otherwise = NULL;
    if (!param) ct_step_complain(step, "parameter", name);
    if (!param) return NULL;
    *otherwise = PARAM_GIVEN(param->otherwise) ? param->otherwise : NULL;
    return ct_value_get(ct_step_in(step)->given, name);
}

int64_t ct_step_int(const ct_step *step, const char *param)
{
    if (!step || !param) return 0;
    const char *otherwise;
    const ct_value *value = param_get(step, param, &otherwise);
    return value ? ct_value_int(value, 0) : otherwise ? strtoll(otherwise, NULL, 10) : 0;
}

double ct_step_real(const ct_step *step, const char *param)
{
    if (!step || !param) return 0;
    const char *otherwise;
    const ct_value *value = param_get(step, param, &otherwise);
    return value ? ct_value_real(value, 0) : otherwise ? ct_number_read(otherwise, NULL) : 0;
}

bool ct_step_bool(const ct_step *step, const char *param)
{
    if (!step || !param) return false;
    const char *otherwise;
    const ct_value *value = param_get(step, param, &otherwise);
    return value ? ct_value_bool(value, false)
                 : otherwise && (!strcmp(otherwise, "true") || !strcmp(otherwise, "1"));
}

const char *ct_step_text(const ct_step *step, const char *param)
{
    if (!step || !param) return NULL;
    const char *otherwise;
    const ct_value *value = param_get(step, param, &otherwise);
    return value ? ct_value_text(value, NULL) : otherwise;
}

int ct_step_choice(const ct_step *step, const char *param)
{
    if (!step || !param) return -1;
    const char *text = ct_step_text(step, param);
    return text ? ct_word_find(ct_param_find(step->stage, param, NULL)->choices, text) : -1;
}

const ct_value *ct_step_value(const ct_step *step, const char *param)
{
    if (!step || !param) return NULL;
    const char *otherwise;
    int place = 0;
    const ct_value *value = param_get(step, param, &otherwise);
    ct_param_find(step->stage, param, &place);
    return value ? value : ct_step_in(step)->otherwise[place];
}

/* What "-" means, as elsewhere; NULL: a file of this name. */
static const char *standard(const ct_step *step, const char *file)
{
    if (!file || strcmp(file, "-") != 0) return NULL;
    return ct_role_of(step) == CT_ROLE_SOURCE ? "/dev/stdin"
           : ct_role_of(step) == CT_ROLE_SINK ? "/dev/stdout"
                                              : NULL;
}

const char *ct_step_path(const ct_step *step, const char *param)
{
    if (!step || !param) return NULL;
    const char *file = ct_step_text(step, param);
    const char *folder = ct_step_in(step)->location.folder;
    if (standard(step, file)) return standard(step, file);
    if (!file || file[0] == '/' || !folder || !folder[0]) return file;
    return ct_arena_print(ct_step_in(step)->arena, "%s/%s", folder, file);
}

const char *ct_step_resolve(ct_step *step, const char *file)
{
    if (!step || !file) return "";
    const char *folder = ct_step_in(step)->location.folder;
    if (file[0] == '/' || !folder || !folder[0]) return file;
    return ct_arena_print(ct_step_in(step)->arena, "%s/%s", folder, file);
}
