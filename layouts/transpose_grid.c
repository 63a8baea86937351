/* transpose_grid.c: cuts a transpose into boxes and says where each lies.
 *
 * Room: layouts. Knows boxes and strides. Does not know how a box is moved. */
#include "transpose_grid.h"
#include "layout.h"

#include <inttypes.h>

#include "text.h"

/* Bytes that are loaded and stored at once. Where many small words make a line, loads are narrower,
 * so that a box fits into 16 registers. */
enum { REGISTERS = 4 /* log2 */ };

/* A group's rows have 32 words, or 64 of one or two bytes, and its work-items four words or more,
 * so that enough loads are under way to hide the wait for memory. */
enum { GROUP_LANES = 5, GROUP_LANES_SMALL = 6, GROUP_EACH = 4 };

int ct_transpose_log2(int64_t value)
{
    int bits = 0;
    while (value >> (bits + 1))
        bits++;
    return bits;
}

static void choose_group(ct_transpose_grid *grid, const ct_transpose *transpose)
{
    ct_register_transpose *registers = &grid->registers;
    const int lanes = grid->registers.copy.word < 4 ? GROUP_LANES_SMALL : GROUP_LANES;
    ct_register_transpose_choose(registers, lanes, lanes, 0);
    while (1 << registers->count < GROUP_EACH * transpose->group &&
           ct_register_transpose_grow(registers))
        continue;
}

static void choose_box(ct_transpose_grid *grid, const ct_transpose *transpose)
{
    const int lanes = ct_transpose_log2(CT_LINE / grid->registers.copy.word),
              more = ct_transpose_log2(transpose->lines);
    const int most = REGISTERS - more;
    if (transpose->group > 1)
        choose_group(grid, transpose);
    else
        ct_register_transpose_choose(&grid->registers, lanes < most ? lanes : most, lanes, more);
}

/* The dimension along which a side's boxes follow each other in memory. */
static int next_along(const ct_transpose_grid *grid, bool to, int but)
{
    int best = -1;
    for (int k = 0; k < grid->registers.copy.rank; k++) {
        const ct_copy_dim *dim = grid->registers.copy.dim;
        if (k == but || grid->steps[k] == 1) continue;
        if (best < 0 || (to ? dim[k].to < dim[best].to : dim[k].from < dim[best].from)) best = k;
    }
    return best;
}

static void choose_along(ct_transpose_grid *grid, const ct_transpose *transpose)
{
    const int from = next_along(grid, false, -1), to = next_along(grid, true, from);
    grid->next_from = from;
    grid->next_to = to;
    for (int k = 0; k < grid->registers.copy.rank; k++)
        grid->along[k] = 1;
    if (transpose->group > 1) return;
    if (from >= 0) grid->along[from] = transpose->along_from;
    if (to >= 0) grid->along[to] = transpose->along_to;
}

/* Dimensions in the source's order. STPC to TSPC is a copy of three, with (P,C) as one; complex
 * bytes of two polarizations that stay together are words of four bytes. */
static ct_copy reduce(const ct_transpose *transpose)
{
    ct_copy copy = ct_copy_make(transpose->to, transpose->from);
    ct_copy_split(&copy, 8);
    ct_copy_sort(&copy, false);
    ct_copy_merge(&copy);
    ct_copy_widen(&copy, 8);
    return copy;
}

bool ct_transpose_is_possible(const ct_transpose *transpose)
{
    const ct_copy copy = ct_copy_make(transpose->to, transpose->from);
    return ct_copy_count(&copy) > 0 && transpose->along_from > 0 && transpose->along_to > 0 &&
           transpose->group > 0 && (transpose->group & (transpose->group - 1)) == 0;
}

ct_transpose_grid ct_transpose_plan(const ct_transpose *transpose)
{
    ct_transpose_grid grid = {.registers.copy = reduce(transpose), .items = 1};
    const ct_copy *copy = &grid.registers.copy;
    choose_box(&grid, transpose);
    for (int k = 0; k < copy->rank; k++)
        grid.steps[k] = ct_divide_up(copy->dim[k].extent, (int64_t)1 << grid.registers.bits[k]);
    choose_along(&grid, transpose);
    for (int k = 0; k < copy->rank; k++)
        grid.items *= ct_divide_up(grid.steps[k], grid.along[k]);
    return grid;
}

void ct_transpose_launch(ct_launch *out, const ct_transpose *transpose)
{
    if (!out || !transpose) return;
    *out = (ct_launch){.global = {1, 1, 1}, .local = {1, 1, 1}};
    if (!ct_transpose_is_possible(transpose)) return;
    const ct_transpose_grid grid = ct_transpose_plan(transpose);
    *out = (ct_launch){.global = {(size_t)(grid.items * transpose->group), 1, 1},
                       .local = {(size_t)transpose->group, 1, 1}};
}

