/* verify_inner.h: what the parts of the conformance call share.
 * Room: tuner/verify. */
#ifndef CT_TUNER_VERIFY_INNER_H
#define CT_TUNER_VERIFY_INNER_H
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "description.h"
#include "device.h"
#include "layout.h"
#include "memory.h"
#include "program.h"
#include "step.h"

/* One case of a stage: shapes, inputs and what must come out. */
typedef struct verify_case {
    const ct_case *given;
    int number;                 /* from 1, for messages */
    const ct_description *page; /* whose case it is; NULL: a program's */
    char pointer[32];           /* "/cases/0", there */
    ct_value *params;
    ct_step *step;   /* shapes inferred and extended, test tunables set */
    char input[160]; /* of port 0, for messages: "S=3 P=2 T=65, ci8" */
    ct_array
        port[CT_PORTS]; /* natural order; data of inputs, of tables, and the reference's outputs */
    double rms[CT_PORTS];        /* of outputs */
    bool given_output[CT_PORTS]; /* outputs whose values are the case's own */
    bool unreferenced; /* an output is compared with natural order at default tunables only */
} verify_case;

/* A part of a firing's samples, which a launch adds by itself, and what it should give. */
typedef struct verify_piece {
    int64_t first, end, start; /* see ct_piece */
    ct_array port[CT_PORTS];   /* outputs as the reference has them, in natural order */
} verify_piece;

/* All that differs between two variants of a case. */
typedef struct verify_variant {
    ct_layout layout[CT_PORTS];
    int64_t tunable[CT_TUNABLES];
    int64_t pad, offset;       /* elements: after each row; before the array */
    bool add;                  /* CT_ADD on top of known content */
    const verify_piece *piece; /* NULL: all samples */
    bool bare;                 /* optional outputs not connected */
    unsigned begin; /* ports, a bit each, whose data lie where their memory begins, and not at
                       the offset that the kernel gets: what if it ignores that? */
} verify_variant;

/* Shapes and tunables only, nothing in memory. page: what the stage was read from (NULL: a
 * program's); flags: whether ports with CT_PORT_FLAGS are connected. */
ct_status ct_verify_case_shape(verify_case *out, const ct_stage *stage, const ct_description *page,
                               int number, bool flags, ct_device *device, ct_error *err);
/* And all data. */
ct_status ct_verify_case_new(verify_case *out, const ct_stage *stage, const ct_description *page,
                             int number, bool flags, ct_device *device, ct_error *err);
void ct_verify_case_free(verify_case *one);

/* Numbers of the combinations of tunables to try with these layouts: all legal ones where they are
 * few (or at most `most`), else so many, `most` at most, that any two values of two tunables meet;
 * another `seed` chooses others; -1 where there is no memory for them. `list` is freed with
 * ct_memory_free. */
int64_t ct_verify_tunables(int64_t **list, const ct_step *step, int64_t most, uint64_t seed);
/* Sets the n-th combination; false where it is not legal. */
bool ct_verify_combination(ct_step *step, int64_t n);
/* A well-mixed number, the same each time. */
uint64_t ct_verify_hash(uint64_t a, uint64_t b, uint64_t c);
/* A value for a preloaded output element: small, whole, not negative. */
double ct_verify_preload(int port, int64_t element);

/* Builds, runs and compares one variant. CT_MISMATCH where something is wrong. */
ct_status ct_verify_run(const verify_case *one, const verify_variant *variant, ct_device *device,
                        double *worst, ct_error *err);
/* "fir case 2 (S=3 P=2 T=65, ci8): read SPT write TSPC TILE_T=4" */
void ct_verify_describe(char *out, size_t size, const verify_case *one,
                        const verify_variant *variant);

/* Moves to the front, the first one first, those layouts that a quick call takes where there are
 * many, and returns how many these are: all that the list has of a dimension's places and of
 * neighbours, in both orders, is among them. */
int64_t ct_verify_cover(ct_layout *list, int64_t count);

/* How many layouts the paired ports of a stage's cases had so far, and in how many cases. */
enum { VERIFY_SIMILAR = 16 };
typedef struct verify_similar {
    int64_t reads[VERIFY_SIMILAR], writes[VERIFY_SIMILAR], cases[VERIFY_SIMILAR];
} verify_similar;

/* How many cases before this one had as many layouts on both sides: such cases differ, as far as
 * layouts go, in nothing but types and parameters. */
int64_t ct_verify_similar_before(verify_similar *similar, int64_t reads, int64_t writes);
enum { VERIFY_PIECES = 3 };
/* A call of the conformance test, and the case that it is at. */
typedef struct verify_call {
    const ct_stage *stage;
    const ct_description *page; /* what it was read from; NULL: a program's */
    ct_device *device;
    const ct_verify_options *options;
    ct_verify_report *report;
    ct_error *err;
    verify_case one;
    ct_layout *layouts[CT_PORTS];
    int64_t count[CT_PORTS]; /* 0: not connected */
    int read, write;         /* the ports whose layouts are paired; -1 none */
    int64_t variants;        /* tried so far: makes the other ports' layouts rotate */
    int64_t serial;          /* variants so far over all cases, tried here or by another part */
    verify_similar similar;
    verify_piece piece[VERIFY_PIECES]; /* where sums may begin and end inside a firing */
    int pieces;
    int64_t before;                     /* cases before this one that were like it */
    char split[CT_DIMS * CT_PORTS + 1]; /* dimensions along which it was split already */
} verify_call;

