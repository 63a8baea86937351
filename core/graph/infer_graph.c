/* infer_graph.c: shapes, types and metadata flow along the graph, and the block size is found or
 * checked. Room: core/graph. Knows steps and links. Does not know layouts' use or devices. */
#include <stdio.h>
#include <string.h>

#include "block.h"
#include "fail.h"
#include "graph.h"
#include "infer_inner.h"
#include "memory.h"
#include "observation.h"
#include "text.h"

static void set_extent(ct_array *array, char dim, int64_t extent)
{
    int place = ct_array_find(array, dim);
    if (place >= 0) array->extent[place] = extent;
}

/* Stream lengths, samples to skip and instants of the outputs. */
static void infer_stream(const ct_graph *graph, ct_node *node)
{
    ct_step *step = node->step;
    ct_link link = node->input[0];
    if (link.node < 0) {
        node->length = step->port[0].meta.total;
        node->out_skip = 0;
        return;
    }
    const ct_node *from = &graph->nodes[link.node];
    int64_t overlap = ct_infer_overlap(step), decimate = step->decimate;
    node->out_skip = (from->out_skip + overlap + decimate - 1) / decimate;
    node->length = from->length < 0 ? -1 : from->length / decimate;
    int64_t late = node->out_skip * decimate - overlap - from->out_skip;
    for (int p = 0; p < CT_PORTS && step->stage->ports[p].name; p++) {
        ct_meta *meta = &step->port[p].meta;
        if (step->stage->ports[p].direction != CT_OUT) continue;
        meta->total = node->length < 0                ? -1
                      : node->length > node->out_skip ? node->length - node->out_skip
                                                      : 0;
        meta->start_s += (double)late * step->port[0].meta.sample_time_s;
    }
}

/* Says which blocks would divide, where that is known. */
static ct_status fail_block(ct_graph *graph, const ct_step *step, ct_error *err)
{
    char near[64] = "";
    const long long low = (long long)graph->near[0], high = (long long)graph->near[1];
    graph->misfit = true;
    if (low > 0 && high > 0)
        snprintf(near, sizeof near, "; blocks of %lld and %lld would", low, high);
    else if (high > 0)
        snprintf(near, sizeof near, "; blocks of %lld would", high);
    return ct_step_fail(step, NULL, err,
                        "a block of %lld samples brings %lld samples to this %s, which do not "
                        "divide by %lld%s",
                        (long long)graph->block, (long long)ct_array_extent(&step->port[0], 'T'),
                        step->stage->name, (long long)ct_infer_unit(step), near);
}

/* Shapes of a node that takes its inputs in these numbers of samples. */
static ct_status infer_shapes(const ct_graph *graph, ct_node *node, ct_error *err)
{
    ct_step *step = node->step;
    ct_status status = CT_OK;
    CT_TRY(ct_infer_flags_in(node, err));
    step->decimate = 1;
    step->accumulate = 1;
    step->overlap = 0;
    ct_graph_told(graph, CT_DOING_SHAPES, node->name, 0, 0);
    status = ct_step_infer(step, err);
    ct_graph_told(graph, CT_DOING_SHAPES, NULL, 0, 0);
    CT_TRY(status);
    ct_infer_unused(graph, node);
    CT_TRY(ct_infer_check_flags(node, err));
    CT_TRY(ct_infer_flags_out(node, err));
out:
    return status;
}

/* One node; *grow: the factor that the block lacks (an error where it is fixed). */
static ct_status infer_node(ct_graph *graph, ct_node *node, ct_pass pass, int64_t *grow,
                            ct_error *err)
{
    ct_step *step = node->step;
    ct_status status = CT_OK;
    const bool source = node->input[0].node < 0;
    int64_t take = ct_infer_inputs(graph, node);
    CT_TRY(infer_shapes(graph, node, err));
    if (source) ct_observation_describe(graph, &step->port[0].meta);
    if (source) set_extent(&step->port[0], 'T', graph->block);
    CT_TRY(ct_infer_check_times(graph, node, err));
    *grow = source ? 1 : ct_infer_fit(graph, node, pass, &take);
    if (*grow != 1 && pass == CT_PASS_FIXED) CT_TRY(fail_block(graph, step, err));
    if (take > 0) {
        ct_infer_regroup(graph, node, take);
        CT_TRY(infer_shapes(graph, node, err));
    }
    ct_infer_clock(graph, node);
    CT_TRY(ct_infer_check_sizes(node, err));
    CT_TRY(ct_infer_check_pins(node, err));
    infer_stream(graph, node);
    CT_TRY(ct_infer_check_length(graph, node, err));
out:
    return status;
}

