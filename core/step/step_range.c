/* step_range.c: see step_range.h. Room: core/step. */
#include "step_range.h"

#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "layout.h"
#include "step_inner.h"

ct_split ct_step_split_letter(const char *split, int n, char *letter)
{
    const char *at = split ? split + strspn(split, " ") : "";
    for (; n > 0 && *at; n--) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    const bool sum = *at == '+';
    *letter = at[sum];
    return *at == 0 || *at == '*' ? CT_SPLIT_NOT : sum ? CT_SPLIT_SUM : CT_SPLIT_FREE;
}

/* What the stage calls a dimension of its arrays; 0 where it has no such. Scratch and tables may
 * name one that no input or output has here: a B of scratch may be series of S. */
static char letter_of(const ct_step *step, char dim)
{
    char letters[CT_DIMS + 1], aliases[CT_DIMS + 1];
    for (int p = 0; p < ct_step_ports(step); p++) {
        const ct_direction direction = step->stage->ports[p].direction;
        if (direction != CT_IN && direction != CT_OUT) continue;
        if (step->port[p].type == CT_NONE || ct_array_find(&step->port[p], dim) < 0) continue;
        if (!strcmp(step->stage->ports[p].dims, "*")) return dim;
        ct_step_letters(step, p, letters, aliases);
        const char *place = strchr(aliases, dim);
        if (place) return letters[place - aliases];
    }
    return 0;
}

static ct_split declared(const ct_step *step, char dim)
{
    const char *split = step->stage->split;
    const char letter = letter_of(step, dim);
    char one;
    ct_split how;
    if (!split || !letter) return CT_SPLIT_NOT;
    if (!strcmp(split, "*")) return CT_SPLIT_FREE;
    for (int n = 0; (how = ct_step_split_letter(split, n, &one)) != CT_SPLIT_NOT; n++)
        if (one == letter) return how;
    return CT_SPLIT_NOT;
}

static bool has(const ct_step *step, int port, char dim)
{
    return step->port[port].type != CT_NONE && ct_array_find(&step->port[port], dim) >= 0;
}

static bool is_output(const ct_step *step, int port)
{
    return step->stage->ports[port].direction == CT_OUT;
}

/* Of what is added the outputs have one index, or none: each range gives all of it. */
static bool is_divided(const ct_step *step, int port, char dim)
{
    return has(step, port, dim) && !(declared(step, dim) == CT_SPLIT_SUM && is_output(step, port));
}

static bool is_filled_by_kernel(const ct_stage *stage, int port)
{
    const ct_fill *fill = stage->kernel.fills;
    for (; fill && fill->port; fill++)
        if (!strcmp(fill->port, stage->ports[port].name)) return true;
    return false;
}

/* Why these shapes do not allow what the stage declares; NULL where they do. */
static const char *forbids(const ct_step *step, char dim, ct_split how)
{
    const int64_t indices = ct_step_split_extent(step, dim);
    if (ct_step_in(step)->unsplit) return ct_step_in(step)->unsplit;
    if (dim == 'T' && ct_role_of(step) == CT_ROLE_SINK)
        return "a file grows with time, so each rank takes all of T";
    if (dim == 'T' && step->overlap > 0)
        return "it keeps samples of the block before, and what has such a history is never split "
               "along T";
    if (dim == 'T' && step->accumulate > 1 && how == CT_SPLIT_FREE)
        return "it gathers several blocks along T";
    if (dim == 'T' && step->accumulate > 1 && step->decimate % ct_step_firing(step) != 0)
        return "its sums end inside blocks";
    for (int p = 0; p < ct_step_ports(step); p++) {
        if (dim == 'T' && ct_step_is_updated(step, p))
            return "it has a table that changes with time";
        if (!has(step, p, dim)) continue;
        const int64_t extent = ct_array_extent(&step->port[p], dim);
        if (how == CT_SPLIT_SUM && is_output(step, p) && extent > 1)
            return "a block gives several sums along it";
        if (is_divided(step, p, dim) && extent % indices != 0) return "its extents do not divide";
        if (is_filled_by_kernel(step->stage, p)) return "a kernel fills its table";
    }
    return NULL;
}

