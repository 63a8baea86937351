/* run.h: a plan on a device, fed block by block: what the parts of run share.
 * Room: core/run. run.c (life), run_block.c (one block), run_fire.c (one step), run_failure.c (the
 * first failure), run_buffers.c (memory, history), run_flags.c (missing samples), run_rules.c (what
 * they become), run_masks.c (those on the device), run_clear.c (their data), run_io.c (sources and
 * sinks), run_streams.c (their threads), run_pairs.c (arrays in two slots), run_courier.c
 * (exchanges that travel meanwhile), run_table.c (new tables), run_moves.c, run_waits.c and
 * run_trace.c (times), run_counters.c, run_stats.c and run_metrics.c (what is told of it),
 * run_resume.h (what outlives it). Other rooms use only ct_run_* of cornerturn.h, and rehearse.h.
 */
#ifndef CT_CORE_RUN_H
#define CT_CORE_RUN_H
#include "device.h"
#include "plan.h"
#include "program.h"
#include "step.h"
#include "text.h"

/* A sample is missing, or left out; it is no part of the stream, before its first valid one or
 * behind its end; it is a sum, of which a part was left out. */
#define CT_RUN_MISSING 1
#define CT_RUN_OUTSIDE 3
#define CT_RUN_PARTLY 4

/* Flags of one output or of one input window: u8 [stations][groups][samples], of groups of channels
 * that are flagged together. */
typedef struct ct_flags {
    int64_t stations, groups, samples;
    const ct_array *of; /* whose: it says which group a channel has */
    uint8_t *data;      /* NULL: nobody asks for them */
    uint8_t *each; /* of an output in which stations are summed: [the input's stations][groups]..*/
    int32_t *from; /* [groups]: the group of the input's flags that each follows; -1: all of them */
    bool any;      /* some byte is not 0 */
} ct_flags;

/* What a source is asked for, or a sink to take: nobody's but its thread's while it is asked. */
typedef struct ct_run_request {
    bool asked;
    int slot;             /* where the block is */
    int64_t number;       /* of the run's block; of a source, of its own */
    ct_array block;       /* on the host */
    ct_flags flags;       /* of a source */
    int64_t first, count; /* what a sink takes; count: the most that a source may give */
    int64_t got, missing; /* what a source has given */
    double seconds;       /* that it took */
    ct_status status;
    ct_error err;
} ct_run_request;

typedef struct ct_run_stream ct_run_stream; /* run_streams.c */

/* An array that may be in two slots. */
typedef struct ct_run_pair {
    bool on;   /* it is, in turn */
    bool next; /* at present in the other one */
} ct_run_pair;

/* Of a sink's file, where there are ranks: this one writes all that is written, or nothing; it
 * makes the file, and others write parts of it; it writes a part. */
typedef enum ct_run_part { CT_RUN_PART_NOT, CT_RUN_PART_MAKES, CT_RUN_PART_JOINS } ct_run_part;

typedef struct ct_run_step {
    const ct_step *step;      /* the plan's; of a source or sink `own` */
    ct_step *own;             /* a copy, which remembers what happens to it in this run */
    ct_program *program;      /* NULL for sources and sinks */
    ct_buffer side[CT_PORTS]; /* tables, scratch and flags: ct_plan_has_side */
    ct_buffer mem[CT_PORTS];  /* what each port uses: borrowed from slots, or side[] */
    void *state;              /* of a source or sink */
    ct_run_request *request;  /* likewise */
    ct_run_stream *stream;    /* its thread; NULL: the run's user does what is asked */
    ct_io io;                 /* the caller's in its place */
    void *whole; /* of a source: room for all of a block of which this rank takes a part; or NULL */
    ct_run_part part;
    bool silent; /* a source: another rank reads the same, and says what there is to be said */
    bool ended;  /* a source: on some rank nothing comes any more */
    int64_t got, lacks; /* of the present block: samples, and those that are missing */
    bool threaded;      /* it has a thread, or had one */
    bool open;
    bool broken;              /* a sink that could not take what it was given */
    bool uneven;              /* ranks have given its file different blocks */
    bool lost;                /* one that could not be closed: nothing of it can be kept */
    bool built;               /* it has been started once in this run */
    unsigned met;             /* where ranks have met in this firing: CT_RUN_MET_.. */
    bool flags_clean;         /* the device's copy of the flags is all 0 */
    uint8_t *flags;           /* room for those that a sink takes; NULL: it has had none */
    int64_t position;         /* of a source or sink: samples along T taken or given so far */
    int64_t fired;            /* how often */
    int64_t missing, samples; /* of a source: station samples, missing and in all */
    ct_counter *counter;      /* what it has counted itself, as of its last call */
    int counters, counter_room;
    double seconds; /* on the device, or in read and write */
    double waited;  /* for its thread */
} ct_run_step;

