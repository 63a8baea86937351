/* context.c: the stages that are known: the built-in table and what the caller adds.
 * Room: core/step. Knows stages only as descriptors. Does not know which there are. */
#include "context.h"
#include "fail.h"
#include "hold.h"
#include "step.h"
#include <string.h>

extern const ct_stage *const ct_stages[]; /* stages/stages.c; NULL at the end */

struct ct_context {
    ct_hold hold;
    const ct_stage **stages; /* copies */
    size_t count;
    ct_arena *arena;
};

static ct_status context_check_stage(const ct_context *context, const ct_stage *stage,
                                     ct_error *err)
{
    ct_status status = CT_OK;
    if (!stage->name || !stage->name[0])
        return ct_error_add(err, CT_INVALID, "a stage without a name cannot be added");
    CT_TRY(ct_stage_check(stage, err));
    if (ct_context_stage(context, stage->name))
        return ct_error_add(err, CT_INVALID, "there is a stage \"%s\" already: rename one of them",
                            stage->name);
out:
    return status;
}

ct_status ct_context_open(ct_context **out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_context *context = ct_arena_begin(&arena, sizeof *context);
    CT_NEED(context, sizeof *context, err);
    context->arena = arena;
    for (const ct_stage *const *stage = ct_stages; *stage; stage++)
        CT_TRY(ct_context_add_stage(context, *stage, err));
    *out = context;
    return CT_OK;
out:
    ct_context_free(context);
    *out = NULL;
    return status;
}

ct_context *ct_context_hold(ct_context *context)
{
    ct_hold_take(&context->hold);
    return context;
}

void ct_context_free(ct_context *context)
{
    if (!context || !ct_hold_drop(&context->hold)) return;
    ct_memory_free(context->stages);
    ct_arena_free(context->arena);
}

ct_status ct_context_add_stage(ct_context *context, const ct_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(context_check_stage(context, stage, err));
    CT_TRY(ct_memory_grow(&context->stages, (context->count + 1) * sizeof *context->stages, err));
    const ct_stage *copy = ct_stage_copy(context->arena, stage);
    CT_TRY(ct_arena_check(context->arena, err));
    context->stages[context->count++] = copy;
out:
    return status;
}

const ct_stage *ct_context_stage(const ct_context *context, const char *name)
{
    for (size_t i = 0; i < context->count; i++)
        if (!strcmp(context->stages[i]->name, name)) return context->stages[i];
    return NULL;
}

const ct_stage *ct_context_stage_at(const ct_context *context, size_t index)
{
    return index < context->count ? context->stages[index] : NULL;
}