/* Dense but for gaps after each row of the contiguous dimension. */
void ct_verify_pad(ct_array *array, int64_t pad);

/* CT_INVALID where the tunables that the case itself names are legal in none of its layouts; on a
 * GPU our own cases do without them there. */
ct_status ct_verify_legal(const verify_call *call);
/* Sets the variant's layouts; a combination of tunables that they forbid is replaced by the nearest
 * legal one. CT_INVALID: there is none, and *why says so. */
ct_status ct_verify_make_legal(const verify_call *call, verify_variant *variant, ct_text *why);
/* Pieces of the case's samples, where it has a part of a sum that may begin and end anywhere, and
 * has a reference. */
ct_status ct_verify_pieces_make(verify_call *call);
void ct_verify_pieces_free(verify_call *call);
/* Some variants get one of them, in turn; the others have all samples. */
void ct_verify_pieces_give(const verify_call *call, verify_variant *variant);
/* Whether this part of the call tries the next variant. */
bool ct_verify_is_in_part(verify_call *call);
/* Whether what the stage declares that it may be split along is true in this case; each dimension
 * once. And after all cases: whether each was tried. */
ct_status ct_verify_splits(verify_call *call);
ct_status ct_verify_splits_done(verify_call *call);
/* The same of a source, which has no kernel to try: case `number`, from 1 on. */
ct_status ct_verify_source(verify_call *call, int number);
/* All that is tried of the case; the variant without flags; how many layouts a port has (port -1:
 * 1); whether all of it is tried, which a quick call does in the first case of its kind. */
ct_status ct_verify_variants(verify_call *call);
ct_status ct_verify_one_variant(verify_call *call);
int64_t ct_verify_layouts(const verify_call *call, int port);
bool ct_verify_in_full(const verify_call *call);
bool ct_verify_has(const verify_call *call, unsigned flag, ct_direction direction);
/* The n-th layouts of both sides; the other ports' rotate, tables have their first. */
void ct_verify_start(const verify_call *call, verify_variant *variant, int64_t read, int64_t write);
/* Ports with "=X" follow X. */
void ct_verify_follow(const verify_call *call, verify_variant *variant);
/* The same with all other ports in the first of their layouts, and tunables that are legal there.
 */
void ct_verify_plain(const verify_call *call, verify_variant *variant, int64_t read, int64_t write);
/* After wrong results: does the kernel take some order of dimensions for granted? Says so in the
 * report's note. */
void ct_verify_order(verify_call *call);

/* ---- arrays of a case (verify_arrays.c) */

bool ct_verify_given(const verify_case *one, int port);
/* Shapes and types of inputs that are given, before anything is inferred. */
ct_status ct_verify_arrays_shape(verify_case *one, int port, ct_error *err);
/* Once shapes are inferred: a stream's first block is shorter where its overlap is in the array. */
ct_status ct_verify_arrays_infer(verify_case *one, ct_error *err);
/* Into the case's port, which has its shape and memory: an input or an output. */
ct_status ct_verify_arrays_load(verify_case *one, int port, ct_error *err);

/* ---- while a variant runs (verify_run.c, verify_compare.c) */

#define VERIFY_GUARD 256 /* bytes before and after each output that must stay as they are, */
#define VERIFY_GUARD_MOST (1 << 20) /* or two steps along its slowest dimension, up to this */

typedef struct verify_state {
    const verify_case *one;
    const verify_variant *variant;
    ct_device *device;
    ct_step *step;
    ct_program *program;
    ct_buffer mem[CT_PORTS];
    ct_array host[CT_PORTS];        /* as the device has it; data here */
    unsigned char *again[CT_PORTS]; /* outputs of the second firing; NULL: there was none */
    size_t bytes[CT_PORTS];         /* guard included */
    double worst;
} verify_state;

/* Fires the variant once more on other poison. */
ct_status ct_verify_fire_again(verify_state *state, ct_error *err);
/* What the stage writes in natural order at default tunables becomes what the case expects: where
 * it has neither arrays nor a reference. */
ct_status ct_verify_expect_natural(verify_case *one, ct_device *device, ct_error *err);

size_t ct_verify_element(const ct_array *array); /* bytes of one element */
/* What the outputs hold, in natural order, becomes what the case expects; CT_MISMATCH where they
 * have unwritten elements. After a second firing. */
ct_status ct_verify_take_outputs(const verify_state *state, verify_case *one, ct_error *err);
/* Compares every element of all outputs, and every byte around them. */
ct_status ct_verify_compare(verify_state *state, ct_error *err);

#endif
