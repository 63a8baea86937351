/* cornerturn_stage.h: arrays, parameters, and a stage, a source or a sink of one's own: the public
 * contract of Cornerturn for those who add to it, or look into its arrays. A program that only runs
 * pipelines needs only cornerturn.h.
 *
 * Room: include. Knows cornerturn.h. Does not know OpenCL, JSON libraries, or any stage.
 *
 * A stage is a descriptor, a ct_stage: its ports with their dimensions, its parameters and
 * tunables, a kernel written in coordinates (docs/kernels.md), and functions: infer() gives outputs
 * their shapes where they differ from the first input's, verify.reference() computes the same in
 * double precision. From these the library makes OpenCL text for any layout, and verifies it. A source or
 * a sink has `io` instead: open(), read() or write(), and close(). docs/writing-a-stage.md goes through a
 * larger one. This program adds a stage and verifies it in every layout:
 *
 *     #include <cornerturn_stage.h>
 *     #include <cornerturn_tune.h>
 *     #include <stdio.h>
 *
 *     static const char power_cl[] =
 *         "kernel void power(CT_ARGS)\n"
 *         "{\n"
 *         "    if (CT_OUTSIDE) return;\n"
 *         "    const float2 x = X_LOAD(ID_S, ID_T, ID_C);\n"
 *         "    Y_SAVE(ID_S, ID_T, ID_C, x.x * x.x + x.y * x.y);\n"
 *         "}\n";
 *
 *     static ct_status power_reference(const ct_step *step, ct_array ports[], ct_error *err)
 *     {
 *         (void)step, (void)err;
 *         for (int64_t i = 0; i < ct_array_count(&ports[0]); i++) {
 *             const ct_complex x = ct_array_load(&ports[0], i);
 *             ct_array_save(&ports[1], i, x.re * x.re + x.im * x.im, 0);
 *         }
 *         return CT_OK;
 *     }
 *
 *     static const ct_case power_cases[] = {{NULL, "S=3 T=13 C=7", "ci8", NULL}, {0}};
 *
 *     static const ct_stage power = {
 *         .api = CT_API,
 *         .version = 1,
 *         .name = "my.power",
 *         .summary = "power of every sample",
 *         .ports = {{"X", CT_IN, 0, "STC", "ci8 cf32", "*", NULL, "voltages"},
 *                   {"Y", CT_OUT, 0, "STC", "f32", "*", NULL, "their power"}},
 *         .kernel = {.text = power_cl, .name = "power.cl", .entry = "power", .parallel = "C, T, S"},
 *         .verify = {.cases = power_cases, .tolerance = 1e-6, .reference = power_reference},
 *     };
 *
 *     int main(void)
 *     {
 *         ct_error err = {0};
 *         ct_context *context = NULL;
 *         ct_device *device = NULL;
 *         ct_verify_report report = {.size = sizeof report};
 *         ct_status status = ct_context_open(&context, &err);
 *         if (status == CT_OK) status = ct_context_add_stage(context, &power, &err);
 *         if (status == CT_OK) status = ct_device_open(&device, NULL, &err);
 *         if (status == CT_OK)
 *             status = ct_tune_verify(context, device, power.name, NULL, &report, &err);
 *         if (status == CT_OK)
 *             printf("right in %d pairs of layouts\n", (int)report.layouts);
 *         else
 *             fprintf(stderr, "%s\n", err.text);
 *         ct_device_free(device);
 *         ct_context_free(context);
 *         return status;
 *     }
 */
#ifndef CORNERTURN_STAGE_H
#define CORNERTURN_STAGE_H

#include <stdarg.h>

#include "cornerturn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Versions of this contract: the present one, which a stage names as the one that it was written for,
 * and the oldest one that the library still serves. Structs without a size or reserved room, among
 * them the rows of a stage's tables, stay as they are within a version. */
#define CT_API 1u
#define CT_API_OLDEST 1u

#define CT_PORTS 8    /* most ports of a stage */
#define CT_TUNABLES 24 /* most tunables of a stage */
#define CT_LAUNCHES 4 /* most kernel launches of a step */

/* ---------------------------------------------------------------- types, layouts, arrays (stable) */

#define CT_DIMS 8 /* most dimensions of an array */

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

/* An order of dimensions, slowest first. rank 0 means "not chosen". Dimensions may be split over the
 * ranks of a job: of such a one each rank holds a range. */
typedef struct ct_layout {
    int rank;
    char dim[CT_DIMS + 1]; /* capital letters, terminated */
    uint8_t split;         /* bit k: dim[k] is split */
} ct_layout;

/* Reads "STPC" or "station,time,pol,channel"; a dimension that is split has a '|' after it: "S|TPC".
 * CT_INVALID names the repeated or unknown part. */
CT_EXPORT ct_status ct_layout_parse(ct_layout *out, const char *text, ct_error *err);
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

/* What an index along Q is: a Stokes parameter, or a product of two receptors. The table of all: ct_product_at. */
typedef struct ct_product {
    const char *name; /* "I", "XX", "RL", "AA" */
    const char *kind; /* "Stokes"; "linear", "circular": coherence of receptors X and Y, R and L;
                         "receptors": powers AA and BB of two receptors A and B, CR and CI the real and the
                         imaginary part of conj(A) B, as in PSRFITS */
    int aips;         /* number in UVH5 and UVFITS: I 1, RR -1, XX -5; 0: it has none */
    int casacore;     /* number in a Measurement Set (CORR_TYPE): I 1, RR 5, XX 9; 0: it has none */
} ct_product;

#define CT_PRODUCTS 16 /* most products of an array that have names */
#define CT_PRODUCTS_TEXT 96 /* bytes of their names in a sentence */

/* What polarizations P, and the receptors A and B, are. */
typedef enum ct_feed { CT_FEED_UNKNOWN, CT_FEED_LINEAR, CT_FEED_CIRCULAR, CT_FEEDS } ct_feed;

