/* tile_clear.c: zeroes what of a tile lies outside the array: along each dimension that ends inside
 * the box, from there on. What PACK brings stays as it is.
 *
 * Room: layouts. Knows dimensions of a tile. Does not know arrays' strides. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "text.h"
#include "tile_inner.h"

/* From which index on along each dimension of the tile; all of it where there is no text. */
typedef struct ct_tile_range {
    const char *from[CT_DIMS];
    const char *end[CT_DIMS]; /* none: the dimension's */
} ct_tile_range;

/* The dimensions after the last one that has a range lie together. */
static void emit_range(ct_text *text, const ct_tile_plan *plan, const ct_tile_range *range)
{
    int last = 0;
    for (int k = 0; k < plan->count; k++)
        if (range->from[k]) last = k;
    ct_text place = {0};
    for (int k = 0; k < last; k++) {
        const ct_tile_dim *dim = &plan->dim[k];
        if (dim->extent == 1) continue;
        ct_text_add(text, "        for (int i_%c = %s; i_%c < ", dim->letter,
                    range->from[k] ? range->from[k] : "0", dim->letter);
        if (range->end[k])
            ct_text_add(text, "%s", range->end[k]);
        else
            ct_text_add(text, "%" PRId64, dim->extent);
        ct_text_add(text, "; i_%c++)\n", dim->letter);
        ct_text_add(&place, "i_%c * %" PRId64 " + ", dim->letter, dim->tile);
    }
    ct_text_add(text, "            ct_clear_%s(tile + (%s(%s) * %" PRId64 "), ", plan->box->name,
                place.data ? place.data : "", range->from[last], plan->dim[last].tile);
    if (range->end[last])
        ct_text_add(text, "((%s) - ", range->end[last]);
    else
        ct_text_add(text, "(%" PRId64 " - ", plan->dim[last].extent);
    ct_text_add(text, "(%s)) * %" PRId64 ");\n", range->from[last], plan->dim[last].tile);
    ct_text_end(&place, text);
}

/* Numbers that lie together, by vectors as long as they are or shorter: the last one moves back. */
void ct_tile_clear_emit_function(ct_text *text, const ct_tile_plan *plan)
{
    const ct_box *box = plan->box;
    char part[16];
    ct_access_part(part, box->type);
    const int bytes = ct_access_part_bytes(box->type) * (strcmp(part, box->type) == 0 ? 1 : 2);
    int words = bytes > 8 ? 1 : bytes < 4 ? 16 : 64 / bytes;
    while (words > 1 && words * bytes > box->vector)
        words /= 2;
    if (words > 1) ct_register_transpose_types(text);
    ct_text_add(text, "static void ct_clear_%s(%s_SPACE %s_TYPE *to, const int count)\n{\n",
                box->name, box->name, box->name);
    for (; words > 1; words /= 2)
        ct_text_add(text,
                    "    if (count >= %d) {\n"
                    "        for (int k = 0; k < count; k += %d)\n"
                    "            *(%s_SPACE ct_word%d_%d *)(to + min(k, count - %d)) = 0;\n"
                    "        return;\n    }\n",
                    words, words, box->name, bytes, words, words);
    ct_text_add(text, "    for (int k = 0; k < count; k++)\n        to[k] = 0;\n}\n");
}

static void emit_outside(ct_text *text, const ct_tile_plan *plan, int k)
{
    const ct_tile_dim *dim = &plan->dim[k];
    const int inner = ct_tile_part_other(plan, k);
    const char letter = (char)tolower((unsigned char)plan->box->access.letters[dim->argument]);
    ct_tile_range range = {0};
    ct_text from = {0}, end = {0}, rest = {0};
    ct_text_add(text, "    if (n_%c < %" PRId64 ") {\n", letter,
                ct_tile_plan_extent(plan, dim->argument));
    ct_text_add(&end, "(n_%c + %" PRId64 ") / %" PRId64, letter, dim->step - 1, dim->step);
    range.from[k] = end.data;
    emit_range(text, plan, &range);
    if (inner >= 0) {
        ct_text_add(&from, "n_%c / %" PRId64, letter, dim->step);
        ct_text_add(&rest, "n_%c - n_%c / %" PRId64 " * %" PRId64, letter, letter, dim->step,
                    dim->step);
        range.from[k] = from.data;
        range.end[k] = end.data;
        range.from[inner] = rest.data;
        emit_range(text, plan, &range);
    }
    ct_text_add(text, "    }\n");
    ct_text_end(&from, text);
    ct_text_end(&end, text);
    ct_text_end(&rest, text);
}

void ct_tile_clear_emit(ct_text *text, const ct_tile_plan *plan)
{
    for (int k = 0; k < plan->count; k++) {
        const ct_tile_dim *dim = &plan->dim[k];
        const bool inner = ct_tile_part_other(plan, k) >= 0 && dim->step == 1;
        if (dim->extent > 1 && !inner) emit_outside(text, plan, k);
    }
}
