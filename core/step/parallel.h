/* parallel.h: the language of `parallel`, which work-item does what: "C/TILE_C:WG, T, (ROWS)".
 * docs/expressions.md is its grammar.
 * Room: core/step. Knows the text and its expressions. Does not know launches. */
#ifndef CT_CORE_STEP_PARALLEL_H
#define CT_CORE_STEP_PARALLEL_H
#include "cornerturn_stage.h"

/* A letter, perhaps with a divisor; a number of places without a letter; or a local size. */
typedef struct ct_parallel_item {
    int axis;    /* 0 to 2, the fastest first */
    char letter; /* 0: the expression is the number */
    bool local;
    int letter_column, column; /* of the letter, and of the expression; from 1 */
    const char *at;            /* the expression, in the text */
    size_t length;             /* 0: a letter only */
} ct_parallel_item;

enum { CT_PARALLEL_ITEMS = 3 * (CT_DIMS + 1), CT_PARALLEL_EXPRESSION = 256 };

typedef struct ct_parallel {
    ct_parallel_item item[CT_PARALLEL_ITEMS];
    int count;
} ct_parallel;

/* CT_INVALID: "column 7: expected .., found ..", and the items before that. */
ct_status ct_parallel_parse(ct_parallel *out, const char *text, ct_error *err);
/* The expression of an item that has one. */
void ct_parallel_expression(char out[CT_PARALLEL_EXPRESSION], const ct_parallel_item *item);
/* Its value, which is at least 1; 1 where the item has none. CT_INVALID: "column 3: P_N is 0 here,
 * expected at least 1". */
ct_status ct_parallel_value(const ct_step *step, const ct_parallel_item *item, int64_t *value,
                            ct_error *err);

#endif
