/* cornerturn.h: run a pipeline: load it, plan it, run it, look at it. The public contract of
 * Cornerturn for programs that use it. Three more headers are for those who need them:
 *
 * cornerturn_stage.h  arrays, parameters, and stages, sources and sinks of one's own
 * cornerturn_tune.h   plans that are measured, stages that are verified and timed
 * cornerturn_ranks.h  the processes of a job that share a pipeline's work
 *
 * Room: include. Knows libc. Does not know OpenCL, JSON libraries, or any stage.
 *
 * A pipeline is a JSON file of nodes, each a stage with its parameters. A context knows the stages.
 * With it the file becomes a graph: what is to be computed, all shapes known. A plan says how: the
 * layout of every array, transposes where two do not agree, tunables. A run is a plan compiled for
 * a device, and takes one block after another from the sources to the sinks. All in one program:
 *
 *     #include <cornerturn.h>
 *     #include <stdio.h>
 *
 *     static ct_status run_file(const char *file, ct_error *err)
 *     {
 *         ct_context *context = NULL;
 *         ct_device *device = NULL;
 *         ct_graph *graph = NULL;
 *         ct_plan *plan = NULL;
 *         ct_run *run = NULL;
 *         ct_status status = ct_context_open(&context, err);
 *         if (status == CT_OK) status = ct_device_open(&device, NULL, err);
 *         if (status == CT_OK) status = ct_graph_load(&graph, context, file, NULL, err);
 *         if (status == CT_OK) status = ct_plan_default(&plan, graph, device, err);
 *         if (status == CT_OK) status = ct_run_new(&run, plan, device, err);
 *         while (status == CT_OK)
 *             status = ct_run_block(run, err);
 *         if (status == CT_EOF) status = ct_run_finish(run, err);
 *         for (size_t i = 0; status == CT_OK && ct_run_file(run, i) != NULL; i++)
 *             printf("wrote %s\n", ct_run_file(run, i));
 *         ct_run_free(run);
 *         ct_plan_free(plan);
 *         ct_graph_free(graph);
 *         ct_device_free(device);
 *         ct_context_free(context);
 *         return status;
 *     }
 *
 *     int main(int argc, char **argv)
 *     {
 *         ct_error err = {0};
 *         ct_status status = run_file(argc > 1 ? argv[1] : "pipeline.json", &err);
 *         if (status != CT_OK) fprintf(stderr, "%s\n", err.text);
 *         return status;
 *     }
 *
 * Making:    ct_x_open/load/new put an object in *out, NULL where they fail.
 * Borrowing: an argument is used during the call. What an object needs for longer it copies or holds.
 * Freeing:   ct_x_free releases an object, NULL is fine, in any order: what was made from it works
 *            on, and so a run needs neither its plan nor its graph, context and device any more.
 *            Texts that a call makes (char **out) are released with free().
 * Failing:   calls return ct_status and add sentences to *err (may be NULL). A run that failed stays
 *            failed and publishes nothing. Any of them may give CT_USAGE: a call that makes no sense,
 *            such as NULL for an argument that may not be NULL ("ct_plan_default: there is no graph"),
 *            and then nothing has changed; and CT_FAILED: memory that cannot be had, never the program's
 *            end. What else a call gives is said there. Calls that return no status give NULL, 0,
 *            false or "" for a NULL that makes no sense.
 * Threads:   no globals. Graphs, plans and devices may be used from any thread; a plan may have
 *            several runs at once. A run has one user at a time, but for ct_run_cancel, and calls a
 *            program's functions in the thread of its user only, but those of a stage that allows
 *            others (CT_STAGE_THREAD). Such a function may not call the run that has called it: that
 *            is CT_USAGE.
 * Growing:   a struct that a caller fills begins with its size, or has reserved room, which is 0. Each
 *            group of calls is stable or experimental. Stable: what works with this version works with
 *            all later ones of the same MAJOR (while that is 0, of the same MINOR). Experimental: it may
 *            change or go with any MINOR.
 *
 * Words: a dimension is a capital letter (S station, P polarization, T time, C channel, B beam,
 * D dispersion trial, K tap, L baseline, Q Stokes or polarization product). A layout is a word,
 * slowest dimension first: STPC has the channel contiguous. */
