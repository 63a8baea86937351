/* cornerturn_ranks.h: the processes of a job (mpirun) that share a pipeline's work: docs/ranks.md. The
 * public contract of Cornerturn for programs that are such a process.
 *
 * Room: include. Knows cornerturn.h. Does not know MPI.
 *
 * All of it is experimental. Where a call fails on one rank all ranks that meet in it fail, with that
 * rank's status. A rank that others wait for must not leave: ct_ranks_agree ends what failed on one of
 * them, ct_ranks_abort all of them. ct_ranks * may be NULL everywhere but where a grid is set: one process
 * without others. */
#ifndef CORNERTURN_RANKS_H
#define CORNERTURN_RANKS_H

#include "cornerturn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ct_ranks ct_ranks;

/* Where this process is a rank of a job (mpirun): the job; else *out is NULL, and all below take that for
 * one process without others. All ranks make the same calls in the same order. CT_USAGE also: the library
 * was built without MPI. */
CT_EXPORT ct_status ct_ranks_open(ct_ranks **out, ct_error *err);
/* Whether this process is the first rank of its job, or of none: what a job has to do once is done there.
 * Needs no MPI. */
CT_EXPORT bool ct_ranks_first(void);
/* A job that is not there, for ct_explain_plan: of so many ranks ("64") or a grid of them ("S=16,C=4"),
 * seen from the first one. CT_USAGE also: it is neither. */
CT_EXPORT ct_status ct_ranks_suppose(ct_ranks **out, const char *text, ct_error *err);
CT_EXPORT int ct_ranks_rank(const ct_ranks *ranks);
CT_EXPORT int ct_ranks_size(const ct_ranks *ranks);
/* "S=4,C=2": into how many parts these dimensions are split, where a stage can be along all of them; or
 * the number of ranks, "8". CT_USAGE also: the product is not that. */
CT_EXPORT ct_status ct_ranks_grid(ct_ranks *ranks, const char *text, ct_error *err);
/* Before a plan is made, on all ranks: nothing is exchanged between them while other blocks are
 * computed. That takes less memory, and more time. */
CT_EXPORT void ct_ranks_forbid_overlap(ct_ranks *ranks);
/* All ranks meet and get the status of the lowest one that failed. Sentences stay on that one. */
CT_EXPORT ct_status ct_ranks_agree(const ct_ranks *ranks, ct_status mine, ct_error *err);
/* All ranks meet. CT_INVALID where they do not have the same text, or, where that is NULL, the same in a
 * file, which each rank reads (CT_DATA where one cannot). `what`: what a sentence calls it. It stays on one
 * rank. */
CT_EXPORT ct_status ct_ranks_same(const ct_ranks *ranks, const char *what, const char *text,
                                  const char *file, ct_error *err);
/* The device of this rank. Of the devices that ct_device_open could mean by the name, ranks of one machine
 * take one after the other, in a circle; of several names ("0,2") each takes one of them. Without ranks
 * as ct_device_open, whose statuses it gives. */
CT_EXPORT ct_status ct_ranks_device(ct_device **out, const ct_ranks *ranks, const char *names,
                                    ct_error *err);
/* What only the first rank does, for minutes perhaps: work(of, err) is called there, the others sleep
 * meanwhile and get the status that it gives. stop(of) (NULL: never) is asked now and then of those that
 * sleep; where it is true on one, ct_ranks_asked is from then on true on the first. */
CT_EXPORT ct_status ct_ranks_on_first(ct_ranks *ranks, ct_status (*work)(void *of, ct_error *err),
                                      bool (*stop)(void *of), void *of, ct_error *err);
CT_EXPORT bool ct_ranks_asked(ct_ranks *ranks);
/* Ends all ranks, now. */
CT_EXPORT void ct_ranks_abort(ct_ranks *ranks, ct_status status);
/* Where all meet a last time. */
CT_EXPORT void ct_ranks_close(ct_ranks *ranks);
/* Before plans are made of it: these ranks share its work (docs/ranks.md), and runs of its plans read
 * what their rank needs; rank 0 writes what the sinks write. They must outlive the graph, its plans and
 * runs. All ranks meet: CT_INVALID where their builds, stages or pipelines differ. A graph of ct_graph_check
 * that is not complete is completed: a rank reads only what comes to it, and gets what follows from
 * the rest from the others. */
CT_EXPORT ct_status ct_graph_set_ranks(ct_graph *graph, const ct_ranks *ranks, ct_error *err);
/* Of a run that is one rank of a job: rank 0 gets how long each rank's steps took so far, and its
 * ct_run_trace tells of all. Every rank calls it, between the same two blocks. Of others nothing. */
CT_EXPORT ct_status ct_run_collect(ct_run *run, ct_error *err);

#ifdef __cplusplus
}
#endif
#endif
