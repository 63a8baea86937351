/* tile_nest.c: PACK and STORE by vectors: loops in the array's memory order around one box of
 * registers (weave.h), so that every cache line is touched once and in full.
 *
 * Room: layouts. Knows legs and boxes. Does not know types' texts (tile_form.c).
 * Called by: tile.c: ct_nest_plan, then ct_nest_emit and ct_nest_emit_calls. */
#include "tile_nest.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "text.h"

static char small(const ct_tile_plan *plan, int argument)
{
    return (char)tolower((unsigned char)plan->box->access.letters[argument]);
}

/* Legs as long as the array: their box always starts at 0, or else plain loops do it. */
static bool is_whole(const ct_tile_plan *plan, const ct_leg *leg)
{
    const ct_access *access = &plan->box->access;
    return ct_tile_plan_extent(plan, leg->argument) == leg->extent &&
           ct_array_extent(access->array, access->aliases[leg->argument]) == leg->extent;
}

/* The copy may end early along legs that may reach beyond the array, but for inner parts. */
static bool is_cut(const ct_tile_plan *plan, const ct_leg *leg)
{
    const bool inner = islower((unsigned char)leg->letter);
    return !is_whole(plan, leg) &&
           !(inner && ct_tile_plan_extent(plan, leg->argument) > leg->extent);
}

/* In the array's memory order. */
static void add_legs(ct_nest *nest)
{
    const ct_tile_plan *plan = nest->plan;
    const bool write = plan->box->access.write;
    for (int k = 0; k < plan->count; k++) {
        const ct_leg *leg = &plan->leg[plan->order[k]];
        ct_copy_add(&nest->weave.copy, (ct_copy_dim){.extent = leg->extent,
                                                     .from = write ? leg->tile : leg->array,
                                                     .to = write ? leg->array : leg->tile,
                                                     .cut = is_cut(plan, leg),
                                                     .of = plan->order[k]});
    }
}

/* The most elements of the array per word, so that its offset and every stride that the box does
 * not span are whole words. */
static int most_elements(const ct_tile_plan *plan)
{
    const ct_access *access = &plan->box->access;
    int64_t both = access->array->offset | 8;
    for (int k = 0; access->letters[k]; k++) {
        const int64_t extent = ct_array_extent(access->array, access->aliases[k]);
        if (extent > 1 && extent != ct_tile_plan_extent(plan, k))
            both |= ct_array_stride(access->array, access->aliases[k]);
    }
    return (int)(both & -both);
}

static void widen(ct_nest *nest)
{
    ct_copy *copy = &nest->weave.copy;
    const int word = copy->word, most = word * most_elements(nest->plan);
    ct_copy_widen(copy, most < 8 ? most : 8);
    nest->parts *= copy->word / word;
}

static void plan_types(ct_nest *nest)
{
    const ct_box *box = nest->plan->box;
    const ct_type type = box->access.array->type;
    const bool same = strcmp(ct_access_type(type), box->type) == 0;
    const bool half = type == CT_F16 || type == CT_CF16;
    nest->conversion = same ? NEST_SAME : half ? NEST_AT_ARRAY : NEST_AT_TILE;
    nest->parts = ct_type_complex(type) ? 2 : 1;
    nest->weave.copy.word =
        half && !same ? nest->parts * ct_nest_part_bytes(box->type) : (int)ct_type_bits(type) / 8;
}

static int lanes_of(const ct_nest *nest)
{
    const int tile = nest->parts * ct_nest_part_bytes(nest->plan->box->type);
    const int wide = tile > nest->weave.copy.word ? tile : nest->weave.copy.word;
    const int most = nest->conversion == NEST_SAME ? 16 : 16 / nest->parts;
    int lanes = 0;
    while ((wide << (lanes + 1)) <= nest->plan->box->vector && 2 << lanes <= most)
        lanes++;
    return lanes;
}

