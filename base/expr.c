/* expr.c: integer expressions of named numbers, by recursive descent over a table of operators.
 * Room: base. Knows arithmetic and where it fails (overflow, division by 0). Does not know what the
 * names mean.
 * Called by: core for `where`, `parallel`, tiles and sizes. */
#include "expr.h"

#include "fail.h"

#include <stdio.h>
#include <string.h>

#define CT_EXPR_NAME 64  /* longest name, with its end */
#define CT_EXPR_DEPTH 64 /* most parentheses inside each other */

typedef struct ct_scan {
    const char *text, *at;
    ct_names names;
    ct_error *err;
    int depth;
    int skip; /* above 0 in the part of && or || that does not count: it may divide by 0 */
} ct_scan;

/* ---------------------------------------------------------------- operators */

/* false: the result does not fit 64 bits, or does not exist. */
typedef bool ct_operation(int64_t a, int64_t b, int64_t *out);

static bool ct_expr_add(int64_t a, int64_t b, int64_t *out)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *out = a + b;
    return true;
}

static bool ct_expr_subtract(int64_t a, int64_t b, int64_t *out)
{
    if (b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b) return false;
    *out = a - b;
    return true;
}

static bool ct_expr_divide(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (b == -1 && a == INT64_MIN)) return false;
    *out = a / b;
    return true;
}

static bool ct_expr_remainder(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0) return false;
    *out = b == -1 ? 0 : a % b;
    return true;
}

static bool ct_expr_multiply(int64_t a, int64_t b, int64_t *out)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    bool negative = (a < 0) != (b < 0);
    uint64_t most = (uint64_t)INT64_MAX + negative;
    if (x != 0 && y > most / x) return false;
    *out = (int64_t)(negative ? 0 - x * y : x * y); /* two's complement, as int64_t is */
    return true;
}

static bool ct_expr_less(int64_t a, int64_t b, int64_t *out)
{
    *out = a < b;
    return true;
}

static bool ct_expr_less_equal(int64_t a, int64_t b, int64_t *out)
{
    *out = a <= b;
    return true;
}

static bool ct_expr_more(int64_t a, int64_t b, int64_t *out)
{
    *out = a > b;
    return true;
}

static bool ct_expr_more_equal(int64_t a, int64_t b, int64_t *out)
{
    *out = a >= b;
    return true;
}

static bool ct_expr_equal(int64_t a, int64_t b, int64_t *out)
{
    *out = a == b;
    return true;
}

static bool ct_expr_differ(int64_t a, int64_t b, int64_t *out)
{
    *out = a != b;
    return true;
}

static bool ct_expr_both(int64_t a, int64_t b, int64_t *out)
{
    *out = a != 0 && b != 0;
    return true;
}

static bool ct_expr_either(int64_t a, int64_t b, int64_t *out)
{
    *out = a != 0 || b != 0;
    return true;
}

typedef struct ct_operator {
    const char *sign;
    int level; /* a higher one binds tighter, as in C */
    ct_operation *apply;
} ct_operator;

#define CT_EXPR_UNARY 6

/* "<=" stands before "<", so that the longer one is found. */
static const ct_operator ct_expr_operators[] = {
    {"||", 0, ct_expr_either},  {"&&", 1, ct_expr_both},       {"==", 2, ct_expr_equal},
    {"!=", 2, ct_expr_differ},  {"<=", 3, ct_expr_less_equal}, {">=", 3, ct_expr_more_equal},
    {"<", 3, ct_expr_less},     {">", 3, ct_expr_more},        {"+", 4, ct_expr_add},
    {"-", 4, ct_expr_subtract}, {"*", 5, ct_expr_multiply},    {"/", 5, ct_expr_divide},
    {"%", 5, ct_expr_remainder}};

/* ---------------------------------------------------------------- scanning */

static const char ct_expr_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

static void ct_expr_space(ct_scan *scan)
{
    scan->at += strspn(scan->at, " \t\r\n");
}

static ct_status ct_expr_fail(const ct_scan *scan, const char *at, const char *expected)
{
    char found[CT_EXPR_NAME] = "its end";
    size_t length = strspn(at, ct_expr_letters);
    if (length == 0) length = 1;
    if (*at != '\0') snprintf(found, sizeof found, "\"%.*s\"", (int)length, at);
    return ct_error_add(scan->err, CT_INVALID,
                        "expression \"%s\", column %d: expected %s, found %s", scan->text,
                        (int)(at - scan->text) + 1, expected, found);
}

