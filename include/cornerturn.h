/* cornerturn.h: run a pipeline: load it, plan it, run it, look at it. The public contract of
 * Cornerturn for programs that use it; cornerturn_stage.h adds what a stage, a source or a sink
 * of one's own needs.
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
 * Failing:   calls return ct_status and add sentences to *err (may be NULL). A run that failed stays
 *            failed and publishes nothing. A call that makes no sense gives CT_USAGE. Memory that
 *            cannot be had is CT_FAILED, never the program's end.
 * Threads:   no globals. Graphs, plans and devices may be used from any thread; a plan may have
 *            several runs at once. A run has one user at a time, but for ct_run_cancel, and calls a
 *            program's functions in the thread of its user only, but those of a stage that allows
 *            others (CT_STAGE_THREAD).
 * Growing:   a struct that a caller fills begins with its size, or has reserved room, which is 0.
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

#define CT_DIMS 8 /* most dimensions of an array */

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

/* "0.1.0": of the library that runs, which may be a later one than the header's. */
CT_EXPORT const char *ct_version(void);

/* ---------------------------------------------------------------- failing */

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

/* Sentences of a ct_error or of warnings as a JSON list: file, line, column and JSON pointer of each,
 * where it has them, and the sentence. Release with free(). */
CT_EXPORT ct_status ct_error_list(char **out, const char *sentences, ct_error *err);

/* The nearest of `choices` (NULL at the end) to a misspelt word; NULL where none is near. */
CT_EXPORT const char *ct_suggest_nearest(const char *word, const char *const *choices);

/* ---------------------------------------------------------------- types */

/* Complex types are interleaved real, imaginary; ci4 is one byte (low nibble real). u1, u2 and u4
 * exist in files only: sources unpack them to u8. f64 and cf64 exist in references only. */
typedef enum ct_type {
    CT_NONE, CT_CI4, CT_CI8, CT_CI16, CT_CI32, CT_U1, CT_U2, CT_U4, CT_U8, CT_U16, CT_U32,
    CT_I8, CT_I16, CT_I32, CT_F16, CT_F32, CT_F64, CT_CF16, CT_CF32, CT_CF64, CT_CI64, CT_TYPES
} ct_type;

CT_EXPORT const char *ct_type_name(ct_type type); /* "ci8"; "none" for CT_NONE */
CT_EXPORT ct_type ct_type_parse(const char *name); /* CT_NONE where there is no such type */
CT_EXPORT unsigned ct_type_bits(ct_type type); /* of one element: ci8 16, u1 1 */
CT_EXPORT bool ct_type_complex(ct_type type);
CT_EXPORT bool ct_type_integer(ct_type type);

/* ---------------------------------------------------------------- layouts and arrays */

/* An order of dimensions, slowest first. rank 0 means "not chosen". Dimensions may be split over the
 * ranks of a job: of such a one each rank holds a range. */
typedef struct ct_layout {
    int rank;
    char dim[CT_DIMS + 1]; /* capital letters, terminated */
    uint8_t split;         /* bit k: dim[k] is split */
} ct_layout;

/* Reads "STPC" or "station,time,pol,channel"; a dimension that is split has a '|' behind it: "S|TPC".
 * CT_INVALID names the repeated or unknown part. */
CT_EXPORT ct_status ct_layout_parse(ct_layout *out, const char *text, ct_error *err);
#define CT_LAYOUT_TEXT (2 * CT_DIMS + 1)
/* Writes it as ct_layout_parse reads it, in letters; returns `out`. */
CT_EXPORT const char *ct_layout_print(char out[CT_LAYOUT_TEXT], const ct_layout *layout);
/* The same order and the same splits. */
CT_EXPORT bool ct_layout_equal(const ct_layout *a, const ct_layout *b);
CT_EXPORT const char *ct_dim_name(char letter); /* 'S' -> "station"; NULL where unknown */

/* What a file's header says besides ct_meta, for files that are made of it. */
typedef struct ct_header {
    int data_type, machine_id; /* SIGPROC's numbers */
    int beams, beam;           /* of the receiver, and which of them this is; 0 unknown */
    bool barycentric, pulsarcentric;
    double az_deg, za_deg;     /* where the telescope pointed at the start; 0 unknown */
    double refdm;              /* channels are aligned for this DM already, pc cm^-3 */
    int64_t channels;          /* added up, where there is no C any more; 0 unknown */
    const void *reserved[4];   /* 0 */
} ct_header;

