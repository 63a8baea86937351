/* run_io.h: sources and sinks of a run. run_io.c (a block from one, or to one), run_files.c (what
 * sinks have made gets its names), run_streams.c (their threads), io_counters.c (what they count).
 * Room: core/run. */
#ifndef CT_CORE_RUN_IO_H
#define CT_CORE_RUN_IO_H
#include <pthread.h>

#include "run_flags.h"

/* What a source is asked for, or a sink is given. Only its thread uses this while `asked` is set.
 */
typedef struct ct_run_request {
    bool asked;
    int slot;                 /* where the block is */
    struct _cl_event *before; /* its array is there, or free, after this; NULL: at once */
    int64_t number;           /* of the run's block; of a source, of its own */
    ct_array block;           /* on the host */
    ct_flags flags;           /* of a source */
    int64_t first, count;     /* what a sink takes; count: the most that a source may give */
    int64_t got, missing;     /* what a source has given */
    double seconds;           /* that it took */
    ct_status status;
    ct_error err;
} ct_run_request;

/* CT_USAGE if a source or sink that cannot read or write by itself is not bound; names all. */
ct_status ct_run_io_check(const ct_run *run, ct_error *err);
ct_status ct_run_io_open(ct_run *run, int step, ct_error *err);
/* Of the present block only so many samples count. */
ct_status ct_run_io_shorten(ct_run *run, int step, int64_t got, ct_error *err);
/* The flags of the stations that a source reads, of those of all. */
uint8_t *ct_run_io_rows(const ct_run_step *at, const ct_flags *flags);
/* Asks a source for its block of this number, and takes it when it is there. */
ct_status ct_run_io_ask(ct_run *run, int step, int64_t number, ct_error *err);
ct_status ct_run_io_take(ct_run *run, int step, bool *some, ct_error *err);
/* Asks for the block after the present one, where there is one, and a thread to read it. */
ct_status ct_run_io_ask_ahead(ct_run *run, int step, ct_error *err);
/* Gives a sink the present block, after it has taken the one before; its failure, if that failed.
 */
ct_status ct_run_io_write(ct_run *run, int step, ct_error *err);
/* Waits until no sink uses this slot of an edge, and unmaps it. */
ct_status ct_run_io_release(ct_run *run, int edge, int slot, ct_error *err);
/* Waits until all sinks have taken their blocks; the failure of the earliest block. */
ct_status ct_run_io_settle(ct_run *run, ct_error *err);
ct_status ct_run_io_close(ct_run *run, int step, bool complete, ct_error *err);

/* Copies the counters of a source or sink, while its thread does nothing. */
ct_status ct_run_counters_take(ct_run *run, ct_run_step *at, ct_error *err);
bool ct_run_counters_same_text(const char *a, const char *b); /* both may be NULL */

/* Once all sinks are closed: their files get their names, all or none. */
ct_status ct_run_files_publish(ct_run *run, ct_error *err);
ct_status ct_run_files_name(ct_run *run, ct_error *err); /* the second half of it */
/* The step and the number there of the run's n-th file; false beyond the last. */
bool ct_run_files_find(const ct_run *run, size_t n, int *step, size_t *file);
void ct_run_files_discard(ct_run *run);
/* Whole blocks that a sink has taken, and their samples. */
int64_t ct_run_files_blocks(const ct_run_step *at);
int64_t ct_run_files_samples(const ct_run_step *at);
/* Why a sink's files do not hold all of the stream; NULL where they do. */
const char *ct_run_files_why(const ct_run *run, const ct_run_step *at);
/* If the program ends the run before its data end, sinks that describe their files say so. */
void ct_run_files_mark(ct_run *run);

/* Begins a thread that gets no signals: these are the program's, and end no read() or write(). 0,
 * or the number of what failed. */
int ct_run_stream_start(pthread_t *thread, void *work(void *of), void *of);
/* A thread for a source or sink. */
ct_status ct_run_stream_new(ct_run *run, ct_run_step *at, ct_error *err);
/* The thread, which has nothing to do, serves this step from now on. */
void ct_run_stream_move(ct_run_step *at);
/* Calls `serve`, which fills in the request; without a thread before it returns. */
void ct_run_stream_ask(ct_run_step *at, void (*serve)(ct_run_step *at));
void ct_run_stream_wait(ct_run_step *at);
bool ct_run_stream_busy(const ct_run_step *at);
/* Whether the calling thread is its thread; for a signal handler. */
bool ct_run_stream_is_mine(const ct_run_step *at);
void ct_run_streams_stop(ct_run *run);

#endif
