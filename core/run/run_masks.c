/* run_masks.c: flags on the device: those that a step gives join the run's, and so do those that
 * the pipeline brings; and what a port that takes flags reads.
 * Room: core/run. Knows arrays of flags in device memory. Does not know how flags travel from node
 * to node (run_flags.c). */
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run_gather.h"
#include "step_range.h"

int ct_run_masks_port(const ct_step *step, ct_direction direction)
{
    for (int p = 0; p < ct_step_ports(step); p++)
        if ((step->stage->ports[p].flags & CT_PORT_FLAGS) &&
            step->stage->ports[p].direction == direction)
            return p;
    return -1;
}

/* The first of them is where the array begins, so that the history before it is not read. */
static size_t bytes_of(const ct_array *mask)
{
    return ct_array_bytes(mask) - (size_t)mask->offset;
}

/* Whether this port's flags are read back: none are where nobody behind asks. */
static bool is_read(const ct_run *run, int s, int port, ct_direction direction)
{
    const ct_plan_step *step = &run->plan->steps[s];
    if (port < 0 || step->node < 0 || step->step->port[port].type == CT_NONE) return false;
    if (direction == CT_OUT) return ct_run_flags_wanted(run, step->node, port);
    return step->edge[port] >= 0 && ct_run_flags_wanted(run, step->node, -1);
}

static ct_status room_new(ct_run *run, size_t bytes, ct_error *err)
{
    run->mask = ct_arena_get(run->arena, bytes + 1);
    return ct_arena_check(run->arena, err);
}

ct_status ct_run_masks_new(ct_run *run, ct_error *err)
{
    static const ct_direction directions[] = {CT_IN, CT_OUT};
    size_t most = 0;
    for (int s = 0; s < run->plan->count; s++)
        for (int d = 0; d < 2; d++) {
            const ct_plan_step *step = &run->plan->steps[s];
            const int port = ct_run_masks_port(step->step, directions[d]);
            const bool made = port >= 0 && directions[d] == CT_IN && step->edge[port] < 0 &&
                              step->step->port[port].type != CT_NONE;
            if (!made && !is_read(run, s, port, directions[d])) continue;
            const size_t bytes = bytes_of(&step->step->port[port]);
            most = bytes > most ? bytes : most;
        }
    return room_new(run, most, err);
}

/* Waits for all that is on the queue: the flags that come next depend on these. */
static ct_status read_back(ct_run *run, int s, int port, ct_error *err)
{
    const ct_array *mask = &run->plan->steps[s].step->port[port];
    return ct_buffer_read((ct_buffer *)ct_run_pairs_of(run, s, port), run->device,
                          (size_t)mask->offset, run->mask, bytes_of(mask), err);
}

/* Where a part of an array begins: first[] is in the order of its dimensions. */
static int64_t place_of(const ct_array *part, const int64_t *first, char dim)
{
    const int k = ct_array_find(part, dim);
    return k >= 0 ? first[k] : 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* One row of flags, of which some part of a sum may say less. */
static void join_row(ct_flags *flags, uint8_t *to, int64_t samples, const uint8_t *data,
                     int64_t along_t)
{
    for (int64_t t = 0; t < samples; t++)
        if (data[t * along_t]) {
            to[t] = (to[t] | CT_RUN_MISSING) & CT_RUN_OUTSIDE;
            flags->any = true;
        }
}

/* A mask, or a part of it. One without stations is of all of them, one without channels of all
 * groups of these. */
static void join(ct_flags *flags, const ct_array *mask, const int64_t first[CT_DIMS])
{
    const bool each = ct_array_find(mask, 'S') >= 0, apart = ct_array_find(mask, 'C') >= 0;
    const int64_t s0 = place_of(mask, first, 'S'), c0 = place_of(mask, first, 'C');
    const int64_t t0 = place_of(mask, first, 'T');
    const int64_t stations = each ? ct_array_extent(mask, 'S') : flags->stations;
    const int64_t count = apart ? ct_array_extent(mask, 'C') : flags->groups;
    const int64_t samples = smaller(flags->samples - t0, ct_array_extent(mask, 'T'));
    for (int64_t s = 0; s < stations; s++)
        for (int64_t i = 0; i < count; i++) {
            const int64_t group = apart ? ct_array_group(flags->of, c0 + i) : i;
            const int64_t row = (s0 + s) * flags->groups + (flags->groups > 1 ? group : 0);
            join_row(flags, flags->data + row * flags->samples + t0, samples,
                     (const uint8_t *)mask->data + s * ct_array_stride(mask, 'S') +
                         i * ct_array_stride(mask, 'C'),
                     ct_array_stride(mask, 'T'));
        }
}

/* All flags that one mask joins. */
typedef struct joined {
    ct_flags *flags[CT_PORTS];
    int count;
} joined;

static void join_part(void *of, const ct_array *part, const int64_t first[CT_DIMS])
{
    const joined *to = of;
    for (int i = 0; i < to->count; i++)
        join(to->flags[i], part, first);
}

/* The port's flags as all ranks have them together. */
static ct_run_parts parts_of(const ct_run *run, int s, int port)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const bool in = step->step->stage->ports[port].direction == CT_IN;
    ct_run_parts parts = {.share = in ? step->input_partition : step->partition,
                          .whole = step->step->port[port]};
    for (int k = 0; k < parts.whole.rank; k++)
        parts.whole.extent[k] = ct_step_port_whole(step->step, port, parts.whole.dim[k]);
    parts.whole.offset = 0;
    ct_array_dense(&parts.whole, NULL);
    parts.key = parts.whole;
    return parts;
}

