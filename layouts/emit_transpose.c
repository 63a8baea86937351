/* emit_transpose.c: the transpose as OpenCL text: a grid of boxes, each moved through registers by
 * one work-item, straight to the destination or by way of a buffer (transpose_staged.c), or through
 * local memory by a group (transpose_local.c).
 *
 * Room: layouts. Knows boxes and strides. Does not know stages, types or devices. */
#include <inttypes.h>

#include "text.h"
#include "transpose_grid.h"

/* Loops over the boxes of one item, the destination's order inside: lines that are written past the
 * caches want to follow each other more than lines that are read. */
static int emit_loops(ct_text *text, const ct_transpose_grid *grid)
{
    const ct_copy_dim *dim = grid->registers.copy.dim;
    int depth = 1, inner = -1;
    for (int k = 0; k < grid->registers.copy.rank; k++)
        if (grid->along[k] > 1 && (inner < 0 || dim[k].to < dim[inner].to)) inner = k;
    for (int k = 0; k < grid->registers.copy.rank; k++)
        if (grid->along[k] > 1 && k != inner) ct_transpose_emit_loop(text, grid, k, depth++);
    if (inner >= 0) ct_transpose_emit_loop(text, grid, inner, depth++);
    return depth;
}

static void load(ct_text *text, const void *of, int words, const char *index)
{
    (void)of;
    if (words == 1)
        ct_text_add(text, "from[%s]", index);
    else
        ct_text_add(text, "vload%d(0, from + (%s))", words, index);
}

static void store(ct_text *text, const void *of, int words, const char *index, const char *value)
{
    const ct_register_transpose *registers = of;
    if (words == 1) {
        ct_text_add(text, "to[%s] = %s", index, value);
    } else if (words <= 16) {
        ct_text_add(text, "vstore%d(%s, 0, to + (%s))", words, value, index);
    } else {
        ct_text_add(text, "*(global ");
        ct_register_transpose_type(text, registers->copy.word, words);
        ct_text_add(text, "_anywhere *)(to + (%s)) = %s", index, value);
    }
}

static void store_nontemporal(ct_text *text, const void *of, int words, const char *index,
                              const char *value)
{
    const ct_register_transpose *registers = of;
    ct_text_add(text, "CT_STORE_NONTEMPORAL(%s, (global ", value);
    ct_register_transpose_type(text, registers->copy.word, words);
    ct_text_add(text, " *)(to + (%s)))", index);
}

ct_register_transpose_io ct_transpose_io(const ct_transpose_grid *grid, bool nontemporal)
{
    return (ct_register_transpose_io){&grid->registers, load,
                                      nontemporal ? store_nontemporal : store};
}

static void emit_box(ct_text *text, const ct_transpose_grid *grid, bool nontemporal)
{
    const ct_register_transpose_io io = ct_transpose_io(grid, nontemporal);
    ct_text_add(
        text,
        "static void ct_transpose_box%s(global const CT_TRANSPOSE_WORD *restrict from, global "
        "CT_TRANSPOSE_WORD *restrict to)\n{\n",
        nontemporal ? "_nontemporal" : "");
    ct_register_transpose_emit(text, &grid->registers, &io, "0", "0");
    ct_text_add(text, "}\n");
}

static void add_place(ct_text *text, const ct_copy *copy, const char *name, bool to)
{
    ct_text_add(text, "        const long %s = 0", name);
    for (int k = 0; k < copy->rank; k++)
        ct_text_add(text, " + x_%d * %" PRId64 "L", k, to ? copy->dim[k].to : copy->dim[k].from);
    ct_text_add(text, ";\n");
}

/* What of rows comes after their last whole line, word by word: a line that went past the caches
 * and is then stored through them is waited for. */
static void emit_rest(ct_text *text, const ct_transpose_grid *grid)
{
    ct_transpose_grid word = *grid;
    word.registers = ct_register_transpose_words(&grid->registers);
    const ct_register_transpose_io io = ct_transpose_io(&word, true);
    ct_text_add(
        text, "static void ct_transpose_rest(global const CT_TRANSPOSE_WORD *restrict from, global "
              "CT_TRANSPOSE_WORD *restrict to)\n{\n");
    for (int k = 0; k < grid->registers.copy.rank; k++) {
        const int64_t box = (int64_t)1 << grid->registers.bits[k], rest = grid->rest[k];
        ct_text_add(text, "    for (int x_%d = %" PRId64 "; x_%d < %" PRId64 "; x_%d++)\n", k,
                    rest > 0 ? box : 0, k, box + rest, k);
    }
    ct_text_add(text, "    {\n");
    add_place(text, &word.registers.copy, "f", false);
    add_place(text, &word.registers.copy, "g", true);
    ct_register_transpose_emit(text, &word.registers, &io, "f", "g");
    ct_text_add(text, "    }\n}\n");
}

