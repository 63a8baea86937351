/* partition.h: which part of an array each rank of a job has.
 * Room: core/ranks. Knows extents and ranks. Does not know steps, or how parts travel. */
#ifndef CT_CORE_PARTITION_H
#define CT_CORE_PARTITION_H
#include "ranks.h"

/* One of several ways in which work is divided. `units`: the most parts that there can be; ranks
 * beyond them do what others do, and nobody asks them for it. */
typedef struct ct_partition_axis {
    char dim;
    int ranges;
    int64_t indices;
    bool sum; /* each part gives all of the outputs, to be added */
} ct_partition_axis;

/* The product of the parts is the number of ranks; the first way is the slowest. No ways: all ranks
 * do all. */
typedef struct ct_partition {
    int axes;
    ct_partition_axis axis[CT_DIMS];
    bool root; /* rank 0 has all of it, and the others the first of everything but T */
} ct_partition;

/* The range of units of a way that a rank has: [*first, *first + *count), never empty. */
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
/* Whether all ranks (of a root: that one) have in `has` what `wants` gives them. */
bool ct_partition_serves(const ct_partition *has, const ct_partition *wants, const ct_array *array,
                         int ranks);
/* "S|C|", "all ranks", "rank 0" */
enum { CT_PARTITION_TEXT = 3 * CT_DIMS + 16 };
const char *ct_partition_print(char out[CT_PARTITION_TEXT], const ct_partition *partition);

#endif
