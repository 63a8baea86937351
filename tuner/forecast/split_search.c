/* split_search.c: along what the ranks of a job split each node's work, so that a block is
 * predicted to take least: this is where a split of ranks is chosen by what is known of their
 * machines. What the rule chooses without that is in core/plan/default_split.c.
 *
 * Room: tuner/forecast. Knows which splits there are, and tries them: all, where these are few,
 * else one node after the other from several beginnings. Does not know what a plan takes
 * (forecast.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fail.h"
#include "file.h"
#include "measured_steps.h"
#include "memory.h"
#include "partition.h"
#include "plan_key.h"
#include "split_search.h"
#include "text.h"

enum { OPTIONS = CT_DIMS + 2 };

/* What a node may be split along: [0] as the rule does; NULL: there is no choice. */
typedef struct option_list {
    const char *dims[OPTIONS];
    int count;
} option_list;

typedef struct splitting {
    const ct_split_job *job;
    int nodes;
    option_list *option; /* [node] */
    const char **now;    /* [node] */
    const char **best;
    double least;        /* seconds of the best; INFINITY: nothing has fitted */
    double rule_s;       /* with the rule's splits */
    int64_t least_bytes; /* of all that were tried */
    ct_arena *arena;
    ct_error *err;
} splitting;

/* ---- what one choice takes */

/* Splits that cannot be, for a stage's own reasons, take for ever; what is not known of all
 * is left out of all. */
static ct_status try_now(splitting *s, double *seconds)
{
    ct_status status = CT_OK;
    ct_plan *plan = NULL;
    ct_error why = {0};
    const ct_split_job *job = s->job;
    *seconds = INFINITY;
    status =
        ct_plan_parse_split(&plan, job->graph, job->text, job->name, s->now, job->device, &why);
    if (status == CT_INVALID) return CT_OK;
    if (status != CT_OK) return ct_error_pass(s->err, status, &why);
    if (s->least_bytes == 0 || plan->device_bytes < s->least_bytes)
        s->least_bytes = plan->device_bytes;
    if (job->memory > 0 && plan->device_bytes > job->memory) goto out;
    CT_TRY(ct_forecast_plan(plan, job->known, s->err));
    *seconds = plan->forecast->known_s;
out:
    ct_plan_free(plan);
    return status;
}

static ct_status look_at_now(splitting *s, double *seconds)
{
    const ct_status status = try_now(s, seconds);
    if (status != CT_OK || !(*seconds < s->least * (1 - 1e-9))) return status;
    s->least = *seconds;
    memcpy(s->best, s->now, sizeof *s->now * (size_t)s->nodes);
    return status;
}

/* ---- what there is to choose from */

static void add_option(option_list *list, const char *dims)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->dims[i], dims) == 0) return;
    if (list->count < OPTIONS) list->dims[list->count++] = dims;
}

static const char *rule_of(splitting *s, const ct_partition *rule)
{
    char dims[CT_DIMS + 1] = "";
    for (int w = 0; w < rule->axes; w++)
        dims[w] = rule->axis[w].dim;
    return ct_arena_copy(s->arena, dims);
}

/* Time is split only where the pipeline pins that, and so are sums. */
static void list_options(splitting *s, const ct_plan *rule, int n)
{
    option_list *list = &s->option[n];
    const ct_node *node = &rule->graph->nodes[n];
    if (rule->partition[n].root || node->split[0]) {
        list->dims[list->count++] = NULL;
        return;
    }
    add_option(list, rule_of(s, &rule->partition[n]));
    add_option(list, "");
    for (int p = 0; p < ct_step_ports(node->step); p++)
        for (int k = 0; node->step->port[p].type != CT_NONE && k < node->step->port[p].rank; k++) {
            const char dims[] = {node->step->port[p].dim[k], 0};
            if (dims[0] == 'T' || !ct_split_is_free(node, dims[0])) continue;
            if (ct_split_gain(node, dims[0], s->job->ranks) > 1)
                add_option(list, ct_arena_copy(s->arena, dims));
        }
}

