/* plan_find.c: a port of a plan by the name that the pipeline gives it.
 * Room: core/plan. Knows what is fused into what. Does not know runs. */
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "fuse.h"
#include "memory.h"
#include "plan.h"
#include "suggest.h"
#include "text.h"

/* Whether the step does the node's work, fused with its own. */
static bool find_is_fused(const ct_plan *plan, const ct_step *step, const char *node)
{
    const ct_value *names = ct_fuse_names(plan->graph, step->name);
    for (size_t i = 0; i < ct_value_count(names); i++)
        if (strcmp(ct_value_text(ct_value_at(names, i), ""), node) == 0) return true;
    return false;
}

/* The node's step, else the one that it is fused into; -1: there is none. */
static int find_step(const ct_plan *plan, const char *node)
{
    int fused = -1;
    for (int s = 0; s < plan->count; s++) {
        if (plan->steps[s].node < 0) continue;
        if (strcmp(plan->steps[s].step->name, node) == 0) return s;
        if (find_is_fused(plan, plan->steps[s].step, node)) fused = s;
    }
    return fused;
}

static ct_status find_fail_node(const ct_plan *plan, const char *node, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t size = sizeof(char *) * ((size_t)plan->count + 1);
    char near[CT_SUGGEST_SAY];
    const char **names = ct_memory_get(size);
    int count = 0;
    CT_NEED(names, size, err);
    for (int s = 0; s < plan->count; s++)
        if (plan->steps[s].node >= 0) names[count++] = plan->steps[s].step->name;
    status =
        ct_error_add(err, CT_USAGE, "no node \"%s\"%s", node, ct_suggest_say(near, node, names));
out:
    ct_memory_free(names);
    return status;
}

static ct_status find_fail_port(const ct_step *step, const char *node, const char *port,
                                ct_error *err)
{
    char names[256] = "";
    size_t used = 0;
    for (int p = 0; p < ct_step_ports(step) && used < sizeof names; p++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", p > 0 ? ", " : "",
                                 step->stage->ports[p].name);
    return ct_error_add(err, CT_USAGE, "node \"%s\" (%s) has no port \"%s\": expected one of %s",
                        node, step->stage->name, port, names);
}

/* An input's array has the name of the step that writes it; a sink has nothing else. */
static int find_first(const ct_step *step)
{
    const int first = ct_step_first_output(step);
    return first < 0 ? 0 : first;
}

/* Of a node that is fused into this step: tables, and the inputs of the first of them. */
static bool find_is_left(const ct_plan *plan, const ct_step *step, const char *node, int port)
{
    const ct_value *names = ct_fuse_names(plan->graph, step->name);
    if (port < 0) return false;
    if (step->stage->ports[port].direction == CT_TABLE) return true;
    return step->stage->ports[port].direction == CT_IN &&
           !strcmp(ct_value_text(ct_value_at(names, 0), ""), node);
}

ct_status ct_plan_find_port(const ct_plan *plan, const char *node, const char *port, int *at,
                            int *place, ct_error *err)
{
    const int s = find_step(plan, node);
    if (s < 0) return find_fail_node(plan, node, err);
    const ct_step *step = plan->steps[s].step;
    const bool fused = strcmp(step->name, node) != 0;
    const int p = port ? ct_step_find_port(step, port) : find_first(step);
    if (fused && !find_is_left(plan, step, node, p))
        return ct_error_add(err, CT_USAGE,
                            "\"%s%s%s\": this plan has fused \"%s\" into \"%s\", and of its arrays "
                            "only tables and what the first of them reads are left",
                            node, port ? "." : "", port ? port : "", node, step->name);
    if (p < 0) return find_fail_port(step, node, port, err);
    if (step->port[p].type == CT_NONE)
        return ct_error_add(err, CT_USAGE, "port %s of node \"%s\" is not connected",
                            step->stage->ports[p].name, node);
    *at = s;
    *place = p;
    return CT_OK;
}

ct_status ct_plan_find(const ct_array **out, const ct_plan *plan, const char *port, ct_error *err)
{
    CT_GIVEN_OUT(err, out, plan, port);
    ct_status status = CT_OK;
    char node[CT_GRAPH_NAME + 1];
    int at, place;
    const size_t length = strcspn(port, ".");
    if (length >= sizeof node)
        return ct_error_add(err, CT_USAGE, "ct_plan_find: a node's name has at most %d letters",
                            CT_GRAPH_NAME);
    memcpy(node, port, length);
    node[length] = 0;
    CT_TRY(
        ct_plan_find_port(plan, node, port[length] ? port + length + 1 : NULL, &at, &place, err));
    *out = &plan->steps[at].step->port[place];
out:
    return status;
}
