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

static char small(const ct_copy *copy, int argument)
{
    return (char)tolower((unsigned char)copy->box->access.letters[argument]);
}

/* Legs as long as the array: their box always starts at 0, or else plain loops do it. */
static bool is_whole(const ct_copy *copy, const ct_leg *leg)
{
    const ct_access *access = &copy->box->access;
    return ct_copy_extent(copy, leg->argument) == leg->extent &&
           ct_array_extent(access->array, access->aliases[leg->argument]) == leg->extent;
}

static void add_dim(ct_nest *nest, const ct_leg *leg)
{
    const bool write = nest->copy->box->access.write;
    const bool inner = islower((unsigned char)leg->letter);
    const int k = nest->weave.rank++;
    nest->weave.dim[k] = (ct_weave_dim){.extent = leg->extent,
                                        .from = write ? leg->tile : leg->array,
                                        .to = write ? leg->array : leg->tile};
    nest->count[k] = (ct_nest_count){small(nest->copy, leg->argument), leg->step, 1};
    if (is_whole(nest->copy, leg) ||
        (inner && ct_copy_extent(nest->copy, leg->argument) > leg->extent))
        nest->count[k].letter = '\0';
}

static void drop_dim(ct_nest *nest, int k)
{
    nest->weave.rank--;
    for (; k < nest->weave.rank; k++) {
        nest->weave.dim[k] = nest->weave.dim[k + 1];
        nest->count[k] = nest->count[k + 1];
    }
}

/* Joins an outer dimension with a whole one that follows it on both sides. */
static bool merge(ct_nest *nest)
{
    ct_weave_dim *dim = nest->weave.dim;
    for (int i = 0; i < nest->weave.rank; i++)
        for (int j = 0; j < nest->weave.rank; j++) {
            if (i == j || nest->count[j].letter || dim[i].from != dim[j].extent * dim[j].from ||
                dim[i].to != dim[j].extent * dim[j].to)
                continue;
            dim[i].from = dim[j].from;
            dim[i].to = dim[j].to;
            dim[i].extent *= dim[j].extent;
            nest->count[i].multiply *= dim[j].extent;
            drop_dim(nest, j);
            return true;
        }
    return false;
}

/* The array's side starts at a multiple of two words: its offset, and every stride that is left. */
static bool array_even(const ct_nest *nest)
{
    const ct_access *access = &nest->copy->box->access;
    const int64_t step = 2 * nest->elements;
    if (access->array->offset % step) return false;
    for (int k = 0; access->letters[k]; k++) {
        const int64_t stride = ct_array_stride(access->array, access->aliases[k]);
        const int64_t extent = ct_array_extent(access->array, access->aliases[k]);
        if (extent > 1 && stride % step && extent != ct_copy_extent(nest->copy, k)) return false;
    }
    return true;
}

/* Takes half of a whole fastest dimension, which both sides share, into the word. */
static bool widen(ct_nest *nest)
{
    ct_weave_dim *dim = nest->weave.dim;
    int fastest = -1;
    for (int k = 0; k < nest->weave.rank; k++)
        if (dim[k].from == 1 && dim[k].to == 1) fastest = k;
    if (fastest < 0 || nest->count[fastest].letter || dim[fastest].extent % 2) return false;
    if (nest->weave.word == 8 || !array_even(nest)) return false;
    for (int k = 0; k < nest->weave.rank; k++)
        if (k != fastest && (dim[k].from % 2 || dim[k].to % 2)) return false;
    for (int k = 0; k < nest->weave.rank; k++) {
        if (k == fastest) continue;
        dim[k].from /= 2;
        dim[k].to /= 2;
    }
    nest->weave.word *= 2;
    nest->parts *= 2;
    nest->elements *= 2;
    dim[fastest].extent /= 2;
    if (dim[fastest].extent == 1) drop_dim(nest, fastest);
    return true;
}

