/* plan_partitions.c: where there are ranks: along what each node's work is split, and the exchanges
 * between nodes that are split in different ways. Room: core/plan. Knows what stages declare, and
 * extents. Does not know how fast anything is: what is pinned is taken, else --ranks, else what a
 * node shares with the one before it, so that nothing has to travel. */
#include <string.h>

#include "exchange.h"
#include "fail.h"
#include "layout.h"
#include "memory.h"
#include "plan_partitions.h"
#include "step_range.h"

static int64_t units_of(const ct_node *node, char dim)
{
    return ct_role_of(node->step) == CT_ROLE_SOURCE ? ct_array_extent(&node->step->port[0], dim)
                                                    : ct_step_split_extent(node->step, dim);
}

/* Whether ranges of it are worked on by themselves. Sources give any, but of time. */
bool ct_plan_partitions_free(const ct_node *node, char dim)
{
    const bool source = ct_role_of(node->step) == CT_ROLE_SOURCE;
    return source ? dim != 'T' && ct_array_find(&node->step->port[0], dim) >= 0
                  : ct_step_split(node->step, dim, NULL) == CT_SPLIT_FREE;
}

/* How many ranks' work gets done by so many ranks at once. */
double ct_plan_partitions_gain(const ct_node *node, char dim, int ranks)
{
    const int64_t units = units_of(node, dim);
    return (double)units / (double)ct_divide_up(units, ranks);
}

/* Of equals the longer one: what travels then lies together in longer pieces. */
static bool is_better(const ct_node *node, char dim, char best, int ranks)
{
    const double gain = ct_plan_partitions_gain(node, dim, ranks);
    const double most = best ? ct_plan_partitions_gain(node, best, ranks) : 1;
    return gain > most || (best && gain == most && units_of(node, dim) > units_of(node, best));
}

/* The dimension, not time, along which the most is gained; 0 none. */
static char best_dim(const ct_node *node, const char *among, int ranks)
{
    char best = 0;
    for (int p = 0; p < ct_step_ports(node->step); p++)
        for (int k = 0; node->step->port[p].type != CT_NONE && k < node->step->port[p].rank; k++) {
            const char dim = node->step->port[p].dim[k];
            if (dim == 'T' || (among && !strchr(among, dim)) || !ct_plan_partitions_free(node, dim))
                continue;
            if (is_better(node, dim, best, ranks)) best = dim;
        }
    return best;
}

bool ct_plan_partitions_good(const ct_node *node, char dim, int ranks)
{
    const double most = 0.75;
    const char best = best_dim(node, NULL, ranks);
    return best && dim != 'T' && ct_plan_partitions_free(node, dim) &&
           ct_plan_partitions_gain(node, dim, ranks) >=
               most * ct_plan_partitions_gain(node, best, ranks);
}

/* Of a source: what the first kernel that reads it would take. */
static char source_dim(const ct_graph *graph, int n, int ranks)
{
    const ct_node *node = &graph->nodes[n];
    for (int r = n + 1; r < graph->count; r++)
        for (int p = 0; p < CT_PORTS; p++) {
            const ct_node *reader = &graph->nodes[r];
            if (reader->input[p].node != n || ct_role_of(reader->step) != CT_ROLE_KERNEL) continue;
            return best_dim(reader, node->step->port[0].dim, ranks);
        }
    return 0;
}

static char kernel_dim(const ct_plan_builder *b, int n, int ranks)
{
    const ct_node *node = &b->graph->nodes[n];
    const ct_partition *before = &b->partition[node->input[0].node];
    const char dim = before->axis[0].dim;
    if (before->axes == 1 && ct_plan_partitions_good(node, dim, ranks)) return dim;
    return best_dim(node, NULL, ranks);
}

/* Divides the ranks among ways: the largest prime factors first, each to the way that has most
 * left. */
static void balance(ct_partition *partition, int ranks)
{
    for (int w = 0; w < partition->axes; w++)
        partition->axis[w].ranges = 1;
    for (int factor = ranks; factor > 1; factor--) {
        bool prime = ranks % factor == 0;
        for (int d = 2; prime && d * d <= factor; d++)
            prime = factor % d != 0;
        for (; prime && ranks % factor == 0; ranks /= factor) {
            int most = 0;
            for (int w = 1; w < partition->axes; w++)
                if (partition->axis[w].indices * partition->axis[most].ranges >
                    partition->axis[most].indices * partition->axis[w].ranges)
                    most = w;
            partition->axis[most].ranges *= factor;
        }
    }
}

static int grid_parts(const ct_ranks *ranks, char dim)
{
    const char *place = dim ? strchr(ranks->grid, dim) : NULL;
    return place ? ranks->parts[place - ranks->grid] : 0;
}

/* Of a plan's file, or of --ranks; 0: the grid has no such dimension. */
static int parts_of(const ct_plan_builder *b, int n, int axis, char dim)
{
    const ct_split_choice *given = &b->choices[n].split;
    return given->given ? given->parts[axis] : grid_parts(b->graph->ranks, dim);
}

