/* tile_ways.c: which ways to move a box by vectors a kernel has, and its choice when it runs: a box
 * that lies inside, else part by part what the array has of it (tile_parts.c).
 *
 * Room: layouts. Knows parts and lengths. Does not know what a way does (tile_vectors.c). */
#include <ctype.h>
#include <inttypes.h>

#include "text.h"
#include "tile_inner.h"

enum { PARTS = 4 }; /* two split dimensions */

static char small(const ct_tile_plan *plan, int argument)
{
    return (char)tolower((unsigned char)plan->box->access.letters[argument]);
}

/* ---- the ways */

static bool add_way(ct_tile_ways *ways, const ct_tile_plan *plan, const ct_tile_part *part)
{
    if (ways->count == CT_TILE_WAYS) return false;
    ct_tile_vectors *way = &ways->way[ways->count];
    if (!ct_tile_vectors_plan(way, plan, part)) return false;
    way->number = ways->count++;
    return true;
}

/* Along each dimension of the tile, the fewest indices that a way moves. */
static void find_least(const ct_tile_vectors *way, int64_t least[CT_DIMS])
{
    for (int k = 0; k < CT_DIMS; k++)
        least[k] = 1;
    for (int k = 0; k < way->registers.copy.rank; k++) {
        const ct_copy_dim *dim = &way->registers.copy.dim[k];
        if (dim->cut) least[dim->of] = ct_divide_up(ct_tile_vectors_box(way, k), dim->each);
    }
}

static void add_ways(ct_tile_ways *ways, const ct_tile_plan *plan, int number)
{
    ct_tile_part part;
    int64_t least[CT_DIMS];
    if (!ct_tile_part_describe(&part, plan, number) || !add_way(ways, plan, &part)) return;
    find_least(&ways->way[ways->count - 1], least);
    for (int shorter = 1; ct_tile_part_describe(&part, plan, number) &&
                          ct_tile_part_shorten(&part, plan, least, shorter);
         shorter++)
        add_way(ways, plan, &part);
}

bool ct_tile_ways_plan(ct_tile_ways *ways, const ct_tile_plan *plan)
{
    ways->count = 0;
    for (int number = 0; number < PARTS; number++)
        add_ways(ways, plan, number);
    return ways->count > 0 && ways->way[0].registers.count > 0;
}

/* ---- the calls */

/* Where the part begins: after the full inner parts. */
static void add_start(ct_text *text, const ct_tile_vectors *way, bool array)
{
    const ct_tile_plan *plan = way->plan;
    for (int k = 0; k < plan->count; k++) {
        if (!way->part.last[k]) continue;
        ct_text_add(text, " + ");
        ct_tile_part_add_length(text, plan, k);
        ct_text_add(text, " * %" PRId64 "%s", array ? plan->dim[k].array : plan->dim[k].tile,
                    array && ct_access_wide(&plan->box->access) ? "L" : "");
    }
}

static void add_side(ct_text *text, const ct_tile_vectors *way, bool array)
{
    ct_text_add(text, "(");
    ct_tile_vectors_pointer(text, way, array);
    if (array)
        ct_text_add(text, " *)(%s_data + at", way->plan->box->access.name);
    else
        ct_text_add(text, " *)(tile");
    add_start(text, way, array);
    ct_text_add(text, ")");
}

static void emit_call(ct_text *text, const ct_tile_vectors *way, const char *suffix, bool inside)
{
    const ct_box *box = way->plan->box;
    const bool write = box->access.write;
    ct_text_add(text, "        ct_%s_%s_boxes%d%s(", write ? "store" : "pack", box->name,
                way->number, suffix);
    add_side(text, way, !write);
    ct_text_add(text, ", ");
    add_side(text, way, write);
    for (int k = 0; k < way->registers.copy.rank; k++) {
        ct_text_add(text, ", ");
        ct_tile_vectors_add_count(text, way, k, inside);
    }
    ct_text_add(text, ");\n");
}

/* "n_c < 64": the array ends in the box, so that no other box has words of the row's last line. */
static void add_ends(ct_text *text, const ct_tile_vectors *way, int k)
{
    const int argument = way->plan->dim[way->registers.copy.dim[k].of].argument;
    ct_text_add(text, "n_%c < %" PRId64, small(way->plan, argument),
                ct_tile_plan_extent(way->plan, argument));
}

/* " && (n_c % 8 == 0 || n_c < 64)": a row ends with a line, or may end inside one; " && (n_c < 8 &&
 * n_c < 64)": it ends before one is full. */
static void add_row(ct_text *text, const ct_tile_vectors *way, int k, bool inside)
{
    const bool ends = ct_tile_vectors_short(way);
    ct_text_add(text, " && (");
    ct_tile_vectors_add_count(text, way, k, inside);
    ct_text_add(text, ends ? " < %" PRId64 : " %% %" PRId64 " == 0", ct_tile_vectors_line(way, k));
    if (!inside && k == ct_tile_vectors_split(way)) {
        ct_text_add(text, ends ? " && " : " || ");
        add_ends(text, way, k);
    }
    ct_text_add(text, ")");
}