bool ct_nest_plan(ct_nest *nest, const ct_tile_plan *plan)
{
    *nest = (ct_nest){.plan = plan};
    const ct_box *box = plan->box;
    if (box->group != 1 || box->vector < 16) return false;
    if (box->access.write && box->access.array->type == CT_CI4 && strcmp(box->type, "uchar") != 0)
        return false;
    plan_types(nest);
    add_legs(nest);
    ct_copy_merge(&nest->weave.copy);
    widen(nest);
    ct_weave_choose(&nest->weave, lanes_of(nest), lanes_of(nest), 0);
    return nest->weave.count > 0;
}

/* ---- the function that walks over boxes */

static int64_t box_of(const ct_nest *nest, int k)
{
    return (int64_t)1 << nest->weave.bits[k];
}

static void emit_loops(ct_text *text, const ct_nest *nest)
{
    for (int k = 0; k < nest->weave.copy.rank; k++)
        ct_text_add(text, "    for (int i_%d = 0; i_%d < count_%d; i_%d += %" PRId64 ")\n", k, k, k,
                    k, box_of(nest, k));
}

/* The last box moves back to end with the row: no remainder, some words are moved twice. */
static void emit_starts(ct_text *text, const ct_nest *nest)
{
    for (int k = 0; k < nest->weave.copy.rank; k++)
        if (nest->weave.bits[k] == 0)
            ct_text_add(text, "        const int x_%d = i_%d;\n", k, k);
        else
            ct_text_add(text, "        const int x_%d = min(i_%d, count_%d - %" PRId64 ");\n", k, k,
                        k, box_of(nest, k));
}

static void emit_offset(ct_text *text, const ct_nest *nest, const char *name, bool to)
{
    const bool array = to == nest->plan->box->access.write;
    const bool wide = array && ct_access_wide(&nest->plan->box->access);
    ct_text_add(text, "        const %s %s = 0", wide ? "long" : "int", name);
    for (int k = 0; k < nest->weave.copy.rank; k++)
        ct_text_add(text, " + x_%d * %" PRId64 "%s", k,
                    to ? nest->weave.copy.dim[k].to : nest->weave.copy.dim[k].from,
                    wide ? "L" : "");
    ct_text_add(text, ";\n");
}

static void emit_boxes(ct_text *text, const ct_nest *nest, bool streams)
{
    const ct_box *box = nest->plan->box;
    const ct_weave_form form = ct_nest_form(nest, streams);
    ct_text_add(text, "static void ct_%s_%s_boxes%s(", box->access.write ? "store" : "pack",
                box->name, streams ? "_stream" : "");
    ct_nest_pointer(text, nest, !box->access.write);
    ct_text_add(text, " *restrict from, ");
    ct_nest_pointer(text, nest, box->access.write);
    ct_text_add(text, " *restrict to");
    for (int k = 0; k < nest->weave.copy.rank; k++)
        ct_text_add(text, ", const int count_%d", k);
    ct_text_add(text, ")\n{\n");
    emit_loops(text, nest);
    ct_text_add(text, "    {\n");
    emit_starts(text, nest);
    emit_offset(text, nest, "f", false);
    emit_offset(text, nest, "g", true);
    ct_weave_emit(text, &nest->weave, &form, "f", "g");
    ct_text_add(text, "    }\n}\n");
}

/* Whole lines are stored, and every one starts at a multiple of its length from the first. */
static bool can_stream(const ct_nest *nest)
{
    const ct_weave *weave = &nest->weave;
    const int64_t lanes = (int64_t)1 << weave->to_lanes;
    const ct_box *box = nest->plan->box;
    if (!box->access.write || !box->nontemporal || nest->conversion == NEST_AT_ARRAY) return false;
    if (lanes * weave->copy.word != 64) return false;
    for (int k = 0; k < weave->count; k++)
        if (weave->bit[k].to >= lanes && weave->bit[k].to % lanes) return false;
    for (int k = 0; k < weave->copy.rank; k++) {
        const ct_copy_dim *dim = &weave->copy.dim[k];
        if (dim->extent > box_of(nest, k) && box_of(nest, k) * dim->to % lanes) return false;
        if (dim->extent % box_of(nest, k) * dim->to % lanes) return false;
    }
    return true;
}

