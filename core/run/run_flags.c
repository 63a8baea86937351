/* run_flags.c: missing samples beside the data: from sources, through every stage, to the port that
 * counts them. An output sample is flagged where any input sample that it needs is; where what is
 * flagged is left out, or stations are summed, where all of them are (run_rules.c). Kept for groups
 * of channels, and only where some node behind asks for flags. Room: core/run. Knows windows in
 * time. Does not know what stages compute, or how flags come from and to the device (run_masks.c).
 */
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run.h"

ct_flags *ct_run_flags_of(const ct_run *run, ct_link link)
{
    return &run->out[link.node * CT_PORTS + link.port];
}

void ct_run_flags_swap(ct_flags *a, ct_flags *b)
{
    uint8_t *const data = a->data;
    const bool any = a->any;
    a->data = b->data;
    a->any = b->any;
    b->data = data;
    b->any = any;
}

void ct_run_flags_next(ct_run *run, int n)
{
    for (int i = n * CT_PORTS; i < (n + 1) * CT_PORTS; i++)
        if (run->late[i].data) ct_run_flags_swap(&run->out[i], &run->late[i]);
}

/* A producer may be one block further than who reads it. */
ct_flags *ct_run_flags_read(const ct_run *run, int s)
{
    const ct_link link = run->plan->graph->nodes[run->plan->steps[s].node].input[0];
    ct_flags *late = &run->late[link.node * CT_PORTS + link.port];
    if (!run->courier || !late->data) return ct_run_flags_of(run, link);
    const ct_run_step *from = &run->steps[run->step_of[link.node]];
    const int64_t newest = (from->fired - 1) / from->step->gather;
    return run->steps[s].fired < newest ? late : ct_run_flags_of(run, link);
}

bool ct_run_flags_wanted(const ct_run *run, int n, int except)
{
    for (int p = 0; p < CT_PORTS; p++)
        if (p != except && run->out[n * CT_PORTS + p].data) return true;
    return false;
}

static void flags_new(ct_run *run, ct_flags *flags, const ct_array *of, int64_t before)
{
    *flags = (ct_flags){.stations = ct_array_extent(of, 'S'),
                        .groups = ct_array_groups(of),
                        .samples = ct_array_extent(of, 'T') + before,
                        .of = of};
    flags->data = ct_arena_get(run->arena, (size_t)(ct_run_flags_rows(flags) * flags->samples) + 1);
}

/* Channel by channel where both have as many: -1 where a group's channels follow several. */
static void relate_channels(ct_flags *out, const ct_flags *in, int64_t channels)
{
    for (int64_t g = 0; g < out->groups; g++)
        out->from[g] = -2;
    for (int64_t c = 0; c < channels; c++) { /* a group may have none */
        int32_t *from = &out->from[ct_array_group(out->of, c)];
        const int32_t group = (int32_t)ct_array_group(in->of, c);
        *from = *from == -2 || *from == group ? group : -1;
    }
    for (int64_t g = 0; g < out->groups; g++)
        if (out->from[g] == -2) out->from[g] = 0;
}

/* Else a stage has kept the groups and divided their channels, or they are no more. */
static void relate(ct_run *run, ct_flags *out, const ct_flags *in)
{
    if (!out->data) return;
    const int64_t channels = ct_run_flags_channels(out->of);
    out->from = ct_arena_get(run->arena, sizeof *out->from * (size_t)out->groups);
    if (!out->from) return;
    if (channels == ct_run_flags_channels(in->of) && out->groups > 1) {
        relate_channels(out, in, channels);
        return;
    }
    for (int64_t g = 0; g < out->groups; g++)
        out->from[g] = in->groups == 1 ? 0 : out->groups == in->groups ? (int32_t)g : -1;
}

/* What lies before the stream's start is missing, and no part of it. */
static void flag_history(ct_flags *window, int64_t overlap)
{
    for (int64_t r = 0; r < ct_run_flags_rows(window); r++)
        memset(window->data + r * window->samples, CT_RUN_OUTSIDE, (size_t)overlap);
    window->any = overlap > 0;
}

static bool takes_flags(const ct_step *step)
{
    const int port = ct_run_masks_port(step, CT_IN);
    if (step->stage->traits & CT_STAGE_LEAVES_OUT) return true;
    return port >= 0 && step->port[port].type != CT_NONE;
}

static bool is_brought(const ct_node *node)
{
    const int port = ct_run_masks_port(node->step, CT_IN);
    return port >= 0 && node->input[port].node >= 0;
}

