/* stage_check.c: whether a stage's descriptor is one that the library can work with, before any of
 * it is used: descriptors come from programs and files that others write.
 * Room: core/step. Knows the descriptor's grammar. Does not know which stages there are. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "fail.h"
#include "stage_check.h"
#include "step.h"
#include "word.h"

static ct_status fail(const ct_stage *stage, ct_error *err, const char *format, ...)
    CT_PRINTF(3, 4);

static ct_status fail(const ct_stage *stage, ct_error *err, const char *format, ...)
{
    char sentence[1024];
    va_list args;
    va_start(args, format);
    ct_number_print_args(sentence, sizeof sentence, format, args);
    va_end(args);
    return ct_error_add(err, CT_INVALID, "stage %s: %s", stage->name, sentence);
}

static bool is_capitals(const char *name)
{
    if (!isupper((unsigned char)name[0])) return false;
    for (; *name; name++)
        if (!isupper((unsigned char)*name) && !isdigit((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static ct_status check_name(const ct_stage *stage, ct_error *err)
{
    if (!stage->name || !stage->name[0])
        return ct_error_add(err, CT_INVALID, "a stage without a name cannot be added");
    for (const char *at = stage->name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            return ct_error_add(err, CT_INVALID,
                                "a stage's name has letters, digits, '.', '_' and '-'; the %d%s "
                                "character of this one is another",
                                (int)(at - stage->name) + 1, at == stage->name ? "st" : "th");
    return CT_OK;
}

static ct_status check_api(const ct_stage *stage, ct_error *err)
{
    static const ct_stage none;
    if (stage->api < CT_API_OLDEST || stage->api > CT_API)
        return fail(stage, err,
                    "it is written for version %u of cornerturn_stage.h, this library serves %u to "
                    "%u: build the stage anew",
                    (unsigned)stage->api, CT_API_OLDEST, CT_API);
    if (memcmp(stage->reserved, none.reserved, sizeof none.reserved) != 0)
        return fail(stage, err,
                    "its reserved room is not 0; this library, version %s, does not know what is "
                    "there",
                    ct_version());
    return CT_OK;
}

/* ---- ports */

/* How far one dimension of `dims` reaches: "S", "S?", "[BS]", "[BS]?"; 0 where it is none. */
static size_t dims_part(const char *at, char letters[16])
{
    const bool several = at[0] == '[';
    const size_t count = several ? strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") : 1;
    const size_t length = several ? count + 2 : 1;
    if (count == 0 || count > 15 || (several && at[count + 1] != ']')) return 0;
    if (!several && !isupper((unsigned char)at[0])) return 0;
    memcpy(letters, at + several, count);
    letters[count] = 0;
    return length + (at[length] == '?');
}

static ct_status check_dims(const ct_stage *stage, const ct_port *port, ct_error *err)
{
    char seen[64] = "", letters[16];
    int count = 0;
    if (!strcmp(port->dims, "*")) return CT_OK;
    for (const char *at = port->dims; *at; count++) {
        const size_t length = dims_part(at, letters);
        if (length == 0)
            return fail(stage, err,
                        "port %s: dims \"%s\": column %d: expected a capital letter, or several in "
                        "brackets, perhaps with a '?' behind it",
                        port->name, port->dims, (int)(at - port->dims) + 1);
        if (count == CT_DIMS)
            return fail(stage, err, "port %s: dims \"%s\": at most %d dimensions are possible",
                        port->name, port->dims, CT_DIMS);
        if (strpbrk(seen, letters))
            return fail(stage, err, "port %s: dims \"%s\": a letter stands there twice", port->name,
                        port->dims);
        memcpy(seen + strlen(seen), letters, strlen(letters) + 1);
        at += length;
    }
    return CT_OK;
}

int ct_stage_find_port(const ct_stage *stage, const char *name)
{
    for (int i = 0; i < CT_PORTS && stage->ports[i].name; i++)
        if (!strcmp(stage->ports[i].name, name)) return i;
    return -1;
}

