/* expand.c: constants and settings are put into a pipeline by printing it again, so that the rest
 * of core sees plain values and places still come from the user's own text.
 * Room: core/graph. Knows JSON values. Does not know stages or nodes' meaning. */
#include "expand.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "step.h"
#include "suggest.h"
#include "text.h"

enum {
    MOST_KEY = 63, /* letters of a parameter's name */
    MOST_ERRORS = 256,
    MOST_DEPTH = 8,      /* constants inside each other */
    MOST_GROWTH = 16,    /* times the pipeline's own text may become, and ... */
    MOST_GROWN = 1 << 19 /* ... so many bytes more */
};

typedef struct expand {
    ct_text *out;
    const ct_value *constants;
    const char *const *settings;
    ct_source_location location;
    const char *outermost; /* where the pipeline names the constant that is being written out */
    const char *open[MOST_DEPTH]; /* the constants that are being written out */
    int depth;
    bool plain;    /* texts stand for themselves */
    bool escape;   /* so that ct_expand_print reads them */
    bool digest;   /* with the digits that digests were first taken of */
    size_t most;   /* bytes of `out` */
    bool given_up; /* a mistake in a constant is reported once, not for each use */
    ct_error *err;
} expand;

static ct_status print_value(expand *x, const ct_value *value, const char *pointer);

/* The setting for /nodes/NODE/PARAM, or NULL: the text after "NODE.PARAM=". */
static const char *setting_of(const expand *x, const char *pointer)
{
    if (strncmp(pointer, "/nodes/", strlen("/nodes/")) != 0) return NULL;
    const char *path = pointer + strlen("/nodes/");
    if (!strchr(path, '/')) return NULL;
    size_t node = strcspn(path, "/"), all = strlen(path);
    for (const char *const *s = x->settings; s && *s; s++)
        if (strncmp(*s, path, node) == 0 && (*s)[node] == '.' &&
            strncmp(*s + node + 1, path + node + 1, all - node - 1) == 0 && (*s)[all] == '=')
            return *s + all + 1;
    return NULL;
}

static void print_setting(expand *x, const char *given)
{
    ct_value *parsed = NULL;
    ct_text list = {0};
    ct_text_add(&list, "[%s]", given);
    const ct_status status = ct_value_parse(&parsed, list.data, "", NULL);
    if (status == CT_FAILED) ct_text_lacks(x->out, 0);
    if (status == CT_OK && ct_value_count(parsed) == 1)
        ct_text_add(x->out, "%s", given);
    else
        ct_text_add_json(x->out, given);
    ct_value_free(parsed);
    ct_text_end(&list, x->out);
}

static bool is_open(const expand *x, const char *name)
{
    for (int i = 0; i < x->depth; i++)
        if (!strcmp(x->open[i], name)) return true;
    return false;
}

/* Each of a list's constants may hold a list of constants: what that comes to doubles quickly. */
static ct_status give_up(expand *x, const char *place, const char *name)
{
    x->given_up = true;
    if (x->depth >= MOST_DEPTH)
        return ct_error_add(x->err, CT_INVALID,
                            is_open(x, name) ? "%sconstant \"$%s\" refers to itself"
                                             : "%sconstant \"$%s\" stands in a constant in a "
                                               "constant and so on: expected at most %d deep",
                            place, name, MOST_DEPTH);
    return ct_error_add(x->err, CT_INVALID,
                        "%sfound \"$%s\", with which the pipeline has more than %zu bytes once "
                        "constants stand for themselves, expected at most so many",
                        place, name, x->most);
}

static ct_status fail_unknown(expand *x, const char *place, const char *name)
{
    char constants[256] = "";
    size_t used = 0;
    /* Inside another constant it stands for each use of that one; hundreds help nobody. */
    x->given_up = x->depth > 0 || (x->err && x->err->count >= MOST_ERRORS);
    for (size_t i = 0; i < ct_value_count(x->constants) && used < sizeof constants; i++)
        used += (size_t)snprintf(constants + used, sizeof constants - used, "%s%s", i ? ", " : "",
                                 ct_value_key(x->constants, i));
    return ct_error_add(x->err, CT_INVALID, "%sfound \"$%s\", expected one of the constants%s%s",
                        place, name, *constants ? ": " : " (the pipeline has none)", constants);
}

