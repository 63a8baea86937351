/* ranks.h: the ranks of a job, as the library sees them. Others of ct_ranks_* are in
 * cornerturn_ranks.h. Room: core/ranks. Knows who there is. Does not know steps or plans. */
#ifndef CT_CORE_RANKS_H
#define CT_CORE_RANKS_H
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "wire.h"

struct ct_ranks {
    const ct_wire *wire; /* NULL: one rank, which needs none */
    int rank, size;
    bool no_overlap; /* nothing is sent while other blocks are computed */
    int local;       /* its place among the ranks of its machine */
    char grid[64];   /* letters of a grid of ranks, and how many ranges each has; "" none */
    int ranges[64];
    struct ct_ranks_wait *wait; /* ranks_wait.c; NULL: no rank is waited for */
};

/* Whether there are other ranks, in a job that runs. */
static inline bool ct_ranks_is_job(const ct_ranks *ranks)
{
    return ranks && ranks->wire && ranks->size > 1;
}

const char *ct_ranks_dims(const ct_ranks *ranks); /* "SC" of the grid; "" none */
/* All ranks meet. CT_INVALID where the files that they have loaded of the library, or of the module
 * by which ranks reach each other, are not the same. */
ct_status ct_ranks_same_build(const ct_ranks *ranks, ct_error *err);
/* CT_FAILED with the wire's sentence; 0: CT_OK. */
ct_status ct_ranks_check(const ct_ranks *ranks, int code, ct_error *err);
/* As ct_ranks_agree; of numbers[1] and so on each becomes the smallest of any rank, [0] is for its
 * own use. */
ct_status ct_ranks_agree_on(const ct_ranks *ranks, ct_status mine, int64_t *numbers, int count,
                            ct_error *err);
/* Rank 0 gets so many bytes of each, in their order, into `all`; of others NULL. */
ct_status ct_ranks_gather(const ct_ranks *ranks, const void *mine, size_t bytes, void *all,
                          ct_error *err);
/* Of so many records the range that this rank finds, where each rank finds some: as when they are
 * split over all ranks. Without other ranks, or in a job that is only supposed, all of them. */
void ct_ranks_range(const ct_ranks *ranks, int64_t extent, int64_t *first, int64_t *count);
/* All ranks call it, whatever `mine` is: afterwards each has all `extent` records of so many bytes,
 * of which it has filled its range, and all return the same: where a rank has failed, its status,
 * and its sentences replace what was in `err`. records NULL: only that. */
ct_status ct_ranks_allgather(const ct_ranks *ranks, ct_status mine, void *records, size_t bytes,
                             int64_t extent, ct_error *err);
/* Whether nothing may be sent while other blocks are computed: it was forbidden, or the wire cannot
 * be used by two threads. */
bool ct_ranks_no_overlap(const ct_ranks *ranks);
/* All get rank 0's bytes. */
ct_status ct_ranks_broadcast(const ct_ranks *ranks, void *data, size_t bytes, ct_error *err);
/* Seconds so far in which this rank waited until others had come, or what they sent. */
double ct_ranks_blocked_s(const ct_ranks *ranks);
/* Of each number the smallest of any rank. */
ct_status ct_ranks_minimum(const ct_ranks *ranks, int64_t *numbers, int count, ct_error *err);
/* From each rank to each, in one go; all ranks call it. numbers: [size] bytes that go to each rank,
 * [size] their places in `send`, then the same of what comes from each and of `receive`. */
ct_status ct_ranks_alltoall(const ct_ranks *ranks, const void *send, void *receive,
                            const int *numbers, ct_error *err);

#endif