/* In the order in which they come. */
enum { CT_RUN_MET_BROUGHT = 1, CT_RUN_MET_SENT = 2, CT_RUN_MET_GIVEN = 4 };

typedef struct ct_run_moves ct_run_moves;
typedef struct ct_run_waits ct_run_waits; /* run_waits.c */
typedef struct ct_resume ct_resume;       /* run_resume.h */

struct ct_run {
    ct_plan *plan;     /* held, never changed */
    ct_device *device; /* held */
    ct_buffer *slots;
    ct_run_step *steps;
    ct_run_pair *pair; /* [edges]; NULL: no block has begun */
    void **reached;    /* [slots]: while the host has hold of one */
    ct_flags *out;     /* [nodes of the graph][CT_PORTS]: of outputs */
    ct_flags
        *late;    /* likewise: of the block before, where steps work on that; data NULL: none do */
    int *step_of; /* [nodes]; -1: it has none */
    ct_flags *window; /* per node: of port 0 with its overlap, and with flags that are brought */
    uint8_t *mask;    /* room for an array of flags on its way from or to the device */
    uint8_t *row;     /* room for a row of flags */
    struct ct_run_gather *gather;     /* run_gather.h; NULL: the run is without other ranks */
    struct ct_run_clearing *clearing; /* run_clear.c; NULL: nothing had to be cleared yet */
    int64_t *length; /* per node: valid samples of its outputs so far, skipped ones included */
    int64_t block;
    int64_t behind; /* once there are no more: so often have steps gone on without a new one */
    bool ending;    /* they do */
    int64_t flagged, samples; /* of the sources: station samples missing, and in all */
    double seconds;           /* of blocks, building apart */
    double building;          /* kernels built, libraries planned */
    double begun;             /* when the first block was; 0: not yet */
    bool started, ended, finished;
    bool joined; /* sinks that write parts of one file have found it, or tried to */
    struct ct_run_tabled *tables; /* for blocks that steps have not come to; run_table.c */
    bool tabled;                  /* some table is not what its stage has made any more */
    ct_resume *resume;            /* NULL: no journal is kept */
    int64_t first;                /* block, where it went on */
    int64_t replay;               /* what the blocks before this one give the sinks have already */
    bool keep;             /* what whole blocks have given is published where a later one fails */
    atomic_bool cancelled; /* set by another thread or a signal handler */
    atomic_bool stopping;  /* nobody wants what sources read now: so, or at the end */
    ct_status failed;      /* the first failure; CT_OK none */
    ct_error failure;      /* what it said */
    const char *warnings;
    struct ct_run_courier *courier; /* NULL: nothing travels while other blocks are computed */
    ct_run_waits *waits;            /* for other ranks; NULL: there are none */
    ct_run_moves *moves;            /* how long histories take; NULL: nobody wants to know */
    void *arena;
};