/* What the indices along Q are, in their order; or what an array without Q is (then there is one). */
typedef struct ct_products {
    int64_t count; /* of an array with another number along Q nothing is known */
    const ct_product *of[CT_PRODUCTS];
    ct_feed feed;            /* of voltages (count 0), of AA, BB, CR, CI */
    const void *reserved[4]; /* 0 */
} ct_products;

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
    const ct_products *products; /* what the indices along Q are, and of which feed; NULL unknown */
} ct_meta;

/* An array: named dimensions in the order in which its port names them ("natural"), and where each
 * lies in memory. Element (i0, i1, ..) is at offset + sum i_k stride[k], in elements. */
struct ct_array {
    ct_type type;
    int rank;
    char dim[CT_DIMS + 1];
    int64_t extent[CT_DIMS];
    int64_t stride[CT_DIMS];
    int64_t offset;
    ct_layout layout; /* the order of the strides; rank 0 while not chosen */
    void *data;       /* the buffer's first byte on the host; NULL where it lives on a device */
    ct_meta meta;
};

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
/* What index q of Q is, 0 where there is no Q; NULL unknown. */
CT_EXPORT const ct_product *ct_array_product(const ct_array *array, int64_t q);
CT_EXPORT ct_feed ct_array_feed(const ct_array *array);
CT_EXPORT const ct_product *ct_product_at(size_t index);       /* NULL at the end */
CT_EXPORT const ct_product *ct_product_find(const char *name); /* NULL where there is none */
CT_EXPORT const char *ct_product_feed(ct_feed feed);              /* "linear"; "" unknown */
/* Reads names with blanks or commas between them, or none: "I Q U V", "XX,XY,YX,YY", "AABBCRCI". The feed
 * stays as it is. CT_INVALID says what is no name. */
CT_EXPORT ct_status ct_products_parse(ct_products *out, const char *text, ct_error *err);
/* "I Q U V", "AA BB of linear receptors". Gives `text`. */
CT_EXPORT const char *ct_products_print(char text[CT_PRODUCTS_TEXT], const ct_products *products);
/* Copies all of `from`: one type of whole bytes, the same dimensions with the same extents in any order,
 * data on the host that do not overlap. Where the two do not match, it copies nothing. */
CT_EXPORT void ct_copy_array(ct_array *to, const ct_array *from);
/* Reads or writes one element of a host array, any type; `element` counts from the buffer's start.
 * Writing to an integer type rounds to nearest and saturates. An array without type or data gives 0
 * and takes nothing. */
CT_EXPORT ct_complex ct_array_load(const ct_array *array, int64_t element);
CT_EXPORT void ct_array_save(ct_array *array, int64_t element, double re, double im);

/* ---------------------------------------------------------------- values: parameters and JSON (stable) */

/* An immutable JSON value. Texts and children live as long as their root. */
typedef struct ct_value ct_value;
typedef enum ct_kind { CT_NULL, CT_BOOL, CT_INT, CT_REAL, CT_TEXT, CT_LIST, CT_OBJECT } ct_kind;

/* Reads a JSON text or file; errors say name:line:column. Release roots only.
 * CT_INVALID: it is no JSON; CT_DATA: the file cannot be read. */
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

/* ---------------------------------------------------------------- text (stable) */

/* Text that grows: what emit() writes into. */
typedef struct ct_text ct_text;
CT_EXPORT void ct_text_add(ct_text *text, const char *format, ...) CT_PRINTF(2, 3);
/* Defines a macro `name`(ORDER) that sorts `count` numbers by ORDER(i, k), i < k, each of which has to put the smaller
 * of two in place i: Batcher's odd-even merge sort (1968), comparison by comparison, as no compiler unrolls its loops.
 * `sorted`: runs of so many, a power of two, are in order already (1). */
CT_EXPORT void ct_text_add_sort(ct_text *text, const char *name, int sorted, int count);

/* Numbers as text and back, the same in every locale, as are ct_text_add and ct_error_add: a program
 * may call the library where a comma stands before the decimals. As strtod, snprintf, vsnprintf. */
CT_EXPORT double ct_number_read(const char *text, char **end);
CT_EXPORT int ct_number_print(char *out, size_t size, const char *format, ...) CT_PRINTF(3, 4);
CT_EXPORT int ct_number_print_args(char *out, size_t size, const char *format, va_list args)
    CT_PRINTF(3, 0);
/* The fewest digits that read back as the same number, for JSON; "null" where it is not finite.
 * `point`: a whole number stays a real one, "3.0". Returns `text`. */
enum { CT_NUMBER_TEXT = 32 };
CT_EXPORT const char *ct_number_shortest(char text[CT_NUMBER_TEXT], double value, bool point);
/* Bytes of the letter (in UTF-8) with which a text begins; 0 at its end, and where it begins with none:
 * with a control character or with bytes that are no UTF-8. For who prints what a file holds. */
CT_EXPORT int ct_text_letter(const char *text);
/* The nearest of `choices` (NULL at the end) to a misspelt word; NULL where none is near. */
CT_EXPORT const char *ct_suggest_nearest(const char *word, const char *const *choices);

/* ---------------------------------------------------------------- stages (stable) */

typedef struct ct_launch ct_launch;
typedef struct ct_step ct_step;

typedef enum ct_direction {
    CT_IN,     /* an edge that comes in; port 0 takes the node's "input" */
    CT_OUT,    /* an edge that goes out; the first one is the node's plain name */
    CT_TABLE,  /* coefficients made by the stage's table(), uploaded once */
    CT_SCRATCH /* device memory between the launches of one step; rows may have gaps between them */
} ct_direction;