/* From the device, and where each rank has a part, from all of them. */
static ct_status take_mask(ct_run *run, int s, int port, unsigned met, joined *to, ct_error *err)
{
    ct_status status = CT_OK;
    static const int64_t begin[CT_DIMS];
    const ct_run_parts parts = parts_of(run, s, port);
    ct_array own = run->plan->steps[s].step->port[port];
    CT_TRY(read_back(run, s, port, err));
    own.offset = 0;
    own.data = run->mask;
    if (run->gather && ct_run_parts_are(run, &parts)) {
        run->steps[s].met |= met;
        CT_TRY(ct_run_gather(run, &parts, &own, join_part, to, err));
    } else {
        join_part(to, &own, begin);
    }
out:
    return status;
}

ct_status ct_run_masks_brought(ct_run *run, int s, ct_flags *window, ct_error *err)
{
    joined to = {{window}, 1};
    const int port = ct_run_masks_port(run->plan->steps[s].step, CT_IN);
    return take_mask(run, s, port, CT_RUN_MET_BROUGHT, &to, err);
}

static bool gives_now(const ct_run *run, int s, int port)
{
    return is_read(run, s, port, CT_OUT) &&
           (run->steps[s].fired + 1) % run->plan->steps[s].step->gather == 0;
}

ct_status ct_run_masks_given(ct_run *run, int s, ct_error *err)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const int port = ct_run_masks_port(step->step, CT_OUT);
    joined to = {.count = 0};
    if (!gives_now(run, s, port)) return CT_OK;
    for (int p = 0; p < CT_PORTS; p++) {
        ct_flags *out = &run->out[step->node * CT_PORTS + p];
        if (p != port && out->data) to.flags[to.count++] = out;
    }
    return take_mask(run, s, port, CT_RUN_MET_GIVEN, &to, err);
}

/* ---- where there are other ranks */

ct_status ct_run_masks_room(ct_run *run, ct_run_gather_need *need, ct_error *err)
{
    static const ct_direction directions[] = {CT_IN, CT_OUT};
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++)
        for (int d = 0; d < 2; d++) {
            const int port = ct_run_masks_port(run->plan->steps[s].step, directions[d]);
            if (!is_read(run, s, port, directions[d])) continue;
            const ct_run_parts parts = parts_of(run, s, port);
            CT_TRY(ct_run_gather_room(run, &parts, need, err));
        }
out:
    return status;
}

void ct_run_masks_drain(ct_run *run, int s, unsigned met)
{
    const bool in = met == CT_RUN_MET_BROUGHT;
    const int port = ct_run_masks_port(run->plan->steps[s].step, in ? CT_IN : CT_OUT);
    if (run->steps[s].met & met) return;
    if (in ? !is_read(run, s, port, CT_IN) : !gives_now(run, s, port)) return;
    const ct_run_parts parts = parts_of(run, s, port);
    if (ct_run_parts_are(run, &parts)) (void)ct_run_gather(run, &parts, NULL, NULL, NULL, NULL);
}

/* ---- what ports read */

/* What says more counts: a sample outside the stream, one that is missing, a part of a sum. */
static void add_row(uint8_t *to, int64_t along_t, const uint8_t *from, int64_t samples, bool parts)
{
    for (int64_t t = 0; t < samples; t++) {
        uint8_t *at = to + t * along_t;
        if (!parts && !(from[t] & CT_RUN_MISSING)) continue;
        if (!*at || (from[t] & CT_RUN_MISSING && *at != CT_RUN_OUTSIDE))
            *at = from[t] ? from[t] : *at;
    }
}