/* Which boxes an item moves: m_k along dimension k, counted with the source's fastest one fastest.
 */
void ct_transpose_emit_place(ct_text *text, const ct_transpose_grid *grid)
{
    int64_t count = 1;
    for (int k = grid->registers.copy.rank - 1; k >= 0; k--) {
        const int64_t steps = (grid->steps[k] + grid->along[k] - 1) / grid->along[k];
        ct_text_add(text,
                    "    const int m_%d = (int)(id / %" PRId64 " %% %" PRId64 ") * %" PRId64 ";\n",
                    k, count, steps, grid->along[k]);
        count *= steps;
    }
}

void ct_transpose_emit_loop(ct_text *text, const ct_transpose_grid *grid, int k, int depth)
{
    ct_text_add(text,
                "%*sfor (int i_%d = m_%d; i_%d < min(m_%d + %" PRId64 ", %" PRId64 "); i_%d++)\n",
                4 * depth, "", k, k, k, k, grid->along[k], grid->steps[k], k);
}

const char *ct_transpose_index(const ct_transpose_grid *grid, int k)
{
    return grid->along[k] == 1 ? "m" : "i";
}

/* The last box along a dimension moves back so that it ends with it, or before its rest: some words
 * are moved twice. */
void ct_transpose_emit_starts(ct_text *text, const ct_transpose_grid *grid, int depth)
{
    for (int k = 0; k < grid->registers.copy.rank; k++) {
        const ct_copy_dim *dim = &grid->registers.copy.dim[k];
        const int64_t box = (int64_t)1 << grid->registers.bits[k];
        ct_text_add(text, "%*sconst int x_%d = ", 4 * depth, "", k);
        const char *index = ct_transpose_index(grid, k);
        if (dim->extent % box == 0)
            ct_text_add(text, "%s_%d * %" PRId64 ";\n", index, k, box);
        else
            ct_text_add(text, "min(%s_%d * %" PRId64 ", %" PRId64 ");\n", index, k, box,
                        dim->extent - grid->rest[k] - box);
    }
}

void ct_transpose_offset(ct_text *text, const ct_transpose_grid *grid, bool to)
{
    ct_text_add(text, "%" PRId64 "L", to ? grid->registers.copy.to : grid->registers.copy.from);
    for (int k = 0; k < grid->registers.copy.rank; k++)
        ct_text_add(text, " + x_%d * %" PRId64 "L", k,
                    to ? grid->registers.copy.dim[k].to : grid->registers.copy.dim[k].from);
}

/* Bytes between the starts of boxes are whole vectors, and so is every vector's place in a box. */
bool ct_transpose_is_aligned(const ct_transpose_grid *grid)
{
    const ct_register_transpose *registers = &grid->registers;
    const int64_t lanes = (int64_t)1 << registers->to_lanes;
    if (lanes * registers->copy.word != CT_LINE || grid->registers.copy.to % lanes) return false;
    for (int k = 0; k < registers->count; k++)
        if (registers->bit[k].to >= lanes && registers->bit[k].to % lanes) return false;
    for (int k = 0; k < registers->copy.rank; k++)
        if (grid->steps[k] > 1 && (registers->copy.dim[k].to << registers->bits[k]) % lanes)
            return false;
    return true;
}

/* Whether along a dimension the last box moves back to a place that is not aligned. */
static bool ends_inside_line(const ct_transpose_grid *grid, int k)
{
    const ct_copy_dim *dim = &grid->registers.copy.dim[k];
    const int64_t lanes = (int64_t)1 << grid->registers.to_lanes;
    const int64_t box = (int64_t)1 << grid->registers.bits[k], last = dim->extent - box;
    return dim->extent % box && last * dim->to % lanes;
}

/* "x_1 % 8 == 0": boxes that have not. */
void ct_transpose_condition(ct_text *text, const ct_transpose_grid *grid)
{
    for (int k = 0; k < grid->registers.copy.rank; k++)
        if (ends_inside_line(grid, k))
            ct_text_add(text, "%sx_%d %% %" PRId64 " == 0", text->length ? " && " : "", k,
                        (int64_t)1 << grid->registers.bits[k]);
}

int ct_transpose_split(ct_transpose_grid *grid)
{
    const int64_t lanes = (int64_t)1 << grid->registers.to_lanes;
    int split = -1, count = 0;
    for (int k = 0; k < grid->registers.copy.rank; k++)
        if (ends_inside_line(grid, k)) {
            split = k;
            count++;
        }
    if (count != 1) return -1;
    const ct_copy_dim *dim = &grid->registers.copy.dim[split];
    grid->rest[split] = dim->extent % (lanes / ct_common_divisor(lanes, dim->to));
    return split;
}