/* Along these dimensions; the grid's parts where it has just these. */
void ct_plan_partitions_along(const ct_plan_builder *b, int n, const char *dims,
                              ct_partition *partition)
{
    const ct_node *node = &b->graph->nodes[n];
    const ct_ranks *ranks = b->graph->ranks;
    int64_t product = 1;
    *partition = (ct_partition){0};
    for (; *dims; dims++) {
        ct_partition_axis *axis = &partition->axis[partition->axes++];
        axis->dim = *dims;
        axis->indices = units_of(node, *dims);
        axis->sum = ct_role_of(node->step) == CT_ROLE_KERNEL &&
                    ct_step_split(node->step, *dims, NULL) == CT_SPLIT_SUM;
        axis->ranges = parts_of(b, n, partition->axes - 1, *dims);
        product *= axis->ranges;
    }
    if (product != ranks->size || partition->axes == 1) balance(partition, ranks->size);
}

/* Of the grid's dimensions all, where the node can be split along each, else the first that it can.
 */
static bool take_grid(const ct_node *node, const ct_ranks *ranks, char out[CT_DIMS + 1])
{
    size_t count = 0;
    memset(out, 0, CT_DIMS + 1);
    for (const char *dim = ranks->grid; *dim; dim++)
        if (ct_plan_partitions_free(node, *dim)) out[count++] = *dim;
    if (count < strlen(ranks->grid)) memset(out + 1, 0, CT_DIMS);
    return count > 0;
}

/* A plan's word, or the reason why not. */
static ct_status take_given(const ct_plan_builder *b, int n)
{
    char why[CT_SPLIT_WHY] = "each rank reads all of T, and it has no other dimension of this name";
    const ct_node *node = &b->graph->nodes[n];
    const char *given = b->choices[n].split.dim;
    const bool source = ct_role_of(node->step) == CT_ROLE_SOURCE;
    if (node->split[0] && strcmp(node->split, given) != 0)
        return ct_plan_fail(b, n, "split", "found \"%s\", but the pipeline pins splits along %s",
                            given, node->split);
    for (const char *dim = given; *dim; dim++) {
        if (ct_plan_partitions_free(node, *dim)) continue;
        if (!source && ct_step_split(node->step, *dim, why) != CT_SPLIT_NOT) continue;
        return ct_plan_fail(b, n, "split", "found \"%s\", but %s cannot be split along %c: %s",
                            given, node->step->stage->name, *dim, why);
    }
    return CT_OK;
}

static ct_status choose_share(ct_plan_builder *b, int n)
{
    const ct_node *node = &b->graph->nodes[n];
    const ct_ranks *ranks = b->graph->ranks;
    ct_partition *partition = &b->partition[n];
    char dims[CT_DIMS + 1] = "";
    const bool sink = ct_role_of(node->step) == CT_ROLE_SINK;
    partition->root = sink; /* unless something below says otherwise, or ct_plan_sinks */
    if (sink && !node->split[0] && !b->choices[n].split.dim[0]) return CT_OK;
    if (b->choices[n].split.given) {
        const ct_status status = take_given(b, n);
        ct_plan_partitions_along(b, n, b->choices[n].split.dim, partition);
        return status;
    }
    if (node->split[0])
        memcpy(dims, node->split, sizeof dims);
    else if (!take_grid(node, ranks, dims)) {
        b->open[n] = true;
        dims[0] = ct_role_of(node->step) == CT_ROLE_SOURCE ? source_dim(b->graph, n, ranks->size)
                                                           : kernel_dim(b, n, ranks->size);
    }
    ct_plan_partitions_along(b, n, dims, partition);
    return CT_OK;
}

/* What is added up behind a node lies apart before it. */
void ct_plan_partitions_want(ct_plan_builder *b, int n)
{
    b->input_partition[n] = b->partition[n];
    for (int w = 0; w < b->input_partition[n].axes; w++)
        b->input_partition[n].axis[w].sum = false;
}

void ct_plan_partitions_take(ct_plan_builder *b, int n, char dim)
{
    const char dims[] = {dim, 0};
    ct_plan_partitions_along(b, n, dims, &b->partition[n]);
    ct_plan_partitions_want(b, n);
}

static ct_status print_grid(ct_plan_builder *b)
{
    const ct_ranks *ranks = b->graph->ranks;
    const char *grid = "";
    for (int i = 0; ranks->grid[i] && grid; i++)
        grid = ct_arena_print(b->plan->arena, "%s%s%c=%d", grid, i ? "," : "", ranks->grid[i],
                              ranks->parts[i]);
    b->plan->grid = grid;
    return ct_arena_check(b->plan->arena, b->err);
}