static ct_status print_constant(expand *x, const char *name, const char *pointer)
{
    char place[512];
    ct_source_location location = x->location;
    const ct_value *constant = ct_value_get(x->constants, name);
    if (x->depth == 0) x->outermost = pointer;
    if (constant && x->depth < MOST_DEPTH && x->out->length < x->most) {
        x->open[x->depth++] = name;
        ct_status status = print_value(x, constant, pointer);
        x->depth--;
        return status;
    }
    location.pointer = x->outermost;
    ct_source_location_print(place, sizeof place, &location, NULL, false);
    return constant ? give_up(x, place, name) : fail_unknown(x, place, name);
}

static ct_status print_text(expand *x, const char *text, const char *pointer)
{
    if (!x->plain && text[0] == '$' && text[1] != '$') return print_constant(x, text + 1, pointer);
    ct_text escaped = {0};
    if (x->escape && text[0] == '$') ct_text_add(&escaped, "$%s", text);
    if (escaped.length)
        ct_text_add_json(x->out, escaped.data);
    else
        ct_text_add_json(x->out, !x->plain && text[0] == '$' ? text + 1 : text);
    ct_text_end(&escaped, x->out);
    return CT_OK;
}

/* Members that a setting adds because the node does not have them yet. */
static void print_added(expand *x, const ct_value *node, const char *pointer, bool comma)
{
    if (strncmp(pointer, "/nodes/", strlen("/nodes/")) != 0) return;
    const char *name = pointer + strlen("/nodes/");
    size_t length = strlen(name);
    if (strchr(name, '/')) return;
    for (const char *const *s = x->settings; s && *s; s++) {
        if (strncmp(*s, name, length) != 0 || (*s)[length] != '.') continue;
        const char *param = *s + length + 1, *equal = strchr(param, '=');
        char key[MOST_KEY + 1] = "";
        if (!equal || equal - param > MOST_KEY) continue;
        memcpy(key, param, (size_t)(equal - param));
        if (ct_value_get(node, key)) continue;
        if (comma) ct_text_add(x->out, ",");
        comma = true;
        ct_text_add_json(x->out, key);
        ct_text_add(x->out, ":");
        print_setting(x, equal + 1);
    }
}

/* The text of a setting "+name={...}", which adds a node, or takes the place of one. */
static const char *node_setting(const expand *x, const char *pointer, const char *name)
{
    const size_t length = strlen(name);
    if (strcmp(pointer, "/nodes") != 0) return NULL;
    for (const char *const *s = x->settings; s && *s; s++)
        if ((*s)[0] == '+' && strncmp(*s + 1, name, length) == 0 && (*s)[length + 1] == '=')
            return *s + length + 2;
    return NULL;
}

static bool has_member(const ct_value *object, const char *name, size_t length)
{
    for (size_t i = 0; i < ct_value_count(object); i++) {
        const char *key = ct_value_key(object, i);
        if (strlen(key) == length && strncmp(key, name, length) == 0) return true;
    }
    return false;
}

/* Those that are not in the pipeline. */
static void print_nodes(expand *x, const ct_value *nodes, const char *pointer, bool comma)
{
    if (strcmp(pointer, "/nodes") != 0) return;
    for (const char *const *s = x->settings; s && *s; s++) {
        const char *equal = strchr(*s, '=');
        if ((*s)[0] != '+' || !equal) continue;
        if (has_member(nodes, *s + 1, (size_t)(equal - *s - 1))) continue;
        ct_text_add(x->out, "%s\"%.*s\":%s", comma ? "," : "", (int)(equal - *s - 1), *s + 1,
                    equal + 1);
        comma = true;
    }
}

static ct_status print_member(expand *x, const ct_value *value, const char *pointer)
{
    const char *setting = setting_of(x, pointer);
    if (!x->plain && strcmp(pointer, "/constants") == 0) { /* used up here */
        ct_text_add(x->out, "{}");
        return CT_OK;
    }
    if (!setting) return print_value(x, value, pointer);
    print_setting(x, setting);
    return CT_OK;
}

static ct_status print_list(expand *x, const ct_value *value, const char *pointer, bool object)
{
    ct_status status = CT_OK;
    ct_text_add(x->out, object ? "{" : "[");
    size_t count = ct_value_count(value);
    for (size_t i = 0; i < count && !x->given_up; i++) {
        ct_text path = {0};
        const char *whole = object ? node_setting(x, pointer, ct_value_key(value, i)) : NULL;
        if (i) ct_text_add(x->out, ",");
        if (object) {
            ct_text_add(&path, "%s/%s", pointer, ct_value_key(value, i));
            ct_text_add_json(x->out, ct_value_key(value, i));
            ct_text_add(x->out, ":");
        } else {
            ct_text_add(&path, "%s/%zu", pointer, i);
        }
        if (whole) ct_text_add(x->out, "%s", whole);
        ct_status one = whole ? CT_OK : print_member(x, ct_value_at(value, i), path.data);
        if (status == CT_OK) status = one;
        ct_text_end(&path, x->out);
    }
    if (object) print_added(x, value, pointer, count > 0);
    if (object) print_nodes(x, value, pointer, count > 0);
    ct_text_add(x->out, object ? "}" : "]");
    return status;
}