#ifndef CORNERTURN_H
#define CORNERTURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CT_PRINTF(text, first)
#endif

/* Marks what a shared library shows to others; all else in it is hidden. */
#if defined(__GNUC__)
#define CT_EXPORT __attribute__((visibility("default")))
#else
#define CT_EXPORT
#endif

/* The version of this header. A later MINOR (while MAJOR is 0) may take calls away, a later PATCH
 * only mends. */
#define CT_VERSION_MAJOR 0
#define CT_VERSION_MINOR 1
#define CT_VERSION_PATCH 0

/* ---------------------------------------------------------------- failing (stable) */

/* The values below CT_EOF and CT_INTERRUPTED are the command's exit codes. */
typedef enum ct_status {
    CT_OK = 0,
    CT_FAILED = 1,    /* failed while running */
    CT_USAGE = 2,     /* wrong arguments */
    CT_INVALID = 3,   /* invalid pipeline, plan or stage */
    CT_NO_DEVICE = 4, /* no usable device */
    CT_DATA = 5,      /* unreadable or unwritable data */
    CT_MISMATCH = 6,  /* verification mismatch */
    CT_EOF = 7,       /* not a failure: no more blocks */
    CT_INTERRUPTED = 130
} ct_status;

/* Sentences for a person, one a line. Start with `ct_error err = {0}`. This struct stays as it is. */
typedef struct ct_error {
    ct_status status; /* of the first sentence; CT_OK while there is none */
    unsigned count;   /* sentences added, kept or not */
    char text[8192];  /* without a newline at the end */
} ct_error;

/* Adds one sentence and returns `status`, so that a caller writes `return ct_error_add(...)`. */
CT_EXPORT ct_status ct_error_add(ct_error *err, ct_status status, const char *format,
                                 ...) CT_PRINTF(3, 4);
/* Sentences of a ct_error or of warnings (NULL: none) as a JSON list: file, line, column and JSON
 * pointer of each, where it has them, and the sentence. */
CT_EXPORT ct_status ct_error_list(char **out, const char *sentences, ct_error *err);
/* "0.1.0": of the library that runs, which may be a later one than the header's. */
CT_EXPORT const char *ct_version(void);

/* ---------------------------------------------------------------- contexts, devices (stable) */

typedef struct ct_context ct_context; /* the stages that are known */
typedef struct ct_device ct_device;
typedef struct ct_graph ct_graph; /* what to compute */
typedef struct ct_plan ct_plan;   /* how */
typedef struct ct_run ct_run;     /* a plan compiled for one device */
typedef struct ct_stage ct_stage; /* cornerturn_stage.h says what these two are */
typedef struct ct_array ct_array;

CT_EXPORT ct_status ct_context_open(ct_context **out, ct_error *err);
CT_EXPORT void ct_context_free(ct_context *context);
/* What comes before the first block, may take long, and may end in code of others. */
typedef enum ct_doing {
    CT_DOING_SHAPES, /* a node's stage says what it gives */
    CT_DOING_BUILD,  /* a step's kernels are compiled, its tables filled */
    CT_DOING_START   /* it is done once, on zeros: ct_run_build */
} ct_doing;
/* Called before each of these, in the thread that does it: which step, the n-th of so many (0, 0: nobody
 * counts them); step NULL: it is done. For graphs that are made from the context, their plans and runs, from
 * now on; tell NULL: no more. Not while any of these is in use by another thread. */
typedef void ct_tell(void *state, ct_doing doing, const char *step, int n, int of);
CT_EXPORT void ct_context_tell(ct_context *context, ct_tell *tell, void *state);
/* The descriptor is copied with all its texts and tables; its functions must stay. CT_INVALID: it is
 * wrong, or its name is taken. */
