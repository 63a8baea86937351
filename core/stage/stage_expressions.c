/* stage_expressions.c: whether the expressions of a stage that is read from a file can be used:
 * each is parsed with the names that a step of it would have, and what depends on no shape has its
 * value. Room: core/stage. Knows where a descriptor has expressions. Does not know shapes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "parallel.h"
#include "stage_check_inner.h"

/* A step's names, and whether one of them was asked that shapes or parameters decide. */
typedef struct watched {
    ct_names names;
    bool asked, free; /* any name at all; one that is no tunable */
} watched;

static bool watch_bind(const void *of, const char *name, ct_slot *slot, const char **text)
{
    watched *watch = (watched *)of;
    const bool known = watch->names.bind(watch->names.of, name, slot, text);
    watch->asked = true;
    if (known && !*text && slot->uses == 0 && strcmp(name, "GPU") != 0) watch->free = true;
    return known;
}

typedef struct looking {
    ct_stage_checker *check;
    ct_step *probe;
} looking;

/* CT_INVALID: reported. *expr is NULL then. */
static ct_status parse(const looking *look, ct_stage_place at, const char *prefix, const char *text,
                       watched *watch, ct_expr **expr)
{
    ct_error why = {0};
    *watch = (watched){.names = ct_step_names(look->probe)};
    const ct_status status = ct_expr_new(expr, text, (ct_names){watch_bind, watch}, &why);
    if (status == CT_FAILED) look->check->status = ct_memory_fail(0, look->check->err);
    if (status == CT_INVALID) ct_stage_say(look->check, at, "%s%s", prefix, why.text);
    return status;
}

/* What it is worth, where no name decides that. */
static ct_status check_value(const ct_expr *expr, const ct_step *probe, int64_t least,
                             ct_error *why)
{
    ct_status status = CT_OK;
    int64_t value = 0;
    CT_TRY(ct_expr_run(expr, probe, &value, why));
    if (value < least)
        status = ct_error_add(why, CT_INVALID, "expected at least %lld, found %lld",
                              (long long)least, (long long)value);
out:
    return status;
}

static ct_status check_no_tunables(const ct_expr *expr, const ct_step *probe, ct_error *why)
{
    int first = 0;
    if (ct_expr_uses(expr) == 0) return CT_OK;
    while (!(ct_expr_uses(expr) >> first & 1))
        first++;
    return ct_error_add(why, CT_INVALID,
                        "it names the tunable %s, but has its value before tunables are chosen; "
                        "conditions of tunables stand in \"where\"",
                        probe->stage->tuning.tunables[first].name);
}

/* prefix: what the sentences begin with. */
static void look_at_kind(const looking *look, ct_stage_place at, const char *prefix,
                         const ct_said *said)
{
    watched watch;
    ct_expr *expr = NULL;
    ct_error why = {0};
    ct_status status = CT_OK;
    if (parse(look, at, prefix, said->text, &watch, &expr) != CT_OK) return;
    CT_TRY(ct_expr_check(expr, &why));
    if (said->kind <= CT_SAID_COUNT) CT_TRY(check_no_tunables(expr, look->probe, &why));
    if (!watch.asked) CT_TRY(check_value(expr, look->probe, said->least, &why));
out:
    if (status != CT_OK) ct_stage_say(look->check, at, "%s%s", prefix, why.text);
    ct_expr_free(expr);
}

static void look_at(const looking *look, ct_stage_place at, const char *text, int64_t least)
{
    look_at_kind(look, at, "", &(ct_said){NULL, text, least, CT_SAID_SIZE});
}

/* ---- where */

/* Whether it holds for any values of the tunables that it names, on a CPU or a GPU; *why: where it
 * has no value for some. */
static bool can_hold(ct_step *probe, const ct_expr *expr, int tunable, ct_error *why)
{
    int64_t value = 0;
    const uint64_t uses = ct_expr_uses(expr);
    while (tunable < ct_step_tunables(probe) && !(uses >> tunable & 1))
        tunable++;
    if (tunable == ct_step_tunables(probe)) {
        for (int gpu = 0; gpu < 2 && value == 0; gpu++) {
            probe->gpu = gpu;
            if (ct_expr_run(expr, probe, &value, why->count ? NULL : why) != CT_OK) value = 0;
        }
        return value != 0;
    }
    for (int n = 0; n < ct_step_tunable_count(probe, tunable); n++) {
        probe->tunable[tunable] = ct_step_tunable_value(probe, tunable, n);
        if (can_hold(probe, expr, tunable + 1, why)) return true;
    }
    return false;
}

/* So many combinations are tried at most: a condition names a few tunables. */
static bool is_short(const ct_step *probe, const ct_expr *expr)
{
    double count = 1;
    for (int t = 0; t < ct_step_tunables(probe); t++)
        if (ct_expr_uses(expr) >> t & 1) count *= ct_step_tunable_count(probe, t);
    return count < 1e5;
}

