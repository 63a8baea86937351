/* cornerturn_tune.h: plans that are measured, and stages that are verified and timed: docs/tuning.md. The
 * public contract of Cornerturn for programs that do what `tune`, `verify` and `bench` do.
 *
 * Room: include. Knows cornerturn.h. Does not know OpenCL, JSON libraries, or any stage. */
#ifndef CORNERTURN_TUNE_H
#define CORNERTURN_TUNE_H

#include "cornerturn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- verifying a stage (stable) */

/* How much of it: what is 0 means all of it. */
typedef struct ct_verify_options {
    size_t size;             /* sizeof(ct_verify_options) */
    bool quick;              /* each layout at least once instead of every pair, or where there are
                                many, every dimension at every place; few tunables; of the cases
                                with as many layouts as one before, a share */
    const char *read, *write; /* only this layout of the first input, of the first output; NULL all */
    unsigned most_layouts;   /* per case, 0: all; then each one at least once, and random pairs */
    unsigned most_tunables;  /* per case; 0: all where they are few, else any two values of two of
                                them meet */
    unsigned part, parts;    /* for sharing the work between processes: part of 0 .. parts-1 */
    /* Told before each variant what will be tried; may be NULL. */
    void (*progress)(void *state, const char *variant);
    void *state;
} ct_verify_options;

typedef struct ct_verify_report {
    size_t size;      /* sizeof(ct_verify_report), set before the call */
    int64_t cases;    /* of the stage */
    int64_t layouts;  /* pairs of read and write layouts that were tried, over all cases */
    int64_t tunables; /* combinations of tunables */
    int64_t others;   /* tables' layouts, padded rows, accumulation, ports left unconnected */
    int64_t wrong;    /* variants that did not give what the reference gives */
    double worst;     /* largest error relative to the reference's rms */
    int64_t unreferenced; /* cases with an output that has neither a reference nor an array: it was
                             compared with natural order at default tunables, and that was all */
    char note[512];   /* what the wrong variants have in common, a sentence; "" nothing is known */
} ct_verify_report;

/* The conformance call: every pair of layouts, then the legal combinations of tunables, against
 * the arrays of the stage's cases, or its reference. CT_MISMATCH names the layouts and the first
 * wrong coordinate; CT_INVALID: a kernel cannot be built, or a case is wrong; CT_NO_DEVICE: nothing can run
 * there; CT_USAGE also: there is no such stage. `options` NULL: all of it; `report` NULL: not wanted. */
CT_EXPORT ct_status ct_tune_verify(ct_context *context, ct_device *device, const char *stage,
                                   const ct_verify_options *options, ct_verify_report *report,
                                   ct_error *err);

/* ---------------------------------------------------------------- tuning a pipeline (stable) */

/* How a pipeline is tuned. */
typedef struct ct_tune {
    size_t size;                /* sizeof(ct_tune) */
    const char *journal;        /* file that all measurements go to; NULL none */
    const char *costs;          /* file of costs to search instead of a device; NULL none */
    const char *const *only;    /* nodes whose layouts may change, NULL at the end; NULL all */
    const char *const *worker;  /* argv of a process that calls ct_tune_serve, NULL at the end; NULL:
                                   in this process, unprotected from drivers that abort or hang */
    double budget_s;            /* seconds in all; 0: as long as it takes */
    double timeout_s;           /* of one measurement; 0: 30 */
    int64_t memory;             /* most bytes on the device; 0: what the device has */
    int jobs;                   /* processes that build at once; 0: one for each core */
    bool resume;                /* goes on with the journal, where it is there */
    bool exhaustive;            /* measures every layout and transpose, predicts nothing */
    const char *plan;           /* where the caller will save it: refused at once where that cannot be, or
                                   the pipeline uses it; NULL: not known */
    void (*say)(void *of, const char *sentence); /* progress; NULL none */
    bool (*stop)(void *of);     /* asked now and then: true ends it with what there is; NULL never */
    void *of;
    const char *const *from;    /* journals of other sizes or devices to begin from, NULL at the end; "none"
                                   is no file; NULL none */
    bool kept;                  /* without any, begins from those that earlier tunings on this machine have
                                   kept; keeps its own for others */
    double within;              /* the search ends when its bound is as near to the best plan, 0.02: 2 %;
                                   0: 1 %, or the end of the budget */
} ct_tune;
/* A plan whose layouts and tunables are the best that were found for this graph on this device (by
 * ct_device_open's name), or the default's where nothing was clearly better. Its "tuned" says how good,
 * and whether the search came to its end. CT_INVALID: no plan is legal, or the journal is of another
 * pipeline or device; CT_DATA: a file cannot be read or written; CT_NO_DEVICE: there is none. */
