/* tile_vectors.c: PACK and STORE by vectors: loops in the array's memory order around one box of
 * registers (register_transpose.h), so that every cache line is touched once and in full.
 *
 * Room: layouts. Knows dimensions and boxes. Does not know types' texts (tile_convert.c). */
#include "layout.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "text.h"
#include "tile_inner.h"

enum { LINE = 64 };

/* In the array's memory order. */
static void add_dims(ct_tile_vectors *vectors)
{
    const ct_tile_plan *plan = vectors->plan;
    const bool write = plan->box->access.write;
    for (int k = 0; k < plan->count; k++) {
        const ct_tile_dim *dim = &plan->dim[plan->order[k]];
        ct_copy_add(&vectors->registers.copy,
                    (ct_copy_dim){.extent = vectors->part.extent[plan->order[k]],
                                  .from = write ? dim->tile : dim->array,
                                  .to = write ? dim->array : dim->tile,
                                  .cut = vectors->part.cut[plan->order[k]],
                                  .of = plan->order[k]});
    }
}

/* The most elements of the array per word, so that its offset and every stride that the box does
 * not span are whole words; and so is what comes before the part. */
static int most_elements(const ct_tile_vectors *vectors)
{
    const ct_tile_plan *plan = vectors->plan;
    const ct_access *access = &plan->box->access;
    int64_t both = access->array->offset | 8;
    for (int k = 0; k < plan->count; k++)
        if (vectors->part.last[k]) both |= plan->dim[k].array | plan->dim[k].tile;
    for (int k = 0; access->letters[k]; k++) {
        const int64_t extent = ct_array_extent(access->array, access->aliases[k]);
        if (extent > 1 && extent > ct_tile_plan_extent(plan, k))
            both |= ct_array_stride(access->array, access->aliases[k]);
    }
    return (int)(both & -both);
}

static void widen(ct_tile_vectors *vectors)
{
    ct_copy *copy = &vectors->registers.copy;
    const int word = copy->word, most = word * most_elements(vectors);
    ct_copy_widen(copy, most < 8 ? most : 8);
    vectors->parts *= copy->word / word;
}

static void plan_types(ct_tile_vectors *vectors)
{
    const ct_box *box = vectors->plan->box;
    const ct_type type = box->access.array->type;
    const bool same = strcmp(ct_access_type(type), box->type) == 0;
    const bool half = type == CT_F16 || type == CT_CF16;
    vectors->conversion = same ? CT_CONVERT_NONE : half ? CT_CONVERT_AT_ARRAY : CT_CONVERT_AT_TILE;
    vectors->parts = ct_type_complex(type) ? 2 : 1;
    vectors->registers.copy.word = half && !same ? vectors->parts * ct_access_part_bytes(box->type)
                                                 : (int)ct_type_bits(type) / 8;
}

/* Rows of a line and more lie in the tile as in the array: nothing changes places. */
static bool has_same_rows(const ct_tile_vectors *vectors)
{
    const ct_copy *copy = &vectors->registers.copy;
    bool has = false;
    for (int k = 0; k < copy->rank; k++)
        has = has || (copy->dim[k].from == 1 && copy->dim[k].to == 1 &&
                      copy->dim[k].extent * copy->word >= LINE);
    return has;
}

/* Words at once: whole lines, where nothing changes places. STORE writes words of one or two bytes
 * by whole lines, too, which can bypass the caches. */
static int lanes_of(const ct_tile_vectors *vectors, bool to)
{
    const int tile = vectors->parts * ct_access_part_bytes(vectors->plan->box->type);
    const int wide = tile > vectors->registers.copy.word ? tile : vectors->registers.copy.word;
    const bool lines = to && wide <= 2 && vectors->plan->box->access.write;
    const bool whole = lines || has_same_rows(vectors);
    const int most = vectors->conversion != CT_CONVERT_NONE ? 16 / vectors->parts
                     : whole                                ? LINE / wide
                                                            : 16;
    int lanes = 0;
    while ((wide << (lanes + 1)) <= vectors->plan->box->vector && 2 << lanes <= most)
        lanes++;
    return lanes;
}

bool ct_tile_vectors_plan(ct_tile_vectors *vectors, const ct_tile_plan *plan,
                          const ct_tile_part *part)
{
    *vectors = (ct_tile_vectors){.plan = plan, .part = *part};
    const ct_box *box = plan->box;
    if (box->group != 1 || box->vector < 16) return false;
    if (box->access.write && box->access.array->type == CT_CI4 && strcmp(box->type, "uchar") != 0)
        return false;
    plan_types(vectors);
    add_dims(vectors);
    ct_copy_merge(&vectors->registers.copy);
    widen(vectors);
    ct_register_transpose_choose(&vectors->registers, lanes_of(vectors, false),
                                 lanes_of(vectors, true), 0);
    return true;
}

