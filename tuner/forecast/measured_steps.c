/* measured_steps.c: what was measured on one machine, from a tune's journal or a run's trace, for
 * the forecast of a plan over ranks: seconds of each node for a block, the rate of transposes.
 * Room: tuner/forecast. Knows both files. Does not know what is predicted (forecast.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fail.h"
#include "journal_lines.h"
#include "measured_steps.h"
#include "memory.h"
#include "plan_store.h"
#include "results.h"
#include "tuning_journal.h"

typedef struct measured {
    const ct_plan *plan;
    const char *file;
    double *node_s;
    double rate;
    double host_s, io_load; /* see forecast.h */
    double *rates;          /* of each transpose */
    int count;
    ct_arena *arena;
} measured;

static const ct_step *step_of(const measured *m, const char *name, int *node)
{
    *node = ct_graph_find(m->plan->graph, name);
    return *node >= 0 ? m->plan->graph->nodes[*node].step : NULL;
}

static bool is_kernel(const ct_step *step)
{
    return step && ct_role_of(step) == CT_ROLE_KERNEL;
}

/* Of a block's wall time what the device's steps did not take: as much of it as sources and sinks
 * took in their threads is theirs, for they share its cores; the rest is the host's own. */
static void take_host(measured *m, double wall_s, double device_s, double io_s)
{
    const double over = fmax(0, wall_s - device_s);
    m->io_load = io_s > 0 ? fmin(1, over / io_s) : 0;
    m->host_s = fmax(0, over - io_s);
}

/* ---- a tune's journal: of this very pipeline */

static ct_status check_head(const measured *m, const ct_tuning_journal *journal, ct_error *err)
{
    char digest[CT_DIGEST_SIZE];
    const ct_status status = ct_plan_store_digest(digest, m->plan->graph, err);
    const char *was =
        ct_value_text(ct_value_get(ct_tuning_journal_line(journal, 0), "pipeline"), "");
    if (status != CT_OK || strcmp(was, digest) == 0) return status;
    return ct_error_add(
        err, CT_INVALID,
        "%s: is the journal of another pipeline, or of this one with other settings", m->file);
}

/* Which of the plans that were rehearsed this one is, as far as one knows: the tuned or the
 * default.
 */
static const char *name_of(const measured *m, const ct_tuning_journal *journal)
{
    const char *name = "default";
    for (size_t n = 1; m->plan->about[1] && n < ct_tuning_journal_count(journal); n++) {
        const ct_value *end = ct_value_get(ct_tuning_journal_line(journal, n), "end");
        if (end) name = ct_value_text(ct_value_get(end, "plan"), name);
    }
    return name;
}

/* Nothing was read or written then. */
static void take_whole(measured *m, const ct_plan_timing *whole)
{
    double device = 0;
    for (int i = 0; i < whole->steps; i++) {
        int node;
        if (is_kernel(step_of(m, whole->name[i], &node))) m->node_s[node] = whole->seconds[i];
        device += whole->seconds[i];
    }
    take_host(m, ct_results_median(whole->wall, whole->walls), device, 0);
}

/* Of "fft" or "fft.COUNTS"; 0: no such array. */
static double bytes_of(const measured *m, const char *name)
{
    char node[CT_GRAPH_NAME + 1];
    const char *dot = strrchr(name, '.');
    int n = ct_graph_find(m->plan->graph, name), port;
    if (n < 0 && dot) {
        snprintf(node, sizeof node, "%.*s", (int)(dot - name), name);
        n = ct_graph_find(m->plan->graph, node);
    }
    if (n < 0) return 0;
    const ct_step *step = m->plan->graph->nodes[n].step;
    port = ct_graph_find(m->plan->graph, name) >= 0 ? ct_step_first_output(step)
                                                    : ct_step_find_port(step, dot + 1);
    if (port < 0) return 0;
    return (double)ct_array_count(&step->port[port]) * ct_type_bits(step->port[port].type) / 8;
}

static void take_transpose(measured *m, const ct_value *line)
{
    ct_answer answer;
    const char *name = ct_value_text(ct_value_get(line, "transpose"), NULL);
    if (!name) return;
    ct_journal_lines_read_answer(line, &answer);
    const double bytes = bytes_of(m, name);
    if (answer.end != CT_END_correct || answer.count == 0 || bytes <= 0) return;
    m->rates[m->count++] = bytes / ct_results_median(answer.seconds, answer.count);
}

static ct_status take_journal(measured *m, ct_error *err)
{
    ct_status status = CT_OK;
    ct_tuning_journal *journal = NULL;
    CT_TRY(ct_tuning_journal_load(&journal, m->file, err));
    CT_TRY(check_head(m, journal, err));
    m->rates = ct_arena_get(m->arena, sizeof *m->rates * ct_tuning_journal_count(journal));
    CT_TRY(ct_arena_check(m->arena, err));
    const char *name = name_of(m, journal);
    for (size_t n = 1; n < ct_tuning_journal_count(journal); n++) {
        ct_plan_timing whole;
        const char *plan;
        const ct_value *line = ct_tuning_journal_line(journal, n);
        take_transpose(m, line);
        if (ct_journal_lines_read_whole(line, &plan, &whole, m->arena) == CT_OK &&
            !strcmp(plan, name))
            take_whole(m, &whole);
    }
    m->rate = ct_results_median(m->rates, m->count);
out:
    ct_tuning_journal_close(journal);
    return status;
}

/* ---- a run's trace: of the same nodes, of any size */