/* Channels that are flagged together: those of a lane, say, in which a packet is lost. */
typedef struct ct_groups {
    int64_t count;     /* groups */
    int64_t channels;  /* an array's, that these are the groups of: indices of C; of F,C: as many as F
                          has, or as F x C. Of an array with any other number all are flagged together */
    const int32_t *of; /* [channels]: the group of each, from 0 on */
} ct_groups;

/* What is known of an array beyond its numbers. Pointers are borrowed from the maker. */
typedef struct ct_meta {
    double sample_time_s;        /* spacing along T, s; 0 unknown */
    double start_s;              /* middle of the sample at T index 0, after the observation's start, s */
    double start_mjd;            /* the observation's start, MJD (UTC); 0 unknown */
    int64_t total;               /* samples along T in the whole stream; -1 unknown */
    const double *frequency_hz;  /* channel centres, ascending index of C (one where there is no C:
                                    the band's centre; where there is D: the one that T refers to);
                                    NULL unknown */
    int64_t frequencies;         /* how many */
    double channel_width_hz;     /* of one channel (the band's width where there is no C); 0 unknown */
    const double *dm;            /* trial of each D index, pc cm^-3; NULL where there is no D */
    const int64_t *downsample;   /* samples added before each trial, per D index; NULL: all 1 */
    int64_t dms;
    const char *source_name;     /* what was observed; NULL unknown */
    const char *telescope;       /* NULL unknown */
    double src_raj, src_dej;     /* SIGPROC convention: hhmmss.s, ddmmss.s */
    const ct_header *header;     /* NULL: there is no more to say */
    const double *phase_centre;  /* ICRS right ascension and declination, degrees, which stations'
                                    samples were delayed for; NULL: for none */
    int64_t subbands;            /* dedispersed in two steps, an approximation; 0: exactly */
    int64_t smear;               /* samples of a trial's own by which a shift was off, at most */
    const ct_groups *groups;     /* NULL: all channels are flagged together */
    int64_t integrated;          /* samples that the correlator added up in each along T; 0 unknown */
    const struct ct_shifts *shifts; /* whole samples by which a stage has shifted stations, for the one
                                    that does the rest; NULL: none */
    const void *reserved[1];     /* 0 */
} ct_meta;

/* An array: named dimensions in the order in which its port names them ("natural"), and where each
 * lies in memory. Element (i0, i1, ..) is at offset + sum i_k stride[k], in elements. */
typedef struct ct_array {
    ct_type type;
    int rank;
    char dim[CT_DIMS + 1];
    int64_t extent[CT_DIMS];
    int64_t stride[CT_DIMS];
    int64_t offset;
    ct_layout layout; /* the order of the strides; rank 0 while not chosen */
    void *data;       /* the buffer's first byte on the host; NULL where it lives on a device */
    ct_meta meta;
} ct_array;

typedef struct ct_complex {
    double re, im;
} ct_complex;

CT_EXPORT int ct_array_find(const ct_array *array, char dim); /* place of dim, -1 where absent */
CT_EXPORT int64_t ct_array_extent(const ct_array *array, char dim); /* 1 where absent */
CT_EXPORT int64_t ct_array_stride(const ct_array *array, char dim); /* 0 where absent */
CT_EXPORT int64_t ct_array_count(const ct_array *array); /* product of the extents */
/* Elements from the buffer's start to the last one, inclusive */
CT_EXPORT int64_t ct_array_span(const ct_array *array);
CT_EXPORT size_t ct_array_bytes(const ct_array *array); /* of that span */
/* Strides without gaps, offset 0; NULL: the natural order. False, and nothing changed, where the
 * layout does not name the array's dimensions. */
CT_EXPORT bool ct_array_dense(ct_array *array, const ct_layout *layout);
/* Adds a dimension after the others; false where it is there already, or CT_DIMS are. */
CT_EXPORT bool ct_array_add(ct_array *array, char dim, int64_t extent);
/* Added where it is not there */
CT_EXPORT bool ct_array_set(ct_array *array, char dim, int64_t extent);
/* A view of `count` indices of a dimension from `first` on, of the same data; all of it where the dimension
 * is absent. Nothing is checked. */
