/* tile_plain.c: the loops of PACK and STORE, element by element: loops in the array's memory order
 * where one work-item does it all; tile_group.c has what a group does.
 *
 * Room: layouts. Knows dimensions. Does not know names of tiles or ports' shapes beyond their
 * extents. */

#include <ctype.h>
#include <inttypes.h>

#include "text.h"
#include "tile_inner.h"

static void add_indent(ct_text *text, int depth)
{
    ct_text_add(text, "%*s", 4 * depth, "");
}

void ct_tile_plain_emit_move(ct_text *text, const ct_tile_plan *plan)
{
    ct_text from = {0}, to = {0};
    ct_tile_plan_array_index(&from, plan);
    ct_tile_plan_tile_index(&to, plan);
    if (plan->box->access.write) {
        ct_text value = {0};
        ct_text_add(&value, "tile[%s]", to.data);
        ct_access_save(text, &plan->box->access, plan->box->type, from.data, value.data);
        ct_text_end(&value, text);
    } else {
        ct_text_add(text, "tile[%s] = ", to.data);
        ct_access_load(text, &plan->box->access, plan->box->type, from.data);
    }
    ct_text_add(text, ";\n");
    ct_text_end(&from, text);
    ct_text_end(&to, text);
}

/* "n_t": how many coordinates along an argument lie inside the array. */
static void emit_inside(ct_text *text, const ct_tile_plan *plan)
{
    for (int k = 0; plan->box->access.letters[k]; k++) {
        const char letter = (char)tolower((unsigned char)plan->box->access.letters[k]);
        if (ct_tile_plan_extent(plan, k) > 1)
            ct_text_add(text, "    const int n_%c = min(%" PRId64 ", %" PRId64 " - %c0);\n", letter,
                        ct_tile_plan_extent(plan, k), ct_tile_part_array_extent(plan, k), letter);
    }
}

bool ct_tile_plain_add_ragged(ct_text *text, const ct_tile_plan *plan)
{
    bool any = false;
    for (int k = 0; plan->box->access.letters[k]; k++) {
        if (ct_tile_plan_extent(plan, k) == 1) continue;
        ct_text_add(text, "%sn_%c < %" PRId64, any ? " || " : "",
                    tolower((unsigned char)plan->box->access.letters[k]),
                    ct_tile_plan_extent(plan, k));
        any = true;
    }
    return any;
}

static void add_bound(ct_text *text, const ct_tile_plan *plan, const ct_tile_dim *dim)
{
    const char letter = (char)tolower((unsigned char)plan->box->access.letters[dim->argument]);
    const bool inner = islower((unsigned char)dim->letter);
    const char outer = (char)toupper((unsigned char)letter);
    const bool split = ct_tile_plan_extent(plan, dim->argument) > dim->extent;
    if (inner && split) {
        ct_text_add(text, "min(%" PRId64 ", n_%c - i_%c * %" PRId64 ")", dim->extent, letter, outer,
                    dim->extent);
    } else if (dim->step > 1) {
        ct_text_add(text, "(n_%c + %" PRId64 ") / %" PRId64, letter, dim->step - 1, dim->step);
    } else {
        ct_text_add(text, "n_%c", letter);
    }
}

static void emit_loops(ct_text *text, const ct_tile_plan *plan)
{
    int depth = 1;
    for (int k = 0; k < plan->count; k++) {
        const ct_tile_dim *dim = &plan->dim[plan->order[k]];
        if (dim->extent == 1) continue;
        add_indent(text, depth++);
        ct_text_add(text, "for (int i_%c = 0; i_%c < ", dim->letter, dim->letter);
        add_bound(text, plan, dim);
        ct_text_add(text, "; i_%c++)\n", dim->letter);
    }
    add_indent(text, depth);
    ct_tile_plain_emit_move(text, plan);
}

void ct_tile_plain_emit_inside(ct_text *text, const ct_tile_plan *plan)
{
    emit_inside(text, plan);
    if (plan->box->group == 1 && !plan->box->access.write) ct_tile_clear_emit(text, plan);
}

void ct_tile_plain_emit(ct_text *text, const ct_tile_plan *plan)
{
    if (plan->box->group == 1)
        emit_loops(text, plan);
    else
        ct_tile_group_emit(text, plan);
}
