/* graph_warnings.c: sentences about what is valid and yet probably not meant: a node that nothing
 * reads, frequencies in another unit. Room: core/graph. Knows links and metadata. Does not know who
 * reads the sentences. */
#include "graph_warnings.h"

#include "memory.h"
#include "text.h"
#include <string.h>

void ct_graph_warn_begin(ct_text *out, const ct_node *node)
{
    char place[768];
    ct_source_location_print(place, sizeof place, &node->location, NULL, true);
    ct_text_add(out, "%s%s", out->length ? "\n" : "", place);
}

const char *ct_graph_warn_keep(ct_arena *arena, ct_text *sentences)
{
    const char *kept = sentences->data ? ct_arena_copy(arena, sentences->data) : "";
    if (sentences->failed) ct_arena_lacks(arena, sentences->lacks);
    if (ct_arena_check(arena, NULL) != CT_OK) kept = "out of memory: warnings are left out";
    ct_text_free(sentences);
    return kept;
}

bool ct_graph_unread(const ct_node *node)
{
    return node->use == 0 && ct_role_of(node->step) != CT_ROLE_SINK;
}

/* ---- frequencies that hardly are what was meant */

#define LOWEST_HZ 1e5   /* below what is observed: a number in MHz or GHz */
#define HIGHEST_HZ 1e12 /* above it: a number in mHz */

/* Their least and greatest; false where they are not known. */
static bool frequencies(const ct_array *array, double *low, double *high)
{
    const ct_meta *meta = &array->meta;
    if (array->type == CT_NONE || !meta->frequency_hz || meta->frequencies < 1) return false;
    *low = *high = meta->frequency_hz[0];
    for (int64_t c = 1; c < meta->frequencies; c++) {
        if (meta->frequency_hz[c] < *low) *low = meta->frequency_hz[c];
        if (meta->frequency_hz[c] > *high) *high = meta->frequency_hz[c];
    }
    return true;
}

/* Complex samples without channels fill a band of one over their sample time. */
static bool warn_band(const ct_array *array, double centre, const ct_node *node, ct_text *out)
{
    const double time = array->meta.sample_time_s;
    if (!ct_type_complex(array->type) || ct_array_find(array, 'C') >= 0 || !(time > 0))
        return false;
    if (centre >= 0.5 / time) return false;
    ct_graph_warn_begin(out, node);
    ct_text_add(out,
                "samples of %g s fill a band of %g Hz, which about %g Hz reaches below 0; is "
                "\"frequency_hz\" in Hz, and \"sample_time_s\" in seconds?",
                time, 1 / time, centre);
    return true;
}

static void warn_source(const ct_node *node, ct_text *out)
{
    double low, high;
    const ct_array *array = &node->step->port[0];
    if (!frequencies(array, &low, &high) || warn_band(array, low, node, out)) return;
    if (low >= LOWEST_HZ && high <= HIGHEST_HZ) return;
    ct_graph_warn_begin(out, node);
    if (low == high)
        ct_text_add(out, "the frequency is %g Hz", low);
    else
        ct_text_add(out, "frequencies are from %g to %g Hz", low, high);
    ct_text_add(out, ", which is hardly observed; is \"frequency_hz\" in Hz?");
}

/* Where a filter bank's channels go below 0 although its input does not. */
static void warn_channels(const ct_node *node, int port, ct_text *out)
{
    double low, high, before, ignored;
    if (!frequencies(&node->step->port[port], &low, &high) || low >= 0) return;
    if (!frequencies(&node->step->port[0], &before, &ignored) || before < LOWEST_HZ) return;
    ct_graph_warn_begin(out, node);
    ct_text_add(out, "channels are from %g to %g Hz: there is nothing below 0", low, high);
}

/* ---- times between samples */

#define VOLTAGES_S 1.0 /* hardly longer than this: a number in microseconds */
#define POWER_S 10.0

static void warn_times(const ct_node *node, ct_text *out)
{
    if (ct_role_of(node->step) != CT_ROLE_SOURCE) return;
    const ct_array *array = &node->step->port[0];
    const double time = array->meta.sample_time_s;
    if (array->type == CT_NONE || !(time > (ct_type_complex(array->type) ? VOLTAGES_S : POWER_S)))
        return;
    ct_graph_warn_begin(out, node);
    ct_text_add(out, "a sample is %g s long; is \"sample_time_s\" in seconds?", time);
}

static void warn_frequencies(const ct_node *node, ct_text *out)
{
    const int port = ct_step_first_output(node->step);
    if (ct_role_of(node->step) == CT_ROLE_SOURCE)
        warn_source(node, out);
    else if (port >= 0)
        warn_channels(node, port, out);
}

/* The stage's own sentences. */
static void warn_said(const ct_node *node, ct_text *out)
{
    for (const char *at = ct_step_warned(node->step); *at;) {
        const int length = (int)strcspn(at, "\n");
        ct_graph_warn_begin(out, node);
        ct_text_add(out, "%.*s", length, at);
        at += length + (at[length] != 0);
    }
}

/* Once only. */
static void warn_clock(const ct_graph *graph, ct_text *out)
{
    for (int n = 0; n < graph->count; n++) {
        if (!ct_step_looks_up(graph->nodes[n].step)) continue;
        if (ct_step_observation(graph->nodes[n].step)->dut1_s) return;
        ct_graph_warn_begin(out, &graph->nodes[n]);
        ct_text_add(out, "\"observation\" has no \"dut1_s\", UT1 - UTC: 0 is taken; 1 s is 15 "
                         "seconds of arc");
        return;
    }
}

static void warn_block(const ct_graph *graph, ct_text *out)
{
    char place[768];
    const ct_source_location location = {
        .file = graph->file, .text = graph->text, .pointer = "/block/T"};
    if (!graph->other_block) return;
    ct_source_location_print(place, sizeof place, &location, NULL, false);
    ct_text_add(out, "%s%s", place, graph->other_block);
}

const char *ct_graph_warn(const ct_graph *graph)
{
    ct_text out = {0};
    warn_block(graph, &out);
    warn_clock(graph, &out);
    for (int n = 0; n < graph->count; n++) {
        warn_said(&graph->nodes[n], &out);
        warn_times(&graph->nodes[n], &out);
        warn_frequencies(&graph->nodes[n], &out);
        if (!ct_graph_unread(&graph->nodes[n])) continue;
        ct_graph_warn_begin(&out, &graph->nodes[n]);
        ct_text_add(&out, "nothing reads what this node gives; it is computed all the same");
    }
    return ct_graph_warn_keep(graph->arena, &out);
}
