/* stage_expressions.c: whether the expressions of a stage that is read from a file can be used:
 * each is parsed with the names that a step of it would have, and what depends on no shape has its
 * value. Room: core/step. Knows where a descriptor has expressions. Does not know shapes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "memory.h"
#include "stage_check.h"
#include "step_inner.h"

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

/* CT_INVALID: said. *expr is NULL then. */
static ct_status parse(const looking *look, ct_stage_place at, const char *text, watched *watch,
                       ct_expr **expr)
{
    ct_error why = {0};
    *watch = (watched){.names = ct_step_names(look->probe)};
    const ct_status status = ct_expr_new(expr, text, (ct_names){watch_bind, watch}, &why);
    if (status == CT_FAILED) look->check->status = ct_memory_fail(0, look->check->err);
    if (status == CT_INVALID) ct_stage_say(look->check, at, "%s", why.text);
    return status;
}

static void look_at(const looking *look, ct_stage_place at, const char *text, int64_t least)
{
    watched watch;
    ct_expr *expr = NULL;
    ct_error why = {0};
    int64_t value = 0;
    if (parse(look, at, text, &watch, &expr) != CT_OK) return;
    if (!watch.asked) {
        if (ct_expr_run(expr, look->probe, &value, &why) != CT_OK)
            ct_stage_say(look->check, at, "%s", why.text);
        else if (value < least)
            ct_stage_say(look->check, at, "expected at least %lld, found %lld", (long long)least,
                         (long long)value);
    }
    ct_expr_free(expr);
}

/* ---- where */

/* Whether it holds for any values of the tunables that it names, on a CPU or a GPU. */
static bool can_hold(ct_step *probe, const ct_expr *expr, int tunable)
{
    int64_t value = 0;
    const uint64_t uses = ct_expr_uses(expr);
    while (tunable < ct_step_tunables(probe) && !(uses >> tunable & 1))
        tunable++;
    if (tunable == ct_step_tunables(probe)) {
        for (int gpu = 0; gpu < 2 && value == 0; gpu++) {
            probe->gpu = gpu;
            if (ct_expr_run(expr, probe, &value, NULL) != CT_OK) value = 0;
        }
        return value != 0;
    }
    for (int n = 0; n < ct_step_tunable_count(probe, tunable); n++) {
        probe->tunable[tunable] = ct_step_tunable_value(probe, tunable, n);
        if (can_hold(probe, expr, tunable + 1)) return true;
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
    if (parse(look, at, text, &watch, &expr) != CT_OK) return;
    if (!watch.free && is_short(look->probe, expr) && !can_hold(look->probe, expr, 0))
        ct_stage_say(look->check, at, "%s never holds: of no value of the tunables", text);
    ct_expr_free(expr);
}

static void look_at_where(const looking *look)
{
    const ct_stage *stage = look->check->stage;
    const char *text;
    size_t length;
    for (int n = 0; (text = ct_stage_condition(stage, n, &length)) != NULL; n++) {
        const char *one = ct_arena_print(ct_step_in(look->probe)->arena, "%.*s", (int)length, text);
        look_at_condition(look, one);
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
        look_at(look, at, ct_arena_print(ct_step_in(look->probe)->arena, "%.*s", (int)length, text),
                1);
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
    for (const ct_term *term = stage->terms; term && term->name; term++)
        look_at(look, (ct_stage_place){"terms", term->name, NULL, NULL}, term->value, INT64_MIN);
    for (const ct_tile *tile = stage->tiles; tile && tile->name; tile++)
        look_at_tile(look, tile, (int)(tile - stage->tiles));
}

/* ---- all */

static void look_at_all(const looking *look)
{
    const ct_said *said = look->check->description->expressions;
    for (; said && said->text; said++)
        look_at(look, (ct_stage_place){said->pointer + 1, NULL, NULL, NULL}, said->text,
                said->least);
    look_at_where(look);
    look_at_rows(look);
}

/* A port whose dims are wrong may have any, so that its names do not lack. */
void ct_stage_check_expressions(ct_stage_checker *check)
{
    ct_stage sound = *check->stage;
    looking look = {.check = check};
    if (!check->description || check->broken_tiles || check->broken_tunables) return;
    for (int i = 0; i < CT_PORTS && sound.ports[i].name; i++)
        if (check->broken[i]) sound.ports[i].dims = "*";
    if (ct_step_probe(&look.probe, &sound, check->err) != CT_OK) {
        check->status = CT_FAILED;
        return;
    }
    look_at_all(&look);
    ct_step_free(look.probe);
}
