/* context.c: the stages that are known: the built-in table and what the caller adds.
 * Room: core/step. Knows stages only as descriptors. Does not know which there are. */
#include "context.h"
#include "fail.h"
#include "hold.h"
#include "step.h"
#include "word.h"
#include <ctype.h>
#include <string.h>

extern const ct_stage *const ct_stages[]; /* stages/stages.c; NULL at the end */

struct ct_context {
    ct_hold hold;
    const ct_stage **stages; /* copies */
    size_t count;
    ct_arena *arena;
};

static bool context_is_capitals(const char *name)
{
    if (!isupper((unsigned char)name[0])) return false;
    for (; *name; name++)
        if (!isupper((unsigned char)*name) && !isdigit((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

static ct_status context_check_ports(const ct_stage *stage, ct_error *err)
{
    for (int i = 0; i < CT_PORTS && stage->ports[i].name; i++) {
        const ct_port *port = &stage->ports[i];
        if (!context_is_capitals(port->name))
            return ct_error_add(err, CT_INVALID,
                                "stage %s: port \"%s\": expected a name in capitals, such as \"X\"",
                                stage->name, port->name);
        if (!port->dims || !port->types || !port->layout)
            return ct_error_add(err, CT_INVALID,
                                "stage %s: port %s lacks its dims, types or layout", stage->name,
                                port->name);
    }
    return CT_OK;
}

/* A run reads sources and writes sinks through their first port, and asks for no other. */
static ct_status context_check_role(const ct_stage *stage, ct_error *err)
{
    const ct_role role = ct_role_of_stage(stage);
    const ct_direction first = stage->ports[0].direction;
    if (role == CT_ROLE_KERNEL && first != CT_IN)
        return ct_error_add(err, CT_INVALID,
                            "stage %s: port %s: the first port of a stage with inputs is an input",
                            stage->name, stage->ports[0].name);
    if (role == CT_ROLE_KERNEL || !stage->ports[1].name) return CT_OK;
    return ct_error_add(err, CT_INVALID, "stage %s: port %s: a %s has one port", stage->name,
                        stage->ports[1].name, role == CT_ROLE_SINK ? "sink" : "source");
}

static bool context_is_choice(const ct_param *param, const char *word)
{
    if (param->kind == CT_PARAM_FILE || !param->choices) return true;
    return !word || !strcmp(word, "!") || ct_word_find(param->choices, word) >= 0;
}

static ct_status context_check_params(const ct_stage *stage, ct_error *err)
{
    int count = 0;
    for (const ct_param *p = stage->params; p && p->name; p++, count++)
        if (!context_is_choice(p, p->otherwise))
            return ct_error_add(err, CT_INVALID,
                                "stage %s: parameter \"%s\": the default \"%s\" is not among the "
                                "choices: %s",
                                stage->name, p->name, p->otherwise, p->choices);
    if (count > CT_STEP_PARAMS)
        return ct_error_add(err, CT_INVALID, "stage %s: %d parameters, at most %d are possible",
                            stage->name, count, CT_STEP_PARAMS);
    return CT_OK;
}

static ct_status context_check_tunables(const ct_stage *stage, ct_error *err)
{
    int count = 0;
    for (const ct_tunable *t = stage->tunables; t && t->name; t++, count++)
        if (!context_is_capitals(t->name) || !t->values || !t->cpu || !t->gpu)
            return ct_error_add(err, CT_INVALID,
                                "stage %s: tunable \"%s\": expected a name in capitals, values, "
                                "and defaults for cpu and gpu",
                                stage->name, t->name);
    if (count > CT_TUNABLES)
        return ct_error_add(err, CT_INVALID, "stage %s: %d tunables, at most %d are possible",
                            stage->name, count, CT_TUNABLES);
    return CT_OK;
}

static ct_status context_check_api(const ct_stage *stage, ct_error *err)
{
    static const ct_stage none;
    if (stage->api < CT_API_OLDEST || stage->api > CT_API)
        return ct_error_add(err, CT_INVALID,
                            "stage %s is written for version %u of cornerturn_stage.h, this "
                            "library serves %u to %u: build the stage anew",
                            stage->name, (unsigned)stage->api, CT_API_OLDEST, CT_API);
    if (memcmp(stage->reserved, none.reserved, sizeof none.reserved) != 0)
        return ct_error_add(err, CT_INVALID,
                            "stage %s: its reserved room is not 0; this library, version %s, does "
                            "not know what is there",
                            stage->name, ct_version());
    return CT_OK;
}

static ct_status context_check_stage(const ct_context *context, const ct_stage *stage,
                                     ct_error *err)
{
    ct_status status = CT_OK;
    if (!stage->name || !stage->name[0])
        return ct_error_add(err, CT_INVALID, "a stage without a name cannot be added");
    CT_TRY(context_check_api(stage, err));
    if (ct_context_stage(context, stage->name))
        return ct_error_add(err, CT_INVALID, "there is a stage \"%s\" already: rename one of them",
                            stage->name);
    if (!stage->ports[0].name)
        return ct_error_add(err, CT_INVALID, "stage %s has no ports", stage->name);
    CT_TRY(context_check_ports(stage, err));
    CT_TRY(context_check_role(stage, err));
    CT_TRY(context_check_params(stage, err));
    CT_TRY(context_check_tunables(stage, err));
out:
    return status;
}

ct_status ct_context_open(ct_context **out, ct_error *err)
{
    ct_status status = CT_OK;
    ct_context *context = ct_memory_get(sizeof *context);
    context->arena = ct_arena_new();
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
    ct_arena_free(context->arena);
    ct_memory_free(context->stages);
    ct_memory_free(context);
}

ct_status ct_context_add_stage(ct_context *context, const ct_stage *stage, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(context_check_stage(context, stage, err));
    context->stages =
        ct_memory_grow(context->stages, (context->count + 1) * sizeof *context->stages);
    context->stages[context->count++] = ct_stage_copy(context->arena, stage);
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
