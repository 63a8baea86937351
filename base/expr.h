/* expr.h: integer expressions of named numbers, parsed once and evaluated often.
 * docs/expressions.md is the language.
 * Room: base. Does not know what the names mean. */
#ifndef CT_BASE_EXPR_H
#define CT_BASE_EXPR_H
#include "cornerturn.h"

typedef struct ct_expr ct_expr;

/* Where a name's number comes from, found once by the binder, so that loading is fast. false: here
 * and now there is no such number. */
typedef struct ct_slot ct_slot;
struct ct_slot {
    bool (*load)(const void *of, const ct_slot *slot, int64_t *value);
    int64_t number; /* free for the binder, as are the next two */
    char letter;
    int place[8];
    uint64_t uses; /* a set of the binder's; ct_expr_uses gives that of a whole expression */
};

/* A name stands for a slot, or for another text in parentheses (which must outlive the expression).
 * false: unknown. */
typedef struct ct_names {
    bool (*bind)(const void *of, const char *name, ct_slot *slot, const char **text);
    const void *of;
} ct_names;

/* CT_INVALID names the column, what stands there, and what was expected. `text` must outlive the
 * expression; `names` need not. */
ct_status ct_expr_new(ct_expr **out, const char *text, ct_names names, ct_error *err);
/* Changes nothing: threads may share an expression. `of` is what slots load from. CT_INVALID where
 * a name has no value or a result does not exist. */
ct_status ct_expr_run(const ct_expr *expr, const void *of, int64_t *out, ct_error *err);
/* CT_INVALID where it divides by the number 0, whatever its names stand for. */
ct_status ct_expr_check(const ct_expr *expr, ct_error *err);
uint64_t ct_expr_uses(const ct_expr *expr);
void ct_expr_free(ct_expr *expr);

/* All three at once, for what is asked once. */
ct_status ct_expr_evaluate(int64_t *out, const char *text, ct_names names, ct_error *err);

/* How far the text goes before the first of these signs ("&&", ",") outside parentheses. */
size_t ct_expr_until(const char *text, const char *sign);

#endif
