/* plan_source.c: the complete OpenCL source of a plan, step after step.
 * Room: core/plan. Knows plans. Does not know how a step's source is made. */
#include "emit.h"
#include "fail.h"
#include "plan.h"
#include "text.h"

ct_status ct_plan_source(char **out, const ct_plan *plan, ct_error *err)
{
    CT_GIVEN_OUT(err, out, plan);
    ct_status status = CT_OK;
    ct_text text = {0};
    for (int s = 0; s < plan->count; s++) {
        if (!plan->steps[s].step->stage->kernel.text) continue;
        ct_text_add(&text, "/* ==== step %s ==== */\n", plan->steps[s].name);
        CT_TRY(ct_emit_source(&text, plan->steps[s].step, err));
        ct_text_add(&text, "\n");
    }
    CT_TRY(ct_text_take(out, &text, err));
out:
    ct_text_free(&text);
    return status;
}
