/* run_waits.c: how long a rank waits for the others in its steps, and where all meet; at the end
 * rank 0 gets these times of all ranks. What a rank stands still in an exchange is waiting for who
 * comes last, and then moving, which is as long for him who came last: so as ranks agree at a
 * block's end they find the least of what any stood, and the rest was waiting. No clocks of two
 * machines are compared. Room: core/run. Knows steps and seconds. Does not know how parts travel.
 */
#include "fail.h"
#include "memory.h"
#include "ranks.h"
#include "run.h"

struct ct_run_waits {
    const ct_ranks *ranks;
    double *stood;    /* [steps]: since ranks agreed */
    double *waited;   /* [steps]: in all */
    double met;       /* where they agree */
    int64_t *numbers; /* room to agree on them, in ns */
    ct_run_time *all; /* [ranks][steps + 1], on rank 0, once they are collected */
};

ct_status ct_run_waits_new(ct_run *run, ct_error *err)
{
    const size_t steps = (size_t)run->plan->count;
    ct_run_waits *waits = run->waits = ct_arena_get(run->arena, sizeof *waits);
    if (!waits) return ct_arena_check(run->arena, err);
    waits->ranks = run->plan->graph->ranks;
    waits->stood = ct_arena_get(run->arena, sizeof *waits->stood * steps);
    waits->waited = ct_arena_get(run->arena, sizeof *waits->waited * steps);
    waits->numbers = ct_arena_get(run->arena, sizeof *waits->numbers * (steps + 1));
    return ct_arena_check(run->arena, err);
}

double ct_run_waits_stood(const ct_run *run)
{
    return run->waits ? ct_ranks_blocked_s(run->waits->ranks) : 0;
}

void ct_run_waits_stand(ct_run *run, int s, double since)
{
    if (run->waits) run->waits->stood[s] += ct_run_waits_stood(run) - since;
}

void ct_run_waits_add(ct_run *run, int s, double seconds)
{
    if (run->waits) run->waits->stood[s] += seconds;
}

ct_status ct_run_waits_agree(ct_run *run, ct_status mine, ct_error *err)
{
    ct_run_waits *waits = run->waits;
    const int steps = run->plan->count;
    const double before = ct_run_waits_stood(run);
    ct_run_say_why(run, mine, err);
    for (int s = 0; s < steps; s++)
        waits->numbers[s + 1] = (int64_t)(1e9 * waits->stood[s]);
    const ct_status status = ct_ranks_agree_on(waits->ranks, mine, waits->numbers, steps + 1, err);
    for (int s = 0; s < steps; s++) {
        const double waited = waits->stood[s] - 1e-9 * (double)waits->numbers[s + 1];
        if (waited > 0) waits->waited[s] += waited;
        waits->stood[s] = 0;
    }
    waits->met += ct_run_waits_stood(run) - before;
    return status;
}

/* The run's own stand behind its steps': all that it waited. */
static void list_times(const ct_run *run, ct_run_time *out)
{
    const ct_run_waits *waits = run->waits;
    const int steps = run->plan->count;
    out[steps] = (ct_run_time){run->seconds, waits->met};
    for (int s = 0; s < steps; s++) {
        out[s] = (ct_run_time){run->steps[s].seconds, waits->waited[s]};
        out[steps].waited += waits->waited[s];
    }
}

ct_status ct_run_collect(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_waits *waits = run->waits;
    ct_run_time *mine = NULL;
    const size_t bytes = sizeof *mine * (size_t)(run->plan->count + 1);
    if (!waits) return CT_OK;
    mine = ct_memory_get(bytes);
    CT_NEED(mine, bytes, err);
    if (ct_ranks_rank(waits->ranks) == 0) {
        const size_t all = bytes * (size_t)ct_ranks_size(waits->ranks);
        if (!waits->all) waits->all = ct_arena_get(run->arena, all);
        CT_TRY(ct_arena_check(run->arena, err));
    }
    list_times(run, mine);
    CT_TRY(ct_ranks_gather(waits->ranks, mine, bytes, waits->all, err));
out:
    ct_memory_free(mine);
    return status;
}

const ct_run_time *ct_run_waits_all(const ct_run *run)
{
    return run->waits ? run->waits->all : NULL;
}
