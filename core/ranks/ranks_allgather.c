/* ranks_allgather.c: records of which each rank has found some, before a pipeline's shapes are
 * known: all ranks get all of them. Room: core/ranks. Knows records' bytes. Does not know what they
 * say. */
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "memory.h"
#include "partition.h"

#include <string.h>

static void range_of(const ct_ranks *ranks, int rank, int64_t extent, int64_t *first,
                     int64_t *count)
{
    const ct_partition partition = {.axes = 1, .axis = {{'-', ranks->size, extent, false}}};
    ct_partition_range(&partition, 0, rank, first, count);
}

void ct_ranks_range(const ct_ranks *ranks, int64_t extent, int64_t *first, int64_t *count)
{
    *first = 0;
    *count = extent;
    if (ct_ranks_is_job(ranks)) range_of(ranks, ranks->rank, extent, first, count);
}

/* All get the sentences of the lowest rank that failed: a pipeline's other nodes are checked all
 * the same, and in the end the rank that prints has all sentences. */
static ct_status send_failure(const ct_ranks *ranks, int who, ct_status mine, int *numbers,
                              ct_error *err)
{
    struct {
        ct_status status;
        ct_error why;
    } own = {mine, err ? *err : (ct_error){0}}, said = {CT_FAILED, {0}};
    for (int r = 0; r < ranks->size; r++) {
        numbers[r] = who == ranks->rank ? (int)sizeof own : 0;
        numbers[2 * ranks->size + r] = who == r ? (int)sizeof said : 0;
    }
    const ct_status status = ct_ranks_alltoall(ranks, &own, &said, numbers, err);
    if (status != CT_OK) return status;
    if (err) *err = said.why;
    return said.status;
}

/* Ranks beyond the last record have what earlier ones have, and send nothing. */
static ct_status send_records(const ct_ranks *ranks, void *records, size_t bytes, int64_t extent,
                              int *numbers, ct_error *err)
{
    uint8_t *own = NULL;
    int64_t first, count;
    range_of(ranks, ranks->rank, extent, &first, &count);
    own = ct_memory_get(bytes * (size_t)count);
    if (!own) return ct_memory_fail(bytes * (size_t)count, err);
    memcpy(own, (uint8_t *)records + bytes * (size_t)first, bytes * (size_t)count);
    for (int r = 0; r < ranks->size; r++) {
        int64_t from, some;
        range_of(ranks, r, extent, &from, &some);
        numbers[r] = ranks->rank < extent ? (int)(bytes * (size_t)count) : 0;
        numbers[2 * ranks->size + r] = r < extent ? (int)(bytes * (size_t)some) : 0;
        numbers[3 * ranks->size + r] = (int)(bytes * (size_t)from);
    }
    const ct_status status = ct_ranks_alltoall(ranks, own, records, numbers, err);
    ct_memory_free(own);
    return status;
}

ct_status ct_ranks_allgather(const ct_ranks *ranks, ct_status mine, void *records, size_t bytes,
                             int64_t extent, ct_error *err)
{
    if (!ct_ranks_is_job(ranks)) return mine;
    int *numbers = ct_memory_get(sizeof *numbers * 4 * (size_t)ranks->size);
    if (!numbers) /* the others wait for this rank */
        ct_ranks_abort((ct_ranks *)ranks, ct_memory_fail(sizeof *numbers, err));
    int64_t who = mine == CT_OK ? ranks->size : ranks->rank;
    ct_status status = ct_ranks_minimum(ranks, &who, 1, err);
    if (status == CT_OK)
        status = who < ranks->size ? send_failure(ranks, (int)who, mine, numbers, err)
                 : records         ? send_records(ranks, records, bytes, extent, numbers, err)
                                   : CT_OK;
    ct_memory_free(numbers);
    return status;
}
