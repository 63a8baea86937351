/* step_values.c: whether the expressions of a stage that was read from a file have values in a
 * step with its shapes, layouts and tunables: what is not needed before a kernel is written, or
 * only to count. Room: core/step. Knows places of expressions. Does not know what they are for. */
#include "fail.h"
#include "parallel.h"
#include "step.h"

static ct_status check_number(const ct_step *step, const ct_said *said, ct_error *why)
{
    ct_status status = CT_OK;
    int64_t value = 0;
    CT_TRY(ct_step_evaluate(step, said->text, &value, why));
    if (value < said->least)
        status = ct_error_add(why, CT_INVALID, "%s is %lld here, expected at least %lld",
                              said->text, (long long)value, (long long)said->least);
out:
    return status;
}

static ct_status check_parallel(const ct_step *step, const ct_said *said, ct_error *why)
{
    ct_status status = CT_OK;
    ct_parallel parsed;
    int64_t value;
    CT_TRY(ct_parallel_parse(&parsed, said->text, why));
    for (int i = 0; i < parsed.count; i++)
        CT_TRY(ct_parallel_value(step, &parsed.item[i], &value, why));
out:
    return status;
}

static ct_status check_one(const ct_step *step, const ct_description *page, const ct_said *said,
                           ct_error *err)
{
    char place[1024];
    ct_error why = {0};
    const ct_status status = said->kind == CT_SAID_PARALLEL ? check_parallel(step, said, &why)
                                                            : check_number(step, said, &why);
    if (status != CT_INVALID) return ct_error_pass(err, status, &why);
    ct_description_place(place, sizeof place, page, said->pointer, false);
    return ct_step_fail(step, NULL, err, "%s: %s", place, why.text);
}

ct_status ct_step_check_values(const ct_step *step, const ct_description *page, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_said *said = page ? page->expressions : NULL;
    for (; said && said->text && status != CT_FAILED; said++) {
        if (said->kind < CT_SAID_COUNT) continue;
        const ct_status one = check_one(step, page, said, err);
        if (one != CT_OK) status = one;
    }
    return status;
}
