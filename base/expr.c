/* expr.c: parses expressions by recursive descent over tables of operators, into the steps of
 * expr_inner.h.
 * Room: base. Does not know what the names mean. */
#include "expr_inner.h"

#include "fail.h"
#include "memory.h"

#include <stdio.h>
#include <string.h>

enum {
    CT_EXPR_NAME = 64,  /* longest name, with its end */
    CT_EXPR_DEPTH = 64, /* most parentheses and named texts inside each other */
    CT_EXPR_OPS = 4096  /* most steps: texts that name texts double quickly */
};

typedef struct expr_scan {
    const char *text, *at;
    ct_names names;
    ct_error *err;
    int depth, top; /* top: numbers that wait where this step is taken */
    int op_room, slot_room;
    ct_expr *expr;
} expr_scan;

/* ---------------------------------------------------------------- steps */

static ct_status expr_push(expr_scan *scan, const char *at, ct_op op, int grows)
{
    ct_status status = CT_OK;
    ct_expr *expr = scan->expr;
    scan->top += grows;
    if (expr->ops == CT_EXPR_OPS || scan->top >= CT_EXPR_STACK)
        return ct_expr_fail(scan->text, at, "a shorter expression", scan->err);
    if (expr->ops == scan->op_room) {
        scan->op_room = 2 * scan->op_room + 16;
        CT_TRY(ct_memory_grow(&expr->op, (size_t)scan->op_room * sizeof *expr->op, scan->err));
        CT_TRY(
            ct_memory_grow(&expr->place, (size_t)scan->op_room * sizeof *expr->place, scan->err));
    }
    expr->place[expr->ops] = (ct_op_place){scan->text, at};
    expr->op[expr->ops++] = op;
out:
    return status;
}

static ct_status expr_push_slot(expr_scan *scan, const char *at, const ct_slot *slot)
{
    ct_status status = CT_OK;
    ct_expr *expr = scan->expr;
    if (expr->slots == scan->slot_room) {
        scan->slot_room = 2 * scan->slot_room + 8;
        CT_TRY(
            ct_memory_grow(&expr->slot, (size_t)scan->slot_room * sizeof *expr->slot, scan->err));
    }
    expr->slot[expr->slots] = *slot;
    CT_TRY(expr_push(scan, at, (ct_op){CT_OP_LOAD, expr->slots++, NULL}, 1));
out:
    return status;
}

/* ---------------------------------------------------------------- words */

static const char expr_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

static void expr_space(expr_scan *scan)
{
    scan->at += strspn(scan->at, " \t\r\n");
}

ct_status ct_expr_fail(const char *text, const char *at, const char *expected, ct_error *err)
{
    char found[CT_EXPR_NAME] = "its end";
    size_t length = strspn(at, expr_letters);
    if (length == 0) length = 1;
    if (*at != '\0') snprintf(found, sizeof found, "\"%.*s\"", (int)length, at);
    return ct_error_add(err, CT_INVALID, "expression \"%s\", column %d: expected %s, found %s",
                        text, (int)(at - text) + 1, expected, found);
}

static ct_status expr_expected(const expr_scan *scan, const char *at, const char *expected)
{
    return ct_expr_fail(scan->text, at, expected, scan->err);
}

static ct_status expr_sign(expr_scan *scan, char sign, const char *expected)
{
    if (*scan->at != sign) return expr_expected(scan, scan->at, expected);
    scan->at++;
    return CT_OK;
}

static ct_status expr_number(expr_scan *scan)
{
    const char *start = scan->at;
    int64_t value = 0;
    for (; *scan->at >= '0' && *scan->at <= '9'; scan->at++) {
        int digit = *scan->at - '0';
        if (value > (INT64_MAX - digit) / 10)
            return expr_expected(scan, start, "a number below 9223372036854775808");
        value = 10 * value + digit;
    }
    return expr_push(scan, start, (ct_op){CT_OP_NUMBER, value, NULL}, 1);
}

/* ---------------------------------------------------------------- names */

static ct_status expr_choice(expr_scan *scan);