CT_EXPORT ct_array ct_array_part(const ct_array *array, char dim, int64_t first, int64_t count);
/* How many groups its channels have, and the group of one of them (an index of C; of F,C: f C + c): 1 and
 * 0 where all are flagged together. */
CT_EXPORT int64_t ct_array_groups(const ct_array *array);
CT_EXPORT int64_t ct_array_group(const ct_array *array, int64_t channel);
/* Copies all of `from`: one type of whole bytes, the same dimensions with the same extents in any order,
 * data on the host that do not overlap. Where the two do not match, it copies nothing. */
CT_EXPORT void ct_copy_array(ct_array *to, const ct_array *from);
/* Reads or writes one element of a host array, any type; `element` counts from the buffer's start.
 * Writing to an integer type rounds to nearest and saturates. An array without type or data gives 0
 * and takes nothing. */
CT_EXPORT ct_complex ct_array_load(const ct_array *array, int64_t element);
CT_EXPORT void ct_array_save(ct_array *array, int64_t element, double re, double im);

/* ---------------------------------------------------------------- values: parameters and JSON */

/* An immutable JSON value. Texts and children live as long as their root. */
typedef struct ct_value ct_value;
typedef enum ct_kind { CT_NULL, CT_BOOL, CT_INT, CT_REAL, CT_TEXT, CT_LIST, CT_OBJECT } ct_kind;

/* Reads a JSON text or file; errors say name:line:column. Release roots only. */
CT_EXPORT ct_status ct_value_parse(ct_value **out, const char *text, const char *name,
                                   ct_error *err);
CT_EXPORT ct_status ct_value_load(ct_value **out, const char *file, ct_error *err);
CT_EXPORT void ct_value_free(ct_value *root);
CT_EXPORT ct_kind ct_value_kind(const ct_value *value); /* CT_NULL for NULL */
CT_EXPORT size_t ct_value_count(const ct_value *value); /* members of a list or object */
/* NULL beyond the end */
CT_EXPORT const ct_value *ct_value_at(const ct_value *value, size_t index);
CT_EXPORT const char *ct_value_key(const ct_value *value, size_t index); /* of an object's member */
/* NULL where absent */
CT_EXPORT const ct_value *ct_value_get(const ct_value *value, const char *key);
CT_EXPORT bool ct_value_bool(const ct_value *value, bool otherwise);
CT_EXPORT int64_t ct_value_int(const ct_value *value, int64_t otherwise);
CT_EXPORT double ct_value_real(const ct_value *value, double otherwise); /* accepts integers */
CT_EXPORT const char *ct_value_text(const ct_value *value, const char *otherwise);

/* ---------------------------------------------------------------- using the library */

typedef struct ct_stage ct_stage;     /* cornerturn_stage.h says what it is */
typedef struct ct_context ct_context; /* the stages that are known */
typedef struct ct_device ct_device;
typedef struct ct_graph ct_graph; /* what to compute */
typedef struct ct_plan ct_plan;   /* how */
typedef struct ct_run ct_run;     /* a plan compiled for one device */
typedef struct ct_ranks ct_ranks; /* the processes of a job that share a pipeline's work */

CT_EXPORT ct_status ct_context_open(ct_context **out, ct_error *err);
CT_EXPORT void ct_context_free(ct_context *context);
/* The descriptor is copied with all its texts and tables; its functions must stay. */
CT_EXPORT ct_status ct_context_add_stage(ct_context *context, const ct_stage *stage, ct_error *err);
/* A stage of a page of JSON and a kernel (docs/own-stages.md), added as the last one; all its mistakes
 * come in one pass. Nothing happens where the same file, unchanged, was added before. */
CT_EXPORT ct_status ct_context_add_file(ct_context *context, const char *file, ct_error *err);
/* All stages of a shared library that has a function ct_plugin (cornerturn_stage.h), or none of them.
 * It runs code of the library. A file without a folder is one of the present folder; a library that is
 * added already adds nothing. It is closed with the last object that was made from the context.
 * CT_DATA: it cannot be loaded; CT_INVALID: it has no such function, is of another version, or one of
 * its stages cannot be added. */
