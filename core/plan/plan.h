/* plan.h: how: steps with shapes, layouts and tunables all fixed, and the buffers between them.
 * Room: core/plan. Made by tuner/choose (default) or plan_load.c (a file); read by core/run, cli.
 */
#ifndef CT_CORE_PLAN_H
#define CT_CORE_PLAN_H
#include "graph.h"

struct ct_partition; /* partition.h */

/* One array in memory that steps share. A buffer with history keeps `before` samples along T in
 * front of each block's new ones. */
typedef struct ct_edge {
    ct_array array;        /* T = before + new samples + after; strides in its own layout */
    int64_t before, after; /* samples along T beyond the new ones: history, and what waits until
                              there are as many as its reader takes */
    int64_t rows;          /* see row_stride.h */
    int from, port;        /* the step that writes it, and its port */
    int first, last; /* steps during which it must keep its contents (all, where before > 0) */
    int slot;        /* buffers with one slot share memory */
    int next;        /* another slot, in turn with it block by block, so that a source fills one, or
                        a sink empties it, while the other one is used; -1: none */
    int places;      /* in its slot, for one block each, so many bytes apart that the new samples of
                        a block are the history of the next one where they are; 1: history is moved
                        to the front before each block */
    int64_t way;     /* bytes from one place to the next */
    bool exchanged;  /* an exchange sends it, or brings it, while other blocks are computed */
    bool read_later; /* it is read while the next block of it is written */
    bool temporary;  /* a copy that lives while its step runs: see `zeroed` */
    const char *name; /* "fft", "fft>CTSP" */
} ct_edge;

typedef struct ct_plan_step {
    ct_step *step;      /* ports point into edges: offsets and strides of the edge */
    int node;           /* of the graph; -1: an inserted transpose */
    ct_link reader;     /* of an inserted transpose: the input that asked for it; others node -1 */
    int edge[CT_PORTS]; /* which edge each port uses; -1: table, scratch or not connected */
    bool others_need_flagged; /* other steps read the array of port 0 with its flagged samples */
    int zeroed; /* so the edge that it reads in its place where something is flagged, with 0 there;
                  -1: flagged samples are zeroed in the array itself, or there are none */
    int clock;  /* when it fires: of the graph's clocks */
    int lag; /* works on a block when steps of lag 0 are so many blocks further; 0 without overlap
              */
    /* Of a node, where there are ranks: how they divide its work, and its inputs; NULL: they do not
     */
    const struct ct_partition *partition, *input_partition;
    const char *reason[CT_PORTS]; /* why this layout: "pinned", "as the file has it", ... */
    int64_t rows[CT_PORTS];       /* of scratch */
    char name[64];
} ct_plan_step;

enum { CT_PLAN_ABOUT = 2 };

struct ct_plan {
    ct_refcount refcount;
    ct_graph *graph; /* retained */
    ct_plan_step *steps;
    int count;
    ct_edge *edges;
    int edge_count;
    int slots;
    int64_t *slot_bytes;
    int64_t device_bytes; /* all slots, tables and scratch */
    int64_t spare_bytes;  /* of these, for places: a run that has less memory does without */
    bool gpu;
    bool regroups; /* some step gathers samples */
    int lag; /* so many exchanges that overlap computing follow each other at most; 0: none does */
    const char *no_overlap; /* why none does, where there are exchanges; NULL */
    const struct ct_partition
        *partition;   /* [node]: how ranks divide its work (partition.h); NULL: one process */
    const char *grid; /* "S=4,C=2" of these ranks, or "" */
    const struct ct_forecast *forecast; /* what is predicted of it (forecast.h); NULL: nothing */
    const char *about[CT_PLAN_ABOUT];   /* JSON texts of "key" and "tuned"; NULL: none */
    void *arena;
};

/* Values of some of a step's tunables; the others take their defaults. */
typedef struct ct_tuning {
    int64_t value[CT_TUNABLES];
    bool given[CT_TUNABLES];
} ct_tuning;

