/* block.c: how many samples a block has where the pipeline leaves that open.
 * Room: core/graph. Knows arrays' sizes at two blocks. Does not know devices. */
#include "block.h"

#include <math.h>

#include "fail.h"
#include "memory.h"

/* MiB that may grow with the block: of the largest array, and of all together. A block that is
 * short beside its history costs more than memory does, so there is more room for such a one. */
enum { LARGEST_MIB = 512, ALL_MIB = 1024, LARGEST_MIB_HISTORY = 1024, ALL_MIB_HISTORY = 3072 };

enum { HISTORIES = 4 }; /* a block is at least so many times as long as its longest history */

#define SLIGHT 0.005 /* a part of a block's bytes that does not matter */

/* Bytes of the history that an input keeps before each block. */
static double history_bytes(const ct_step *step)
{
    const ct_array *in = &step->port[0];
    const int64_t samples = ct_array_extent(in, 'T');
    if (step->overlap <= 0 || ct_array_find(in, 'T') < 0 || samples <= 0) return 0;
    const int64_t series = ct_array_count(in) / samples;
    return (double)step->overlap * (double)series * ct_type_bits(in->type) / 8;
}

/* Of what an input's samples are regrouped in: as many as come may wait there. */
static double regrouped_bytes(const ct_graph *graph, const ct_node *node, int p)
{
    const ct_link from = node->input[p];
    const ct_array *brought = &graph->nodes[from.node].step->port[from.port];
    const double samples = (double)ct_array_extent(brought, 'T');
    const double waiting = 1 + (double)node->regroup[p] / fmax(samples, 1);
    return waiting * (double)ct_array_count(brought) * ct_type_bits(brought->type) / 8;
}

ct_status ct_block_bytes(double **out, const ct_graph *graph, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t size = sizeof(double) * (size_t)graph->count * CT_PORTS;
    double *bytes = *out = ct_memory_get(size);
    CT_NEED(bytes, size, err);
    for (int n = 0; n < graph->count; n++) {
        const ct_node *node = &graph->nodes[n];
        for (int p = 0; p < CT_PORTS && !node->broken; p++) {
            const ct_port *port = &node->step->stage->ports[p];
            const ct_array *array = &node->step->port[p];
            if (!port->name) break;
            if (port->direction == CT_IN || array->type == CT_NONE) continue;
            bytes[n * CT_PORTS + p] +=
                (double)ct_array_count(array) * ct_type_bits(array->type) / 8;
        }
        const ct_link from = node->input[0];
        if (!node->broken && from.node >= 0)
            bytes[from.node * CT_PORTS + from.port] += history_bytes(node->step);
        for (int p = 0; p < CT_PORTS && !node->broken; p++)
            if (node->regroup[p] > 0) bytes[n * CT_PORTS + p] += regrouped_bytes(graph, node, p);
    }
out:
    return status;
}

static double growth(const ct_graph *graph, const double *one, const double *two)
{
    double all = 0;
    for (int i = 0; i < graph->count * CT_PORTS; i++)
        all += fmax(two[i] - one[i], 0);
    return all;
}

/* Units of `grain` that fit. */
static double block_fits(const ct_graph *graph, int largest_mib, int all_mib, const double *one,
                         const double *two)
{
    const double all = growth(graph, one, two);
    double largest = 0;
    for (int i = 0; i < graph->count * CT_PORTS; i++)
        largest = fmax(largest, two[i] - one[i]);
    const double grains =
        fmin((double)largest_mib / fmax(largest, 1), (double)all_mib / fmax(all, 1));
    return fmax(grains * (1 << 20), 1);
}

/* Samples of the sources in the longest history, of those whose bytes are worth a thought beside
 * what is computed with blocks as long as that asks for. `bytes`: of all arrays, per sample. */
static double longest_history(const ct_graph *graph, double bytes)
{
    double longest = 0;
    for (int n = 0; n < graph->count; n++) {
        const ct_node *node = &graph->nodes[n];
        if (node->broken || node->step->overlap <= 0) continue;
        const double samples = (double)ct_array_extent(&node->step->port[0], 'T');
        const double per_sample = (double)graph->clocks.clock[node->clock].span / fmax(samples, 1);
        const double history = (double)node->step->overlap * per_sample;
        if (history_bytes(node->step) < SLIGHT * HISTORIES * history * bytes) continue;
        longest = fmax(longest, history);
    }
    return longest;
}

/* Samples of the longest source; 0 where its length is not known. */
static int64_t longest_source(const ct_graph *graph)
{
    int64_t longest = 0;
    for (int n = 0; n < graph->count; n++) {
        const ct_node *node = &graph->nodes[n];
        if (node->broken || ct_role_of(node->step) != CT_ROLE_SOURCE) continue;
        if (node->length > longest) longest = node->length;
    }
    return longest;
}

/* At most an eighth less, and a multiple of as large a power of two as that allows: rows and tiles
 * then end where cache lines do. */
static double round_down(double grains)
{
    const double step = grains >= 16 ? exp2(floor(log2(grains)) - 3) : 1;
    return step * floor(grains / step);
}

int64_t ct_block_room(const ct_graph *graph, int64_t grain, const double *one, const double *two)
{
    return grain * (int64_t)fmin(block_fits(graph, LARGEST_MIB, ALL_MIB, one, two), 1e9);
}

int64_t ct_block_choose(const ct_graph *graph, int64_t grain, const double *one, const double *two)
{
    const double bytes = growth(graph, one, two) / (double)grain;
    const double wanted = ceil(HISTORIES * longest_history(graph, bytes) / (double)grain);
    const double whole = ceil((double)longest_source(graph) / (double)grain);
    double grains = block_fits(graph, LARGEST_MIB, ALL_MIB, one, two);
    if (grains < wanted)
        grains = fmin(wanted, block_fits(graph, LARGEST_MIB_HISTORY, ALL_MIB_HISTORY, one, two));
    grains = whole > 0 && whole <= grains ? whole : round_down(grains);
    return grain * (int64_t)grains;
}