void ct_nest_emit(ct_text *text, const ct_nest *nest)
{
    ct_weave_types(text);
    ct_nest_types(text, nest);
    emit_boxes(text, nest, false);
    if (can_stream(nest)) emit_boxes(text, nest, true);
}

/* ---- the calls */

static void add_count(ct_text *text, const ct_nest *nest, int k, bool inside)
{
    const ct_copy_dim *dim = &nest->weave.copy.dim[k];
    if (inside || !dim->cut) {
        ct_text_add(text, "%" PRId64, dim->extent);
        return;
    }
    const ct_leg *leg = &nest->plan->leg[dim->of];
    ct_text_add(text, "n_%c", small(nest->plan, leg->argument));
    if (leg->step > 1) ct_text_add(text, " / %" PRId64, leg->step);
    if (dim->each > 1) ct_text_add(text, " * %" PRId64, dim->each);
}

static void emit_call(ct_text *text, const ct_nest *nest, const char *suffix, bool inside)
{
    const ct_box *box = nest->plan->box;
    const bool write = box->access.write;
    ct_text_add(text, "        ct_%s_%s_boxes%s((", write ? "store" : "pack", box->name, suffix);
    ct_nest_pointer(text, nest, !write);
    ct_text_add(text, write ? " *)tile, (" : " *)(%s_data + at), (", box->access.name);
    ct_nest_pointer(text, nest, write);
    ct_text_add(text, write ? " *)(%s_data + at)" : " *)tile", box->access.name);
    for (int k = 0; k < nest->weave.copy.rank; k++) {
        ct_text_add(text, ", ");
        add_count(text, nest, k, inside);
    }
    ct_text_add(text, ");\n");
}

/* "n_t == 8 && n_s == 64" */
static void add_inside(ct_text *text, const ct_tile_plan *plan)
{
    ct_text_add(text, "1");
    for (int k = 0; plan->box->access.letters[k]; k++)
        if (ct_tile_plan_extent(plan, k) > 1)
            ct_text_add(text, " && n_%c == %" PRId64, small(plan, k), ct_tile_plan_extent(plan, k));
}

/* Whether what lies inside is large enough for vectors: whole dimensions are, split ones divide. */
static void add_fits(ct_text *text, const ct_nest *nest)
{
    const ct_tile_plan *plan = nest->plan;
    ct_text_add(text, "1");
    for (int k = 0; k < plan->count; k++) {
        const ct_leg *leg = &plan->leg[k];
        if (leg->extent > 1 && is_whole(plan, leg))
            ct_text_add(text, " && n_%c == %" PRId64, small(plan, leg->argument), leg->extent);
        else if (leg->step > 1)
            ct_text_add(text, " && n_%c %% %" PRId64 " == 0", small(plan, leg->argument),
                        leg->step);
    }
    for (int k = 0; k < nest->weave.copy.rank; k++)
        if (nest->weave.copy.dim[k].cut && nest->weave.bits[k]) {
            ct_text_add(text, " && ");
            add_count(text, nest, k, false);
            ct_text_add(text, " >= %" PRId64, box_of(nest, k));
        }
}

void ct_nest_emit_calls(ct_text *text, const ct_nest *nest)
{
    const ct_tile_plan *plan = nest->plan;
    ct_text_add(text, "    if (");
    add_inside(text, plan);
    if (can_stream(nest)) {
        ct_text_add(text, " && ((size_t)(%s_data + at) & 63) == 0)\n", plan->box->access.name);
        emit_call(text, nest, "_stream", true);
        ct_text_add(text, "    else if (");
        add_inside(text, plan);
    }
    ct_text_add(text, ")\n");
    emit_call(text, nest, "", true);
    ct_text_add(text, "    else if (");
    add_fits(text, nest);
    ct_text_add(text, ")\n");
    emit_call(text, nest, "", false);
    ct_text_add(text, "    else\n");
}