CT_EXPORT ct_status ct_context_add_stage(ct_context *context, const ct_stage *stage, ct_error *err);
/* A stage of a page of JSON and a kernel (docs/own-stages.md), added as the last one; all its mistakes
 * come in one pass. Nothing happens where the same file, unchanged, was added before. CT_DATA: a file
 * cannot be read; CT_INVALID: it is wrong. */
CT_EXPORT ct_status ct_context_add_file(ct_context *context, const char *file, ct_error *err);
/* All stages of a shared library that has a function ct_plugin (cornerturn_stage.h), or none of them.
 * It runs code of the library. A file without a folder is one of the present folder; a library that is
 * added already adds nothing. It is closed with the last object that was made from the context.
 * CT_DATA: it cannot be loaded; CT_INVALID: it has no such function, is of another version, or one of
 * its stages cannot be added. */
CT_EXPORT ct_status ct_context_add_library(ct_context *context, const char *file, ct_error *err);

/* NULL or "": the first CPU device, else the first. Otherwise a part of a device's or platform's
 * name, letters of either case, or its number in `info devices`. "file:h200.json": a device as that
 * file describes it (docs/devices.md), for plans and their sources; nothing can run on it. "as:h200.json": the one for NULL, treated as that
 * file says: kernels for GPUs run on a CPU then, slowly, so that they can be checked.
 * CT_NO_DEVICE: there is none. CT_DATA, CT_INVALID: the file cannot be read, or is wrong. */
CT_EXPORT ct_status ct_device_open(ct_device **out, const char *name, ct_error *err);
CT_EXPORT void ct_device_free(ct_device *device);
CT_EXPORT const char *ct_device_name(const ct_device *device);
/* Whether something can run on it: CT_NO_DEVICE with a sentence where it is only described. Whatever
 * runs asks this first. */
CT_EXPORT ct_status ct_device_check(const ct_device *device, ct_error *err);

/* ---------------------------------------------------------------- graphs (stable) */

/* Reads and checks a pipeline; all its errors come in one pass. `settings`: texts
 * "node.param=value", NULL at the end; NULL none. CT_DATA: a file cannot be read; CT_INVALID: the
 * pipeline is wrong; CT_USAGE also: a setting is. */
CT_EXPORT ct_status ct_graph_load(ct_graph **out, ct_context *context, const char *pipeline_json,
                                  const char *const *settings, ct_error *err);
/* The same from a text; `name` is what messages call it, and relative files are beside it. */
CT_EXPORT ct_status ct_graph_parse(ct_graph **out, ct_context *context, const char *text,
                                   const char *name, const char *const *settings, ct_error *err);
/* The same as ct_graph_load, without waiting for anybody: shapes that follow from what comes through a port
 * or a pipe are not known then, nor those after them. *complete: there are none of these. Else the graph's
 * warnings say what was not checked, and no plan can be made of it. */
CT_EXPORT ct_status ct_graph_check(ct_graph **out, ct_context *context, const char *pipeline_json,
                                   const char *const *settings, bool *complete, ct_error *err);
/* What is valid and yet hardly meant, such as a node that nothing reads: sentences, one a line, ""
 * where there are none. They live as the graph. */
CT_EXPORT const char *ct_graph_warnings(const ct_graph *graph);
/* Whether what the sinks will write can be written, as far as one can know before: its folder is there,
 * and so on. CT_DATA, with the places of all that cannot. For a graph no sink of which will be bound. */
CT_EXPORT ct_status ct_graph_check_outputs(const ct_graph *graph, ct_error *err);
CT_EXPORT void ct_graph_free(ct_graph *graph);

/* ---------------------------------------------------------------- plans (stable) */

/* device NULL: a CPU device with default limits. CT_INVALID: no plan is legal there. */
CT_EXPORT ct_status ct_plan_default(ct_plan **out, const ct_graph *graph, const ct_device *device,
                                    ct_error *err);
