/* verify_stage.c: the conformance call: which cases are tried, and what is reported.
 * Room: tuner/verify. Knows cases. Does not know what is tried of one, or how a variant is run. */
#include "context.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fail.h"
#include "struct_version.h"
#include "suggest.h"
#include "text.h"
#include "verify_inner.h"
#include <string.h>

/* ---- cases */

/* CT_EOF: not in the layout that is asked for, as where a dimension is optional. */
static ct_status verify_ports(verify_call *call)
{
    const ct_step *step = call->one.step;
    call->read = call->write = -1;
    call->variants = 0;
    for (int i = 0; i < ct_step_ports(step); i++) {
        ct_direction direction = step->stage->ports[i].direction;
        const char *only = NULL;
        if (step->port[i].type == CT_NONE || step->port[i].rank == 0) continue;
        if (direction == CT_IN && call->read < 0) {
            call->read = i;
            only = call->options->read;
        } else if (direction == CT_OUT && call->write < 0) {
            call->write = i;
            only = call->options->write;
        }
        call->count[i] = ct_step_layouts(&call->layouts[i], step, i, only);
        if (call->count[i] < 0) return ct_memory_fail(0, call->err);
        if (!call->count[i] && only) return CT_EOF;
        if (!call->count[i])
            return ct_error_add(call->err, CT_USAGE, "stage %s: port %s cannot have layout %s",
                                step->stage->name, step->stage->ports[i].name,
                                step->stage->ports[i].layout);
    }
    return CT_OK;
}

static void verify_end_case(verify_call *call)
{
    ct_verify_case_free(&call->one);
    ct_verify_pieces_free(call);
    for (int i = 0; i < CT_PORTS; i++) {
        ct_memory_free(call->layouts[i]);
        call->layouts[i] = NULL;
        call->count[i] = 0;
    }
}

/* Without flags one variant is enough: all else was tried with them. A quick call leaves them out
 * of every other case instead. */
static ct_status verify_unflagged(verify_call *call, int number)
{
    ct_status status = CT_OK;
    CT_TRY(ct_verify_case_new(&call->one, call->stage, call->page, number, false, call->device,
                              call->err));
    CT_TRY(verify_ports(call));
    CT_TRY(ct_verify_one_variant(call));
out:
    verify_end_case(call);
    return status;
}

/* What outputs are given holds for samples that are all there. */
static bool verify_is_given(const verify_call *call)
{
    for (int i = 0; i < CT_PORTS; i++)
        if (call->one.given_output[i]) return true;
    return false;
}

static ct_status verify_one_case(verify_call *call, int number)
{
    ct_status status = CT_OK;
    const int64_t wrong = call->report->wrong;
    bool flags = !call->options->quick || number % 2;
    CT_TRY(ct_verify_case_new(&call->one, call->stage, call->page, number, flags, call->device,
                              call->err));
    CT_TRY(verify_ports(call));
    CT_TRY(ct_verify_legal(call));
    CT_TRY(ct_verify_pieces_make(call));
    call->report->unreferenced += call->one.unreferenced;
    call->before = ct_verify_similar_before(&call->similar, ct_verify_layouts(call, call->read),
                                            ct_verify_layouts(call, call->write));
    status = ct_verify_variants(call);
    /* Of what is wrong as a whole parts say nothing. */
    if (status == CT_OK && call->report->wrong == wrong) status = ct_verify_splits(call);
    if (call->report->wrong > wrong && !call->report->note[0]) ct_verify_order(call);
    if (status != CT_OK) goto out;
    const bool again = flags && !verify_is_given(call) && ct_verify_in_full(call) &&
                       ct_verify_has(call, CT_PORT_FLAGS, CT_IN);
    verify_end_case(call);
    if (again) CT_TRY(verify_unflagged(call, number));
out:
    verify_end_case(call);
    return status;
}

static ct_status verify_check_stage(const ct_stage *stage, ct_error *err)
{
    if (stage->verify.cases && stage->verify.cases[0].extents) return CT_OK;
    return ct_error_add(err, CT_USAGE, "stage %s cannot be verified: it has no cases", stage->name);
}

static ct_status verify_check_cases(const verify_call *call)
{
    const char *read = call->options->read, *write = call->options->write;
    if (call->report->cases > 0) return CT_OK;
    return ct_error_add(call->err, CT_USAGE, "stage %s has no case with the layout%s%s%s%s",
                        call->stage->name, read ? " of its input " : "", read ? read : "",
                        write ? " of its output " : "", write ? write : "");
}

static ct_status verify_fail_name(const ct_context *context, const char *name, ct_error *err)
{
    const char *names[128] = {NULL};
    char near[CT_SUGGEST_SAY];
    const ct_stage *stage;
    for (size_t i = 0; i < 127 && (stage = ct_context_stage_at(context, i)); i++)
        names[i] = stage->name;
    return ct_error_add(err, CT_USAGE, "there is no stage \"%s\"%s", name,
                        ct_suggest_say(near, name, names));
}

ct_status ct_tune_verify(ct_context *context, ct_device *device, const char *stage,
                         const ct_verify_options *options, ct_verify_report *report, ct_error *err)
{
    CT_GIVEN(err, context, device, stage);
    static const ct_struct_version how = CT_STRUCT_VERSION(ct_verify_options, quick);
    static const ct_struct_version what = CT_STRUCT_VERSION(ct_verify_report, wrong);
    ct_verify_options own = {.size = sizeof own};
    ct_verify_report found = {0};
    verify_call call = {.device = device, .options = &own, .report = &found, .err = err};
    ct_status status = options ? ct_struct_take(&own, &how, options, err) : CT_OK;
    if (status == CT_OK && report) status = ct_struct_give(report, &what, &found, err);
    if (status == CT_OK) status = ct_device_check(device, err);
    if (status != CT_OK) return status;
    call.stage = ct_context_stage(context, stage);
    if (!call.stage) return verify_fail_name(context, stage, err);
    call.page = ct_context_description(context, call.stage);
    CT_TRY(verify_check_stage(call.stage, err));
    const bool source = ct_role_of_stage(call.stage) == CT_ROLE_SOURCE;
    for (int i = 0; call.stage->verify.cases[i].extents; i++) {
        status = source ? ct_verify_source(&call, i + 1) : verify_one_case(&call, i + 1);
        found.cases += status != CT_EOF;
        if (status != CT_EOF) CT_TRY(status);
    }
    CT_TRY(verify_check_cases(&call));
    const bool every_case = !own.read && !own.write;
    if (!found.wrong && every_case) CT_TRY(ct_verify_splits_done(&call));
    if (found.wrong) status = CT_MISMATCH;
out:
    if (report) (void)ct_struct_give(report, &what, &found, NULL);
    return status;
}
