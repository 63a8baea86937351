/* tile_plain.c: the loops of PACK and STORE, element by element: a nest in the array's memory order
 * where one work-item does it all, a flat loop where a group shares the work.
 *
 * Room: layouts. Knows legs. Does not know names of tiles or ports' shapes beyond their extents.
 * Called by: tile.c. */
#include "tile_plain.h"

#include <ctype.h>
#include <inttypes.h>

#include "text.h"

static void add_indent(ct_text *text, int depth)
{
    ct_text_add(text, "%*s", 4 * depth, "");
}

/* One assignment between `at + ...` and `tile[...]`. */
static void add_move(ct_text *text, const ct_copy *copy)
{
    ct_text from = {0}, to = {0};
    ct_copy_array_index(&from, copy);
    ct_copy_tile_index(&to, copy);
    if (copy->box->access.write) {
        ct_text value = {0};
        ct_text_add(&value, "tile[%s]", to.data);
        ct_access_save(text, &copy->box->access, copy->box->type, from.data, value.data);
        ct_text_free(&value);
    } else {
        ct_text_add(text, "tile[%s] = ", to.data);
        ct_access_load(text, &copy->box->access, copy->box->type, from.data);
    }
    ct_text_add(text, ";\n");
    ct_text_free(&from);
    ct_text_free(&to);
}

static int64_t array_extent(const ct_copy *copy, int argument)
{
    return ct_array_extent(copy->box->access.array, copy->box->access.aliases[argument]);
}

/* "n_t": how many coordinates along an argument lie inside the array. */
static void emit_inside(ct_text *text, const ct_copy *copy)
{
    for (int k = 0; copy->box->access.letters[k]; k++) {
        const char letter = (char)tolower((unsigned char)copy->box->access.letters[k]);
        if (ct_copy_extent(copy, k) > 1)
            ct_text_add(text, "    const int n_%c = min(%" PRId64 ", %" PRId64 " - %c0);\n", letter,
                        ct_copy_extent(copy, k), array_extent(copy, k), letter);
    }
}

/* "n_t < 8 || n_s < 64": something of the box lies outside. False where nothing ever can. */
static bool add_ragged(ct_text *text, const ct_copy *copy)
{
    bool any = false;
    for (int k = 0; copy->box->access.letters[k]; k++) {
        if (ct_copy_extent(copy, k) == 1) continue;
        ct_text_add(text, "%sn_%c < %" PRId64, any ? " || " : "",
                    tolower((unsigned char)copy->box->access.letters[k]), ct_copy_extent(copy, k));
        any = true;
    }
    return any;
}

/* Where the box reaches beyond the array, the tile is zeroed first. */
static void emit_zero(ct_text *text, const ct_copy *copy)
{
    ct_text ragged = {0};
    if (add_ragged(&ragged, copy))
        ct_text_add(text,
                    "    if (%s)\n        for (int k = 0; k < %" PRId64 "; k++)\n"
                    "            tile[k] = 0;\n",
                    ragged.data, copy->size);
    ct_text_free(&ragged);
}

static void add_bound(ct_text *text, const ct_copy *copy, const ct_leg *leg)
{
    const char letter = (char)tolower((unsigned char)copy->box->access.letters[leg->argument]);
    const bool inner = islower((unsigned char)leg->letter);
    const char outer = (char)toupper((unsigned char)letter);
    const bool split = ct_copy_extent(copy, leg->argument) > leg->extent;
    if (inner && split) {
        ct_text_add(text, "min(%" PRId64 ", n_%c - i_%c * %" PRId64 ")", leg->extent, letter, outer,
                    leg->extent);
    } else if (leg->step > 1) {
        ct_text_add(text, "(n_%c + %" PRId64 ") / %" PRId64, letter, leg->step - 1, leg->step);
    } else {
        ct_text_add(text, "n_%c", letter);
    }
}

static void emit_nest(ct_text *text, const ct_copy *copy)
{
    int depth = 1;
    for (int k = 0; k < copy->count; k++) {
        const ct_leg *leg = &copy->leg[copy->order[k]];
        if (leg->extent == 1) continue;
        add_indent(text, depth++);
        ct_text_add(text, "for (int i_%c = 0; i_%c < ", leg->letter, leg->letter);
        add_bound(text, copy, leg);
        ct_text_add(text, "; i_%c++)\n", leg->letter);
    }
    add_indent(text, depth);
    add_move(text, copy);
}

/* Consecutive work-items take consecutive elements of the array's memory. */
static void emit_decode(ct_text *text, const ct_copy *copy)
{
    int64_t count = 1;
    for (int k = copy->count - 1; k >= 0; k--) {
        const ct_leg *leg = &copy->leg[copy->order[k]];
        if (leg->extent == 1) continue;
        ct_text_add(text, "        const int i_%c = k / %" PRId64 " %% %" PRId64 ";\n", leg->letter,
                    count, leg->extent);
        count *= leg->extent;
    }
}

static void add_guard(ct_text *text, const ct_copy *copy)
{
    ct_text_add(text, "1");
    for (int k = 0; copy->box->access.letters[k]; k++) {
        if (ct_copy_extent(copy, k) == 1) continue;
        ct_text_add(text, " && ");
        ct_copy_coordinate(text, copy, k);
        ct_text_add(text, " < n_%c", tolower((unsigned char)copy->box->access.letters[k]));
    }
}

static int64_t element_count(const ct_copy *copy)
{
    int64_t count = 1;
    for (int k = 0; k < copy->count; k++)
        count *= copy->leg[k].extent;
    return count;
}

static void emit_flat_loop(ct_text *text, const ct_copy *copy, bool guarded)
{
    ct_text_add(text, "    for (int k = CT_LID; k < %" PRId64 "; k += CT_ITEMS) {\n",
                element_count(copy));
    emit_decode(text, copy);
    if (guarded) {
        ct_text_add(text, "        if (");
        add_guard(text, copy);
        ct_text_add(text, ")\n    ");
    }
    ct_text_add(text, "        ");
    add_move(text, copy);
    if (guarded && !copy->box->access.write) {
        ct_text_add(text, "        else\n            tile[");
        ct_copy_tile_index(text, copy);
        ct_text_add(text, "] = 0;\n");
    }
    ct_text_add(text, "    }\n");
}

/* Boxes that lie inside, which most do, need no guard. */
static void emit_flat(ct_text *text, const ct_copy *copy)
{
    ct_text ragged = {0};
    if (add_ragged(&ragged, copy)) {
        ct_text_add(text, "    if (%s)\n", ragged.data);
        emit_flat_loop(text, copy, true);
        ct_text_add(text, "    else\n");
    }
    emit_flat_loop(text, copy, false);
    ct_text_free(&ragged);
}

void ct_plain_emit_inside(ct_text *text, const ct_copy *copy)
{
    emit_inside(text, copy);
    if (copy->box->group == 1 && !copy->box->access.write) emit_zero(text, copy);
}

void ct_plain_emit(ct_text *text, const ct_copy *copy)
{
    if (copy->box->group == 1)
        emit_nest(text, copy);
    else
        emit_flat(text, copy);
}
