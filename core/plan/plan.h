/* plan.h: how: steps with shapes, layouts and tunables all fixed, and the buffers between them.
 * Room: core/plan. Made by tuner/choose.c (default) or plan_json.c (a file); read by run.c, cli. */
#ifndef CT_CORE_PLAN_H
#define CT_CORE_PLAN_H
#include "graph.h"

/* One array in memory that steps share. A buffer with history keeps `before` samples along T in
 * front of each block's new ones. */
typedef struct ct_edge {
    ct_array array; /* T = before + new samples; strides in its own layout */
    int64_t before;
    int from, port;   /* the step that writes it, and its port */
    int first, last;  /* steps during which it must keep its contents (all, where before > 0) */
    int slot;         /* buffers with one slot share memory */
    const char *name; /* "fft", "fft>CTSP" */
} ct_edge;

typedef struct ct_plan_step {
    ct_step *step;      /* ports point into edges: offsets and strides of the edge */
    int node;           /* of the graph; -1: an inserted transpose */
    int edge[CT_PORTS]; /* which edge each port uses; -1: table, scratch or not connected */
    int64_t period;
    const char *reason[CT_PORTS]; /* why this layout: "pinned", "as the file has it", ... */
    char name[64];
} ct_plan_step;

struct ct_plan {
    ct_hold hold;
    ct_graph *graph; /* held */
    ct_plan_step *steps;
    int count;
    ct_edge *edges;
    int edge_count;
    int slots;
    int64_t *slot_bytes;
    int64_t device_bytes; /* all slots, tables and scratch */
    bool gpu;
    void *arena;
};

/* What the planner needs to be told: a layout per port and tunables per node. */
typedef struct ct_choice {
    ct_layout layout[CT_PORTS]; /* rank 0: the port does not care */
    const char *reason[CT_PORTS];
    int64_t tunable[CT_TUNABLES];
    bool tuned[CT_TUNABLES]; /* given in tunable[]; the others take their defaults */
} ct_choice;

/* Keeps the plan until as many ct_plan_free follow. */
ct_plan *ct_plan_hold(const ct_plan *plan);
/* Builds a plan from one choice per node: inserts transposes, shares edges, plans memory. device
 * NULL: a CPU. */
ct_status ct_plan_build(ct_plan **out, const ct_graph *graph, const ct_choice *choices,
                        const ct_device *device, ct_error *err);
/* CT_INVALID with the numbers where the plan does not fit. */
ct_status ct_plan_fits(const ct_plan *plan, int64_t device_bytes, int64_t largest, ct_error *err);

#endif
