/* job_times.c: how long a rank waits for the others in its steps, and where all agree; at the end
 * rank 0 gets these times of all ranks. What a rank stands still in an exchange is waiting for who
 * comes last, and then sending, which is as long for who came last: so as ranks agree at a block's
 * end they find the least of what any stood, and the rest was waiting. No clocks of two machines
 * are compared. Room: core/job. Knows steps and seconds. Does not know how parts are sent. */
#include "cornerturn_ranks.h"
#include "fail.h"
#include "json_text.h"
#include "memory.h"
#include "run_job.h"

/* What a step of a rank takes, or all of a block, and how much of that it waits. */
typedef struct step_time {
    double seconds, waited;
} step_time;

struct ct_job_times {
    double *stood;    /* [steps]: since ranks agreed */
    double *waited;   /* [steps]: in all */
    double met;       /* where they agree */
    int64_t *numbers; /* room to agree on them, in ns */
    step_time *all;   /* [ranks][steps + 1], on rank 0, once they are collected */
};

ct_status ct_job_times_new(ct_run *run, ct_error *err)
{
    const size_t steps = (size_t)run->plan->count;
    struct ct_job_times *times = run->job->times = ct_arena_get(run->arena, sizeof *times);
    if (!times) return ct_arena_check(run->arena, err);
    times->stood = ct_arena_get(run->arena, sizeof *times->stood * steps);
    times->waited = ct_arena_get(run->arena, sizeof *times->waited * steps);
    times->numbers = ct_arena_get(run->arena, sizeof *times->numbers * (steps + 1));
    return ct_arena_check(run->arena, err);
}

double ct_job_times_stood(const ct_run *run)
{
    return ct_ranks_blocked_s(run->job->ranks);
}

void ct_job_times_add(ct_run *run, int s, double seconds)
{
    run->job->times->stood[s] += seconds;
}

ct_status ct_job_times_agree(ct_run *run, ct_status mine, ct_error *err)
{
    struct ct_job_times *times = run->job->times;
    const int steps = run->plan->count;
    const double before = ct_job_times_stood(run);
    ct_run_explain(run, mine, err);
    for (int s = 0; s < steps; s++)
        times->numbers[s + 1] = (int64_t)(1e9 * times->stood[s]);
    const ct_status status =
        ct_ranks_agree_on(run->job->ranks, mine, times->numbers, steps + 1, err);
    for (int s = 0; s < steps; s++) {
        const double waited = times->stood[s] - 1e-9 * (double)times->numbers[s + 1];
        if (waited > 0) times->waited[s] += waited;
        times->stood[s] = 0;
    }
    times->met += ct_job_times_stood(run) - before;
    return status;
}

/* The times of the run come after those of its steps. */
static void list_times(const ct_run *run, step_time *out)
{
    const struct ct_job_times *times = run->job->times;
    const int steps = run->plan->count;
    out[steps] = (step_time){run->seconds, times->met};
    for (int s = 0; s < steps; s++) {
        out[s] = (step_time){run->steps[s].seconds, times->waited[s]};
        out[steps].waited += times->waited[s];
    }
}

ct_status ct_job_times_collect(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    step_time *mine = NULL;
    const size_t bytes = sizeof *mine * (size_t)(run->plan->count + 1);
    struct ct_job_times *times = run->job->times;
    mine = ct_memory_get(bytes);
    CT_NEED(mine, bytes, err);
    if (ct_ranks_rank(run->job->ranks) == 0) {
        const size_t all = bytes * (size_t)ct_ranks_size(run->job->ranks);
        if (!times->all) times->all = ct_arena_get(run->arena, all);
        CT_TRY(ct_arena_check(run->arena, err));
    }
    list_times(run, mine);
    CT_TRY(ct_ranks_gather(run->job->ranks, mine, bytes, times->all, err));
out:
    ct_memory_free(mine);
    return status;
}

/* ---- in a trace: of a step, or after the last one of the block */

bool ct_job_times_known(const ct_run *run)
{
    return run->job && run->job->times->all;
}

static int ranks_of(const ct_run *run)
{
    return ct_ranks_size(run->job->ranks);
}

static const step_time *time_of(const ct_run *run, int rank, int s)
{
    return &run->job->times->all[rank * (run->plan->count + 1) + s];
}

/* The rank that is slower than all but so many; of equal ones the lower rank counts as slower. */
static int nth_slowest(const ct_run *run, int s, int slower)
{
    for (int r = 0; r < ranks_of(run); r++) {
        const double seconds = time_of(run, r, s)->seconds;
        int before = 0;
        for (int o = 0; o < ranks_of(run); o++) {
            const double other = time_of(run, o, s)->seconds;
            before += other > seconds || (other == seconds && o < r);
        }
        if (before == slower) return r;
    }
    return 0; /* some time is no number */
}

/* The part of all ranks' time in a step in which they waited for each other. */
static double waiting_share(const ct_run *run, int s)
{
    double waited = 0, seconds = 0;
    for (int r = 0; r < ranks_of(run); r++) {
        waited += time_of(run, r, s)->waited;
        seconds += time_of(run, r, s)->seconds;
    }
    return seconds > 0 ? waited / seconds : 0;
}

enum { KINDS = 3 };
static const char *const kinds[KINDS] = {"slowest", "median", "fastest"};

static int rank_of_kind(const ct_run *run, int s, int kind)
{
    const int places[KINDS] = {0, ranks_of(run) / 2, ranks_of(run) - 1};
    return nth_slowest(run, s, places[kind]);
}

void ct_job_times_print(ct_text *text, const ct_run *run)
{
    const int steps = run->plan->count, ranks = ranks_of(run);
    ct_text_add(text, "\nof %d ranks, in ms/block (and which one it is)\n%-24s %-12s", ranks,
                "step", "stage");
    for (int k = 0; k < KINDS; k++)
        ct_text_add(text, " %15s", kinds[k]);
    ct_text_add(text, " %8s\n", "waiting");
    for (int s = 0; s <= steps; s++) {
        const int64_t fired = s < steps ? run->steps[s].fired : run->block;
        ct_text_add(text, "%-24s %-12s", s < steps ? run->plan->steps[s].name : "the block",
                    s < steps ? run->steps[s].step->stage->name : "-");
        for (int k = 0; k < KINDS; k++) {
            const int rank = rank_of_kind(run, s, k);
            ct_text_add(text, " %10.3f %4d",
                        1e3 * time_of(run, rank, s)->seconds / (double)(fired ? fired : 1), rank);
        }
        ct_text_add(text, " %7.1f%%\n", 100 * waiting_share(run, s));
    }
}

void ct_job_times_json(ct_text *json, const ct_run *run, int s)
{
    ct_json_open(json, "ranks", '{');
    for (int k = 0; k < KINDS; k++) {
        const int rank = rank_of_kind(run, s, k);
        ct_json_open(json, kinds[k], '{');
        ct_json_add_int(json, "rank", rank);
        ct_json_add_real(json, "seconds", time_of(run, rank, s)->seconds);
        ct_json_add_real(json, "waiting_s", time_of(run, rank, s)->waited);
        ct_json_close(json, '}');
    }
    ct_json_add_real(json, "waiting", waiting_share(run, s));
    ct_json_close(json, '}');
}
