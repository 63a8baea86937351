/* plan_builder.h: what the files of ct_plan_build use together.
 * Room: core/plan. Order: plan.c places a step for each node, plan_copies.c the transposes before
 * it, plan_steps.c gives steps their layouts and tunables, plan_zeroed.c copies for those that
 * leave out what is flagged, plan_memory.c gives arrays their room. */
#ifndef CT_CORE_PLAN_BUILDER_H
#define CT_CORE_PLAN_BUILDER_H
#include "partition.h"
#include "plan.h"

/* Of an edge that an exchange has made: of which one, and for whom; `to` NULL: it is none. */
typedef struct ct_plan_exchanged {
    int from;
    const ct_partition *to;
} ct_plan_exchanged;

typedef struct ct_plan_builder {
    ct_plan *plan;
    const ct_graph *graph;
    const ct_choice *choices;       /* a node each */
    const ct_source_location *from; /* NULL: no file */
    const ct_device *device;
    int *written; /* [node * CT_PORTS + port]: the edge that holds this output as written */
    int *copied;  /* [node * CT_PORTS + port]: the edge that this input has made for it; -1 */
    int *source;  /* [edge]: the edge that it is a transpose of; -1: none */
    ct_partition *partition;       /* [node]: how ranks divide its work; NULL: there are no ranks */
    ct_partition *input_partition; /* [node]: and what of its inputs each rank needs */
    bool *open;                    /* [node]: the rule has chosen its split */
    ct_plan_exchanged *exchanged;  /* [edge] */
    size_t rooms;                  /* edges that there can be */
    ct_error *err;
} ct_plan_builder;

int ct_plan_edge_new(ct_plan_builder *b, const ct_array *array, const ct_layout *layout,
                     int64_t rows, int step, int port);
ct_plan_step *ct_plan_step_new(ct_plan_builder *b, const char *name, int node);

/* The edge that input `port` of node n reads, in the layout that its choice names. */
ct_status ct_plan_connect(ct_plan_builder *b, int n, int port, int *edge);

/* Where there are ranks: how they divide each node's work. */
ct_status ct_default_split(ct_plan_builder *b);
/* The node's step with this rank's ranges; the caller's. */
ct_status ct_plan_own_step(const ct_plan_builder *b, int n, ct_step **out);
/* Where ranges of the input are on other ranks: *done, and the edge that an exchange brings it to,
 * perhaps in the layout of another reader. */
ct_status ct_plan_exchange(ct_plan_builder *b, int n, int port, bool *done, int *edge);

/* Where the input is taken in other numbers of samples than *edge brings: the edge in which they
 * are gathered. Its rows lie as those of what comes, once these are known. */
ct_status ct_plan_regroup(ct_plan_builder *b, int n, int port, int *edge);
void ct_plan_regroup_rows(const ct_plan *plan, ct_edge *edge);

/* Strides, views of edges, tables, tunables: once all edges are known. */
ct_status ct_plan_finish_steps(ct_plan_builder *b);

/* Room for copies in which flagged samples are 0, once all arrays have their strides. */
ct_status ct_plan_zeroed(ct_plan_builder *b);

/* Once all arrays have their strides: which steps work on earlier blocks, so that exchanges overlap
 * them. */
void ct_plan_overlap(ct_plan *plan);
/* Last: gives every edge a slot so that no two edges that live at once share one; sets slot_bytes
 * and device_bytes. */
ct_status ct_plan_memory(ct_plan *plan, ct_error *err);

/* Says "plan.json:6:35: /nodes/fir/KEY: " and what is wrong; without a file as the node would. */
ct_status ct_plan_fail(const ct_plan_builder *b, int node, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