/* ---- the function that walks over boxes */

int64_t ct_tile_vectors_box(const ct_tile_vectors *vectors, int k)
{
    return (int64_t)1 << vectors->registers.bits[k];
}

/* Along dimension `split` only what of rows comes after their last whole line; -1: all of them. */
static void emit_loops(ct_text *text, const ct_tile_vectors *vectors, int split)
{
    for (int k = 0; k < vectors->registers.copy.rank; k++) {
        ct_text_add(text, "    for (int i_%d = ", k);
        ct_text_add(text, k == split ? "count_%d" : "0", k);
        ct_text_add(text, "; i_%d < %s_%d; i_%d += %" PRId64 ")\n", k, k == split ? "all" : "count",
                    k, k, ct_tile_vectors_box(vectors, k));
    }
}

/* The last box moves back to end with the row: no remainder, some words are moved twice. */
static void emit_starts(ct_text *text, const ct_tile_vectors *vectors, int split)
{
    for (int k = 0; k < vectors->registers.copy.rank; k++)
        if (vectors->registers.bits[k] == 0)
            ct_text_add(text, "        const int x_%d = i_%d;\n", k, k);
        else
            ct_text_add(text, "        const int x_%d = min(i_%d, %s_%d - %" PRId64 ");\n", k, k,
                        k == split ? "all" : "count", k, ct_tile_vectors_box(vectors, k));
}

static void emit_offset(ct_text *text, const ct_tile_vectors *vectors, const char *name, bool to)
{
    const bool array = to == vectors->plan->box->access.write;
    const bool wide = array && ct_access_wide(&vectors->plan->box->access);
    ct_text_add(text, "        const %s %s = 0", wide ? "long" : "int", name);
    for (int k = 0; k < vectors->registers.copy.rank; k++)
        ct_text_add(text, " + x_%d * %" PRId64 "%s", k,
                    to ? vectors->registers.copy.dim[k].to : vectors->registers.copy.dim[k].from,
                    wide ? "L" : "");
    ct_text_add(text, ";\n");
}

/* Boxes of registers, the last one of a row where it ends. */
static void emit_boxes(ct_text *text, const ct_tile_vectors *vectors, bool nontemporal, int split)
{
    const ct_register_transpose_io io = ct_tile_vectors_io(vectors, nontemporal);
    emit_loops(text, vectors, split);
    ct_text_add(text, "    {\n");
    emit_starts(text, vectors, split);
    emit_offset(text, vectors, "f", false);
    emit_offset(text, vectors, "g", true);
    ct_register_transpose_emit(text, &vectors->registers, &io, "f", "g");
    ct_text_add(text, "    }\n");
}

int64_t ct_tile_vectors_line(const ct_tile_vectors *vectors, int k)
{
    const int word = vectors->registers.copy.word;
    const int64_t words = word < LINE ? LINE / word : 1;
    return words / ct_common_divisor(words, vectors->registers.copy.dim[k].to);
}

/* A row of the array that is known to end inside a line, and begins with one. */
static bool is_ragged_row(const ct_tile_vectors *vectors, int k)
{
    const ct_copy *copy = &vectors->registers.copy;
    const int64_t line = ct_tile_vectors_line(vectors, k), length = copy->dim[k].extent;
    bool is = copy->dim[k].to == 1 && length > line && length % line != 0;
    for (int other = 0; other < copy->rank; other++)
        is = is && (other == k || ct_tile_vectors_line(vectors, other) == 1);
    return is;
}

bool ct_tile_vectors_may_split(const ct_tile_vectors *vectors, int k)
{
    if (!vectors->registers.copy.dim[k].cut) return is_ragged_row(vectors, k);
    return ct_tile_vectors_line(vectors, k) > 1;
}

int ct_tile_vectors_split(const ct_tile_vectors *vectors)
{
    int k = vectors->registers.copy.rank - 1;
    while (k >= 0 && !ct_tile_vectors_may_split(vectors, k))
        k--;
    return k;
}

/* What of rows comes after their last whole line: a line that went past the caches is not touched
 * again. Words of less than 4 bytes, which no processor stores past them, go by boxes that end with
 * the row, where so much of it is left; all else goes word by word. */
