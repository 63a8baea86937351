/* random_graph.h: a pipeline at random: sources of any shape and type, then stages that take what
 * is there. A stage's place, parameters and pins are drawn, and kept where the pipeline is valid
 * with them; what nothing reads gets a sink.
 *
 * Room: tests. Knows graphs. Does not know plans or what stages compute. */
#ifndef CT_TESTS_RANDOM_GRAPH_H
#define CT_TESTS_RANDOM_GRAPH_H
#include <stdarg.h>
#include <stdio.h>

#include "random_plan.h"
#include "random_source.h"

enum { GRAPH_NODES = 12, GRAPH_TEXT = 32768 };

typedef struct random_node {
    char name[32], text[1024], pins[1024];
    int reads;    /* a node; -1: a source */
    int total;    /* of a source: samples along T */
    int key;      /* of a source: which samples */
    bool counts;  /* of its two outputs the second */
    bool sink;    /* one of its own, even where something else reads it */
    bool removed; /* while a failure is made smaller */
} random_node;

typedef void (*random_maker)(dice *, random_node *, const ct_array *);

typedef struct random_graph {
    const random_maker *more; /* other stages than those of here, NULL behind the last; or NULL */
    const char *head;         /* members of the pipeline before its nodes; or NULL */
    uint64_t seed;
    uint64_t like; /* that of the graph whose nodes it has; usually its own */
    int count;
    random_node node[GRAPH_NODES];
    int64_t block; /* 0: left open */
    bool edited;   /* a random plan instead of the default one */
} random_graph;

/* ---- its text */

static inline bool random_is_read(const random_graph *g, int n, bool counts)
{
    for (int m = 0; m < g->count; m++)
        if (!g->node[m].removed && g->node[m].reads == n && g->node[m].counts == counts)
            return true;
    return false;
}

static inline bool random_correlates(const random_node *node)
{
    return strstr(node->text, "\"correlator\"") != NULL;
}

static inline void random_add(char *out, const char *format, ...)
{
    va_list args;
    char more[1024];
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    strcat(out, more);
}

static inline void random_add_sink(char *out, const random_node *node, const char *port, int n)
{
    random_add(out, ",\n \"o%d%s\": {\"stage\": \"sink.npy\", \"input\": \"%s%s\", \"file\": ", n,
               port[0] ? "c" : "", node->name, port);
    random_add(out, "\"%d%s.npy\"}", n, port[0] ? "c" : "");
}

static inline const char *random_text(const random_graph *g, char out[GRAPH_TEXT])
{
    out[0] = 0;
    random_add(out, "{\"cornerturn\": 1, %s\"nodes\": {", g->head ? g->head : "");
    const char *between = "\n";
    for (int n = 0; n < g->count; n++) {
        const random_node *node = &g->node[n];
        if (node->removed) continue;
        random_add(out, "%s \"%s\": {%s", between, node->name, node->text);
        if (node->reads < 0)
            random_add(out, ", \"total\": %d, \"key\": %d", node->total, node->key);
        else
            random_add(out, ", \"input\": \"%s%s\"", g->node[node->reads].name,
                       node->counts ? ".COUNTS" : "");
        random_add(out, "%s}", node->pins);
        between = ",\n";
    }
    for (int n = 0; n < g->count; n++) {
        const random_node *node = &g->node[n];
        if (node->removed) continue;
        if (node->sink || !random_is_read(g, n, false)) random_add_sink(out, node, "", n);
        if (random_correlates(node) && node->sink && !random_is_read(g, n, true))
            random_add_sink(out, node, ".COUNTS", n);
    }
    random_add(out, "}}\n");
    return out;
}

/* The graph, its block left open; NULL where it is not valid. */
static inline ct_graph *random_parse(const random_graph *g, ct_context *context)
{
    char text[GRAPH_TEXT];
    ct_graph *graph = NULL;
    ct_error err = {0};
    (void)ct_graph_parse(&graph, context, random_text(g, text), "graphs.json", NULL, &err);
    return graph;
}

/* ---- sources */