enum {
    CT_PORT_OPTIONAL = 1,   /* may stay unconnected: then HAVE_<name> is 0 and it has no argument */
    CT_PORT_FLAGS = 2,      /* u8, not 0 where a sample is flagged: bit 0 (1) where it is missing or
                               left out; bit 1 (2) where it is no part of the stream: before its first
                               valid sample, or after its end; bit 2 (4) alone: a sum, of which a part
                               was left out.
                               An input, dims ST: port 0's samples, flagged where any channel is; dims
                               STC?: channel by channel where port 0's channels are not all flagged
                               together (ct_meta.groups); connected by the run, which adds its own flags
                               where the pipeline connects it. A sink may have one, after its input:
                               see write().
                               An output, dims ST, or S?T where there may be no stations, or T for all
                               alike, and C or C? after them for flags of each channel: joins the run's
                               flags for all that comes after the other outputs; verify allows no error in it */
    CT_PORT_ACCUMULATE = 4, /* output that may accumulate several blocks: where the kernel's CT_ADD is 1
                               it adds to what stands there, else it overwrites */
    CT_PORT_EXACT = 8,      /* output: where its type is an integer, verify allows no error */
    CT_PORT_FIXED = 16,     /* table: shapes follow from what it holds, or the kernel goes by it, so
                               that ct_run_table must not change it */
    CT_PORT_BLOCK = 32,     /* table: filled before each block, not once; ct_run_table must not change it */
    CT_PORT_CARRY = 64      /* with CT_PORT_ACCUMULATE, on all such outputs or none: sums may begin and end
                               inside a firing. The kernel adds only the samples from CT_FIRST to CT_END - 1
                               of port 0's new ones, of which the first has the place CT_START in the stream */
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

/* One list for words and what they mean, so that neither can lack what the other has:
 *   #define WINDOWS(ROW) ROW(hann, window_hann) ROW(rect, window_rect)
 *   static const struct { const char *name; double (*make)(double); } windows[] = {WINDOWS(CT_ROW)};
 * A parameter has the choices CT_WORDS(WINDOWS), and ct_step_choice() is the chosen row's place. */
#define CT_WORD(word, ...) " " #word
#define CT_WORDS(list) (&list(CT_WORD)[1]) /* "hann rect" */
#define CT_ROW(word, ...) {#word, __VA_ARGS__},

typedef struct ct_param {
    const char *name;
    ct_param_kind kind;
    const char *otherwise; /* default as text; NULL: none; "!" : must be given */
    const char *choices;   /* "none mean" for texts, or CT_WORDS(LIST); NULL: free. Of a file: ".json",
                              what is added to its name for another one beside it that belongs to it
                              (x.npy: x.npy.json); "/": a sink makes a folder (ct_step_create_folder) */
    double minimum, maximum; /* for numbers; both 0: any */
    const char *help;
} ct_param;

/* Values are words; a number stands for itself, another word for its place in `values` (and the
 * kernel sees that number). */
typedef struct ct_tunable {
    const char *name;    /* capitals, as the kernel sees it: "TILE_T" */
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
    const char *extents; /* "TILE_C,TILE_T,TILE_S,N_P": one expression per letter of `order` */
    const char *padding; /* "8": elements after each row; "S:8": after all of each S; NULL none */
    const char *type;  /* element type in the tile: "float2", "char2"; converts on the way */
    const char *when;  /* "X_IS_ci8": generated only where this is not 0; NULL always */
} ct_tile;

/* A name for a part of the stage's expressions, which may use it as if its value stood there in
 * parentheses: {"ROWS", "VECTORS_SP * VECTOR_SP", "rows of a block"}. */
typedef struct ct_term {
    const char *name, *value, *help;
} ct_term;

/* How verify tries a stage: parameters, extents of port 0 (T counts one block, overlap not
 * included), its type. Extents should be pairwise coprime. */
typedef struct ct_case {
    const char *params;  /* JSON object text; NULL: {} */
    const char *extents; /* "S=3 P=2 T=65 C=7" */
    const char *type;
    const char *tunables; /* "TILE_T=4 CELL_B=2": small test values; NULL: the defaults */
} ct_case;

typedef enum ct_overlap_kind {
    CT_HISTORY, /* samples before the stream's start are zero and flagged; as many come out as go in */
    CT_VALID    /* outputs that would need samples before the start are dropped */
} ct_overlap_kind;

/* A table that is filled by a kernel of the stage's own text instead of by table(): once, before the
 * first block. The kernel takes CT_ARGS, has ID_x for each letter of the table, one work-item per
 * element, and writes with G_SAVE (float or double). All that the stage's own kernel may use is
 * defined; it touches no other port. */
typedef struct ct_fill {
    const char *port;  /* "G" */
    const char *entry; /* "fill" */
} ct_fill;

/* An array of a case: what verify gives to an input, or expects at an output, in the port's natural
 * order. Dimensions that are optional and absent in the case are absent here. Inputs are a stream's
 * first block: along T they have no overlap where it is CT_HISTORY (nothing comes before), and begin
 * with it where it is CT_VALID. Inputs without an array are random as ever; an output without one is
 * what the reference says, and where there is none either, what the stage itself gives in natural
 * order at default tunables. Where an output is given no samples are flagged but those before the
 * stream. */
typedef struct ct_case_array {
    int number;            /* the case's, from 1 */
    const char *port;      /* "X" */
    const char *file;      /* .npy: of an input in its type (of ci8, ..: int8, .. and a last axis of
                              2), of an output in any; a path as fopen takes it. NULL: */
    const ct_array *array; /* in memory, borrowed as long as anything uses the stage; strides set */
} ct_case_array;

/* One of several kernels that run one after the other, each with places of its own: ID_x, CT_OUTSIDE
 * and CT_GROUP are those of the kernel in whose body they stand. In its `parallel` an expression in
 * parentheses in the place of letters is so many work-items. */
typedef struct ct_stage_launch {
    const char *entry, *parallel; /* "mean", "C:WG, S" */
} ct_stage_launch;

/* A stage with its shapes, layouts, parameters and tunables fixed (as far as they are yet). */
struct ct_step {
    const struct ct_stage *stage;
    const char *name;               /* the node's */
    ct_array port[CT_PORTS];        /* in the order of stage->ports; type CT_NONE: not connected */
    int64_t decimate;               /* set by infer: input samples of T per output sample; 1 */
    int64_t grain;                  /* set by infer: a block brings a multiple of this along T; 1 */
    int64_t overlap;                /* set by infer: earlier input samples of port 0 that a block needs */
    ct_overlap_kind overlap_kind;
    int64_t accumulate;             /* blocks added up in one output (1 unless a port accumulates) */
    int64_t tunable[CT_TUNABLES];   /* in the order of stage->tunables */
    void *native_context, *native_device, *native_queue; /* cl_context, ...; only for prepare() */
    bool gpu;                       /* the device is no CPU */
    void *state;                    /* free for the stage: set in infer() with ct_step_alloc */
    void *inner;                    /* the library's */
};

/* Parameters: what the user gave, else the declared default. */
CT_EXPORT int64_t ct_step_int(const ct_step *step, const char *param);
CT_EXPORT double ct_step_real(const ct_step *step, const char *param);
CT_EXPORT bool ct_step_bool(const ct_step *step, const char *param);
CT_EXPORT const char *ct_step_text(const ct_step *step, const char *param); /* NULL: not given */
/* The text's place among the choices; -1: not given. */
CT_EXPORT int ct_step_choice(const ct_step *step, const char *param);
/* NULL: not given */
CT_EXPORT const ct_value *ct_step_value(const ct_step *step, const char *param);
/* A file, resolved; NULL: not given. */
CT_EXPORT const char *ct_step_path(const ct_step *step, const char *param);
/* Any file of the user's. Of this and of ct_step_path: "" where there is no memory, and then the
 * library says so when the stage's function is done. */
CT_EXPORT const char *ct_step_resolve(ct_step *step, const char *file);
CT_EXPORT ct_array *ct_step_port(ct_step *step, const char *name); /* NULL: no such port */
CT_EXPORT int64_t ct_step_tunable(const ct_step *step, const char *name);
/* The value of an expression in the language of `where`; CT_INVALID says which column is wrong. */
CT_EXPORT ct_status ct_step_evaluate(const ct_step *step, const char *expression, int64_t *out,
                                     ct_error *err);
/* Is an expression true; false also where it has no value. */
static inline bool ct_step_holds(const ct_step *step, const char *condition)
{
    int64_t value = 0;
    return ct_step_evaluate(step, condition, &value, NULL) == CT_OK && value != 0;
}
/* Zeroed; lives as the step. NULL where it cannot be had: then the stage's function returns CT_FAILED,
 * and the library says why. */
CT_EXPORT void *ct_step_alloc(ct_step *step, size_t bytes);
/* In infer(): names as ct_products_parse reads them, for a ct_meta; live as the step. NULL where there is no
 * memory, or a name is none. */
CT_EXPORT const ct_products *ct_step_products(ct_step *step, const char *names, ct_feed feed);
/* In suggest(): a tunable's default here; and the next smaller of its declared values (which ascend)
 * than the present one, 0 where there is none. */
CT_EXPORT void ct_step_suggest(ct_step *step, const char *tunable, int64_t value);
CT_EXPORT int64_t ct_step_next_below(const ct_step *step, const char *tunable);
/* For suggest() and emit(): does the device's compiler take this OpenCL text, and does its
 * `kernel void probe(global int *answer)` write 1? Asked once per device and text. A plan's steps
 * remember the answers of the device that it was made for; false where there was none. A device of a
 * file takes what begins with a line "// needs NAME" and a name in its "accepts". A kernel must
 * do without where the answer is no: plans move between devices. */
CT_EXPORT bool ct_step_device_accepts(const ct_step *step, const char *source);
/* Somebody wants the run to stop: asked in long loops, after which CT_INTERRUPTED is returned. Once
 * true it stays so. */
CT_EXPORT bool ct_step_stopped(const ct_step *step);
/* In infer(): a file that the step reads, or that it will write, where this is not just the one that
 * a parameter of kind CT_PARAM_FILE names: files of a list, derived names, neighbours. `param`: which
 * parameter is to blame for it; `file` resolved, and copied. Pipelines in which a step writes what
 * another one uses are refused. ct_npy_load says it by itself. */
CT_EXPORT void ct_step_reads(ct_step *step, const char *param, const char *file);
CT_EXPORT void ct_step_writes(ct_step *step, const char *param, const char *file);
/* In infer(): this table is filled before each block, as one with CT_PORT_BLOCK is. */
CT_EXPORT void ct_step_updates(ct_step *step, const char *table);
/* In infer() of a source: whether it may wait for data, from a port or a pipe, to say what comes. Where not
 * (`validate`) it says with ct_step_warn what it has not looked at, and returns CT_EOF; then nothing is known
 * of it and of what reads it. Before the first one waits all pipes that sources name are open. */
CT_EXPORT bool ct_step_may_wait(const ct_step *step);
/* In infer() of a source whose data come whether they are read or not, from a port for example: all kernels are
 * built before it is opened. in_s: seconds until its first sample comes; `again`: it would be a later one if
 * shapes were inferred anew (ct_run_build). */
CT_EXPORT void ct_step_live(ct_step *step, double in_s, bool again);
/* In infer(): a file that is open, and stays so until the step is freed: a pipe whose first bytes say what
 * it is. CT_FAILED: there is no memory, and it is closed. */
CT_EXPORT ct_status ct_step_keep_open(ct_step *step, int handle);
/* In infer(): what is valid and hardly meant, or left out, as a sentence for ct_graph_warnings. */
CT_EXPORT void ct_step_warn(ct_step *step, const char *format, ...) CT_PRINTF(2, 3);
/* In a sink's close(complete): what it has found, a line for who ends the run (ct_run_says). Without it that says
 * of which shape it was. */
CT_EXPORT void ct_step_say(const ct_step *step, const char *format, ...) CT_PRINTF(2, 3);
/* A file that a sink makes: see ct_step_create. */
typedef struct ct_output_file {
    int handle;       /* open for writing, and for reading where it is a file; the sink closes it */
    const char *path; /* to open it again after that; lives as the step */
    bool special;     /* a device or a pipe: neither cut nor replaced, what is written is written */
    bool stream;      /* and that in order: there is no going back */
    bool joined;      /* another rank makes the file, and all that is not in this one's ranges */
} ct_output_file;
/* Opens a file that has its name only when the run is done: a new one in the same folder, under a
 * name that nobody else has. When every sink's close(complete) has succeeded the run gives all files
 * of all sinks their names, or none of them; then each name has what it had before. So close() only
 * closes the descriptor, and removes nothing. Symbolic links are followed, a file that is there keeps
 * its mode. CT_DATA: it cannot be written, or another run is writing it. */
CT_EXPORT ct_status ct_step_create(ct_step *step, const char *file, ct_output_file *out, ct_error *err);
/* The same of a folder, which the sink fills: `out->path` is where, `out->handle` open for openat(). A
 * folder that has the name is removed when the new one gets it, with all that is in it: it is the sink
 * that looks whether it may be. In a run that continues it is left as it was found: restore() removes
 * and cuts in it. */
CT_EXPORT ct_status ct_step_create_folder(ct_step *step, const char *file, ct_output_file *out,
                                          ct_error *err);
/* In a sink's close(complete): why not all of the stream has come (ct_run_keep), for who describes what
 * it has made; NULL where all has. Lives as the step. */
CT_EXPORT const char *ct_step_incomplete(const ct_step *step);
/* Adds "file:line:col: /nodes/name/param: sentence" (param NULL: the node). Returns CT_INVALID. */
CT_EXPORT ct_status ct_step_fail(const ct_step *step, const char *param, ct_error *err,
                                 const char *format, ...) CT_PRINTF(4, 5);

/* Reads the whole .npy file that `param` names: type, extents and strides as in the file (Fortran
 * order too), data that live as the step. The file names no dimensions: dim[] stays empty, extent[]
 * is in the order of the file's shape. Errors name the parameter's place and the file. */
CT_EXPORT ct_status ct_npy_load(ct_step *step, const char *param, ct_array *out, ct_error *err);
/* The text of "dims" in the JSON file beside that .npy file (gains.npy: gains.npy.json); NULL if there is
 * none. It lives as the step. */
CT_EXPORT ct_status ct_npy_dims(ct_step *step, const char *param, const char **dims, ct_error *err);
/* Any file, by its path. Errors name the file. */
CT_EXPORT ct_status ct_npy_load_file(ct_step *step, const char *file, ct_array *out,
                                     ct_error *err);

/* What a pipeline's "observation" says. Members are NULL where it says nothing; all live as long as
 * any step of the pipeline. Positions are ITRF, metres. */
typedef struct ct_observation {
    const char *telescope, *source_name;
    int64_t stations; /* 0 where `station` is NULL */
    const double (*station)[3];
    const char *const *names; /* of the stations */
    const double *site;       /* the origin of east, north, up; not said: the stations' mean */
    const double *radec;  /* right ascension and declination of the phase centre, ICRS, degrees */
    const double *dut1_s; /* UT1 - UTC */
    const void *reserved[8]; /* 0 */
} ct_observation;
/* Never NULL: outside a pipeline nothing is said. */
CT_EXPORT const ct_observation *ct_step_observation(const ct_step *step);
/* An ITRF position as seen from the observation's site: metres east, north, up. CT_INVALID and a
 * sentence where no site is known. */
CT_EXPORT ct_status ct_step_local(const ct_step *step, const double itrf[3], double out[3],
                                  ct_error *err);
/* Unit vectors east, north, up at the observation's site towards `count` directions (ICRS right
 * ascension and declination, degrees) at an instant: MJD (UTC) and seconds after it, as start_mjd
 * and start_s of a ct_meta. No refraction, no polar motion; UT1 - UTC is the observation's, 0 where
 * that is not said. Errors: the site or the date is not known (mjd 0), the build is without ERFA.
 */
CT_EXPORT ct_status ct_step_directions(const ct_step *step, double mjd, double seconds,
                                       int64_t count, const double (*radec)[2], double (*out)[3],
                                       ct_error *err);

/* ---------------------------------------------------------------- solutions of a calibration (experimental) */

/* What a calibration has found for each station: one table (soltab) of an H5parm file. All lives as
 * the step. An axis that the table lacks has extent 1, no dimension in `value` and NULL here. */
typedef struct ct_solutions {
    const char *type;            /* what the numbers are, as the file says it: "amplitude", "phase" */
    ct_array value;              /* f64; T, C, S, P in the file's order. NaN: the solution's weight is 0 */
    const double *time_s;        /* MJD (UTC) in seconds, ascending */
    const double *frequency_hz;  /* ascending */
    const char *const *stations; /* names, NULL at the end; so the next */
    const char *const *pols;
    const void *reserved[4];     /* 0 */
} ct_solutions;
/* Reads one table of an H5parm, by the file's path. `solset` NULL: the file's only one, or "sol000";
 * `direction` NULL: the table's only one. Errors name file and place: CT_DATA, where something is
 * missing in it or is not as it has to be, or the library was built without HDF5. */
CT_EXPORT ct_status ct_h5parm_load(ct_step *step, const char *file, const char *solset,
                                   const char *soltab, const char *direction, ct_solutions *out,
                                   ct_error *err);

/* ---------------------------------------------------------------- one range of a dimension, of several ranks (experimental) */

/* In open() of a source or sink that declares `split`: where along `dim` in the whole array port 0 begins,
 * which has the range of it that is to be read or written. 0 where that is all. */
CT_EXPORT int64_t ct_step_range_first(const ct_step *step, char dim);
/* What a port has along `dim` over all ranks, of which this step may have a range; without ranks its extent. In
 * which order a sum is added follows from this one: so its last bits are the same on any number of ranks. */
CT_EXPORT int64_t ct_step_whole_extent(const ct_step *step, const char *port, char dim);
/* Likewise of a sink: port 0 as all ranks together have it, with what is known of it; no strides. */
CT_EXPORT ct_array ct_step_whole(const ct_step *step);
/* In infer(): this step is not split over ranks, whatever its stage declares. `why`, which is copied, is for
 * who asks for it: "\"gather\" is true". */
CT_EXPORT void ct_step_unsplit(ct_step *step, const char *why);
/* In infer() of a source that declares `split` and probes what each of `extent` indices along `dim` is, where
 * each comes to one rank only: which range of them this rank probes, the one that it has when the source is
 * split along `dim` over all ranks; it will be, where the pipeline does not pin another split (then each rank
 * probes all). Without ranks all of them. ct_step_probe_allgather follows it, whatever has failed. */
CT_EXPORT void ct_step_probe_range(ct_step *step, char dim, int64_t extent, int64_t *first, int64_t *count);
/* Each rank has filled its range of `extent` records of so many bytes, and gets the others'. `mine`: CT_OK, or
 * why it could not. All ranks return the same: CT_OK, or what the lowest one that failed did, and its sentences
 * are in `err`. */
CT_EXPORT ct_status ct_step_probe_allgather(ct_step *step, ct_status mine, void *records, size_t bytes,
                                      ct_error *err);

/* ---------------------------------------------------------------- what a stage is: ct_stage (stable) */

/* Of a source or sink, as ct_stage's `traits`: the run may call read() or write() on a thread of its own,
 * so that blocks are read ahead, and written, while others are computed. Calls for one `state` never
 * meet, and open(), seek(), save(), restore() and close() come from the run's user as ever, while none
 * of them is under way. All signals are blocked in that thread, so a call that may wait long looks at
 * ct_step_stopped(). Without it read() and write() come from the thread that calls ct_run_block.
 * CT_STAGE_LEAVES_OUT, of a stage that adds up samples, channels or stations: what is flagged (1) in
 * its port 0 is 0 there when it runs, no matter which stage has written it, so that it adds nothing; its
 * outputs are flagged where nothing was left to be added, and have 4 where a part was.
 *
 * CT_STAGE_KEEPS_FLAGS, of a stage with a history (CT_HISTORY) that gives as many samples as it takes: an output
 * sample has the flags of the input sample at its time, and not those of all that it has looked at.
 *
 * CT_STAGE_GAPLESS, of a source: read() never flags a sample, so that no memory is kept for what would
 * have to be done then.
 *
 * CT_STAGE_MENDS, of a sink: after a write() that failed (a full disk) close(complete) makes a valid file
 * of what the calls before it have given. Of another sink that failed nothing is kept. */
enum {
    CT_STAGE_THREAD = 1,
    CT_STAGE_LEAVES_OUT = 2,
    CT_STAGE_MENDS = 4,
    CT_STAGE_GAPLESS = 8,
    CT_STAGE_KEEPS_FLAGS = 16
};

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

/* The greatest that divides both; the other one where one is 0. */
static inline int64_t ct_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* ---------------------------------------------------------------- strided copies (experimental) */

#define CT_COPY_DIMS (CT_DIMS + 1) /* most dimensions of a copy: an array's, and a word's parts */

/* One dimension of a copy: its extent, and the stride from one index to the next on either side, in
 * words. */
typedef struct ct_copy_dim {
    int64_t extent, from, to;
    bool cut;     /* the copy may end before `extent`: then it is merged into no outer dimension, and
                     is not taken into the word */
    int of;       /* the maker's number for it; a merged one has that of the outermost */
    int64_t each; /* its indices per index of `of`: 1 as added, more once others were merged in */
} ct_copy_dim;

/* A strided copy, bit by bit: word `to` + sum i_k dim[k].to of one side is set to word `from` + sum
 * i_k dim[k].from of the other. Dimensions stand slowest first, in the order in which they are
 * walked; there are none of extent 1. An extent of 0 copies nothing. */
typedef struct ct_copy {
    int rank;
    int word;         /* bytes that move together: a power of two up to 16 */
    int64_t from, to; /* the first word on either side */
    ct_copy_dim dim[CT_COPY_DIMS];
} ct_copy;

/* All of `from` to `to`: one type of whole bytes, the same dimensions in any order. Words are
 * elements; dimensions are in the order of to->dim, and of[] counts through it. Where the two do not
 * match, it copies nothing: its one dimension has extent 0. */
CT_EXPORT ct_copy ct_copy_make(const ct_array *to, const ct_array *from);
/* Adds a dimension after the others; none where its extent is 1. `each` is set here. */
CT_EXPORT void ct_copy_add(ct_copy *copy, ct_copy_dim dim);
CT_EXPORT int64_t ct_copy_count(const ct_copy *copy); /* words */
/* Towards the canonical form. Each leaves what is copied as it is.
 * sort:  slowest first in the memory of `to`, or of `from`.
 * merge: dimensions that continue each other on both sides become one. */
CT_EXPORT void ct_copy_sort(ct_copy *copy, bool by_to);
CT_EXPORT void ct_copy_merge(ct_copy *copy);

/* On the host. `to` and `from` are the buffers' first bytes; they do not overlap. */
CT_EXPORT void ct_copy_run(const ct_copy *copy, void *to, const void *from);
/* `count` words of `word` bytes with strides in words, for those who walk a copy themselves. */
CT_EXPORT void ct_copy_row(void *to, int64_t to_stride, const void *from, int64_t from_stride,
                           int64_t count, int word);
/* Where a walk over a copy's dimensions is; it starts at {.from = copy->from, .to = copy->to}. */
typedef struct ct_copy_place {
    int64_t from, to;
    int64_t index[CT_COPY_DIMS];
} ct_copy_place;
/* The next place along the first `rank` dimensions; after the last, false and back at the start. */
CT_EXPORT bool ct_copy_next(const ct_copy *copy, int rank, ct_copy_place *place);

/* ---------------------------------------------------------------- transposes (experimental) */

/* A copy between two arrays of one type and shape whose dimensions lie in different orders, bit by
 * bit. With group 1 a work-item moves along_from * along_to boxes through registers, with more a
 * group moves one box through local memory. */
typedef struct ct_transpose {
    const ct_array *from, *to;      /* strides set */
    int64_t along_from, along_to;   /* boxes along the fastest dimension of each side */
    int64_t lines;                  /* 1, 2, 4: cache lines that a box fills in a row of the output */
    int64_t group;                  /* work-items of a work-group, a power of two */
    bool nontemporal;               /* stores that fill cache lines bypass the caches */
    bool staged;                    /* group 1: by way of a buffer of all of an item's boxes */
    int64_t reserved[4];            /* 0 */
} ct_transpose;
/* Defines CT_TRANSPOSE_TILE, which a kernel declares first, and the statement
 * CT_TRANSPOSE(from, to).
 * Where the arrays do not match, or a number is below 1, an #error for the compiler to say. */
CT_EXPORT void ct_transpose_emit(ct_text *text, const ct_transpose *transpose);
CT_EXPORT void ct_transpose_launch(ct_launch *out, const ct_transpose *transpose);

/* Its numbers for speed: which there are, which fit together, and which are good. */
typedef struct ct_stage_tuning {
    const ct_tunable *tunables; /* ends at the first without a name; NULL none; so the next one */
    const ct_term *terms;
    const char *where;     /* legal combinations: an expression, see docs/expressions.md; what stands
                              between "&&" is tested one by one, in this order */
    /* Says whether the tunables fit the shapes where `where` cannot say it, for a reason that
     * legal_why gives in a few words; may be NULL. */
    bool (*legal)(const ct_step *);
    const char *legal_why;
    /* Adjusts default tunables to the shapes; may be NULL. */
    void (*suggest)(ct_step *);
    /* A few words that `explain` prints with a step whose tunables are set: where the device lacks what
     * one of them asks for, what runs instead; what a choice saves. NULL, and a function that gives
     * NULL: nothing to say. */
    const char *(*note)(const ct_step *);
} ct_stage_tuning;

/* Its kernels, and how they are launched. */
typedef struct ct_stage_kernel {
    const char *text;      /* OpenCL */
    const char *name;      /* of the text, for messages: "stages/fir/fir.cl" */
    const char *entry;     /* the kernel's name */
    const char *parallel;  /* ND-range: axes split by commas, letters of one axis together, fastest
                              axis first: "C/TILE_C:WG, T, SP" gives ID_C (in steps of TILE_C), ID_T, ... */
    const ct_stage_launch *launches; /* instead of `entry`, `parallel` and launch(): ends at the first
                                        without an entry, CT_LAUNCHES at most; NULL none */
    /* Fills up to CT_LAUNCHES and says how many; NULL: one, from `parallel`. */
    int (*launch)(const ct_step *, ct_launch *);
    /* Adds definitions before the text; may be NULL. */
    ct_status (*emit)(const ct_step *, ct_text *, ct_error *);
    const ct_tile *tiles; /* ends at the first without a name; NULL none */
    const ct_fill *fills; /* ends at the first without a port; NULL none */
} ct_stage_kernel;

/* What is right, and how verify tries it. The reference is a function or a kernel, not both. */
typedef struct ct_stage_verify {
    const ct_case *cases;        /* ends at the first without extents */
    const ct_case_array *arrays; /* ends at the first without a port; NULL none. A case whose extents
                                    are "" takes them, and its type may be NULL then, from port 0's */
    double tolerance;            /* largest error over the reference's rms; 0: exact */
    /* Double precision, obvious. Ports are host arrays in natural order; inputs in their own types
     * with T including the overlap in front, outputs f64 or cf64 and zeroed. */
    ct_status (*reference)(const ct_step *, ct_array ports[], ct_error *);
    /* Kernels that say in double precision what is right. They are compiled with every port in natural
     * order, dense, and in double: X_TYPE, X(..) and X_LOAD(..) are double or double2 whatever the
     * port's type, and Y_SAVE(..) takes these; X_IS_ci8 stays as it is. One launch has one work-item
     * for each place of `parallel`, in the language of the kernel's. */
    const char *text;     /* NULL: no kernel */
    const char *name;     /* "power_ref.cl", for messages; NULL: the stage's kernel's */
    const char *entry;    /* NULL: the only kernel of the text, else the stage's kernel's */
    const char *parallel; /* "C, T, S"; NULL: all letters of the first output */
} ct_stage_verify;

/* Engines that are libraries: where prepare() sets *state, enqueue() replaces the launches. mem[] holds
 * a cl_mem per port, offsets and strides as in the ports. */
typedef struct ct_stage_engine {
    ct_status (*prepare)(ct_step *, void **state, ct_error *);
    ct_status (*enqueue)(void *state, void *queue, void *const mem[], ct_error *);
    void (*release)(void *state);
} ct_stage_engine;

/* Sources and sinks (port 0; a sink's further inputs have no overlap, the T of port 0, and while
 * write() runs their present block in step->port[n].data, unless CT_STAGE_THREAD). */
typedef struct ct_stage_io {
    /* Called when a run starts. */
    ct_status (*open)(ct_step *, void **state, ct_error *);
    /* Fills one block of port 0's shape and layout and sets *got to the samples along T that are real
     * (fewer than the block's end the stream; the run clears the rest; history lies beside the block,
     * so never clear the whole buffer). flags (NULL: not wanted) is u8 [S][T], 1 where missing; where
     * infer() has given port 0 meta.groups it is [S][group][T]. */
    ct_status (*read)(void *state, ct_array *block, uint8_t *flags, int64_t *got, ct_error *);
    /* Takes `count` samples along T from T index `first` of the block; each call continues the one
     * before. Where the sink has a port with CT_PORT_FLAGS the step's port[] of it has the block's
     * flags as an array in `data` meanwhile, which is NULL where nothing is flagged. */
    ct_status (*write)(void *state, const ct_array *block, int64_t first, int64_t count, ct_error *);
    /* Nothing comes any more. complete: what the sink makes is whole now, and fails here where it
     * cannot be; its files have no names yet. Else it is given up. */
    ct_status (*close)(void *state, bool complete, ct_error *);
    /* What it has counted so far (packets that were lost, bytes), as ct_io's count(), with what open()
     * has set. Never called during read() or write(). NULL: nothing is counted. */
    const ct_counter *(*count)(void *state);
    /* For `run --resume`, NULL where a stage cannot: then its pipelines are refused.
     * seek(): a source's next read() begins at this sample along T (at the end at most).
     * save(): a sink has put all that it was given into its files, and points to what else it must
     * remember (bytes 0: nothing), which stays as it is until the next call.
     * restore(): after open(), which has found the files of an earlier run again (ct_step_create).
     * They are then cut to what they had at that run's save(), when `position` samples had come, and
     * write() goes on from there. What they have beyond it is what write() and close() had put there
     * since. */
    ct_status (*seek)(void *state, int64_t position, ct_error *);
    ct_status (*save)(void *state, const void **data, size_t *bytes, ct_error *);
    ct_status (*restore)(void *state, int64_t position, const void *data, size_t bytes, ct_error *);
} ct_stage_io;

/* All of it. What a stage has no use for is left out, and so 0. A kernel's stage has `kernel`, and
 * `verify` says what is right; a source or sink has `io` instead. */
struct ct_stage {
    uint32_t api, version; /* CT_API, and the stage's own: plans of another version do not apply */
    const char *name, *summary;
    unsigned traits;       /* CT_STAGE_THREAD, CT_STAGE_LEAVES_OUT, .. together, or 0 */
    const char *fuses;     /* "beamformer detect": does what these two in a row do, in one pass, with
                              the parameters of both; NULL: an ordinary stage */
    /* What the stage's work may be split along, over the ranks of a job: letters, as in `parallel`, with
     * blanks between them. "S": each range of stations is worked on by itself: every port that has the
     * letter has a range of it, tables and scratch too, and infer() has seen all of it. "+S": likewise,
     * but outputs do not have the letter (along T: have one index), and what ranges give is to be added.
     * "*" (of ports of any dimensions): all. NULL: nothing. ct_tune_verify tries each letter.
     * Of a source, what it can read by itself, never T: from open() on port 0 has a range of each letter
     * and what belongs to it (ct_step_range_first says from where on), and read() gives that, with the
     * flags of these stations, in all groups. How many samples there are must not depend on the range.
     * Without it a rank reads all and takes its part.
     * Of a sink, never T: each rank writes its range (ct_step_range_first, ct_step_whole) into one file, to
     * which ct_step_create leads all of them; where that says `joined` it writes nothing else, and its
     * close() comes before that of the rank that makes the file. Then save() and restore() go to all, and
     * what is saved must not depend on the range. Without it rank 0 gets and writes all. */
    const char *split;

