/* expr_run.c: evaluates a parsed expression. A search for tunables does little else.
 * Room: base. Does not know the language's text. */
#include "expr_inner.h"

#include <ctype.h>

static ct_status run_fail_name(const ct_op_place *place, ct_error *err)
{
    int length = 0;
    while (isalnum((unsigned char)place->at[length]) || place->at[length] == '_')
        length++;
    return ct_error_add(err, CT_INVALID, "expression \"%s\", column %d: %.*s has no value here",
                        place->text, (int)(place->at - place->text) + 1, length, place->at);
}

static ct_status run_fail_zero(const ct_op_place *place, ct_error *err)
{
    return ct_error_add(err, CT_INVALID, "expression \"%s\", column %d: division by 0", place->text,
                        (int)(place->at - place->text) + 1);
}

/* right: of an operator its right side. Only divisions fail with a 0 there. */
static ct_status run_fail(const ct_expr *expr, int op, int64_t right, ct_error *err)
{
    const ct_op_place *place = &expr->place[op];
    if (!err) return CT_INVALID;
    if (expr->op[op].kind == CT_OP_LOAD) return run_fail_name(place, err);
    if (right == 0) return run_fail_zero(place, err);
    return ct_expr_fail(place->text, place->at, "a result that fits 64 bits", err);
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
            if (!slot->load(of, slot, &stack[++top])) return run_fail(expr, i, 1, err);
        } else if (op->kind == CT_OP_APPLY) {
            top--;
            if (!op->apply(stack[top], stack[top + 1], &stack[top]))
                return run_fail(expr, i, stack[top + 1], err);
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

/* ---- without values */

/* What is jumped over has another value before it. */
static bool is_target(const ct_expr *expr, int op)
{
    for (int i = 0; i < op; i++) {
        const ct_op_kind kind = expr->op[i].kind;
        const bool jumps = kind == CT_OP_BOTH || kind == CT_OP_EITHER || kind == CT_OP_UNLESS ||
                           kind == CT_OP_JUMP;
        if (jumps && expr->op[i].number == op) return true;
    }
    return false;
}

ct_status ct_expr_check(const ct_expr *expr, ct_error *err)
{
    int64_t none;
    for (int i = 1; i < expr->ops; i++) {
        const ct_op *op = &expr->op[i], *right = &expr->op[i - 1];
        if (op->kind != CT_OP_APPLY || right->kind != CT_OP_NUMBER || right->number != 0) continue;
        if (!op->apply(1, 0, &none) && !is_target(expr, i))
            return run_fail_zero(&expr->place[i], err);
    }
    return CT_OK;
}