static inline int64_t roll_one(dice *d, const int64_t *list, int count)
{
    return list[roll(d, count)];
}
#define ROLL(d, ...)                                                                               \
    roll_one(d, (const int64_t[]){__VA_ARGS__},                                                    \
             (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))

static inline const char *roll_word(dice *d, const char *const *words)
{
    int count = 0;
    while (words[count])
        count++;
    return words[roll(d, count)];
}

/* What leads to which stages: raw voltages, channels of voltages, powers, any array. */
static inline void roll_source(dice *d, random_node *node)
{
    static const char *const raw[] = {"ci4", "ci8", "ci16", "cf32", "i8", "i16", "f32", NULL};
    static const char *const spectra[] = {"ci4", "ci8", "ci16", "cf32", "cf32", "ci8", NULL};
    static const char *const powers[] = {"u8", "u16", "i8", "f32", NULL};
    static const char *const any[] = {"f16", "cf16", "u32", "ci32", "i32", "i16", NULL};
    const int kind = (int)roll(d, 9);
    const int64_t s = ROLL(d, 1, 2, 3, 5, 7), p = ROLL(d, 1, 2, 2, 2, 2, 3),
                  c = ROLL(d, 1, 3, 5, 8, 11);
    const int64_t total = kind < 4 ? 60 + roll(d, 700) : 12 + roll(d, 120);
    char shape[64];
    if (kind < 4)
        snprintf(shape, sizeof shape, "S=%d P=%d T=0", (int)s, (int)p);
    else if (kind < 7)
        snprintf(shape, sizeof shape, "S=%d P=%d T=0 C=%d", (int)s, (int)p, (int)c);
    else if (kind == 7)
        snprintf(shape, sizeof shape, roll(d, 2) ? "%c=%d T=0 C=%d" : "%c=%d Q=4 T=0 C=%d",
                 roll(d, 2) ? 'B' : 'S', (int)s, (int)c);
    else
        snprintf(shape, sizeof shape, "B=%d T=0 D=%d", (int)s, (int)c);
    const char *type = roll_word(d, kind < 4 ? raw : kind < 7 ? spectra : kind == 7 ? powers : any);
    snprintf(node->text, sizeof node->text,
             "\"stage\": \"source.random\", \"shape\": \"%s\", \"type\": \"%s\", \"missing\": %s",
             shape, type, roll(d, 2) ? "true" : "false");
    node->reads = -1;
    node->total = (int)total;
    node->key = (int)roll(d, 1000);
}

/* ---- stages */

static inline void roll_beams(dice *d, random_node *node, const ct_array *x)
{
    static const double place[7][2] = {{0, 0},  {30, 0}, {0, 40}, {25, 25},
                                       {7, 50}, {3, 9},  {60, 2}};
    const int beams = (int)ROLL(d, 1, 2, 3, 5);
    char *out = node->text;
    if (roll(d, 4) == 0) {
        random_add(out, "\"stage\": \"beamformer\", \"mode\": \"incoherent\"");
        return;
    }
    random_add(out, "\"stage\": \"beamformer\", \"positions\": [");
    for (int64_t s = 0; s < ct_array_extent(x, 'S') && s < 7; s++)
        random_add(out, "%s[%g, %g, 0]", s ? ", " : "", place[s][0], place[s][1]);
    random_add(out, "], \"directions\": [");
    for (int b = 0; b < beams; b++)
        random_add(out, "%s[%d, %d]", b ? ", " : "", 40 * b, 60 + b);
    random_add(out, "]%s", roll(d, 2) ? ", \"normalise\": \"mean\"" : "");
}

/* Trials whose longest sweep is a few samples. */
static inline void roll_trials(dice *d, random_node *node, const ct_array *x)
{
    const double ts = x->meta.sample_time_s, *f = x->meta.frequency_hz;
    const int64_t channels = ct_array_extent(x, 'C');
    double least = INFINITY, most = 0;
    for (int64_t c = 0; f && c < channels && c < x->meta.frequencies; c++) {
        least = fmin(least, f[c] * 1e-6);
        most = fmax(most, f[c] * 1e-6);
    }
    const double per_dm = 4148.808 * (1 / (least * least) - 1 / (most * most)) / ts;
    const int count = (int)ROLL(d, 1, 2, 3, 7), down = (int)ROLL(d, 1, 1, 1, 2, 3);
    const double top = per_dm > 0 ? (double)(1 + roll(d, 14)) / per_dm : 1;
    random_add(node->text,
               "\"stage\": \"dedisp\", \"dm\": {\"start\": 0, \"step\": %.6g, \"count\": %d, "
               "\"downsample\": %d}",
               top / count, count, down);
}