static void emit_call(ct_text *text, const ct_transpose_grid *grid, const char *name, int depth)
{
    ct_text_add(text, "%*s%s(from + (", 4 * depth, "", name);
    ct_transpose_offset(text, grid, false);
    ct_text_add(text, "), to + (");
    ct_transpose_offset(text, grid, true);
    ct_text_add(text, "));\n");
}

/* Of rows that end inside a line: the last box is one of whole lines, if there are any, and the
 * rest follows it. */
static void emit_split(ct_text *text, const ct_transpose_grid *grid, int split, int depth)
{
    const int64_t box = (int64_t)1 << grid->registers.bits[split];
    const int64_t whole = grid->registers.copy.dim[split].extent - grid->rest[split];
    const char *index = ct_transpose_index(grid, split);
    if (whole % box == 0)
        ct_text_add(text, "%*sif (%s_%d < %" PRId64 ")\n", 4 * depth, "", index, split,
                    whole / box);
    emit_call(text, grid, "ct_transpose_box_nontemporal", depth);
    ct_text_add(text, "%*sif (%s_%d == %" PRId64 ")\n", 4 * depth, "", index, split,
                grid->steps[split] - 1);
    emit_call(text, grid, "ct_transpose_rest", depth);
}

static void emit_calls(ct_text *text, const ct_transpose_grid *grid, bool nontemporal, int depth)
{
    ct_text condition = {0};
    if (nontemporal) {
        ct_transpose_condition(&condition, grid);
        if (condition.length) ct_text_add(text, "%*sif (%s)\n", 4 * depth, "", condition.data);
        emit_call(text, grid, "ct_transpose_box_nontemporal", depth);
        if (condition.length) ct_text_add(text, "%*selse\n", 4 * depth, "");
    }
    if (!nontemporal || condition.length) emit_call(text, grid, "ct_transpose_box", depth);
    ct_text_end(&condition, text);
}

static void emit_registers(ct_text *text, ct_transpose_grid *grid, bool nontemporal)
{
    const int split = nontemporal ? ct_transpose_split(grid) : -1;
    if (split >= 0)
        emit_rest(text, grid);
    else
        emit_box(text, grid, false);
    if (nontemporal) emit_box(text, grid, true);
    ct_text_add(
        text, "static void ct_transpose_item(global const CT_TRANSPOSE_WORD *restrict from, global "
              "CT_TRANSPOSE_WORD *restrict to, const size_t id)\n{\n");
    ct_transpose_emit_place(text, grid);
    const int depth = emit_loops(text, grid);
    ct_text_add(text, "%*s{\n", 4 * depth, "");
    ct_transpose_emit_starts(text, grid, depth + 1);
    if (split >= 0)
        emit_split(text, grid, split, depth + 1);
    else
        emit_calls(text, grid, nontemporal, depth + 1);
    ct_text_add(text, "%*s}\n}\n", 4 * depth, "");
    ct_text_add(text, "#define CT_TRANSPOSE_TILE\n"
                      "#define CT_TRANSPOSE(from, to) ct_transpose_item((global const "
                      "CT_TRANSPOSE_WORD *)(from), "
                      "(global CT_TRANSPOSE_WORD *)(to), get_global_id(0))\n");
}

void ct_transpose_emit(ct_text *text, const ct_transpose *transpose)
{
    if (!text || !transpose) return;
    if (!ct_transpose_is_possible(transpose)) {
        ct_text_add(text,
                    "#error \"ct_transpose: the arrays do not match, or a number is below 1\"\n");
        return;
    }
    ct_transpose_grid grid = ct_transpose_plan(transpose);
    ct_register_transpose_types(text);
    ct_text_add(text, "#define CT_TRANSPOSE_WORD ");
    ct_register_transpose_type(text, grid.registers.copy.word, 1);
    ct_text_add(text, "\n");
    const bool nontemporal = transpose->nontemporal && ct_transpose_is_aligned(&grid);
    if (transpose->group > 1)
        ct_transpose_emit_local(text, &grid, transpose->group);
    else if (transpose->staged && ct_transpose_can_stage(&grid))
        ct_transpose_emit_staged(text, &grid, nontemporal);
    else
        emit_registers(text, &grid, nontemporal);
}