ct_status ct_run_buffers_new(ct_run *run, ct_error *err);
/* Waits for what is still on its way, where a block was given up. */
void ct_run_buffers_settle(ct_run *run);
void ct_run_buffers_free(ct_run *run);
/* Moves the end of the last block to the front, before the edge is written again. */
ct_status ct_run_buffers_move_history(ct_run *run, int edge, ct_error *err);
/* Notes when that was; ct_run_moves_mark does nothing where there is no ct_run_moves_new. */
ct_status ct_run_moves_new(ct_run *run, ct_error *err);
ct_status ct_run_moves_mark(ct_run *run, ct_error *err);
/* Seconds since the last call. Waits for the device. */
ct_status ct_run_moves_take(ct_run *run, double *seconds, ct_error *err);
void ct_run_moves_free(ct_run *run);
ct_status ct_run_buffers_copy(ct_run *run, const ct_buffer *to, const ct_buffer *from, size_t bytes,
                              ct_error *err);
ct_status ct_run_buffers_map(ct_run *run, const ct_buffer *buffer, void **data, ct_error *err);
ct_status ct_run_buffers_unmap(ct_run *run, const ct_buffer *buffer, void *data, ct_error *err);

/* Rows of `samples` bytes. */
static inline int64_t ct_run_flags_rows(const ct_flags *flags)
{
    return flags->stations * flags->groups;
}
/* Channels of an array, as its groups count them. */
static inline int64_t ct_run_flags_channels(const ct_array *array)
{
    return ct_array_extent(array, 'F') * ct_array_extent(array, 'C');
}
ct_status ct_run_flags_new(ct_run *run, ct_error *err);
/* Those of a node's output. */
ct_flags *ct_run_flags_of(const ct_run *run, ct_link link);
/* Those of the step's input 0, of the block that it works on. */
ct_flags *ct_run_flags_read(const ct_run *run, int step);
/* Of one output, or of one source: each has what the other one had. */
void ct_run_flags_swap(ct_flags *a, ct_flags *b);
/* A node's outputs begin another block: the last one's flags are kept for who is later. */
void ct_run_flags_next(ct_run *run, int node);
/* Whether somebody asks for the flags of a node's outputs, one of them left out (-1: none). */
bool ct_run_flags_wanted(const ct_run *run, int node, int except);
/* Derives the outputs' flags for this block from the input's. */
ct_status ct_run_flags_pass(ct_run *run, int step, ct_error *err);
/* Looks whether any is set, and counts those in the first `got` samples. */
int64_t ct_run_flags_count(ct_flags *flags, int64_t got);

/* What flags become of which samples. A stage that leaves out what is flagged (CT_STAGE_LEAVES_OUT)
 * has an output flagged where all was; any other one where any sample was that it needs. */
typedef struct ct_run_rule {
    int64_t decimate, overlap; /* an output needs `decimate` input samples, and so many before */
    bool leaves_out;
} ct_run_rule;
/* Joins the flags of two inputs of one sample. */
uint8_t ct_run_rule_join(uint8_t a, uint8_t b, bool leaves_out);
/* A row of `count` outputs from one of inputs; `more`: joined with what stands there. */
void ct_run_rule_spread(uint8_t *out, int64_t count, const uint8_t *in, ct_run_rule rule,
                        bool more);
/* Where stations are summed: what is missing from all of them. `rows` lie `count` bytes each,
 * `apart` bytes from one another. */
void ct_run_rule_stations(uint8_t *out, const uint8_t *rows, int64_t count, int64_t apart,
                          int64_t stations);

/* For a step that leaves out what is flagged: that is 0 in what its port 0 reads now. */
ct_status ct_run_clear(ct_run *run, int step, ct_error *err);
void ct_run_clear_free(ct_run *run);

