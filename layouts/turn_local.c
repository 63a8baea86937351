/* turn_local.c: the transpose for GPUs: a group loads a box in the source's order into local memory
 * and stores it in the destination's, so that neighbouring work-items touch neighbouring words on
 * both sides.
 *
 * Room: layouts. Knows boxes. Does not know devices. Called by: turn_emit.c. */
#include <inttypes.h>

#include "text.h"
#include "turn_grid.h"

/* Rows of 32 words start in different banks. */
enum { ROW = 5 };

typedef struct turn_bits {
    int order[CT_WEAVE_BITS]; /* bits of the box by rising stride of one side */
} turn_bits;

static turn_bits bits_by(const ct_weave *weave, bool to)
{
    turn_bits bits = {0};
    for (int k = 0; k < weave->count; k++) {
        const int64_t stride = to ? weave->bit[k].to : weave->bit[k].from;
        int place = k;
        for (; place > 0; place--) {
            const ct_weave_bit *other = &weave->bit[bits.order[place - 1]];
            if ((to ? other->to : other->from) <= stride) break;
            bits.order[place] = bits.order[place - 1];
        }
        bits.order[place] = k;
    }
    return bits;
}

/* Bits that are neighbours in the counter and in the result move with one mask. */
static void add_bits(ct_text *text, int count, const int64_t *weight)
{
    ct_text_add(text, "0");
    for (int k = 0; k < count;) {
        int run = 1;
        while (k + run < count && weight[k + run] == weight[k] << run)
            run++;
        ct_text_add(text, " + (k >> %d & %d) * %" PRId64, k, (1 << run) - 1, weight[k]);
        k += run;
    }
}

/* Word number k of the box, counted by `bits`: where it lies on one side. */
static void add_place(ct_text *text, const ct_weave *weave, const turn_bits *bits, bool to)
{
    int64_t weight[CT_WEAVE_BITS];
    for (int k = 0; k < weave->count; k++)
        weight[k] = to ? weave->bit[bits->order[k]].to : weave->bit[bits->order[k]].from;
    add_bits(text, weave->count, weight);
}

/* Word number k counted by `bits` is which one counted by `other`? */
static void add_number(ct_text *text, const ct_weave *weave, const turn_bits *bits,
                       const turn_bits *other)
{
    int64_t weight[CT_WEAVE_BITS] = {0};
    for (int k = 0; k < weave->count; k++)
        for (int j = 0; j < weave->count; j++)
            if (other->order[j] == bits->order[k]) weight[k] = (int64_t)1 << j;
    add_bits(text, weave->count, weight);
}

static void emit_in(ct_text *text, const ct_turn_grid *grid, int64_t group)
{
    const turn_bits bits = bits_by(&grid->weave, false);
    ct_text_add(text, "    for (int k = (int)get_local_id(0); k < %d; k += %" PRId64 ")\n",
                1 << grid->weave.count, group);
    ct_text_add(text, "        tile[k + (k >> %d)] = from[f + ", ROW);
    add_place(text, &grid->weave, &bits, false);
    ct_text_add(text, "];\n");
}

static void emit_out(ct_text *text, const ct_turn_grid *grid, int64_t group)
{
    const turn_bits from = bits_by(&grid->weave, false), to = bits_by(&grid->weave, true);
    ct_text_add(text, "    for (int k = (int)get_local_id(0); k < %d; k += %" PRId64 ") {\n",
                1 << grid->weave.count, group);
    ct_text_add(text, "        const int n = ");
    add_number(text, &grid->weave, &to, &from);
    ct_text_add(text, ";\n        to[g + ");
    add_place(text, &grid->weave, &to, true);
    ct_text_add(text, "] = tile[n + (n >> %d)];\n    }\n", ROW);
}

void ct_turn_emit_local(ct_text *text, const ct_turn_grid *grid, int64_t group)
{
    const int words = 1 << grid->weave.count;
    ct_text_add(text, "static void ct_turn_group(global const CT_TURN_WORD *restrict from, global "
                      "CT_TURN_WORD *restrict to, local CT_TURN_WORD *restrict tile, "
                      "const size_t id)\n{\n");
    ct_turn_emit_place(text, grid);
    ct_turn_emit_starts(text, grid, 1);
    ct_text_add(text, "    const long f = ");
    ct_turn_offset(text, grid, false);
    ct_text_add(text, ", g = ");
    ct_turn_offset(text, grid, true);
    ct_text_add(text, ";\n");
    emit_in(text, grid, group);
    ct_text_add(text, "    barrier(CLK_LOCAL_MEM_FENCE);\n");
    emit_out(text, grid, group);
    ct_text_add(text, "}\n#define CT_TURN_TILE local CT_TURN_WORD turn_tile[%d]\n",
                words + (words >> ROW) + 1);
    ct_text_add(text,
                "#define CT_TURN(from, to) ct_turn_group((global const CT_TURN_WORD *)(from), "
                "(global CT_TURN_WORD *)(to), turn_tile, get_group_id(0))\n");
}
