/* run_trace.c: where the time of a run goes, per step; of a job whose ranks' times are collected,
 * on which rank. Room: core/run. */
#include "json_text.h"
#include "run.h"

static double all_seconds(const ct_run *run)
{
    double all = 0;
    for (int s = 0; s < run->plan->count; s++)
        all += run->steps[s].seconds;
    return all > 0 ? all : 1;
}

/* Useful operations of a step so far. */
static double flops_of(const ct_run_step *at)
{
    const ct_stage *stage = at->step->stage;
    return stage->flops ? stage->flops(at->step) * (double)at->fired : 0;
}

/* Of all that a step reads and writes, tables too, so far. */
static double bytes_of(const ct_run_step *at)
{
    double bytes = 0;
    for (int p = 0; p < ct_step_ports(at->step); p++)
        if (at->step->port[p].type != CT_NONE)
            bytes += (double)ct_array_count(&at->step->port[p]) *
                     ct_type_bits(at->step->port[p].type) / 8;
    return bytes * (double)at->fired;
}

/* ---- ranks: of a step, or behind the last one of the run */

static int ranks_of(const ct_run *run)
{
    return ct_ranks_size(run->plan->graph->ranks);
}

static const ct_run_time *time_of(const ct_run *run, int rank, int s)
{
    return &ct_run_waits_all(run)[rank * (run->plan->count + 1) + s];
}

/* The rank than which so many are slower; of equals the lower one is. */
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

/* Of all ranks' time in a step, the part in which they waited for each other. */
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

static void ranks_text(ct_text *text, const ct_run *run)
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

static void add_ranks(ct_text *json, const ct_run *run, int s)
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

/* ---- the trace */

static void trace_text(ct_text *text, const ct_run *run)
{
    double all = all_seconds(run);
    ct_text_add(text, "%-24s %-12s %8s %10s %7s %9s\n", "step", "stage", "fired", "ms/block",
                "share", "GFLOP/s");
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        double fired = at->fired ? (double)at->fired : 1, flops = flops_of(at);
        ct_text_add(text, "%-24s %-12s %8lld %10.3f %6.1f%% ", run->plan->steps[s].name,
                    at->step->stage->name, (long long)at->fired, 1e3 * at->seconds / fired,
                    100 * at->seconds / all);
        if (flops > 0 && at->seconds > 0)
            ct_text_add(text, "%9.2f\n", 1e-9 * flops / at->seconds);
        else
            ct_text_add(text, "%9s\n", "-");
    }
    ct_text_add(text, "building kernels took %.3g s, in none of these\n", run->building);
    if (ct_run_waits_all(run)) ranks_text(text, run);
}

static void trace_json(ct_text *json, const ct_run *run)
{
    ct_json_open(json, NULL, '{');
    ct_json_add_int(json, "cornerturn_trace", 1);
    ct_json_add_int(json, "blocks", run->block);
    ct_json_add_real(json, "wall_s", run->seconds);
    ct_json_add_real(json, "build_s", run->building);
    if (ct_run_waits_all(run)) add_ranks(json, run, run->plan->count);
    ct_json_open(json, "steps", '[');
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        ct_json_open(json, NULL, '{');
        ct_json_add_text(json, "name", run->plan->steps[s].name);
        ct_json_add_text(json, "stage", at->step->stage->name);
        ct_json_add_int(json, "fired", at->fired);
        ct_json_add_real(json, "seconds", at->seconds);
        ct_json_add_real(json, "flops", flops_of(at));
        ct_json_add_real(json, "bytes", bytes_of(at));
        if (ct_run_waits_all(run)) add_ranks(json, run, s);
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
    ct_json_close(json, '}');
    ct_text_add(json, "\n");
}

ct_status ct_run_trace(char **out, const ct_run *run, ct_form form, ct_error *err)
{
    ct_text text = {0};
    *out = NULL;
    if (form != CT_FORM_TEXT && form != CT_FORM_JSON)
        return ct_error_add(err, CT_USAGE, "ct_run_trace: a trace is text or JSON");
    (form == CT_FORM_JSON ? trace_json : trace_text)(&text, run);
    return ct_text_take(out, &text, err);
}