static const ct_operator *ct_expr_operator(const ct_scan *scan)
{
    size_t count = sizeof ct_expr_operators / sizeof ct_expr_operators[0];
    for (size_t i = 0; i < count; i++) {
        const char *sign = ct_expr_operators[i].sign;
        if (strncmp(scan->at, sign, strlen(sign)) == 0) return &ct_expr_operators[i];
    }
    return NULL;
}

static ct_status ct_expr_number(ct_scan *scan, int64_t *out)
{
    const char *start = scan->at;
    int64_t value = 0;
    for (; *scan->at >= '0' && *scan->at <= '9'; scan->at++) {
        int digit = *scan->at - '0';
        if (value > (INT64_MAX - digit) / 10)
            return ct_expr_fail(scan, start, "a number below 9223372036854775808");
        value = 10 * value + digit;
    }
    *out = value;
    return CT_OK;
}

static ct_status ct_expr_name(ct_scan *scan, int64_t *out)
{
    const char *start = scan->at;
    char name[CT_EXPR_NAME];
    size_t length = strspn(start, ct_expr_letters);
    if (length == 0) return ct_expr_fail(scan, start, "a number, a name or \"(\"");
    scan->at += length;
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    *out = 0;
    if (length >= sizeof name || scan->names.find == NULL ||
        !scan->names.find(scan->names.of, name, out))
        return ct_expr_fail(scan, start, "the name of a number");
    return CT_OK;
}

/* ---------------------------------------------------------------- evaluating */

static ct_status ct_expr_binary(ct_scan *scan, int level, int64_t *out);

static ct_status ct_expr_group(ct_scan *scan, int64_t *out)
{
    ct_status status = CT_OK;
    scan->at++;
    CT_TRY(ct_expr_binary(scan, 0, out));
    if (*scan->at != ')') CT_TRY(ct_expr_fail(scan, scan->at, "an operator or \")\""));
    scan->at++;
out:
    return status;
}

static ct_status ct_expr_operand(ct_scan *scan, int64_t *out)
{
    ct_status status = CT_OK;
    ct_expr_space(scan);
    const char *start = scan->at;
    if (scan->depth >= CT_EXPR_DEPTH) return ct_expr_fail(scan, start, "fewer parentheses");
    scan->depth++;
    if (*start == '(') {
        CT_TRY(ct_expr_group(scan, out));
    } else if (*start == '-' || *start == '!') {
        scan->at++;
        CT_TRY(ct_expr_operand(scan, out));
        if (*start == '!')
            *out = *out == 0;
        else if (!ct_expr_subtract(0, *out, out))
            CT_TRY(ct_expr_fail(scan, start, "a result that fits 64 bits"));
    } else if (*start >= '0' && *start <= '9') {
        CT_TRY(ct_expr_number(scan, out));
    } else {
        CT_TRY(ct_expr_name(scan, out));
    }
    ct_expr_space(scan);
out:
    scan->depth--;
    return status;
}

/* The right side of && and || is read, but not judged, where the left side decides. */
static ct_status ct_expr_right(ct_scan *scan, const ct_operator *sign, int64_t *value)
{
    ct_status status = CT_OK;
    const char *start = scan->at;
    int64_t right = 0;
    bool decided = (sign->apply == ct_expr_both && *value == 0) ||
                   (sign->apply == ct_expr_either && *value != 0);
    scan->at += strlen(sign->sign);
    scan->skip += decided;
    CT_TRY(ct_expr_binary(scan, sign->level + 1, &right));
    if (!sign->apply(*value, right, value) && scan->skip == 0)
        CT_TRY(ct_expr_fail(scan, start, "a result that exists and fits 64 bits"));
out:
    scan->skip -= decided;
    return status;
}

static ct_status ct_expr_binary(ct_scan *scan, int level, int64_t *out)
{
    ct_status status = CT_OK;
    if (level == CT_EXPR_UNARY) return ct_expr_operand(scan, out);
    CT_TRY(ct_expr_binary(scan, level + 1, out));
    for (;;) {
        const ct_operator *sign = ct_expr_operator(scan);
        if (sign == NULL || sign->level != level) break;
        CT_TRY(ct_expr_right(scan, sign, out));
    }
out:
    return status;
}

ct_status ct_expr_evaluate(int64_t *out, const char *text, ct_names names, ct_error *err)
{
    ct_scan scan = {.text = text, .at = text, .names = names, .err = err};
    *out = 0;
    ct_status status = ct_expr_binary(&scan, 0, out);
    if (status == CT_OK && *scan.at != '\0')
        status = ct_expr_fail(&scan, scan.at, "an operator or the end");
    return status;
}