static void print_real(const expand *x, double real)
{
    char digits[CT_NUMBER_TEXT];
    if (!x->digest) {
        ct_text_add(x->out, "%s", ct_number_shortest(digits, real, true));
        return;
    }
    ct_number_print(digits, sizeof digits, "%.17g", real);
    ct_text_add(x->out, "%s%s", digits, strpbrk(digits, ".eE") ? "" : ".0");
}

static ct_status print_value(expand *x, const ct_value *value, const char *pointer)
{
    switch (ct_value_kind(value)) {
    case CT_NULL:
        ct_text_add(x->out, "null");
        return CT_OK;
    case CT_BOOL:
        ct_text_add(x->out, ct_value_bool(value, false) ? "true" : "false");
        return CT_OK;
    case CT_INT:
        ct_text_add(x->out, "%lld", (long long)ct_value_int(value, 0));
        return CT_OK;
    case CT_REAL:
        print_real(x, ct_value_real(value, 0));
        return CT_OK;
    case CT_TEXT:
        return print_text(x, ct_value_text(value, ""), pointer);
    case CT_LIST:
        return print_list(x, value, pointer, false);
    case CT_OBJECT:
        return print_list(x, value, pointer, true);
    }
    return CT_OK;
}

static bool is_repeated(const char *const *settings, const char *const *which)
{
    const size_t length = strcspn(*which, "=") + 1;
    for (const char *const *s = settings; s != which; s++)
        if (strncmp(*s, *which, length) == 0) return true;
    return false;
}

/* A setting must name a node that there is; its parameter is checked with the others later. */
static ct_status check_settings(const ct_value *root, const char *const *settings, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *nodes = ct_value_get(root, "nodes");
    for (const char *const *s = settings; s && *s; s++) {
        char node[128];
        size_t length = strcspn(*s, ".=");
        const char *equal = strchr(*s, '=');
        if ((*s)[0] == '+' && equal) continue;
        if ((*s)[length] != '.' || !equal || length >= sizeof node ||
            equal - *s - (ptrdiff_t)length > MOST_KEY) {
            status =
                ct_error_add(err, CT_USAGE, "--set: found \"%s\", expected node.param=value", *s);
            continue;
        }
        if (is_repeated(settings, s)) {
            status =
                ct_error_add(err, CT_USAGE, "--set: %.*s is given twice", (int)(equal - *s), *s);
            continue;
        }
        memcpy(node, *s, length);
        node[length] = 0;
        if (ct_value_get(nodes, node)) continue;
        char near[CT_SUGGEST_SAY];
        const char *names[256] = {0};
        for (size_t i = 0; i < ct_value_count(nodes) && i < 255; i++)
            names[i] = ct_value_key(nodes, i);
        status = ct_error_add(err, CT_USAGE, "--set: no node \"%s\" in the pipeline%s", node,
                              ct_suggest_say(near, node, names));
    }
    return status;
}

ct_status ct_expand_print(ct_text *out, const ct_value *root, const char *const *settings,
                          const char *file, const char *text, ct_error *err)
{
    expand x = {.out = out,
                .constants = ct_value_get(root, "constants"),
                .settings = settings,
                .location = {.file = file, .text = text},
                .most = MOST_GROWTH * strlen(text) + MOST_GROWN,
                .err = err};
    ct_status status = CT_OK;
    CT_TRY(check_settings(root, settings, err));
    CT_TRY(print_value(&x, root, ""));
    CT_TRY(ct_text_check(out, err));
out:
    return status;
}

static ct_status print_plain(expand x, const ct_value *value)
{
    ct_status status = CT_OK;
    x.plain = true;
    CT_TRY(print_value(&x, value, ""));
    CT_TRY(ct_text_check(x.out, x.err));
out:
    return status;
}

ct_status ct_expand_value(ct_text *out, const ct_value *value, ct_error *err)
{
    return print_plain((expand){.out = out, .err = err}, value);
}

ct_status ct_expand_escape(ct_text *out, const ct_value *value, ct_error *err)
{
    return print_plain((expand){.out = out, .err = err, .escape = true}, value);
}

ct_status ct_expand_digest(ct_text *out, const ct_value *value, ct_error *err)
{
    return print_plain((expand){.out = out, .err = err, .digest = true}, value);
}
