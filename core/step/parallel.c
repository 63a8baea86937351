/* parallel.c: reads `parallel` into its items.
 * Room: core/step. Knows the text and its expressions. Does not know launches. */
#include "parallel.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "expr.h"
#include "fail.h"

typedef struct parallel_scan {
    const char *text, *at; /* all of it, and the rest */
    ct_parallel *out;
    int axis, spans; /* spans: of this axis so far */
    ct_error *err;
} parallel_scan;

static ct_status parallel_fail(const parallel_scan *scan, const char *expected)
{
    enum { QUOTE = 40 };
    const bool all = strlen(scan->at) <= QUOTE;
    char found[QUOTE + 8] = "its end";
    if (*scan->at) snprintf(found, sizeof found, "\"%.*s%s\"", QUOTE, scan->at, all ? "" : "..");
    return ct_error_add(scan->err, CT_INVALID, "column %d: expected %s, found %s",
                        (int)(scan->at - scan->text) + 1, expected, found);
}

static void parallel_blanks(parallel_scan *scan)
{
    scan->at += strspn(scan->at, " ");
}

/* A number, a name, or an expression in parentheses. */
static size_t parallel_operand(const char *at)
{
    size_t length = 0;
    int depth = 0;
    if (*at != '(') {
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        return length;
    }
    do {
        depth += at[length] == '(' ? 1 : at[length] == ')' ? -1 : 0;
        length += at[length] != 0;
    } while (depth > 0 && at[length]);
    return length;
}

/* The expression that stands here, `length` long (0: one may not be left out). */
static ct_status parallel_add(parallel_scan *scan, ct_parallel_item item, size_t length)
{
    if (length == 0 || length >= CT_PARALLEL_EXPRESSION)
        return parallel_fail(scan, "a number, a tunable or an expression");
    item.axis = scan->axis;
    item.column = (int)(scan->at - scan->text) + 1;
    item.at = scan->at;
    item.length = length;
    scan->out->item[scan->out->count++] = item;
    scan->at += length;
    parallel_blanks(scan);
    return CT_OK;
}

static ct_status parallel_span(parallel_scan *scan)
{
    if (scan->spans == CT_DIMS) return parallel_fail(scan, "fewer parts along one axis");
    scan->spans++;
    if (*scan->at == '(')
        return parallel_add(scan, (ct_parallel_item){0}, parallel_operand(scan->at));
    if (!isupper((unsigned char)*scan->at)) return parallel_fail(scan, "a dimension's letter");
    ct_parallel_item item = {.letter = *scan->at, .axis = scan->axis};
    item.letter_column = (int)(++scan->at - scan->text);
    if (*scan->at == '/') {
        scan->at++;
        return parallel_add(scan, item, parallel_operand(scan->at));
    }
    scan->out->item[scan->out->count++] = item;
    parallel_blanks(scan);
    return CT_OK;
}

static ct_status parallel_axis(parallel_scan *scan)
{
    ct_status status = CT_OK;
    scan->spans = 0;
    parallel_blanks(scan);
    while (*scan->at && *scan->at != ',' && *scan->at != ':')
        CT_TRY(parallel_span(scan));
    if (*scan->at == ':') {
        scan->at++;
        CT_TRY(parallel_add(scan, (ct_parallel_item){.local = true}, ct_expr_until(scan->at, ",")));
    }
out:
    return status;
}

ct_status ct_parallel_parse(ct_parallel *out, const char *text, ct_error *err)
{
    ct_status status = CT_OK;
    parallel_scan scan = {.text = text, .at = text, .out = out, .err = err};
    out->count = 0;
    for (;; scan.axis++) {
        CT_TRY(parallel_axis(&scan));
        if (!*scan.at) break;
        if (scan.axis == 2) return parallel_fail(&scan, "at most three axes");
        scan.at++;
    }
out:
    return status;
}

void ct_parallel_expression(char out[CT_PARALLEL_EXPRESSION], const ct_parallel_item *item)
{
    memcpy(out, item->at, item->length);
    out[item->length] = 0;
}

ct_status ct_parallel_value(const ct_step *step, const ct_parallel_item *item, int64_t *value,
                            ct_error *err)
{
    char expression[CT_PARALLEL_EXPRESSION];
    ct_error why = {0};
    *value = 1;
    if (item->length == 0) return CT_OK;
    ct_parallel_expression(expression, item);
    const ct_status status = ct_step_evaluate(step, expression, value, &why);
    if (status != CT_OK) return ct_error_add(err, status, "column %d: %s", item->column, why.text);
    if (*value >= 1) return CT_OK;
    return ct_error_add(err, CT_INVALID, "column %d: %s is %lld here, expected at least 1",
                        item->column, expression, (long long)*value);
}
