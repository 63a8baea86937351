/* time_tables.c: tables that change with time: filled before each firing by the stage, which is
 * told when the block begins. Room: core/run. Knows which sample that is. Does not know any stage.
 */
#include "fail.h"
#include "memory.h"
#include "run_tables.h"
#include "step_range.h"

/* The metadata of port 0, with the time of the first sample of this block, after the overlap. */
static ct_meta block_meta(const ct_run *run, int s)
{
    const ct_step *step = run->steps[s].step;
    const ct_graph *graph = run->plan->graph;
    const ct_link from = graph->nodes[run->plan->steps[s].node].input[0];
    const int64_t block = ct_array_extent(&step->port[0], 'T') - step->overlap;
    const int64_t skip = from.node < 0 ? 0 : graph->nodes[from.node].out_skip;
    ct_meta meta = step->port[0].meta;
    meta.start_s += (double)(run->steps[s].fired * block - skip) * meta.sample_time_s;
    return meta;
}

static ct_status fill_one(ct_run *run, int s, int p, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_step *step = run->steps[s].step;
    ct_array fill = step->port[p];
    ct_array_dense(&fill, NULL);
    fill.meta = block_meta(run, s);
    fill.data = ct_memory_get(ct_array_bytes(&fill));
    CT_NEED(fill.data, ct_array_bytes(&fill), err);
    CT_TRY(ct_step_table(step, p, &fill, err));
    CT_TRY(ct_program_put(&step->port[p], &fill, run->device, &run->steps[s].mem[p], err));
out:
    ct_memory_free(fill.data);
    return status;
}

ct_status ct_run_time_tables_fill(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_step *step = run->steps[s].step;
    for (int p = 0; p < ct_step_ports(step); p++) {
        if (ct_step_is_updated(step, p)) CT_TRY(fill_one(run, s, p, err));
    }
out:
    return status;
}