/* Where stations are summed, each one's samples until all are known. */
static void outputs_new(ct_run *run, int n)
{
    const ct_step *step = run->plan->graph->nodes[n].step;
    const int64_t stations = ct_array_extent(&step->port[0], 'S');
    for (int p = 0; p < CT_PORTS; p++) {
        ct_flags *out = &run->out[n * CT_PORTS + p];
        if (out->data && out->stations != stations)
            out->each =
                ct_arena_get(run->arena, (size_t)(stations * out->groups * out->samples) + 1);
    }
}

/* A window follows what comes in, outputs follow the window where there is one. */
static void relate_node(ct_run *run, int n, const ct_flags *in)
{
    ct_flags *window = &run->window[n];
    relate(run, window, in);
    for (int p = 0; p < CT_PORTS; p++)
        relate(run, &run->out[n * CT_PORTS + p], window->data ? window : in);
}

/* What a node takes in, once it is known what is asked of its outputs. */
static ct_status inputs_new(ct_run *run, int n, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_node *node = &run->plan->graph->nodes[n];
    const ct_step *step = node->step;
    const bool passes = ct_run_flags_wanted(run, n, -1);
    if (node->input[0].node < 0 || (!passes && !takes_flags(step))) return CT_OK;
    ct_flags *in = ct_run_flags_of(run, node->input[0]);
    const ct_node *from = &run->plan->graph->nodes[node->input[0].node];
    if (!in->data) flags_new(run, in, &from->step->port[node->input[0].port], 0);
    outputs_new(run, n);
    if (step->overlap > 0 || (passes && is_brought(node)))
        flags_new(run, &run->window[n], &step->port[0], step->overlap);
    CT_TRY(ct_arena_check(run->arena, err));
    relate_node(run, n, in);
    CT_TRY(ct_arena_check(run->arena, err));
    if (run->window[n].data) flag_history(&run->window[n], step->overlap);
out:
    return status;
}

static ct_status row_new(ct_run *run, ct_error *err)
{
    const int nodes = run->plan->graph->count;
    int64_t most = 0;
    for (int i = 0; i < nodes * CT_PORTS; i++)
        if (run->out[i].samples > most) most = run->out[i].samples;
    for (int n = 0; n < nodes; n++)
        if (run->window[n].samples > most) most = run->window[n].samples;
    run->row = ct_arena_get(run->arena, (size_t)most + 1);
    return ct_arena_check(run->arena, err);
}

/* A second copy of what is read a block later than it is made. */
static ct_status late_new(ct_run *run, ct_error *err)
{
    const ct_graph *graph = run->plan->graph;
    for (int n = 0; n < graph->count; n++)
        run->step_of[n] = -1;
    for (int s = 0; s < run->plan->count; s++)
        if (run->plan->steps[s].node >= 0) run->step_of[run->plan->steps[s].node] = s;
    for (int s = 0; s < run->plan->count; s++) {
        const ct_plan_step *step = &run->plan->steps[s];
        if (step->node < 0 || graph->nodes[step->node].input[0].node < 0) continue;
        const ct_link link = graph->nodes[step->node].input[0];
        const int from = run->step_of[link.node], i = link.node * CT_PORTS + link.port;
        if (!run->out[i].data || run->late[i].data || run->plan->steps[from].lag == step->lag)
            continue;
        run->late[i] = run->out[i];
        run->late[i].data = ct_arena_get(
            run->arena, (size_t)(ct_run_flags_rows(&run->out[i]) * run->out[i].samples) + 1);
    }
    return ct_arena_check(run->arena, err);
}

/* From the last node to the first: who reads comes before who is read. Sources count what is
 * missing, whoever asks. */
ct_status ct_run_flags_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_graph *graph = run->plan->graph;
    const size_t ports = (size_t)graph->count * CT_PORTS;
    run->out = ct_arena_get(run->arena, sizeof *run->out * ports);
    run->late = ct_arena_get(run->arena, sizeof *run->late * ports);
    run->step_of = ct_arena_get(run->arena, sizeof *run->step_of * (size_t)graph->count);
    run->window = ct_arena_get(run->arena, sizeof *run->window * (size_t)graph->count);
    CT_TRY(ct_arena_check(run->arena, err));
    for (int n = 0; n < graph->count; n++)
        if (ct_role_of(graph->nodes[n].step) == CT_ROLE_SOURCE)
            flags_new(run, &run->out[n * CT_PORTS], &graph->nodes[n].step->port[0], 0);
    for (int n = graph->count - 1; n >= 0; n--)
        CT_TRY(inputs_new(run, n, err));
    CT_TRY(late_new(run, err));
    CT_TRY(row_new(run, err));
    CT_TRY(ct_run_masks_new(run, err));
out:
    return status;
}