static void plan_types(ct_nest *nest)
{
    const ct_box *box = nest->copy->box;
    const ct_type type = box->access.array->type;
    const bool same = strcmp(ct_access_type(type), box->type) == 0;
    const bool half = type == CT_F16 || type == CT_CF16;
    nest->conversion = same ? NEST_SAME : half ? NEST_AT_ARRAY : NEST_AT_TILE;
    nest->parts = ct_type_complex(type) ? 2 : 1;
    nest->elements = 1;
    nest->weave.word =
        half && !same ? nest->parts * ct_nest_part_bytes(box->type) : (int)ct_type_bits(type) / 8;
}

static int lanes_of(const ct_nest *nest)
{
    const int tile = nest->parts * ct_nest_part_bytes(nest->copy->box->type);
    const int wide = tile > nest->weave.word ? tile : nest->weave.word;
    const int most = nest->conversion == NEST_SAME ? 16 : 16 / nest->parts;
    int lanes = 0;
    while ((wide << (lanes + 1)) <= nest->copy->box->vector && 2 << lanes <= most)
        lanes++;
    return lanes;
}

bool ct_nest_plan(ct_nest *nest, const ct_copy *copy)
{
    *nest = (ct_nest){.copy = copy};
    const ct_box *box = copy->box;
    if (box->group != 1 || box->vector < 16) return false;
    if (box->access.write && box->access.array->type == CT_CI4 && strcmp(box->type, "uchar") != 0)
        return false;
    plan_types(nest);
    for (int k = 0; k < copy->count; k++)
        if (copy->leg[copy->order[k]].extent > 1) add_dim(nest, &copy->leg[copy->order[k]]);
    while (merge(nest))
        continue;
    while (widen(nest))
        continue;
    ct_weave_choose(&nest->weave, lanes_of(nest), lanes_of(nest), 0);
    return nest->weave.count > 0;
}

/* ---- the function that walks over boxes */

static int64_t box_of(const ct_nest *nest, int k)
{
    return (int64_t)1 << nest->weave.dim[k].bits;
}

static void emit_loops(ct_text *text, const ct_nest *nest)
{
    for (int k = 0; k < nest->weave.rank; k++)
        ct_text_add(text, "    for (int i_%d = 0; i_%d < count_%d; i_%d += %" PRId64 ")\n", k, k, k,
                    k, box_of(nest, k));
}

/* The last box moves back to end with the row: no remainder, some words are moved twice. */
static void emit_starts(ct_text *text, const ct_nest *nest)
{
    for (int k = 0; k < nest->weave.rank; k++)
        if (nest->weave.dim[k].bits == 0)
            ct_text_add(text, "        const int x_%d = i_%d;\n", k, k);
        else
            ct_text_add(text, "        const int x_%d = min(i_%d, count_%d - %" PRId64 ");\n", k, k,
                        k, box_of(nest, k));
}

static void emit_offset(ct_text *text, const ct_nest *nest, const char *name, bool to)
{
    const bool array = to == nest->copy->box->access.write;
    const bool wide = array && ct_access_wide(&nest->copy->box->access);
    ct_text_add(text, "        const %s %s = 0", wide ? "long" : "int", name);
    for (int k = 0; k < nest->weave.rank; k++)
        ct_text_add(text, " + x_%d * %" PRId64 "%s", k,
                    to ? nest->weave.dim[k].to : nest->weave.dim[k].from, wide ? "L" : "");
    ct_text_add(text, ";\n");
}

