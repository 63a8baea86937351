/* random_plan.h: a plan at random for any graph: layouts, transposes of an input's own or shared,
 * row strides, tunables. What is pinned stays. A node's part follows from the seed and its name, so
 * that it is the same in a smaller graph.
 *
 * Room: tests. Knows core/plan. Does not know what plans are for. */
#ifndef CT_TESTS_RANDOM_PLAN_H
#define CT_TESTS_RANDOM_PLAN_H
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "layout.h"
#include "memory.h"
#include "plan.h"
#include "row_stride.h"

typedef struct dice {
    uint64_t state;
} dice;

static inline int64_t roll(dice *d, int64_t sides)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((d->state >> 33) % (uint64_t)sides);
}

/* What follows an underscore in a name is left out: "n3_7" rolls as "n3" does. */
static inline dice dice_of(uint64_t seed, const char *name)
{
    dice d = {seed ^ 0xcbf29ce484222325u};
    for (; *name && *name != '_'; name++)
        d.state = (d.state ^ (uint8_t)*name) * 0x100000001b3u;
    for (int i = 0; i < 4; i++)
        (void)roll(&d, 2);
    return d;
}

/* ---- layouts and rows */

/* An order that the port takes. */
static inline ct_layout roll_layout(dice *d, const ct_step *step, int port)
{
    char pattern[CT_STEP_PATTERN];
    const ct_array *array = &step->port[port];
    ct_layout wish =
        ct_layout_permutation(array->dim, roll(d, ct_layout_permutations(array->rank)));
    return ct_layout_fit(array, ct_step_pattern(step, port, pattern), &wish);
}

static inline int64_t roll_rows(dice *d, const ct_array *array, const ct_layout *layout)
{
    ct_array laid = *array;
    laid.layout = *layout;
    const int64_t kind = roll(d, 3), length = ct_rows_length(&laid), more = roll(d, 9);
    const bool history = layout->rank > 0 && layout->dim[layout->rank - 1] == 'T';
    if (kind == 0 || layout->rank < 2 || ct_array_count(array) == length) return CT_ROWS_PADDED;
    return kind == 1 ? CT_ROWS_DENSE : length + (history ? 1500 : 0) + more;
}

/* A node before n that has a copy of its own of what n reads; -1 none. */
static inline int find_copy(const ct_graph *graph, const ct_choice *choices, int n)
{
    const ct_link link = graph->nodes[n].input[0];
    for (int m = 0; m < n; m++)
        if (graph->nodes[m].input[0].node == link.node &&
            graph->nodes[m].input[0].port == link.port && choices[m].copy[0].kind == CT_COPY_OWN)
            return m;
    return -1;
}

/* Reads as written, as another reader, or in any order, with a copy of its own or another's. */
static inline void roll_input(dice *d, const ct_graph *graph, ct_choice *choices, int n)
{
    char pattern[CT_STEP_PATTERN];
    const ct_step *step = graph->nodes[n].step;
    const ct_link link = graph->nodes[n].input[0];
    const ct_layout *written = &choices[link.node].layout[link.port];
    const int other = find_copy(graph, choices, n);
    ct_copy_choice *copy = &choices[n].copy[0];
    ct_layout layout = roll_layout(d, step, 0);
    if (roll(d, 2) || other >= 0)
        layout = ct_layout_fit(&step->port[0], ct_step_pattern(step, 0, pattern),
                               other >= 0 ? &choices[other].layout[0] : written);
    if (graph->nodes[n].read.rank) layout = graph->nodes[n].read;
    choices[n].layout[0] = layout;
    if (ct_layout_equal(&layout, written)) return;
    copy->kind = roll(d, 3) ? CT_COPY_OWN : CT_COPY_OPEN;
    copy->rows = roll_rows(d, &step->port[0], &layout);
    if (other >= 0 && ct_layout_equal(&choices[other].layout[0], &layout) && roll(d, 3))
        *copy = (ct_copy_choice){.kind = CT_COPY_SHARED, .with = {other, 0}};
}

static inline ct_layout roll_output(dice *d, const ct_node *node, const ct_choice *choice, int p)
{
    const char *pattern = node->step->stage->ports[p].layout;
    ct_layout layout = roll_layout(d, node->step, p);
    if (pattern && pattern[0] == '=')
        layout = choice->layout[ct_step_find_port(node->step, pattern + 1)];
    if (node->write.rank && p == ct_step_first_output(node->step)) layout = node->write;
    return layout;
}

