/* run.h: a plan on a device, fed block by block: what a run is, and the order of its work.
 * run_life.c is its life, run_block.c the loop, run_fire.c a step in a block, run_failure.c the
 * first failure. run_io.h (sources and sinks), run_memory.h (arrays, history), run_flags.h (missing
 * samples) and run_tables.h (tables that change) are its parts. Room: core/run. */
#ifndef CT_CORE_RUN_H
#define CT_CORE_RUN_H
#include "device.h"
#include "plan.h"
#include "program.h"
#include "run_hooks.h"
#include "step.h"

typedef struct ct_run_step {
    const ct_step *step;      /* the plan's; of a source or sink `own` */
    ct_step *own;             /* a copy, which remembers what happens to it in this run */
    ct_program *program;      /* NULL for sources and sinks */
    ct_buffer side[CT_PORTS]; /* tables, scratch and flags: ct_plan_has_side */
    ct_buffer mem[CT_PORTS];  /* what each port uses: borrowed from slots, or side[] */
    int64_t fired;            /* how often */
    double seconds;           /* on the device, or in read and write */
    bool built;               /* it has been started once in this run */
    bool launched;            /* its program was put on the queue in this firing */
    bool background;          /* its work goes on while others fire: hooks.complete */
    bool flags_clean;         /* the device's copy of the flags is all 0 */
    bool flags_handed;        /* it is what the step before has flagged, since that ran */

    /* Of sources and sinks: */
    void *state;
    struct ct_run_request *request;
    struct ct_run_stream *stream; /* its thread; NULL: the run's user does what is asked */
    bool threaded;                /* it has a thread, or had one */
    double waited;                /* for its thread */
    double stood; /* the run for it, since ct_run_count_stood: in opening, in its thread, or without
                     one in reading and writing */
    double held;  /* of all blocks' time, what the run stood for it while the device had no work */
    ct_io io;     /* the caller's in its place */
    int64_t position; /* samples along T taken or given so far */
    bool open;
    ct_counter *counter; /* what it has counted itself, as of its last call */
    int counters, counter_room;

    /* Of sources: */
    int64_t got, lacks;       /* of the present block: samples, and those that are missing */
    int64_t missing, samples; /* of all stations so far: missing, and in all */
    void *whole; /* room for what it reads where the block is a part of that; or NULL */
    bool silent; /* another process says what there is to be said */

    /* Of sinks: */
    uint8_t *flags;   /* room for those that it takes; NULL: it has had none */
    bool joins;       /* another process makes its file, and this one writes into that */
    bool broken;      /* it could not take what it was given */
    bool lost;        /* it could not be closed: nothing of it can be kept */
    const char *flaw; /* why nothing of it can be kept; NULL: it can */
} ct_run_step;

struct ct_run {
    void *arena;
    ct_plan *plan;     /* retained, never changed */
    ct_device *device; /* retained */
    ct_run_step *steps;
    ct_run_hooks hooks;
    struct ct_job *job;             /* core/job; NULL: no other processes */
    struct ct_resume *resume;       /* core/resume; NULL: no journal is kept */
    struct ct_rehearsal *rehearsal; /* core/rehearse; NULL: it is a real run */
    struct ct_swap *swap;           /* core/swap; NULL: it was never given another plan */
    struct ct_run *retired;         /* of plans before: what is still referred to; NULL none */

    struct ct_run_memory *memory; /* run_memory.h */
    struct ct_run_flags *flags;   /* run_flags.h */
    struct ct_run_table *tables;  /* run_tables.h: for blocks that steps have not come to */
    bool tabled;                  /* some table is not what its stage has made any more */

    int64_t block;            /* the present one, or the next */
    int64_t first;            /* with which this run began */
    int64_t write_from;       /* blocks before this one are computed again, and not written */
    bool lagging;             /* steps are as many blocks behind as the plan says */
    int64_t behind;           /* blocks in which steps that lag, or gather, went on after the last
                                 one */
    bool idle;                /* the sources have given nothing for the present block */
    bool draining;            /* sources give no more: what was gathered is used up */
    bool ending;              /* that has begun */
    bool apart;               /* no source reads ahead in the present block */
    int64_t *length;          /* per node: valid samples of its outputs so far, skipped ones too */
    int64_t flagged, samples; /* of the sources: station samples missing, and in all */
    double seconds;           /* of blocks, building apart */
    double build_s;           /* kernels built, libraries planned */
    double journal_s;         /* that a journal has taken */
    double begun;             /* when the first block was; 0: not yet */

