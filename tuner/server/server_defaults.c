/* server_defaults.c: default plans and their steps, with which all others are compared.
 * Room: tuner/server. Knows plans and steps that are ready to be timed. Does not know questions. */
#include <string.h>

#include "choose.h"
#include "fail.h"
#include "memory.h"
#include "server_inner.h"

/* The same nodes, the same block: a default of one is a default of the other. */
static bool default_same_graph(const ct_graph *a, const ct_graph *b)
{
    bool same = a == b || (a->block == b->block && a->count == b->count);
    for (int n = 0; a != b && same && n < a->count; n++)
        same = strcmp(a->nodes[n].name, b->nodes[n].name) == 0 &&
               a->nodes[n].step->stage == b->nodes[n].step->stage;
    return same;
}

static ct_status base_new(ct_server_base **out, ct_server *server, const ct_graph *graph,
                          ct_error *err)
{
    ct_status status = CT_OK;
    ct_server_base *base = ct_memory_get(sizeof *base);
    CT_NEED(base, sizeof *base, err);
    CT_TRY(ct_choose_plan(&base->plan, graph, server->device, ct_choose_has_prices(server->device),
                          err));
    base->step = ct_memory_get(sizeof *base->step * (size_t)base->plan->count);
    CT_NEED(base->step, sizeof *base->step * (size_t)base->plan->count, err);
    *out = base;
    base = NULL;
out:
    ct_server_base_free(base);
    return status;
}

void ct_server_base_free(ct_server_base *base)
{
    if (!base) return;
    for (int s = 0; base->step && s < base->plan->count; s++) {
        ct_timed_step_free(base->step[s].timed);
        ct_check_free(&base->step[s].check);
    }
    ct_memory_free(base->step);
    ct_plan_free(base->plan);
    ct_memory_free(base);
}

ct_status ct_server_base_get(ct_server_base **out, ct_server *server, const ct_plan *plan,
                             ct_error *err)
{
    ct_status status = CT_OK;
    for (*out = server->bases; *out; *out = (*out)->next)
        if (default_same_graph((*out)->plan->graph, plan->graph)) return CT_OK;
    CT_TRY(base_new(out, server, plan->graph, err));
    (*out)->next = server->bases;
    server->bases = *out;
out:
    return status;
}

static ct_status default_ready(ct_server_default *own, ct_server *server, const ct_step *step,
                               bool known, ct_error *err)
{
    ct_status status = CT_OK;
    double seconds;
    server->word = "compile";
    if (!own->timed)
        CT_TRY(ct_timed_step_build(&own->timed, server->device, step, &server->pool, err));
    server->word = "runtime";
    CT_TRY(ct_timed_step_fill(own->timed, err));
    if (known && !own->known) CT_TRY(ct_check_take(&own->check, own->timed, &seconds, err));
    own->known |= known;
out:
    return status;
}

ct_status ct_server_default_get(ct_server_default **out, ct_server *server, const ct_plan *plan,
                                const ct_plan_step *step, bool known, ct_error *err)
{
    ct_status status = CT_OK;
    ct_server_base *base;
    ct_error inner = {0};
    int s = 0;
    CT_TRY(ct_server_base_get(&base, server, plan, err));
    while (s < base->plan->count && strcmp(base->plan->steps[s].name, step->name) != 0)
        s++;
    if (s == base->plan->count)
        return ct_error_add(err, CT_FAILED, "the default plan has no step \"%s\"", step->name);
    *out = &base->step[s];
    status = default_ready(*out, server, base->plan->steps[s].step, known, &inner);
    if (status != CT_OK)
        status = ct_error_add(err, status, "the default of step \"%s\" fails: %s", step->name,
                              inner.text);
out:
    return status;
}

void ct_server_make_room(ct_server *server)
{
    ct_server_drop_built(server);
    ct_timed_step_pool_free(&server->pool);
    ct_timed_step_pool_free(&server->copies);
    ct_inputs_trim(server->inputs, 0);
}