/* Reads a plan that ct_plan_save has written. What it leaves open, and what is legal, are the
 * device's (NULL: as above). CT_DATA: the file cannot be read; CT_INVALID: it is of another pipeline or
 * version, or wrong. */
CT_EXPORT ct_status ct_plan_load(ct_plan **out, const ct_graph *graph, const char *file,
                                 const ct_device *device, ct_error *err);
/* The same from a text; `name` is what messages call it. */
CT_EXPORT ct_status ct_plan_parse(ct_plan **out, const ct_graph *graph, const char *text,
                                  const char *name, const ct_device *device, ct_error *err);
/* Whether the device can take the plan: its memory, its work-groups, as far as one can know before
 * kernels are built. CT_INVALID with the numbers. ct_run_new asks this first. */
CT_EXPORT ct_status ct_plan_check(const ct_plan *plan, const ct_device *device, ct_error *err);
/* CT_DATA: the file cannot be written; CT_INVALID: the pipeline itself uses it. */
CT_EXPORT ct_status ct_plan_save(const ct_plan *plan, const char *file, ct_error *err);
/* What ct_plan_save writes, as a text. */
CT_EXPORT ct_status ct_plan_print(char **out, const ct_plan *plan, ct_error *err);
CT_EXPORT void ct_plan_free(ct_plan *plan);
/* The complete OpenCL source of every step, ready to print. CT_INVALID: it cannot be made. */
CT_EXPORT ct_status ct_plan_source(char **out, const ct_plan *plan, ct_error *err);
/* The array that a node's port uses, by the pipeline's names: "beams.Y", or "beams" for its first output
 * (of a sink: what it takes). Of a source or sink it is the block that read() fills, write() takes. T is
 * of one block, an input's with what is kept before it; layout and strides are the plan's. It lives as
 * the plan. CT_USAGE also: there is none. */
CT_EXPORT ct_status ct_plan_find(const ct_array **out, const ct_plan *plan, const char *port,
                                 ct_error *err);

/* For a person, for a program, for Graphviz, for monitoring (OpenMetrics). Of a call that has no such
 * form: CT_USAGE. What each JSON text holds is in docs/json.md. */
typedef enum ct_form { CT_FORM_TEXT, CT_FORM_JSON, CT_FORM_DOT, CT_FORM_METRICS } ct_form;

/* The flow: nodes, steps and arrays, sizes, layouts and why, bytes, operations, memory. In all forms
 * but the last, ready to print. */
CT_EXPORT ct_status ct_explain_plan(char **out, const ct_plan *plan, ct_form form, ct_error *err);

/* ---------------------------------------------------------------- runs (stable) */

/* One thing that a source or sink counts. It only grows while the run lasts, unless it is a level. */
typedef struct ct_counter {
    const char *name;    /* "packets_lost": small letters, digits and _ */
    const char *unit;    /* likewise: "bytes", "seconds"; NULL: a number of what the name says */
    const char *help;    /* a sentence; NULL none */
    const char *station; /* whose it is, "0", where the node has several; and of which lane; NULL: the */
    const char *lane;    /* node's. Of one name and unit all parts add up to what the node has */
    double value;
    bool level;              /* goes up and down, such as what is in a queue */
    const void *reserved[2]; /* 0 */
} ct_counter;

/* What a program gives a source or takes from a sink. read() fills one block, whose layout the pipeline
 * pins or the plan has chosen, and sets *got to how many of its samples along T are real: fewer than
 * the block's, or CT_EOF, end the stream. The library clears the rest; there is history beside the
 * block, so never clear the whole buffer. flags (NULL: not wanted) is u8 [S][T] (in the place of a source
 * whose channels have groups [S][group][T]), 0 at first, 1 where a sample is missing. write() takes
 * `count` samples along T from T index `first` of the block; each call continues the one before. Arrays
 * and flags are theirs during the call. count() (NULL: nothing is counted) gives all that it has counted
 * so far, up to one without a name; it is called between reads or writes, and the counters' texts stay
 * until the run is freed. cornerturn_stage.h has what looks into arrays. */
