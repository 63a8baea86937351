/* transpose_local.c: the transpose for GPUs: a group loads a box in the source's order into local
 * memory and stores it in the destination's, so that neighbouring work-items touch neighbouring
 * words on both sides.
 *
 * Room: layouts. Knows boxes. Does not know devices. */
#include <inttypes.h>

#include "text.h"
#include "transpose_grid.h"

/* Rows of 32 words start in different banks. */
enum { ROW = 5 };

typedef struct box_bits {
    int order[CT_REGISTER_TRANSPOSE_BITS]; /* bits of the box by rising stride of one side */
} box_bits;

static box_bits bits_by(const ct_register_transpose *registers, bool to)
{
    box_bits bits = {0};
    for (int k = 0; k < registers->count; k++) {
        const int64_t stride = to ? registers->bit[k].to : registers->bit[k].from;
        int place = k;
        for (; place > 0; place--) {
            const ct_register_transpose_bit *other = &registers->bit[bits.order[place - 1]];
            if ((to ? other->to : other->from) <= stride) break;
            bits.order[place] = bits.order[place - 1];
        }
        bits.order[place] = k;
    }
    return bits;
}

/* A sum over the bits of a counter, of which bit 0 has the weight `first`, each with its weight.
 * Neighbours move with one mask. */
static void add_bits(ct_text *text, const char *counter, int first, int end, const int64_t *weight)
{
    int64_t most = 0;
    for (int k = first; k < end; k++)
        most += weight[k];
    ct_text_add(text, "0");
    for (int k = first; k < end;) {
        int together = 1;
        while (k + together < end && weight[k + together] == weight[k] << together)
            together++;
        ct_text_add(text, " + (%s >> %d & %d) * %" PRId64 "%s", counter, k - first,
                    (1 << together) - 1, weight[k], most > INT32_MAX ? "L" : "");
        k += together;
    }
}

/* Word number k of the box, counted by `bits`: where it lies on one side. */
static void weigh_place(int64_t *weight, const ct_register_transpose *registers,
                        const box_bits *bits, bool to)
{
    for (int k = 0; k < registers->count; k++)
        weight[k] = to ? registers->bit[bits->order[k]].to : registers->bit[bits->order[k]].from;
}

/* Word number k counted by `bits`: where it lies in the tile, which is counted by `other`. */
static void weigh_tile(int64_t *weight, const ct_register_transpose *registers,
                       const box_bits *bits, const box_bits *other)
{
    for (int k = 0; k < registers->count; k++)
        for (int j = 0; j < registers->count; j++)
            if (other->order[j] == bits->order[k])
                weight[k] = ((int64_t)1 << j) + (((int64_t)1 << j) >> ROW);
}

/* One side's loop: the work-item's first word, and from there to the others at distances that are
 * literal once the loop is unrolled. The low bits of a word's number are the work-item's, the
 * others the round's. */
static void emit_side(ct_text *text, const ct_transpose_grid *grid, int64_t group, bool to)
{
    const ct_register_transpose *registers = &grid->registers;
    const box_bits from = bits_by(registers, false), bits = bits_by(registers, to);
    const int all = registers->count,
              own = ct_transpose_log2(group) < all ? ct_transpose_log2(group) : all;
    int64_t place[CT_REGISTER_TRANSPOSE_BITS] = {0}, tile[CT_REGISTER_TRANSPOSE_BITS] = {0};
    weigh_place(place, registers, &bits, to);
    weigh_tile(tile, registers, &bits, &from);
    ct_text_add(text, "    {\n        global %sCT_TRANSPOSE_WORD *at = %s + ", to ? "" : "const ",
                to ? "to + g" : "from + f");
    add_bits(text, "item", 0, own, place);
    ct_text_add(text, ";\n        local CT_TRANSPOSE_WORD *word = tile + ");
    add_bits(text, "item", 0, own, tile);
    ct_text_add(text,
                ";\n        #pragma unroll\n        for (int n = 0; n < %d; n++)\n            ",
                all > own ? 1 << (all - own) : 1);
    ct_text_add(text, to ? "at[" : "word[");
    add_bits(text, "n", own, all, to ? place : tile);
    ct_text_add(text, to ? "] = word[" : "] = at[");
    add_bits(text, "n", own, all, to ? tile : place);
    ct_text_add(text, "];\n    }\n");
}

void ct_transpose_emit_local(ct_text *text, const ct_transpose_grid *grid, int64_t group)
{
    const int words = 1 << grid->registers.count;
    ct_text_add(
        text,
        "static void ct_transpose_group(global const CT_TRANSPOSE_WORD *restrict from, global "
        "CT_TRANSPOSE_WORD *restrict to, local CT_TRANSPOSE_WORD *restrict tile, "
        "const size_t id)\n{\n    const int item = (int)get_local_id(0);\n");
    ct_transpose_emit_place(text, grid);
    ct_transpose_emit_starts(text, grid, 1);
    ct_text_add(text, "    const long f = ");
    ct_transpose_offset(text, grid, false);
    ct_text_add(text, ", g = ");
    ct_transpose_offset(text, grid, true);
    ct_text_add(text, ";\n");
    if (words < group) ct_text_add(text, "    if (item < %d)\n", words);
    emit_side(text, grid, group, false);
    ct_text_add(text, "    barrier(CLK_LOCAL_MEM_FENCE);\n");
    if (words < group) ct_text_add(text, "    if (item < %d)\n", words);
    emit_side(text, grid, group, true);
    ct_text_add(text, "}\n#define CT_TRANSPOSE_TILE local CT_TRANSPOSE_WORD transpose_tile[%d]\n",
                words + (words >> ROW) + 1);
    ct_text_add(text, "#define CT_TRANSPOSE(from, to) ct_transpose_group((global const "
                      "CT_TRANSPOSE_WORD *)(from), "
                      "(global CT_TRANSPOSE_WORD *)(to), transpose_tile, get_group_id(0))\n");
}
