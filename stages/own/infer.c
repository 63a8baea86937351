/* infer.c: the shapes of an own stage's ports: its page's rules, overlap, extents and groups.
 * Room: stages/own. Knows the page and its step. Does not know other steps. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "own.h"

ct_status ct_own_value(ct_step *step, const char *pointer, const char *expression, int64_t least,
                       int64_t *out, ct_error *err)
{
    ct_error why = {0};
    char place[1024];
    const ct_status status = ct_step_evaluate(step, expression, out, &why);
    if (status == CT_FAILED) return status;
    if (status == CT_OK && *out >= least) return CT_OK;
    ct_description_place(place, sizeof place, &ct_own_of(step)->description, pointer, false);
    if (status != CT_OK) return ct_step_fail(step, NULL, err, "%s: %s", place, why.text);
    return ct_step_fail(step, NULL, err, "%s: %s is %lld here, expected at least %lld", place,
                        expression, (long long)*out, (long long)least);
}

/* ---- require */

static ct_status fail_rule(const ct_step *step, const ct_own_rule *rule, ct_error *err)
{
    char number[32] = "";
    const ct_value *value = rule->param ? ct_step_value(step, rule->param) : NULL;
    if (ct_value_kind(value) == CT_INT)
        snprintf(number, sizeof number, ", found %lld", (long long)ct_value_int(value, 0));
    return ct_step_fail(step, rule->param && value ? rule->param : NULL, err, "%s%s%s%s (%s)",
                        rule->param && !value ? rule->param : "", rule->param && !value ? " " : "",
                        rule->say, number, rule->that);
}

/* What names outputs is looked at when these have their shapes. */
static ct_status check_rules(ct_step *step, bool last, ct_error *err)
{
    ct_status status = CT_OK;
    for (const ct_own_rule *rule = ct_own_of(step)->rules; rule && rule->that; rule++) {
        int64_t holds = 1;
        ct_error none = {0};
        const ct_status one = ct_step_evaluate(step, rule->that, &holds, &none);
        if (one == CT_FAILED) return one;
        if (one == CT_OK && !holds) status = fail_rule(step, rule, err);
        if (one == CT_INVALID && last)
            status = ct_own_value(step, rule->pointer, rule->that, 0, &holds, err);
    }
    return status;
}

/* ---- extents */

static const ct_own_amount *find_amount(const ct_own_amount *amounts, char letter)
{
    for (; amounts && amounts->letter; amounts++)
        if (amounts->letter == letter) return amounts;
    return NULL;
}

/* Tables and scratch have what their letters are elsewhere in the step, inputs first. */
static int64_t find_extent(const ct_step *step, char letter)
{
    const ct_port *ports = step->stage->ports;
    for (int i = 0; i < CT_PORTS && ports[i].name; i++)
        if (ports[i].direction == CT_IN && ct_array_find(&step->port[i], letter) >= 0)
            return ct_array_extent(&step->port[i], letter);
    return 0;
}

static void seed(ct_step *step, int port)
{
    const ct_port *declared = &step->stage->ports[port];
    ct_array *array = &step->port[port];
    const bool any = !strcmp(declared->dims, "*");
    if (declared->direction == CT_OUT) return; /* the library has */
    for (const char *at = any ? step->port[0].dim : declared->dims; *at; at++) {
        const int64_t extent = strchr("[]?", *at) ? 0 : find_extent(step, *at);
        if (extent > 0) ct_array_set(array, *at, extent);
    }
}

static ct_status set_extents(ct_step *step, int port, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_own_amount *amount = ct_own_of(step)->port[port].extents;
    for (; amount && amount->letter; amount++) {
        int64_t extent = 1;
        CT_TRY(ct_own_value(step, amount->pointer, amount->value, 1, &extent, err));
        ct_array_set(&step->port[port], amount->letter, extent);
        if (step->stage->ports[port].direction != CT_OUT) continue;
        if (extent == ct_array_extent(&step->port[0], amount->letter)) continue;
        CT_TRY(ct_own_group(step, port, amount->letter, 0));
    }
out:
    return status;
}

/* ---- groups */

static ct_status fail_group(ct_step *step, const ct_own_amount *amount, int64_t n, int64_t extent,
                            ct_error *err)
{
    char place[1024];
    ct_description_place(place, sizeof place, &ct_own_of(step)->description, amount->pointer,
                         false);
    return ct_step_fail(step, NULL, err,
                        "%s: %s is %lld here, expected at most the input's %lld along %c", place,
                        amount->value, (long long)n, (long long)extent, amount->letter);
}

/* The input's own letter where the port says "[BS]" and the page B. */
static char letter_of(const ct_step *step, char letter)
{
    const ct_array *input = &step->port[0];
    const char *at = strchr(step->stage->ports[0].dims, letter);
    while (at && at > step->stage->ports[0].dims && isupper((unsigned char)at[-1]))
        at--;
    if (!at || ct_array_find(input, letter) >= 0 || at == step->stage->ports[0].dims ||
        at[-1] != '[')
        return letter;
    for (; isupper((unsigned char)*at); at++)
        if (ct_array_find(input, *at) >= 0) return *at;
    return letter;
}

