/* run_flags.c: missing samples beside the data: from sources, through every stage, to the port that
 * counts them. An output sample is flagged where any input sample that it needs is; where stations
 * are summed, where all of them are. Kept only where some node behind asks for flags.
 * Room: core/run. Knows windows in time. Does not know what stages compute, or how flags come from
 * and to the device (run_masks.c). */
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run.h"

ct_flags *ct_run_flags_of(const ct_run *run, ct_link link)
{
    return &run->out[link.node * CT_PORTS + link.port];
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
                        .samples = ct_array_extent(of, 'T') + before};
    flags->data = ct_arena_get(run->arena, (size_t)(flags->stations * flags->samples) + 1);
}

/* What lies before the stream's start is missing, and no part of it. */
static void flag_history(ct_flags *window, int64_t overlap)
{
    for (int64_t s = 0; s < window->stations; s++)
        memset(window->data + s * window->samples, CT_RUN_OUTSIDE, (size_t)overlap);
    window->any = overlap > 0;
}

static bool takes_flags(const ct_step *step)
{
    const int port = ct_run_masks_port(step, CT_IN);
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
            out->each = ct_arena_get(run->arena, (size_t)(stations * out->samples) + 1);
    }
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
    if (!in->data) flags_new(run, in, &step->port[0], 0);
    outputs_new(run, n);
    if (step->overlap > 0 || (passes && is_brought(node)))
        flags_new(run, &run->window[n], &step->port[0], step->overlap);
    CT_TRY(ct_arena_check(run->arena, err));
    if (run->window[n].data) flag_history(&run->window[n], step->overlap);
out:
    return status;
}

/* From the last node to the first: who reads comes before who is read. Sources count what is
 * missing, whoever asks. */
ct_status ct_run_flags_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_graph *graph = run->plan->graph;
    const size_t ports = (size_t)graph->count * CT_PORTS;
    run->out = ct_arena_get(run->arena, sizeof *run->out * ports);
    run->window = ct_arena_get(run->arena, sizeof *run->window * (size_t)graph->count);
    CT_TRY(ct_arena_check(run->arena, err));
    for (int n = 0; n < graph->count; n++)
        if (ct_role_of(graph->nodes[n].step) == CT_ROLE_SOURCE)
            flags_new(run, &run->out[n * CT_PORTS], &graph->nodes[n].step->port[0], 0);
    for (int n = graph->count - 1; n >= 0; n--)
        CT_TRY(inputs_new(run, n, err));
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

/* Shifts the window by one block and takes the producer's new flags in. */
static void advance(ct_flags *window, const ct_flags *fresh, int64_t overlap, bool first)
{
    window->any = false;
    for (int64_t s = 0; s < window->stations; s++) {
        uint8_t *row = window->data + s * window->samples;
        if (!first) memmove(row, row + fresh->samples, (size_t)overlap);
        memcpy(row + overlap, fresh->data + s * fresh->samples, (size_t)fresh->samples);
        window->any = window->any || any_flagged(row, window->samples);
    }
}

/* out[t] |= any of in[t * decimate .. t * decimate + decimate + overlap), in O(samples). */
static void spread(uint8_t *out, int64_t count, const uint8_t *in, int64_t decimate,
                   int64_t overlap)
{
    int64_t last = -1, outside = -1, next = 0; /* the latest such input sample before `next` */
    for (int64_t t = 0; t < count; t++) {
        for (int64_t end = t * decimate + decimate + overlap; next < end; next++) {
            if (in[next]) last = next;
            if (in[next] == CT_RUN_OUTSIDE) outside = next;
        }
        if (last >= t * decimate) out[t] |= outside >= t * decimate ? CT_RUN_OUTSIDE : 1;
    }
}

/* What is missing from all that was summed. */
static void merge_stations(ct_flags *out, int64_t stations)
{
    memset(out->data, 1, (size_t)(out->stations * out->samples));
    for (int64_t s = 0; s < stations; s++)
        for (int64_t i = 0; i < out->stations * out->samples; i++)
            out->data[i] &= out->each[s * out->samples + i % out->samples];
}

static void clear(ct_flags *out, int64_t stations)
{
    memset(out->data, 0, (size_t)(out->stations * out->samples));
    if (out->each) memset(out->each, 0, (size_t)(stations * out->samples));
    out->any = false;
}

/* more: the output gathers several blocks, and this is not the first. */
static void pass_window(const ct_step *step, const ct_flags *in, ct_flags *out, bool more)
{
    const int64_t decimate = step->decimate / step->gather;
    uint8_t *rows = out->each ? out->each : out->data;
    if (!more && (out->any || in->any || out->each)) clear(out, in->stations);
    if (!in->any) return;
    for (int64_t s = 0; s < in->stations; s++)
        spread(rows + s * out->samples, out->samples, in->data + s * in->samples, decimate,
               step->overlap);
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
    const ct_flags *in = ct_run_flags_of(run, node->input[0]);
    ct_flags *window = &run->window[n];
    const bool passes = ct_run_flags_wanted(run, n, -1);
    if (window->data) {
        advance(window, in, step->overlap, run->block < node->period);
        if (passes && is_brought(node)) CT_TRY(ct_run_masks_brought(run, s, window, err));
        in = window;
    }
    if (!passes || ct_array_find(&step->port[0], 'T') < 0) return CT_OK;
    for (int p = 0; p < CT_PORTS; p++)
        if (run->out[n * CT_PORTS + p].data)
            pass_window(step, in, &run->out[n * CT_PORTS + p],
                        run->steps[s].fired % step->gather != 0);
out:
    return status;
}

int64_t ct_run_flags_count(ct_flags *flags, int64_t got)
{
    int64_t count = 0;
    flags->any = any_flagged(flags->data, flags->stations * flags->samples);
    for (int64_t s = 0; flags->any && s < flags->stations; s++)
        for (int64_t t = 0; t < got; t++)
            count += flags->data[s * flags->samples + t] != 0;
    return count;
}
