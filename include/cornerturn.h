/* cornerturn.h: the public contract of Cornerturn, and its only installed header.
 *
 * Room: include. Knows libc. Does not know OpenCL, JSON libraries, or any stage.
 * Called by: programs that embed Cornerturn, every stage folder, every file format.
 *
 * Making:    ct_x_open/load/new put an object in *out; ct_x_free releases it, NULL is fine.
 * Borrowing: a const T* argument is used during the call, never kept.
 * Failing:   calls return ct_status and fill *err (may be NULL); *out is then NULL.
 * Threads:   graph and plan never change once made, but for what a plan's sources and sinks remember
 *            of the run: a plan has one run at a time, a run one user; no globals.
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

#define CT_API 1u     /* version of this contract; a stage names the one that it was written for */
#define CT_DIMS 8     /* most dimensions of an array */
#define CT_PORTS 8    /* most ports of a stage */
#define CT_TUNABLES 24 /* most tunables of a stage */
#define CT_LAUNCHES 4 /* most kernel launches of a step */

#if defined(__GNUC__)
#define CT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CT_PRINTF(text, first)
#endif

/* ---------------------------------------------------------------- failing */

/* The values below CT_EOF and CT_INTERRUPTED are the command's exit codes. */
typedef enum ct_status {
    CT_OK = 0,
    CT_FAILED = 1,    /* failed while running */
    CT_USAGE = 2,     /* wrong arguments */
    CT_INVALID = 3,   /* invalid pipeline or plan */
    CT_NO_DEVICE = 4, /* no usable device */
    CT_DATA = 5,      /* unreadable or unwritable data */
    CT_MISMATCH = 6,  /* verification mismatch */
    CT_EOF = 7,       /* not a failure: no more blocks */
    CT_INTERRUPTED = 130
} ct_status;

/* Sentences for a person, one a line. Start with `ct_error err = {0}`. */
typedef struct ct_error {
    ct_status status; /* of the first sentence; CT_OK while there is none */
    unsigned count;   /* sentences added, kept or not */
    char text[8192];  /* without a newline at the end */
} ct_error;

/* Adds one sentence and returns `status`, so that a caller writes `return ct_error_add(...)`. */
ct_status ct_error_add(ct_error *err, ct_status status, const char *format, ...) CT_PRINTF(3, 4);

/* The nearest of `choices` (NULL at the end) to a misspelt word; NULL where none is near. */
const char *ct_suggest_nearest(const char *word, const char *const *choices);

/* ---------------------------------------------------------------- types */

/* Complex types are interleaved real, imaginary; ci4 is one byte (low nibble real). u1, u2 and u4
 * exist in files only: sources unpack them to u8. f64 and cf64 exist in references only. */
typedef enum ct_type {
    CT_NONE, CT_CI4, CT_CI8, CT_CI16, CT_CI32, CT_U1, CT_U2, CT_U4, CT_U8, CT_U16, CT_U32,
    CT_I8, CT_I16, CT_I32, CT_F16, CT_F32, CT_F64, CT_CF16, CT_CF32, CT_CF64, CT_CI64, CT_TYPES
} ct_type;

const char *ct_type_name(ct_type type);       /* "ci8"; "none" for CT_NONE */
ct_type ct_type_parse(const char *name);      /* CT_NONE where there is no such type */
unsigned ct_type_bits(ct_type type);          /* of one element: ci8 16, u1 1 */
bool ct_type_complex(ct_type type);
bool ct_type_integer(ct_type type);

/* ---------------------------------------------------------------- layouts and arrays */

/* An order of dimensions, slowest first. rank 0 means "not chosen". */
typedef struct ct_layout {
    int rank;
    char dim[CT_DIMS + 1]; /* capital letters, terminated */
} ct_layout;