CT_EXPORT ct_status ct_context_add_library(ct_context *context, const char *file, ct_error *err);
/* NULL: there is none of this name, nor from a file that was called so. */
CT_EXPORT const ct_stage *ct_context_stage(const ct_context *context, const char *name);
/* NULL at the end */
CT_EXPORT const ct_stage *ct_context_stage_at(const ct_context *context, size_t index);

/* NULL or "": the first CPU device, else the first. Otherwise a part of a device's or platform's
 * name, letters of either case, or its number in `info devices`. "file:h200.json": a device as that
 * file describes it (docs/devices.md), for plans and their sources; nothing can run on it. CT_DATA,
 * CT_INVALID: the file cannot be read, or is wrong. */
CT_EXPORT ct_status ct_device_open(ct_device **out, const char *name, ct_error *err);
CT_EXPORT void ct_device_free(ct_device *device);
CT_EXPORT const char *ct_device_name(const ct_device *device);
/* Whether something can run on it: CT_NO_DEVICE with a sentence where it is only described. Whatever
 * runs asks this first. */
CT_EXPORT ct_status ct_device_check(const ct_device *device, ct_error *err);

/* Reads and checks a pipeline; all its errors come in one pass. `settings`: texts
 * "node.param=value", NULL at the end; NULL none. */
CT_EXPORT ct_status ct_graph_load(ct_graph **out, ct_context *context, const char *pipeline_json,
                                  const char *const *settings, ct_error *err);
/* The same from a text; `name` is what messages call it, and relative files are beside it. */
CT_EXPORT ct_status ct_graph_parse(ct_graph **out, ct_context *context, const char *text,
                                   const char *name, const char *const *settings, ct_error *err);
/* The same as ct_graph_load, without waiting for anybody: shapes that follow from what comes through a port
 * or a pipe are not known then, nor those behind them. *complete: there are none of these. Else the graph's
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

/* Where this process is a rank of a job (mpirun): the job; else *out is NULL, and all below take that for
 * one process without others. All ranks make the same calls in the same order. CT_USAGE: the library
 * was built without MPI. */
CT_EXPORT ct_status ct_ranks_open(ct_ranks **out, ct_error *err);
/* Whether this process is the first rank of its job, or of none: what a job has to do once is done there.
 * Needs no MPI. */
CT_EXPORT bool ct_ranks_first(void);
/* A job that is not there, for ct_explain_plan: of so many ranks ("64") or a grid of them ("S=16,C=4"),
 * seen from the first one. */
CT_EXPORT ct_status ct_ranks_suppose(ct_ranks **out, const char *text, ct_error *err);
CT_EXPORT int ct_ranks_rank(const ct_ranks *ranks);
CT_EXPORT int ct_ranks_size(const ct_ranks *ranks);
/* "S=4,C=2": into how many parts these dimensions are split, where a stage can be along all of them; or
 * the number of ranks, "8". CT_USAGE: the product is not that. */
CT_EXPORT ct_status ct_ranks_grid(ct_ranks *ranks, const char *text, ct_error *err);
/* Before a plan is made, on all ranks: nothing is to travel between them while other blocks are
 * computed. That takes less memory, and more time. */
CT_EXPORT void ct_ranks_forbid_overlap(ct_ranks *ranks);
CT_EXPORT const char *ct_ranks_dims(const ct_ranks *ranks); /* "SC" of that; "" */
/* All ranks meet and get the status of the lowest one that failed. Sentences stay on that one. */
CT_EXPORT ct_status ct_ranks_agree(const ct_ranks *ranks, ct_status mine, ct_error *err);
/* All ranks meet. CT_INVALID where they do not have the same text. */
CT_EXPORT ct_status ct_ranks_same(const ct_ranks *ranks, const char *what, const char *text,
                                  ct_error *err);
/* The same of a file, which each rank reads. CT_DATA where one cannot. The sentence stays on one rank. */
CT_EXPORT ct_status ct_ranks_same_file(const ct_ranks *ranks, const char *what, const char *file,
                                       ct_error *err);
/* All ranks meet. CT_INVALID where the files that they have loaded of the library, or of the module by which
 * ranks reach each other, are not the same. */