    bool complete;                         /* all is built: ct_run_build */
    bool ahead;                            /* it only builds, from the last step to the first */
    bool started, ended, finished, inside; /* inside a call that may call the program */
    atomic_bool cancelled;                 /* set by another thread or a signal handler */
    atomic_int at;        /* the step in whose stage the run's user is, from 1 on; 0: in none */
    atomic_bool stopping; /* what sources read is not needed any more */
    ct_status failed;     /* the first failure; CT_OK none */
    ct_error failure;     /* what it said */
};

/* ct_run_new without what other rooms add. */
ct_status ct_run_make(ct_run **out, const ct_plan *plan, ct_device *device, ct_error *err);
/* Frees programs, arrays and steps: all that the device has of a run. */
void ct_run_end_parts(ct_run *run);

/* One block through all steps. CT_EOF: there was none any more. */
ct_status ct_run_one_block(ct_run *run, ct_error *err);
/* Steps that lag work on the blocks that are left, and what was gathered is used up. All processes
 * call it when no more are read. */
ct_status ct_run_catch_up(ct_run *run, ct_error *err);
ct_status ct_run_open_sinks(ct_run *run, ct_error *err);
/* For ct_run_at: the run's user is in a function of this step's stage; -1: of none. */
static inline void ct_run_note(ct_run *run, int step)
{
    atomic_store_explicit(&run->at, step + 1, memory_order_relaxed);
}
/* Tells which step is built or started, of those that have a kernel; -1: all are
 * (ct_context_tell). */
void ct_run_told(const ct_run *run, ct_doing doing, int step);
/* The first failure of any process; `mine`, if there is only one. */
ct_status ct_run_agree(ct_run *run, ct_status mine, ct_error *err);
/* The present block through one step; *some: a source has given samples. */
ct_status ct_run_fire(ct_run *run, int step, bool *some, ct_error *err);
ct_status ct_run_fire_kernel(ct_run *run, int step, ct_error *err);
/* run_gather.c: a step that gathers samples takes what has come, and lets go what was used. */
ct_status ct_run_gather(ct_run *run, int step, ct_error *err);
/* What such a step does in this block before anything comes: samples that its reader has taken in
 * the last one, and those that wait. */
typedef struct ct_gathered {
    int64_t way, rest;
} ct_gathered;
ct_gathered ct_run_gathered(const ct_run *run, int step, int64_t block);
/* Counts the valid samples of a node's outputs so far: what its shortest input allows. */
void ct_run_count_length(ct_run *run, int node);

/* The block that a step works on at present. */
static inline int64_t ct_run_block_of(const ct_run *run, int step)
{
    return run->block + run->behind - (run->lagging ? run->plan->steps[step].lag : 0);
}
/* Whether a clock of the graph comes to another firing in the block that the step works on. */
static inline bool ct_run_ticks(const ct_run *run, int step, int clock)
{
    const ct_clock_table *clocks = &run->plan->graph->clocks;
    const int64_t block = ct_run_block_of(run, step);
    return ct_clock_table_fired(clocks, clock, block + 1) >
           ct_clock_table_fired(clocks, clock, block);
}
/* Whether it has a block to work on, and whether it fires in this one. */
static inline bool ct_run_is_busy(const ct_run *run, int step)
{
    const int64_t block = ct_run_block_of(run, step);
    return block >= 0 && (!run->ending || block < run->block);
}
static inline bool ct_run_is_due(const ct_run *run, int step)
{
    return ct_run_is_busy(run, step) && ct_run_ticks(run, step, run->plan->steps[step].clock);
}

/* What the run stood for sources and sinks since the last call is theirs, but for this part. */
void ct_run_count_stood(ct_run *run, double hidden);
/* Of the time of all blocks so far, what is this step's: on the device, or as above. */
double ct_run_held(const ct_run *run, int step);

/* CT_OK if the run may go on; its first failure again; CT_USAGE if it is over. `call`: the name of
 * the public call. */
ct_status ct_run_ready(ct_run *run, const char *call, ct_error *err);
/* CT_INTERRUPTED if the run was cancelled. */
ct_status ct_run_check_cancelled(const ct_run *run, ct_error *err);
/* Adds a sentence to a failure that has none: of a source that was stopped, or of a caller's read()
 * or write(). */
void ct_run_explain(const ct_run *run, ct_status status, ct_error *err);
/* Remembers the first failure, whose sentences are in run->failure, and returns it. */
ct_status ct_run_fail(ct_run *run, ct_status status, ct_error *err);

#endif
