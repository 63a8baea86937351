/* choose_priced.c: the layouts with the least price, exactly: what each step and each transpose is
 * expected to take, and the solver.
 * Room: tuner/choose. Knows spaces and prices. Does not measure. */
#include <math.h>
#include <string.h>

#include "choose_inner.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "space_problem.h"

/* A transpose takes longer between other steps, whose arrays are in the caches, than by itself. */
#define PRICED_IN_PLACE 1.5

/* A choice whose layouts, each by itself, make it so many times slower than the best is not looked
 * at closer. */
#define PRICED_FAR 2.0

/* The solver's time grows with 2 to the readers of an array: with more than these the rule has to
 * do. */
enum { PRICED_READERS = 7 };

typedef struct priced {
    const ct_graph *graph;
    const ct_prices *prices;
    ct_space *space;
    ct_space_problem *problem;
    ct_layout *usual; /* [node * CT_PORTS + port] */
    int64_t *choices; /* [node] */
} priced;

/* ---- a node */

typedef struct priced_node {
    const ct_space_node *node;
    int input, output; /* axes that are priced together; -1 none */
    double *axis[CT_PORTS];
    double usual; /* the step's own part */
} priced_node;

/* Of outputs only the first is priced: others are small. */
static ct_status price_axes(const priced *p, priced_node *at, ct_arena *arena, ct_error *err)
{
    ct_status status = CT_OK;
    at->input = at->output = -1;
    for (int a = 0; a < at->node->axes; a++) {
        const ct_space_axis *axis = &at->node->axis[a];
        at->axis[a] = ct_arena_get(arena, sizeof(double) * (size_t)axis->count);
        CT_TRY(ct_arena_check(arena, err));
        if (a > at->node->inputs) continue;
        if (axis->out) at->output = a;
        if (!axis->out && axis->port == 0) at->input = a;
        for (int i = 0; i < axis->count; i++)
            at->axis[a][i] = ct_prices_port(p->prices, at->node->step, axis->port, &axis->list[i]);
    }
out:
    return status;
}

static double price_apart(const priced_node *at, const int places[CT_PORTS])
{
    double sum = at->usual;
    for (int a = 0; a < at->node->axes; a++)
        sum += at->axis[a][places[a]];
    return sum;
}

static double price_least(const priced_node *at)
{
    double sum = at->usual;
    for (int a = 0; a < at->node->axes; a++) {
        double least = at->axis[a][0];
        for (int i = 1; i < at->node->axis[a].count; i++)
            least = fmin(least, at->axis[a][i]);
        sum += least;
    }
    return sum;
}

static double price_choice(const priced *p, const priced_node *at, int64_t choice, double least)
{
    int places[CT_PORTS];
    if (!ct_space_allows(at->node, choice)) return INFINITY;
    if (!at->node->free) return 0;
    ct_space_places(at->node, choice, places);
    double sum = price_apart(at, places);
    if (at->input >= 0 && at->output >= 0 && sum < least + PRICED_FAR) {
        const ct_space_axis *read = &at->node->axis[at->input];
        const ct_space_axis *written = &at->node->axis[at->output];
        sum += ct_prices_pair(p->prices, at->node->step, 0, &read->list[places[at->input]],
                              written->port, &written->list[places[at->output]]);
    }
    return CT_CHOOSE_STEP_S + exp(sum);
}

static ct_status price_node(const priced *p, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = ct_arena_new();
    priced_node at = {.node = &p->space->node[s]};
    const double fires =
        1 / ct_clock_table_period(&p->graph->clocks, p->graph->nodes[at.node->index].clock);
    CT_NEED(arena, 0, err);
    if (at.node->free) {
        at.usual = ct_prices_step(p->prices, at.node->step);
        CT_TRY(price_axes(p, &at, arena, err));
    }
    const double least = at.node->free ? price_least(&at) : 0;
    for (int64_t choice = 0; choice < at.node->choices; choice++)
        CT_TRY(ct_space_problem_set_choice(p->problem, s, choice,
                                           fires * price_choice(p, &at, choice, least), err));
out:
    ct_arena_free(arena);
    return status;
}

/* ---- an array's transposes */

double ct_choose_transpose(const ct_prices *prices, const ct_array *array, const ct_layout *from,
                           const ct_layout *to)
{
    return CT_CHOOSE_STEP_S + PRICED_IN_PLACE * exp(ct_prices_copy(prices, array, from, to));
}

