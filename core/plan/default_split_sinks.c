/* default_split_sinks.c: whether each rank writes its range of a sink's file, or rank 0 all of it.
 * Room: core/plan. Knows the file's layout and what is split before the sink. Does not know
 * formats, or whether all ranks see one file system (core/run notices that). A rank writes a run in
 * each row of the file: where that is short, one writer is faster (bench/bench_sinks.c). */
#include <string.h>

#include "default_split.h"
#include "layout.h"

enum { SINKS_RUN = 8192 }; /* bytes */

/* The order of the file's axes: the sink's, or what its input is written in. */
static ct_layout layout_of(const ct_plan_builder *b, int n)
{
    const ct_link from = b->graph->nodes[n].input[0];
    const ct_layout *own = &b->choices[n].layout[0];
    if (own->rank == 0) own = &b->choices[from.node].layout[from.port];
    return own->rank ? *own : ct_layout_natural(&b->graph->nodes[n].step->port[0]);
}

/* Whether each sample's place is known when it comes: rows that are as long as the stream are moved
 * where it gets longer. */
static bool has_places(const ct_array *array, const ct_layout *layout)
{
    return layout->dim[0] == 'T' || ct_array_find(array, 'T') < 0 || array->meta.total >= 0;
}

/* How much of a dimension the rank with the least has. */
static int64_t shortest_range(const ct_partition *partition, const ct_array *array, char dim)
{
    const int64_t extent = ct_array_extent(array, dim);
    for (int w = 0; w < partition->axes; w++) {
        const ct_partition_axis *axis = &partition->axis[w];
        if (axis->dim != dim || axis->ranges < 2) continue;
        return axis->ranges < axis->indices
                   ? axis->indices / axis->ranges * (extent / axis->indices)
                   : extent / axis->indices;
    }
    return extent;
}

/* Bytes that lie together in a rank's range of the file. */
static int64_t run_bytes(const ct_partition *partition, const ct_array *array,
                         const ct_layout *layout)
{
    int64_t count = 1;
    for (int k = layout->rank - 1; k >= 0; k--) {
        const char dim = layout->dim[k];
        const int64_t length = shortest_range(partition, array, dim);
        count *= length;
        if (dim == 'T' || length < ct_array_extent(array, dim)) break;
    }
    return count * ct_type_bits(array->type) / 8;
}

/* Whether each rank can write what it has. */
static bool can_follow(const ct_node *sink, const ct_partition *from)
{
    const ct_array *array = &sink->step->port[0];
    bool some = false;
    for (int w = 0; w < from->axes; w++) {
        const ct_partition_axis *axis = &from->axis[w];
        if (axis->ranges < 2) continue;
        if (axis->sum) return false;
        if (ct_array_find(array, axis->dim) < 0) continue;
        if (ct_array_extent(array, axis->dim) % axis->indices != 0 ||
            !ct_split_is_free(sink, axis->dim))
            return false;
        some = some || axis->indices > 1;
    }
    return some;
}

/* Along another dimension, to which an exchange then brings the array; false: none gives runs that
 * are long enough. */
static bool find_other(const ct_plan_builder *b, int n, const ct_layout *layout, ct_partition *out)
{
    const ct_node *sink = &b->graph->nodes[n];
    const int ranks = b->graph->ranks->size;
    double most = 1;
    for (int k = 0; k < layout->rank; k++) {
        const char dims[] = {layout->dim[k], 0};
        ct_partition partition;
        if (!ct_split_is_free(sink, *dims)) continue;
        const double gain = ct_split_gain(sink, *dims, ranks);
        ct_split_along(b, n, dims, &partition);
        if (gain <= most || run_bytes(&partition, &sink->step->port[0], layout) < SINKS_RUN)
            continue;
        most = gain;
        *out = partition;
    }
    return most > 1;
}

static void choose(ct_plan_builder *b, int n)
{
    const ct_node *sink = &b->graph->nodes[n];
    const ct_array *array = &sink->step->port[0];
    const ct_partition *from = &b->partition[sink->input[0].node];
    const ct_layout layout = layout_of(b, n);
    ct_partition partition;
    if (!has_places(array, &layout)) return;
    if (can_follow(sink, from) && run_bytes(from, array, &layout) >= SINKS_RUN)
        partition = *from;
    else if (!find_other(b, n, &layout, &partition))
        return;
    b->partition[n] = partition;
    ct_split_inputs(b, n);
}

void ct_default_split_sinks(ct_plan_builder *b)
{
    for (int n = 0; n < b->graph->count; n++) {
        const ct_node *node = &b->graph->nodes[n];
        if (ct_role_of(node->step) != CT_ROLE_SINK || !node->step->stage->split) continue;
        if (!node->split[0] && !b->choices[n].split.given && node->input[1].node < 0) choose(b, n);
    }
}