CT_EXPORT ct_status ct_tune_pipeline(ct_plan **out, ct_context *context, const ct_graph *graph,
                                     const char *device, const ct_tune *options, ct_error *err);

/* Plans that were tuned on this machine, in XDG_DATA_HOME/cornerturn/plans. keep: puts one there, unless one
 * that is better is there for the same graph of stages, sizes, pins and device; *file (may be NULL): its
 * name, NULL where it was not put. CT_DATA: a file cannot be written. */
CT_EXPORT ct_status ct_tune_keep(char **file, const ct_plan *plan, const ct_device *device,
                                 ct_error *err);

/* How much of what a plan was tuned for has to be the same (docs/tuning.md). */
typedef enum ct_tune_match {
    CT_TUNE_MATCH_USUAL,  /* of a stored plan: as DEVICE; of a file: its sizes, on any device */
    CT_TUNE_MATCH_EXACT,  /* graph of stages, sizes, pins, kernels and device */
    CT_TUNE_MATCH_DEVICE, /* graph of stages and device: what does not fit other sizes is as by default */
    CT_TUNE_MATCH_NEAREST /* graph of stages; of this device where there is one */
} ct_tune_match;
/* The stored plan that is nearest to this graph and device, NULL where there is none. *say: which one, how
 * good it is, what it was tuned for instead, and why a nearer one is not taken; NULL: none is stored. Names of
 * nodes and files, comments and the order of keys do not matter. */
CT_EXPORT ct_status ct_tune_stored_as(ct_plan **out, const ct_graph *graph, const ct_device *device,
                                      ct_tune_match match, char **say, ct_error *err);
/* The plan in a file. *say: what it was tuned for instead; NULL: nothing is known against it. device NULL:
 * none to be compared. CT_INVALID also: `match` does not allow it. */
CT_EXPORT ct_status ct_tune_load_as(ct_plan **out, const ct_graph *graph, const ct_device *device,
                                    const char *file, ct_tune_match match, char **say, ct_error *err);
/* ct_tune_stored_as, EXACT or (`nearest`) NEAREST. */
CT_EXPORT ct_status ct_tune_stored(ct_plan **out, const ct_graph *graph, const ct_device *device,
                                   bool nearest, char **say, ct_error *err);

/* What there is to choose from: layouts and legal tunables of each step, and how many plans that makes:
 * counted, or estimated with a standard error. Of `options` only `only` counts. Ready to print.
 * CT_NO_DEVICE: there is none of this name; CT_USAGE also: no such node. */
CT_EXPORT ct_status ct_tune_describe(char **out, const ct_graph *graph, const char *device,
                                     const ct_tune *options, ct_error *err);

/* Where a report goes; NULL: not wanted. docs/tuning.md has the forms. */
typedef struct ct_tune_files {
    size_t size;              /* sizeof(ct_tune_files) */
    const char *html;         /* one page with pictures and tables */
    const char *csv;          /* a row for each measurement */
    const char *costs;        /* what ct_tune's `costs` takes */
    const char *kernel_tuner; /* a folder, made where it is not there: a cache file for each node */
    const char *t4;           /* all candidates as auto-tuning results of the T4 form */
    const char *markdown;     /* the page's tables */
} ct_tune_files;
/* What a tuner's journal says, for people and for other programs. No device is needed. Each file is
 * written whole or not at all. CT_DATA: the journal is damaged, or a file cannot be written. */
CT_EXPORT ct_status ct_tune_report(const char *journal, const ct_tune_files *files, ct_error *err);

/* ---------------------------------------------------------------- forecasts of several ranks (experimental) */

/* What ct_explain_plan then says of a plan over ranks, in all forms: seconds of each step and of a block,
 * what is exchanged, and whether that can be hidden (docs/ranks.md). `network`: between ranks, as
 * "100Gb/s,2us"; `file`: what was measured on one machine, a journal of this pipeline or a trace, as JSON,
 * of the same nodes. NULL: unknown, and so is what follows from it. CT_USAGE also: of the network;
 * CT_INVALID: the file is of other nodes; CT_DATA: it cannot be read. */
CT_EXPORT ct_status ct_tune_predict(ct_plan *plan, const char *network, const char *file,
                                     ct_error *err);

struct ct_ranks; /* cornerturn_ranks.h */
/* What messages between the ranks cost, measured in some 50 ms, as ct_tune_predict takes it:
 * "93.1Gb/s,1.62us"; "" where there are no others. All ranks meet. */
#define CT_NETWORK_TEXT 64
CT_EXPORT ct_status ct_tune_measure_network(char out[CT_NETWORK_TEXT], const struct ct_ranks *ranks,
                                            ct_error *err);
/* Whether this is a network as ct_tune_predict takes it: CT_USAGE with what was
 * expected. */
