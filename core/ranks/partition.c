/* partition.c: see partition.h. Room: core/ranks. */
#include "partition.h"

#include <stdio.h>
#include <string.h>

static int coordinate(const ct_partition *partition, int axis, int rank)
{
    for (int k = partition->axes - 1; k > axis; k--)
        rank /= partition->axis[k].ranges;
    return rank % partition->axis[axis].ranges;
}

/* The number of its range: surplus ranks have what earlier ones have. */
static int64_t range_of(const ct_partition *partition, int axis, int rank)
{
    return coordinate(partition, axis, rank) % partition->axis[axis].indices;
}

static int64_t ranges_of(const ct_partition_axis *axis)
{
    return axis->ranges < axis->indices ? axis->ranges : axis->indices;
}

void ct_partition_range(const ct_partition *partition, int axis, int rank, int64_t *first,
                        int64_t *count)
{
    const ct_partition_axis *of = &partition->axis[axis];
    const int64_t n = range_of(partition, axis, rank), ranges = ranges_of(of);
    *first = n * of->indices / ranges;
    *count = (n + 1) * of->indices / ranges - *first;
}

void ct_partition_box(const ct_partition *partition, const ct_array *array, int rank,
                      int64_t first[CT_DIMS], int64_t count[CT_DIMS])
{
    for (int k = 0; k < array->rank; k++) {
        first[k] = 0;
        count[k] = partition->root && rank > 0 && array->dim[k] != 'T' ? 1 : array->extent[k];
    }
    for (int w = 0; w < partition->axes; w++) {
        const int k = ct_array_find(array, partition->axis[w].dim);
        int64_t from, some;
        if (k < 0 || partition->axis[w].sum) continue;
        const int64_t each = array->extent[k] / partition->axis[w].indices;
        ct_partition_range(partition, w, rank, &from, &some);
        first[k] = from * each;
        count[k] = some * each;
    }
}

int64_t ct_partition_key(const ct_partition *partition, const ct_array *array, int rank)
{
    int64_t key = partition->root && rank > 0;
    for (int w = 0; w < partition->axes; w++)
        if (partition->axis[w].sum || ct_array_find(array, partition->axis[w].dim) >= 0)
            key = key * ranges_of(&partition->axis[w]) + range_of(partition, w, rank);
    return key;
}

int64_t ct_partition_addend(const ct_partition *partition, int rank)
{
    int64_t addend = 0;
    for (int w = 0; w < partition->axes; w++)
        if (partition->axis[w].sum)
            addend = addend * ranges_of(&partition->axis[w]) + range_of(partition, w, rank);
    return addend;
}

static bool is_sum(const ct_partition *partition)
{
    for (int w = 0; w < partition->axes; w++)
        if (partition->axis[w].sum && ranges_of(&partition->axis[w]) > 1) return true;
    return false;
}

bool ct_partition_serves(const ct_partition *has, const ct_partition *needs, const ct_array *array,
                         int ranks)
{
    if (is_sum(has)) return false;
    for (int r = 0; r < (needs->root ? 1 : ranks); r++) {
        int64_t a[2][CT_DIMS], b[2][CT_DIMS];
        ct_partition_box(has, array, r, a[0], a[1]);
        ct_partition_box(needs, array, r, b[0], b[1]);
        for (int k = 0; k < array->rank; k++)
            if (a[0][k] != b[0][k] || a[1][k] != b[1][k]) return false;
    }
    return true;
}

const char *ct_partition_print(char out[CT_PARTITION_TEXT], const ct_partition *partition)
{
    size_t used = 0;
    out[0] = 0;
    for (int w = 0; w < partition->axes; w++)
        used += (size_t)snprintf(out + used, CT_PARTITION_TEXT - used, "%s%c|",
                                 partition->axis[w].sum ? "+" : "", partition->axis[w].dim);
    if (used == 0) snprintf(out, CT_PARTITION_TEXT, "%s", partition->root ? "rank 0" : "all ranks");
    return out;
}
