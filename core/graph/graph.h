/* graph.h: what to compute: nodes with inferred shapes, edges; no layouts but those pinned.
 * Room: core/graph. Made by graph.c (parsing) and infer_graph.c (shapes); read by plan.c, cli,
 * tuner. */
#ifndef CT_CORE_GRAPH_H
#define CT_CORE_GRAPH_H
#include "clock_table.h"
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "refcount.h"
#include "step.h"

typedef struct ct_link {
    int node, port; /* where the data come from; node -1: not connected */
} ct_link;

typedef struct ct_node {
    const char *name;
    ct_step *step;                   /* shapes for one block, overlap not included; no layouts */
    ct_link input[CT_PORTS];         /* per port of the stage; outputs have node -1 */
    ct_layout read, write;           /* pinned; rank 0: auto; without their splits, which are: */
    uint8_t read_split, write_split; /* as in a ct_layout, of these */
    char split[CT_DIMS + 1];         /* dimensions of either along which the node's work is split */
    int64_t tunable[CT_TUNABLES];    /* where pinned[] */
    bool pinned[CT_TUNABLES];
    int64_t length;            /* samples of T that its outputs give in all, skipped ones included;
                                  -1 unknown */
    int64_t out_skip;          /* of these, how many at the start are not valid */
    int clock, out_clock;      /* when it takes data, and gives them: of graph->clocks */
    int64_t regroup[CT_PORTS]; /* of inputs: so many samples are taken each time, of those that
                                  come in other numbers; 0: as they come */
    int use;                   /* how many links leave it */
    bool broken;         /* a mistake in it is reported already: its shapes are not inferred */
    const char *pointer; /* "/nodes/fir" */
    ct_source_location location;
} ct_node;

typedef struct ct_file_uses ct_file_uses; /* the files that its nodes use; file_conflicts.c */

struct ct_graph {
    ct_refcount refcount;
    const char *file, *text; /* the pipeline as read */
    const char *expanded; /* that text with constants and settings put in; of a graph that was made
                             from a text */
    const char *folder;
    ct_value *root;
    struct ct_graph *of; /* retained: the pipeline's, which this one was fused from, or has another
                            block than; NULL: it is that */
    ct_context *context; /* retained */
    ct_node *nodes;      /* in an order in which inputs come before users */
    int count;
    ct_clock_table clocks;
    int64_t block;       /* samples along T of the sources, per block */
    int64_t limit;       /* up to which the block grows, so that nothing has to be regrouped */
    int64_t blocks;      /* in the whole stream, rounded up; -1 unknown */
    bool lacks_stages;   /* a file of "stages" could not be used: a node's stage may be missing */
    bool misfit;         /* some node cannot divide the block */
    bool waits_for_none; /* for a sender or writer of what its sources read */
    bool unknown;        /* so the shapes of some node, and of those after it, are not known */
    bool pipes;          /* those that its sources read are open */
    int64_t near[2]; /* where the pipeline's block does not divide: the next that would, shorter and
                        longer; 0 none is known */
    const char *other_block; /* why the block is not the one that the pipeline gives; NULL: it is */
    double block_s;          /* seconds of signal per block; 0 unknown */
    const ct_ranks *ranks;   /* that divide the work; NULL: one process */
    const ct_observation *observation; /* NULL: the pipeline says nothing of it */
    ct_file_uses *file_uses;
    const char *warnings;
    void *arena;
};

/* Keeps the graph until as many ct_graph_free follow: for plans and runs. */
ct_graph *ct_graph_retain(const ct_graph *graph);
/* The pipeline of a graph that was made from a text, in a line, as ct_graph_parse reads it: with
 * constants and settings put in, before nodes are fused. */
ct_status ct_graph_print(ct_text *out, const ct_graph *graph, ct_error *err);
int ct_graph_find(const ct_graph *graph, const char *name); /* -1 */
/* ct_context_tell, of the graph's context. */
void ct_graph_told(const ct_graph *graph, ct_doing doing, const char *step, int n, int of);
/* Another pipeline from the same file, whose nodes are those of `root` (which the graph takes).
 * block: what it has where `root` leaves that open; 0: the default. */
ct_status ct_graph_make(ct_graph **out, const ct_graph *like, ct_value *root, int64_t block,
                        ct_error *err);
/* The same pipeline with another block; for one that leaves it open. */
ct_status ct_graph_with_block(ct_graph **out, const ct_graph *like, int64_t block, ct_error *err);
bool ct_graph_pins_block(const ct_graph *graph);
#define CT_GRAPH_NAME 63 /* letters of a node's name, at most: as many as tables and plans show */
#define CT_GRAPH_BLOCK ((int64_t)1e15) /* the largest: leaves room for products with shapes */
/* Of a graph that was not complete (ct_graph_check): waits for what comes, and infers the rest. */
ct_status ct_graph_complete(ct_graph *graph, ct_error *err);
/* Infers all shapes for this block size (0: from the pipeline, or the default); called by load. */
ct_status ct_infer_graph(ct_graph *graph, int64_t block, ct_error *err);

#endif
