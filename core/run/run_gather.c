/* run_gather.c: a step that gathers samples for one that takes another number of them: the data on
 * the device, and their flags. Room: core/run. Knows what came and what was taken. Does not know
 * how samples are copied (core/regroup). */
#include <string.h>

#include "fail.h"
#include "regroup.h"
#include "run_flags.h"
#include "run_memory.h"

/* Samples that its reader has taken after so many blocks. */
static int64_t taken_after(const ct_run *run, const ct_plan_step *step, int64_t blocks)
{
    const ct_graph *graph = run->plan->graph;
    return ct_array_extent(&step->step->port[1], 'T') *
           ct_clock_table_fired(&graph->clocks, graph->nodes[step->reader.node].clock, blocks);
}

/* Moves every row to the start, and appends one of what has come. */
static void gather_flags(ct_flags *queue, int64_t way, const ct_flags *fresh, int64_t at)
{
    for (int64_t r = 0; r < ct_flags_rows(queue); r++) {
        uint8_t *row = queue->data + r * queue->samples;
        if (way > 0) memmove(row, row + way, (size_t)(queue->samples - way));
        if (fresh) memcpy(row + at, fresh->data + r * fresh->samples, (size_t)fresh->samples);
    }
}

static void take_flags(ct_flags *chunk, const ct_flags *queue)
{
    for (int64_t r = 0; r < ct_flags_rows(queue); r++)
        memcpy(chunk->data + r * chunk->samples, queue->data + r * queue->samples,
               (size_t)chunk->samples);
    (void)ct_flags_count(chunk, chunk->samples);
}

static void pass_flags(ct_run *run, int s, int64_t way, bool append, int64_t waiting)
{
    struct ct_run_flags *flags = run->flags;
    if (!flags->queue[s].data) return;
    const ct_link from = run->plan->graph->nodes[run->plan->steps[s].reader.node]
                             .input[run->plan->steps[s].reader.port];
    gather_flags(&flags->queue[s], way,
                 append ? &flags->out[from.node * CT_PORTS + from.port] : NULL, waiting);
    take_flags(&flags->chunk[s], &flags->queue[s]);
}

ct_gathered ct_run_gathered(const ct_run *run, int s, int64_t block)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const int64_t came = ct_array_extent(&step->step->port[0], 'T') *
                         ct_clock_table_fired(&run->plan->graph->clocks, step->clock, block);
    const int64_t taken = taken_after(run, step, block);
    return (ct_gathered){taken - taken_after(run, step, block - 1), came - taken};
}

ct_status ct_run_gather(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    const ct_gathered now = ct_run_gathered(run, s, ct_run_block_of(run, s));
    const bool append = ct_run_is_due(run, s);
    if (!ct_run_is_busy(run, s) || (!append && now.way == 0)) return CT_OK;
    ct_run_slots_take_inputs(run, s);
    ct_regroup_next(ct_program_engine(at->program), now.way, now.rest, append);
    pass_flags(run, s, now.way, append, now.rest);
    CT_TRY(ct_program_enqueue(at->program, at->mem, &(ct_piece){0}, err));
    at->launched = true;
    at->fired += append;
out:
    return status;
}