/* The step's port that takes flags (CT_IN) or gives them (CT_OUT); -1 none. */
int ct_run_masks_port(const ct_step *step, ct_direction direction);
ct_status ct_run_masks_new(ct_run *run, ct_error *err);
/* What the pipeline brings to the step's flags port joins those of its input. */
ct_status ct_run_masks_brought(ct_run *run, int step, ct_flags *window, ct_error *err);
/* Once the step has run: the flags that it gives join those of its other outputs. */
ct_status ct_run_masks_given(ct_run *run, int step, ct_error *err);
/* Likewise of a sink, on the host: an array in the `data` of its step's port while it writes. */
ct_status ct_run_masks_sink(ct_run *run, int step, ct_error *err);
/* Flags in `data`, the array of a step's port, what these flag of the part that the port has. */
void ct_run_masks_add(const ct_step *step, int port, uint8_t *data, const ct_flags *flags);
/* What the step's port reads that takes flags: the run's, and where the pipeline brings some, what
 * either of them flags. */
ct_status ct_run_masks_upload(ct_run *run, int step, ct_error *err);

/* Of a run that is one rank of several: all flags of steps that gather them, and what a step owes
 * the others where it was given up. */
struct ct_run_gather_need;
ct_status ct_run_masks_room(ct_run *run, struct ct_run_gather_need *need, ct_error *err);
void ct_run_masks_drain(ct_run *run, int step, unsigned what);

/* Where the run is one rank of a job (run_ranks.c): what differs, and where ranks meet. Of a run
 * that is without others these do nothing, and agree with it. */
ct_status ct_run_ranks_new(ct_run *run, ct_error *err);
ct_status ct_run_ranks_agree(ct_run *run, ct_status mine, ct_error *err);
/* All have read a block: how far it goes, and the flags of what others have read. */
ct_status ct_run_ranks_read(ct_run *run, bool *some, ct_error *err);
void ct_run_ranks_drain(ct_run *run, int step);
bool ct_run_ranks_alone(const ct_run *run);
/* What a source fills in place of its block, and the part of that which is the block. */
ct_array ct_run_ranks_reads(const ct_run_step *at, const ct_array *block);
/* The flags of the stations that a source reads, of those of all. */
uint8_t *ct_run_ranks_rows(const ct_run_step *at, const ct_flags *flags);
void ct_run_ranks_take_part(const ct_run_step *at, ct_array *block, const ct_array *read);

/* Sinks whose file several ranks write (run_parts.c): which part this one has. find: once the run
 * is made. All ranks call the others. open: before the first block; rank 0 makes the files, the
 * others join them. close: all of this rank's parts are in their files. keep: likewise after a
 * failure, and no file is kept to which ranks have given different blocks. checkpoint: where the
 * journal's next line is due, all parts are on the disk first. */
void ct_run_parts_find(ct_run *run);
ct_status ct_run_parts_open(ct_run *run, ct_error *err);
ct_status ct_run_parts_close(ct_run *run, ct_error *err);
void ct_run_parts_keep(ct_run *run);
bool ct_run_parts_has(const ct_run *run);
ct_status ct_run_parts_checkpoint(ct_run *run, ct_error *err);

/* What a rank's steps take, and how long it waits in them for others (run_waits.c). What a step
 * stands still counts until ranks agree: of that the least of any rank was moving, the rest
 * waiting.
 */
ct_status ct_run_waits_new(ct_run *run, ct_error *err);
double ct_run_waits_stood(const ct_run *run); /* s so far; 0 without ranks */
void ct_run_waits_stand(ct_run *run, int step, double since);
void ct_run_waits_add(ct_run *run, int step, double seconds); /* to what it stood */
ct_status ct_run_waits_agree(ct_run *run, ct_status mine, ct_error *err);
/* Of all ranks, once they are collected: one after the other, of each its steps' times, then those
 * of the run. NULL: there are none. */
typedef struct ct_run_time {
    double seconds, waited;
} ct_run_time;
const ct_run_time *ct_run_waits_all(const ct_run *run);