static void look_at_condition(const looking *look, const char *text)
{
    const ct_stage_place at = {"where", NULL, NULL, NULL};
    watched watch;
    ct_expr *expr = NULL;
    ct_error why = {0};
    if (parse(look, at, "", text, &watch, &expr) != CT_OK) return;
    if (ct_expr_check(expr, &why) != CT_OK)
        ct_stage_say(look->check, at, "%s", why.text);
    else if (!watch.free && is_short(look->probe, expr) && !can_hold(look->probe, expr, 0, &why))
        ct_stage_say(look->check, at, "%s never holds: of no value of the tunables%s%s", text,
                     why.count ? "; " : "", why.text);
    ct_expr_free(expr);
}

static const char *copy(const looking *look, const char *text, size_t length)
{
    char *out = ct_step_alloc(look->probe, length + 1);
    return out ? memcpy(out, text, length) : NULL;
}

static void look_at_where(const looking *look)
{
    const ct_stage *stage = look->check->stage;
    const char *text;
    size_t length;
    for (int n = 0; (text = ct_stage_condition(stage, n, &length)) != NULL; n++) {
        look_at_condition(look, copy(look, text, length));
    }
}

/* ---- tiles and terms */

/* "TILE_T, N_P": one for each letter of the order. */
static void look_at_extents(const looking *look, ct_stage_place at, const ct_tile *tile)
{
    const char *text = tile->extents;
    size_t count = 0;
    at.field = "extents";
    for (;; count++) {
        const size_t length = ct_expr_until(text, ",");
        look_at(look, at, copy(look, text, length), 1);
        if (!text[length]) break;
        text += length + 1;
    }
    if (count + 1 != strlen(tile->order))
        ct_stage_say(look->check, at, "expected an extent for each letter of \"%s\", found %zu",
                     tile->order, count + 1);
}

static void look_at_tile(const looking *look, const ct_tile *tile, int n)
{
    char row[24];
    ct_stage_place at = {"tiles", row, tile->name, NULL};
    snprintf(row, sizeof row, "%d", n);
    look_at_extents(look, at, tile);
    at.field = "padding";
    if (tile->padding) {
        const bool named = isalpha((unsigned char)tile->padding[0]) && tile->padding[1] == ':';
        look_at(look, at, tile->padding + (named ? 2 : 0), 0);
    }
    at.field = "when";
    if (tile->when) look_at(look, at, tile->when, INT64_MIN);
}

static void look_at_rows(const looking *look)
{
    const ct_stage *stage = look->check->stage;
    for (const ct_term *term = stage->tuning.terms; term && term->name; term++)
        look_at(look, (ct_stage_place){"terms", term->name, NULL, NULL}, term->value, INT64_MIN);
    for (const ct_tile *tile = stage->kernel.tiles; tile && tile->name; tile++)
        look_at_tile(look, tile, (int)(tile - stage->kernel.tiles));
}

/* ---- parallel */

static void look_at_item(const looking *look, ct_stage_place at, const ct_parallel_item *item)
{
    char expression[CT_PARALLEL_EXPRESSION], column[32];
    snprintf(column, sizeof column, "column %d: ", item->column);
    if (item->letter && !ct_port_any_has(look->probe, item->letter))
        ct_stage_say(look->check, at, "column %d: no port has a dimension %c", item->letter_column,
                     item->letter);
    if (item->length == 0) return;
    ct_parallel_expression(expression, item);
    look_at_kind(look, at, column, &(ct_said){NULL, expression, 1, CT_SAID_SIZE});
}

static void look_at_parallel(const looking *look, ct_stage_place at, const char *text)
{
    ct_parallel parsed;
    ct_error why = {0};
    const ct_status status = ct_parallel_parse(&parsed, text, &why);
    for (int i = 0; i < parsed.count; i++)
        look_at_item(look, at, &parsed.item[i]);
    if (status != CT_OK) ct_stage_say(look->check, at, "%s", why.text);
}

/* ---- all */

static void look_at_all(const looking *look)
{
    const ct_said *said = look->check->description->expressions;
    for (; said && said->text; said++) {
        const ct_stage_place at = {said->pointer + 1, NULL, NULL, NULL};
        if (said->kind == CT_SAID_PARALLEL)
            look_at_parallel(look, at, said->text);
        else
            look_at_kind(look, at, "", said);
    }
    look_at_where(look);
    look_at_rows(look);
}

void ct_stage_check_expressions(ct_stage_checker *check)
{
    const looking look = {.check = check, .probe = check->probe};
    if (check->probe) look_at_all(&look);
}
