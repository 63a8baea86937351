/* stage_cases.c: whether the cases of a stage that is read from a file can be made.
 * Room: core/stage. Knows extents, types and tunables as texts. Does not know how verify tries
 * them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "stage_check_inner.h"
#include "suggest.h"
#include "word.h"

/* "S=3 P=2 T=65" */
static void check_extents(ct_stage_checker *check, ct_stage_place at, const char *text)
{
    char seen[32] = "";
    const char *dims = check->stage->ports[0].dims;
    at.field = "extents";
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        char *end = NULL;
        const bool form = isupper((unsigned char)text[0]) && text[1] == '=';
        const long long extent = form ? strtoll(text + 2, &end, 10) : 0;
        if (!form || end == text + 2 || (*end && *end != ' ') || strlen(seen) > 8) {
            ct_stage_say(check, at, "expected extents such as \"S=3 T=65\", found \"%.20s\"", text);
            return;
        }
        if (extent < 1 || extent > INT32_MAX)
            ct_stage_say(check, at, "%c: expected 1 to %d, found %lld", text[0], INT32_MAX, extent);
        if (strchr(seen, text[0])) ct_stage_say(check, at, "%c stands there twice", text[0]);
        if (!check->broken[0] && strcmp(dims, "*") != 0 && !strchr(dims, text[0]))
            ct_stage_say(check, at, "port %s has no dimension %c (dims \"%s\")",
                         check->stage->ports[0].name, text[0], dims);
        seen[strlen(seen)] = text[0];
        text = end;
    }
}

static void check_type(ct_stage_checker *check, ct_stage_place at, const char *type)
{
    const ct_port *port = &check->stage->ports[0];
    at.field = "type";
    if (ct_type_parse(type) == CT_NONE)
        ct_stage_say(check, at, "\"%.40s\" is no type", type);
    else if (port->types && strcmp(port->types, "*") != 0 && ct_word_find(port->types, type) < 0)
        ct_stage_say(check, at, "port %s takes %s, found %s", port->name, port->types, type);
}

static const ct_tunable *find_tunable(const ct_stage *stage, const char *name)
{
    for (const ct_tunable *t = stage->tuning.tunables; t && t->name; t++)
        if (!strcmp(t->name, name)) return t;
    return NULL;
}

static void say_no_tunable(ct_stage_checker *check, ct_stage_place at, const char *name)
{
    const char *names[CT_TUNABLES + 1] = {NULL};
    char near[CT_SUGGEST_SAY];
    int count = 0;
    for (const ct_tunable *t = check->stage->tuning.tunables; t && t->name && count < CT_TUNABLES;
         t++)
        names[count++] = t->name;
    ct_stage_say(check, at, "there is no tunable \"%s\"%s", name,
                 ct_suggest_say(near, name, names));
}

static void check_word(ct_stage_checker *check, ct_stage_place at, const ct_tunable *tunable,
                       const char *word)
{
    enum { WORDS = 32 };
    char words[WORDS][32], near[CT_SUGGEST_SAY] = "";
    const char *choices[WORDS + 1] = {NULL};
    if (!tunable->values || ct_word_find(tunable->values, word) >= 0) return;
    for (int i = 0; i < WORDS && ct_word_at(tunable->values, i, words[i], sizeof words[i]); i++)
        choices[i] = words[i];
    if (isalpha((unsigned char)word[0])) ct_suggest_say(near, word, choices);
    ct_stage_say(check, at, "%s: expected one of %s, found \"%s\"%s", tunable->name,
                 tunable->values, word, near);
}

/* "TILE_T=4 CELL_B=2" */
static void check_tunables(ct_stage_checker *check, ct_stage_place at, const char *text)
{
    at.field = "tunables";
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        char name[64], word[64];
        const size_t length = strcspn(text, "= "), all = strcspn(text, " ");
        if (text[length] != '=') {
            ct_stage_say(check, at, "expected tunables such as \"WG=4\", found \"%.40s\"", text);
            return;
        }
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        snprintf(word, sizeof word, "%.*s", (int)(all - length - 1), text + length + 1);
        const ct_tunable *tunable = find_tunable(check->stage, name);
        if (tunable)
            check_word(check, at, tunable, word);
        else
            say_no_tunable(check, at, name);
        text += all;
    }
}

/* As a pipeline's node is, with its place in the page. */
static void check_params(ct_stage_checker *check, const char *pointer, const char *text)
{
    ct_status status = CT_OK;
    ct_value *params = NULL;
    const ct_source_location at = ct_source_location_of_case(check->description, pointer);
    CT_TRY(ct_value_parse(&params, text, check->description->file, check->err));
    if (ct_value_kind(params) == CT_OBJECT) /* else it is reported already */
        CT_TRY(ct_param_check_given(check->probe, params, &at, check->err));
out:
    if (status != CT_OK && check->status != CT_FAILED) check->status = status;
    ct_value_free(params);
}

void ct_stage_check_cases(ct_stage_checker *check)
{
    const ct_case *cases = check->stage->verify.cases;
    char row[24], pointer[32];
    const ct_stage_place at = {"cases", row, NULL, NULL};
    if (!check->description || !check->stage->ports[0].name) return;
    for (const ct_case *one = cases; one && one->extents; one++) {
        snprintf(row, sizeof row, "%d", (int)(one - cases));
        snprintf(pointer, sizeof pointer, "/cases/%s", row);
        if (check->probe) check_params(check, pointer, one->params ? one->params : "{}");
        check_extents(check, at, one->extents);
        if (one->type) check_type(check, at, one->type);
        if (one->tunables) check_tunables(check, at, one->tunables);
    }
}