static double count_choices(const splitting *s)
{
    double count = 1;
    for (int n = 0; n < s->nodes; n++)
        count *= s->option[n].count;
    return count;
}

/* ---- trying them */

static ct_status try_all(splitting *s, int n)
{
    ct_status status = CT_OK;
    double seconds;
    if (n == s->nodes) return look_at_now(s, &seconds);
    for (int i = 0; i < s->option[n].count && status == CT_OK; i++) {
        s->now[n] = s->option[n].dims[i];
        status = try_all(s, n + 1);
    }
    return status;
}

/* The node's best option while the others stay; *here: seconds of what is set. */
static ct_status change_node(splitting *s, int n, double *here, bool *changed)
{
    ct_status status = CT_OK;
    const char *keep = s->now[n];
    for (int i = 0; i < s->option[n].count; i++) {
        double seconds;
        s->now[n] = s->option[n].dims[i];
        CT_TRY(look_at_now(s, &seconds));
        if (!(seconds < *here * (1 - 1e-9))) continue;
        *here = seconds;
        *changed = true;
        keep = s->now[n];
    }
    s->now[n] = keep;
out:
    return status;
}

/* From what is set now, until no node's change makes it better. */
static ct_status descend(splitting *s)
{
    ct_status status = CT_OK;
    double here;
    CT_TRY(look_at_now(s, &here));
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = 0; n < s->nodes; n++)
            CT_TRY(change_node(s, n, &here, &changed));
    }
out:
    return status;
}

/* All nodes that can along these dimensions, others as the rule does; NULL: all as the rule does.
 * Whether any can. */
static bool begin_with(splitting *s, const char *dims)
{
    bool any = false;
    for (int n = 0; n < s->nodes; n++) {
        const option_list *list = &s->option[n];
        s->now[n] = list->dims[0];
        for (int i = 0; i < list->count; i++)
            if (dims && list->dims[i] && !strcmp(list->dims[i], dims)) {
                s->now[n] = list->dims[i];
                any = true;
            }
    }
    return any;
}

/* Begins with the rule's splits, with none, and with each letter's. */
static ct_status descend_all(splitting *s)
{
    ct_status status = CT_OK;
    (void)begin_with(s, NULL);
    CT_TRY(descend(s));
    (void)begin_with(s, "");
    CT_TRY(descend(s));
    for (char letter = 'A'; letter <= 'Z'; letter++) {
        const char dims[] = {letter, 0};
        if (begin_with(s, dims)) CT_TRY(descend(s));
    }
out:
    return status;
}

static ct_status search(splitting *s)
{
    ct_status status = CT_OK;
    (void)begin_with(s, NULL);
    CT_TRY(try_now(s, &s->rule_s));
    status = count_choices(s) <= s->job->try_all ? try_all(s, 0) : descend_all(s);
out:
    return status;
}

static ct_status check_found(const splitting *s)
{
    if (isfinite(s->least)) return CT_OK;
    return ct_error_add(s->err, CT_INVALID,
                        "no splits over %d ranks fit into %lld bytes on each device: the least "
                        "that one takes is %lld",
                        s->job->ranks, (long long)s->job->memory, (long long)s->least_bytes);
}

/* The rule's splits stay where nothing is better. */
static void prefer_rule(splitting *s)
{
    if (s->rule_s > s->least * (1 + 1e-9)) return;
    (void)begin_with(s, NULL);
    memcpy(s->best, s->now, sizeof *s->now * (size_t)s->nodes);
}