/* " && ((size_t)(X_data + at) & 63) == 0": lines begin where the part does; rows end with one, but
 * for those that may end inside. */
static void add_aligned(ct_text *text, const ct_tile_vectors *way, bool inside)
{
    ct_text_add(text, " && ((size_t)(%s_data + at", way->plan->box->access.name);
    add_start(text, way, true);
    ct_text_add(text, ") & 63) == 0");
    for (int k = 0; k < way->registers.copy.rank; k++)
        if (way->registers.copy.dim[k].cut && ct_tile_vectors_may_split(way, k))
            add_row(text, way, k, inside);
}

/* The calls of a way under its condition, past the caches where that is possible. */
static void emit_way(ct_text *text, const ct_tile_vectors *way, const char *condition, bool inside)
{
    if (ct_tile_vectors_can_bypass(way) && !(inside && ct_tile_vectors_short(way))) {
        ct_text_add(text, "    if (%s", condition);
        add_aligned(text, way, inside);
        ct_text_add(text, ")\n");
        emit_call(text, way, "_nontemporal", inside);
        ct_text_add(text, "    else ");
    } else {
        ct_text_add(text, "    ");
    }
    ct_text_add(text, "if (%s)\n", condition);
    emit_call(text, way, "", inside);
    ct_text_add(text, "    else\n");
}

/* "n_t == 8 && n_s == 64". False where that never is. */
static bool add_inside(ct_text *text, const ct_tile_plan *plan)
{
    bool any = true;
    ct_text_add(text, "1");
    for (int k = 0; plan->box->access.letters[k]; k++) {
        const int64_t extent = ct_tile_plan_extent(plan, k);
        any = any && ct_tile_part_array_extent(plan, k) >= extent;
        if (extent > 1) ct_text_add(text, " && n_%c == %" PRId64, small(plan, k), extent);
    }
    return any;
}

/* The part is not empty. */
static void add_guard(ct_text *text, const ct_tile_plan *plan, int number)
{
    ct_text_add(text, "1");
    for (int k = 0; k < plan->count; k++) {
        const ct_tile_dim *dim = &plan->dim[k];
        if (ct_tile_part_other(plan, k) < 0 || dim->step == 1) continue;
        ct_text_add(text, " && n_%c %s %" PRId64 " > 0", small(plan, dim->argument),
                    number & 1 ? "%" : "/", dim->step);
        number >>= 1;
    }
}

/* A way fits what lies inside: lengths are those that were expected, or at least those of a box of
 * registers. */
static void add_fits(ct_text *text, const ct_tile_vectors *way)
{
    const ct_tile_plan *plan = way->plan;
    ct_text_add(text, "1");
    for (int k = 0; k < plan->count; k++) {
        const ct_tile_dim *dim = &plan->dim[k];
        const int other = ct_tile_part_other(plan, k);
        const bool full = other >= 0 && dim->step == 1 && !way->part.last[other];
        if (dim->extent == 1 || way->part.cut[k] || way->part.last[k] || full) continue;
        ct_text_add(text, " && ");
        ct_tile_part_add_length(text, plan, k);
        ct_text_add(text, " == %" PRId64, way->part.extent[k]);
    }
    for (int k = 0; k < way->registers.copy.rank; k++)
        if (way->registers.copy.dim[k].cut && way->registers.bits[k]) {
            ct_text_add(text, " && ");
            ct_tile_vectors_add_count(text, way, k, false);
            ct_text_add(text, " >= %" PRId64, ct_tile_vectors_box(way, k));
        }
}

/* One of the ways of a part, if it fits; `done` becomes 0 where none does. */
static void emit_part(ct_text *text, const ct_tile_ways *ways, int number)
{
    const ct_tile_plan *plan = ways->way[0].plan;
    ct_text_add(text, "    if (");
    add_guard(text, plan, number);
    ct_text_add(text, ") {\n");
    for (int k = 0; k < ways->count; k++) {
        if (ways->way[k].part.number != number) continue;
        ct_text fits = {0};
        add_fits(&fits, &ways->way[k]);
        emit_way(text, &ways->way[k], fits.data, false);
        ct_text_end(&fits, text);
    }
    ct_text_add(text, "        done = 0;\n    }\n");
}

static int count_parts(const ct_tile_plan *plan)
{
    int parts = 1;
    for (int k = 0; k < plan->count; k++)
        if (ct_tile_part_other(plan, k) >= 0 && plan->dim[k].step > 1) parts *= 2;
    return parts;
}

void ct_tile_ways_emit_calls(ct_text *text, const ct_tile_ways *ways)
{
    const ct_tile_plan *plan = ways->way[0].plan;
    ct_text inside = {0};
    const int parts = count_parts(plan);
    if (add_inside(&inside, plan)) {
        emit_way(text, &ways->way[0], inside.data, true);
    }
    ct_text_add(text, "    {\n    int done = 1;\n");
    for (int number = 0; number < parts; number++)
        emit_part(text, ways, number);
    ct_text_add(text, "    if (!done)\n");
    ct_text_end(&inside, text);
}
