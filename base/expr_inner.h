/* expr_inner.h: what an expression is once it is parsed: steps on a small stack of numbers.
 * Room: base. Shared by expr.c, which writes the steps, and expr_run.c, which takes them. */
#ifndef CT_BASE_EXPR_INNER_H
#define CT_BASE_EXPR_INNER_H
#include "expr.h"

enum { CT_EXPR_STACK = 128 }; /* most numbers that wait at once */

typedef enum ct_op_kind {
    CT_OP_NUMBER, /* pushes `number` */
    CT_OP_LOAD,   /* pushes what slot `number` loads */
    CT_OP_APPLY,  /* two become one */
    CT_OP_NOT,
    CT_OP_TRUTH,  /* 1 for what is not 0 */
    CT_OP_BOTH,   /* leaves a 0 and jumps to `number`, else drops what stands there */
    CT_OP_EITHER, /* leaves a 1 and jumps if there is no 0, else drops it */
    CT_OP_UNLESS, /* drops a number and jumps where it was 0 */
    CT_OP_JUMP
} ct_op_kind;

/* false: the result does not fit 64 bits, or does not exist. */
typedef bool ct_operation(int64_t a, int64_t b, int64_t *out);

typedef struct ct_op {
    ct_op_kind kind;
    int64_t number;
    ct_operation *apply;
} ct_op;

/* Where a step stands, for messages. */
typedef struct ct_op_place {
    const char *text, *at;
} ct_op_place;

struct ct_expr {
    ct_op *op;
    ct_op_place *place; /* of each op */
    int ops;
    ct_slot *slot;
    int slots;
};

typedef struct ct_operator {
    const char *sign;
    int level; /* a higher one binds tighter, as in C */
    ct_operation *apply;
} ct_operator;

#define CT_EXPR_UNARY 6 /* the level above all operators between two numbers */

/* The operator that stands here, or NULL; and the function of two numbers. */
const ct_operator *ct_expr_operator(const char *at);
ct_operation *ct_expr_function(const char *name, size_t length);

ct_status ct_expr_fail(const char *text, const char *at, const char *expected, ct_error *err);

#endif
