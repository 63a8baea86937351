/* expr_run.c: evaluates a parsed expression. A search for tunables does little else.
 * Room: base. Does not know the language's text. */
#include "expr_inner.h"

static ct_status run_fail(const ct_expr *expr, int op, ct_error *err)
{
    const ct_op_place *place = &expr->place[op];
    const char *expected = expr->op[op].kind == CT_OP_LOAD
                               ? "the name of a number"
                               : "a result that exists and fits 64 bits";
    if (!err) return CT_INVALID;
    return ct_expr_fail(place->text, place->at, expected, err);
}

/* Each op finds its numbers on the stack: expr_push has counted them, which an analyzer cannot see
 * from here and tests/fuzz/fuzz_expression.c tries. */
/* NOLINTBEGIN(clang-analyzer-core.*) */

/* What does not move numbers: tests of the stack's top. Gives the next op's number. */
static int run_jump(const ct_op *op, int64_t *stack, int *top, int next)
{
    switch (op->kind) {
    case CT_OP_NOT:
        stack[*top] = stack[*top] == 0;
        return next;
    case CT_OP_TRUTH:
        stack[*top] = stack[*top] != 0;
        return next;
    case CT_OP_BOTH:
        if (stack[*top] == 0) return (int)op->number;
        break;
    case CT_OP_EITHER:
        if (stack[*top] == 0) break;
        stack[*top] = 1;
        return (int)op->number;
    case CT_OP_UNLESS:
        return stack[(*top)--] == 0 ? (int)op->number : next;
    default:
        return (int)op->number;
    }
    --*top;
    return next;
}

ct_status ct_expr_run(const ct_expr *expr, const void *of, int64_t *out, ct_error *err)
{
    int64_t stack[CT_EXPR_STACK];
    int top = -1;
    *out = 0;
    for (int i = 0; i < expr->ops;) {
        const ct_op *op = &expr->op[i];
        if (op->kind == CT_OP_NUMBER) {
            stack[++top] = op->number;
        } else if (op->kind == CT_OP_LOAD) {
            const ct_slot *slot = &expr->slot[op->number];
            if (!slot->load(of, slot, &stack[++top])) return run_fail(expr, i, err);
        } else if (op->kind == CT_OP_APPLY) {
            top--;
            if (!op->apply(stack[top], stack[top + 1], &stack[top])) return run_fail(expr, i, err);
        } else {
            i = run_jump(op, stack, &top, i + 1);
            continue;
        }
        i++;
    }
    *out = stack[0];
    return CT_OK;
}

/* NOLINTEND(clang-analyzer-core.*) */