CT_EXPORT ct_status ct_tune_network(const char *network, ct_error *err);
/* Splits over the graph's ranks (ct_graph_set_ranks) with which a block is predicted to take least (exchanges
 * go on while a block is computed, where a run of the plan does that), on top of the layouts and tunables of `file`, a plan of one
 * process. `network`, `journal`: as ct_tune_predict's, needed. `memory`: the most bytes that the first
 * rank may take on its device, which has as much as any; 0 no limit. The plan's "tuned" gets what is
 * predicted of it and of the default's splits. device: ct_device_open's name. CT_INVALID: no
 * splits fit into the memory. */
CT_EXPORT ct_status ct_tune_ranks(ct_plan **out, const ct_graph *graph, const char *device, const char *file,
                                  const char *network, const char *journal, int64_t memory,
                                  ct_error *err);

/* ---------------------------------------------------------------- measuring (experimental) */

/* How fast the stages are, next to what the device can do at most. */
typedef struct ct_bench {
    size_t size;                     /* sizeof(ct_bench) */
    const char *stage, *scale;       /* NULL: all of the scale's; "thesis", its odd twin "thesis-odd" */
    const char *const *peers;        /* "stage=command", NULL at the end; NULL none: bench/peers */
    int rounds;                      /* interleaved repetitions, of which medians are taken */
    double budget_s;                 /* per stage, for better tunables than the defaults; 0 none */
    double layout_budget_s;          /* the same per layout, from the stage's best; 0 none */
    bool layouts;                    /* every read layout and every write layout, too */
    const char *read, *write;        /* instead of the preferred layouts; NULL: those */
    const char *const *settings;     /* "NAME=VALUE" of tunables to time next to the defaults, NULL
                                        at the end, instead of a search; NULL none */
    void (*say)(void *of, const char *sentence); /* progress; NULL none */
    void *of;
    const char *ragged;              /* counts such as "3,61-63": instead of all this, how much longer than
                                        the line between the next multiples of 16 each takes, of stations,
                                        beams, channels, polarizations and trials; NULL not */
} ct_bench;
/* *json: what was measured. CT_NO_DEVICE: nothing can run on it; CT_USAGE also: there is no such stage,
 * scale or layout. */
CT_EXPORT ct_status ct_tune_bench(char **json, ct_context *context, ct_device *device,
                                  const ct_bench *bench, ct_error *err);

/* Whole plans, rehearsed in turn, `rounds` times each: one block as in the middle of a stream, without
 * any file. *json: {"cornerturn_rehearsal": 1, "plans": [..]}, for each plan the seconds of each round
 * ("wall", "history", "steps"). Plans are made from plans[first] on: the same plan
 * twice takes up to 2 % longer where its memory was taken later, so let `first` differ from process to
 * process. CT_NO_DEVICE: nothing can run on it; CT_INVALID: it cannot take a plan. */
CT_EXPORT ct_status ct_tune_rehearse(char **json, const ct_plan *const *plans, size_t count,
                                     ct_device *device, int rounds, int first, ct_error *err);
/* out[0]: the median of a[i] / b[i] over things that were timed in pairs (b NULL: of a[i]); between
 * out[1] and out[2] lies what it would be after many more, with 95 % (fewer than 6 pairs: all that
 * was seen). */
CT_EXPORT ct_status ct_tune_ratio(double out[3], const double *a, const double *b, size_t pairs,
                                  ct_error *err);

/* Answers questions about plans of a pipeline, a line of JSON each, until `in` ends: what a tuner asks
 * of the processes that measure for it (docs/worker.md). Nothing but answers is written to `out`, a
 * descriptor; a driver that prints had better find another standard output. CT_DATA: a question
 * cannot be read, or an answer not written. */
CT_EXPORT ct_status ct_tune_serve(ct_context *context, int in, int out, ct_error *err);

/* Builds the kernels of a plan in another process, from the last step to the first, while this one makes
 * a run of it (ct_run_new, ct_run_build), which builds from the first on and finds the others in the
 * driver's store: for drivers whose compiler does one thing at a time in a process, as PoCL's does.
 * `worker`: argv of a process that calls ct_tune_serve, NULL at the end. It does not depend on this process
 * but to end with its thread, and whatever becomes of it changes nothing but the time. *out is NULL, and that
 * is no failure, where it would be no use: on a GPU. CT_FAILED: it cannot be started. It ends
 * when all is built, or at ct_builder_free, at once: after the run's first block or later. */
typedef struct ct_builder ct_builder;
CT_EXPORT ct_status ct_builder_new(ct_builder **out, const ct_graph *graph, const ct_plan *plan,
                                   const ct_device *device, const char *const *worker, ct_error *err);
CT_EXPORT void ct_builder_free(ct_builder *builder);

#ifdef __cplusplus
}
#endif
#endif
