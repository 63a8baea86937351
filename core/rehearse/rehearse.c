/* rehearse.c: see rehearse.h. A rehearsal is a run whose sources and sinks are its own.
 * Room: core/rehearse. Knows runs. Does not know what is compared with it. */
#include "rehearse.h"
#include "layout.h"

#include <string.h>

#include "clock.h"
#include "device_cl.h"
#include "device_transfers.h"
#include "fail.h"
#include "memory.h"
#include "run_flags.h"
#include "run_io.h"
#include "run_memory.h"

#define NOISE_BYTES ((size_t)1 << 18)

typedef struct rehearse_source {
    ct_run *run;
    int step;
    size_t bytes;         /* of its array's buffer */
    const uint32_t *fill; /* NOISE_BYTES */
    ct_buffer noise;      /* the same on a device with memory of its own */
    double seconds;       /* spent on filling */
} rehearse_source;

struct ct_rehearsal {
    ct_run *run;
    int64_t quiet, busy;     /* blocks in which fewest and most steps fire; may be the same */
    rehearse_source *source; /* [steps] */
    double *first, *second;  /* [steps]: seconds of a block without and with the late steps */
    cl_event *mark;          /* on the queue, before and after each copy of history */
    int marks, most_marks;
    double moved; /* seconds of copies on the host */
    ct_arena *arena;
};

/* Numbers like those of a good signal: no denormals, none that overflow. */
static void rehearse_noise(uint32_t *noise, ct_type type)
{
    const unsigned bits = ct_type_bits(type) / (ct_type_complex(type) ? 2 : 1);
    uint32_t state = 2463534242u;
    for (size_t i = 0; i < NOISE_BYTES / sizeof *noise; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        noise[i] = state;
        if (ct_type_integer(type)) continue;
        noise[i] =
            bits == 16 ? (state & 0x83ff83ffu) | 0x38003800u : (state & 0x807fffffu) | 0x3f000000u;
    }
}

/* On a device with memory of its own, since mapping would take longer than kernels do: the noise,
 * then what is there as often again. */
static ct_status fill_there(const rehearse_source *source, ct_error *err)
{
    const ct_run *run = source->run;
    const cl_mem to = run->memory->slots[run->steps[source->step].request->slot].mem;
    size_t at = source->bytes < NOISE_BYTES ? source->bytes : NOISE_BYTES;
    cl_int code =
        clEnqueueCopyBuffer(run->device->queue, source->noise.mem, to, 0, 0, at, 0, NULL, NULL);
    for (; code == CL_SUCCESS && at < source->bytes; at *= 2) {
        const size_t left = source->bytes - at;
        code = clEnqueueCopyBuffer(run->device->queue, to, to, 0, at, left < at ? left : at, 0,
                                   NULL, NULL);
    }
    if (code == CL_SUCCESS) code = clFinish(run->device->queue);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "filling a source's array");
}

/* Fills the whole buffer, since other arrays may share it. */
static ct_status rehearse_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                               ct_error *err)
{
    ct_status status = CT_OK;
    rehearse_source *source = state;
    (void)flags;
    if (source->noise.mem)
        ct_device_settle(source->run->device); /* what came before is the plan's */
    const double start = ct_clock_now();
    if (source->noise.mem) CT_TRY(fill_there(source, err));
    for (size_t at = 0; block->data && at < source->bytes; at += NOISE_BYTES) {
        const size_t left = source->bytes - at;
        memcpy((char *)block->data + at, source->fill, left < NOISE_BYTES ? left : NOISE_BYTES);
    }
    *got = ct_array_extent(block, 'T');
    source->seconds += ct_clock_now() - start;
out:
    return status;
}

static ct_status rehearse_write(void *state, const ct_array *block, int64_t first, int64_t count,
                                ct_error *err)
{
    (void)state;
    (void)block;
    (void)first;
    (void)count;
    (void)err;
    return CT_OK;
}

/* A source that some node takes as flags must flag nothing. */
static bool rehearse_is_flags(const ct_graph *graph, int node)
{
    for (int n = 0; n < graph->count; n++)
        for (int p = 0; p < ct_step_ports(graph->nodes[n].step); p++)
            if (graph->nodes[n].input[p].node == node &&
                ct_port_takes_flags(&graph->nodes[n].step->stage->ports[p]))
                return true;
    return false;
}

