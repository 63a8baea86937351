/* swap_arrays.c: what a block leaves behind in arrays for those that follow, laid out as another
 * plan has it: samples that are kept, samples that were gathered, sums that are not complete.
 * Room: core/swap. Knows which samples these are. Does not know flags.
 *
 * The plans may have such samples in different places: where one reads an array as it is written,
 * the other one keeps the same samples in a transposed copy of it. */
#include <string.h>

#include "fail.h"
#include "regroup.h"
#include "run_sums.h"
#include "run_swap.h"

ct_swap_origin ct_swap_origin_of(const ct_plan *plan, int e)
{
    int64_t chunk = 0;
    const ct_plan_step *step = &plan->steps[plan->edges[e].from];
    while (step->node < 0) {
        if (ct_regroup_is(step->step)) chunk = ct_array_extent(&step->step->port[1], 'T');
        e = step->edge[0];
        step = &plan->steps[plan->edges[e].from];
    }
    const char *port = step->step->stage->ports[plan->edges[e].port].name;
    return (ct_swap_origin){plan->graph->nodes[step->node].name, port, chunk};
}

bool ct_swap_is_same(ct_swap_origin a, ct_swap_origin b)
{
    return a.chunk == b.chunk && strcmp(a.node, b.node) == 0 && strcmp(a.port, b.port) == 0;
}

static bool is_gathered(const ct_plan *plan, int e)
{
    return ct_regroup_is(plan->steps[plan->edges[e].from].step);
}

/* Whether the array has a sum to which the next firing adds. */
static bool is_open(const ct_run *run, int e)
{
    const int s = run->plan->edges[e].from;
    return run->plan->steps[s].step->accumulate > 1 && ct_run_sum_place(run, s).adds;
}

/* Behind which place along T of an array there is nothing that its readers have seen. */
static int64_t end_of(const ct_run *run, int e)
{
    const ct_edge *edge = &run->plan->edges[e];
    if (is_gathered(run->plan, e))
        return edge->before + ct_run_gathered(run, edge->from, run->block).way;
    return is_open(run, e) ? edge->before : ct_array_extent(&edge->array, 'T') - edge->after;
}

/* Whether a step clears in this array what is flagged. */
static bool is_cleared(const ct_plan *plan, int e)
{
    bool any = false;
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *step = &plan->steps[s];
        any = any || (step->node >= 0 && step->edge[0] == e && !step->others_need_flagged &&
                      ct_role_of(step->step) == CT_ROLE_KERNEL &&
                      (step->step->stage->traits & CT_STAGE_LEAVES_OUT));
    }
    return any;
}

/* Of the run's arrays the one that still has the last `count` samples of what this one of `next`
 * has; -1: none. */
static int find_kept(const ct_run *run, const ct_run *next, int e, int64_t count)
{
    const ct_swap_origin origin = ct_swap_origin_of(next->plan, e);
    const bool cleared = is_cleared(next->plan, e);
    for (int k = 0; k < run->plan->edge_count; k++) {
        const ct_edge *edge = &run->plan->edges[k];
        const bool gathered = is_gathered(run->plan, k);
        if (edge->temporary || (edge->before == 0 && !gathered)) continue;
        if ((gathered ? end_of(run, k) : edge->before) < count) continue;
        if (is_cleared(run->plan, k) == cleared &&
            ct_swap_is_same(ct_swap_origin_of(run->plan, k), origin))
            return k;
    }
    return -1;
}

/* The one that the same node, or a step that gathers as many, writes. */
static int find_same(const ct_run *run, const ct_run *next, int e)
{
    const ct_swap_origin origin = ct_swap_origin_of(next->plan, e);
    const bool gathered = is_gathered(next->plan, e);
    for (int k = 0; k < run->plan->edge_count; k++) {
        const bool written = run->plan->steps[run->plan->edges[k].from].node >= 0;
        if (gathered ? !is_gathered(run->plan, k) : !written) continue;
        if (ct_swap_is_same(ct_swap_origin_of(run->plan, k), origin)) return k;
    }
    return -1;
}