/* Tables that were given before the block that the step is at. */
ct_status ct_run_tables_take(ct_run *run, int step, ct_error *err);
void ct_run_tables_free(ct_run *run);
/* Fills the step's tables that are another block's (CT_PORT_BLOCK). */
ct_status ct_run_refill(ct_run *run, int step, ct_error *err);

/* Whether the run may go on: its first failure again, or CT_USAGE where it is over. `call`: whose
 * caller is told. */
ct_status ct_run_ready(ct_run *run, const char *call, ct_error *err);
/* CT_INTERRUPTED where somebody cancelled it. */
ct_status ct_run_heed(const ct_run *run, ct_error *err);
/* Of who fails without a word: a source that was told to stop, a caller's read() or write(). */
void ct_run_say_why(const ct_run *run, ct_status status, ct_error *err);
/* Remembers the first failure, of which run->failure has the sentences; returns it. */
ct_status ct_run_fail(ct_run *run, ct_status status, ct_error *err);

/* CT_USAGE where a source or sink that cannot do it by itself is bound to nothing; names all. */
ct_status ct_run_io_check(const ct_run *run, ct_error *err);
ct_status ct_run_io_open(ct_run *run, int step, ct_error *err);
/* Of the present block only so many samples count. */
ct_status ct_run_io_shorten(ct_run *run, int step, int64_t got, ct_error *err);
/* Asks a source for its block of this number, and takes it when it is there. */
ct_status ct_run_io_ask(ct_run *run, int step, int64_t number, ct_error *err);
ct_status ct_run_io_take(ct_run *run, int step, bool *some, ct_error *err);
/* Asks for the block behind the present one, where there is one, and a thread to read it. */
ct_status ct_run_io_ask_ahead(ct_run *run, int step, ct_error *err);
/* Hands a sink the present block, once it has taken the one before; says what became of that. */
ct_status ct_run_io_write(ct_run *run, int step, ct_error *err);
/* Waits until no sink uses this slot of an edge, which then is not the host's any more. */
ct_status ct_run_io_release(ct_run *run, int edge, int slot, ct_error *err);
/* Waits until all sinks have taken what they were given; the failure of the earliest block. */
ct_status ct_run_io_settle(ct_run *run, ct_error *err);
/* Does what is asked, in whichever thread. */
void ct_run_io_serve(ct_run_step *at);
ct_status ct_run_io_close(ct_run *run, int step, bool complete, ct_error *err);
/* Notes what a source or sink has counted, while nothing is asked of it. */
ct_status ct_run_counters_take(ct_run *run, ct_run_step *at, ct_error *err);
/* Resident bytes of the process, at present and at most; 0: nobody says. */
int64_t ct_run_memory(void);
int64_t ct_run_memory_most(void);
/* All counters of all steps, those of one step together. */
typedef struct ct_run_count {
    int step;
    ct_counter counter;
} ct_run_count;
typedef struct ct_run_counts {
    ct_run_count *one;
    size_t count;
} ct_run_counts;
ct_status ct_run_counts_new(ct_run_counts *out, const ct_run *run, ct_error *err);
void ct_run_counts_free(ct_run_counts *counts);
/* A counter's name with its unit behind it; whether it is the same of both, or the station and lane
 * are. */
enum { CT_RUN_COUNT_NAME = 160 };
const char *ct_run_counts_name(const ct_counter *one, char out[CT_RUN_COUNT_NAME]);
bool ct_run_counts_alike(const ct_counter *a, const ct_counter *b);
bool ct_run_counts_part(const ct_counter *a, const ct_counter *b);
/* run_metrics.c: the form of ct_run_stats for monitoring. */
void ct_run_metrics(ct_text *out, const ct_run *run, const ct_run_counts *counts,
                    const ct_progress *now);
/* Once all sinks are closed: their files get their names, all or none. */
ct_status ct_run_io_publish(ct_run *run, ct_error *err);
ct_status ct_run_io_name(ct_run *run, ct_error *err); /* the second half of it */
/* The step and the number there of the run's n-th file; false beyond the last. */
bool ct_run_io_file(const ct_run *run, size_t n, int *step, size_t *file);
void ct_run_io_discard(ct_run *run);

