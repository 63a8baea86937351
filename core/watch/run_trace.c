/* run_trace.c: where the time of a run goes, per step. Room: core/watch. Knows steps and seconds.
 * Does not know what they do. */
#include "fail.h"
#include "json_text.h"
#include "run_job.h"

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