static void emit_boxes(ct_text *text, const ct_nest *nest, bool streams)
{
    const ct_box *box = nest->copy->box;
    const ct_weave_form form = ct_nest_form(nest, streams);
    ct_text_add(text, "static void ct_%s_%s_boxes%s(", box->access.write ? "store" : "pack",
                box->name, streams ? "_stream" : "");
    ct_nest_pointer(text, nest, !box->access.write);
    ct_text_add(text, " *restrict from, ");
    ct_nest_pointer(text, nest, box->access.write);
    ct_text_add(text, " *restrict to");
    for (int k = 0; k < nest->weave.rank; k++)
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
    const ct_box *box = nest->copy->box;
    if (!box->access.write || !box->nontemporal || nest->conversion == NEST_AT_ARRAY) return false;
    if (lanes * weave->word != 64) return false;
    for (int k = 0; k < weave->count; k++)
        if (weave->bit[k].to >= lanes && weave->bit[k].to % lanes) return false;
    for (int k = 0; k < weave->rank; k++) {
        const ct_weave_dim *dim = &weave->dim[k];
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
    const ct_nest_count *count = &nest->count[k];
    if (inside || !count->letter) {
        ct_text_add(text, "%" PRId64, nest->weave.dim[k].extent);
        return;
    }
    ct_text_add(text, "n_%c", count->letter);
    if (count->divide > 1) ct_text_add(text, " / %" PRId64, count->divide);
    if (count->multiply > 1) ct_text_add(text, " * %" PRId64, count->multiply);
}

static void emit_call(ct_text *text, const ct_nest *nest, const char *suffix, bool inside)
{
    const ct_box *box = nest->copy->box;
    const bool write = box->access.write;
    ct_text_add(text, "        ct_%s_%s_boxes%s((", write ? "store" : "pack", box->name, suffix);
    ct_nest_pointer(text, nest, !write);
    ct_text_add(text, write ? " *)tile, (" : " *)(%s_data + at), (", box->access.name);
    ct_nest_pointer(text, nest, write);
    ct_text_add(text, write ? " *)(%s_data + at)" : " *)tile", box->access.name);
    for (int k = 0; k < nest->weave.rank; k++) {
        ct_text_add(text, ", ");
        add_count(text, nest, k, inside);
    }
    ct_text_add(text, ");\n");
}

/* "n_t == 8 && n_s == 64" */
static void add_inside(ct_text *text, const ct_copy *copy)
{
    ct_text_add(text, "1");
    for (int k = 0; copy->box->access.letters[k]; k++)
        if (ct_copy_extent(copy, k) > 1)
            ct_text_add(text, " && n_%c == %" PRId64, small(copy, k), ct_copy_extent(copy, k));
}

/* Whether what lies inside is large enough for vectors: whole dimensions are, split ones divide. */
static void add_fits(ct_text *text, const ct_nest *nest)
{
    const ct_copy *copy = nest->copy;
    ct_text_add(text, "1");
    for (int k = 0; k < copy->count; k++) {
        const ct_leg *leg = &copy->leg[k];
        if (leg->extent > 1 && is_whole(copy, leg))
            ct_text_add(text, " && n_%c == %" PRId64, small(copy, leg->argument), leg->extent);
        else if (leg->step > 1)
            ct_text_add(text, " && n_%c %% %" PRId64 " == 0", small(copy, leg->argument),
                        leg->step);
    }
    for (int k = 0; k < nest->weave.rank; k++)
        if (nest->count[k].letter && nest->weave.dim[k].bits) {
            ct_text_add(text, " && ");
            add_count(text, nest, k, false);
            ct_text_add(text, " >= %" PRId64, box_of(nest, k));
        }
}

void ct_nest_emit_calls(ct_text *text, const ct_nest *nest)
{
    const ct_copy *copy = nest->copy;
    ct_text_add(text, "    if (");
    add_inside(text, copy);
    if (can_stream(nest)) {
        ct_text_add(text, " && ((size_t)(%s_data + at) & 63) == 0)\n", copy->box->access.name);
        emit_call(text, nest, "_stream", true);
        ct_text_add(text, "    else if (");
        add_inside(text, copy);
    }
    ct_text_add(text, ")\n");
    emit_call(text, nest, "", true);
    ct_text_add(text, "    else if (");
    add_fits(text, nest);
    ct_text_add(text, ")\n");
    emit_call(text, nest, "", false);
    ct_text_add(text, "    else\n");
}
