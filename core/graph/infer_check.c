/* infer_check.c: whether the shapes that have come about can be: inputs that meet, flags, sizes,
 * lengths, pins.
 * Room: core/graph. Knows one node and what feeds it. Does not know how shapes are found. */
#include "infer_inner.h"

#include <stdio.h>

#include "fail.h"
#include "layout.h"

enum { CT_KEY = 64, CT_RATE = 160 }; /* room for a port's place, for a sentence about a node */

#define MOST_BYTES 1e18 /* of one array: offsets have 63 bits, with room for gaps */

static void input_key(char key[CT_KEY], const ct_node *node, int port)
{
    snprintf(key, CT_KEY, "input/%s", node->step->stage->ports[port].name);
}

/* "fft" brings 64 samples a block */
static void say_rate(char out[CT_RATE], const ct_graph *graph, const ct_node *node,
                     const ct_array *array)
{
    const long long count = (long long)ct_array_extent(array, 'T');
    const double period = ct_clock_table_period(&graph->clocks, node->out_clock);
    int length =
        snprintf(out, CT_RATE, "\"%s\" brings %lld sample%s ", node->name, count, &"s"[count == 1]);
    if (period == 1)
        snprintf(out + length, CT_RATE - (size_t)length, "a block");
    else
        ct_number_print(out + length, CT_RATE - (size_t)length, "every %g blocks", period);
}

static const ct_array *output_of(const ct_graph *graph, ct_link link)
{
    return &graph->nodes[link.node].step->port[link.port];
}

/* Several inputs that all have time must have the same time: samples as long, from the same one on.
 */
ct_status ct_infer_check_times(const ct_graph *graph, const ct_node *node, ct_error *err)
{
    char key[CT_KEY], rate[2][CT_RATE];
    for (int p = 1; p < CT_PORTS; p++) {
        if (node->input[p].node < 0 || ct_array_find(&node->step->port[p], 'T') < 0) continue;
        const ct_node *a = &graph->nodes[node->input[0].node],
                      *b = &graph->nodes[node->input[p].node];
        input_key(key, node, p);
        if (ct_infer_sample(graph, node, 0) != ct_infer_sample(graph, node, p)) {
            say_rate(rate[0], graph, a, output_of(graph, node->input[0]));
            say_rate(rate[1], graph, b, output_of(graph, node->input[p]));
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

/* Its flags port is there for what it counts, an optional output: the data are without already. */
static bool counts_only(const ct_stage *stage)
{
    if (!(stage->traits & CT_STAGE_LEAVES_OUT)) return false;
    for (int p = 0; p < CT_PORTS && stage->ports[p].name; p++)
        if (stage->ports[p].direction == CT_OUT && (stage->ports[p].flags & CT_PORT_OPTIONAL))
            return true;
    return false;
}

/* Flags that the pipeline brings are of the data's stations and channels. */
static ct_status check_flags(const ct_node *node, int port, ct_error *err)
{
    char key[CT_KEY];
    const ct_array *flags = &node->step->port[port], *data = &node->step->port[0];
    input_key(key, node, port);
    if (ct_role_of(node->step) == CT_ROLE_SINK || counts_only(node->step->stage))
        return ct_step_fail(node->step, key, err,
                            "%s heeds what is flagged in its data, and takes no mask beside "
                            "them: a stage with flags among its outputs can flag them",
                            node->step->stage->name);
    if (ct_array_find(data, 'S') < 0)
        return ct_step_fail(node->step, key, err,
                            "flags are of stations, and the data have none (dimensions %s)",
                            data->dim);
    if (ct_array_find(flags, 'C') >= 0 && ct_array_extent(flags, 'C') != ct_array_extent(data, 'C'))
        return ct_step_fail(
            node->step, key, err, "found flags of %lld channels, the data have %lld",
            (long long)ct_array_extent(flags, 'C'), (long long)ct_array_extent(data, 'C'));
    if (ct_array_extent(flags, 'S') == ct_array_extent(data, 'S')) return CT_OK;
    return ct_step_fail(node->step, key, err, "found flags of %lld stations, the data have %lld",
                        (long long)ct_array_extent(flags, 'S'),
                        (long long)ct_array_extent(data, 'S'));
}

ct_status ct_infer_check_flags(const ct_node *node, ct_error *err)
{
    ct_status status = CT_OK;
    for (int p = 0; p < ct_step_ports(node->step); p++)
        if (ct_port_takes_flags(&node->step->stage->ports[p]) && node->input[p].node >= 0)
            CT_TRY(check_flags(node, p, err));
out:
    return status;
}

/* Kernels count along each dimension in 32 bits, and memory in 64. */
ct_status ct_infer_check_sizes(const ct_node *node, ct_error *err)
{
    for (int p = 0; p < CT_PORTS && node->step->stage->ports[p].name; p++) {
        const ct_array *array = &node->step->port[p];
        double bytes = array->type == CT_NONE ? 0 : ct_type_bits(array->type) / 8.0;
        for (int k = 0; array->type != CT_NONE && k < array->rank; k++) {
            int64_t extent = array->extent[k];
            const int64_t before = array->dim[k] == 'T' && p == 0 ? node->step->overlap : 0;
            if (__builtin_add_overflow(extent, before, &extent)) extent = INT64_MAX;
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
ct_status ct_infer_check_length(const ct_graph *graph, const ct_node *node, ct_error *err)
{
    if (node->input[0].node < 0 || node->length < 0 || node->length > node->out_skip) return CT_OK;
    const ct_node *from = &graph->nodes[node->input[0].node];
    return ct_step_fail(node->step, NULL, err,
                        "the input has %lld samples in all, too few for one output of this %s, "
                        "which takes %lld",
                        (long long)(from->length - from->out_skip), node->step->stage->name,
                        (long long)(node->step->decimate + ct_infer_overlap(node->step)));
}

static ct_status check_pin(const ct_node *node, const ct_layout *pin, int port, const char *key,
                           ct_error *err)
{
    const ct_array *array = &node->step->port[port];
    char text[CT_LAYOUT_TEXT];
    ct_layout said = *pin;
    if (pin->rank == 0 || ct_layout_covers(pin, array)) return CT_OK;
    said.split = pin == &node->read ? node->read_split : node->write_split;
    return ct_step_fail(node->step, key, err,
                        "found layout \"%s\", but the array has the dimensions %s",
                        ct_layout_print(text, &said), array->dim);
}

ct_status ct_infer_check_pins(ct_node *node, ct_error *err)
{
    const ct_port *ports = node->step->stage->ports;
    ct_status status = CT_OK;
    int out = 0;
    while (ports[out].name && ports[out].direction != CT_OUT)
        out++;
    if (node->read.rank) status = check_pin(node, &node->read, 0, "layout", err);
    if (node->write.rank && ports[out].name && check_pin(node, &node->write, out, "layout", err))
        status = CT_INVALID;
    return status == CT_OK ? ct_infer_splits(node, err) : status;
}