static bool inputs_failed(const ct_node *node, const bool *failed)
{
    for (int p = 0; p < CT_PORTS; p++)
        if (node->input[p].node >= 0 && failed[node->input[p].node]) return true;
    return false;
}

/* One pass over the nodes. Errors of one node do not hide those of others. */
static ct_status infer_pass(ct_graph *graph, ct_pass pass, int64_t *grow, ct_error *err)
{
    ct_status status = CT_OK;
    bool *failed = ct_memory_get(sizeof *failed * (size_t)graph->count);
    *grow = 1;
    CT_NEED(failed, sizeof *failed * (size_t)graph->count, err);
    CT_TRY(ct_clock_table_begin(&graph->clocks, graph->arena, (CT_PORTS + 1) * graph->count + 1,
                                graph->block, err));
    for (int i = 0; i < graph->count && (*grow == 1 || status); i++) {
        ct_node *node = &graph->nodes[i];
        failed[i] = node->broken || inputs_failed(node, failed);
        if (failed[i]) continue;
        ct_status one = infer_node(graph, node, pass, grow, err);
        failed[i] = one != CT_OK;
        if (one == CT_EOF) { /* its data are not waited for */
            graph->unknown = true;
            continue;
        }
        if (status == CT_OK || one == CT_FAILED) status = one;
    }
out:
    ct_memory_free(failed);
    return status;
}

static bool is_source(const ct_node *node)
{
    return !node->broken && ct_role_of(node->step) == CT_ROLE_SOURCE;
}

/* What grows with the block, from sizes at two blocks: arrays of nodes whose inputs are regrouped
 * grow by steps, so the blocks are not small. *two NULL: such blocks are too long for something. */
static ct_status measure(ct_graph *graph, int64_t grain, double **one, double **two, ct_error *err)
{
    enum { PROBE = 65536 };
    ct_status status = CT_OK;
    int64_t grow = 1, times = ct_divide_up(PROBE, grain);
    *one = *two = NULL;
    for (; *two == NULL && times > 0; times = times > 1 ? 1 : 0) {
        ct_memory_free(*one);
        *one = NULL;
        graph->block = times * grain;
        status = infer_pass(graph, CT_PASS_FIXED, &grow, NULL);
        if (status == CT_OK) CT_TRY(ct_block_bytes(one, graph, err));
        graph->block = 2 * times * grain;
        if (status == CT_OK) status = infer_pass(graph, CT_PASS_FIXED, &grow, NULL);
        if (status == CT_OK) CT_TRY(ct_block_bytes(two, graph, err));
        if (status == CT_FAILED) CT_TRY(ct_memory_fail(0, err));
        for (int i = 0; status == CT_OK && i < graph->count * CT_PORTS; i++)
            (*two)[i] = (*one)[i] + ((*two)[i] - (*one)[i]) / (double)times;
    }
    status = CT_OK;
out:
    graph->block = grain;
    return status;
}

static ct_status choose_block(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t grain = graph->block;
    int64_t grow = 1;
    double *one = NULL, *two = NULL;
    CT_TRY(measure(graph, grain, &one, &two, err));
    CT_TRY(infer_pass(graph, CT_PASS_FIXED, &grow, err));
    if (two) graph->block = ct_block_choose(graph, grain, one, two);
    CT_TRY(infer_pass(graph, CT_PASS_FIXED, &grow, err));
out:
    ct_memory_free(one);
    ct_memory_free(two);
    return status;
}

