/* random_splits.h: pipelines at random for several ranks: nodes of random_graph.h and of a few more
 * stages, own ones too, with layouts that are split along what a stage can be split along.
 *
 * Room: tests. Knows graphs and splits. Does not know how ranks work. */
#ifndef CT_TESTS_RANDOM_SPLITS_H
#define CT_TESTS_RANDOM_SPLITS_H
#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "random_graph.h"
#include "ranks.h"
#include "step_range.h"

typedef struct random_splits {
    random_graph graph;
    int64_t block;
    bool sums; /* some node's parts are added */
} random_splits;

/* ---- stages */

static inline void splits_filter(dice *d, random_node *node, const ct_array *x)
{
    roll_fir(d, node, x);
    char *name = strstr(node->text, "\"fir\"");
    if (name) memcpy(name, "\"ppf\"", 5);
}

static inline void splits_powers(dice *d, random_node *node, const ct_array *x)
{
    roll_beams(d, node, x);
    char *name = strstr(node->text, "\"beamformer\"");
    char *normalise = strstr(node->text, ", \"normalise\"");
    if (normalise) *normalise = 0;
    if (strstr(node->text, "incoherent")) return;
    memcpy(name, "\"beamdetect\"", 12);
    random_add(node->text, ", \"integrate\": %d%s", (int)ROLL(d, 1, 2, 4),
               roll(d, 2) ? ", \"stokes\": \"IQUV\"" : "");
}

/* At most so many samples late. */
static inline void splits_delays(dice *d, random_node *node, const ct_array *x, double most)
{
    random_add(node->text, ", \"delays\": [");
    for (int64_t s = 0; s < ct_array_extent(x, 'S'); s++)
        random_add(node->text, "%s[%.6g]", s ? ", " : "",
                   most * x->meta.sample_time_s * (double)roll(d, 1000) / 1000);
    random_add(node->text, "]");
}

static inline void splits_phases(dice *d, random_node *node, const ct_array *x)
{
    random_add(node->text, "\"stage\": \"delay\"");
    splits_delays(d, node, x, 0.5);
}

static inline void splits_shift(dice *d, random_node *node, const ct_array *x)
{
    random_add(node->text, "\"stage\": \"shift\"");
    splits_delays(d, node, x, 5);
}

static inline void splits_flags(dice *d, random_node *node, const ct_array *x)
{
    (void)x;
    if (roll(d, 2))
        random_add(node->text, "\"stage\": \"flag\", \"window\": %d", (int)ROLL(d, 8, 12, 16));
    else
        random_add(node->text, "\"stage\": \"rfi\", \"window\": %d, \"threshold\": 1.5",
                   (int)ROLL(d, 4, 5, 8));
}

static inline void splits_own(dice *d, random_node *node, const ct_array *x)
{
    const int kind = (int)roll(d, 3);
    (void)x;
    if (kind == 0)
        random_add(node->text, "\"stage\": \"average\", \"samples\": %d, \"channels\": %d",
                   (int)ROLL(d, 1, 2, 3, 5), (int)ROLL(d, 1, 1, 2, 4));
    if (kind == 1)
        random_add(node->text, "\"stage\": \"requantise\", \"scale\": %d",
                   (int)ROLL(d, 1, 20, 150));
    if (kind == 2)
        random_add(node->text, "\"stage\": \"boxcar\", \"width\": %d", (int)ROLL(d, 1, 2, 5));
}

static const random_maker splits_stages[] = {splits_filter, splits_powers, splits_phases,
                                             splits_shift,  splits_flags,  splits_own,
                                             splits_own,    NULL};

/* Beside the pipeline. */
static const char splits_head[] =
    "\"stages\": [\"average.json\", \"boxcar.json\", \"requantise.json\", \"rfi.json\"], ";

/* ---- the pipeline */

static inline const char *splits_text(const random_splits *r, char out[GRAPH_TEXT])
{
    random_text(&r->graph, out);
    char *end = strrchr(out, '}');
    snprintf(end, GRAPH_TEXT - (size_t)(end - out), ",\n \"block\": {\"T\": %lld}%s}\n",
             (long long)r->block, r->sums ? ",\n \"comment\": \"parts are added\"" : "");
    return out;
}

static inline ct_graph *splits_parse(const random_splits *r, ct_context *context, ct_error *err)
{
    char text[GRAPH_TEXT];
    ct_graph *graph = NULL;
    (void)ct_graph_parse(&graph, context, splits_text(r, text), "splits.json", NULL, err);
    return graph;
}

/* Whether each rank of a job of any of these sizes has a plan: tunables that are pinned may not be
 * legal in a part. */