static inline void roll_node(dice *d, const ct_graph *graph, ct_choice *choices, int n)
{
    const ct_node *node = &graph->nodes[n];
    ct_choice *choice = &choices[n];
    for (int p = 0; p < ct_step_ports(node->step); p++) {
        const ct_port *port = &node->step->stage->ports[p];
        if (node->step->port[p].type == CT_NONE || ct_port_takes_flags(port)) continue;
        if (node->input[p].node >= 0) {
            roll_input(d, graph, choices, n);
            continue;
        }
        choice->layout[p] = roll_output(d, node, choice, p);
        if (port->direction == CT_OUT || port->direction == CT_SCRATCH)
            choice->rows[p] = roll_rows(d, &node->step->port[p], &choice->layout[p]);
    }
}

/* ---- tunables */

/* What default tunables on a GPU would be: groups of work-items. False where these are not legal.
 */
static inline bool roll_group(ct_step *step)
{
    const ct_step usual = *step;
    step->gpu = true;
    ct_step_default_tunables(step);
    step->gpu = usual.gpu;
    bool legal = ct_step_is_legal(step);
    for (int t = 0; t < ct_step_tunables(step); t++)
        legal = legal && (step->tunable[t] == usual.tunable[t] ||
                          ct_step_tunable_declared(step, t, step->tunable[t]));
    if (!legal) memcpy(step->tunable, usual.tunable, sizeof step->tunable);
    return legal;
}

/* A few steps from the defaults to other legal ones. */
static inline void roll_tuning(dice *d, const ct_step *at, const bool *pinned,
                               const ct_device *device, ct_tuning *out)
{
    ct_step *step = NULL;
    if (ct_step_tunables(at) == 0 || ct_step_copy(&step, at, NULL) != CT_OK) return;
    ct_step_set_device(step, device);
    if (roll(d, 3) == 0 && !memchr(pinned, true, CT_TUNABLES)) (void)roll_group(step);
    for (int k = 0; k < 6; k++) {
        const int t = (int)roll(d, ct_step_tunables(step));
        const int value = (int)roll(d, ct_step_tunable_count(step, t));
        const int64_t before = step->tunable[t];
        if (pinned[t]) continue;
        step->tunable[t] = ct_step_tunable_value(step, t, value);
        if (!ct_step_is_legal(step)) step->tunable[t] = before;
    }
    for (int t = 0; t < ct_step_tunables(step); t++) {
        out->given[t] = step->tunable[t] != at->tunable[t];
        out->value[t] = step->tunable[t];
    }
    ct_step_free(step);
}

static inline void roll_tunings(uint64_t seed, const ct_plan *plan, const ct_device *device,
                                ct_choice *choices)
{
    static const bool none[CT_TUNABLES];
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *at = &plan->steps[s];
        const int node = at->node >= 0 ? at->node : at->reader.node;
        dice d = dice_of(seed + (at->node < 0), plan->graph->nodes[node].name);
        roll_tuning(&d, at->step, at->node >= 0 ? plan->graph->nodes[node].pinned : none, device,
                    at->node >= 0 ? &choices[node].tuning
                                  : &choices[node].copy[at->reader.port].tuning);
    }
}

/* ---- the plan */

static inline ct_status random_plan(ct_plan **out, const ct_graph *graph, uint64_t seed,
                                    const ct_device *device, ct_error *err)
{
    ct_error inner = {0};
    ct_choice *choices = calloc((size_t)graph->count, sizeof *choices);
    for (int n = 0; n < graph->count; n++) {
        dice d = dice_of(seed, graph->nodes[n].name);
        roll_node(&d, graph, choices, n);
    }
    ct_status status = ct_plan_build(out, graph, choices, NULL, device, err);
    if (status == CT_OK) {
        ct_plan *usual = *out;
        roll_tunings(seed, usual, device, choices);
        if (ct_plan_build(out, graph, choices, NULL, device, &inner) == CT_OK)
            ct_plan_free(usual);
        else
            *out = usual;
    }
    free(choices);
    return status;
}

#endif
