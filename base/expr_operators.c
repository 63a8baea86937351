/* expr_operators.c: the operators and functions of expressions, in tables.
 * Room: base. Knows arithmetic and where it fails (overflow, division by 0). */
#include "expr_inner.h"

#include <string.h>

static bool expr_add(int64_t a, int64_t b, int64_t *out)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return false;
    *out = a + b;
    return true;
}

static bool expr_subtract(int64_t a, int64_t b, int64_t *out)
{
    if (b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b) return false;
    *out = a - b;
    return true;
}

static bool expr_divide(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (b == -1 && a == INT64_MIN)) return false;
    *out = a / b;
    return true;
}

static bool expr_remainder(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0) return false;
    *out = b == -1 ? 0 : a % b;
    return true;
}

static uint64_t expr_magnitude(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

static bool expr_multiply(int64_t a, int64_t b, int64_t *out)
{
    const uint64_t x = expr_magnitude(a), y = expr_magnitude(b);
    const bool negative = (a < 0) != (b < 0);
    const uint64_t most = (uint64_t)INT64_MAX + negative;
    if ((x | y) >> 31 && x != 0 && y > most / x) return false; /* small ones fit, no division */
    *out = (int64_t)(negative ? 0 - x * y : x * y);            /* two's complement, as int64_t is */
    return true;
}

#define RESULT(name, value)                                                                        \
    static bool expr_##name(int64_t a, int64_t b, int64_t *out)                                    \
    {                                                                                              \
        *out = value;                                                                              \
        return true;                                                                               \
    }

RESULT(less, a < b)
RESULT(less_equal, a <= b)
RESULT(more, a > b)
RESULT(more_equal, a >= b)
RESULT(equal, a == b)
RESULT(differ, a != b)
RESULT(min, a < b ? a : b)
RESULT(max, a > b ? a : b)

/* Towards plus infinity: boxes of b that a needs. */
static bool expr_divide_up(int64_t a, int64_t b, int64_t *out)
{
    if (!expr_divide(a, b, out)) return false;
    if (b != -1 && a % b != 0 && (a < 0) == (b < 0)) ++*out;
    return true;
}

/* "<=" stands before "<", so that the longer one is found. */
static const ct_operator expr_operators[] = {{"||", 0, NULL},
                                             {"&&", 1, NULL},
                                             {"==", 2, expr_equal},
                                             {"!=", 2, expr_differ},
                                             {"<=", 3, expr_less_equal},
                                             {">=", 3, expr_more_equal},
                                             {"<", 3, expr_less},
                                             {">", 3, expr_more},
                                             {"+", 4, expr_add},
                                             {"-", 4, expr_subtract},
                                             {"*", 5, expr_multiply},
                                             {"/", 5, expr_divide},
                                             {"%", 5, expr_remainder}};

static const struct {
    const char *name;
    ct_operation *apply;
} expr_functions[] = {{"min", expr_min}, {"max", expr_max}, {"divide_up", expr_divide_up}};

const ct_operator *ct_expr_operator(const char *at)
{
    for (size_t i = 0; i < sizeof expr_operators / sizeof expr_operators[0]; i++) {
        const char *sign = expr_operators[i].sign;
        if (at[0] == sign[0] && (!sign[1] || at[1] == sign[1])) return &expr_operators[i];
    }
    return NULL;
}

ct_operation *ct_expr_function(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof expr_functions / sizeof expr_functions[0]; i++)
        if (strlen(expr_functions[i].name) == length &&
            strncmp(name, expr_functions[i].name, length) == 0)
            return expr_functions[i].apply;
    return NULL;
}
