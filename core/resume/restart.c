/* restart.c: where a run begins that goes on with a later block: so many blocks before it that
 * every history and every sum is again what it would have been. What these blocks give is not
 * written again. Room: core/resume. Knows overlaps, clocks and lengths. Does not know journals. */
#include "fail.h"
#include "memory.h"
#include "run_resume.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t samples_of(const ct_array *array)
{
    return ct_array_find(array, 'T') >= 0 ? ct_array_extent(array, 'T') : 1;
}

/* The first array of an input that a node needs, so that its outputs are right from number `from`
 * on: sums begin with their first sample, and what comes may be gathered. */
static int64_t input_from(const ct_graph *graph, const ct_node *node, int p, int64_t from)
{
    const ct_step *step = node->step;
    const ct_link link = node->input[p];
    const int64_t takes = samples_of(&step->port[p]);
    const int64_t firing = step->accumulate > 1 ? from * step->decimate / takes : from;
    const int64_t sample = firing * takes - step->overlap;
    return sample <= 0 ? 0 : sample / samples_of(&graph->nodes[link.node].step->port[link.port]);
}

static int64_t fired(const ct_graph *graph, int clock, int64_t blocks)
{
    return ct_clock_table_fired(&graph->clocks, clock, blocks);
}

/* The block in which all begins that is needed from block `next` on. */
static int64_t first_block(const ct_run *run, int64_t next)
{
    const ct_graph *graph = run->plan->graph;
    int64_t *from = ct_arena_get(run->arena, sizeof *from * (size_t)graph->count), first = next;
    if (!from) return 0; /* the beginning is always right */
    for (int n = 0; n < graph->count; n++)
        from[n] = fired(graph, graph->nodes[n].out_clock, next);
    for (int n = graph->count - 1; n >= 0; n--) {
        const ct_node *node = &graph->nodes[n];
        if (node->input[0].node < 0) first = smaller(first, from[n]);
        for (int p = 0; p < CT_PORTS; p++) {
            const int input = node->input[p].node;
            if (input >= 0) from[input] = smaller(from[input], input_from(graph, node, p, from[n]));
        }
    }
    return first;
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
    const bool ended = next == graph->blocks && !run->plan->regroups;
    const int64_t first = ended ? next : first_block(run, next);
    CT_TRY(seek_sources(run, first, positions, err));
    for (int n = 0; n < graph->count; n++)
        ct_run_count_length(run, n);
    for (int s = 0; s < run->plan->count; s++)
        run->steps[s].fired = fired(graph, run->plan->steps[s].clock, first);
    run->block = run->first = first;
    run->write_from = next;
    run->ended = ended;
out:
    return status;
}