typedef struct ct_io {
    size_t size; /* sizeof(ct_io) */
    void *state; /* what read() and write() are called with */
    ct_status (*read)(void *state, ct_array *block, uint8_t *flags, int64_t *got, ct_error *);
    ct_status (*write)(void *state, const ct_array *block, int64_t first, int64_t count, ct_error *);
    const ct_counter *(*count)(void *state);
} ct_io;

/* CT_INVALID: the device cannot take the plan, or a kernel cannot be built; CT_NO_DEVICE: nothing can run
 * on it. */
CT_EXPORT ct_status ct_run_new(ct_run **out, const ct_plan *plan, ct_device *device, ct_error *err);
/* In place of what this source or sink node would do itself; a source.caller or sink.caller does nothing
 * by itself. Before the first block. CT_USAGE also: no such node, or it is neither. */
CT_EXPORT ct_status ct_run_bind(ct_run *run, const char *node, const ct_io *io,
                                ct_error *err);
/* Builds all that blocks need, and does each step once, on zeros, so that drivers that build a kernel when
 * it is first started do it now, and memory is there. Else the first block has this done where it gets to it;
 * but where a source is live (ct_step_live), ct_run_block does all of it before any source is opened.
 * Before the first block and before ct_run_resume. CT_USAGE also: it is too late for that. */
CT_EXPORT ct_status ct_run_build(ct_run *run, ct_error *err);
/* Seconds until the first sample of a live source comes; below 0: it has come, and is lost if that source is
 * not open. Then a graph that is parsed now starts later. INFINITY: no source is live, or its start is fixed. */
CT_EXPORT double ct_run_starts_in(const ct_run *run);
/* One block through all steps; CT_EOF after the last one. What the library's own sources read next, and
 * its sinks write of this block, may still be under way, on threads of the run's; a program's read() and
 * write() are called before it returns, but for write() of several ranks: it gets earlier blocks while
 * this one is exchanged between them, and the last ones before CT_EOF or in ct_run_finish. A run that failed
 * stays failed: this call and the next one then give its first failure again, and no sink is published.
 * CT_DATA: a source or sink failed; CT_INTERRUPTED: cancelled; else what read() or write() gave. */
CT_EXPORT ct_status ct_run_block(ct_run *run, ct_error *err);
/* Closes the sinks, then gives the files of all of them their names, or none: then every name has
 * what it had before. Before CT_EOF it ends the run early: the files have what the blocks so far gave,
 * descriptions beside them say `incomplete`, and ct_run_file_holds how much that is. Ends the run: after
 * it, only ct_run_warnings, _file, _file_holds, _progress, _trace and _free make sense, and others give
 * CT_USAGE. CT_DATA: a file cannot be written or named; of a run that failed its failure. */
CT_EXPORT ct_status ct_run_finish(ct_run *run, ct_error *err);
/* New contents of a table: a beam former's weights, a filter's coefficients. The blocks before are made
 * with the old ones, those after with these. `fill` is a host array of the table's dimensions
 * (ct_plan_find: "beams.W") in any order and type, a complex one for a complex table, and is copied; a
 * stride of 0 takes one value for all of a dimension. They are taken as they are: what a stage makes
 * from its parameters (phases, scale factors) is to be in them. Samples that are kept from the blocks
 * before were made with the old ones. CT_USAGE also, and nothing changed: no such table, another shape,
 * a table that cannot change, a run with a journal. */
CT_EXPORT ct_status ct_run_table(ct_run *run, const char *node, const char *port,
                                 const ct_array *fill, ct_error *err);