/* How an input comes to a layout that is not the one it was written in. */
typedef struct ct_copy_choice {
    enum {
        CT_COPY_OPEN,  /* reads the first copy in this layout; makes one where there is none */
        CT_COPY_OWN,   /* makes one */
        CT_COPY_SHARED /* reads the one that the input `with` has made */
    } kind;
    ct_link with;
    int64_t rows;     /* of the copy, see row_stride.h */
    ct_tuning tuning; /* of the transpose */
} ct_copy_choice;

/* Along what ranks divide a node's work, where a plan's file says it. */
typedef struct ct_split_choice {
    bool given;
    char dim[CT_DIMS + 1]; /* "": each rank does all of it */
    int ranges[CT_DIMS];   /* of the plan's grid; 0: it says nothing of this one */
} ct_split_choice;

/* What is to be decided of a node. */
typedef struct ct_choice {
    ct_layout layout[CT_PORTS]; /* rank 0: an input reads what is written, others as named */
    const char *reason[CT_PORTS];
    int64_t rows[CT_PORTS];        /* of outputs and scratch, see row_stride.h */
    ct_copy_choice copy[CT_PORTS]; /* of inputs */
    ct_tuning tuning;
    ct_split_choice split;
    bool of_one; /* decided for one process: ranks that cannot take its tunables use the defaults */
    int *misfits; /* decided for other sizes: tunables that are not legal here are the defaults, and
                     counted; NULL: they are an error */
} ct_choice;

/* Whether exchanges of a run overlap with computing: a block is sent while the next one is
 * computed. */
static inline bool ct_plan_overlaps(const ct_plan *plan)
{
    return plan->lag > 0;
}
/* Blocks per firing of a step. */
static inline double ct_plan_period(const ct_plan *plan, const ct_plan_step *step)
{
    return ct_clock_table_period(&plan->graph->clocks, step->clock);
}
/* Keeps the plan until as many ct_plan_free follow. */
ct_plan *ct_plan_retain(const ct_plan *plan);
/* Builds a plan from one choice per node: inserts transposes, shares edges, plans memory. `from`:
 * the plan's file, for messages; NULL: none. device NULL: a CPU. */
ct_status ct_plan_build(ct_plan **out, const ct_graph *graph, const ct_choice *choices,
                        const ct_source_location *from, const ct_device *device, ct_error *err);
/* The step and its port that a pipeline's node and port name; port NULL: the first output, of a
 * sink its input. Of a node that is fused into another one: tables, which are the other one's then.
 * CT_USAGE. */
ct_status ct_plan_find_port(const ct_plan *plan, const char *node, const char *port, int *at,
                            int *place, ct_error *err);
/* Whether a step has memory of its own for a port: tables, scratch, and flags, the run's put
 * together with those that the pipeline brings. */
bool ct_plan_has_side(const ct_plan_step *step, int port);
/* Whether an edge's sums may end while the step that writes it fires: the next ones go to its other
 * slot. */
bool ct_plan_carries(const ct_plan *plan, int edge);
/* As ct_plan_parse, with the nodes of the plan (in the order of its graph) split over ranks along
 * these dimensions, "" none; a NULL as the text or the rule says. */
ct_status ct_plan_parse_split(ct_plan **out, const ct_graph *graph, const char *text,
                              const char *name, const char *const *splits, const ct_device *device,
                              ct_error *err);
/* As ct_plan_parse, of a plan that was made for other sizes of the same graph of stages: what does
 * not fit here, or is pinned otherwise, is as by default, and counted. */
ct_status ct_plan_parse_near(ct_plan **out, const ct_graph *graph, const char *text,
                             const char *name, const ct_device *device, int *misfits,
                             ct_error *err);
/* All that is decided of its nodes, as ct_plan_save writes it. */
void ct_plan_print_nodes(ct_text *text, const ct_plan *plan);
/* CT_INVALID with the numbers where the plan does not fit. */
ct_status ct_plan_fits(const ct_plan *plan, int64_t device_bytes, int64_t largest, ct_error *err);

#endif