ct_split ct_step_split(const ct_step *step, char dim, char why[CT_SPLIT_WHY])
{
    char list[CT_SPLIT_WHY];
    const ct_split how = declared(step, dim);
    const char *reason = how == CT_SPLIT_NOT ? NULL : forbids(step, dim, how);
    if (how != CT_SPLIT_NOT && !reason) return how;
    if (!why) return CT_SPLIT_NOT;
    if (reason)
        snprintf(why, CT_SPLIT_WHY, "%s", reason);
    else if (dim == 'T' && step->overlap > 0)
        snprintf(why, CT_SPLIT_WHY, "%s", forbids(step, dim, CT_SPLIT_FREE));
    else
        snprintf(why, CT_SPLIT_WHY, "it can be split along %s", ct_step_split_list(step, list));
    return CT_SPLIT_NOT;
}

int64_t ct_step_split_extent(const ct_step *step, char dim)
{
    int64_t least = 0;
    for (int p = 0; p < ct_step_ports(step); p++) {
        if (!is_divided(step, p, dim)) continue;
        const int64_t extent = ct_array_extent(&step->port[p], dim);
        if (least == 0 || extent < least) least = extent;
    }
    return least > 0 ? least : 1;
}

/* All dimensions of the step's arrays, in the order of its ports. */
static void all_dims(const ct_step *step, char out[128])
{
    size_t count = 0;
    out[0] = 0;
    for (int p = 0; p < ct_step_ports(step); p++)
        for (int k = 0; step->port[p].type != CT_NONE && k < step->port[p].rank; k++)
            if (count < 127 && !strchr(out, step->port[p].dim[k])) {
                out[count++] = step->port[p].dim[k];
                out[count] = 0;
            }
}

const char *ct_step_split_list(const ct_step *step, char out[CT_SPLIT_WHY])
{
    char dims[128];
    size_t used = 0;
    all_dims(step, dims);
    out[0] = 0;
    for (ct_split how = CT_SPLIT_FREE; how <= CT_SPLIT_SUM; how++)
        for (const char *dim = dims; *dim && used + 32 < CT_SPLIT_WHY; dim++) {
            if (declared(step, *dim) != how || forbids(step, *dim, how)) continue;
            used += (size_t)snprintf(out + used, CT_SPLIT_WHY - used, "%s%c%s", used ? ", " : "",
                                     *dim, how == CT_SPLIT_SUM ? " (by adding)" : "");
        }
    if (used == 0) snprintf(out, CT_SPLIT_WHY, "nothing");
    return out;
}

bool ct_step_reads_range(const ct_step *step, char dim)
{
    return ct_role_of(step) == CT_ROLE_SOURCE && dim != 'T' && declared(step, dim) == CT_SPLIT_FREE;
}

/* ---- a step that has a range */

/* Unknown where there is no memory. */
static const ct_products *some_products(ct_step *step, const ct_products *all, int64_t first,
                                        int64_t count)
{
    ct_products *some = ct_step_alloc(step, sizeof *some);
    if (!some) return NULL;
    *some = (ct_products){.count = count, .feed = all->feed};
    memcpy(some->of, all->of + first, (size_t)count * sizeof *some->of);
    return some;
}

/* What is known of each index goes with it. */
static void set_meta(ct_step *step, ct_meta *meta, char dim, int64_t whole, int64_t first,
                     int64_t count)
{
    if (dim == 'Q' && meta->products && meta->products->count == whole)
        meta->products = some_products(step, meta->products, first, count);
    if (dim == 'C' && meta->frequency_hz && meta->frequencies == whole) {
        meta->frequency_hz += first;
        meta->frequencies = count;
    }
    if (dim == 'D' && meta->dms == whole) {
        if (meta->dm) meta->dm += first;
        if (meta->downsample) meta->downsample += first;
        meta->dms = count;
    }
    if (dim == 'T') meta->start_s += (double)first * meta->sample_time_s;
}

void ct_step_set_range(ct_step *step, char dim, int64_t first, int64_t count)
{
    ct_step_inner *inner = ct_step_in(step);
    const int64_t indices = ct_step_split_extent(step, dim);
    const ct_split how = declared(step, dim);
    ct_step_range *range = &inner->range[inner->ranges++];
    *range = (ct_step_range){.dim = dim};
    for (int p = 0; p < ct_step_ports(step); p++) {
        ct_array *array = &step->port[p];
        const ct_layout fixed = array->layout;
        if (inner->ranges == 1) inner->whole_meta[p] = array->meta;
        if (!is_divided(step, p, dim)) continue;
        const int64_t whole = ct_array_extent(array, dim), each = whole / indices;
        range->whole[p] = whole;
        range->first[p] = first * each;
        array->extent[ct_array_find(array, dim)] = count * each;
        set_meta(step, &array->meta, dim, whole, first * each, count * each);
        ct_array_dense(array, NULL);
        array->layout = fixed;
    }
    if (dim == 'T' && range->whole[0] > 0) inner->firing = ct_array_extent(&step->port[0], 'T');
    if (dim == 'T' && how == CT_SPLIT_SUM && range->whole[0] > 0)
        step->decimate = step->decimate / range->whole[0] * ct_array_extent(&step->port[0], 'T');
}