/* Goes on with another plan of the same pipeline, with the same settings and block: layouts, transposes, row
 * strides, tunables and fusion may be others. A thread builds it on a queue of its own while blocks go on, which
 * takes the other plan's device memory meanwhile; between two blocks after that it takes over, with all that
 * blocks leave behind for those that follow, so that no sample is lost or repeated. The plan may be freed at
 * once. From the first block on or before it, by the thread that calls ct_run_block. CT_USAGE also: another
 * plan is on its way, ct_run_table was called, the run is one of several ranks; CT_INVALID: a plan of another
 * pipeline or block. */
CT_EXPORT ct_status ct_run_swap(ct_run *run, const ct_plan *plan, ct_error *err);
/* *block: before which the plan of the last ct_run_swap took over; -1: not yet, or there was none. Else why it
 * cannot: CT_INVALID, it has no place for something that the run keeps, or a kernel cannot be built; CT_FAILED:
 * there is no memory for both. The run then goes on with the plan that it has. */
CT_EXPORT ct_status ct_run_swapped(const ct_run *run, int64_t *block, ct_error *err);
/* Ends the present block as soon as what is on the device is done, or before the next one; the run
 * has then failed with CT_INTERRUPTED. From a signal handler or another thread; NULL is fine. */
CT_EXPORT void ct_run_cancel(ct_run *run);
/* For who has to say what has crashed. The step of whose stage the calling thread is in a function (a source
 * that reads, a sink that writes); NULL: none. From a signal handler, too. */
CT_EXPORT const char *ct_run_at(const ct_run *run);
/* The step whose kernel the device is at, or would be next; NULL: none. While the run's thread waits, from another
 * one. */
CT_EXPORT const char *ct_run_device_at(const ct_run *run);
/* Instead of the first ct_run_block, or before it: keeps a journal beside the first file that the
 * pipeline writes, and goes on from there where a run of the same pipeline has left one. A line is
 * added after a block, when the last one is `every_s` seconds old and lines take less than 1 % of
 * the time; 0: after each block; below 0: 1. What a run that fails or dies has made up to the last line stays,
 * until one with a journal takes it up or one without begins anew. *block (NULL: not wanted): of the
 * line from which it goes on, 0 none; some blocks before it are computed again, but not written.
 * CT_EOF: all was done but for the names, which the files have now; then the run is finished.
 * CT_INVALID: pipeline, settings, inputs, plan, block, device or version were others; CT_DATA: a file
 * cannot be read or written; CT_USAGE also: a source or sink cannot do it (ct_stage_io's seek, save,
 * restore). */
CT_EXPORT ct_status ct_run_resume(ct_run *run, double every_s, int64_t *block, ct_error *err);
/* Before the first block: where a later one fails or the run is cancelled, ct_run_finish gives the files
 * their names with what whole blocks have put there, and sinks that describe their files say so: each
 * sink for itself, where it has samples; one that failed itself only if it is CT_STAGE_MENDS. It
 * returns the failure all the same, with a sentence for each sink that can keep nothing; ct_run_file
 * knows what is kept, ct_run_file_holds how much that is. */
CT_EXPORT ct_status ct_run_keep(ct_run *run, ct_error *err);
/* After ct_run_finish, in the same form as a graph's: samples at the end that filled no whole output, where
 * these are most, if they are more than 1 % of what a node got. Lives as the run. */
CT_EXPORT const char *ct_run_warnings(const ct_run *run);
/* Likewise: what each sink has written, with bytes and shape, and what it has found; CT_RUN_SAYS lines at most. "":
 * the run failed, or its sinks write no files. */
#define CT_RUN_SAYS 8
CT_EXPORT const char *ct_run_says(const ct_run *run);
/* The n-th of the files that the sinks have made, once they have their names; NULL beyond the last. It
 * lives as the run. */
CT_EXPORT const char *ct_run_file(const ct_run *run, size_t n);
/* What it holds where the run ended before its data did: "12 of 40 blocks, 6144 samples (0.0315 s)";
 * NULL: all. It lives as the run. */
CT_EXPORT const char *ct_run_file_holds(ct_run *run, size_t n);
CT_EXPORT void ct_run_free(ct_run *run); /* unfinished sinks leave nothing behind */