static ct_status set_group(ct_step *step, int port, const ct_own_amount *amount, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t n = 1;
    ct_array *array = &step->port[port];
    const char letter = letter_of(step, amount->letter);
    const int64_t extent = ct_array_extent(&step->port[0], letter);
    if (ct_array_find(&step->port[0], letter) < 0) return CT_OK; /* it is optional */
    CT_TRY(ct_own_value(step, amount->pointer, amount->value, 1, &n, err));
    if (letter != 'T') {
        if (n > extent) CT_TRY(fail_group(step, amount, n, extent, err));
        ct_array_set(array, letter, extent / n);
    }
    if (step->stage->ports[port].direction != CT_OUT) {
        if (letter == 'T') ct_array_set(array, 'T', extent / n);
        return CT_OK;
    }
    CT_TRY(ct_own_group(step, port, letter, n));
out:
    return status;
}

/* Samples of the input for one of this output. */
static ct_status find_decimate(ct_step *step, int port, int64_t *n, ct_error *err)
{
    const ct_own_amount *amount = find_amount(ct_own_of(step)->port[port].group, 'T');
    *n = 1;
    return amount ? ct_own_value(step, amount->pointer, amount->value, 1, n, err) : CT_OK;
}

/* All outputs that have samples must have as many. */
static ct_status set_decimate(ct_step *step, int port, int *first, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_port *ports = step->stage->ports;
    int64_t n = 1;
    if (ct_array_find(&step->port[port], 'T') < 0) return CT_OK;
    CT_TRY(find_decimate(step, port, &n, err));
    if (*first >= 0 && n != step->decimate)
        return ct_step_fail(step, NULL, err,
                            "the outputs of a stage have the same samples: of port %s each stands "
                            "for %lld of the input, of port %s for %lld",
                            ports[*first].name, (long long)step->decimate, ports[port].name,
                            (long long)n);
    if (*first < 0) *first = port;
    step->decimate = n;
out:
    return status;
}

/* A channel's frequency is the band's centre where there are no channels any more; trials go. */
static ct_status drop_letters(ct_step *step, int port)
{
    ct_status status = CT_OK;
    static const char letters[] = "CD";
    for (const char *letter = letters; *letter; letter++) {
        const int64_t extent = ct_array_extent(&step->port[0], *letter);
        const bool gone = ct_array_find(&step->port[0], *letter) >= 0 &&
                          ct_array_find(&step->port[port], *letter) < 0;
        if (gone) CT_TRY(ct_own_group(step, port, *letter, *letter == 'C' ? extent : 0));
    }
out:
    return status;
}

/* {"cf32": "ci8", "f32": "i8"} */
static ct_status set_type(ct_step *step, int port, ct_error *err)
{
    const ct_own_type *type = ct_own_of(step)->port[port].types;
    const ct_type from = step->port[0].type;
    for (; type && type->from != CT_NONE; type++)
        if (type->from == from) step->port[port].type = type->to;
    if (!ct_own_of(step)->port[port].types || step->port[port].type != CT_NONE) return CT_OK;
    return ct_step_fail(step, "input", err, "stage %s does not say which type %s has for %s",
                        step->stage->name, step->stage->ports[port].name, ct_type_name(from));
}

static ct_status shape_port(ct_step *step, int port, int *first, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_own_amount *amount = ct_own_of(step)->port[port].group;
    seed(step, port);
    CT_TRY(set_extents(step, port, err));
    for (; amount && amount->letter; amount++)
        CT_TRY(set_group(step, port, amount, err));
    if (step->stage->ports[port].direction != CT_OUT) return CT_OK;
    CT_TRY(set_type(step, port, err));
    CT_TRY(set_decimate(step, port, first, err));
    CT_TRY(drop_letters(step, port));
out:
    return status;
}

static ct_status shape_blocks(ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_own *own = ct_own_of(step);
    step->overlap_kind = own->overlap_kind;
    if (own->overlap) CT_TRY(ct_own_value(step, "/overlap", own->overlap, 0, &step->overlap, err));
    if (own->grain) CT_TRY(ct_own_value(step, "/grain", own->grain, 1, &step->grain, err));
out:
    return status;
}

ct_status ct_own_infer(ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    int first = -1;
    const ct_port *ports = step->stage->ports;
    CT_TRY(check_rules(step, false, err));
    for (int i = 0; i < CT_PORTS && ports[i].name; i++)
        if (ports[i].direction == CT_TABLE && ct_own_of(step)->port[i].from)
            CT_TRY(ct_own_table_infer(step, i, err));
    for (int i = 0; i < CT_PORTS && ports[i].name; i++)
        if (ports[i].direction != CT_IN && !ct_own_of(step)->port[i].from)
            CT_TRY(shape_port(step, i, &first, err));
    CT_TRY(shape_blocks(step, err));
    CT_TRY(check_rules(step, true, err));
out:
    return status;
}

/* Who plans a step has seen to it that there is a value. */
double ct_own_flops(const ct_step *step)
{
    int64_t flops = 0;
    return ct_step_evaluate(step, ct_own_of(step)->flops, &flops, NULL) == CT_OK ? (double)flops
                                                                                 : 0.0;
}
