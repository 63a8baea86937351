/* run_warnings.c: a sentence about samples at the end of a stream that fill no whole output.
 * Room: core/watch. Knows links and stream lengths. Does not know who reads the sentences. */
#include "graph_warnings.h"
#include "run.h"
#include "text.h"

#define WORTH_A_WORD 0.01 /* of what a node gets */

/* The input that ended first, so that this node ended. */
static const char *first_to_end(const ct_run *run, const ct_node *node)
{
    const ct_node *nodes = run->plan->graph->nodes;
    int first = -1;
    for (int p = 0; p < CT_PORTS; p++) {
        int from = node->input[p].node;
        if (from < 0 || ct_array_find(&node->step->port[p], 'T') < 0) continue;
        if (first < 0 || run->length[from] < run->length[first]) first = from;
    }
    return nodes[first].name;
}

/* Beyond its own samples an output takes these of port 0: dispersed ones come later in other
 * channels. */
static int64_t reach(const ct_step *step, int port)
{
    return port == 0 && step->overlap_kind == CT_VALID ? step->overlap : 0;
}

/* Samples of a port after those with which the last whole output begins, and which part of all they
 * are. */
typedef struct left_over {
    int node, port;
    int64_t samples;
    double part;
} left_over;

static left_over rest_of(const ct_run *run, int n, int port)
{
    const ct_node *node = &run->plan->graph->nodes[n];
    const int from = node->input[port].node;
    left_over found = {n, port, 0, 0};
    if (from < 0 || ct_array_find(&node->step->port[port], 'T') < 0) return found;
    found.samples = run->length[from] - run->length[n] * node->step->decimate;
    found.samples += reach(node->step, port);
    if (found.samples > run->length[from]) found.samples = run->length[from];
    found.part = run->length[from] > 0 ? (double)found.samples / (double)run->length[from] : 0;
    return found;
}

static void say_rest(const ct_run *run, const left_over *rest, ct_text *out)
{
    const ct_node *node = &run->plan->graph->nodes[rest->node];
    const ct_array *in = &node->step->port[rest->port];
    const int64_t taken = node->step->decimate + reach(node->step, rest->port);
    const char *name = run->plan->graph->nodes[node->input[rest->port].node].name;
    ct_graph_warn_begin(out, node);
    if (rest->samples == 1)
        ct_text_add(out, "the last sample of \"%s\"", name);
    else
        ct_text_add(out, "the last %lld samples of \"%s\"", (long long)rest->samples, name);
    if (in->meta.sample_time_s > 0)
        ct_text_add(out, " (%.3g s)", (double)rest->samples * in->meta.sample_time_s);
    ct_text_add(out, rest->samples == 1 ? " is left out: " : " are left out: ");
    if (rest->samples < taken)
        ct_text_add(out, "an output takes %lld", (long long)taken);
    else
        ct_text_add(out, "\"%s\" ended before", first_to_end(run, node));
}

/* After the end of the stream, if something was published: where most of an array is left out, if
 * that is worth a word. A few samples are left nearly always. */
const char *ct_run_warnings(const ct_run *run)
{
    if (!run) return "";
    ct_text out = {0};
    left_over most = {0};
    const ct_graph *graph = run->plan->graph;
    if (!run->finished || (run->failed != CT_OK && !run->hooks.publish_partial)) return "";
    for (int n = 0; n < graph->count; n++) {
        const ct_step *step = graph->nodes[n].step;
        bool sink = ct_role_of(step) == CT_ROLE_SINK;
        for (int p = 0; p < ct_step_ports(step) && !sink; p++) {
            const left_over one = rest_of(run, n, p);
            if (one.part > most.part) most = one;
        }
    }
    if (most.part > WORTH_A_WORD) say_rest(run, &most, &out);
    return ct_graph_warn_keep(run->arena, &out);
}
