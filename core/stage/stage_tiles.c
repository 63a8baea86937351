/* stage_tiles.c: whether a stage's tiles and terms fit the rest of its descriptor: their names are
 * used by expressions and kernels. Room: core/stage. Knows the descriptor's grammar. Does not know
 * what expressions are worth. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "stage_check_inner.h"

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

static void check_tile(ct_stage_checker *check, const ct_tile *tile)
{
    char row[24];
    const ct_stage *stage = check->stage;
    snprintf(row, sizeof row, "%d", (int)(tile - stage->kernel.tiles));
    ct_stage_place place = {"tiles", row, tile->name, NULL};
    if (!ct_stage_is_identifier(tile->name))
        ct_stage_say(check, place, "expected a name of letters, digits and _, found \"%.60s\"",
                     tile->name);
    if (!tile->port || ct_stage_find_port(stage, tile->port) < 0)
        ct_stage_say(check, place, "there is no port %s", tile->port ? tile->port : "");
    if (!tile->order || !tile->extents || !tile->type) {
        ct_stage_say(check, place, "it lacks its order, extents or type");
        return;
    }
    place.field = "order";
    if (!is_order(tile->order))
        ct_stage_say(check, place, "order \"%s\": expected 1 to %d letters, each once", tile->order,
                     CT_DIMS);
    place.field = "type";
    if (!ct_stage_is_identifier(tile->type))
        ct_stage_say(check, place, "type \"%s\": expected one such as \"float2\"", tile->type);
}

void ct_stage_check_tiles(ct_stage_checker *check)
{
    const ct_status before = check->status;
    check->status = CT_OK;
    for (const ct_tile *tile = check->stage->kernel.tiles; tile && tile->name; tile++)
        check_tile(check, tile);
    check->broken_tiles = check->status != CT_OK;
    if (before != CT_OK) check->status = before;
}

void ct_stage_check_terms(ct_stage_checker *check)
{
    for (const ct_term *term = check->stage->tuning.terms; term && term->name; term++) {
        const ct_stage_place place = {"terms", term->name, NULL, NULL};
        if (!ct_stage_is_identifier(term->name))
            ct_stage_say(check, place, "expected a name of letters, digits and _");
        if (!term->value) ct_stage_say(check, place, "it lacks its value");
        for (const ct_term *other = check->stage->tuning.terms; other < term; other++)
            if (!strcmp(other->name, term->name))
                ct_stage_say(check, place, "two terms are called %s: rename one of them",
                             term->name);
    }
}