ct_status ct_split_search(ct_plan **out, const ct_split_job *job, double *rule_s, bool *all,
                          ct_error *err)
{
    ct_status status = CT_OK;
    ct_plan *rule = NULL;
    splitting s = {.job = job, .least = INFINITY, .arena = ct_arena_new(), .err = err};
    *out = NULL;
    CT_NEED(s.arena, 0, err);
    CT_TRY(ct_plan_parse(&rule, job->graph, job->text, job->name, job->device, err));
    s.nodes = rule->graph->count;
    s.option = ct_arena_get(s.arena, sizeof *s.option * (size_t)s.nodes);
    s.now = ct_arena_get(s.arena, sizeof *s.now * (size_t)s.nodes);
    s.best = ct_arena_get(s.arena, sizeof *s.best * (size_t)s.nodes);
    CT_TRY(ct_arena_check(s.arena, err));
    for (int n = 0; n < s.nodes; n++)
        list_options(&s, rule, n);
    CT_TRY(ct_arena_check(s.arena, err));
    CT_TRY(search(&s));
    CT_TRY(check_found(&s));
    prefer_rule(&s);
    *rule_s = s.rule_s;
    *all = count_choices(&s) <= job->try_all;
    CT_TRY(ct_plan_parse_split(out, job->graph, job->text, job->name, s.best, job->device, err));
    CT_TRY(ct_forecast_plan(*out, job->known, err));
out:
    ct_plan_free(rule);
    ct_arena_free(s.arena);
    return status;
}

/* ---- on top of a tuned plan */

static ct_status say_predicted(ct_plan *plan, const char *network, double rule_s, bool all,
                               ct_error *err)
{
    ct_text text = {0};
    const char *tuned = plan->about[1] ? plan->about[1] : "{}";
    const size_t length = strlen(tuned) - 1; /* without the last brace */
    ct_text_add(&text, "%.*s%s\"ranks\":{\"seconds\":%.6g", (int)length, tuned,
                length > 1 ? "," : "", plan->forecast->known_s);
    if (isfinite(rule_s)) ct_text_add(&text, ",\"default_seconds\":%.6g", rule_s);
    ct_text_add(&text, ",\"network\":");
    ct_text_add_json(&text, network);
    ct_text_add(&text, ",\"tried\":\"%s\"}}", all ? "all" : "some");
    ct_status status = ct_text_check(&text, err);
    if (status == CT_OK) plan->about[1] = ct_arena_copy(plan->arena, text.data);
    if (status == CT_OK) status = ct_arena_check(plan->arena, err);
    ct_text_free(&text);
    return status;
}

ct_status ct_tune_ranks(ct_plan **out, const ct_graph *graph, const char *device, const char *file,
                        const char *network, const char *journal, int64_t memory, ct_error *err)
{
    CT_GIVEN_OUT(err, out, graph, file, network, journal);
    ct_status status = CT_OK;
    ct_device *own = NULL;
    ct_plan *rule = NULL;
    ct_forecast_known known;
    ct_network network_cost;
    char *text = NULL;
    size_t length = 0;
    double rule_s;
    bool all;
    ct_arena *arena = ct_arena_new();
    CT_NEED(arena, 0, err);
    CT_TRY(ct_device_open(&own, device, err));
    CT_TRY(ct_file_read(&text, &length, file, err));
    CT_TRY(ct_plan_parse(&rule, graph, text, file, own, err));
    CT_TRY(ct_measured_read(&known, &network_cost, rule, network, journal, arena, err));
    const ct_split_job job = {
        graph, own, text, file, ct_ranks_size(graph->ranks), &known, memory, CT_SPLIT_TRY_ALL};
    CT_TRY(ct_split_search(out, &job, &rule_s, &all, err));
    CT_TRY(say_predicted(*out, network, rule_s, all, err));
    CT_TRY(ct_plan_key_add(*out, own, err));
out:
    if (status != CT_OK) {
        ct_plan_free(*out);
        *out = NULL;
    }
    ct_plan_free(rule);
    ct_memory_free(text);
    ct_device_free(own);
    ct_arena_free(arena);
    return status;
}