static inline void roll_fir(dice *d, random_node *node, const ct_array *x)
{
    static const char *const norms[] = {"none", "peak", "sum", NULL};
    (void)x;
    random_add(node->text,
               "\"stage\": \"fir\", \"channels\": %d, \"taps\": %d, \"center_dc\": %s, "
               "\"normalise\": \"%s\"",
               (int)ROLL(d, 1, 2, 3, 4, 7, 8, 12, 16), (int)ROLL(d, 1, 2, 3, 5, 8),
               roll(d, 2) ? "true" : "false", roll_word(d, norms));
}

static inline void roll_fft(dice *d, random_node *node, const ct_array *x)
{
    (void)d, (void)x;
    random_add(node->text, "\"stage\": \"fft\"");
}

static inline void roll_transpose(dice *d, random_node *node, const ct_array *x)
{
    (void)d, (void)x;
    random_add(node->text, "\"stage\": \"transpose\"");
}

static inline void roll_products(dice *d, random_node *node, const ct_array *x)
{
    (void)x;
    random_add(node->text, "\"stage\": \"correlator\", \"integrate\": %d%s",
               (int)ROLL(d, 1, 2, 3, 4, 5, 7, 12, 16), roll(d, 4) ? "" : ", \"sums\": \"float\"");
}

static inline void roll_powers(dice *d, random_node *node, const ct_array *x)
{
    (void)x;
    random_add(node->text, "\"stage\": \"detect\", \"integrate\": %d%s",
               (int)ROLL(d, 1, 1, 2, 3, 4, 8), roll(d, 2) ? ", \"stokes\": \"IQUV\"" : "");
}

/* Of what correlators and detection give; no difference of what is nearly equal. */
static inline void roll_sums(dice *d, random_node *node, const ct_array *x)
{
    static const char *const words[] = {"I", "V", "UI", NULL};
    (void)x;
    random_add(node->text, "\"stage\": \"products\", \"products\": \"%s\"", words[roll(d, 3)]);
}

/* What is usual after what, so that most pipelines make sense: half of the draws. Of the others,
 * transposes, which follow anything, are a few. */
static inline void roll_stage(dice *d, random_node *node, const char *from, const ct_array *x)
{
    static const random_maker stages[] = {roll_fir,    roll_fft,    roll_beams,     roll_products,
                                          roll_powers, roll_trials, roll_transpose, roll_sums};
    static const struct {
        const char *from;
        size_t stage;
    } usual[] = {{"source.random", 0}, {"fir", 1},        {"fft", 3},        {"fft", 2},
                 {"fft", 2},           {"beamformer", 4}, {"beamformer", 4}, {"beamformer", 4},
                 {"detect", 5},        {"correlator", 7}};
    size_t which = (size_t)roll(d, sizeof stages / sizeof *stages);
    if (which == 6 && roll(d, 4)) which = 3;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(from, usual[i].from) == 0 && roll(d, 2)) which = usual[i].stage;
    node->text[0] = 0;
    stages[which](d, node, x);
}

/* One that is given beside these, of three. */
static inline void roll_other(const random_graph *g, dice *d, random_node *node, const ct_array *x)
{
    int count = 0;
    while (g->more && g->more[count])
        count++;
    if (count == 0 || roll(d, 3)) return;
    node->text[0] = 0;
    g->more[roll(d, count)](d, node, x);
}

static inline const ct_step *random_step(const ct_graph *graph, const char *name)
{
    return graph->nodes[ct_graph_find(graph, name)].step;
}