typedef struct ct_progress {
    size_t size;              /* sizeof(ct_progress), set before the call */
    int64_t block, blocks;    /* done, and in all (-1 unknown) */
    double signal_s, wall_s;  /* signal processed by this run (0 unknown), and time spent on it,
                                 build_s apart */
    int64_t flagged, samples; /* of the sources' samples per station: missing, and in all */
    double journal_s;         /* of wall_s: for the journal */
    double build_s;           /* time spent on building kernels and on planning */
    double read_wait_s;       /* of wall_s: waiting for sources; and for sinks: */
    double write_wait_s;
    int64_t ahead, behind;    /* blocks that threads of sources have read and the run has not taken;
                                 that threads of sinks have and are not done with */
} ct_progress;
CT_EXPORT ct_status ct_run_progress(const ct_run *run, ct_progress *out, ct_error *err);

/* ---------------------------------------------------------------- watching a run (experimental) */

/* The n-th number that the run keeps of its steps, and of its sources and sinks what these count, as of
 * the last block; false beyond the last. *step (NULL: not wanted): whose. Texts live as the run. */
CT_EXPORT bool ct_run_counter(const ct_run *run, size_t n, ct_counter *out, const char **step);
/* All of that, how far the run is and how fast, and its memory: a line of JSON, or OpenMetrics text.
 * since (NULL none): what ct_run_progress gave at an earlier moment, for the speed since then. */
CT_EXPORT ct_status ct_run_stats(char **out, const ct_run *run, const ct_progress *since, ct_form form,
                                 ct_error *err);
/* The steps' times so far, as text or JSON, ready to print. */
CT_EXPORT ct_status ct_run_trace(char **out, const ct_run *run, ct_form form, ct_error *err);

/* ---------------------------------------------------------------- what there is (experimental) */

/* Ready to print. Devices as text or JSON; stages (all, or the one of this name) as JSON; files as text.
 * CT_NO_DEVICE: there is none. */
CT_EXPORT ct_status ct_describe_devices(char **out, ct_form form, ct_error *err);
/* One device as text, or as the JSON file that describes it. What the context's stages ask of a
 * device's compiler is asked: a few kernels are built. */
CT_EXPORT ct_status ct_describe_device(char **out, const ct_context *context, ct_device *device,
                                       ct_form form, ct_error *err);
CT_EXPORT ct_status ct_describe_stages(char **out, const ct_context *context, const char *name,
                                       ct_error *err);
/* A file of data. CT_DATA: it cannot be read, or is of no format that is known. */
CT_EXPORT ct_status ct_describe_file(char **out, const char *file, ct_error *err);

/* ---------------------------------------------------------------- pictures (experimental) */

typedef struct ct_plot_options {
    size_t size;           /* of this struct */
    const char *const *at; /* "B=3": the index of a dimension that is shown, NULL at the end; NULL: the
                              first one of each */
    const char *dims;      /* of numbers whose dimensions nothing names: "TC"; NULL: they have names */
    const char *plan;      /* of a pipeline: a plan's file; NULL: the default plan */
    const char *trace;     /* of a pipeline: times of a run, a file of ct_run_trace (CT_FORM_JSON) or of
                              ct_run_stats; NULL none */
    const char *directions; /* of an array of beams, or of candidates: a list of directions (JSON), or a
                              pipeline with one; each beam is drawn at its own. NULL: they are not */
    bool largest;          /* what falls into one cell shows the largest, else the mean */
} ct_plot_options;
/* A picture (.svg or .png) of what a file holds. `context` has the stages of a pipeline; options may be
 * NULL. *said: what is shown and what was left out, a line each. CT_DATA: the file cannot be read, or
 * not be shown; CT_USAGE also: the picture's name, or an option, is wrong. */
CT_EXPORT ct_status ct_plot_file(char **said, ct_context *context, const char *file,
                                 const char *picture, const ct_plot_options *options, ct_error *err);

#ifdef __cplusplus
}
#endif
#endif
