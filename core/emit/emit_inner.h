/* emit_inner.h: what the files of the emitter use together.
 * Room: core/emit. Private to emit*.c. */
#ifndef CT_CORE_EMIT_INNER_H
#define CT_CORE_EMIT_INNER_H
#include "access.h"
#include "emit.h"
#include "step.h"

/* One letter of `parallel`: its work-items along it, and how fast it changes within its axis. */
typedef struct ct_span {
    char letter;
    int64_t steps;  /* extent / divisor, rounded up */
    int64_t stride; /* product of the steps of the faster letters of this axis */
} ct_span;

typedef struct ct_axis {
    ct_span span[CT_DIMS];
    int spans;
    int64_t size;  /* product of the steps */
    int64_t local; /* 0: the driver chooses */
    bool given;    /* local stands in `parallel` */
} ct_axis;

typedef struct ct_range {
    ct_axis axis[3];
} ct_range;

/* From `parallel`, or where there is none from the first output's layout. */
ct_status ct_emit_range(ct_range *out, const ct_step *step, ct_error *err);
void ct_emit_ids(ct_text *text, const ct_range *range);
/* From this text, or where it is NULL from this port's layout; whatever the stage's own is. tiled:
 * groups may share the stage's tiles, and all axes have a local size where one has. */
ct_status ct_emit_range_of(ct_range *out, const ct_step *step, int port, const char *parallel,
                           bool tiled, ct_error *err);
/* How many kernels of the stage's have work-items that are known by letters: 0 where its launch()
 * says all; and those of the n-th. */
int ct_emit_range_count(const ct_step *step);
ct_status ct_emit_range_at(ct_range *out, const ct_step *step, int n, ct_error *err);
/* The group's size; where the driver chooses it, nothing. */
void ct_emit_group(ct_text *text, const ct_launch *launch);
/* The stage's own text; before each kernel of several its places. */
ct_status ct_emit_kernels(ct_text *text, const ct_step *step, ct_error *err);
bool ct_emit_range_has(const ct_range *range, char letter);
void ct_emit_range_launch(ct_launch *out, const ct_range *range);

/* Names for what the flags of a port say; nothing where it takes none. */
void ct_emit_flags(ct_text *text, const ct_step *step, int port);
/* Extents, overlap, tunables, parameters: all that is a plain number. precise: reals as double. */
void ct_emit_facts(ct_text *text, const ct_step *step, bool precise);
/* PACK_x and STORE_x; `group` is the number of work-items that share a tile. */
ct_status ct_emit_tiles(ct_text *text, const ct_step *step, int64_t group, ct_error *err);
/* What ct_access_emit needs; letters and aliases are the caller's memory. */
ct_access ct_emit_access(const ct_step *step, int port, char letters[CT_DIMS + 1],
                         char aliases[CT_DIMS + 1]);
/* The last arguments: what a launch does to outputs that accumulate. */
void ct_emit_piece(ct_text *text, const ct_step *step, const char *comma);
bool ct_emit_writes(const ct_step *step, int port); /* in the stage's own kernel */
/* What kernels that fill tables use, for the text of which they are a part; `own`: the places that
 * the stage's own kernel has, NULL none. */
void ct_emit_fills(ct_text *text, const ct_step *step, const ct_range *own);
/* "#line 1 "power.cl"" and the text. */
void ct_emit_text(ct_text *text, const char *name, const char *source);

#endif