CT_EXPORT ct_status ct_ranks_same_build(const ct_ranks *ranks, ct_error *err);
/* The device of this rank. Of the devices that ct_device_open could mean by the name, ranks of one machine
 * take one after the other, in a circle; of several names ("0,2") each takes one of them. Without ranks
 * as ct_device_open. */
CT_EXPORT ct_status ct_ranks_device(ct_device **out, const ct_ranks *ranks, const char *names,
                                    ct_error *err);
/* What messages between the ranks cost, measured in some 50 ms, as ct_tune_predict takes it:
 * "93.1Gb/s,1.62us"; "" where there are no others. All ranks meet. */
#define CT_NETWORK_TEXT 64
CT_EXPORT ct_status ct_tune_measure_network(char out[CT_NETWORK_TEXT], const ct_ranks *ranks, ct_error *err);
/* Around what only the first rank does, for minutes perhaps. All ranks call both; the others sleep in the
 * second until the first one calls it, and get the status that it says. Where stop(of) is true on one that
 * sleeps, ct_ranks_asked is from then on true on the first. */
CT_EXPORT ct_status ct_ranks_leave_to_first(ct_ranks *ranks, ct_error *err);
CT_EXPORT bool ct_ranks_asked(ct_ranks *ranks);
CT_EXPORT ct_status ct_ranks_end_of_first(ct_ranks *ranks, ct_status mine, bool (*stop)(void *of),
                                          void *of, ct_error *err);
/* Ends all ranks, now. */
CT_EXPORT void ct_ranks_abort(ct_ranks *ranks, ct_status status);
/* Where all meet a last time. */
CT_EXPORT void ct_ranks_close(ct_ranks *ranks);
/* Before plans are made of it: these ranks share its work (docs/ranks.md), and runs of its plans read
 * what their rank needs; rank 0 writes what the sinks write. They must outlive the graph, its plans and
 * runs. All ranks meet: CT_INVALID where their builds, stages or pipelines differ. A graph of ct_graph_check
 * that is not complete is completed: a rank hears only what comes to it, and what follows from the rest is
 * told by the others. */
CT_EXPORT ct_status ct_graph_set_ranks(ct_graph *graph, const ct_ranks *ranks, ct_error *err);

/* device NULL: a CPU device with default limits. */
CT_EXPORT ct_status ct_plan_default(ct_plan **out, const ct_graph *graph, const ct_device *device,
                                    ct_error *err);
/* Reads a plan that ct_plan_save has written. What it leaves open, and what is legal, are the
 * device's (NULL: as above). */
CT_EXPORT ct_status ct_plan_load(ct_plan **out, const ct_graph *graph, const char *file,
                                 const ct_device *device, ct_error *err);
/* The same from a text; `name` is what messages call it. */
CT_EXPORT ct_status ct_plan_parse(ct_plan **out, const ct_graph *graph, const char *text,
                                  const char *name, const ct_device *device, ct_error *err);
/* Whether the device can take the plan: its memory, its work-groups, as far as one can know before
 * kernels are built. CT_INVALID with the numbers. ct_run_new asks this first. */
CT_EXPORT ct_status ct_plan_check(const ct_plan *plan, const ct_device *device, ct_error *err);
CT_EXPORT ct_status ct_plan_save(const ct_plan *plan, const char *file, ct_error *err);
/* What ct_plan_save writes, as a text; release with free(). */
CT_EXPORT ct_status ct_plan_print(char **out, const ct_plan *plan, ct_error *err);
CT_EXPORT void ct_plan_free(ct_plan *plan);
/* The complete OpenCL source of every step, ready to print; release with free(). */
CT_EXPORT ct_status ct_plan_source(char **out, const ct_plan *plan, ct_error *err);

/* For a person, for a program, for Graphviz, for monitoring (OpenMetrics). Of a call that has no such form: CT_USAGE. What each
 * JSON text holds is in docs/json.md. */
typedef enum ct_form { CT_FORM_TEXT, CT_FORM_JSON, CT_FORM_DOT, CT_FORM_METRICS } ct_form;

/* The flow: steps, sizes, layouts and why, bytes, operations, memory. In all forms. Ready to print;
 * release with free(). */
CT_EXPORT ct_status ct_explain_plan(char **out, const ct_plan *plan, ct_form form, ct_error *err);

