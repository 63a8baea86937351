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

static void set_extent(ct_array *array, char dim, int64_t extent)
{
    int place = ct_array_find(array, dim);
    if (place >= 0) array->extent[place] = extent;
}

static void take_inputs(const ct_graph *graph, ct_node *node)
{
    node->period = 1;
    for (int p = 0; p < CT_PORTS; p++) {
        ct_link link = node->input[p];
        if (link.node < 0) continue;
        const ct_node *from = &graph->nodes[link.node];
        node->step->port[p] = from->step->port[link.port];
        node->step->port[p].layout = (ct_layout){0};
        if (from->out_period > node->period) node->period = from->out_period;
    }
}

/* Stream lengths, samples to skip and instants of the outputs. */
static void infer_stream(const ct_graph *graph, ct_node *node)
{
    ct_step *step = node->step;
    ct_link link = node->input[0];
    node->out_period = node->period * step->accumulate;
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

/* Input samples that a block has to bring whole: for the outputs, and where the stage asks for it.
 */
static int64_t whole_unit(const ct_step *step)
{
    return step->decimate / ct_common_divisor(step->decimate, step->grain) * step->grain;
}

/* What a pass is for. */
typedef enum ct_pass {
    CT_PASS_GROW,       /* to find how the block must grow so that all divides */
    CT_PASS_ACCUMULATE, /* likewise, but a stage that accumulates may accumulate several blocks
                           instead */
    CT_PASS_FIXED       /* the block stays: what does not divide is an error, but for such stages */
} ct_pass;

/* How the block must grow for this node (1: it fits). */
static int64_t fit_decimation(const ct_step *step, ct_pass pass)
{
    int64_t samples = ct_array_extent(&step->port[0], 'T'), unit = whole_unit(step);
    if (ct_array_find(&step->port[0], 'T') < 0 || unit < 1 || samples % unit == 0) return 1;
    if (pass != CT_PASS_GROW && step->accumulate > 1) return 1;
    const int64_t common = ct_common_divisor(samples, unit);
    return common > 0 ? unit / common : 1;
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
                        step->stage->name, (long long)whole_unit(step), near);
}

/* One node; *grow: the factor that the block lacks (an error where it is fixed). */
static ct_status infer_node(ct_graph *graph, ct_node *node, ct_pass pass, int64_t *grow,
                            ct_error *err)
{
    ct_step *step = node->step;
    ct_status status = CT_OK;
    take_inputs(graph, node);
    CT_TRY(ct_infer_flags_in(node, err));
    bool source = node->input[0].node < 0;
    step->decimate = 1;
    step->accumulate = 1;
    step->overlap = 0;
    CT_TRY(ct_step_infer(step, err));
    ct_infer_unused(graph, node);
    CT_TRY(ct_infer_check_flags(node, err));
    CT_TRY(ct_infer_flags_out(node, err));
    if (source) ct_observation_describe(graph, &step->port[0].meta);
    if (source) set_extent(&step->port[0], 'T', graph->block);
    CT_TRY(ct_infer_check_times(graph, node, err));
    *grow = source ? 1 : fit_decimation(step, pass);
    if (*grow != 1 && pass == CT_PASS_FIXED) CT_TRY(fail_block(graph, step, err));
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

/* Sizes at two blocks say what grows with it and what does not. */
static ct_status choose_block(ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t grain = graph->block;
    int64_t grow = 1;
    double *one = NULL, *two = NULL;
    CT_TRY(ct_block_bytes(&one, graph, err));
    graph->block = 2 * grain;
    const ct_status twice = infer_pass(graph, CT_PASS_FIXED, &grow, NULL);
    if (twice == CT_FAILED) CT_TRY(ct_memory_fail(0, err));
    if (twice == CT_OK) {
        CT_TRY(ct_block_bytes(&two, graph, err));
        graph->block = ct_block_choose(graph, grain, one, two);
    } else { /* what is too long twice over is asked for once */
        graph->block = grain;
    }
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

/* The smallest block that this kind of pass finds; 0 where something else is wrong. */
static int64_t find_grain(ct_graph *graph, ct_pass pass)
{
    int64_t grow = 1;
    graph->block = 1;
    do {
        graph->block *= grow;
        if (graph->block > CT_GRAPH_BLOCK || infer_pass(graph, pass, &grow, NULL) != CT_OK)
            return 0;
    } while (grow != 1);
    return graph->block;
}

/* The nearest multiple of `grain` in this direction that works, of a few. */
static int64_t find_near(ct_graph *graph, int64_t block, int64_t grain, int direction)
{
    enum { TRIES = 32 };
    int64_t grow = 1;
    for (int64_t n = 0, at = block / grain + (direction > 0); n < TRIES && at > 0;
         n++, at += direction) {
        graph->block = at * grain;
        if (infer_pass(graph, CT_PASS_FIXED, &grow, NULL) == CT_OK) return graph->block;
    }
    return 0;
}

/* A block that does not divide: which ones near it would. */
static void find_blocks(ct_graph *graph, int64_t block)
{
    const int64_t grains[] = {find_grain(graph, CT_PASS_ACCUMULATE),
                              find_grain(graph, CT_PASS_GROW)};
    for (int side = 0; side < 2; side++)
        for (int g = 0; g < 2 && graph->near[side] == 0; g++)
            if (grains[g] > 0)
                graph->near[side] = find_near(graph, block, grains[g], side ? 1 : -1);
    graph->block = block;
}

/* The nearest that divides, in place of the pipeline's; false: none is known, or a plan gives it.
 */
static bool take_near(ct_graph *graph, int64_t block)
{
    const int64_t low = graph->near[0], high = graph->near[1];
    if (!ct_graph_pins_block(graph) || (low == 0 && high == 0)) return false;
    graph->block = high == 0 || (low > 0 && block - low <= high - block) ? low : high;
    graph->other_block = ct_arena_print(
        graph->arena,
        "blocks of %lld samples do not divide by what the stages take at once: blocks "
        "of %lld are taken",
        (long long)block, (long long)graph->block);
    return true;
}

ct_status ct_infer_graph(ct_graph *graph, int64_t block, ct_error *err)
{
    ct_status status = CT_OK;
    ct_error first = {0};
    int64_t grow = 1;
    const ct_pass pass = block > 0 ? CT_PASS_FIXED : CT_PASS_GROW;
    graph->block = block > 0 ? block : 1;
    graph->misfit = false;
    status = infer_pass(graph, pass, &grow, &first);
    if (!graph->misfit && status != CT_OK) return ct_error_pass(err, status, &first);
    if (graph->misfit) {
        find_blocks(graph, block);
        (void)take_near(graph, block);
        CT_TRY(infer_pass(graph, pass, &grow, err));
    }
    while (block == 0 && grow != 1) {
        graph->block *= grow;
        CT_TRY(infer_pass(graph, pass, &grow, err));
    }
    if (graph->unknown) return CT_OK;
    if (block == 0) CT_TRY(choose_block(graph, err));
    describe_blocks(graph);
out:
    return status;
}