/* Draws a stage for some output until one fits; false where none of many does. */
static inline bool random_grow(random_graph *g, dice *d, ct_context *context)
{
    ct_graph *graph = random_parse(g, context), *grown = NULL;
    random_node *node = &g->node[g->count];
    for (int tries = 0; graph && !grown && tries < 40; tries++) {
        *node = (random_node){.sink = roll(d, 4) == 0};
        snprintf(node->name, sizeof node->name, "n%d", g->count);
        node->reads = (int)(roll(d, 3) ? g->count - 1 : roll(d, g->count));
        node->counts = random_correlates(&g->node[node->reads]) && roll(d, 3) == 0;
        const ct_step *from = random_step(graph, g->node[node->reads].name);
        const ct_array *x = &from->port[ct_step_first_output(from)];
        roll_stage(d, node, from->stage->name, x);
        roll_other(g, d, node, x);
        g->count++;
        grown = random_parse(g, context);
        if (!grown) g->count--;
    }
    const bool done = grown != NULL;
    ct_graph_free(grown);
    ct_graph_free(graph);
    return done;
}

/* ---- pins, fusion */

/* Kept where the pipeline still has a plan. */
static inline void random_keep(random_graph *g, random_node *node, ct_context *context,
                               const char *pins)
{
    char before[sizeof node->pins];
    ct_plan *plan = NULL;
    memcpy(before, node->pins, sizeof before);
    strncat(node->pins, pins, sizeof node->pins - strlen(node->pins) - 1);
    ct_graph *graph = random_parse(g, context);
    if (!graph || ct_plan_default(&plan, graph, NULL, NULL) != CT_OK)
        memcpy(node->pins, before, sizeof before);
    ct_plan_free(plan);
    ct_graph_free(graph);
}

static inline void roll_pins(random_graph *g, dice *d, random_node *node, ct_context *context)
{
    char pins[256];
    ct_graph *graph = random_parse(g, context);
    if (ct_graph_find(graph, node->name) < 0) { /* part of another one */
        ct_graph_free(graph);
        return;
    }
    const ct_step *step = random_step(graph, node->name);
    const int out = ct_step_first_output(step);
    const ct_layout read = roll_layout(d, step, 0), write = roll_layout(d, step, out);
    const int kind = node->reads < 0 ? 1 : (int)roll(d, 3);
    snprintf(pins, sizeof pins, ", \"layout\": {%s%s%s%s%s%s%s}", kind == 1 ? "" : "\"read\": \"",
             kind == 1 ? "" : read.dim, kind == 1 ? "" : "\"", kind == 2 ? ", " : "",
             kind == 0 ? "" : "\"write\": \"", kind == 0 ? "" : write.dim, kind == 0 ? "" : "\"");
    if (roll(d, 3) == 0) random_keep(g, node, context, pins);
    if (ct_step_tunables(step) && roll(d, 4) == 0) {
        char word[32];
        const int t = (int)roll(d, ct_step_tunables(step));
        const int n = (int)roll(d, ct_step_tunable_count(step, t));
        const int64_t value = ct_step_tunable_value(step, t, n);
        snprintf(pins, sizeof pins, ", \"tunables\": {\"%s\": \"%s\"}",
                 step->stage->tuning.tunables[t].name, ct_step_value_word(step, t, value, word));
        random_keep(g, node, context, pins);
    }
    ct_graph_free(graph);
}

static inline void random_graph_make(random_graph *g, uint64_t seed, ct_context *context)
{
    dice d = dice_of(seed, "graph");
    const int sources = roll(&d, 4) ? 1 : 2, wanted = sources + 1 + (int)roll(&d, 6);
    *g = (random_graph){.more = g->more, .head = g->head, .seed = seed, .like = seed};
    for (; g->count < sources; g->count++) {
        snprintf(g->node[g->count].name, sizeof g->node->name, "n%d", g->count);
        roll_source(&d, &g->node[g->count]);
    }
    while (g->count < wanted && random_grow(g, &d, context))
        ;
    for (int n = 0; n < g->count; n++)
        if (strstr(g->node[n].text, "\"detect\"") && roll(&d, 2))
            random_keep(g, &g->node[n], context, ", \"fuse\": true");
    for (int n = 0; n < g->count; n++)
        roll_pins(g, &d, &g->node[n], context);
}

#endif
