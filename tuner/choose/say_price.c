/* say_price.c: what a plan's steps are expected to take, and what the next best choice would.
 * Room: tuner/choose. Knows prices. Does not measure. */
#include <math.h>
#include <string.h>

#include "choose.h"
#include "choose_inner.h"
#include "cornerturn_stage.h"
#include "fuse.h"
#include "layout.h"
#include "memory.h"

enum { SAY_GRAPHS = 16, SAY_PLACES = 3 };

/* ---- the plan's own */

static double say_step(const ct_prices *prices, const ct_plan *plan, const ct_plan_step *at)
{
    const ct_step *step = at->step;
    const double fires = 1 / ct_plan_period(plan, at);
    const int out = ct_step_first_output(step);
    if (ct_role_of(step) != CT_ROLE_KERNEL || out < 0) return 0;
    if (at->node < 0 && strcmp(step->stage->name, "transpose") != 0) return 0;
    if (at->node < 0)
        return fires * ct_choose_transpose(prices, &step->port[0], &step->port[0].layout,
                                           &step->port[out].layout);
    const ct_node *node = &plan->graph->nodes[at->node];
    /* The choice was made before arrays got room for history. */
    double sum = ct_prices_step(prices, node->step);
    for (int p = 0; p < ct_step_ports(step); p++)
        if (p == out || node->input[p].node >= 0)
            sum += ct_prices_port(prices, node->step, p, &step->port[p].layout);
    if (node->input[0].node >= 0)
        sum += ct_prices_pair(prices, node->step, 0, &step->port[0].layout, out,
                              &step->port[out].layout);
    return fires * (CT_CHOOSE_STEP_S + exp(sum));
}

static double say_own(ct_text *out, const ct_prices *prices, const ct_plan *plan)
{
    ct_text steps = {0};
    double sum = 0;
    for (int s = 0; s < plan->count; s++) {
        const double seconds = say_step(prices, plan, &plan->steps[s]);
        if (!(seconds > 0)) continue;
        ct_text_add(&steps, "%s%s %.3g", sum > 0 ? ", " : "", plan->steps[s].name, 1e3 * seconds);
        sum += seconds;
    }
    if (sum > 0) ct_text_add(out, "\nprice: %.3g ms a block, expected, not measured\n", 1e3 * sum);
    if (steps.length) ct_text_add(out, "  %s\n", steps.data);
    ct_text_free(&steps);
    return sum;
}

/* ---- the next best */

typedef struct say {
    const ct_plan *plan;
    double seconds; /* of the best other choice; 0: none is found */
    ct_text words;
} say;

/* The layout that a node's port has in the plan. */
static const ct_layout *say_layout(const ct_plan *plan, int node, int port)
{
    for (int s = 0; s < plan->count; s++)
        if (plan->steps[s].node == node) return &plan->steps[s].step->port[port].layout;
    return NULL;
}

/* "fft writes CSPT, ": where the choice differs from the plan. */
static void say_difference(ct_text *words, const ct_plan *plan, const ct_choice *choices)
{
    for (int n = 0; n < plan->graph->count; n++) {
        const ct_node *node = &plan->graph->nodes[n];
        if (ct_role_of(node->step) != CT_ROLE_KERNEL) continue;
        for (int p = 0; p < ct_step_ports(node->step); p++) {
            const ct_layout *own = say_layout(plan, n, p), *other = &choices[n].layout[p];
            const bool input = node->step->stage->ports[p].direction == CT_IN;
            if (!own || !other->rank || ct_layout_equal(own, other)) continue;
            ct_text_add(words, "%s%s %s %s", words->length ? ", " : "", node->name,
                        input ? "reads" : "writes", other->dim);
        }
    }
}

/* "fir and fft apart": nodes of one graph that the other lacks. */
static void say_fusion(ct_text *words, const ct_graph *own, const ct_graph *other)
{
    for (int n = 0; n < own->count; n++)
        if (ct_graph_find(other, own->nodes[n].name) < 0)
            ct_text_add(words, "%s%s as one with the next", words->length ? ", " : "",
                        own->nodes[n].name);
    for (int n = 0; n < other->count; n++)
        if (ct_graph_find(own, other->nodes[n].name) < 0)
            ct_text_add(words, "%s%s by itself", words->length ? ", " : "", other->nodes[n].name);
}

static void say_try(say *s, const ct_graph *graph, const ct_prices *prices, bool same, int place)
{
    ct_text words = {0};
    double seconds = 0;
    ct_choice *choices = ct_memory_get(sizeof *choices * (size_t)graph->count);
    if (choices && ct_choose_usual(choices, graph, NULL) == CT_OK &&
        ct_choose_priced(choices, &seconds, graph, prices, place, NULL) == CT_OK) {
        seconds *= (double)s->plan->graph->block / (double)graph->block;
        if (same)
            say_difference(&words, s->plan, choices);
        else
            say_fusion(&words, s->plan->graph, graph);
        if (words.length && (s->seconds == 0 || seconds < s->seconds)) {
            const ct_text before = s->words;
            s->seconds = seconds;
            s->words = words;
            words = before;
        }
    }
    ct_text_free(&words);
    ct_memory_free(choices);
}

static bool say_is_same(const ct_graph *a, const ct_graph *b)
{
    bool same = a->count == b->count;
    for (int n = 0; same && n < a->count; n++)
        same = !strcmp(a->nodes[n].name, b->nodes[n].name);
    return same;
}

static void say_next(ct_text *out, const ct_prices *prices, const ct_plan *plan)
{
    say s = {.plan = plan};
    int count = 1;
    const ct_graph *written = plan->graph->of ? plan->graph->of : plan->graph;
    ct_graph *graphs[SAY_GRAPHS] = {ct_graph_retain(written)};
    (void)ct_fuse_all(written, graphs, SAY_GRAPHS, &count, NULL);
    for (int g = 0; g < count; g++) {
        const bool same = say_is_same(graphs[g], plan->graph);
        for (int place = 0; place < (same ? SAY_PLACES : 1); place++)
            say_try(&s, same ? plan->graph : graphs[g], prices, same, place);
    }
    if (s.words.length)
        ct_text_add(out, "  next best, %.3g ms: %s\n", 1e3 * s.seconds, s.words.data);
    ct_text_free(&s.words);
    for (int g = 0; g < count; g++)
        ct_graph_free(graphs[g]);
}

void ct_choose_say(ct_text *out, const ct_plan *plan)
{
    ct_prices *prices = NULL;
    if (plan->gpu || ct_prices_new(&prices, NULL) != CT_OK) return;
    if (say_own(out, prices, plan) > 0) say_next(out, prices, plan);
    ct_prices_free(prices);
}
