/* stage_check.c: whether a stage's descriptor is one that the library can work with, before any of
 * it is used: descriptors come from programs and files that others write.
 * Room: core/stage. Knows the descriptor's grammar. Does not know which stages there are. */
#include <ctype.h>
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "stage_check_inner.h"
#include "word.h"

/* "port X: ": whom a sentence speaks of, where there is no file that it could point into. */
static void print_subject(char *out, size_t size, const ct_stage_place *at)
{
    static const struct {
        const char *table, *word, *quote;
    } words[] = {{"ports", "port", ""}, {"params", "parameter", "\""}, {"tunables", "tunable", ""},
                 {"tiles", "tile", ""}, {"terms", "term", ""},         {"cases", "case", ""}};
    out[0] = 0;
    for (size_t i = 0; at->table && at->row && i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].table, at->table))
            snprintf(out, size, "%s %s%.100s%s: ", words[i].word, words[i].quote,
                     at->name ? at->name : at->row, words[i].quote);
}

ct_status ct_stage_say(ct_stage_checker *check, ct_stage_place at, const char *format, ...)
{
    char sentence[1024], subject[128], pointer[512];
    va_list args;
    va_start(args, format);
    ct_number_print_args(sentence, sizeof sentence, format, args);
    va_end(args);
    check->status = CT_INVALID;
    print_subject(subject, sizeof subject, &at);
    if (!check->description)
        return ct_error_add(check->err, CT_INVALID, "stage %s: %s%s", check->stage->name, subject,
                            sentence);
    snprintf(pointer, sizeof pointer, "%s%s%s%.100s%s%s", at.table ? "/" : "",
             at.table ? at.table : "", at.row ? "/" : "", at.row ? at.row : "", at.field ? "/" : "",
             at.field ? at.field : "");
    return ct_description_fail(check->description, pointer, false, check->err, sentence);
}

