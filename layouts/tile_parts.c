/* tile_parts.c: the parts of a box that lie inside the array, each of which vectors can move: where
 * a dimension of the tile is split into an outer and an inner one, what does not fill the last
 * inner one is a part by itself. And the lengths for which boxes of registers are chosen.
 *
 * Room: layouts. Knows extents of arrays and tiles. Does not know strides. */
#include <ctype.h>
#include <inttypes.h>

#include "text.h"
#include "tile_inner.h"

int64_t ct_tile_part_array_extent(const ct_tile_plan *plan, int argument)
{
    return ct_array_extent(plan->box->access.array, plan->box->access.aliases[argument]);
}

int ct_tile_part_other(const ct_tile_plan *plan, int k)
{
    const ct_tile_dim *dim = &plan->dim[k];
    for (int j = 0; j < plan->count; j++)
        if (j != k && plan->dim[j].argument == dim->argument && plan->dim[j].extent > 1 &&
            dim->extent > 1)
            return j;
    return -1;
}

/* The box begins at 0 and ends where the array does. */
static bool is_known(const ct_tile_plan *plan, int argument)
{
    return ct_tile_part_array_extent(plan, argument) <= ct_tile_plan_extent(plan, argument);
}

int64_t ct_tile_part_expected(const ct_tile_plan *plan, int argument)
{
    const int64_t all = ct_tile_part_array_extent(plan, argument);
    return is_known(plan, argument) ? all : all % ct_tile_plan_extent(plan, argument);
}

static void set(ct_tile_part *part, int k, int64_t extent, bool known)
{
    part->extent[k] = extent;
    part->cut[k] = !known && extent > 1;
}

/* Outer parts without their last index, or only that one. */
static void describe_split(ct_tile_part *part, const ct_tile_plan *plan, int outer, bool last)
{
    const ct_tile_dim *dim = &plan->dim[outer];
    const bool known = is_known(plan, dim->argument);
    const int64_t inside = ct_tile_part_expected(plan, dim->argument);
    const int inner = ct_tile_part_other(plan, outer);
    part->last[outer] = last;
    if (last) {
        set(part, outer, 1, true);
        set(part, inner, inside % dim->step, known);
    } else {
        set(part, outer, known ? inside / dim->step : dim->extent, known);
        set(part, inner, dim->step, true);
    }
}

bool ct_tile_part_describe(ct_tile_part *part, const ct_tile_plan *plan, int number)
{
    bool any = true;
    *part = (ct_tile_part){.number = number};
    for (int k = 0; k < plan->count; k++) {
        const ct_tile_dim *dim = &plan->dim[k];
        const bool known = is_known(plan, dim->argument);
        if (ct_tile_part_other(plan, k) < 0) {
            set(part, k,
                known && dim->extent > 1 ? ct_tile_part_expected(plan, dim->argument) : dim->extent,
                known || dim->extent == 1);
        } else if (dim->step > 1) {
            describe_split(part, plan, k, number & 1);
            number >>= 1;
        }
    }
    for (int k = 0; k < plan->count; k++)
        any = any && part->extent[k] > 0;
    return any && number == 0;
}

/* Of a dimension, at the end of the array. */
static int64_t expected_count(const ct_tile_part *part, const ct_tile_plan *plan, int k)
{
    const ct_tile_dim *dim = &plan->dim[k];
    if (!part->cut[k]) return 0;
    if (ct_tile_part_other(plan, k) >= 0 && dim->step == 1) return 0;
    return ct_tile_part_expected(plan, dim->argument) / dim->step;
}

bool ct_tile_part_shorten(ct_tile_part *part, const ct_tile_plan *plan,
                          const int64_t least[CT_DIMS], int number)
{
    for (int k = 0; k < plan->count; k++) {
        const int64_t count = expected_count(part, plan, k);
        if (count == 0 || count >= least[k]) continue;
        if (number & 1) set(part, k, count, false);
        number >>= 1;
    }
    return number == 0;
}

/* "n_s", of an outer dimension "n_s / 8", of an inner one "n_s % 8" */
void ct_tile_part_add_length(ct_text *text, const ct_tile_plan *plan, int k)
{
    const ct_tile_dim *dim = &plan->dim[k];
    const bool split = ct_tile_part_other(plan, k) >= 0;
    ct_text_add(text, "n_%c", tolower((unsigned char)plan->box->access.letters[dim->argument]));
    if (split)
        ct_text_add(text, dim->step > 1 ? " / %" PRId64 : " %% %" PRId64,
                    dim->step > 1 ? dim->step : dim->extent);
}
