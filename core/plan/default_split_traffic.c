/* default_split_traffic.c: splits that suit their neighbours: an array is sent where its producer
 * and a reader are split in different ways, and once for all readers that are split in the same
 * way. So nodes for which several splits are about as good take those with which the fewest bytes
 * are sent. Room: core/plan. Knows bytes. Does not know how fast anything is. */
#include "default_split.h"

/* How many ranges an array has along a dimension. */
static double ranges_along(const ct_partition *partition, char dim)
{
    for (int w = 0; w < partition->axes; w++)
        if (partition->axis[w].dim == dim && !partition->axis[w].sum) {
            const ct_partition_axis *axis = &partition->axis[w];
            return axis->ranges < axis->indices ? axis->ranges : (double)axis->indices;
        }
    return 1;
}

static double addends(const ct_partition *partition)
{
    double count = 1;
    for (int w = 0; w < partition->axes; w++)
        if (partition->axis[w].sum) count *= partition->axis[w].ranges;
    return count;
}

/* The fraction of an array that is sent, all ranks together; ranges of unequal length count as
 * equal. */
static double fraction_sent(const ct_partition *has, const ct_partition *to, const ct_array *array,
                            int ranks)
{
    double need = 1, own = 1, all = 1;
    for (int k = 0; k < array->rank; k++) {
        const double p = ranges_along(has, array->dim[k]), q = ranges_along(to, array->dim[k]);
        need /= q;
        own /= p == q ? p : p * q;
        all *= p;
    }
    if (to->root) return addends(has) - 1 / all;
    return ranks * (need * addends(has) - own);
}

static bool is_same(const ct_partition *a, const ct_partition *b)
{
    if (a->axes != b->axes || a->root != b->root) return false;
    for (int w = 0; w < a->axes; w++)
        if (a->axis[w].dim != b->axis[w].dim || a->axis[w].ranges != b->axis[w].ranges)
            return false;
    return true;
}

static bool reads(const ct_node *reader, int node, int port)
{
    for (int p = 0; p < CT_PORTS; p++)
        if (reader->input[p].node == node && reader->input[p].port == port) return true;
    return false;
}

/* Whether a node before this one reads the same and is split in the same way. */
static bool is_served(const ct_plan_builder *b, int reader, int node, int port)
{
    for (int r = node + 1; r < reader; r++)
        if (reads(&b->graph->nodes[r], node, port) &&
            is_same(&b->input_partition[r], &b->input_partition[reader]))
            return true;
    return false;
}

/* Bytes that are sent of one output in a block. */
static double output_bytes(const ct_plan_builder *b, int node, int port)
{
    const ct_node *from = &b->graph->nodes[node];
    const ct_array *array = &from->step->port[port];
    const double each = (double)ct_array_count(array) * ct_type_bits(array->type) / 8.0;
    double fraction = 0;
    for (int r = node + 1; r < b->graph->count; r++)
        if (reads(&b->graph->nodes[r], node, port) && !is_served(b, r, node, port))
            fraction += fraction_sent(&b->partition[node], &b->input_partition[r], array,
                                      b->graph->ranks->size);
    return fraction * each / ct_clock_table_period(&b->graph->clocks, from->out_clock);
}

static double all_bytes(const ct_plan_builder *b)
{
    double bytes = 0;
    for (int n = 0; n < b->graph->count; n++) {
        const ct_step *step = b->graph->nodes[n].step;
        for (int p = 0; p < ct_step_ports(step); p++)
            if (step->port[p].type != CT_NONE && step->stage->ports[p].direction == CT_OUT)
                bytes += output_bytes(b, n, p);
    }
    return bytes;
}

static bool can_take(const ct_plan_builder *b, int n, char dim)
{
    const ct_partition *now = &b->partition[n];
    return b->open[n] && now->axes == 1 && now->axis[0].dim != dim &&
           ct_split_is_good(&b->graph->nodes[n], dim, b->graph->ranks->size);
}

/* Node n, or, of the nodes from it on that follow each other with one split, all that can. */
static void change(ct_plan_builder *b, int n, char dim, bool followers, char *before)
{
    const char old = b->partition[n].axis[0].dim;
    for (int r = 0; r < b->graph->count; r++)
        before[r] = 0;
    for (int r = n; r < (followers ? b->graph->count : n + 1); r++) {
        const ct_node *node = &b->graph->nodes[r];
        bool follows = r == n;
        for (int p = 0; p < CT_PORTS && !follows; p++)
            follows = node->input[p].node >= n && before[node->input[p].node];
        if (!follows || !can_take(b, r, dim) || b->partition[r].axis[0].dim != old) continue;
        before[r] = old;
        ct_split_take(b, r, dim);
    }
}

static void change_back(ct_plan_builder *b, const char *before)
{
    for (int r = 0; r < b->graph->count; r++)
        if (before[r]) ct_split_take(b, r, before[r]);
}

/* True where fewer bytes are sent then. */
static bool try_node(ct_plan_builder *b, int n, double *fewest, char *before)
{
    const ct_step *step = b->graph->nodes[n].step;
    for (int p = 0; p < ct_step_ports(step); p++)
        for (int k = 0; step->port[p].type != CT_NONE && k < step->port[p].rank; k++)
            for (int followers = 0; followers < 2; followers++) {
                const char dim = step->port[p].dim[k];
                if (!can_take(b, n, dim)) continue;
                change(b, n, dim, followers, before);
                const double bytes = all_bytes(b);
                if (bytes < *fewest * (1 - 1e-9)) {
                    *fewest = bytes;
                    return true;
                }
                change_back(b, before);
            }
    return false;
}

void ct_default_split_traffic(ct_plan_builder *b)
{
    double fewest = all_bytes(b);
    bool better = true;
    char *before = ct_arena_get(b->plan->arena, (size_t)b->graph->count);
    while (before && better) {
        better = false;
        for (int n = 0; n < b->graph->count; n++)
            better = try_node(b, n, &fewest, before) || better;
    }
}
