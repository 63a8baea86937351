/* tile_group.c: the loops of PACK and STORE where a group shares the work. Neighbouring work-items
 * move neighbouring elements of the array's memory.
 *
 * Where the sides of the box let it, every work-item computes its first element's two places once
 * and reaches the others by literal distances: on a GPU an element then costs a load and a store,
 * and no arithmetic. Else each element's place is worked out from its number.
 *
 * Room: layouts. Knows dimensions. Does not know names of tiles or ports' shapes beyond their
 * extents. */

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>

#include "text.h"
#include "tile_inner.h"

/* Most elements that one work-item loads before it waits; fewest work-items that are neighbours in
 * memory. */
enum { UNROLLED = 8, NEIGHBOURS = 4 };

static const ct_tile_dim *dim_at(const ct_tile_plan *plan, int place)
{
    return &plan->dim[plan->order[place]];
}

/* ---------------------------------------------------------------- by the element's number */

/* Consecutive work-items take consecutive elements of the array's memory. */
static void emit_decode(ct_text *text, const ct_tile_plan *plan)
{
    int64_t count = 1;
    for (int k = plan->count - 1; k >= 0; k--) {
        const ct_tile_dim *dim = dim_at(plan, k);
        if (dim->extent == 1) continue;
        ct_text_add(text, "        const int i_%c = k / %" PRId64 " %% %" PRId64 ";\n", dim->letter,
                    count, dim->extent);
        count *= dim->extent;
    }
}

static void add_guard(ct_text *text, const ct_tile_plan *plan)
{
    ct_text_add(text, "1");
    for (int k = 0; plan->box->access.letters[k]; k++) {
        if (ct_tile_plan_extent(plan, k) == 1) continue;
        ct_text_add(text, " && ");
        ct_tile_plan_coordinate(text, plan, k);
        ct_text_add(text, " < n_%c", tolower((unsigned char)plan->box->access.letters[k]));
    }
}

static int64_t element_count(const ct_tile_plan *plan)
{
    int64_t count = 1;
    for (int k = 0; k < plan->count; k++)
        count *= plan->dim[k].extent;
    return count;
}

static void emit_numbered(ct_text *text, const ct_tile_plan *plan, bool guarded)
{
    ct_text_add(text, "    for (int k = CT_LID; k < %" PRId64 "; k += CT_ITEMS) {\n",
                element_count(plan));
    emit_decode(text, plan);
    if (guarded) {
        ct_text_add(text, "        if (");
        add_guard(text, plan);
        ct_text_add(text, ")\n    ");
    }
    ct_text_add(text, "        ");
    ct_tile_plain_emit_move(text, plan);
    if (guarded && !plan->box->access.write) {
        ct_text_add(text, "        else\n            tile[");
        ct_tile_plan_tile_index(text, plan);
        ct_text_add(text, "] = 0;\n");
    }
    ct_text_add(text, "    }\n");
}

/* ---------------------------------------------------------------- by literal distances */

/* How many work-items share each dimension, in the array's memory order from the fastest on. False
 * where their product is not the group's size, or too few would be neighbours. */
static bool share_out(const ct_tile_plan *plan, int64_t items[CT_DIMS])
{
    int64_t left = plan->box->group, neighbours = 1;
    bool together = true; /* so far all of each dimension */
    for (int k = plan->count - 1; k >= 0; k--) {
        const int64_t extent = dim_at(plan, k)->extent;
        items[k] = ct_common_divisor(left, extent);
        assert(items[k] > 0);
        if (together) neighbours *= items[k];
        together = together && items[k] == extent;
        left /= items[k];
    }
    return left == 1 && neighbours >= NEIGHBOURS;
}

