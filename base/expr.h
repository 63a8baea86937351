/* expr.h: integer expressions of named numbers: + - * / % ( ) < <= > >= == != && || ! and names.
 * Room: base. Does not know what the names mean. Used by: core (where, parallel, tiles, sizes). */
#ifndef CT_BASE_EXPR_H
#define CT_BASE_EXPR_H
#include "cornerturn.h"

typedef struct ct_names {
    bool (*find)(const void *of, const char *name, int64_t *value);
    const void *of;
} ct_names;

/* CT_INVALID names the column, what stands there, and what was expected. */
ct_status ct_expr_evaluate(int64_t *out, const char *text, ct_names names, ct_error *err);

#endif