static bool is_capitals(const char *name)
{
    if (!isupper((unsigned char)name[0])) return false;
    for (; *name; name++)
        if (!isupper((unsigned char)*name) && !isdigit((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

/* A name that cannot be printed is not: sentences of a program's stages have no other place. */
static ct_status fail_name(ct_stage_checker *check, const char *sentence)
{
    check->status = CT_INVALID;
    if (check->description)
        return ct_description_fail(check->description, "/stage", false, check->err, sentence);
    return ct_error_add(check->err, CT_INVALID, "%s", sentence);
}

static void check_name(ct_stage_checker *check)
{
    char sentence[160];
    const char *name = check->stage->name;
    const size_t known = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                      "0123456789._-");
    if (!*name) fail_name(check, "a stage without a name cannot be added");
    if (!name[known]) return;
    snprintf(sentence, sizeof sentence,
             "a stage's name has letters, digits, '.', '_' and '-'; character %d of this one is "
             "another",
             (int)known + 1);
    fail_name(check, sentence);
}

static void check_api(ct_stage_checker *check)
{
    const ct_stage *stage = check->stage;
    const unsigned known = CT_STAGE_THREAD | CT_STAGE_LEAVES_OUT | CT_STAGE_MENDS |
                           CT_STAGE_GAPLESS | CT_STAGE_KEEPS_FLAGS;
    if (stage->api < CT_API_OLDEST || stage->api > CT_API)
        ct_stage_say(
            check, (ct_stage_place){0},
            "it is written for version %u of cornerturn_stage.h, this library serves %u to "
            "%u: build the stage anew",
            (unsigned)stage->api, CT_API_OLDEST, CT_API);
    if ((stage->traits & ~(uintptr_t)known) != 0)
        ct_stage_say(check, (ct_stage_place){0},
                     "its traits are %#llx; this library, version %s, knows no more than %#x",
                     (unsigned long long)stage->traits, ct_version(), known);
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

static ct_status check_dims(ct_stage_checker *check, const ct_port *port)
{
    const ct_stage_place place = {"ports", port->name, NULL, "dims"};
    char seen[64] = "", letters[16];
    int count = 0;
    if (!strcmp(port->dims, "*")) return CT_OK;
    for (const char *at = port->dims; *at; count++) {
        const size_t length = dims_part(at, letters);
        if (length == 0)
            return ct_stage_say(check, place,
                                "dims \"%s\": column %d: expected a capital letter, or several in "
                                "brackets, perhaps with a '?' behind it",
                                port->dims, (int)(at - port->dims) + 1);
        if (count == CT_DIMS)
            return ct_stage_say(check, place, "dims \"%s\": at most %d dimensions are possible",
                                port->dims, CT_DIMS);
        if (strpbrk(seen, letters))
            return ct_stage_say(check, place, "dims \"%s\": a letter stands there twice",
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

/* What is called "float32" elsewhere is "f32" here; `out` says so, or is empty. */
static const char *say_type(char out[64], const char *word)
{
    static const char *const names[][2] = {
        {"float", "f"}, {"complex", "cf"}, {"int", "i"}, {"uint", "u"}};
    out[0] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *end, ours[16];
        const size_t length = strlen(names[i][0]);
        if (strncmp(word, names[i][0], length) != 0) continue;
        const long bits = strtol(word + length, &end, 10) / (i == 1 ? 2 : 1);
        snprintf(ours, sizeof ours, "%s%ld", names[i][1], bits % 1000);
        if (end > word + length && *end == 0 && ct_type_parse(ours) != CT_NONE)
            snprintf(out, 64, "; did you mean \"%s\"?", ours);
    }
    return out;
}

static ct_status check_types(ct_stage_checker *check, const ct_port *port)
{
    const ct_stage *stage = check->stage;
    const ct_stage_place place = {"ports", port->name, NULL, "types"};
    char word[32], near[64];
    if (!strcmp(port->types, "*")) return CT_OK;
    if (port->types[0] == '=' && ct_stage_find_port(stage, port->types + 1) >= 0) return CT_OK;
    for (int n = 0; ct_word_at(port->types, n, word, sizeof word); n++)
        if (ct_type_parse(word) == CT_NONE)
            return ct_stage_say(check, place, "types \"%s\": \"%s\" is no type and no other port%s",
                                port->types, word, say_type(near, word));
    if (!ct_word_at(port->types, 0, word, sizeof word))
        return ct_stage_say(check, place, "types: expected \"*\", \"=PORT\" or types");
    return CT_OK;
}

static ct_status check_layout(ct_stage_checker *check, const ct_port *port)
{
    const ct_stage *stage = check->stage;
    const ct_stage_place place = {"ports", port->name, NULL, "layout"};
    const char *layout = port->layout;
    ct_layout parsed;
    if (layout[0] == '=' && ct_stage_find_port(stage, layout + 1) >= 0) return CT_OK;
    const size_t known = strspn(layout, "*ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (layout[0] == 0 || layout[known] != 0)
        return ct_stage_say(check, place,
                            "layout \"%s\": expected letters and '*', or '=' and another port",
                            layout);
    for (const char *at = layout; *at; at++)
        if (*at != '*' && strchr(at + 1, *at))
            return ct_stage_say(check, place, "layout \"%s\": %c stands there twice", layout, *at);
    if (port->prefer && (ct_layout_parse(&parsed, port->prefer, NULL) != CT_OK || parsed.split))
        return ct_stage_say(check, (ct_stage_place){"ports", port->name, NULL, "prefer"},
                            "prefer \"%s\" is no layout", port->prefer);
    return CT_OK;
}

static void check_port(ct_stage_checker *check, int i)
{
    const ct_stage *stage = check->stage;
    const ct_port *port = &stage->ports[i];
    const ct_stage_place place = {"ports", port->name, NULL, NULL};
    if (!is_capitals(port->name))
        ct_stage_say(check, place, "expected a name in capitals, such as \"X\"");
    if (ct_stage_find_port(stage, port->name) != i)
        ct_stage_say(check, place, "two ports are called %s: rename one of them", port->name);
    if (!port->dims || !port->types || !port->layout) {
        ct_stage_say(check, place, "it lacks its dims, types or layout");
        check->broken[i] = true;
        return;
    }
    check->broken[i] = check_dims(check, port) != CT_OK;
    (void)check_types(check, port);
    (void)check_layout(check, port);
    const char *wrong = ct_flags_wrong(stage, i), *sums = ct_accumulate_wrong(stage, i);
    if (wrong) ct_stage_say(check, place, "%s", wrong);
    if (sums) ct_stage_say(check, place, "%s", sums);
}

static void check_ports(ct_stage_checker *check)
{
    const ct_stage *stage = check->stage;
    if (!stage->ports[0].name && !check->description) /* of a file that is reported */
        ct_stage_say(check, (ct_stage_place){"ports", NULL, NULL, NULL}, "it has no ports");
    for (int i = 0; i < CT_PORTS && stage->ports[i].name; i++)
        check_port(check, i);
}

/* A run writes sinks through their first port and shows them the others, in its own thread. */
static void check_sink(ct_stage_checker *check)
{
    const ct_stage *stage = check->stage;
    for (int p = 1; p < CT_PORTS && stage->ports[p].name; p++) {
        const ct_stage_place place = {"ports", stage->ports[p].name, NULL, NULL};
        if (stage->ports[p].direction != CT_IN)
            ct_stage_say(check, place, "a sink has inputs only");
        else if ((stage->traits & CT_STAGE_THREAD) && !ct_port_takes_flags(&stage->ports[p]))
            ct_stage_say(check, place,
                         "a sink with CT_STAGE_THREAD has one port, and one for flags");
    }
}

/* A run reads sources through their first port, and asks for no other. */
static void check_role(ct_stage_checker *check)
{
    const ct_stage *stage = check->stage;
    const ct_role role = ct_role_of_stage(stage);
    if (!stage->ports[0].name) return;
    if (role == CT_ROLE_KERNEL && stage->ports[0].direction != CT_IN)
        ct_stage_say(check, (ct_stage_place){"ports", stage->ports[0].name, NULL, NULL},
                     "the first port of a stage with inputs is an input");
    if (role == CT_ROLE_SINK) check_sink(check);
    if (role == CT_ROLE_SOURCE && stage->ports[1].name)
        ct_stage_say(check, (ct_stage_place){"ports", stage->ports[1].name, NULL, NULL},
                     "a source has one port");
}

/* ---- parameters and tunables */

static bool is_choice(const ct_param *param, const char *word)
{
    if (param->kind == CT_PARAM_FILE || !param->choices) return true;
    return !word || !strcmp(word, "!") || ct_word_find(param->choices, word) >= 0;
}

static void check_param(ct_stage_checker *check, const ct_param *p)
{
    const ct_stage_place place = {"params", p->name, NULL, "default"};
    if (!is_choice(p, p->otherwise))
        ct_stage_say(check, place, "the default \"%s\" is not among the choices: %s", p->otherwise,
                     p->choices);
    if (p->minimum > p->maximum && p->maximum != 0)
        ct_stage_say(check, (ct_stage_place){"params", p->name, NULL, "range"},
                     "at least %.10g and at most %.10g", p->minimum, p->maximum);
    if (ct_param_is_known(ct_step_keys(), p->name))
        ct_stage_say(check, (ct_stage_place){"params", p->name, NULL, NULL},
                     "a node's \"%s\" is no parameter of its stage: choose another name", p->name);
    for (const ct_param *other = check->stage->params; other < p; other++)
        if (!strcmp(other->name, p->name))
            ct_stage_say(check, place, "two parameters are called \"%s\"", p->name);
}

static void check_params(ct_stage_checker *check)
{
    int count = 0;
    for (const ct_param *p = check->stage->params; p && p->name; p++, count++)
        check_param(check, p);
    check->broken_counts = check->broken_counts || count > CT_STEP_PARAMS;
    if (count > CT_STEP_PARAMS)
        ct_stage_say(check, (ct_stage_place){"params", NULL, NULL, NULL},
                     "%d parameters, at most %d are possible", count, CT_STEP_PARAMS);
}

static void check_default(ct_stage_checker *check, const ct_tunable *t, const char *word,
                          const char *field)
{
    if (ct_word_find(t->values, word) < 0)
        ct_stage_say(check, (ct_stage_place){"tunables", t->name, NULL, field},
                     "the default %s is not among the values: %s", word, t->values);
}

/* "4/2" is no number, and kernels see words in names: ENGINE_IS_fftw. */
static void check_values(ct_stage_checker *check, const ct_tunable *t)
{
    char word[64], *end;
    for (int n = 0; ct_word_at(t->values, n, word, sizeof word); n++) {
        const bool number = isdigit((unsigned char)word[0]) || word[0] == '-';
        (void)strtoll(word, &end, 10);
        if (number ? end > word + (word[0] == '-') && *end == 0 : ct_stage_is_identifier(word))
            continue;
        ct_stage_say(check, (ct_stage_place){"tunables", t->name, NULL, "values"},
                     "expected whole numbers, or words of letters, digits and _, found \"%s\"",
                     word);
    }
}

static void check_tunable(ct_stage_checker *check, const ct_tunable *t)
{
    const ct_stage_place place = {"tunables", t->name, NULL, NULL};
    if (!is_capitals(t->name) || !t->values || !t->cpu || !t->gpu) {
        ct_stage_say(check, place,
                     "expected a name in capitals, values, and defaults for cpu and gpu");
        return;
    }
    check_values(check, t);
    check_default(check, t, t->cpu, "cpu");
    if (strcmp(t->cpu, t->gpu) != 0) check_default(check, t, t->gpu, "gpu");
    for (const ct_tunable *other = check->stage->tuning.tunables; other < t; other++)
        if (!strcmp(other->name, t->name))
            ct_stage_say(check, place, "two tunables are called %s: rename one of them", t->name);
}

static void check_tunables(ct_stage_checker *check)
{
    int count = 0;
    for (const ct_tunable *t = check->stage->tuning.tunables; t && t->name; t++, count++)
        check_tunable(check, t);
    check->broken_counts = check->broken_counts || count > CT_TUNABLES;
    if (count > CT_TUNABLES)
        ct_stage_say(check, (ct_stage_place){"tunables", NULL, NULL, NULL},
                     "%d tunables, at most %d are possible", count, CT_TUNABLES);
}

/* A NaN is neither. */
static void check_tolerance(ct_stage_checker *check)
{
    const double tolerance = check->stage->verify.tolerance;
    if (!(tolerance >= 0 && tolerance <= DBL_MAX))
        ct_stage_say(check, (ct_stage_place){"tolerance", NULL, NULL, NULL},
                     "expected a tolerance of at least 0 (0: exact), found %.10g", tolerance);
}

/* A port whose dims are wrong may have any, so that its names do not lack. */
static void make_probe(ct_stage_checker *check)
{
    if (!check->description || check->broken_tiles || check->broken_counts) return;
    check->sound = *check->stage;
    for (int i = 0; i < CT_PORTS && check->sound.ports[i].name; i++)
        if (check->broken[i]) check->sound.ports[i].dims = "*";
    if (ct_step_bare(&check->probe, &check->sound, check->err) != CT_OK) check->status = CT_FAILED;
}

static ct_status check_all(ct_stage_checker *check)
{
    static void (*const checks[])(ct_stage_checker *) = {
        check_name,           check_api,
        check_ports,          check_role,
        check_params,         check_tunables,
        ct_stage_check_tiles, ct_stage_check_terms,
        check_tolerance,      ct_stage_check_more,
        ct_stage_check_split, make_probe,
        ct_stage_check_cases, ct_stage_check_expressions};
    if (!check->stage->name) return fail_name(check, "a stage without a name cannot be added");
    for (size_t i = 0; check->status != CT_FAILED && i < sizeof checks / sizeof checks[0]; i++)
        checks[i](check);
    return check->status;
}

ct_status ct_stage_check(const ct_stage *stage, ct_error *err)
{
    ct_stage_checker check = {.stage = stage, .err = err};
    return check_all(&check);
}

ct_status ct_stage_check_file(const ct_stage *stage, const ct_description *description,
                              ct_error *err)
{
    ct_stage_checker check = {.stage = stage, .description = description, .err = err};
    const ct_status status = check_all(&check);
    ct_step_free(check.probe);
    return status;
}