/* This work-item's first element, on both sides. */
static void emit_firsts(ct_text *text, const ct_tile_plan *plan, const int64_t items[CT_DIMS])
{
    const char *port = plan->box->access.name,
               *wide = ct_access_wide(&plan->box->access) ? "L" : "";
    const bool store = plan->box->access.write;
    ct_text from = {0}, into = {0};
    int64_t before = 1;
    for (int k = plan->count - 1; k >= 0; before *= items[k--]) {
        const ct_tile_dim *dim = dim_at(plan, k);
        if (items[k] == 1) continue;
        ct_text_add(text, "        const int l_%c = CT_LID / %" PRId64 " %% %" PRId64 ";\n",
                    dim->letter, before, items[k]);
        ct_text_add(&from, " + l_%c * %" PRId64 "%s", dim->letter, dim->array, wide);
        ct_text_add(&into, " + l_%c * %" PRId64, dim->letter, dim->tile);
    }
    ct_text_add(text, "        global %s%s_TYPE *first_data = %s_data + (at%s);\n",
                store ? "" : "const ", port, port, from.data ? from.data : "");
    ct_text_add(text, "        local %s%s_TYPE *first = tile + (0%s);\n", store ? "const " : "",
                plan->box->name, into.data ? into.data : "");
    ct_text_end(&from, text);
    ct_text_end(&into, text);
}

/* The n-th of a dimension's elements that one work-item moves is `items` after the one before. */
static int64_t rounds(const ct_tile_plan *plan, const int64_t items[CT_DIMS], int place)
{
    return dim_at(plan, place)->extent / items[place];
}

/* One assignment between `first_data` and `first`, at distances. */
static void add_distant_move(ct_text *text, const ct_tile_plan *plan, const int64_t items[CT_DIMS])
{
    const char *wide = ct_access_wide(&plan->box->access) ? "L" : "";
    ct_access access = plan->box->access;
    ct_text from = {0}, into = {0};
    access.name = "first";
    ct_text_add(&from, "0");
    ct_text_add(&into, "first[0");
    for (int k = 0; k < plan->count; k++) {
        const ct_tile_dim *dim = dim_at(plan, k);
        if (rounds(plan, items, k) == 1) continue;
        ct_text_add(&from, " + j_%c * %" PRId64 "%s", dim->letter, items[k] * dim->array, wide);
        ct_text_add(&into, " + j_%c * %" PRId64, dim->letter, items[k] * dim->tile);
    }
    ct_text_add(&into, "]");
    if (!access.write) ct_text_add(text, "%s = ", into.data);
    if (access.write)
        ct_access_save(text, &access, plan->box->type, from.data, into.data);
    else
        ct_access_load(text, &access, plan->box->type, from.data);
    ct_text_add(text, ";\n");
    ct_text_end(&from, text);
    ct_text_end(&into, text);
}

/* The inner loops are unrolled, so that loads wait for memory together. */
static void emit_distant(ct_text *text, const ct_tile_plan *plan, const int64_t items[CT_DIMS])
{
    int64_t inside = 1;
    int depth = 2;
    for (int k = 0; k < plan->count; k++)
        inside *= rounds(plan, items, k);
    emit_firsts(text, plan, items);
    for (int k = 0; k < plan->count; k++) {
        const int64_t count = rounds(plan, items, k);
        const char letter = dim_at(plan, k)->letter;
        if (count == 1) continue;
        if (inside <= UNROLLED)
            ct_text_add(text, "%*s#pragma unroll\n", 4 * depth, "");
        else if (inside / count <= UNROLLED)
            ct_text_add(text, "%*s#pragma unroll %" PRId64 "\n", 4 * depth, "",
                        UNROLLED / (inside / count));
        ct_text_add(text, "%*sfor (int j_%c = 0; j_%c < %" PRId64 "; j_%c++)\n", 4 * depth++, "",
                    letter, letter, count, letter);
        inside /= count;
    }
    ct_text_add(text, "%*s", 4 * depth, "");
    add_distant_move(text, plan, items);
}

static void emit_whole(ct_text *text, const ct_tile_plan *plan)
{
    int64_t items[CT_DIMS];
    if (!share_out(plan, items)) {
        emit_numbered(text, plan, false);
        return;
    }
    ct_text_add(text, "    {\n");
    emit_distant(text, plan, items);
    ct_text_add(text, "    }\n");
}

/* Boxes that lie inside, which most do, need no guard. */
void ct_tile_group_emit(ct_text *text, const ct_tile_plan *plan)
{
    ct_text ragged = {0};
    if (ct_tile_plain_add_ragged(&ragged, plan)) {
        ct_text_add(text, "    if (%s)\n", ragged.data);
        emit_numbered(text, plan, true);
        ct_text_add(text, "    else\n");
    }
    emit_whole(text, plan);
    ct_text_end(&ragged, text);
}
