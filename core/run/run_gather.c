/* run_gather.c: flags of which each rank of a job has a part come to all ranks: what they become
 * follows on each of them for all stations, channels and samples. Room: core/run. Knows parts and
 * the wire. Does not know whose flags they are, or what they mean.
 * All rooms are made before the first block, so that no rank fails where others wait for it. */
#include <limits.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run_gather.h"

static const ct_ranks *ranks_of(const ct_run *run)
{
    return run->plan->graph->ranks;
}

bool ct_run_parts_are(const ct_run *run, const ct_run_parts *parts)
{
    const int size = ct_ranks_size(ranks_of(run));
    for (int r = 1; parts->share && r < size; r++)
        if (ct_partition_key(parts->share, &parts->key, r) !=
            ct_partition_key(parts->share, &parts->key, 0))
            return true;
    return false;
}

/* Of all who have the same the lowest rank. */
static bool gives(const ct_run_parts *parts, int rank)
{
    const int64_t cell = ct_partition_key(parts->share, &parts->key, rank);
    for (int r = 0; r < rank; r++)
        if (ct_partition_key(parts->share, &parts->key, r) == cell) return false;
    return true;
}

bool ct_run_parts_first(const ct_run *run, const ct_run_parts *parts)
{
    return !parts->share || gives(parts, ct_ranks_rank(ranks_of(run)));
}

/* A rank's part, dense, and where it begins. */
static ct_array part_of(const ct_run_parts *parts, int rank, int64_t first[CT_DIMS])
{
    ct_array part = parts->whole;
    ct_partition_box(parts->share, &parts->whole, rank, first, part.extent);
    ct_array_dense(&part, NULL);
    return part;
}

static int64_t bytes_of(const ct_run_parts *parts, int rank)
{
    int64_t first[CT_DIMS];
    const ct_array part = part_of(parts, rank, first);
    return gives(parts, rank) ? (int64_t)ct_array_bytes(&part) : 0;
}

ct_status ct_run_gather_room(ct_run *run, const ct_run_parts *parts, ct_run_gather_need *need,
                             ct_error *err)
{
    int64_t all = 0;
    const int size = ct_ranks_size(ranks_of(run));
    if (!ct_run_parts_are(run, parts)) return CT_OK;
    for (int r = 0; r < size; r++)
        all += bytes_of(parts, r);
    const int64_t own = bytes_of(parts, ct_ranks_rank(ranks_of(run)));
    if (all > need->receive) need->receive = all;
    if (own > need->send) need->send = own;
    if (all <= INT_MAX) return CT_OK;
    return ct_error_add(err, CT_INVALID,
                        "flags of %.1f GiB in a block are to be gathered from all ranks, expected "
                        "less than 2: make \"block\" smaller",
                        (double)all / (1 << 30));
}

ct_status ct_run_gather_new(ct_run *run, const ct_run_gather_need *need, ct_error *err)
{
    const size_t size = (size_t)ct_ranks_size(ranks_of(run));
    struct ct_run_gather *g = run->gather = ct_arena_get(run->arena, sizeof *g);
    if (!g) return ct_arena_check(run->arena, err);
    g->send = ct_arena_get(run->arena, (size_t)need->send + 1);
    g->receive = ct_arena_get(run->arena, (size_t)need->receive + 1);
    g->numbers = ct_arena_get(run->arena, sizeof *g->numbers * 4 * size);
    g->least = ct_arena_get(run->arena, sizeof *g->least * 2 * (size_t)run->plan->count);
    return ct_arena_check(run->arena, err);
}

/* This rank's to everybody, from one place. */
static void lay_out(const ct_run *run, const ct_run_parts *parts)
{
    const int size = ct_ranks_size(ranks_of(run));
    const int own = (int)bytes_of(parts, ct_ranks_rank(ranks_of(run)));
    int *n = run->gather->numbers, at = 0;
    for (int r = 0; r < size; r++) {
        n[r] = own;
        n[size + r] = 0;
        n[2 * size + r] = (int)bytes_of(parts, r);
        n[3 * size + r] = at;
        at += n[2 * size + r];
    }
}

static void pack(const ct_run *run, const ct_run_parts *parts, const ct_array *own)
{
    int64_t first[CT_DIMS];
    ct_array part = part_of(parts, ct_ranks_rank(ranks_of(run)), first);
    part.data = run->gather->send;
    if (own)
        ct_copy_array(&part, own);
    else
        memset(part.data, 0, ct_array_bytes(&part));
}

ct_status ct_run_gather(ct_run *run, const ct_run_parts *parts, const ct_array *own,
                        ct_run_gather_take *take, void *of, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_ranks *ranks = ranks_of(run);
    const int size = ct_ranks_size(ranks);
    const int *n = run->gather->numbers;
    lay_out(run, parts);
    if (gives(parts, ct_ranks_rank(ranks))) pack(run, parts, own);
    CT_TRY(ct_ranks_check(ranks,
                          ranks->wire->exchange(run->gather->send, n, n + size,
                                                run->gather->receive, n + 2 * size, n + 3 * size),
                          err));
    for (int r = 0; take && r < size; r++) {
        int64_t first[CT_DIMS];
        ct_array part = part_of(parts, r, first);
        part.data = run->gather->receive + n[3 * size + r];
        if (n[2 * size + r] > 0) take(of, &part, first);
    }
out:
    return status;
}