static double work_of(const ct_step *step, bool flops)
{
    double bytes = 0;
    if (flops) return step->stage->flops ? step->stage->flops(step) : 0;
    for (int p = 0; p < ct_step_ports(step); p++)
        if (step->port[p].type != CT_NONE)
            bytes += (double)ct_array_count(&step->port[p]) * ct_type_bits(step->port[p].type) / 8;
    return bytes;
}

/* Seconds go with operations; of a step that counts none with bytes. */
static void take_step(measured *m, const ct_value *step)
{
    int node;
    const double seconds = ct_value_real(ct_value_get(step, "seconds"), 0);
    const double fired = ct_value_real(ct_value_get(step, "fired"), 0);
    const double flops = ct_value_real(ct_value_get(step, "flops"), 0);
    const double bytes = ct_value_real(ct_value_get(step, "bytes"), 0);
    const ct_step *own = step_of(m, ct_value_text(ct_value_get(step, "name"), ""), &node);
    if (!(seconds > 0) || !(fired > 0) || !(flops > 0 || bytes > 0)) return;
    if (!strcmp(ct_value_text(ct_value_get(step, "stage"), ""), "transpose"))
        m->rates[m->count++] = bytes / 2 / seconds;
    if (!own) return;
    if (is_kernel(own) && strcmp(own->stage->name, ct_value_text(ct_value_get(step, "stage"), "")))
        return;
    m->node_s[node] = seconds * work_of(own, flops > 0) / (flops > 0 ? flops : bytes) /
                      ct_clock_table_period(&m->plan->graph->clocks, m->plan->graph->nodes[node].clock);
}

static void take_trace_host(measured *m, const ct_value *trace)
{
    double device = 0, io = 0;
    const ct_value *steps = ct_value_get(trace, "steps");
    const double blocks = ct_value_real(ct_value_get(trace, "blocks"), 0);
    if (!(blocks > 0)) return;
    for (size_t i = 0; i < ct_value_count(steps); i++) {
        int node;
        const ct_value *at = ct_value_at(steps, i);
        const ct_step *own = step_of(m, ct_value_text(ct_value_get(at, "name"), ""), &node);
        const double seconds = ct_value_real(ct_value_get(at, "seconds"), 0);
        *(own && !is_kernel(own) ? &io : &device) += seconds;
    }
    take_host(m, ct_value_real(ct_value_get(trace, "wall_s"), 0) / blocks, device / blocks,
              io / blocks);
}

static ct_status take_trace(measured *m, const ct_value *trace, ct_error *err)
{
    const ct_value *steps = ct_value_get(trace, "steps");
    m->rates = ct_arena_get(m->arena, sizeof *m->rates * (ct_value_count(steps) + 1));
    const ct_status status = ct_arena_check(m->arena, err);
    for (size_t i = 0; status == CT_OK && i < ct_value_count(steps); i++)
        take_step(m, ct_value_at(steps, i));
    m->rate = ct_results_median(m->rates, m->count);
    take_trace_host(m, trace);
    return status;
}

/* ---- both */

static ct_status take_file(measured *m, ct_error *err)
{
    ct_value *root = NULL;
    ct_status status = CT_OK;
    const bool one = ct_value_load(&root, m->file, NULL) == CT_OK;
    if (one && ct_value_get(root, "cornerturn_trace"))
        status = take_trace(m, root, err);
    else
        status = take_journal(m, err);
    ct_value_free(root);
    return status;
}

/* That nothing of the pipeline was found in the file is no prediction. */
static ct_status check_nodes(const measured *m, ct_error *err)
{
    const ct_graph *graph = m->plan->graph;
    for (int n = 0; n < graph->count; n++)
        if (ct_role_of(graph->nodes[n].step) == CT_ROLE_KERNEL && isnan(m->node_s[n]))
            return ct_error_add(
                err, CT_INVALID,
                "%s: nothing was measured of node \"%s\", a %s, in it: expected the "
                "journal or the trace of a pipeline that has it",
                m->file, graph->nodes[n].name, graph->nodes[n].step->stage->name);
    return CT_OK;
}

ct_status ct_measured_read(ct_forecast_known *out, ct_network *found, const ct_plan *plan,
                           const char *network, const char *file, struct ct_arena *arena,
                           ct_error *err)
{
    ct_status status = CT_OK;
    measured m = {
        .plan = plan, .file = file, .rate = NAN, .host_s = NAN, .io_load = NAN, .arena = arena};
    m.node_s = ct_arena_get(m.arena, sizeof *m.node_s * (size_t)plan->graph->count);
    CT_TRY(ct_arena_check(m.arena, err));
    for (int n = 0; n < plan->graph->count; n++)
        m.node_s[n] = NAN;
    if (network) CT_TRY(ct_network_parse(found, network, err));
    if (file) CT_TRY(take_file(&m, err));
    if (file) CT_TRY(check_nodes(&m, err));
    *out = (ct_forecast_known){.node_s = m.node_s,
                               .host_s = m.host_s,
                               .io_load = m.io_load,
                               .rate = m.rate,
                               .measured = file,
                               .network = network ? found : NULL};
out:
    return status;
}

ct_status ct_tune_predict(ct_plan *plan, const char *network, const char *file, ct_error *err)
{
    CT_GIVEN(err, plan);
    ct_status status = CT_OK;
    ct_network found;
    ct_forecast_known known;
    ct_arena *arena = ct_arena_new();
    CT_NEED(arena, 0, err);
    CT_TRY(ct_measured_read(&known, &found, plan, network, file, arena, err));
    CT_TRY(ct_forecast_plan(plan, &known, err));
out:
    ct_arena_free(arena);
    return status;
}