/* A node of a graph or a step of a plan, as long as those live. Its arrays: dims, extents, type and
 * meta; in a plan layout and strides too. cornerturn_stage.h shows all of it. */
typedef struct ct_step ct_step;
CT_EXPORT const char *ct_step_name(const ct_step *step);       /* "fir", "fir>CTSP" */
CT_EXPORT const char *ct_step_stage_name(const ct_step *step); /* "fir", "transpose" */
/* The n-th port, "X"; NULL beyond the last. */
CT_EXPORT const char *ct_step_port_name(const ct_step *step, size_t n);
/* NULL: no such port. Type CT_NONE: not connected. */
CT_EXPORT const ct_array *ct_step_array(const ct_step *step, const char *port);

/* The n-th node, inputs before those that read them; NULL beyond the last. Its arrays are those of
 * one block, without layouts. */
CT_EXPORT const ct_step *ct_graph_step_at(const ct_graph *graph, size_t n);
/* The node that the n-th one's input port reads, and of that one the port (NULL: not wanted); NULL
 * where nothing is connected. */
CT_EXPORT const ct_step *ct_graph_input(const ct_graph *graph, size_t n, const char *port,
                                        const char **from_port);
/* The n-th step in running order, transposes that were put in included; NULL beyond the last. */
CT_EXPORT const ct_step *ct_plan_step_at(const ct_plan *plan, size_t n);
/* The n-th array in memory, with the samples that it keeps from block to block; NULL beyond the last.
 * *name (NULL: not wanted): "fir", "fir>CTSP". */
CT_EXPORT const ct_array *ct_plan_array(const ct_plan *plan, size_t n, const char **name);
/* The array that a node's port uses, by the pipeline's names: "beams.Y", or "beams" for its first output (of
 * a sink: what it takes). Of a source or sink it is the block that read() fills, write() takes. T is of
 * one block, an input's with what is kept before it; layout and strides are the plan's. It lives as the plan. CT_USAGE: there is none. */
CT_EXPORT ct_status ct_plan_find(const ct_array **out, const ct_plan *plan, const char *port,
                                 ct_error *err);
/* The name of the array that the n-th step's port uses; NULL: a table, scratch, or not connected. */
CT_EXPORT const char *ct_plan_link(const ct_plan *plan, size_t n, const char *port);

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
 * whose channels have groups [S][group][T]), 0 at first, 1 where a sample is missing. write() takes `count` samples along T from T index `first` of the block; each call
 * continues the one before. Arrays and flags are theirs during the call. count() (NULL: nothing is counted)
 * gives all that it has counted so far, up to one without a name; it is called between reads or writes, and
 * the counters' texts stay until the run is freed. */
typedef struct ct_io {
    size_t size; /* sizeof(ct_io) */
    void *state; /* what read() and write() are called with */
    ct_status (*read)(void *state, ct_array *block, uint8_t *flags, int64_t *got, ct_error *);
    ct_status (*write)(void *state, const ct_array *block, int64_t first, int64_t count, ct_error *);
    const ct_counter *(*count)(void *state);
} ct_io;

CT_EXPORT ct_status ct_run_new(ct_run **out, const ct_plan *plan, ct_device *device, ct_error *err);
/* In place of what this source or sink node would do itself; a source.caller or sink.caller does nothing
 * by itself. Before the first block. CT_USAGE: no such node, or it is neither. */
CT_EXPORT ct_status ct_run_bind(ct_run *run, const char *node, const ct_io *io,
                                ct_error *err);
/* One block through all steps; CT_EOF after the last one. What the library's own sources read next, and
 * its sinks write of this block, may still be under way, on threads of the run's; a program's read() and
 * write() are called before it returns, but for write() of several ranks: it gets earlier blocks while
 * this one travels between them, and the last ones before CT_EOF or in ct_run_finish. A run that failed stays failed: this call
 * and the next one then give its first failure again, and no sink is published. */
CT_EXPORT ct_status ct_run_block(ct_run *run, ct_error *err);
/* Closes the sinks, then gives the files of all of them their names, or none: then every name has
 * what it had before. Ends the run: after it, only
 * ct_run_warnings, _file, _progress, _trace and _free make sense, and others give CT_USAGE. */
