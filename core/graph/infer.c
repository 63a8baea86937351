/* infer.c: shapes, types and metadata flow along the graph, and the block size is found or checked.
 * Room: core/graph. Knows steps and links. Does not know layouts' use or devices. */
#include <stdio.h>
#include <string.h>

#include "block.h"
#include "fail.h"
#include "graph.h"
#include "layout.h"
#include "memory.h"

enum { CT_KEY = 64, CT_RATE = 160 }; /* room for a port's place, for a sentence about a node */

#define MOST_BYTES 1e18 /* of one array: offsets have 63 bits, with room for gaps */

static void set_extent(ct_array *array, char dim, int64_t extent)
{
    int place = ct_array_find(array, dim);
    if (place >= 0) array->extent[place] = extent;
}

/* A flags port that the pipeline leaves open has the run's. */
static void infer_flags(ct_node *node)
{
    ct_step *step = node->step;
    for (int p = 0; p < ct_step_ports(step); p++)
        if ((step->stage->ports[p].flags & CT_PORT_FLAGS) && node->input[p].node < 0)
            step->port[p] = ct_step_flags(step);
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
    infer_flags(node);
}

static void input_key(char key[CT_KEY], const ct_node *node, int port)
{
    snprintf(key, CT_KEY, "input/%s", node->step->stage->ports[port].name);
}

/* "fft" brings 64 samples a block */
static void say_rate(char out[CT_RATE], const ct_node *node, const ct_array *array)
{
    const long long count = (long long)ct_array_extent(array, 'T');
    int length =
        snprintf(out, CT_RATE, "\"%s\" brings %lld sample%s ", node->name, count, &"s"[count == 1]);
    if (node->out_period == 1)
        snprintf(out + length, CT_RATE - (size_t)length, "a block");
    else
        snprintf(out + length, CT_RATE - (size_t)length, "every %lld blocks",
                 (long long)node->out_period);
}

/* Several inputs that all have time must have the same time: as many samples, as often, from the
 * same one on. */
static ct_status check_times(const ct_graph *graph, const ct_node *node, ct_error *err)
{
    const ct_array *first = &node->step->port[0];
    char key[CT_KEY], rate[2][CT_RATE];
    for (int p = 1; p < CT_PORTS; p++) {
        const ct_array *other = &node->step->port[p];
        if (node->input[p].node < 0 || ct_array_find(other, 'T') < 0) continue;
        const ct_node *a = &graph->nodes[node->input[0].node],
                      *b = &graph->nodes[node->input[p].node];
        input_key(key, node, p);
        if (ct_array_extent(other, 'T') != ct_array_extent(first, 'T') ||
            a->out_period != b->out_period) {
            say_rate(rate[0], a, first);
            say_rate(rate[1], b, other);
            return ct_step_fail(node->step, key, err,
                                "%s and %s: inputs of one node need the same samples in time",
                                rate[0], rate[1]);
        }
        if (a->out_skip != b->out_skip)
            return ct_step_fail(node->step, key, err,
                                "\"%s\" begins with its sample %lld, \"%s\" with its sample %lld: "
                                "inputs of one node need the same samples in time",
                                a->name, (long long)a->out_skip, b->name, (long long)b->out_skip);
    }
    return CT_OK;
}

/* Flags that the pipeline brings are of the data's stations. */
static ct_status check_flags(const ct_node *node, int port, ct_error *err)
{
    char key[CT_KEY];
    const ct_array *flags = &node->step->port[port], *data = &node->step->port[0];
    input_key(key, node, port);
    if (ct_array_find(data, 'S') < 0)
        return ct_step_fail(node->step, key, err,
                            "flags are of stations, and the data have none (dimensions %s)",
                            data->dim);
    if (ct_array_extent(flags, 'S') == ct_array_extent(data, 'S')) return CT_OK;
    return ct_step_fail(node->step, key, err, "found flags of %lld stations, the data have %lld",
                        (long long)ct_array_extent(flags, 'S'),
                        (long long)ct_array_extent(data, 'S'));
}

static ct_status check_brought(const ct_node *node, ct_error *err)
{
    ct_status status = CT_OK;
    for (int p = 0; p < ct_step_ports(node->step); p++)
        if ((node->step->stage->ports[p].flags & CT_PORT_FLAGS) && node->input[p].node >= 0)
            CT_TRY(check_flags(node, p, err));
out:
    return status;
}

static int64_t valid_overlap(const ct_step *step)
{
    return step->overlap_kind == CT_VALID ? step->overlap : 0;
}