static void describe_blocks(ct_graph *graph)
{
    graph->blocks = -1;
    for (int i = 0; i < graph->count; i++) {
        const ct_node *node = &graph->nodes[i];
        if (!is_source(node)) continue;
        if (node->length >= 0) {
            int64_t blocks = (node->length + graph->block - 1) / graph->block;
            if (blocks > graph->blocks) graph->blocks = blocks;
        }
        if (node->step->port[0].meta.sample_time_s > 0)
            graph->block_s = (double)graph->block * node->step->port[0].meta.sample_time_s;
    }
}

/* The smallest block in which all divides that must. */
static ct_status find_grain(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t grow = 1;
    do {
        graph->block *= grow;
        CT_TRY(infer_pass(graph, CT_PASS_GROW, &grow, err));
    } while (grow != 1 && !graph->unknown);
out:
    return status;
}

/* A block that does not divide: the nearest that do, of which the pipeline's gives way to one. */
static ct_status take_near(ct_graph *graph, int64_t block, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text banks = {0};
    graph->block = 1;
    CT_TRY(find_grain(graph, err));
    const int64_t grain = graph->block, low = block / grain * grain, high = low + grain;
    graph->near[0] = low;
    graph->near[1] = high;
    graph->block = block;
    if (!ct_graph_pins_block(graph)) return CT_OK;
    graph->block = low > 0 && block - low <= high - block ? low : high;
    ct_infer_say_banks(&banks, graph);
    CT_TRY(ct_text_check(&banks, err));
    graph->other_block = ct_arena_print(
        graph->arena, "blocks of %lld samples do not divide by %s: blocks of %lld are taken",
        (long long)block, banks.data, (long long)graph->block);
out:
    ct_text_free(&banks);
    return status;
}

static ct_status infer_given(ct_graph *graph, int64_t block, ct_error *err)
{
    ct_status status = CT_OK;
    ct_error first = {0};
    int64_t grow = 1;
    graph->block = block;
    graph->misfit = false;
    status = infer_pass(graph, CT_PASS_FIXED, &grow, &first);
    if (!graph->misfit) return status == CT_OK ? CT_OK : ct_error_pass(err, status, &first);
    CT_TRY(take_near(graph, block, err));
    CT_TRY(infer_pass(graph, CT_PASS_FIXED, &grow, err));
out:
    return status;
}

static ct_status grain_within(ct_graph *graph, int64_t limit, ct_error *err)
{
    graph->limit = limit;
    graph->block = 1;
    return find_grain(graph, err);
}

/* In blocks in which all divides, so that mistakes are told of these; where they are too long for
 * something, in the shortest. No source is asked again that has failed. */
static ct_status try_all(ct_graph *graph, ct_error *err)
{
    ct_error first = {0};
    ct_status status = grain_within(graph, CT_GRAPH_BLOCK, &first);
    const bool asked = status == CT_INVALID && graph->block > 1;
    if (asked && grain_within(graph, 1, NULL) == CT_OK) return CT_OK;
    return status == CT_OK ? CT_OK : ct_error_pass(err, status, &first);
}

/* Grows so that little has to be regrouped, as far as there is room. */
static ct_status infer_open(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    double *one = NULL, *two = NULL;
    CT_TRY(try_all(graph, err));
    if (graph->unknown) goto out;
    CT_TRY(grain_within(graph, 1, err));
    CT_TRY(measure(graph, graph->block, &one, &two, err));
    if (two) graph->limit = ct_block_room(graph, graph->block, one, two);
    CT_TRY(find_grain(graph, err));
    CT_TRY(choose_block(graph, err));
out:
    ct_memory_free(one);
    ct_memory_free(two);
    return status;
}

ct_status ct_infer_graph(ct_graph *graph, int64_t block, ct_error *err)
{
    graph->limit = 1;
    const ct_status status = block > 0 ? infer_given(graph, block, err) : infer_open(graph, err);
    if (status == CT_OK && !graph->unknown) describe_blocks(graph);
    return status;
}
