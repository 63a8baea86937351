/* run_flags.c: missing samples beside the data: from sources, through every stage, to the port that
 * counts them. An output sample is flagged where any input sample that it needs is; where stations
 * are summed, where all of them are.
 * Room: core/run. Knows windows in time. Does not know what stages compute. */
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run.h"

static int flags_port(const ct_step *step)
{
    for (int p = 0; p < ct_step_ports(step); p++)
        if (step->stage->ports[p].flags & CT_PORT_FLAGS) return p;
    return -1;
}

static const ct_array *timed_output(const ct_step *step)
{
    int port = ct_step_first_output(step);
    return port < 0 ? NULL : &step->port[port];
}

static void flags_new(ct_run *run, ct_flags *flags, int64_t stations, int64_t samples)
{
    *flags = (ct_flags){.stations = stations, .samples = samples};
    flags->data = ct_arena_get(run->arena, (size_t)(stations * samples) + 1);
    flags->row = ct_arena_get(run->arena, (size_t)samples + 1);
}

/* What lies before the stream's start is missing. */
static void flag_history(ct_flags *window, int64_t overlap)
{
    for (int64_t s = 0; s < window->stations; s++)
        memset(window->data + s * window->samples, 1, (size_t)overlap);
    window->any = overlap > 0;
}

ct_status ct_run_flags_new(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_graph *graph = run->plan->graph;
    run->out = ct_arena_get(run->arena, sizeof *run->out * (size_t)graph->count);
    run->window = ct_arena_get(run->arena, sizeof *run->window * (size_t)graph->count);
    CT_TRY(ct_arena_check(run->arena, err));
    for (int n = 0; n < graph->count; n++) {
        const ct_step *step = graph->nodes[n].step;
        const ct_array *out = timed_output(step);
        if (out) flags_new(run, &run->out[n], ct_array_extent(out, 'S'), ct_array_extent(out, 'T'));
        if (step->overlap == 0) continue;
        const ct_array *in = &step->port[0];
        flags_new(run, &run->window[n], ct_array_extent(in, 'S'),
                  ct_array_extent(in, 'T') + step->overlap);
        CT_TRY(ct_arena_check(run->arena, err));
        flag_history(&run->window[n], step->overlap);
    }
    CT_TRY(ct_arena_check(run->arena, err));
out:
    return status;
}

/* Shifts the window by one block and takes the producer's new flags in. */
static void advance(ct_flags *window, const ct_flags *fresh, int64_t overlap, bool first)
{
    window->any = false;
    for (int64_t s = 0; s < window->stations; s++) {
        uint8_t *row = window->data + s * window->samples;
        if (!first) memmove(row, row + fresh->samples, (size_t)overlap);
        memcpy(row + overlap, fresh->data + s * fresh->samples, (size_t)fresh->samples);
        window->any = window->any || memchr(row, 1, (size_t)window->samples);
    }
}

/* out[t] = any of in[t * decimate .. t * decimate + decimate + overlap), in O(samples). */
static void spread(uint8_t *out, int64_t count, const uint8_t *in, int64_t decimate,
                   int64_t overlap)
{
    int64_t last = -1, next = 0; /* the latest flagged input sample before `next` */
    for (int64_t t = 0; t < count; t++) {
        for (int64_t end = t * decimate + decimate + overlap; next < end; next++)
            if (in[next]) last = next;
        out[t] = last >= t * decimate;
    }
}

/* What is missing from all that was summed. */
static void merge_stations(ct_flags *out, const ct_flags *in, int64_t decimate, int64_t overlap)
{
    memset(out->data, 1, (size_t)out->samples);
    for (int64_t s = 0; s < in->stations; s++) {
        spread(out->row, out->samples, in->data + s * in->samples, decimate, overlap);
        for (int64_t t = 0; t < out->samples; t++)
            out->data[t] &= out->row[t];
    }
}

static void pass_window(const ct_step *step, const ct_flags *in, ct_flags *out)
{
    int64_t decimate = step->decimate / step->gather;
    if (!in->any) {
        if (out->any) memset(out->data, 0, (size_t)(out->stations * out->samples));
        out->any = false;
        return;
    }
    if (out->stations != in->stations) merge_stations(out, in, decimate, step->overlap);
    for (int64_t s = 0; s < in->stations && out->stations == in->stations; s++)
        spread(out->data + s * out->samples, out->samples, in->data + s * in->samples, decimate,
               step->overlap);
    (void)ct_run_flags_count(out, out->samples);
}

void ct_run_flags_pass(ct_run *run, int n)
{
    const ct_node *node = &run->plan->graph->nodes[n];
    const ct_step *step = node->step;
    if (node->input[0].node < 0 || !run->out[n].data) return;
    const ct_flags *in = &run->out[node->input[0].node];
    if (step->overlap > 0) {
        advance(&run->window[n], in, step->overlap, run->block < node->period);
        in = &run->window[n];
    }
    if (ct_array_find(&step->port[0], 'T') >= 0) pass_window(step, in, &run->out[n]);
}

int64_t ct_run_flags_count(ct_flags *flags, int64_t got)
{
    int64_t count = 0;
    flags->any = memchr(flags->data, 1, (size_t)(flags->stations * flags->samples)) != NULL;
    for (int64_t s = 0; flags->any && s < flags->stations; s++)
        for (int64_t t = 0; t < got; t++)
            count += flags->data[s * flags->samples + t];
    return count;
}

/* Flags what the run knows beside what the pipeline brought, which others may read, too. */
static void add_flags(const ct_array *to, const ct_flags *flags)
{
    for (int64_t s = 0; s < flags->stations; s++)
        for (int64_t t = 0; t < flags->samples; t++) {
            const int64_t at = s * ct_array_stride(to, 'S') + t * ct_array_stride(to, 'T');
            if (flags->data[s * flags->samples + t]) ((uint8_t *)to->data)[to->offset + at] = 1;
        }
}

/* Of the pipeline's and the run's together, as the pipeline's lie. */
static ct_status merge_flags(ct_run *run, int s, int port, const ct_flags *flags, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    ct_array both = step->step->port[port];
    const ct_buffer *brought = &run->slots[run->plan->edges[step->edge[port]].slot];
    at->mem[port] = flags->any ? at->side[port] : *brought;
    if (!flags->any) return CT_OK;
    CT_TRY(ct_run_buffers_copy(run, &at->side[port], brought, ct_array_bytes(&both), err));
    CT_TRY(ct_run_buffers_map(run, &at->side[port], &both.data, err));
    add_flags(&both, flags);
    CT_TRY(ct_run_buffers_unmap(run, &at->side[port], both.data, err));
out:
    return status;
}

ct_status ct_run_flags_upload(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    int port = flags_port(step->step);
    if (port < 0 || step->step->port[port].type == CT_NONE) return CT_OK;
    const ct_node *node = &run->plan->graph->nodes[step->node];
    const ct_flags *flags =
        step->step->overlap > 0 ? &run->window[step->node] : &run->out[node->input[0].node];
    if (step->edge[port] >= 0) return merge_flags(run, s, port, flags, err);
    if (!flags->any && at->flags_clean) return CT_OK;
    CT_TRY(ct_buffer_write(&at->side[port], run->device, 0, flags->data,
                           (size_t)(flags->stations * flags->samples), err));
    at->flags_clean = !flags->any;
out:
    return status;
}
