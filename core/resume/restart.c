/* restart.c: where a run begins that goes on with a later block: so many blocks before it that
 * every history and every sum is again what it would have been. What these blocks give is not
 * written again. Room: core/resume. Knows overlaps, periods and lengths. Does not know journals. */
#include "fail.h"
#include "memory.h"
#include "run_resume.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t at_least_one(int64_t period)
{
    return period > 1 ? period : 1;
}

/* The first block whose input a node needs, for outputs that are right from block `from` on: sums
 * begin with their first block, and histories reach back by whole blocks. */
static int64_t input_from(const ct_node *node, int64_t from)
{
    const ct_array *in = &node->step->port[0];
    const int64_t whole = at_least_one(node->out_period), period = at_least_one(node->period);
    const int64_t fresh = ct_array_find(in, 'T') >= 0 ? ct_array_extent(in, 'T') : 1;
    return from / whole * whole - ct_divide_up(node->step->overlap, fresh) * period;
}

/* All steps fire together with the first block. */
static int64_t together(const ct_graph *graph, int64_t first)
{
    int64_t common = 1;
    for (int n = 0; n < graph->count; n++) {
        const int64_t period = at_least_one(graph->nodes[n].out_period);
        common = common / ct_common_divisor(common, period) * period;
        if (common > first) return 0;
    }
    return first / common * common;
}

static int64_t first_block(const ct_run *run, int64_t next)
{
    const ct_graph *graph = run->plan->graph;
    int64_t *from = ct_arena_get(run->arena, sizeof *from * (size_t)graph->count), first = next;
    if (!from) return 0; /* the beginning is always right */
    for (int n = 0; n < graph->count; n++)
        from[n] = next;
    for (int n = graph->count - 1; n >= 0; n--) {
        const ct_node *node = &graph->nodes[n];
        if (from[n] <= 0) return 0;
        first = smaller(first, from[n]);
        for (int p = 0; p < CT_PORTS; p++) {
            const int input = node->input[p].node;
            if (input >= 0) from[input] = smaller(from[input], input_from(node, from[n]));
        }
    }
    return together(graph, first);
}

static ct_status seek_sources(ct_run *run, int64_t first, const int64_t *positions, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0, source = 0; s < run->plan->count; s++) {
        ct_run_step *at = &run->steps[s];
        if (ct_role_of(at->step) != CT_ROLE_SOURCE) continue;
        const int64_t block = ct_array_extent(&at->step->port[0], 'T');
        at->position = smaller(first * block, positions[source++]);
        run->length[run->plan->steps[s].node] = at->position;
        CT_TRY(ct_run_io_open(run, s, err));
        CT_TRY(ct_step_answer(at->own, at->own->stage->io.seek(at->state, at->position, err), err));
    }
out:
    return status;
}

ct_status ct_restart_from(ct_run *run, int64_t next, const int64_t *positions, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_graph *graph = run->plan->graph;
    const bool ended = next == graph->blocks;
    const int64_t first = ended ? next : first_block(run, next);
    CT_TRY(seek_sources(run, first, positions, err));
    for (int n = 0; n < graph->count; n++)
        ct_run_count_length(run, n);
    for (int s = 0; s < run->plan->count; s++)
        run->steps[s].fired = first / at_least_one(run->plan->steps[s].period);
    run->block = run->first = first;
    run->write_from = next;
    run->ended = ended;
out:
    return status;
}