CT_EXPORT ct_status ct_run_finish(ct_run *run, ct_error *err);
/* New contents of a table: a beam former's weights, a filter's coefficients. The blocks before are made
 * with the old ones, those after with these. `fill` is a host array of the table's dimensions
 * (ct_plan_find: "beams.W") in any order and type, a complex one for a complex table, and is copied; a
 * stride of 0 takes one value for all of a dimension. They are taken as they are: what a stage makes
 * from its parameters (phases, scale factors) is to be in them. Samples that are kept from the blocks
 * before were made with the old ones. CT_USAGE, and nothing changed: no such table, another shape, a
 * table that cannot change, a run with a journal. */
CT_EXPORT ct_status ct_run_table(ct_run *run, const char *node, const char *port,
                                 const ct_array *fill, ct_error *err);
/* Ends the present block as soon as what is on the device is done, or before the next one; the run
 * has then failed with CT_INTERRUPTED. From a signal handler or another thread; NULL is fine. */
CT_EXPORT void ct_run_cancel(ct_run *run);
/* Instead of the first ct_run_block, or before it: keeps a journal beside the first file that the
 * pipeline writes, and goes on from there where a run of the same pipeline has left one. A line is
 * added after a block, when the last one is `every_s` seconds old and lines take less than 1 % of
 * the time; 0: after each block; below 0: 1. What a run that fails or dies has made up to the last line stays,
 * until one with a journal takes it up or one without begins anew. *block (NULL: not wanted): of the
 * line from which it goes on, 0 none; some blocks before it are computed again, but not written.
 * CT_EOF: all was done but for the names, which the files have now; then the run is finished.
 * CT_INVALID: pipeline, settings, inputs, plan, block, device or version were others; CT_USAGE: a
 * source or sink cannot do it (ct_stage's seek, save, restore). */
CT_EXPORT ct_status ct_run_resume(ct_run *run, double every_s, int64_t *block, ct_error *err);
/* Before the first block: where a later one fails or the run is cancelled, ct_run_finish gives the files
 * their names with what whole blocks have put there, and sinks that describe their files say so: each
 * sink for itself, where it has samples; one that failed itself only if it is CT_STAGE_MENDS. It
 * returns the failure all the same, with a sentence for each sink that can keep nothing; ct_run_file
 * knows what is kept, ct_run_file_holds how much that is. */
CT_EXPORT ct_status ct_run_keep(ct_run *run, ct_error *err);
/* After ct_run_finish, in the same form: samples at the end that filled no whole output, and whose.
 * They live as the run. */
CT_EXPORT const char *ct_run_warnings(const ct_run *run);
/* The n-th of the files that the sinks have made (ct_step_create), once they have their names; NULL
 * beyond the last. It lives as the run. */
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
/* The n-th number that the run keeps of its steps, and of its sources and sinks what these count, as of
 * the last block; false beyond the last. *step (NULL: not wanted): whose. Texts live as the run. */
CT_EXPORT bool ct_run_counter(const ct_run *run, size_t n, ct_counter *out, const char **step);
/* All of that, how far the run is and how fast, and its memory: a line of JSON, or OpenMetrics text.
 * since (NULL none): what ct_run_progress gave at an earlier moment, for the speed since then.
 * Release with free(). */
CT_EXPORT ct_status ct_run_stats(char **out, const ct_run *run, const ct_progress *since, ct_form form,
                                 ct_error *err);
/* Of a run that is one rank of a job: rank 0 hears how long each rank's steps took so far, and its
 * ct_run_trace tells of all. Every rank calls it, between the same two blocks. Of others nothing. */
CT_EXPORT ct_status ct_run_collect(ct_run *run, ct_error *err);
/* The steps' times so far, as text or JSON, ready to print; release with free(). */
CT_EXPORT ct_status ct_run_trace(char **out, const ct_run *run, ct_form form, ct_error *err);

/* What there is, ready to print; release with free(). Devices as text or JSON; stages (all, or the
 * one of this name) as JSON; files as text. */
CT_EXPORT ct_status ct_describe_devices(char **out, ct_form form, ct_error *err);
/* One device as text, or as the JSON file that describes it. What the context's stages ask of a
 * device's compiler is asked: a few kernels are built. */
CT_EXPORT ct_status ct_describe_device(char **out, const ct_context *context, ct_device *device,
                                       ct_form form, ct_error *err);