/* As if the text stood here in parentheses. */
static ct_status expr_text(expr_scan *scan, const char *text)
{
    ct_status status = CT_OK;
    const char *outer = scan->text, *after = scan->at;
    scan->text = scan->at = text;
    CT_TRY(expr_choice(scan));
    if (*scan->at != '\0') CT_TRY(expr_expected(scan, scan->at, "an operator or the end"));
out:
    scan->text = outer;
    scan->at = after;
    return status;
}

/* "min(a, b)": the name has been read. */
static ct_status expr_call(expr_scan *scan, const char *start, ct_operation *apply)
{
    ct_status status = CT_OK;
    CT_TRY(expr_sign(scan, '(', "\"(\""));
    CT_TRY(expr_choice(scan));
    CT_TRY(expr_sign(scan, ',', "an operator or \",\""));
    CT_TRY(expr_choice(scan));
    CT_TRY(expr_sign(scan, ')', "an operator or \")\""));
    CT_TRY(expr_push(scan, start, (ct_op){CT_OP_APPLY, 0, apply}, -1));
out:
    return status;
}

static ct_status expr_name(expr_scan *scan)
{
    const char *start = scan->at, *text = NULL;
    char name[CT_EXPR_NAME];
    ct_slot slot = {0};
    size_t length = strspn(start, expr_letters);
    if (length == 0) return expr_expected(scan, start, "a number, a name or \"(\"");
    scan->at += length;
    ct_operation *apply = ct_expr_function(start, length);
    if (apply) return expr_call(scan, start, apply);
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    if (length >= sizeof name || !scan->names.bind ||
        !scan->names.bind(scan->names.of, name, &slot, &text))
        return expr_expected(scan, start, "the name of a number");
    return text ? expr_text(scan, text) : expr_push_slot(scan, start, &slot);
}

/* ---------------------------------------------------------------- operators */

static ct_status expr_operand(expr_scan *scan);

/* "-a" is 0 - a. */
static ct_status expr_unary(expr_scan *scan)
{
    ct_status status = CT_OK;
    const char *start = scan->at++;
    if (*start == '!') {
        CT_TRY(expr_operand(scan));
        CT_TRY(expr_push(scan, start, (ct_op){CT_OP_NOT, 0, NULL}, 0));
    } else {
        CT_TRY(expr_push(scan, start, (ct_op){CT_OP_NUMBER, 0, NULL}, 1));
        CT_TRY(expr_operand(scan));
        CT_TRY(expr_push(scan, start, (ct_op){CT_OP_APPLY, 0, ct_expr_operator("-")->apply}, -1));
    }
out:
    return status;
}

static ct_status expr_group(expr_scan *scan)
{
    ct_status status = CT_OK;
    scan->at++;
    CT_TRY(expr_choice(scan));
    CT_TRY(expr_sign(scan, ')', "an operator or \")\""));
out:
    return status;
}

static ct_status expr_operand(expr_scan *scan)
{
    ct_status status = CT_OK;
    expr_space(scan);
    const char *start = scan->at;
    if (scan->depth >= CT_EXPR_DEPTH)
        return expr_expected(scan, start, "fewer parentheses, or names inside each other");
    scan->depth++;
    if (*start == '(')
        CT_TRY(expr_group(scan));
    else if (*start == '-' || *start == '!')
        CT_TRY(expr_unary(scan));
    else if (*start >= '0' && *start <= '9')
        CT_TRY(expr_number(scan));
    else
        CT_TRY(expr_name(scan));
    expr_space(scan);
out:
    scan->depth--;
    return status;
}

static ct_status expr_binary(expr_scan *scan, int level);

/* The right side of && and || is not evaluated where the left side decides. */
static ct_status expr_logic(expr_scan *scan, const char *start, const ct_operator *sign)
{
    ct_status status = CT_OK;
    const int jump = scan->expr->ops;
    CT_TRY(
        expr_push(scan, start, (ct_op){sign->level == 0 ? CT_OP_EITHER : CT_OP_BOTH, 0, NULL}, -1));
    CT_TRY(expr_binary(scan, sign->level + 1));
    CT_TRY(expr_push(scan, start, (ct_op){CT_OP_TRUTH, 0, NULL}, 0));
    scan->expr->op[jump].number = scan->expr->ops;
out:
    return status;
}