static ct_status rehearse_bind(ct_rehearsal *rehearsal, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run *run = rehearsal->run;
    ct_run_step *at = &run->steps[s];
    rehearse_source *source = &rehearsal->source[s];
    at->io = (ct_io){sizeof at->io, source, rehearse_read, rehearse_write, NULL};
    if (ct_role_of(at->step) != CT_ROLE_SOURCE) return CT_OK;
    at->own->port[0].meta.total = -1; /* a stream without an end */
    uint32_t *noise = ct_arena_get(rehearsal->arena, NOISE_BYTES);
    CT_NEED(noise, NOISE_BYTES, err);
    if (!rehearse_is_flags(run->plan->graph, run->plan->steps[s].node))
        rehearse_noise(noise, at->step->port[0].type);
    source->fill = noise;
    source->bytes = at->mem[0].bytes;
    source->run = run;
    source->step = s;
    if (run->memory->stays)
        CT_TRY(ct_buffer_over(&source->noise, run->device, noise, NOISE_BYTES, err));
out:
    return status;
}

static int rehearse_ticks(const ct_plan *plan, int64_t block)
{
    const ct_clock_table *clocks = &plan->graph->clocks;
    int ticks = 0;
    for (int s = 0; s < plan->count; s++)
        ticks += ct_clock_table_fired(clocks, plan->steps[s].clock, block + 1) >
                 ct_clock_table_fired(clocks, plan->steps[s].clock, block);
    return ticks;
}

/* Not the first blocks, in which little has been gathered. */
static void rehearse_choose(ct_rehearsal *rehearsal, const ct_plan *plan)
{
    enum { FIRST = 16, BLOCKS = 4096 };
    int least = INT32_MAX, most = -1;
    for (int64_t block = FIRST; block < FIRST + BLOCKS; block++) {
        const int ticks = rehearse_ticks(plan, block);
        if (ticks < least) rehearsal->quiet = block;
        if (ticks > most) rehearsal->busy = block;
        least = ticks < least ? ticks : least;
        most = ticks > most ? ticks : most;
    }
    if (least == most) rehearsal->busy = rehearsal->quiet;
}

/* ---- how long histories take */

static ct_status mark_history(ct_run *run, ct_error *err)
{
    ct_rehearsal *r = run->rehearsal;
    if (r->marks == r->most_marks) return CT_OK;
    cl_int code = clEnqueueMarkerWithWaitList(run->device->queue, 0, NULL, &r->mark[r->marks]);
    if (code != CL_SUCCESS) return ct_device_fail(err, code, "timing the overlap of blocks");
    r->marks++;
    return CT_OK;
}

static void moved_history(ct_run *run, double seconds)
{
    run->rehearsal->moved += seconds;
}

static void forget_marks(ct_rehearsal *r)
{
    for (int i = 0; i < r->marks; i++)
        clReleaseEvent(r->mark[i]);
    r->marks = 0;
}

static cl_int mark_time(cl_event mark, cl_ulong *ns)
{
    return clGetEventProfilingInfo(mark, CL_PROFILING_COMMAND_END, sizeof *ns, ns, NULL);
}

/* Seconds since the last call. Waits for the device. */
static ct_status take_history(ct_rehearsal *r, double *seconds, ct_error *err)
{
    cl_int code = clFinish(r->run->device->queue);
    *seconds = r->moved;
    r->moved = 0;
    for (int i = 0; i + 1 < r->marks && code == CL_SUCCESS; i += 2) {
        cl_ulong from = 0, to = 0;
        code = mark_time(r->mark[i], &from);
        if (code == CL_SUCCESS) code = mark_time(r->mark[i + 1], &to);
        if (to > from) *seconds += 1e-9 * (double)(to - from);
    }
    forget_marks(r);
    return code == CL_SUCCESS ? CT_OK : ct_device_fail(err, code, "timing the overlap of blocks");
}

/* ---- its life */

/* The middle of a stream: histories are there, and nothing before the start is missing. */
static void rehearse_middle(ct_rehearsal *rehearsal)
{
    ct_run *run = rehearsal->run;
    run->block = rehearsal->quiet;
    run->started = true;
    for (int s = 0; s < run->plan->count; s++) {
        run->steps[s].fired = ct_clock_table_fired(&run->plan->graph->clocks,
                                                   run->plan->steps[s].clock, rehearsal->quiet);
        run->steps[s].position =
            run->steps[s].fired * ct_array_extent(&run->steps[s].step->port[0], 'T');
    }
    for (int n = 0; n < run->plan->graph->count; n++) {
        ct_flags *window = &run->flags->window[n];
        if (window->data) memset(window->data, 0, ct_flags_bytes(window));
        window->any = false;
    }
}