/* A thread for a source or sink, while it has which ct_run_io_serve is called by that. */
ct_status ct_run_stream_new(ct_run *run, ct_run_step *at, ct_error *err);
void ct_run_stream_ask(ct_run_step *at);
void ct_run_stream_wait(ct_run_step *at);
bool ct_run_stream_busy(const ct_run_step *at);
/* Ends all threads, once what they are at is done, or given up. Twice is fine. */
void ct_run_streams_stop(ct_run *run);

/* Before the first block, when all is known of who reads and writes. */
ct_status ct_run_pairs_begin(ct_run *run, ct_error *err);
/* Where an edge's block of this number is, and which one is to be used from now on. */
int ct_run_pairs_slot(const ct_run *run, int edge, int64_t number);
void ct_run_pairs_take(ct_run *run, int edge, int64_t number);
/* Where the present block is; its buffer, and that of the block before: the same one, or not. */
int ct_run_pairs_now(const ct_run *run, int edge);
const ct_buffer *ct_run_pairs_buffer(const ct_run *run, int edge);
const ct_buffer *ct_run_pairs_before(const ct_run *run, int edge);
/* A slot as the host's memory, until it is left. */
ct_status ct_run_pairs_reach(ct_run *run, int slot, void **data, ct_error *err);
ct_status ct_run_pairs_leave(ct_run *run, int slot, ct_error *err);
void ct_run_pairs_end(ct_run *run);
/* The slot of what the step reads or writes at a port in this firing; all that it reads. */
const ct_buffer *ct_run_pairs_of(const ct_run *run, int step, int port);
void ct_run_pairs_inputs(ct_run *run, int step);

/* run_courier.c. begin: before the first block, where all ranks meet. take: what was handed over in
 * the block before has come; fire: hands over this one; drain: so that other ranks get theirs,
 * whatever has failed; release: waits until nothing is sent from this slot. */
ct_status ct_run_courier_begin(ct_run *run, ct_error *err);
bool ct_run_courier_has(const ct_run *run, int step);
ct_status ct_run_courier_take(ct_run *run, int step, ct_error *err);
ct_status ct_run_courier_fire(ct_run *run, int step, ct_error *err);
void ct_run_courier_drain(ct_run *run, int step);
ct_status ct_run_courier_release(ct_run *run, int slot, ct_error *err);
void ct_run_courier_stop(ct_run *run);

/* The block that a step works on at present: steps behind exchanges that travel are later. */
static inline int64_t ct_run_block_of(const ct_run *run, int step)
{
    return run->block + run->behind - (run->courier ? run->plan->steps[step].lag : 0);
}
/* Whether it has one, and all that it gathers. */
static inline bool ct_run_is_due(const ct_run *run, int step)
{
    const int64_t block = ct_run_block_of(run, step);
    return block >= 0 && (!run->ending || block < run->block) &&
           (block + 1) % run->plan->steps[step].period == 0;
}

double ct_run_clock(void);
ct_status ct_run_open_sinks(ct_run *run, ct_error *err);
/* One block through all steps. CT_EOF: there was none any more. */
ct_status ct_run_one_block(ct_run *run, ct_error *err);
/* Steps that work on earlier blocks, since exchanges travel, come to the last one that was read.
 * All ranks call it, once no more are to be read. */
ct_status ct_run_catch_up(ct_run *run, ct_error *err);
/* The present block through one step; *some: a source has given samples. */
ct_status ct_run_fire(ct_run *run, int step, bool *some, ct_error *err);
/* Counts the valid samples of a node's outputs so far: what its shortest input allows. */
void ct_run_count_length(ct_run *run, int node);
/* Sentences, one a line, in the run's arena; "" none. */
const char *ct_run_warn(const ct_run *run);

#endif
