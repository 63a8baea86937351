/* partition.h: which ranges of an array each rank of a job has.
 * Room: core/ranks. Knows extents and ranks. Does not know steps, or how ranks exchange arrays. */
#ifndef CT_CORE_PARTITION_H
#define CT_CORE_PARTITION_H
#include "ranks.h"

/* A dimension along which work is divided into ranges. There can be no more ranges than indices:
 * ranks beyond them do what others do, and send nothing. */
typedef struct ct_partition_axis {
    char dim;
    int ranges;
    int64_t indices;
    bool sum; /* each range gives all of the outputs, to be added */
} ct_partition_axis;

/* The product of the ranges is the number of ranks; the first axis is the slowest. No axes: all
 * ranks do all. */
typedef struct ct_partition {
    int axes;
    ct_partition_axis axis[CT_DIMS];
    bool root; /* rank 0 has all of it, and the others the first of everything but T */
} ct_partition;

/* The range of an axis' indices that a rank has: [*first, *first + *count), never empty. */
void ct_partition_range(const ct_partition *partition, int axis, int rank, int64_t *first,
                        int64_t *count);
/* What a rank has of an array with these extents (of all ranks together): a box, in the order of
 * array->dim. */
void ct_partition_box(const ct_partition *partition, const ct_array *array, int rank,
                      int64_t first[CT_DIMS], int64_t count[CT_DIMS]);
/* Two ranks with one number have the same of the array, and the same addends. */
int64_t ct_partition_key(const ct_partition *partition, const ct_array *array, int rank);
/* Which addend a rank has: 0 the first one, or all. */
int64_t ct_partition_addend(const ct_partition *partition, int rank);
/* Whether all ranks (of a root: that one) have in `has` what `needs` gives them. */
bool ct_partition_serves(const ct_partition *has, const ct_partition *needs, const ct_array *array,
                         int ranks);
/* "S|C|", "all ranks", "rank 0" */
enum { CT_PARTITION_TEXT = 3 * CT_DIMS + 16 };
const char *ct_partition_print(char out[CT_PARTITION_TEXT], const ct_partition *partition);

#endif
