/* stage_cases.c: whether the cases of a stage that is read from a file can be made.
 * Room: core/step. Knows extents, types and tunables as texts. Does not know how verify tries them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stage_check.h"
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

static const ct_tunable *find_tunable(const ct_stage *stage, const char *name, size_t length)
{
    for (const ct_tunable *t = stage->tunables; t && t->name; t++)
        if (strlen(t->name) == length && !strncmp(t->name, name, length)) return t;
    return NULL;
}

/* "TILE_T=4 CELL_B=2" */
static void check_tunables(ct_stage_checker *check, ct_stage_place at, const char *text)
{
    at.field = "tunables";
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const size_t name = strcspn(text, "= ");
        if (text[name] != '=') {
            ct_stage_say(check, at, "expected tunables such as \"WG=4\", found \"%.40s\"", text);
            return;
        }
        if (!find_tunable(check->stage, text, name))
            ct_stage_say(check, at, "there is no tunable \"%.*s\"", (int)name, text);
        text += strcspn(text, " ");
    }
}

void ct_stage_check_cases(ct_stage_checker *check)
{
    const ct_case *cases = check->stage->cases;
    char row[24];
    const ct_stage_place at = {"cases", row, NULL, NULL};
    if (!check->description || !check->stage->ports[0].name) return;
    for (const ct_case *one = cases; one && one->extents; one++) {
        snprintf(row, sizeof row, "%d", (int)(one - cases));
        check_extents(check, at, one->extents);
        if (one->type) check_type(check, at, one->type);
        if (one->tunables) check_tunables(check, at, one->tunables);
    }
}