/* Flags what the run knows in an array that may have flags already: channel by channel, or where it
 * has no channels, what any group lacks. In a mask that the pipeline brings any number but 0 flags,
 * so a sum of which a part is missing is not said there. */
void ct_run_masks_add(const ct_step *step, int port, uint8_t *data, const ct_flags *flags)
{
    const ct_array *to = &step->port[port];
    const bool parts = !ct_step_brought(step, port);
    const bool each = ct_array_find(to, 'S') >= 0, apart = ct_array_find(to, 'C') >= 0;
    const int64_t s0 = ct_step_port_first(step, port, 'S'),
                  c0 = ct_step_port_first(step, port, 'C');
    const int64_t t0 = ct_step_port_first(step, port, 'T');
    const int64_t stations = each ? ct_array_extent(to, 'S') : flags->stations;
    const int64_t count = apart ? ct_array_extent(to, 'C') : flags->groups;
    const int64_t samples = smaller(flags->samples - t0, ct_array_extent(to, 'T'));
    for (int64_t s = 0; s < stations; s++)
        for (int64_t i = 0; i < count; i++) {
            const int64_t group = apart ? ct_array_group(flags->of, c0 + i) : i;
            const int64_t row = (s0 + s) * flags->groups + (flags->groups > 1 ? group : 0);
            add_row(data + s * ct_array_stride(to, 'S') + i * ct_array_stride(to, 'C'),
                    ct_array_stride(to, 'T'), flags->data + row * flags->samples + t0, samples,
                    parts);
        }
}

/* Of the pipeline's and the run's together, as the pipeline's lie. */
static ct_status merge_flags(ct_run *run, int s, int port, const ct_flags *flags, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    ct_array both = step->step->port[port];
    const ct_buffer *brought = ct_run_pairs_of(run, s, port);
    at->mem[port] = flags->any ? at->side[port] : *brought;
    if (!flags->any) return CT_OK;
    CT_TRY(ct_run_buffers_copy(run, &at->side[port], brought, ct_array_bytes(&both), err));
    CT_TRY(ct_run_buffers_map(run, &at->side[port], &both.data, err));
    ct_run_masks_add(step->step, port, (uint8_t *)both.data + both.offset, flags);
    CT_TRY(ct_run_buffers_unmap(run, &at->side[port], both.data, err));
out:
    return status;
}

/* Rows as they are where the array has them so, and all of them. */
static ct_status write_flags(ct_run *run, int s, int port, const ct_flags *flags, ct_error *err)
{
    const ct_step *step = run->plan->steps[s].step;
    const ct_array *array = &step->port[port];
    const size_t bytes = ct_array_bytes(array);
    const uint8_t *data = flags->data;
    if (flags->groups > 1 || ct_array_stride(array, 'T') != 1 ||
        bytes != (size_t)(ct_run_flags_rows(flags) * flags->samples)) {
        data = memset(run->mask, 0, bytes);
        ct_run_masks_add(step, port, run->mask, flags);
    }
    return ct_buffer_write(&run->steps[s].side[port], run->device, 0, data, bytes, err);
}

ct_status ct_run_masks_upload(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    const int port = ct_run_masks_port(step->step, CT_IN);
    if (port < 0 || step->step->port[port].type == CT_NONE) return CT_OK;
    const ct_flags *window = &run->window[step->node];
    const ct_flags *flags = window->data ? window : ct_run_flags_read(run, s);
    if (step->edge[port] >= 0) return merge_flags(run, s, port, flags, err);
    if (!flags->any && at->flags_clean) return CT_OK;
    CT_TRY(write_flags(run, s, port, flags, err));
    at->flags_clean = !flags->any;
out:
    return status;
}

ct_status ct_run_masks_sink(ct_run *run, int s, ct_error *err)
{
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    const int port = ct_run_masks_port(step->step, CT_IN);
    if (port < 0 || at->own->port[port].type == CT_NONE) return CT_OK;
    ct_array *to = &at->own->port[port];
    const ct_flags *flags = ct_run_flags_read(run, s);
    to->data = NULL;
    if (!flags->any) return CT_OK;
    if (!at->flags) at->flags = ct_arena_get(run->arena, ct_array_bytes(to));
    if (!at->flags) return ct_arena_check(run->arena, err);
    to->data = memset(at->flags, 0, ct_array_bytes(to));
    ct_run_masks_add(at->own, port, at->flags, flags);
    return CT_OK;
}
