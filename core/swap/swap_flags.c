/* swap_flags.c: the flags of samples that a block leaves behind for those that follow: windows,
 * sums that are not complete, samples that were gathered. Room: core/swap. Knows whose flags these
 * are. Does not know how they came about (core/flags). */
#include <string.h>

#include "fail.h"
#include "regroup.h"
#include "run_flags.h"
#include "run_swap.h"

static const ct_node *node_of(const ct_run *run, int n)
{
    return &run->plan->graph->nodes[n];
}

static const char *input_of(const ct_run *run, int n, const char **port)
{
    const ct_link link = node_of(run, n)->input[0];
    *port = node_of(run, link.node)->step->stage->ports[link.port].name;
    return node_of(run, link.node)->name;
}

/* Whether both read the same, and the pipeline brings no flags of its own to either. */
static bool reads_same(const ct_run *run, int n, const ct_run *other, int m)
{
    const char *port, *other_port;
    const char *from = input_of(run, n, &port), *other_from = input_of(other, m, &other_port);
    const int brought = ct_flags_mask_port(node_of(run, n)->step, CT_IN);
    const int other_brought = ct_flags_mask_port(node_of(other, m)->step, CT_IN);
    if (brought >= 0 && node_of(run, n)->input[brought].node >= 0) return false;
    if (other_brought >= 0 && node_of(other, m)->input[other_brought].node >= 0) return false;
    return strcmp(from, other_from) == 0 && strcmp(port, other_port) == 0;
}

static bool is_same_size(const ct_flags *a, const ct_flags *b)
{
    return a->data && b->data && ct_flags_rows(a) == ct_flags_rows(b) && a->samples == b->samples;
}

/* The run's window that has what this one of `next` needs: the same node's, or in its place that of
 * one that reads the same, since nodes may be run as one. NULL: none. */
static const ct_flags *find_window(const ct_run *run, const ct_run *next, int n)
{
    const ct_flags *wanted = &next->flags->window[n], *found = NULL;
    for (int m = 0; m < run->plan->graph->count; m++) {
        const ct_flags *one = &run->flags->window[m];
        if (!is_same_size(one, wanted)) continue;
        if (strcmp(node_of(run, m)->name, node_of(next, n)->name) == 0) return one;
        if (reads_same(run, m, next, n)) found = one;
    }
    return found;
}

static bool needs_window(const ct_run *next, int n)
{
    const ct_step *step = node_of(next, n)->step;
    return next->flags->window[n].data && (step->overlap > 0 || step->accumulate > 1);
}

/* The run's flags of the same output; NULL: none. */
static const ct_flags *find_output(const ct_run *run, const ct_run *next, int n, int p)
{
    const int m = ct_graph_find(run->plan->graph, node_of(next, n)->name);
    const char *port = node_of(next, n)->step->stage->ports[p].name;
    const int q = m < 0 || !port ? -1 : ct_step_find_port(node_of(run, m)->step, port);
    const ct_flags *one = q < 0 ? NULL : &run->flags->out[m * CT_PORTS + q];
    return one && is_same_size(one, &next->flags->out[n * CT_PORTS + p]) ? one : NULL;
}

static bool needs_output(const ct_run *next, int n, int p)
{
    return next->flags->out[n * CT_PORTS + p].data && node_of(next, n)->step->accumulate > 1;
}

static const ct_flags *find_queue(const ct_run *run, const ct_run *next, int s)
{
    const ct_swap_origin origin = ct_swap_origin_of(next->plan, next->plan->steps[s].edge[1]);
    for (int k = 0; k < run->plan->count; k++) {
        const ct_plan_step *step = &run->plan->steps[k];
        if (!ct_regroup_is(step->step)) continue;
        if (is_same_size(&run->flags->queue[k], &next->flags->queue[s]) &&
            ct_swap_is_same(ct_swap_origin_of(run->plan, step->edge[1]), origin))
            return &run->flags->queue[k];
    }
    return NULL;
}

static ct_status refuse(const char *name, ct_error *err)
{
    return ct_error_add(err, CT_INVALID,
                        "the other plan cannot take over: of node \"%s\" the present one does not "
                        "have the flags before the next block",
                        name);
}

ct_status ct_swap_flags_check(const ct_run *run, const ct_run *next, ct_error *err)
{
    ct_status status = CT_OK;
    for (int n = 0; n < next->plan->graph->count; n++) {
        if (needs_window(next, n) && !find_window(run, next, n))
            CT_TRY(refuse(node_of(next, n)->name, err));
        for (int p = 0; p < CT_PORTS; p++)
            if (needs_output(next, n, p) && !find_output(run, next, n, p))
                CT_TRY(refuse(node_of(next, n)->name, err));
    }
    for (int s = 0; s < next->plan->count; s++)
        if (next->flags->queue[s].data && !find_queue(run, next, s))
            CT_TRY(refuse(next->plan->steps[s].name, err));
out:
    return status;
}

static void carry(ct_flags *to, const ct_flags *from)
{
    memcpy(to->data, from->data, ct_flags_bytes(to));
    ct_flags_look(to);
}

/* Of stations that are summed the flags of each, too. */
static void carry_output(ct_run *next, int n, int p, const ct_flags *from)
{
    ct_flags *to = &next->flags->out[n * CT_PORTS + p];
    const int64_t stations = ct_array_extent(&node_of(next, n)->step->port[0], 'S');
    carry(to, from);
    if (to->each && from->each)
        memcpy(to->each, from->each, (size_t)(stations * to->groups * to->samples));
}

void ct_swap_flags_carry(const ct_run *run, ct_run *next)
{
    for (int n = 0; n < next->plan->graph->count; n++) {
        if (needs_window(next, n)) carry(&next->flags->window[n], find_window(run, next, n));
        for (int p = 0; p < CT_PORTS; p++)
            if (needs_output(next, n, p)) carry_output(next, n, p, find_output(run, next, n, p));
    }
    for (int s = 0; s < next->plan->count; s++)
        if (next->flags->queue[s].data) carry(&next->flags->queue[s], find_queue(run, next, s));
}