/* Stream lengths, samples to skip and instants of the outputs. */
static void infer_stream(const ct_graph *graph, ct_node *node)
{
    ct_step *step = node->step;
    ct_link link = node->input[0];
    node->out_period = node->period * step->gather;
    if (link.node < 0) {
        node->length = step->port[0].meta.total;
        node->out_skip = 0;
        return;
    }
    const ct_node *from = &graph->nodes[link.node];
    int64_t overlap = valid_overlap(step), decimate = step->decimate;
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

/* Kernels count along each dimension in 32 bits, and memory in 64. */
static ct_status check_sizes(const ct_node *node, ct_error *err)
{
    for (int p = 0; p < CT_PORTS && node->step->stage->ports[p].name; p++) {
        const ct_array *array = &node->step->port[p];
        double bytes = array->type == CT_NONE ? 0 : ct_type_bits(array->type) / 8.0;
        for (int k = 0; array->type != CT_NONE && k < array->rank; k++) {
            int64_t extent = array->extent[k];
            if (array->dim[k] == 'T') extent += p == 0 ? node->step->overlap : 0;
            bytes *= (double)extent;
            if (extent > INT32_MAX)
                return ct_step_fail(node->step, NULL, err,
                                    "port %s has %lld along %c, expected at most %d; make "
                                    "\"block\" smaller",
                                    node->step->stage->ports[p].name, (long long)extent,
                                    array->dim[k], INT32_MAX);
        }
        if (bytes > MOST_BYTES)
            return ct_step_fail(node->step, NULL, err,
                                "port %s has %g bytes, expected at most %g; make \"block\" smaller",
                                node->step->stage->ports[p].name, bytes, MOST_BYTES);
    }
    return CT_OK;
}

/* A stream that is too short for a single output is a mistake, not an empty result. */
static ct_status check_length(const ct_graph *graph, const ct_node *node, ct_error *err)
{
    if (node->input[0].node < 0 || node->length < 0 || node->length > node->out_skip) return CT_OK;
    const ct_node *from = &graph->nodes[node->input[0].node];
    return ct_step_fail(node->step, NULL, err,
                        "the input has %lld samples in all, too few for one output of this %s, "
                        "which takes %lld",
                        (long long)(from->length - from->out_skip), node->step->stage->name,
                        (long long)(node->step->decimate + valid_overlap(node->step)));
}

/* Input samples that a block has to bring whole: for the outputs, and where the stage asks for it.
 */
static int64_t whole_unit(const ct_step *step)
{
    return step->decimate / ct_common_divisor(step->decimate, step->grain) * step->grain;
}

/* How the block must grow for this node (1: it fits). Where the user fixed the block, a stage that
 * accumulates may gather several of them instead. */
static int64_t fit_decimation(const ct_step *step, bool fixed)
{
    int64_t samples = ct_array_extent(&step->port[0], 'T'), unit = whole_unit(step);
    if (ct_array_find(&step->port[0], 'T') < 0 || unit < 1 || samples % unit == 0) return 1;
    if (fixed && step->gather > 1) return 1;
    const int64_t common = ct_common_divisor(samples, unit);
    return common > 0 ? unit / common : 1;
}

static ct_status check_pin(const ct_node *node, const ct_layout *pin, int port, const char *key,
                           ct_error *err)
{
    const ct_array *array = &node->step->port[port];
    if (pin->rank == 0 || ct_layout_covers(pin, array)) return CT_OK;
    return ct_step_fail(node->step, key, err,
                        "found layout \"%s\", but the array has the dimensions %s", pin->dim,
                        array->dim);
}

static ct_status check_pins(const ct_node *node, ct_error *err)
{
    const ct_port *ports = node->step->stage->ports;
    ct_status status = CT_OK;
    int out = 0;
    while (ports[out].name && ports[out].direction != CT_OUT)
        out++;
    if (node->read.rank) status = check_pin(node, &node->read, 0, "layout", err);
    if (node->write.rank && ports[out].name && check_pin(node, &node->write, out, "layout", err))
        status = CT_INVALID;
    return status;
}

/* One node; *grow: the factor that the block lacks (said as an error where it is fixed). */
static ct_status infer_node(ct_graph *graph, ct_node *node, bool fixed, int64_t *grow,
                            ct_error *err)
{
    ct_step *step = node->step;
    ct_status status = CT_OK;
    take_inputs(graph, node);
    bool source = node->input[0].node < 0;
    step->decimate = 1;
    step->gather = 1;
    step->overlap = 0;
    CT_TRY(ct_step_infer(step, err));
    CT_TRY(check_brought(node, err));
    if (source) set_extent(&step->port[0], 'T', graph->block);
    CT_TRY(check_times(graph, node, err));
    *grow = source ? 1 : fit_decimation(step, fixed);
    if (*grow != 1 && fixed)
        CT_TRY(ct_step_fail(step, NULL, err,
                            "a block of %lld samples brings %lld samples to this %s, which do not "
                            "divide by %lld; make \"block\": {\"T\": ...} a multiple of %lld",
                            (long long)graph->block,
                            (long long)ct_array_extent(&step->port[0], 'T'), step->stage->name,
                            (long long)whole_unit(step), (long long)(graph->block * *grow)));
    CT_TRY(check_sizes(node, err));
    CT_TRY(check_pins(node, err));
    infer_stream(graph, node);
    CT_TRY(check_length(graph, node, err));
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
static ct_status infer_pass(ct_graph *graph, bool fixed, int64_t *grow, ct_error *err)
{
    ct_status status = CT_OK;
    bool *failed = ct_memory_get(sizeof *failed * (size_t)graph->count);
    *grow = 1;
    CT_NEED(failed, sizeof *failed * (size_t)graph->count, err);
    for (int i = 0; i < graph->count && (*grow == 1 || status); i++) {
        ct_node *node = &graph->nodes[i];
        failed[i] = node->broken || inputs_failed(node, failed);
        if (failed[i]) continue;
        ct_status one = infer_node(graph, node, fixed, grow, err);
        failed[i] = one != CT_OK;
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
    const ct_status twice = infer_pass(graph, true, &grow, NULL);
    if (twice == CT_FAILED) CT_TRY(ct_memory_fail(0, err));
    if (twice == CT_OK) {
        CT_TRY(ct_block_bytes(&two, graph, err));
        graph->block = ct_block_choose(graph, grain, one, two);
    } else { /* what is too long twice over is asked for once */
        graph->block = grain;
    }
    CT_TRY(infer_pass(graph, true, &grow, err));
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

ct_status ct_infer_graph(ct_graph *graph, int64_t block, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t grow = 1;
    graph->block = block > 0 ? block : 1;
    CT_TRY(infer_pass(graph, block > 0, &grow, err));
    while (block == 0 && grow != 1) {
        graph->block *= grow;
        CT_TRY(infer_pass(graph, false, &grow, err));
    }
    if (block == 0) CT_TRY(choose_block(graph, err));
    describe_blocks(graph);
out:
    return status;
}
