/* run_warnings.c: sentences about samples at the end of a stream that fill no whole output.
 * Room: core/watch. Knows links and stream lengths. Does not know who reads the sentences. */
#include "graph_warnings.h"
#include "run.h"
#include "text.h"

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

/* Samples of this port after those of the last whole output. */
static void say_rest(const ct_run *run, int n, int port, ct_text *out)
{
    const ct_node *node = &run->plan->graph->nodes[n];
    const ct_array *in = &node->step->port[port];
    int from = node->input[port].node;
    if (from < 0 || ct_array_find(in, 'T') < 0) return;
    int64_t decimate = node->step->decimate;
    int64_t rest = run->length[from] - run->length[n] * decimate;
    if (rest <= 0) return;
    ct_graph_warn_begin(out, node);
    const char *name = run->plan->graph->nodes[from].name;
    if (rest == 1)
        ct_text_add(out, "the last sample of \"%s\"", name);
    else
        ct_text_add(out, "the last %lld samples of \"%s\"", (long long)rest, name);
    if (in->meta.sample_time_s > 0)
        ct_text_add(out, " (%.3g s)", (double)rest * in->meta.sample_time_s);
    ct_text_add(out, rest == 1 ? " is left out: " : " are left out: ");
    if (rest < decimate)
        ct_text_add(out, "an output takes %lld", (long long)decimate);
    else
        ct_text_add(out, "\"%s\" ended before", first_to_end(run, node));
}

/* After the end of the stream, if something was published. */
const char *ct_run_warnings(const ct_run *run)
{
    if (!run) return "";
    ct_text out = {0};
    const ct_graph *graph = run->plan->graph;
    if (!run->finished || (run->failed != CT_OK && !run->hooks.publish_partial)) return "";
    for (int n = 0; n < graph->count; n++) {
        const ct_step *step = graph->nodes[n].step;
        bool sink = ct_role_of(step) == CT_ROLE_SINK;
        for (int p = 0; p < ct_step_ports(step) && !sink; p++)
            say_rest(run, n, p, &out);
    }
    return ct_graph_warn_keep(run->arena, &out);
}