ct_status ct_rehearse_new(ct_rehearsal **out, const ct_plan *plan, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_arena *arena = NULL;
    ct_rehearsal *made = ct_arena_begin(&arena, sizeof *made);
    const size_t steps = (size_t)plan->count;
    *out = NULL;
    CT_NEED(made, sizeof *made, err);
    made->arena = arena;
    made->source = ct_arena_get(arena, sizeof *made->source * steps);
    made->first = ct_arena_get(arena, sizeof *made->first * steps);
    made->second = ct_arena_get(arena, sizeof *made->second * steps);
    made->most_marks = 2 * plan->edge_count;
    made->mark = ct_arena_get(arena, sizeof *made->mark * (size_t)made->most_marks);
    CT_TRY(ct_arena_check(arena, err));
    CT_TRY(ct_run_new(&made->run, plan, device, err));
    made->run->rehearsal = made;
    made->run->hooks.mark_history = mark_history;
    made->run->hooks.moved_history = moved_history;
    made->run->memory->stays = device->gpu;
    rehearse_choose(made, plan);
    for (int s = 0; s < plan->count; s++)
        if (made->run->steps[s].own) CT_TRY(rehearse_bind(made, s, err));
    rehearse_middle(made);
    *out = made;
    made = NULL;
out:
    ct_rehearse_free(made);
    return status;
}

void ct_rehearse_free(ct_rehearsal *rehearsal)
{
    if (rehearsal == NULL) return;
    forget_marks(rehearsal);
    for (int s = 0; rehearsal->run && s < rehearsal->run->plan->count; s++)
        ct_buffer_free(&rehearsal->source[s].noise);
    ct_run_free(rehearsal->run);
    ct_arena_free(rehearsal->arena);
}

int ct_rehearse_steps(const ct_rehearsal *rehearsal)
{
    return rehearsal->run->plan->count;
}

const char *ct_rehearse_name(const ct_rehearsal *rehearsal, int step)
{
    return rehearsal->run->plan->steps[step].name;
}

const ct_run *ct_rehearse_run(const ct_rehearsal *rehearsal)
{
    return rehearsal->run;
}

int64_t ct_rehearse_bytes(const ct_plan *plan)
{
    return plan->device_bytes;
}

int64_t ct_rehearse_samples(const ct_plan *plan)
{
    return plan->graph->block;
}

double ct_rehearse_signal_s(const ct_plan *plan)
{
    return plan->graph->block_s;
}

/* The time of filling is not the plan's. */
static double rehearse_unfilled(ct_rehearsal *rehearsal, double *steps)
{
    double all = 0;
    for (int s = 0; s < rehearsal->run->plan->count; s++) {
        steps[s] = rehearsal->run->steps[s].seconds - rehearsal->source[s].seconds;
        all += rehearsal->source[s].seconds;
        rehearsal->run->steps[s].seconds = rehearsal->source[s].seconds = 0;
    }
    return all;
}

static ct_status rehearse_block(ct_rehearsal *rehearsal, double *wall, double *history,
                                double *steps, ct_error *err)
{
    ct_status status = CT_OK;
    const double start = ct_clock_now();
    rehearsal->run->ended = false;
    CT_TRY(ct_run_block(rehearsal->run, err));
    *wall = ct_clock_now() - start;
    *wall -= rehearse_unfilled(rehearsal, steps);
    CT_TRY(take_history(rehearsal, history, err));
out:
    return status;
}

/* The late steps' seconds per block as a part of their seconds when they fire. */
static double rehearse_share(const ct_rehearsal *rehearsal)
{
    const ct_plan *plan = rehearsal->run->plan;
    double share = 0, all = 0;
    for (int s = 0; s < plan->count; s++) {
        if (plan->steps[s].clock == 0) continue;
        share += rehearsal->second[s] / ct_plan_period(plan, &plan->steps[s]);
        all += rehearsal->second[s];
    }
    return all > 0 ? share / all : 0;
}

/* A block in which most steps fire, after one in which the fewest did. */
static ct_status rehearse_late(ct_rehearsal *rehearsal, ct_rehearsed *out, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan *plan = rehearsal->run->plan;
    double wall = 0, history = 0;
    rehearsal->run->block = rehearsal->busy;
    CT_TRY(rehearse_block(rehearsal, &wall, &history, rehearsal->second, err));
    rehearsal->run->block = rehearsal->quiet;
    const double share = rehearse_share(rehearsal);
    if (wall > out->wall) out->wall += (wall - out->wall) * share;
    if (history > out->history) out->history += (history - out->history) * share;
    for (int s = 0; s < plan->count; s++)
        if (plan->steps[s].clock > 0)
            out->step[s] = rehearsal->second[s] / ct_plan_period(plan, &plan->steps[s]);
out:
    return status;
}

ct_status ct_rehearse_block(ct_rehearsal *rehearsal, ct_rehearsed *out, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(rehearse_block(rehearsal, &out->wall, &out->history, rehearsal->first, err));
    memcpy(out->step, rehearsal->first, sizeof *out->step * (size_t)rehearsal->run->plan->count);
    if (rehearsal->busy != rehearsal->quiet) CT_TRY(rehearse_late(rehearsal, out, err));
out:
    return status;
}
