/* job_allgather.c: flags of which each rank of a job has a part come to all ranks: what they become
 * is derived on each of them for all stations, channels and samples. Room: core/job. Knows parts
 * and the wire. Does not know whose flags they are, or what they mean. All memory is made before
 * the first block, so that no rank fails where others wait for it. */
#include <limits.h>
#include <string.h>

#include "cornerturn_ranks.h"
#include "fail.h"
#include "memory.h"
#include "run_job.h"

bool ct_job_allgather_differs(const struct ct_job *job, const ct_job_split *split)
{
    const int size = ct_ranks_size(job->ranks);
    for (int r = 1; split->partition && r < size; r++)
        if (ct_partition_key(split->partition, &split->key, r) !=
            ct_partition_key(split->partition, &split->key, 0))
            return true;
    return false;
}

/* Of all ranks that have the same part, the lowest gives it. */
static bool gives(const ct_job_split *split, int rank)
{
    const int64_t cell = ct_partition_key(split->partition, &split->key, rank);
    for (int r = 0; r < rank; r++)
        if (ct_partition_key(split->partition, &split->key, r) == cell) return false;
    return true;
}

bool ct_job_allgather_gives(const struct ct_job *job, const ct_job_split *split)
{
    return !split->partition || gives(split, ct_ranks_rank(job->ranks));
}

/* A rank's part, dense, and where it begins. */
static ct_array part_of(const ct_job_split *split, int rank, int64_t first[CT_DIMS])
{
    ct_array part = split->whole;
    ct_partition_box(split->partition, &split->whole, rank, first, part.extent);
    ct_array_dense(&part, NULL);
    return part;
}

static int64_t bytes_of(const ct_job_split *split, int rank)
{
    int64_t first[CT_DIMS];
    const ct_array part = part_of(split, rank, first);
    return gives(split, rank) ? (int64_t)ct_array_bytes(&part) : 0;
}

ct_status ct_job_allgather_need(const struct ct_job *job, const ct_job_split *split,
                                ct_job_need *need, ct_error *err)
{
    int64_t all = 0;
    const int size = ct_ranks_size(job->ranks);
    if (!ct_job_allgather_differs(job, split)) return CT_OK;
    for (int r = 0; r < size; r++)
        all += bytes_of(split, r);
    const int64_t own = bytes_of(split, ct_ranks_rank(job->ranks));
    if (all > need->receive) need->receive = all;
    if (own > need->send) need->send = own;
    if (all <= INT_MAX) return CT_OK;
    return ct_error_add(err, CT_INVALID,
                        "flags of %.1f GiB in a block are to be gathered from all ranks, expected "
                        "less than 2: make \"block\" smaller",
                        (double)all / (1 << 30));
}

ct_status ct_job_allgather_new(ct_run *run, const ct_job_need *need, ct_error *err)
{
    ct_job_buffers *g = &run->job->buffers;
    const size_t size = (size_t)ct_ranks_size(run->job->ranks);
    g->send = ct_arena_get(run->arena, (size_t)need->send + 1);
    g->receive = ct_arena_get(run->arena, (size_t)need->receive + 1);
    g->numbers = ct_arena_get(run->arena, sizeof *g->numbers * 4 * size);
    return ct_arena_check(run->arena, err);
}

/* This rank sends its part to all, from one place. */
static void lay_out(struct ct_job *job, const ct_job_split *split)
{
    const int size = ct_ranks_size(job->ranks);
    const int own = (int)bytes_of(split, ct_ranks_rank(job->ranks));
    int *n = job->buffers.numbers, at = 0;
    for (int r = 0; r < size; r++) {
        n[r] = own;
        n[size + r] = 0;
        n[2 * size + r] = (int)bytes_of(split, r);
        n[3 * size + r] = at;
        at += n[2 * size + r];
    }
}

static void pack(const struct ct_job *job, const ct_job_split *split, const ct_array *own)
{
    int64_t first[CT_DIMS];
    ct_array part = part_of(split, ct_ranks_rank(job->ranks), first);
    part.data = job->buffers.send;
    if (own)
        ct_copy_array(&part, own);
    else
        memset(part.data, 0, ct_array_bytes(&part));
}

ct_status ct_job_allgather(struct ct_job *job, const ct_job_split *split, const ct_array *own,
                           ct_run_join *join, void *of, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_ranks *ranks = job->ranks;
    const int size = ct_ranks_size(ranks);
    const int *n = job->buffers.numbers;
    lay_out(job, split);
    if (gives(split, ct_ranks_rank(ranks))) pack(job, split, own);
    CT_TRY(ct_ranks_check(ranks,
                          ranks->wire->exchange(job->buffers.send, n, n + size,
                                                job->buffers.receive, n + 2 * size, n + 3 * size),
                          err));
    for (int r = 0; join && r < size; r++) {
        int64_t first[CT_DIMS];
        ct_array part = part_of(split, r, first);
        part.data = job->buffers.receive + n[3 * size + r];
        if (n[2 * size + r] > 0) join(of, &part, first);
    }
out:
    return status;
}