ct_status ct_plan_partitions(ct_plan_builder *b)
{
    ct_status status = CT_OK;
    const size_t nodes = (size_t)b->graph->count;
    if (ct_ranks_size(b->graph->ranks) < 2) return CT_OK;
    b->partition = ct_arena_get(b->plan->arena, sizeof *b->partition * nodes);
    b->input_partition = ct_arena_get(b->plan->arena, sizeof *b->input_partition * nodes);
    b->open = ct_arena_get(b->plan->arena, sizeof *b->open * nodes);
    b->exchanged = ct_arena_get(b->plan->arena, sizeof *b->exchanged * b->rooms);
    CT_TRY(ct_arena_check(b->plan->arena, b->err));
    for (int n = 0; n < b->graph->count; n++) {
        CT_TRY(choose_share(b, n));
        ct_plan_partitions_want(b, n);
    }
    ct_plan_merge_partitions(b);
    ct_plan_sinks(b);
    b->plan->partition = b->partition;
    CT_TRY(print_grid(b));
out:
    return status;
}

/* The node's step, or the part of it that is this rank's. */
ct_status ct_plan_own_step(const ct_plan_builder *b, int n, ct_step **out)
{
    ct_status status = CT_OK;
    const ct_partition *partition = b->partition ? &b->partition[n] : NULL;
    CT_TRY(ct_step_copy(out, b->graph->nodes[n].step, b->err));
    if (ct_role_of(*out) == CT_ROLE_SINK) {
        if (partition) ct_plan_sinks_cut(*out, partition, b->graph->ranks->rank);
        return CT_OK;
    }
    for (int w = 0; partition && w < partition->axes; w++) {
        int64_t first, count;
        ct_partition_range(partition, w, b->graph->ranks->rank, &first, &count);
        if (count < partition->axis[w].indices)
            ct_step_set_range(*out, partition->axis[w].dim, first, count);
    }
out:
    return status;
}

/* ---- exchanges */

/* An edge that an exchange has made of this one for such a reader, in this layout (NULL: any); -1
 * none. */
static int find_exchanged(const ct_plan_builder *b, int edge, const ct_layout *layout,
                          const ct_partition *wants, const ct_array *whole)
{
    for (int e = 0; e < b->plan->edge_count; e++) {
        const ct_plan_exchanged *made = &b->exchanged[e];
        if (made->to && made->from == edge &&
            (!layout || ct_layout_equal(&b->plan->edges[e].array.layout, layout)) &&
            made->to->root == wants->root &&
            ct_partition_serves(made->to, wants, whole, b->graph->ranks->size))
            return e;
    }
    return -1;
}

static ct_status insert_exchange(ct_plan_builder *b, int edge, const ct_layout *layout,
                                 ct_link reader, const ct_array *whole, int *out)
{
    ct_status status = CT_OK;
    ct_plan *plan = b->plan;
    const ct_link from = b->graph->nodes[reader.node].input[reader.port];
    const ct_partition *wants = &b->input_partition[reader.node];
    int64_t first[CT_DIMS], count[CT_DIMS];
    char text[CT_PARTITION_TEXT];
    const int at = plan->count;
    const char *name = ct_arena_print(plan->arena, "%s>%s %s", plan->edges[edge].name, layout->dim,
                                      ct_partition_print(text, wants));
    ct_plan_step *step = ct_plan_step_new(b, name ? name : "", -1);
    CT_TRY(ct_step_new(&step->step, &ct_exchange_stage, step->name, NULL, NULL, NULL, b->err));
    step->step->port[0] = plan->edges[edge].array;
    step->step->decimate = step->step->gather = 1;
    CT_TRY(ct_step_infer(step->step, b->err));
    ct_partition_box(wants, whole, b->graph->ranks->rank, first, count);
    memcpy(step->step->port[1].extent, count, sizeof count);
    ct_array_dense(&step->step->port[1], NULL);
    CT_TRY(ct_exchange_set(step->step, b->graph->ranks, whole, &b->partition[from.node], wants,
                           b->err));
    step->period = b->graph->nodes[from.node].out_period;
    step->reader = reader;
    step->edge[0] = edge;
    step->reason[0] = step->reason[1] = "parts move between ranks";
    plan->edges[edge].last = at;
    *out = step->edge[1] = ct_plan_edge_new(b, &step->step->port[1], layout,
                                            b->choices[reader.node].copy[reader.port].rows, at, 1);
    plan->edges[*out].name = name;
    b->exchanged[*out] = (ct_plan_exchanged){edge, wants};
out:
    return status;
}

ct_status ct_plan_exchange(ct_plan_builder *b, int n, int port, bool *done, int *edge)
{
    const ct_link link = b->graph->nodes[n].input[port];
    const int written = b->written[link.node * CT_PORTS + link.port];
    const ct_layout *layout = &b->choices[n].layout[port];
    ct_array whole = b->graph->nodes[link.node].step->port[link.port];
    *done = false;
    if (!b->partition) return CT_OK;
    ct_array_dense(&whole, NULL);
    if (ct_partition_serves(&b->partition[link.node], &b->input_partition[n], &whole,
                            b->graph->ranks->size))
        return CT_OK;
    if (layout->rank == 0) layout = &b->plan->edges[written].array.layout;
    *done = true;
    *edge = find_exchanged(b, written, layout, &b->input_partition[n], &whole);
    if (*edge < 0) *edge = find_exchanged(b, written, NULL, &b->input_partition[n], &whole);
    if (*edge >= 0) return CT_OK;
    return insert_exchange(b, written, layout, (ct_link){n, port}, &whole, edge);
}