static bool any_flagged(const uint8_t *data, int64_t count)
{
    uint8_t all = 0;
    for (int64_t i = 0; i < count; i++)
        all |= data[i];
    return all != 0;
}

/* Shifts the window by one block and takes the producer's new flags in. Where nothing was flagged
 * and nothing is, all of it is 0 as it stands. */
static void advance(ct_flags *window, const ct_flags *fresh, int64_t overlap, bool first)
{
    if (!window->any && !fresh->any) return;
    window->any = false;
    for (int64_t r = 0; r < ct_run_flags_rows(window); r++) {
        uint8_t *row = window->data + r * window->samples;
        const int64_t from = r / window->groups * fresh->groups + window->from[r % window->groups];
        if (!first) memmove(row, row + fresh->samples, (size_t)overlap);
        memcpy(row + overlap, fresh->data + from * fresh->samples, (size_t)fresh->samples);
        window->any = window->any || any_flagged(row, window->samples);
    }
}

/* Of all of a station's groups. */
static const uint8_t *join_groups(ct_run *run, const ct_flags *in, int64_t s, bool leaves_out)
{
    const uint8_t *rows = in->data + s * in->groups * in->samples;
    memcpy(run->row, rows, (size_t)in->samples);
    for (int64_t g = 1; g < in->groups; g++)
        for (int64_t t = 0; t < in->samples; t++)
            run->row[t] = ct_run_rule_join(run->row[t], rows[g * in->samples + t], leaves_out);
    return run->row;
}

/* What is missing from all that was summed. */
static void merge_stations(ct_flags *out, int64_t stations)
{
    const int64_t apart = out->groups * out->samples;
    for (int64_t s = 0; s < out->stations; s++)
        ct_run_rule_stations(out->data + s * apart, out->each, apart, apart, stations);
}

static void clear(ct_flags *out, int64_t stations)
{
    memset(out->data, 0, (size_t)(ct_run_flags_rows(out) * out->samples));
    if (out->each) memset(out->each, 0, (size_t)(stations * out->groups * out->samples));
    out->any = false;
}

/* more: the output gathers several blocks, and this is not the first. */
static void pass_window(ct_run *run, const ct_step *step, const ct_flags *in, ct_flags *out,
                        bool more)
{
    const bool leaves_out = step->stage->traits & CT_STAGE_LEAVES_OUT;
    const ct_run_rule rule = {step->decimate / step->gather, step->overlap, leaves_out};
    uint8_t *rows = out->each ? out->each : out->data;
    if (!more && (out->any || in->any || out->each)) clear(out, in->stations);
    if (!in->any && !(more && leaves_out)) return;
    for (int64_t s = 0; s < in->stations; s++)
        for (int64_t g = 0; g < out->groups; g++) {
            const int64_t from = s * in->groups + out->from[g];
            const uint8_t *row = out->from[g] < 0 ? join_groups(run, in, s, leaves_out)
                                                  : in->data + from * in->samples;
            ct_run_rule_spread(rows + (s * out->groups + g) * out->samples, out->samples, row, rule,
                               more);
        }
    if (out->each) merge_stations(out, in->stations);
    (void)ct_run_flags_count(out, out->samples);
}

ct_status ct_run_flags_pass(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const int n = run->plan->steps[s].node;
    const ct_node *node = &run->plan->graph->nodes[n];
    const ct_step *step = node->step;
    if (node->input[0].node < 0) return CT_OK;
    const ct_flags *in = ct_run_flags_read(run, s);
    ct_flags *window = &run->window[n];
    const bool passes = ct_run_flags_wanted(run, n, -1);
    if (window->data) {
        advance(window, in, step->overlap, ct_run_block_of(run, s) < node->period);
        if (passes && is_brought(node)) CT_TRY(ct_run_masks_brought(run, s, window, err));
        in = window;
    }
    if (!passes || ct_array_find(&step->port[0], 'T') < 0) return CT_OK;
    for (int p = 0; p < CT_PORTS; p++)
        if (run->out[n * CT_PORTS + p].data)
            pass_window(run, step, in, &run->out[n * CT_PORTS + p],
                        run->steps[s].fired % step->gather != 0);
out:
    return status;
}

int64_t ct_run_flags_count(ct_flags *flags, int64_t got)
{
    int64_t count = 0;
    const int64_t rows = ct_run_flags_rows(flags);
    flags->any = any_flagged(flags->data, rows * flags->samples);
    for (int64_t r = 0; flags->any && r < rows; r++)
        for (int64_t t = 0; t < got; t++)
            count += flags->data[r * flags->samples + t] != 0;
    return count;
}
