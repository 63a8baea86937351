/* default_split.c: where there are ranks: along what each node's work is split, by rule.
 * Room: core/plan. Knows what stages declare, and extents. Does not know how fast anything is: what
 * is pinned is taken, else --ranks, else the split of the node before it, so that nothing has to be
 * sent. Where something was measured, tuner/forecast/split_search.c chooses instead. */
#include <string.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "default_split.h"
#include "fail.h"
#include "memory.h"
#include "step_range.h"

static int64_t indices_of(const ct_node *node, char dim)
{
    return ct_role_of(node->step) == CT_ROLE_SOURCE ? ct_array_extent(&node->step->port[0], dim)
                                                    : ct_step_split_extent(node->step, dim);
}

/* Whether ranges of it are worked on by themselves. Sources give any, but of time. */
bool ct_split_is_free(const ct_node *node, char dim)
{
    const bool source = ct_role_of(node->step) == CT_ROLE_SOURCE;
    return source ? dim != 'T' && ct_array_find(&node->step->port[0], dim) >= 0
                  : ct_step_split(node->step, dim, NULL) == CT_SPLIT_FREE;
}

/* How many ranks' work gets done by so many ranks at once. */
double ct_split_gain(const ct_node *node, char dim, int ranks)
{
    const int64_t indices = indices_of(node, dim);
    return (double)indices / (double)ct_divide_up(indices, ranks);
}

/* Of equals the longer one: what is sent then lies together in longer pieces. */
static bool is_better(const ct_node *node, char dim, char best, int ranks)
{
    const double gain = ct_split_gain(node, dim, ranks);
    const double most = best ? ct_split_gain(node, best, ranks) : 1;
    return gain > most || (best && gain == most && indices_of(node, dim) > indices_of(node, best));
}

/* The dimension, not time, along which the most is gained; 0 none. */
static char best_dim(const ct_node *node, const char *among, int ranks)
{
    char best = 0;
    for (int p = 0; p < ct_step_ports(node->step); p++)
        for (int k = 0; node->step->port[p].type != CT_NONE && k < node->step->port[p].rank; k++) {
            const char dim = node->step->port[p].dim[k];
            if (dim == 'T' || (among && !strchr(among, dim)) || !ct_split_is_free(node, dim))
                continue;
            if (is_better(node, dim, best, ranks)) best = dim;
        }
    return best;
}

bool ct_split_is_good(const ct_node *node, char dim, int ranks)
{
    const double most = 0.75;
    const char best = best_dim(node, NULL, ranks);
    return best && dim != 'T' && ct_split_is_free(node, dim) &&
           ct_split_gain(node, dim, ranks) >= most * ct_split_gain(node, best, ranks);
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
    if (before->axes == 1 && ct_split_is_good(node, dim, ranks)) return dim;
    return best_dim(node, NULL, ranks);
}

/* Divides the ranks among the axes: the largest prime factors first, each to the axis that has most
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

static int grid_ranges(const ct_ranks *ranks, char dim)
{
    const char *place = dim ? strchr(ranks->grid, dim) : NULL;
    return place ? ranks->ranges[place - ranks->grid] : 0;
}

/* Of a plan's file, or of --ranks; 0: the grid has no such dimension. */
static int ranges_of(const ct_plan_builder *b, int n, int axis, char dim)
{
    const ct_split_choice *given = &b->choices[n].split;
    return given->given ? given->ranges[axis] : grid_ranges(b->graph->ranks, dim);
}

/* Along these dimensions; the grid's ranges where it has just these. */
void ct_split_along(const ct_plan_builder *b, int n, const char *dims, ct_partition *partition)
{
    const ct_node *node = &b->graph->nodes[n];
    const ct_ranks *ranks = b->graph->ranks;
    int64_t product = 1;
    *partition = (ct_partition){0};
    for (; *dims; dims++) {
        ct_partition_axis *axis = &partition->axis[partition->axes++];
        axis->dim = *dims;
        axis->indices = indices_of(node, *dims);
        axis->sum = ct_role_of(node->step) == CT_ROLE_KERNEL &&
                    ct_step_split(node->step, *dims, NULL) == CT_SPLIT_SUM;
        axis->ranges = ranges_of(b, n, partition->axes - 1, *dims);
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
        if (ct_split_is_free(node, *dim)) out[count++] = *dim;
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
        if (ct_split_is_free(node, *dim)) continue;
        if (!source && ct_step_split(node->step, *dim, why) != CT_SPLIT_NOT) continue;
        return ct_plan_fail(b, n, "split", "found \"%s\", but %s cannot be split along %c: %s",
                            given, node->step->stage->name, *dim, why);
    }
    return CT_OK;
}

static ct_status choose_split(ct_plan_builder *b, int n)
{
    const ct_node *node = &b->graph->nodes[n];
    const ct_ranks *ranks = b->graph->ranks;
    ct_partition *partition = &b->partition[n];
    char dims[CT_DIMS + 1] = "";
    const bool sink = ct_role_of(node->step) == CT_ROLE_SINK;
    partition->root = sink; /* unless something below says otherwise, or ct_default_split_sinks */
    if (sink && !node->split[0] && !b->choices[n].split.dim[0]) return CT_OK;
    if (b->choices[n].split.given) {
        const ct_status status = take_given(b, n);
        ct_split_along(b, n, b->choices[n].split.dim, partition);
        return status;
    }
    if (node->split[0])
        memcpy(dims, node->split, sizeof dims);
    else if (!take_grid(node, ranks, dims)) {
        b->open[n] = true;
        dims[0] = ct_role_of(node->step) == CT_ROLE_SOURCE ? source_dim(b->graph, n, ranks->size)
                                                           : kernel_dim(b, n, ranks->size);
    }
    ct_split_along(b, n, dims, partition);
    return CT_OK;
}

/* What is added up after a node lies in ranges before it. */
void ct_split_inputs(ct_plan_builder *b, int n)
{
    b->input_partition[n] = b->partition[n];
    for (int w = 0; w < b->input_partition[n].axes; w++)
        b->input_partition[n].axis[w].sum = false;
}

void ct_split_take(ct_plan_builder *b, int n, char dim)
{
    const char dims[] = {dim, 0};
    ct_split_along(b, n, dims, &b->partition[n]);
    ct_split_inputs(b, n);
}

static ct_status print_grid(ct_plan_builder *b)
{
    const ct_ranks *ranks = b->graph->ranks;
    const char *grid = "";
    for (int i = 0; ranks->grid[i] && grid; i++)
        grid = ct_arena_print(b->plan->arena, "%s%s%c=%d", grid, i ? "," : "", ranks->grid[i],
                              ranks->ranges[i]);
    b->plan->grid = grid;
    return ct_arena_check(b->plan->arena, b->err);
}

ct_status ct_default_split(ct_plan_builder *b)
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
        CT_TRY(choose_split(b, n));
        ct_split_inputs(b, n);
    }
    ct_default_split_traffic(b);
    ct_default_split_sinks(b);
    b->plan->partition = b->partition;
    CT_TRY(print_grid(b));
out:
    return status;
}