static ct_status price_edge(const priced *p, int i, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_space_edge *edge = &p->space->edge[i];
    const ct_space_node *writer = &p->space->node[edge->writer];
    const ct_node *node = &p->graph->nodes[writer->index];
    const ct_array *array = &node->step->port[writer->axis[edge->writer_axis].port];
    const double fires = 1 / ct_clock_table_period(&p->graph->clocks, node->out_clock);
    for (int from = 0; from < edge->layouts; from++)
        for (int to = 0; to < edge->layouts; to++)
            if (from != to)
                CT_TRY(ct_space_problem_set_transpose(p->problem, i, from, to,
                                                      fires * ct_choose_transpose(p->prices, array,
                                                                                  &edge->list[from],
                                                                                  &edge->list[to]),
                                                      err));
out:
    return status;
}

/* ---- the whole */

static ct_status priced_open(priced *p, const ct_choice *choices, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t nodes = (size_t)p->graph->count, ports = nodes * CT_PORTS;
    p->usual = ct_memory_get(sizeof *p->usual * ports);
    CT_NEED(p->usual, sizeof *p->usual * ports, err);
    p->choices = ct_memory_get(sizeof *p->choices * nodes);
    CT_NEED(p->choices, sizeof *p->choices * nodes, err);
    for (size_t i = 0; i < ports; i++)
        p->usual[i] = choices[i / CT_PORTS].layout[i % CT_PORTS];
    CT_TRY(ct_space_new(&p->space, p->graph, p->usual, NULL, NULL, err));
    for (int i = 0; i < p->space->edges; i++)
        if (p->space->edge[i].readers > PRICED_READERS)
            CT_TRY(ct_error_add(err, CT_INVALID, "an array has %d readers: too many for prices",
                                p->space->edge[i].readers));
    CT_TRY(ct_space_problem_new(&p->problem, p->space, err));
    for (int s = 0; s < p->space->nodes; s++)
        CT_TRY(price_node(p, s, err));
    for (int i = 0; i < p->space->edges; i++)
        CT_TRY(price_edge(p, i, err));
out:
    return status;
}

static ct_status priced_next(const priced *p, int place, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    ct_ranking *ranking = NULL;
    CT_TRY(ct_space_problem_rank(&ranking, p->problem, err));
    for (int i = 0; i <= place; i++)
        CT_TRY(ct_space_problem_next(p->problem, ranking, p->choices, seconds, err));
out:
    ct_ranking_free(ranking);
    return status;
}

static void take_choice(const priced *p, int s, ct_choice *choice)
{
    int places[CT_PORTS];
    const ct_space_node *node = &p->space->node[s];
    ct_space_places(node, p->choices[s], places);
    for (int a = 0; a < node->axes; a++) {
        const ct_space_axis *axis = &node->axis[a];
        if (axis->count == 1) continue;
        choice->layout[axis->port] = axis->list[places[a]];
        choice->reason[axis->port] = "least price";
    }
}

/* What is read as it is written needs no other reason. */
static void say_written(const ct_graph *graph, int n, ct_choice *choices)
{
    for (int q = 0; q < CT_PORTS; q++) {
        const ct_link from = graph->nodes[n].input[q];
        if (from.node < 0 || (q == 0 && graph->nodes[n].read.rank)) continue;
        const bool same =
            ct_layout_equal(&choices[n].layout[q], &choices[from.node].layout[from.port]);
        if (same || !strcmp(choices[n].reason[q], "as written"))
            choices[n].reason[q] = same ? "as written" : "as without prices";
    }
}

ct_status ct_choose_priced(ct_choice *choices, double *seconds, const ct_graph *graph,
                           const ct_prices *prices, int place, ct_error *err)
{
    ct_status status = CT_OK;
    priced p = {.graph = graph, .prices = prices};
    CT_TRY(priced_open(&p, choices, err));
    CT_TRY(place == 0 ? ct_space_problem_best(p.problem, p.choices, seconds, err)
                      : priced_next(&p, place, seconds, err));
    for (int s = 0; s < p.space->nodes; s++)
        take_choice(&p, s, &choices[p.space->node[s].index]);
    for (int n = 0; n < graph->count; n++)
        say_written(graph, n, choices);
out:
    ct_space_problem_free(p.problem);
    ct_space_free(p.space);
    ct_memory_free(p.usual);
    ct_memory_free(p.choices);
    return status;
}
