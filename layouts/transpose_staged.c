/* transpose_staged.c: one work-item's boxes by way of a buffer in the cache. Boxes come in along
 * the source's fastest dimension, a few rows at a time, and lie in the buffer in the destination's
 * order; then whole rows of the destination go out. Straight from box to destination, either side
 * would be touched in single lines of many rows, which strides of a power of two put into the same
 * cache sets.
 *
 * Room: layouts. Knows boxes. */
#include <inttypes.h>

#include "text.h"
#include "transpose_grid.h"

static int lanes_of(const ct_transpose_grid *grid)
{
    return 1 << grid->registers.to_lanes;
}

/* Words between rows of the buffer: an item's part of a row in the destination, and a line of
 * padding. */
static int64_t row_stride(const ct_transpose_grid *grid)
{
    return (grid->along[grid->next_to] + 1) * lanes_of(grid);
}

/* Rows of the buffer that one box fills. */
static int64_t rows_of(const ct_transpose_grid *grid)
{
    return (int64_t)1 << (grid->registers.count - grid->registers.to_lanes);
}

bool ct_transpose_can_stage(const ct_transpose_grid *grid)
{
    return grid->next_from >= 0 && grid->next_to >= 0 &&
           lanes_of(grid) * grid->registers.copy.word == CT_LINE;
}

/* The box with the buffer as its destination; row n's place in the real one comes in `row`. */
static ct_register_transpose into_buffer(const ct_transpose_grid *grid, int64_t *row)
{
    ct_register_transpose registers = grid->registers;
    int rows = 0;
    for (int k = 0; k < registers.count; k++) {
        if (registers.bit[k].to < lanes_of(grid)) continue;
        for (int n = 0; n < 1 << rows; n++)
            row[n | 1 << rows] = row[n] + registers.bit[k].to;
        registers.bit[k].to = row_stride(grid) << rows++;
    }
    return registers;
}

static void add_buffer(ct_text *text, const ct_transpose_grid *grid, int row)
{
    const int x = grid->next_from, y = grid->next_to;
    ct_text_add(text, "((i_%d - m_%d) * %" PRId64 " + %d) * %" PRId64 " + (i_%d - m_%d) * %d", x, x,
                rows_of(grid), row, row_stride(grid), y, y, lanes_of(grid));
}

static void emit_in(ct_text *text, const ct_transpose_grid *grid)
{
    ct_transpose_emit_loop(text, grid, grid->next_to, 1);
    ct_transpose_emit_loop(text, grid, grid->next_from, 2);
    ct_text_add(text, "            {\n");
    ct_transpose_emit_starts(text, grid, 4);
    ct_text_add(text, "                ct_transpose_box(from + (");
    ct_transpose_offset(text, grid, false);
    ct_text_add(text, "), buffer + ");
    add_buffer(text, grid, 0);
    ct_text_add(text, ");\n            }\n");
}

static void add_line_type(ct_text *text, const ct_transpose_grid *grid)
{
    ct_register_transpose_type(text, grid->registers.copy.word, lanes_of(grid));
}

/* Lines of the buffer are aligned. */
static void store(ct_text *text, const void *of, int words, const char *index, const char *value)
{
    const ct_transpose_grid *grid = of;
    (void)words;
    ct_text_add(text, "*(private ");
    add_line_type(text, grid);
    ct_text_add(text, " *)(to + (%s)) = %s", index, value);
}

/* One line of the buffer to `place`. */
static void emit_line(ct_text *text, const ct_transpose_grid *grid, bool nontemporal)
{
    const ct_register_transpose_io io = ct_transpose_io(grid, nontemporal);
    ct_text_add(text, "                    ");
    io.store(text, io.of, lanes_of(grid), "place", "line");
    ct_text_add(text, ";\n");
}

static void emit_lines(ct_text *text, const ct_transpose_grid *grid, bool nontemporal)
{
    ct_text condition = {0};
    if (nontemporal) ct_transpose_condition(&condition, grid);
    if (condition.length) ct_text_add(text, "                if (%s)\n", condition.data);
    emit_line(text, grid, nontemporal);
    if (condition.length) {
        ct_text_add(text, "                else\n");
        emit_line(text, grid, false);
    }
    ct_text_end(&condition, text);
}

static void emit_row(ct_text *text, const ct_transpose_grid *grid, int row, int64_t offset,
                     bool nontemporal)
{
    ct_transpose_emit_loop(text, grid, grid->next_to, 2);
    ct_text_add(text, "            {\n");
    ct_transpose_emit_starts(text, grid, 4);
    ct_text_add(text, "                const long place = ");
    ct_transpose_offset(text, grid, true);
    ct_text_add(text, " + %" PRId64 "L;\n                const ", offset);
    add_line_type(text, grid);
    ct_text_add(text, " line = *(private ");
    add_line_type(text, grid);
    ct_text_add(text, " *)(buffer + ");
    add_buffer(text, grid, row);
    ct_text_add(text, ");\n");
    emit_lines(text, grid, nontemporal);
    ct_text_add(text, "            }\n");
}

static void emit_box(ct_text *text, const ct_register_transpose *registers,
                     const ct_transpose_grid *grid)
{
    const ct_register_transpose_io io = {grid, ct_transpose_io(grid, false).load, store};
    ct_text_add(
        text, "static void ct_transpose_box(global const CT_TRANSPOSE_WORD *restrict from, private "
              "CT_TRANSPOSE_WORD *restrict to)\n{\n");
    ct_register_transpose_emit(text, registers, &io, "0", "0");
    ct_text_add(text, "}\n");
}

void ct_transpose_emit_staged(ct_text *text, const ct_transpose_grid *grid, bool nontemporal)
{
    int64_t row[1 << CT_REGISTER_TRANSPOSE_BITS] = {0};
    const ct_register_transpose registers = into_buffer(grid, row);
    emit_box(text, &registers, grid);
    ct_text_add(
        text, "static void ct_transpose_item(global const CT_TRANSPOSE_WORD *restrict from, global "
              "CT_TRANSPOSE_WORD *restrict to, const size_t id)\n{\n");
    ct_transpose_emit_place(text, grid);
    ct_text_add(text, "    CT_TRANSPOSE_WORD buffer[%" PRId64 "] __attribute__((aligned(%d)));\n",
                grid->along[grid->next_from] * rows_of(grid) * row_stride(grid), CT_LINE);
    emit_in(text, grid);
    ct_transpose_emit_loop(text, grid, grid->next_from, 1);
    ct_text_add(text, "    {\n");
    for (int n = 0; n < rows_of(grid); n++)
        emit_row(text, grid, n, row[n], nontemporal);
    ct_text_add(text, "    }\n}\n#define CT_TRANSPOSE_TILE\n"
                      "#define CT_TRANSPOSE(from, to) ct_transpose_item((global const "
                      "CT_TRANSPOSE_WORD *)(from), "
                      "(global CT_TRANSPOSE_WORD *)(to), get_global_id(0))\n");
}
