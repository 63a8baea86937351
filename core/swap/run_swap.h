/* run_swap.h: a run goes on with another plan of the same pipeline. run_swap.c (the other plan is
 * built beside the run, and when it takes over), swap_parts.c (what a run is made of changes
 * hands), swap_arrays.c and swap_flags.c (what blocks leave behind for those that follow).
 * Room: core/swap. */
#ifndef CT_CORE_RUN_SWAP_H
#define CT_CORE_RUN_SWAP_H
#include "run_io.h"
#include "run_memory.h"

struct ct_swap {
    ct_run *run;
    const ct_plan *plan; /* retained while it is being built */
    ct_run *next;        /* made of it; NULL: not yet, or not any more */
    pthread_t thread;
    bool under_way;    /* there is a thread, or a plan that waits for the end of a block */
    bool joined;       /* the thread has ended */
    atomic_bool built; /* by the thread, or it has failed */
    atomic_bool given_up;
    ct_status status; /* of the last plan that was given */
    ct_error err;
    int64_t block; /* before which the last one took over; -1: it has not */
};

/* Whether all that the run leaves behind for its next block has a place in `next`; CT_INVALID says
 * what has none. */
ct_status ct_swap_arrays_check(const ct_run *run, const ct_run *next, ct_error *err);
ct_status ct_swap_flags_check(const ct_run *run, const ct_run *next, ct_error *err);
/* Copies it. Steps of `next` have fired as often as those of the run. */
ct_status ct_swap_arrays_carry(ct_run *run, ct_run *next, ct_error *err);
void ct_swap_flags_carry(const ct_run *run, ct_run *next);
/* What an edge holds: an output of a node, perhaps gathered into pieces of `chunk` samples. */
typedef struct ct_swap_origin {
    const char *node, *port;
    int64_t chunk;
} ct_swap_origin;
ct_swap_origin ct_swap_origin_of(const ct_plan *plan, int edge);
bool ct_swap_is_same(ct_swap_origin a, ct_swap_origin b);

/* Between two blocks, while no source and no sink is at work: the run is what `next` is from now
 * on, and keeps its sources and sinks. On failure the run cannot go on. */
ct_status ct_swap_parts(ct_run *run, ct_run *next, ct_error *err);
/* Whether the plans are of one pipeline: CT_INVALID. */
ct_status ct_swap_parts_check(const ct_plan *plan, const ct_plan *next, ct_error *err);

#endif
