/* run_trace.c: where the time of a run goes, per step. Room: core/watch. Knows steps and seconds.
 * Does not know what they do. */
#include "fail.h"
#include "json_text.h"
#include "run_job.h"

/* Useful operations of a step so far. */
static double flops_of(const ct_run_step *at)
{
    const ct_stage *stage = at->step->stage;
    return stage->flops ? stage->flops(at->step) * (double)at->fired : 0;
}

/* Bytes that a step has read and written so far, with its tables. */
static double bytes_of(const ct_run_step *at)
{
    double bytes = 0;
    for (int p = 0; p < ct_step_ports(at->step); p++)
        if (at->step->port[p].type != CT_NONE)
            bytes += (double)ct_array_count(&at->step->port[p]) *
                     ct_type_bits(at->step->port[p].type) / 8;
    return bytes * (double)at->fired;
}

/* ---- the trace */

/* Of the blocks' time, what is no step's: the journal's; moves of history and the host's work. */
static double rest_of(const ct_run *run)
{
    double rest = run->seconds - run->journal_s;
    for (int s = 0; s < run->plan->count; s++)
        rest -= ct_run_held(run, s);
    return rest > 0 ? rest : 0;
}

/* A row of the blocks' time; of a step with what it takes itself each time, in its thread or on the
 * device. */
static void trace_row(ct_text *text, const ct_run *run, double held, double each)
{
    const double blocks = run->block > 0 ? (double)run->block : 1;
    if (each >= 0)
        ct_text_add(text, " %10.3f", 1e3 * each);
    else
        ct_text_add(text, " %10s", "-");
    ct_text_add(text, " %10.3f %6.1f%%", 1e3 * held / blocks,
                run->seconds > 0 ? 100 * held / run->seconds : 0);
}

static void trace_step(ct_text *text, const ct_run *run, int s)
{
    const ct_run_step *at = &run->steps[s];
    const double flops = flops_of(at), fired = at->fired ? (double)at->fired : 1;
    ct_text_add(text, "%-24s %-15s %8lld", run->plan->steps[s].name, at->step->stage->name,
                (long long)at->fired);
    trace_row(text, run, ct_run_held(run, s), at->seconds / fired);
    if (flops > 0 && at->seconds > 0)
        ct_text_add(text, " %9.2f\n", 1e-9 * flops / at->seconds);
    else
        ct_text_add(text, " %9s\n", "-");
}

static void trace_sum(ct_text *text, const ct_run *run, const char *name, double held)
{
    ct_text_add(text, "%-24s %-15s %8s", name, "-", "-");
    trace_row(text, run, held, -1);
    ct_text_add(text, " %9s\n", "-");
}

static void trace_text(ct_text *text, const ct_run *run)
{
    ct_text_add(text, "%-24s %-15s %8s %10s %10s %7s %9s\n", "step", "stage", "fired", "ms/firing",
                "ms/block", "share", "GFLOP/s");
    for (int s = 0; s < run->plan->count; s++)
        trace_step(text, run, s);
    if (run->journal_s > 0) trace_sum(text, run, "the journal", run->journal_s);
    trace_sum(text, run, "history and host", rest_of(run));
    trace_sum(text, run, "the block", run->seconds);
    ct_text_add(text, "building kernels took %.3g s, in none of these\n", run->build_s);
    if (ct_job_times_known(run)) ct_job_times_print(text, run);
}

static void trace_json(ct_text *json, const ct_run *run)
{
    ct_json_open(json, NULL, '{');
    ct_json_add_int(json, "cornerturn_trace", 1);
    ct_json_add_int(json, "blocks", run->block);
    ct_json_add_real(json, "wall_s", run->seconds);
    ct_json_add_real(json, "build_s", run->build_s);
    ct_json_add_real(json, "journal_s", run->journal_s);
    ct_json_add_real(json, "rest_s", rest_of(run));
    if (ct_job_times_known(run)) ct_job_times_json(json, run, run->plan->count);
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
        ct_json_add_real(json, "held_s", ct_run_held(run, s));
        if (ct_job_times_known(run)) ct_job_times_json(json, run, s);
        ct_json_close(json, '}');
    }
    ct_json_close(json, ']');
    ct_json_close(json, '}');
    ct_text_add(json, "\n");
}

ct_status ct_run_trace(char **out, const ct_run *run, ct_form form, ct_error *err)
{
    CT_GIVEN_OUT(err, out, run);
    ct_text text = {0};
    if (form != CT_FORM_TEXT && form != CT_FORM_JSON)
        return ct_error_add(err, CT_USAGE, "ct_run_trace: a trace is text or JSON");
    (form == CT_FORM_JSON ? trace_json : trace_text)(&text, run);
    return ct_text_take(out, &text, err);
}