    ct_port ports[CT_PORTS]; /* ends at the first without a name */
    const ct_param *params;  /* ends at the first without a name; NULL none */

    /* Input shapes -> outputs' dims, extents (all but T, which follows from decimate), types, meta;
     * tables' and scratch's shapes; decimate, overlap. Inputs have T without overlap. For a source:
     * its output's everything, T excluded, with meta.total; a layout with rank > 0 is the file's,
     * which an output takes that nothing pins (read() fills any other as well). */
    ct_status (*infer)(ct_step *, ct_error *);
    /* Fills a table, given in natural order; its meta is port 0's, and of one with CT_PORT_BLOCK the
     * start_s that of the block's first sample after the overlap. */
    ct_status (*table)(const ct_step *, const char *port, ct_array *fill, ct_error *);
    /* Asked of optional scratch and tables once layouts and tunables are set, where only some of them
     * need it: false disconnects the port. NULL: all that infer() shaped is needed. */
    bool (*needs)(const ct_step *, int port);
    double (*flops)(const ct_step *); /* useful operations of one block; NULL: 0 */

    ct_stage_tuning tuning;
    ct_stage_kernel kernel;
    ct_stage_verify verify;
    ct_stage_engine engine;
    ct_stage_io io;

    void *of; /* the stage's own, for one that is made while the program runs: every function that has
                 the step finds it at step->stage->of. It must stay as long as anything uses the stage */
    const char *digest; /* SHA-256 of all that the stage was made of, where it comes from files: plans
                           remember it, and are refused where these have changed. NULL: of a program; of
                           a plug-in, whose library's file then counts */
    const void *reserved[4]; /* 0 */
};

/* A shared library with stages, a plug-in (`--library FILE`, ct_context_add_library), has this function.
 * It gives a list of stages with NULL at the end, or NULL where it has none for that version of the
 * contract; it may be asked for several. Descriptors are copied. In C or C++:
 *
 *     static const ct_stage *const stages[] = {&mine, NULL};
 *     CT_PLUGIN const ct_stage *const *ct_plugin(uint32_t api) { return api == CT_API ? stages : NULL; }
 */
#ifdef __cplusplus
#define CT_PLUGIN extern "C" CT_EXPORT
#else
#define CT_PLUGIN CT_EXPORT
#endif
CT_PLUGIN const ct_stage *const *ct_plugin(uint32_t api);

/* ---------------------------------------------------------------- looking at stages and steps (experimental) */

/* The n-th condition of `where`: where it begins, and its length; NULL after the last. */
CT_EXPORT const char *ct_stage_condition(const ct_stage *stage, int n, size_t *length);
/* A node of a graph or a step of a plan, as long as those live: a ct_step. */
CT_EXPORT const char *ct_step_name(const ct_step *step); /* "fir", "fir>CTSP" */
/* Its array: dims, extents, type and meta; in a plan layout and strides too. NULL: no such port. Type
 * CT_NONE: not connected. */
CT_EXPORT const ct_array *ct_step_array(const ct_step *step, const char *port);
/* The n-th node, inputs before those that read them; NULL beyond the last. Its arrays are those of
 * one block, without layouts. */
CT_EXPORT const ct_step *ct_graph_step_at(const ct_graph *graph, size_t n);
/* The n-th step in running order, transposes that were put in included; NULL beyond the last. */
CT_EXPORT const ct_step *ct_plan_step_at(const ct_plan *plan, size_t n);
/* NULL: there is none of this name, nor from a file that was called so. */
CT_EXPORT const ct_stage *ct_context_stage(const ct_context *context, const char *name);
/* NULL at the end */
CT_EXPORT const ct_stage *ct_context_stage_at(const ct_context *context, size_t index);

#ifdef __cplusplus
}
#endif
#endif