/* Reads "STPC" or "station,time,pol,channel". CT_INVALID names the repeated or unknown part. */
ct_status ct_layout_parse(ct_layout *out, const char *text, ct_error *err);
bool ct_layout_equal(const ct_layout *a, const ct_layout *b);
const char *ct_dim_name(char letter);         /* 'S' -> "station"; NULL where unknown */

/* What is known of an array beyond its numbers. Pointers are borrowed from the maker. */
typedef struct ct_meta {
    double sample_time_s;        /* spacing along T, s; 0 unknown */
    double start_s;              /* instant of T index 0 after the observation's start, s */
    double start_mjd;            /* the observation's start, MJD (UTC); 0 unknown */
    int64_t total;               /* samples along T in the whole stream; -1 unknown */
    const double *frequency_hz;  /* channel centres, ascending index of C (one where there is no C:
                                    the band's centre); NULL unknown */
    int64_t frequencies;         /* how many */
    double channel_width_hz;     /* of one channel (the band's width where there is no C); 0 unknown */
    const double *dm;            /* trial of each D index, pc cm^-3; NULL where there is no D */
    const int64_t *downsample;   /* samples added before each trial, per D index; NULL: all 1 */
    int64_t dms;
    const char *source_name;     /* what was observed; NULL unknown */
    const char *telescope;       /* NULL unknown */
    double src_raj, src_dej;     /* SIGPROC convention: hhmmss.s, ddmmss.s */
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

int ct_array_find(const ct_array *array, char dim);            /* place of dim, -1 where absent */
int64_t ct_array_extent(const ct_array *array, char dim);      /* 1 where absent */
int64_t ct_array_stride(const ct_array *array, char dim);      /* 0 where absent */
int64_t ct_array_count(const ct_array *array);                 /* product of the extents */
int64_t ct_array_span(const ct_array *array);                  /* elements from the buffer's start to
                                                                  the last one, inclusive */
size_t ct_array_bytes(const ct_array *array);                  /* of that span */
void ct_array_dense(ct_array *array, const ct_layout *layout); /* strides without gaps, offset 0;
                                                                  NULL: the natural order */
/* Adds a dimension after the others. */
void ct_array_add(ct_array *array, char dim, int64_t extent);
void ct_array_set(ct_array *array, char dim, int64_t extent); /* added where it is not there */
/* Reads or writes one element of a host array, any type; `element` counts from the buffer's start.
 * Writing to an integer type rounds to nearest and saturates. */
ct_complex ct_array_load(const ct_array *array, int64_t element);
void ct_array_save(ct_array *array, int64_t element, double re, double im);

/* ---------------------------------------------------------------- values: parameters and JSON */

/* An immutable JSON value. Texts and children live as long as their root. */
typedef struct ct_value ct_value;
typedef enum ct_kind { CT_NULL, CT_BOOL, CT_INT, CT_REAL, CT_TEXT, CT_LIST, CT_OBJECT } ct_kind;

/* Reads a JSON text or file; errors say name:line:column. Release roots only. */
ct_status ct_value_parse(ct_value **out, const char *text, const char *name, ct_error *err);
ct_status ct_value_load(ct_value **out, const char *file, ct_error *err);
void ct_value_free(ct_value *root);
ct_kind ct_value_kind(const ct_value *value);                        /* CT_NULL for NULL */
size_t ct_value_count(const ct_value *value);                        /* members of a list or object */
const ct_value *ct_value_at(const ct_value *value, size_t index);    /* NULL beyond the end */
const char *ct_value_key(const ct_value *value, size_t index);       /* of an object's member */
const ct_value *ct_value_get(const ct_value *value, const char *key); /* NULL where absent */
bool ct_value_bool(const ct_value *value, bool otherwise);
int64_t ct_value_int(const ct_value *value, int64_t otherwise);
double ct_value_real(const ct_value *value, double otherwise);       /* accepts integers */
const char *ct_value_text(const ct_value *value, const char *otherwise);

/* ---------------------------------------------------------------- stages */

typedef struct ct_step ct_step;
typedef struct ct_launch ct_launch;

typedef enum ct_direction {
    CT_IN,     /* an edge that comes in; port 0 takes the node's "input" */
    CT_OUT,    /* an edge that goes out; the first one is the node's plain name */
    CT_TABLE,  /* coefficients made by the stage's table(), uploaded once */
    CT_SCRATCH /* device memory between the launches of one step; rows may have gaps between them */
} ct_direction;

enum {
    CT_PORT_OPTIONAL = 1,   /* may stay unconnected: then HAVE_<name> is 0 and it has no argument */
    CT_PORT_FLAGS = 2,      /* u8, dims ST: 1 where port 0's sample is flagged; connected by the run */
    CT_PORT_ACCUMULATE = 4, /* output that may gather several blocks: where the kernel's CT_ADD is 1
                               it adds to what stands there, else it overwrites */
    CT_PORT_EXACT = 8       /* output: where its type is an integer, verify allows no error */
};

/* `dims` names the natural order. `?` after a letter: the dimension may be absent (the accessor
 * keeps its argument, extent 1, stride 0). `[BS]`: one of these, named by the first letter in
 * accessors. "*": any dimensions. On an output the stage's infer() gives what is not the same in
 * port 0. `layout`: "*" any, "*C" C fastest, "T*" T slowest, "CTSP" fixed, "=X" as port X. */
typedef struct ct_port {
    const char *name; /* of the accessor, capitals: "X" */
    ct_direction direction;
    unsigned flags;
    const char *dims;   /* "SPTC", "[BS]?TC", "*" */
    const char *types;  /* "ci8 ci16 cf32"; "=X" the type of port X; the first is an output's default */
    const char *layout; /* what the kernel can read or write */
    const char *prefer; /* "CTSP": a good choice where nothing is pinned; NULL none */
    const char *help;
} ct_port;

typedef enum ct_param_kind {
    CT_PARAM_INT, CT_PARAM_REAL, CT_PARAM_BOOL, CT_PARAM_TEXT, CT_PARAM_FILE, CT_PARAM_ANY
} ct_param_kind;

typedef struct ct_param {
    const char *name;
    ct_param_kind kind;
    const char *otherwise; /* default as text; NULL: none; "!" : must be given */
    const char *choices;   /* "none mean" for texts; NULL: free. Of a file: ".json", the ending of
                              another one beside it that belongs to it */
    double minimum, maximum; /* for numbers; both 0: any */
    const char *help;
} ct_param;

/* Values are words; a number stands for itself, another word for its place in `values` (and the
 * kernel sees that number). */
typedef struct ct_tunable {
    const char *name;    /* capitals, as the kernel sees it: "TB" */
    const char *values;  /* "1 2 4 8" */
    const char *cpu, *gpu; /* defaults */
    const char *help;
} ct_tunable;

/* A tile: a box of a port's array held in one fixed order, which the generator packs from (or
 * stores to) whatever layout the port has. See docs/generator.md. */
typedef struct ct_tile {
    const char *name;  /* "A": PACK_A(tile, ...) for an input port, STORE_A(tile, ...) for an output */
    const char *port;
    const char *order; /* "CTSP": the tile's own order, slowest first; lower case: inner part */
    const char *extents; /* "CG,TB,SB,N_P": one expression per letter of `order` */
    const char *pitch; /* "8": padding elements after each row; "S:8": after each run of S; NULL none */
    const char *type;  /* element type in the tile: "float2", "char2"; converts on the way */
    const char *when;  /* "X_IS_ci8": generated only where this is not 0; NULL always */
} ct_tile;

/* How verify tries a stage: parameters, extents of port 0 (T counts one block, overlap not
 * included), its type. Extents should be pairwise coprime. */
typedef struct ct_case {
    const char *params;  /* JSON object text; NULL: {} */
    const char *extents; /* "S=3 P=2 T=65 C=7" */
    const char *type;
    const char *tunables; /* "TB=4 H=2": small test values; NULL: the defaults */
} ct_case;

typedef enum ct_overlap_kind {
    CT_HISTORY, /* samples before the stream's start are zero and flagged; as many come out as go in */
    CT_VALID    /* outputs that would need samples before the start are dropped */
} ct_overlap_kind;

/* A stage with its shapes, layouts, parameters and tunables fixed (as far as they are yet). */
struct ct_step {
    const struct ct_stage *stage;
    const char *name;               /* the node's */
    ct_array port[CT_PORTS];        /* in the order of stage->ports; type CT_NONE: not connected */
    int64_t decimate;               /* set by infer: input samples of T per output sample; 1 */
    int64_t grain;                  /* set by infer: a block brings a multiple of this along T; 1 */
    int64_t overlap;                /* set by infer: earlier input samples of port 0 that a block needs */
    ct_overlap_kind overlap_kind;
    int64_t gather;                 /* blocks added up in one output (1 unless a port accumulates) */
    int64_t tunable[CT_TUNABLES];   /* in the order of stage->tunables */
    void *native_context, *native_device, *native_queue; /* cl_context, ...; only for prepare() */
    bool gpu;                       /* the device is no CPU */
    void *state;                    /* free for the stage: set in infer() with ct_step_alloc */
    void *inner;                    /* the library's */
};

/* Parameters: what the user gave, else the declared default. */
int64_t ct_step_int(const ct_step *step, const char *param);
double ct_step_real(const ct_step *step, const char *param);
bool ct_step_bool(const ct_step *step, const char *param);
const char *ct_step_text(const ct_step *step, const char *param);    /* NULL: not given */
const ct_value *ct_step_value(const ct_step *step, const char *param); /* NULL: not given */
const char *ct_step_path(const ct_step *step, const char *param);    /* a file, resolved; NULL */
const char *ct_step_resolve(ct_step *step, const char *file);        /* any file of the user's */
ct_array *ct_step_port(ct_step *step, const char *name);             /* NULL: no such port */
const ct_array *ct_step_array(const ct_step *step, const char *name);
int64_t ct_step_tunable(const ct_step *step, const char *name);
void *ct_step_alloc(ct_step *step, size_t bytes);                    /* zeroed; lives as the step */
/* In suggest(): a tunable's default here; and the next smaller of its declared values (which ascend)
 * than the present one, 0 where there is none. */
void ct_step_suggest(ct_step *step, const char *tunable, int64_t value);
int64_t ct_step_next_below(const ct_step *step, const char *tunable);
/* For suggest() and emit(): does the device's compiler take this OpenCL text, and does its
 * `kernel void probe(global int *answer)` write 1? Asked once per device and text. A plan's steps
 * remember the answers of the device that it was made for; false where there was none. A kernel must
 * do without where the answer is no: plans move between devices. */
bool ct_step_device_accepts(const ct_step *step, const char *source);
/* Somebody wants the run to stop: asked in long loops, after which CT_INTERRUPTED is returned. Once
 * true it stays so. */
bool ct_step_stopped(const ct_step *step);
/* A sink says this of each file once it stands under its own name. `file` lives as the step. */
void ct_step_wrote(ct_step *step, const char *file);
/* Adds "file:line:col: /nodes/name/param: sentence" (param NULL: the node). Returns CT_INVALID. */
ct_status ct_step_fail(const ct_step *step, const char *param, ct_error *err, const char *format,
                       ...) CT_PRINTF(4, 5);

/* Reads the whole .npy file that `param` names: type, extents and strides as in the file (Fortran
 * order too), data that live as the step. The file names no dimensions: dim[] stays empty, extent[]
 * is in the order of the file's shape. Errors name the parameter's place and the file. */
ct_status ct_npy_load(ct_step *step, const char *param, ct_array *out, ct_error *err);

/* One kernel launch: sizes in work-items. local[0] 0: the driver chooses. */
struct ct_launch {
    const char *entry; /* NULL: the stage's */
    size_t global[3], local[3];
};

/* Boxes of b that a needs, the last one perhaps not full. */
static inline int64_t ct_divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Text that grows: what emit() writes into. */
typedef struct ct_text ct_text;
void ct_text_add(ct_text *text, const char *format, ...) CT_PRINTF(2, 3);

/* A copy between two arrays of one type and shape whose dimensions lie in different orders, bit by
 * bit. With group 1 a work-item moves along_from * along_to boxes through registers, with more a
 * group moves one box through local memory. */
typedef struct ct_turn {
    const ct_array *from, *to;      /* strides set */
    int64_t along_from, along_to;   /* boxes along the fastest dimension of each side */
    int64_t lines;                  /* 1, 2, 4: cache lines that a box fills in a row of the output */
    int64_t group;                  /* work-items of a work-group, a power of two */
    bool nontemporal;               /* stores that fill cache lines bypass the caches */
    bool staged;                    /* group 1: by way of a buffer of all of an item's boxes */
} ct_turn;
/* Defines CT_TURN_TILE, which a kernel declares first, and the statement CT_TURN(from, to). */
void ct_turn_emit(ct_text *text, const ct_turn *turn);
void ct_turn_launch(ct_launch *out, const ct_turn *turn);

typedef struct ct_stage {
    uint32_t api, version; /* CT_API, and the stage's own: plans of another version do not apply */
    const char *name, *summary;
    ct_port ports[CT_PORTS]; /* ends at the first without a name */
    const ct_param *params;     /* ends at the first without a name; NULL none; so the next two */
    const ct_tunable *tunables;
    const ct_tile *tiles;
    const ct_case *cases;       /* ends at the first without extents */
    const char *where;     /* legal combinations: an expression of tunables, extents and GPU */
    const char *parallel;  /* ND-range: axes split by commas, letters of one axis together, fastest
                              axis first: "C/VW:WG, T, SP" gives ID_C (in steps of VW), ID_T, ... */
    const char *source, *source_name, *entry; /* kernel text, "stages/fir/fir.cl", kernel's name */
    const char *fuses;     /* "beamformer detect": does what these two in a row do, in one pass, with
                              the parameters of both; NULL: an ordinary stage */
    double tolerance;      /* of verify: largest error over the reference's rms; 0: exact */

    /* Input shapes -> outputs' dims, extents (all but T, which follows from decimate), types, meta;
     * tables' and scratch's shapes; decimate, overlap. Inputs have T without overlap. For a source:
     * its output's everything, T excluded, with meta.total; a layout with rank > 0 is the file's,
     * which an output takes that nothing pins (read() fills any other as well). */
    ct_status (*infer)(ct_step *, ct_error *);
    /* Fills a table, given in natural order. */
    ct_status (*table)(const ct_step *, const char *port, ct_array *fill, ct_error *);
    /* Adjusts default tunables to the shapes; may be NULL. */
    void (*suggest)(ct_step *);
    /* Says whether the tunables fit the shapes, beyond `where`; may be NULL. */
    bool (*legal)(const ct_step *);
    /* Asked of optional scratch once layouts and tunables are set, where only some of them need it:
     * false disconnects the port. NULL: all that infer() shaped is needed. */
    bool (*needs)(const ct_step *, int port);
    /* Adds definitions before the source; may be NULL. */
    ct_status (*emit)(const ct_step *, ct_text *, ct_error *);
    /* Fills up to CT_LAUNCHES and says how many; NULL: one, from `parallel`. */
    int (*launch)(const ct_step *, ct_launch *);
    /* Double precision, obvious. Ports are host arrays in natural order; inputs in their own types
     * with T including the overlap in front, outputs f64 or cf64 and zeroed. */
    ct_status (*reference)(const ct_step *, ct_array ports[], ct_error *);
    double (*flops)(const ct_step *); /* useful operations of one block; NULL: 0 */

    /* Engines that are libraries: where prepare() sets *state, enqueue() replaces the launches.
     * mem[] holds a cl_mem per port, offsets and strides as in the ports. */
    ct_status (*prepare)(ct_step *, void **state, ct_error *);
    ct_status (*enqueue)(void *state, void *queue, void *const mem[], ct_error *);
    void (*release)(void *state);

    /* Sources and sinks (port 0 alone). open() is called when a run starts. read() fills one block
     * of port 0's shape and layout and sets *got to the samples along T that are real (the run
     * clears the rest; history lies beside the block, so never clear the whole buffer); flags (NULL: not wanted) is u8 [S][T], 1 where missing. write() takes `count`
     * samples along T from T index `first` of the block; each call continues the one before.
     * close(complete=false) leaves nothing behind. */
    ct_status (*open)(ct_step *, void **state, ct_error *);
    ct_status (*read)(void *state, ct_array *block, uint8_t *flags, int64_t *got, ct_error *);
    ct_status (*write)(void *state, const ct_array *block, int64_t first, int64_t count, ct_error *);
    ct_status (*close)(void *state, bool complete, ct_error *);
} ct_stage;

/* ---------------------------------------------------------------- using the library */

typedef struct ct_context ct_context; /* the stages that are known */
typedef struct ct_device ct_device;
typedef struct ct_graph ct_graph; /* what to compute */
typedef struct ct_plan ct_plan;   /* how */
typedef struct ct_run ct_run;     /* a plan compiled for one device */

ct_status ct_context_open(ct_context **out, ct_error *err);
void ct_context_free(ct_context *context);
ct_status ct_context_add_stage(ct_context *context, const ct_stage *stage, ct_error *err);
const ct_stage *ct_context_stage(const ct_context *context, const char *name);
const ct_stage *ct_context_stage_at(const ct_context *context, size_t index); /* NULL at the end */

/* NULL or "": the first CPU device, else the first. Otherwise a part of a device's or platform's
 * name, letters of either case, or its number in `info devices`. */
ct_status ct_device_open(ct_device **out, const char *name, ct_error *err);
void ct_device_free(ct_device *device);
const char *ct_device_name(const ct_device *device);

/* Reads and checks a pipeline; all its errors come in one pass. `settings`: texts
 * "node.param=value", NULL at the end; NULL none. */
ct_status ct_graph_load(ct_graph **out, ct_context *context, const char *pipeline_json,
                        const char *const *settings, ct_error *err);
/* The same from a text; `name` is what messages call it, and relative files are beside it. */
ct_status ct_graph_parse(ct_graph **out, ct_context *context, const char *text, const char *name,
                         const char *const *settings, ct_error *err);
/* What is valid and yet hardly meant, such as a node that nothing reads: sentences, one a line, ""
 * where there are none. They live as the graph. */
const char *ct_graph_warnings(const ct_graph *graph);
void ct_graph_free(ct_graph *graph);

/* device NULL: a CPU device with default limits. */
ct_status ct_plan_default(ct_plan **out, const ct_graph *graph, const ct_device *device,
                          ct_error *err);
ct_status ct_plan_load(ct_plan **out, const ct_graph *graph, const char *file, ct_error *err);
/* The same for a device: what the plan leaves open, and what is legal, are the device's. */
ct_status ct_plan_load_for(ct_plan **out, const ct_graph *graph, const char *file,
                           const ct_device *device, ct_error *err);
ct_status ct_plan_save(const ct_plan *plan, const char *file, ct_error *err);
void ct_plan_free(ct_plan *plan);
/* The complete OpenCL source of every step, ready to print; release with free(). */
ct_status ct_plan_source(char **out, const ct_plan *plan, ct_error *err);

/* The flow as a table: steps, sizes, layouts and why, bytes, operations, memory. The same as a graph
 * for Graphviz. Ready to print; release with free(). */
ct_status ct_explain_plan(char **out, const ct_plan *plan, ct_error *err);
ct_status ct_explain_dot(char **out, const ct_plan *plan, ct_error *err);

/* A source or sink of the caller's in place of a node's. Arguments as in ct_stage's read, write. */
typedef struct ct_io {
    void *state;
    ct_status (*read)(void *state, ct_array *block, uint8_t *flags, int64_t *got, ct_error *);
    ct_status (*write)(void *state, const ct_array *block, int64_t first, int64_t count, ct_error *);
} ct_io;

ct_status ct_run_new(ct_run **out, const ct_plan *plan, ct_device *device, ct_error *err);
ct_status ct_run_bind(ct_run *run, const char *node, ct_io io, ct_error *err);
/* `stop` is asked now and then while a block takes long (a source that prepares its data, say); where
 * it says true, ct_run_block gives CT_INTERRUPTED. `of` is handed to it. */
void ct_run_watch(ct_run *run, bool (*stop)(void *of), void *of);
ct_status ct_run_block(ct_run *run, ct_error *err);    /* CT_EOF after the last block */
ct_status ct_run_finish(ct_run *run, ct_error *err);   /* closes sinks: only now they are whole */
/* After ct_run_finish, in the same form: samples at the end that filled no whole output, and whose.
 * They live as the run. */
const char *ct_run_warnings(const ct_run *run);
/* The n-th of the files that the sinks have written; NULL beyond the last. It lives as the plan. */
const char *ct_run_file(const ct_run *run, size_t n);
void ct_run_free(ct_run *run);                         /* unfinished sinks leave nothing behind */

typedef struct ct_progress {
    int64_t block, blocks;    /* done, and in all (-1 unknown) */
    double signal_s, wall_s;  /* signal processed (0 unknown) and time spent on it */
    int64_t flagged, samples; /* of the sources' samples per station: missing, and in all */
} ct_progress;
void ct_run_progress(const ct_run *run, ct_progress *out);
/* A table of the steps' times so far, ready to print; release with free(). */
ct_status ct_run_trace(char **out, const ct_run *run);

/* What there is, as text ready to print; release with free(). */
ct_status ct_describe_devices(char **out, ct_error *err);
ct_status ct_describe_file(char **out, const char *file, ct_error *err); /* of data */

/* The conformance call: every pair of layouts, then the legal combinations of tunables, against
 * the stage's reference. CT_MISMATCH names the layouts and the first wrong coordinate. */
ct_status ct_tune_verify(ct_context *context, ct_device *device, const char *stage, ct_error *err);

/* How fast the stages are, next to what the device can do at most. */
typedef struct ct_bench {
    const char *stage, *size;        /* NULL: all of the size's; "thesis" */
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
ct_status ct_tune_bench(char **json, ct_context *context, ct_device *device, const ct_bench *bench,
                        ct_error *err);

/* How much of it; start with `ct_verify_options options = {0}`, which means all of it. */
typedef struct ct_verify_options {
    bool quick;              /* each layout at least once instead of every pair; few tunables */
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
    int64_t cases;    /* of the stage */
    int64_t layouts;  /* pairs of read and write layouts that were tried, over all cases */
    int64_t tunables; /* combinations of tunables */
    int64_t others;   /* tables' layouts, padded rows, accumulation, ports left unconnected */
    int64_t wrong;    /* variants that did not give what the reference gives */
    double worst;     /* largest error relative to the reference's rms */
} ct_verify_report;

ct_status ct_tune_verify_with(ct_context *context, ct_device *device, const char *stage,
                              const ct_verify_options *options, ct_verify_report *report,
                              ct_error *err);

#ifdef __cplusplus
}
#endif
#endif