static void emit_rest(ct_text *text, const ct_tile_vectors *vectors, int split)
{
    ct_tile_vectors rest = *vectors;
    const int bits = rest.registers.copy.word == 1 ? 4 : 3;
    ct_register_transpose_choose(&rest.registers, bits, bits, 0);
    if (split >= 0 && rest.registers.copy.word < 4 && ct_tile_vectors_box(&rest, split) > 1) {
        ct_text_add(text, "    if (all_%d - count_%d >= %" PRId64 ") {\n", split, split,
                    ct_tile_vectors_box(&rest, split));
        emit_boxes(text, &rest, false, split);
        ct_text_add(text, "    return;\n    }\n");
    }
    rest.registers = ct_register_transpose_words(&vectors->registers);
    emit_boxes(text, &rest, true, split);
}

static void emit_function(ct_text *text, const ct_tile_vectors *vectors, bool nontemporal)
{
    const ct_box *box = vectors->plan->box;
    const bool ends = nontemporal && ct_tile_vectors_short(vectors);
    const int split = nontemporal && !ends ? ct_tile_vectors_split(vectors) : -1;
    ct_text_add(text, "static void ct_%s_%s_boxes%d%s(", box->access.write ? "store" : "pack",
                box->name, vectors->number, nontemporal ? "_nontemporal" : "");
    ct_tile_vectors_pointer(text, vectors, !box->access.write);
    ct_text_add(text, " *restrict from, ");
    ct_tile_vectors_pointer(text, vectors, box->access.write);
    ct_text_add(text, " *restrict to");
    for (int k = 0; k < vectors->registers.copy.rank; k++)
        ct_text_add(text, ", const int %s_%d", k == split ? "all" : "count", k);
    ct_text_add(text, ")\n{\n");
    if (split >= 0)
        ct_text_add(text, "    const int count_%d = all_%d - all_%d %% %" PRId64 ";\n", split,
                    split, split, ct_tile_vectors_line(vectors, split));
    if (!ends) emit_boxes(text, vectors, nontemporal, -1);
    if (ends || split >= 0) emit_rest(text, vectors, split);
    ct_text_add(text, "}\n");
}

bool ct_tile_vectors_short(const ct_tile_vectors *vectors)
{
    return vectors->registers.copy.word << vectors->registers.to_lanes < LINE;
}

/* What lies inside may be the ends of rows, and other dimensions lead from line to line. Processors
 * store no less than 4 bytes past the caches. */
static bool may_be_ends(const ct_tile_vectors *vectors)
{
    const ct_copy *copy = &vectors->registers.copy;
    bool cut = false, lines = copy->word >= 4;
    for (int k = 0; k < copy->rank; k++)
        if (copy->dim[k].to == 1)
            cut = copy->dim[k].cut;
        else
            lines = lines && ct_tile_vectors_line(vectors, k) == 1;
    return cut && lines;
}

/* Whole lines are stored, and every one starts at a multiple of its length from the first. */
static bool stores_lines(const ct_tile_vectors *vectors)
{
    const ct_register_transpose *registers = &vectors->registers;
    const int64_t lanes = (int64_t)1 << registers->to_lanes;
    for (int k = 0; k < registers->count; k++)
        if (registers->bit[k].to >= lanes && registers->bit[k].to % lanes) return false;
    for (int k = 0; k < registers->copy.rank; k++) {
        const ct_copy_dim *dim = &registers->copy.dim[k];
        const int64_t step = ct_tile_vectors_box(vectors, k);
        if ((dim->extent > step || dim->cut) && step * dim->to % lanes) return false;
        if (!dim->cut && dim->extent % step * dim->to % lanes && !is_ragged_row(vectors, k))
            return false;
    }
    return true;
}

bool ct_tile_vectors_can_bypass(const ct_tile_vectors *vectors)
{
    const ct_box *box = vectors->plan->box;
    if (!box->access.write || !box->nontemporal || vectors->conversion == CT_CONVERT_AT_ARRAY)
        return false;
    return ct_tile_vectors_short(vectors) ? may_be_ends(vectors) : stores_lines(vectors);
}

void ct_tile_vectors_emit(ct_text *text, const ct_tile_vectors *vectors)
{
    ct_register_transpose_types(text);
    ct_tile_vectors_types(text, vectors);
    emit_function(text, vectors, false);
    if (ct_tile_vectors_can_bypass(vectors)) emit_function(text, vectors, true);
}

/* "n_s / 8 * 2" */
void ct_tile_vectors_add_count(ct_text *text, const ct_tile_vectors *vectors, int k, bool inside)
{
    const ct_tile_plan *plan = vectors->plan;
    const ct_copy_dim *dim = &vectors->registers.copy.dim[k];
    if (inside || !dim->cut) {
        ct_text_add(text, "%" PRId64, dim->extent);
        return;
    }
    ct_tile_part_add_length(text, plan, dim->of);
    if (dim->each > 1) ct_text_add(text, " * %" PRId64, dim->each);
}