static inline bool splits_plans(const random_splits *r, ct_context *context, ct_error *err)
{
    static const int sizes[] = {1, 2, 3, 4, 7};
    ct_graph *graph = splits_parse(r, context, err);
    bool plans = graph != NULL;
    for (size_t i = 0; plans && i < sizeof sizes / sizeof *sizes; i++)
        for (int rank = 0; plans && rank < sizes[i]; rank++) {
            const ct_ranks ranks = {.rank = rank, .size = sizes[i]};
            ct_plan *plan = NULL;
            graph->ranks = &ranks;
            plans = ct_plan_default(&plan, graph, NULL, err) == CT_OK;
            ct_plan_free(plan);
        }
    if (graph) graph->ranks = NULL;
    ct_graph_free(graph);
    return plans;
}

/* A layout with a bar behind one letter, or a few. */
static inline void roll_bars(dice *d, const ct_layout *layout, char out[CT_LAYOUT_TEXT])
{
    ct_layout split = *layout;
    const int bars = 1 + (int)(roll(d, 4) == 0);
    for (int k = 0; k < bars; k++)
        split.split |= (uint8_t)(1 << roll(d, layout->rank));
    ct_layout_print(out, &split);
}

static inline ct_layout splits_pinned(dice *d, const ct_node *node, const ct_layout *pin, int port)
{
    return pin->rank ? *pin : roll_layout(d, node->step, port);
}

/* What the node pins, with splits; false where its part of the text could not hold it. */
static inline void roll_split(dice *d, const ct_node *node, bool source, char out[256])
{
    char read[CT_LAYOUT_TEXT], write[CT_LAYOUT_TEXT];
    const int y = ct_step_first_output(node->step), kind = source ? 1 : (int)roll(d, 3);
    const ct_layout x = splits_pinned(d, node, &node->read, 0);
    const ct_layout to = splits_pinned(d, node, &node->write, y);
    roll_bars(d, source ? &to : &x, read);
    roll_bars(d, &to, write);
    if (kind == 0)
        snprintf(out, 256, ", \"layout\": {\"read\": \"%s\"}", read);
    else if (kind == 1)
        snprintf(out, 256, ", \"layout\": {\"write\": \"%s\"}", write);
    else
        snprintf(out, 256, ", \"layout\": {\"read\": \"%s\", \"write\": \"%s\"}", read, write);
}

/* A few draws, until the stage can be split so. */
static inline void splits_pin(random_splits *r, dice *d, random_node *node, ct_context *context)
{
    ct_error err = {0};
    ct_graph *graph = splits_parse(r, context, &err), *other = NULL;
    const int n = graph ? ct_graph_find(graph, node->name) : -1; /* -1: part of another one */
    char pins[256], before[sizeof node->pins], after[sizeof node->pins];
    memcpy(before, node->pins, sizeof before);
    char *layout = strstr(before, ", \"layout\""), *end = layout ? strchr(layout, '}') : NULL;
    snprintf(after, sizeof after, "%s", end ? end + 1 : "");
    if (layout) *layout = 0;
    for (int tries = 0; n >= 0 && !other && tries < 6; tries++) {
        random_node kept = *node;
        roll_split(d, &graph->nodes[n], node->reads < 0, pins);
        snprintf(node->pins, sizeof node->pins, "%.200s%s%.400s", before, pins, after);
        other = splits_parse(r, context, &err);
        if (!other || !splits_plans(r, context, &err)) *node = kept;
    }
    ct_graph_free(other);
    ct_graph_free(graph);
}

static inline bool splits_are_added(const random_splits *r, ct_context *context)
{
    bool added = false;
    ct_graph *graph = splits_parse(r, context, NULL);
    for (int n = 0; graph && n < graph->count; n++)
        for (const char *dim = graph->nodes[n].split; *dim; dim++)
            added = added || (ct_role_of(graph->nodes[n].step) == CT_ROLE_KERNEL &&
                              ct_step_split(graph->nodes[n].step, *dim, NULL) == CT_SPLIT_SUM);
    ct_graph_free(graph);
    return added;
}

/* False, and why, where there is none of this seed. */
static inline bool random_splits_make(random_splits *r, uint64_t seed, ct_context *context,
                                      ct_error *err)
{
    dice d = dice_of(seed, "splits");
    int longest = 0;
    *r = (random_splits){.graph = {.more = splits_stages, .head = splits_head}};
    random_graph_make(&r->graph, seed, context);
    for (int n = 0; n < r->graph.count; n++)
        if (r->graph.node[n].total > longest) longest = r->graph.node[n].total;
    r->block = longest / (1 + roll(&d, 5)) + 1;
    for (int n = 0; n < r->graph.count && !splits_plans(r, context, err); n++)
        r->graph.node[n].pins[0] = 0; /* not legal in such a block, or in a rank's part */
    for (int n = 0; n < r->graph.count; n++)
        if (roll(&d, 2)) splits_pin(r, &d, &r->graph.node[n], context);
    r->sums = splits_are_added(r, context);
    *err = (ct_error){0};
    return splits_plans(r, context, err);
}

#endif
