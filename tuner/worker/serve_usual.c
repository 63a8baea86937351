/* serve_usual.c: default plans and their steps, with which all others are compared.
 * Room: tuner/worker. Knows plans and works. Does not know questions. */
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "serve_inner.h"

/* The same nodes, the same block: a default of one is a default of the other. */
static bool usual_same_graph(const ct_graph *a, const ct_graph *b)
{
    bool same = a == b || (a->block == b->block && a->count == b->count);
    for (int n = 0; a != b && same && n < a->count; n++)
        same = strcmp(a->nodes[n].name, b->nodes[n].name) == 0 &&
               a->nodes[n].step->stage == b->nodes[n].step->stage;
    return same;
}

static ct_status base_new(ct_serve_base **out, ct_serve *serve, const ct_graph *graph,
                          ct_error *err)
{
    ct_status status = CT_OK;
    ct_serve_base *base = ct_memory_get(sizeof *base);
    CT_NEED(base, sizeof *base, err);
    CT_TRY(ct_plan_default(&base->plan, graph, serve->device, err));
    base->usual = ct_memory_get(sizeof *base->usual * (size_t)base->plan->count);
    CT_NEED(base->usual, sizeof *base->usual * (size_t)base->plan->count, err);
    *out = base;
    base = NULL;
out:
    ct_serve_base_free(base);
    return status;
}

void ct_serve_base_free(ct_serve_base *base)
{
    if (!base) return;
    for (int s = 0; base->usual && s < base->plan->count; s++) {
        ct_timed_step_free(base->usual[s].work);
        ct_check_free(&base->usual[s].check);
    }
    ct_memory_free(base->usual);
    ct_plan_free(base->plan);
    ct_memory_free(base);
}

ct_status ct_serve_base_get(ct_serve_base **out, ct_serve *serve, const ct_plan *plan,
                            ct_error *err)
{
    ct_status status = CT_OK;
    for (*out = serve->bases; *out; *out = (*out)->next)
        if (usual_same_graph((*out)->plan->graph, plan->graph)) return CT_OK;
    CT_TRY(base_new(out, serve, plan->graph, err));
    (*out)->next = serve->bases;
    serve->bases = *out;
out:
    return status;
}

static ct_status usual_ready(ct_serve_usual *usual, ct_serve *serve, const ct_step *step,
                             bool known, ct_error *err)
{
    ct_status status = CT_OK;
    double seconds;
    serve->word = "compile";
    if (!usual->work)
        CT_TRY(ct_timed_step_build(&usual->work, serve->device, step, &serve->pool, err));
    serve->word = "runtime";
    CT_TRY(ct_timed_step_fill(usual->work, err));
    if (known && !usual->known) CT_TRY(ct_check_take(&usual->check, usual->work, &seconds, err));
    usual->known |= known;
out:
    return status;
}

ct_status ct_serve_usual_get(ct_serve_usual **out, ct_serve *serve, const ct_plan *plan,
                             const ct_plan_step *step, bool known, ct_error *err)
{
    ct_status status = CT_OK;
    ct_serve_base *base;
    ct_error inner = {0};
    int s = 0;
    CT_TRY(ct_serve_base_get(&base, serve, plan, err));
    while (s < base->plan->count && strcmp(base->plan->steps[s].name, step->name) != 0)
        s++;
    if (s == base->plan->count)
        return ct_error_add(err, CT_FAILED, "the default plan has no step \"%s\"", step->name);
    *out = &base->usual[s];
    status = usual_ready(*out, serve, base->plan->steps[s].step, known, &inner);
    if (status != CT_OK)
        status = ct_error_add(err, status, "the default of step \"%s\" fails: %s", step->name,
                              inner.text);
out:
    return status;
}

void ct_serve_make_room(ct_serve *serve)
{
    ct_serve_drop_built(serve);
    ct_timed_step_pool_free(&serve->pool);
    ct_timed_step_pool_free(&serve->copies);
    ct_inputs_trim(serve->inputs, 0);
}