static const ct_step_range *find_range(const ct_step *step, int port, char dim)
{
    const ct_step_inner *inner = ct_step_in(step);
    for (int i = 0; i < inner->ranges; i++)
        if (inner->range[i].dim == dim && inner->range[i].whole[port] > 0) return &inner->range[i];
    return NULL;
}

int64_t ct_step_port_first(const ct_step *step, int port, char dim)
{
    const ct_step_range *range = find_range(step, port, dim);
    return range ? range->first[port] : 0;
}

int64_t ct_step_range_first(const ct_step *step, char dim)
{
    if (!step) return 0;
    const bool own = ct_step_reads_range(step, dim) || ct_role_of(step) == CT_ROLE_SINK;
    return own ? ct_step_port_first(step, 0, dim) : 0;
}

void ct_step_unsplit(ct_step *step, const char *why)
{
    if (!step || !why) return;
    ct_step_in(step)->unsplit = ct_arena_copy(ct_step_in(step)->arena, why);
}

int64_t ct_step_port_whole(const ct_step *step, int port, char dim)
{
    const ct_step_range *range = find_range(step, port, dim);
    return range ? range->whole[port] : ct_array_extent(&step->port[port], dim);
}

int64_t ct_step_whole_extent(const ct_step *step, const char *port, char dim)
{
    if (!step || !port) return 0;
    return ct_step_port_whole(step, (int)(ct_step_array(step, port) - step->port), dim);
}

/* The array of this port as it was before the step got its range. */
static ct_array whole_array(const ct_step *step, int port, const ct_array *now)
{
    ct_array whole = *now;
    for (int k = 0; k < whole.rank; k++) {
        const ct_step_range *range = find_range(step, port, whole.dim[k]);
        if (range) whole.extent[k] = range->whole[port];
    }
    return whole;
}

static ct_step whole_step(const ct_step *step)
{
    ct_step whole = *step;
    for (int p = 0; p < ct_step_ports(step); p++) {
        if (step->port[p].type == CT_NONE) continue;
        whole.port[p] = whole_array(step, p, &step->port[p]);
        whole.port[p].meta = ct_step_in(step)->whole_meta[p];
    }
    return whole;
}

static ct_status ask(const ct_step *step, int port, ct_array *fill, ct_error *err)
{
    return ct_step_answer(step, step->stage->table(step, step->stage->ports[port].name, fill, err),
                          err);
}

ct_status ct_step_table(const ct_step *step, int port, ct_array *fill, ct_error *err)
{
    ct_status status = CT_OK;
    if (ct_step_in(step)->ranges == 0) return ask(step, port, fill, err);
    const ct_step whole = whole_step(step);
    ct_array all = whole_array(step, port, fill), own;
    ct_array_dense(&all, NULL);
    all.meta = whole.port[0].meta;
    all.meta.start_s = fill->meta.start_s;
    all.data = ct_memory_get(ct_array_bytes(&all));
    CT_NEED(all.data, ct_array_bytes(&all), err);
    CT_TRY(ask(&whole, port, &all, err));
    own = all;
    for (int k = 0; k < own.rank; k++)
        own = ct_array_part(&own, own.dim[k], ct_step_port_first(step, port, own.dim[k]),
                            fill->extent[k]);
    ct_copy_array(fill, &own);
out:
    ct_memory_free(all.data);
    return status;
}

ct_array ct_step_whole(const ct_step *step)
{
    if (!step) return (ct_array){0};
    ct_array whole = whole_array(step, 0, &step->port[0]);
    const ct_layout fixed = whole.layout;
    if (ct_step_in(step)->ranges == 0) return whole;
    whole.meta = ct_step_in(step)->whole_meta[0];
    ct_array_dense(&whole, NULL);
    whole.layout = fixed;
    return whole;
}
