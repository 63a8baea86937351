/* block.c: how many samples a block has where the pipeline leaves that open.
 * Room: core/graph. Knows arrays' sizes at two blocks. Does not know devices. */
#include "block.h"

#include <math.h>

#include "fail.h"
#include "memory.h"

/* Of the arrays of one block, in the mean: large enough that what the host does for a block costs
 * little beside its kernels, and no larger, so that little fresh memory has to be cleared. */
static const double usual = 64 << 20;

/* The same of the blocks of a short input. */
static const double least = 4 << 20;

enum {
    SHORT = 2,   /* an input has as many blocks, so that files are read and written meanwhile */
    HISTORY = 4, /* a block's arrays have as many times the bytes of the histories that are moved */
    ALL_MIB = 512,  /* of all arrays */
    MOST_MIB = 1024 /* of all arrays, where histories are long */
};

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

/* Arrays that grow with the block. */
static int arrays(const ct_graph *graph, const double *one, const double *two)
{
    int count = 0;
    for (int i = 0; i < graph->count * CT_PORTS; i++)
        count += two[i] > one[i];
    return count;
}

static double usual_bytes(const ct_graph *graph, const double *one, const double *two)
{
    return fmin(usual * arrays(graph, one, two), (double)ALL_MIB * (1 << 20));
}

/* Of all histories that are moved before each block. */
static double moved_bytes(const ct_graph *graph)
{
    double bytes = 0;
    for (int n = 0; n < graph->count; n++)
        if (!graph->nodes[n].broken) bytes += history_bytes(graph->nodes[n].step);
    return bytes;
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
    return fmax(step * floor(grains / step), 1);
}

/* Of a few blocks the last one is nearly full, too: what it lacks is computed with zeros. */
static double divide_evenly(double whole, double grains)
{
    const double blocks = ceil(whole / grains), part = ceil(whole / blocks);
    const double step = part >= 32 && blocks > 1 ? exp2(floor(log2(part)) - 5) : 1;
    return step * ceil(part / step);
}

/* As many of `grain` as a block should have, which need not be whole. */
static double wanted(const ct_graph *graph, int64_t grain, const double *one, const double *two)
{
    const double all = fmax(growth(graph, one, two), 1), count = arrays(graph, one, two);
    const double whole = ceil((double)longest_source(graph) / (double)grain);
    const double most = (double)MOST_MIB * (1 << 20) / all;
    double grains = usual_bytes(graph, one, two) / all;
    if (whole > 0) grains = fmin(grains, fmax(ceil(whole / SHORT), least * count / all));
    grains = fmax(grains, fmin(HISTORY * moved_bytes(graph) / all, most));
    return fmin(fmax(grains, 1), 1e9);
}

int64_t ct_block_room(const ct_graph *graph, int64_t grain, const double *one, const double *two)
{
    return grain * (int64_t)wanted(graph, grain, one, two);
}

int64_t ct_block_choose(const ct_graph *graph, int64_t grain, const double *one, const double *two)
{
    const double whole = ceil((double)longest_source(graph) / (double)grain);
    double grains = wanted(graph, grain, one, two);
    if (whole > 0 && whole <= 16 * grains)
        grains = divide_evenly(whole, grains);
    else
        grains = round_down(grains);
    return grain * (int64_t)grains;
}