CT_EXPORT ct_status ct_describe_stages(char **out, const ct_context *context, const char *name,
                                       ct_error *err);
CT_EXPORT ct_status ct_describe_file(char **out, const char *file, ct_error *err); /* of data */

/* How fast the stages are, next to what the device can do at most. */
typedef struct ct_bench {
    size_t size;                     /* sizeof(ct_bench) */
    const char *stage, *scale;       /* NULL: all of the scale's; "thesis" */
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
} ct_bench;
/* *json: what was measured; release with free(). */
CT_EXPORT ct_status ct_tune_bench(char **json, ct_context *context, ct_device *device,
                                  const ct_bench *bench, ct_error *err);

/* Whole plans, rehearsed in turn, `rounds` times each: one block as in the middle of a stream, without
 * any file. *json: {"cornerturn_rehearsal": 1, "plans": [..]}, for each plan the seconds of each round
 * ("wall", "history", "steps"); release with free(). Plans are made from plans[first] on: the same plan
 * twice takes up to 2 % longer where its memory was taken later, so let `first` differ from process to
 * process. */
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
} ct_tune;
/* A plan whose layouts and tunables are the best that were found for this graph on this device (by
 * ct_device_open's name), or the default's where nothing was clearly better. Its "tuned" says how good,
 * and whether the search came to its end. */
CT_EXPORT ct_status ct_tune_pipeline(ct_plan **out, ct_context *context, const ct_graph *graph,
                                     const char *device, const ct_tune *options, ct_error *err);

/* What ct_explain_plan then says of a plan over ranks, in all forms: seconds of each step and of a block,
 * what travels, and whether that can be hidden (docs/ranks.md). `network`: between ranks, as
 * "100Gb/s,2us"; `file`: what was measured on one machine, a journal of this pipeline or a trace, as JSON,
 * of the same nodes. NULL: unknown, and so is what follows from it. CT_USAGE: of the network;
 * CT_INVALID: the file is of other nodes. */
CT_EXPORT ct_status ct_tune_predict(ct_plan *plan, const char *network, const char *file,
                                     ct_error *err);

/* Whether this is a network as ct_tune_predict takes it: CT_USAGE with what was expected. */
CT_EXPORT ct_status ct_tune_network(const char *network, ct_error *err);
/* Splits over the graph's ranks (ct_graph_set_ranks) with which a block is foretold to take least, travelling
 * beside computing where a run of the plan does, on top of the layouts and tunables of `file`, a plan of one
 * process. `network`, `journal`: as ct_tune_predict's, needed. `memory`: the most bytes that the first
 * rank may take on its device, which has as much as any; 0 no limit. The plan's "tuned" gets what is
 * foretold of it and of the default's splits. device: ct_device_open's name. CT_INVALID: no
 * splits fit into the memory. */
CT_EXPORT ct_status ct_tune_ranks(ct_plan **out, const ct_graph *graph, const char *device, const char *file,
                                  const char *network, const char *journal, int64_t memory,
                                  ct_error *err);

/* Plans that were tuned on this machine, in XDG_DATA_HOME/cornerturn/plans. keep: puts one there; *file
 * (may be NULL): its name, released with free(). stored: the plan for this very pipeline, device and
 * kernels, NULL where there is none; `nearest`: else one for the pipeline on another device or with
 * other kernels. *say: which one, or why not; NULL: there is none at all; released with free(). */
CT_EXPORT ct_status ct_tune_keep(char **file, const ct_plan *plan, const ct_device *device,
                                 ct_error *err);
CT_EXPORT ct_status ct_tune_stored(ct_plan **out, const ct_graph *graph, const ct_device *device,
                                   bool nearest, char **say, ct_error *err);

/* What there is to choose from: layouts and legal tunables of each step, and how many plans that makes:
 * counted, or estimated with a standard error. Of `options` only `only` counts. Ready to print; release
 * with free(). */
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
 * wrong coordinate. `options` NULL: all of it; `report` NULL: not wanted. */
CT_EXPORT ct_status ct_tune_verify(ct_context *context, ct_device *device, const char *stage,
                                   const ct_verify_options *options, ct_verify_report *report,
                                   ct_error *err);

#ifdef __cplusplus
}
#endif
#endif