static ct_status expr_right(expr_scan *scan, const ct_operator *sign)
{
    ct_status status = CT_OK;
    const char *start = scan->at;
    scan->at += strlen(sign->sign);
    if (!sign->apply) return expr_logic(scan, start, sign);
    CT_TRY(expr_binary(scan, sign->level + 1));
    CT_TRY(expr_push(scan, start, (ct_op){CT_OP_APPLY, 0, sign->apply}, -1));
out:
    return status;
}

static ct_status expr_binary(expr_scan *scan, int level)
{
    ct_status status = CT_OK;
    if (level == CT_EXPR_UNARY) return expr_operand(scan);
    CT_TRY(expr_binary(scan, level + 1));
    for (;;) {
        const ct_operator *sign = ct_expr_operator(scan->at);
        if (sign == NULL || sign->level != level) break;
        CT_TRY(expr_right(scan, sign));
    }
out:
    return status;
}

/* "condition ? value : value": only the value that counts is evaluated. */
static ct_status expr_choice(expr_scan *scan)
{
    ct_status status = CT_OK;
    CT_TRY(expr_binary(scan, 0));
    if (*scan->at != '?') goto out;
    const int jump = scan->expr->ops;
    CT_TRY(expr_push(scan, scan->at++, (ct_op){CT_OP_UNLESS, 0, NULL}, -1));
    CT_TRY(expr_choice(scan));
    const int over = scan->expr->ops;
    CT_TRY(expr_push(scan, scan->at, (ct_op){CT_OP_JUMP, 0, NULL}, -1));
    CT_TRY(expr_sign(scan, ':', "an operator or \":\""));
    scan->expr->op[jump].number = scan->expr->ops;
    CT_TRY(expr_choice(scan));
    scan->expr->op[over].number = scan->expr->ops;
out:
    return status;
}

/* ---------------------------------------------------------------- expressions */

ct_status ct_expr_new(ct_expr **out, const char *text, ct_names names, ct_error *err)
{
    ct_status status = CT_OK;
    ct_expr *expr = ct_memory_get(sizeof *expr);
    expr_scan scan = {.text = text, .at = text, .names = names, .err = err, .expr = expr};
    CT_NEED(expr, sizeof *expr, err);
    CT_TRY(expr_choice(&scan));
    if (*scan.at != '\0') CT_TRY(expr_expected(&scan, scan.at, "an operator or the end"));
out:
    if (status != CT_OK) {
        ct_expr_free(expr);
        expr = NULL;
    }
    *out = expr;
    return status;
}

void ct_expr_free(ct_expr *expr)
{
    if (!expr) return;
    ct_memory_free(expr->op);
    ct_memory_free(expr->place);
    ct_memory_free(expr->slot);
    ct_memory_free(expr);
}

uint64_t ct_expr_uses(const ct_expr *expr)
{
    uint64_t uses = 0;
    for (int i = 0; i < expr->slots; i++)
        uses |= expr->slot[i].uses;
    return uses;
}

ct_status ct_expr_evaluate(int64_t *out, const char *text, ct_names names, ct_error *err)
{
    ct_status status = CT_OK;
    ct_expr *expr = NULL;
    *out = 0;
    CT_TRY(ct_expr_new(&expr, text, names, err));
    CT_TRY(ct_expr_run(expr, names.of, out, err));
out:
    ct_expr_free(expr);
    return status;
}

size_t ct_expr_until(const char *text, const char *sign)
{
    const size_t length = strlen(sign);
    int depth = 0;
    size_t at = 0;
    for (; text[at]; at++) {
        depth += (text[at] == '(') - (text[at] == ')');
        if (depth == 0 && text[at] == sign[0] && strncmp(text + at, sign, length) == 0) break;
    }
    return at;
}