static int64_t waiting(const ct_run *run, int e)
{
    return is_gathered(run->plan, e)
               ? ct_run_gathered(run, run->plan->edges[e].from, run->block).rest
               : 0;
}

static ct_status refuse(const ct_run *next, int e, const char *what, ct_error *err)
{
    return ct_error_add(err, CT_INVALID,
                        "the other plan cannot take over: of array \"%s\" the present one does not "
                        "have %s",
                        next->plan->edges[e].name, what);
}

ct_status ct_swap_arrays_check(const ct_run *run, const ct_run *next, ct_error *err)
{
    ct_status status = CT_OK;
    for (int e = 0; e < next->plan->edge_count; e++) {
        const ct_edge *edge = &next->plan->edges[e];
        if (edge->temporary) continue;
        if (edge->before > 0 && find_kept(run, next, e, edge->before) < 0)
            CT_TRY(refuse(next, e, "the samples before the next block", err));
        if ((waiting(next, e) > 0 || is_open(next, e)) && find_same(run, next, e) < 0)
            CT_TRY(refuse(next, e, "what waits for the next block", err));
    }
out:
    return status;
}

/* ---- copying */

/* An array of a run, or a part of it along T that begins at `first`. */
typedef struct place {
    ct_run *run;
    int edge;
    int64_t first;
} place;

static ct_status copy(place to, place from, int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_buffer *target = ct_run_slots_buffer(to.run, to.edge),
                    *source = ct_run_slots_buffer(from.run, from.edge);
    ct_array out = to.run->plan->edges[to.edge].array, in = from.run->plan->edges[from.edge].array;
    void *in_data = NULL, *out_data = NULL;
    out = ct_array_part(&out, 'T', to.first, count);
    in = ct_array_part(&in, 'T', from.first, count);
    CT_TRY(ct_buffer_map(&in_data, source, from.run->device, err));
    status = ct_buffer_map(&out_data, target, to.run->device, err);
    if (status == CT_OK) {
        out.data = out_data;
        in.data = in_data;
        ct_copy_array(&out, &in);
        status = ct_buffer_unmap(target, to.run->device, out_data, err);
    }
    const ct_status unmapped = ct_buffer_unmap(source, from.run->device, in_data, err);
    if (status == CT_OK) status = unmapped;
out:
    return status;
}

/* The slot that the next firing finds its last block in. */
static void use_slot(ct_run *next, int e)
{
    const int s = next->plan->edges[e].from;
    const ct_sum_place sum = ct_run_sum_place(next, s);
    const int64_t last = sum.adds ? sum.number : sum.number - 1;
    if (last >= 0) ct_run_slots_use(next, e, last);
}

static ct_status carry_one(ct_run *run, ct_run *next, int e, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_edge *edge = &next->plan->edges[e];
    const int64_t kept = edge->before, waits = waiting(next, e);
    const int from = kept > 0 ? find_kept(run, next, e, kept) : -1;
    const place end = {next, e, end_of(next, e)};
    use_slot(next, e);
    if (from >= 0)
        CT_TRY(copy((place){next, e, end.first - kept},
                    (place){run, from, end_of(run, from) - kept}, kept, err));
    if (waits == 0 && !is_open(next, e)) return CT_OK;
    const int same = find_same(run, next, e);
    const int64_t fresh = ct_array_extent(&edge->array, 'T') - edge->before;
    CT_TRY(copy(end, (place){run, same, end_of(run, same)}, waits > 0 ? waits : fresh, err));
out:
    return status;
}

ct_status ct_swap_arrays_carry(ct_run *run, ct_run *next, ct_error *err)
{
    ct_status status = CT_OK;
    for (int e = 0; e < next->plan->edge_count; e++)
        if (!next->plan->edges[e].temporary) CT_TRY(carry_one(run, next, e, err));
out:
    return status;
}
