/* emit_tiles.c: evaluates the expressions of a stage's tiles.
 * Room: core/emit. Knows ct_tile. Does not know how a tile is moved: that is layouts/tile.h. */
#include "emit_inner.h"
#include "expr.h"
#include "fail.h"
#include "tile.h"
#include <stdio.h>
#include <string.h>

/* A tunable that the stage may declare for its tiles. */
static int64_t tiles_tunable(const ct_step *step, const char *name, int64_t otherwise)
{
    for (int i = 0; i < ct_step_tunables(step); i++)
        if (!strcmp(step->stage->tuning.tunables[i].name, name)) return step->tunable[i];
    return otherwise;
}

static ct_status tiles_extents(const ct_step *step, const ct_tile *tile, ct_box *box, ct_error *err)
{
    ct_status status = CT_OK;
    const char *at = tile->extents;
    const size_t letters = strlen(tile->order);
    if (letters == 0 || letters > CT_DIMS)
        return ct_error_add(err, CT_INVALID,
                            "stage %s: tile %s: order \"%s\": expected 1 to %d letters",
                            step->stage->name, tile->name, tile->order, CT_DIMS);
    for (int i = 0; tile->order[i]; i++) {
        char expression[512];
        size_t length = ct_expr_until(at, ",");
        if (length == 0 || length >= sizeof expression)
            return ct_error_add(err, CT_INVALID,
                                "stage %s: tile %s: extents \"%s\": expected one expression for "
                                "each letter of %s",
                                step->stage->name, tile->name, tile->extents, tile->order);
        memcpy(expression, at, length);
        expression[length] = 0;
        CT_TRY(ct_step_evaluate(step, expression, &box->extent[i], err));
        if (box->extent[i] < 1)
            return ct_error_add(err, CT_INVALID,
                                "stage %s: tile %s: extent %s is %lld, expected at "
                                "least 1",
                                step->stage->name, tile->name, expression,
                                (long long)box->extent[i]);
        at += length + (at[length] == ',');
    }
out:
    return status;
}

/* "8", or "S:8": after which letter's runs, and how much. */
static ct_status tiles_padding(const ct_step *step, const ct_tile *tile, ct_box *box, ct_error *err)
{
    const char *expression = tile->padding;
    if (!expression) return CT_OK;
    if (expression[0] && expression[1] == ':') {
        box->padded = expression[0];
        expression += 2;
    }
    return ct_step_evaluate(step, expression, &box->padding, err);
}

static ct_status tiles_emit_one(ct_text *text, const ct_step *step, const ct_tile *tile,
                                int64_t group, ct_error *err)
{
    ct_status status = CT_OK;
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    int64_t wanted = 1;
    int port = ct_step_find_port(step, tile->port);
    ct_box box = {.name = tile->name, .order = tile->order, .type = tile->type};
    if (port < 0)
        return ct_error_add(err, CT_INVALID, "stage %s: tile %s: there is no port %s",
                            step->stage->name, tile->name, tile->port);
    if (step->port[port].type == CT_NONE) return CT_OK;
    if (tile->when) CT_TRY(ct_step_evaluate(step, tile->when, &wanted, err));
    if (!wanted) return CT_OK;
    box.access = ct_emit_access(step, port, letters, aliases);
    CT_TRY(tiles_extents(step, tile, &box, err));
    CT_TRY(tiles_padding(step, tile, &box, err));
    box.group = (int)group;
    box.vector = (int)tiles_tunable(step, "VECTOR_BYTES", step->gpu ? 0 : 64);
    box.nontemporal = (int)tiles_tunable(step, "NONTEMPORAL", 0);
    box.prefetch = (int)tiles_tunable(step, "PREFETCH", 0);
    CT_TRY(ct_tile_emit(text, &box, err));
out:
    return status;
}

ct_status ct_emit_tiles(ct_text *text, const ct_step *step, int64_t group, ct_error *err)
{
    ct_status status = CT_OK;
    for (const ct_tile *tile = step->stage->kernel.tiles; tile && tile->name; tile++)
        CT_TRY(tiles_emit_one(text, step, tile, group, err));
out:
    return status;
}
