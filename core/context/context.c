/* context.c: the stages that are known: the built-in table and what the caller adds.
 * Room: core/context. Knows stages only as descriptors. Does not know which there are. */
#include "context.h"
#include "context_inner.h"
#include "fail.h"
#include "step.h"
#include <string.h>

/* stages/stages.c and io/formats.c; NULL at the end. */
extern const ct_stage *const ct_stages[];
extern const ct_stage *const *const ct_format_stages[];

static ct_status context_check_stage(const ct_context *context, const ct_stage *stage,
                                     ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_stage_check(stage, err));
    if (ct_context_stage(context, stage->name))
        return ct_error_add(err, CT_INVALID, "there is a stage \"%s\" already: rename one of them",
                            stage->name);
out:
    return status;
}

static ct_status context_new(ct_context **out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    *out = ct_arena_begin(&arena, sizeof **out);
    CT_NEED(*out, sizeof **out, err);
    (*out)->arena = arena;
out:
    return status;
}

ct_status ct_context_open(ct_context **out, ct_error *err)
{
    CT_GIVEN(err, out);
    *out = NULL;
    ct_status status = CT_OK;
    CT_TRY(context_new(out, err));
    for (const ct_stage *const *stage = ct_stages; *stage; stage++)
        CT_TRY(ct_context_add_stage(*out, *stage, err));
    for (int i = 0; ct_format_stages[i]; i++)
        if (*ct_format_stages[i]) CT_TRY(ct_context_add_stage(*out, *ct_format_stages[i], err));
    return CT_OK;
out:
    ct_context_free(*out);
    *out = NULL;
    return status;
}

ct_status ct_context_branch(ct_context **out, ct_context *parent, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(context_new(out, err));
    (*out)->parent = ct_context_retain(parent);
out:
    return status;
}

ct_context *ct_context_retain(ct_context *context)
{
    ct_refcount_retain(&context->refcount);
    return context;
}

void ct_context_tell(ct_context *context, ct_tell *tell, void *state)
{
    if (!context) return;
    context->tell = tell;
    context->tell_state = state;
}

void ct_context_told(const ct_context *context, ct_doing doing, const char *step, int n, int of)
{
    while (context && !context->tell)
        context = context->parent;
    if (context) context->tell(context->tell_state, doing, step, n, of);
}

void ct_context_free(ct_context *context)
{
    if (!context || !ct_refcount_release(&context->refcount)) return;
    ct_context_close_libraries(context->libraries);
    ct_context_free(context->parent);
    ct_memory_free(context->known);
    ct_arena_free(context->arena);
}

ct_status ct_context_store(ct_context *context, const ct_stage *stage,
                           const ct_description *description, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_memory_grow(&context->known, (context->count + 1) * sizeof *context->known, err));
    const ct_stage *copy = ct_stage_copy(context->arena, stage);
    CT_TRY(ct_arena_check(context->arena, err));
    context->known[context->count++] = (ct_known){.stage = copy, .description = description};
out:
    return status;
}

ct_status ct_context_add_stage(ct_context *context, const ct_stage *stage, ct_error *err)
{
    CT_GIVEN(err, context, stage);
    ct_status status = CT_OK;
    CT_TRY(context_check_stage(context, stage, err));
    CT_TRY(ct_context_store(context, stage, NULL, err));
out:
    return status;
}

static bool is_called(const ct_known *known, const char *name)
{
    return !strcmp(known->stage->name, name) ||
           (known->description && !strcmp(known->description->file, name));
}

const ct_known *ct_context_find(const ct_context *context, const char *name)
{
    for (; context; context = context->parent)
        for (size_t i = 0; i < context->count; i++)
            if (is_called(&context->known[i], name)) return &context->known[i];
    return NULL;
}

const ct_stage *ct_context_stage(const ct_context *context, const char *name)
{
    if (!context || !name) return NULL;
    const ct_known *known = ct_context_find(context, name);
    return known ? known->stage : NULL;
}

static size_t context_count(const ct_context *context)
{
    return context ? context->count + context_count(context->parent) : 0;
}

/* A parent's stages come first. */
const ct_stage *ct_context_stage_at(const ct_context *context, size_t index)
{
    if (!context) return NULL;
    const size_t before = context_count(context->parent);
    if (index < before) return ct_context_stage_at(context->parent, index);
    return index - before < context->count ? context->known[index - before].stage : NULL;
}