static ct_status check_types(const ct_stage *stage, const ct_port *port, ct_error *err)
{
    char word[32];
    if (!strcmp(port->types, "*")) return CT_OK;
    if (port->types[0] == '=' && ct_stage_find_port(stage, port->types + 1) >= 0) return CT_OK;
    for (int n = 0; ct_word_at(port->types, n, word, sizeof word); n++)
        if (ct_type_parse(word) == CT_NONE)
            return fail(stage, err, "port %s: types \"%s\": \"%s\" is no type and no other port",
                        port->name, port->types, word);
    if (!ct_word_at(port->types, 0, word, sizeof word))
        return fail(stage, err, "port %s: types: expected \"*\", \"=PORT\" or types", port->name);
    return CT_OK;
}

static ct_status check_layout(const ct_stage *stage, const ct_port *port, ct_error *err)
{
    const char *layout = port->layout;
    ct_layout parsed;
    if (layout[0] == '=' && ct_stage_find_port(stage, layout + 1) >= 0) return CT_OK;
    const size_t known = strspn(layout, "*ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (layout[0] == 0 || layout[known] != 0)
        return fail(stage, err,
                    "port %s: layout \"%s\": expected letters and '*', or '=' and another port",
                    port->name, layout);
    for (const char *at = layout; *at; at++)
        if (*at != '*' && strchr(at + 1, *at))
            return fail(stage, err, "port %s: layout \"%s\": %c stands there twice", port->name,
                        layout, *at);
    if (port->prefer && ct_layout_parse(&parsed, port->prefer, NULL) != CT_OK)
        return fail(stage, err, "port %s: prefer \"%s\" is no layout", port->name, port->prefer);
    return CT_OK;
}

static ct_status check_port(const ct_stage *stage, int i, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_port *port = &stage->ports[i];
    if (!is_capitals(port->name))
        return fail(stage, err, "port \"%s\": expected a name in capitals, such as \"X\"",
                    port->name);
    if (ct_stage_find_port(stage, port->name) != i)
        return fail(stage, err, "two ports are called %s: rename one of them", port->name);
    if (!port->dims || !port->types || !port->layout)
        return fail(stage, err, "port %s lacks its dims, types or layout", port->name);
    CT_TRY(check_dims(stage, port, err));
    CT_TRY(check_types(stage, port, err));
    CT_TRY(check_layout(stage, port, err));
    const char *wrong = ct_flags_wrong(stage, i);
    if (wrong) return fail(stage, err, "port %s: %s", port->name, wrong);
out:
    return status;
}

static ct_status check_ports(const ct_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    if (!stage->ports[0].name) return fail(stage, err, "it has no ports");
    for (int i = 0; i < CT_PORTS && stage->ports[i].name; i++)
        CT_TRY(check_port(stage, i, err));
out:
    return status;
}

/* A run reads sources and writes sinks through their first port, and asks for no other. */
static ct_status check_role(const ct_stage *stage, ct_error *err)
{
    const ct_role role = ct_role_of_stage(stage);
    const ct_direction first = stage->ports[0].direction;
    if (role == CT_ROLE_KERNEL && first != CT_IN)
        return fail(stage, err, "port %s: the first port of a stage with inputs is an input",
                    stage->ports[0].name);
    if (role == CT_ROLE_KERNEL || !stage->ports[1].name) return CT_OK;
    return fail(stage, err, "port %s: a %s has one port", stage->ports[1].name,
                role == CT_ROLE_SINK ? "sink" : "source");
}

/* ---- parameters and tunables */

static bool is_choice(const ct_param *param, const char *word)
{
    if (param->kind == CT_PARAM_FILE || !param->choices) return true;
    return !word || !strcmp(word, "!") || ct_word_find(param->choices, word) >= 0;
}

static ct_status check_params(const ct_stage *stage, ct_error *err)
{
    int count = 0;
    for (const ct_param *p = stage->params; p && p->name; p++, count++) {
        if (!is_choice(p, p->otherwise))
            return fail(stage, err,
                        "parameter \"%s\": the default \"%s\" is not among the choices: %s",
                        p->name, p->otherwise, p->choices);
        if (p->minimum > p->maximum && p->maximum != 0)
            return fail(stage, err, "parameter \"%s\": at least %.10g and at most %.10g", p->name,
                        p->minimum, p->maximum);
        for (const ct_param *other = stage->params; other < p; other++)
            if (!strcmp(other->name, p->name))
                return fail(stage, err, "two parameters are called \"%s\"", p->name);
    }
    if (count > CT_STEP_PARAMS)
        return fail(stage, err, "%d parameters, at most %d are possible", count, CT_STEP_PARAMS);
    return CT_OK;
}

static bool is_value(const ct_tunable *tunable, const char *word)
{
    return ct_word_find(tunable->values, word) >= 0;
}

static ct_status check_tunable(const ct_stage *stage, const ct_tunable *t, ct_error *err)
{
    if (!is_capitals(t->name) || !t->values || !t->cpu || !t->gpu)
        return fail(stage, err,
                    "tunable \"%s\": expected a name in capitals, values, and defaults for cpu and "
                    "gpu",
                    t->name);
    if (!is_value(t, t->cpu) || !is_value(t, t->gpu))
        return fail(stage, err, "tunable %s: the default %s is not among the values: %s", t->name,
                    is_value(t, t->cpu) ? t->gpu : t->cpu, t->values);
    for (const ct_tunable *other = stage->tunables; other < t; other++)
        if (!strcmp(other->name, t->name))
            return fail(stage, err, "two tunables are called %s: rename one of them", t->name);
    return CT_OK;
}

static ct_status check_tunables(const ct_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    int count = 0;
    for (const ct_tunable *t = stage->tunables; t && t->name; t++, count++)
        CT_TRY(check_tunable(stage, t, err));
    if (count > CT_TUNABLES)
        status = fail(stage, err, "%d tunables, at most %d are possible", count, CT_TUNABLES);
out:
    return status;
}

/* ---- tiles and terms: names that expressions and kernels use */

bool ct_stage_is_identifier(const char *name)
{
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_') return false;
    return true;
}

/* Letters, each once; small ones are inner parts. */
static bool is_order(const char *order)
{
    const size_t length = strlen(order);
    for (size_t i = 0; i < length; i++)
        if (!isalpha((unsigned char)order[i]) || strchr(order + i + 1, order[i])) return false;
    return length > 0 && length <= CT_DIMS;
}

static ct_status check_tile(const ct_stage *stage, const ct_tile *tile, ct_error *err)
{
    if (!ct_stage_is_identifier(tile->name))
        return fail(stage, err, "tile \"%s\": expected a name of letters, digits and _",
                    tile->name);
    if (!tile->port || ct_stage_find_port(stage, tile->port) < 0)
        return fail(stage, err, "tile %s: there is no port %s", tile->name,
                    tile->port ? tile->port : "");
    if (!tile->order || !tile->extents || !tile->type)
        return fail(stage, err, "tile %s lacks its order, extents or type", tile->name);
    if (!is_order(tile->order))
        return fail(stage, err, "tile %s: order \"%s\": expected 1 to %d letters, each once",
                    tile->name, tile->order, CT_DIMS);
    if (!ct_stage_is_identifier(tile->type))
        return fail(stage, err, "tile %s: type \"%s\": expected one such as \"float2\"", tile->name,
                    tile->type);
    return CT_OK;
}

static ct_status check_tiles(const ct_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    for (const ct_tile *tile = stage->tiles; tile && tile->name; tile++)
        CT_TRY(check_tile(stage, tile, err));
out:
    return status;
}

static ct_status check_terms(const ct_stage *stage, ct_error *err)
{
    for (const ct_term *term = stage->terms; term && term->name; term++) {
        if (!ct_stage_is_identifier(term->name))
            return fail(stage, err, "term \"%s\": expected a name of letters, digits and _",
                        term->name);
        if (!term->value) return fail(stage, err, "term %s lacks its value", term->name);
        for (const ct_term *other = stage->terms; other < term; other++)
            if (!strcmp(other->name, term->name))
                return fail(stage, err, "two terms are called %s: rename one of them", term->name);
    }
    return CT_OK;
}

ct_status ct_stage_check(const ct_stage *stage, ct_error *err)
{
    static ct_status (*const checks[])(const ct_stage *, ct_error *) = {
        check_name,     check_api,   check_ports, check_role,         check_params,
        check_tunables, check_tiles, check_terms, ct_stage_check_more};
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < sizeof checks / sizeof checks[0]; i++)
        status = checks[i](stage, err);
    return status;
}

ct_status ct_stage_check_file(const ct_stage *stage, const ct_description *description,
                              ct_error *err)
{
    ct_error why = {0};
    const ct_status status = ct_stage_check(stage, &why);
    if (status == CT_INVALID) return ct_description_fail(description, "", false, err, why.text);
    return status;
}
