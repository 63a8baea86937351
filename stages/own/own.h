/* own.h: a stage of a user's own: a page of JSON and a kernel. What its functions need of the page.
 * Room: stages/own. Knows cornerturn_stage.h and JSON's places. Does not know steps, graphs or
 * OpenCL. Order: read.c goes through the page by the tables of keys in ports.c, params.c, rows.c;
 * own_text.c brings the kernel; infer.c, group.c and tables.c are the stage's functions. */
#ifndef CT_OWN_H
#define CT_OWN_H
#include "cornerturn_stage.h"
#include "description.h"

/* "T": "P_SUM" of `group` and `extents`. */
typedef struct ct_own_amount {
    char letter;
    const char *value, *pointer;
} ct_own_amount;

/* "cf32": "ci8" of an output's types. */
typedef struct ct_own_type {
    ct_type from, to;
} ct_own_type;

typedef struct ct_own_port {
    const ct_own_type *types; /* by the first port's; end at the first of CT_NONE; NULL none */
    const ct_own_amount *group, *extents; /* end at the first without a letter; NULL none */
    const char *from;                     /* a table's parameter; NULL none */
} ct_own_port;

typedef struct ct_own_rule {
    const char *that, *param, *say, *pointer;
} ct_own_rule;

/* ct_stage.of of such a stage. */
typedef struct ct_own {
    ct_description description;
    ct_own_port port[CT_PORTS];
    const ct_own_rule *rules; /* end at the first without `that`; NULL none */
    const char *overlap;      /* an expression; NULL: 0 */
    const char *grain;        /* an expression; NULL: 1 */
    ct_overlap_kind overlap_kind;
    const char *flops; /* an expression; NULL: 0 */
} ct_own;

static inline const ct_own *ct_own_of(const ct_step *step)
{
    return step->stage->of;
}

ct_description_read ct_own_read;

/* infer.c: the stage's functions. */
ct_status ct_own_infer(ct_step *step, ct_error *err);
double ct_own_flops(const ct_step *step);
/* The value of an expression of the page; CT_INVALID says its place, and where it is below `least`.
 */
ct_status ct_own_value(ct_step *step, const char *pointer, const char *expression, int64_t least,
                       int64_t *out, ct_error *err);

/* group.c: what averages of `n` neighbours along a letter mean for an output's frequencies and so
 * on; n 0: the output has no such dimension any more. CT_FAILED: no memory. */
ct_status ct_own_group(ct_step *step, int port, char letter, int64_t n);

/* tables.c: tables whose numbers stand in a file that a parameter names. */
ct_status ct_own_table_infer(ct_step *step, int port, ct_error *err);
ct_status ct_own_table(const ct_step *step, const char *port, ct_array *fill, ct_error *err);

#endif
