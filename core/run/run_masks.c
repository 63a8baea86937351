/* run_masks.c: flags on the device: those that a step gives join the run's, and so do those that
 * the pipeline brings; and what a port that takes flags reads.
 * Room: core/run. Knows arrays of flags in device memory. Does not know how flags travel from node
 * to node (run_flags.c). */
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run.h"

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
    const ct_plan_step *step = &run->plan->steps[s];
    return ct_buffer_read((ct_buffer *)ct_run_pairs_buffer(run, step->edge[port]), run->device,
                          (size_t)mask->offset, run->mask, bytes_of(mask), err);
}

/* One row of flags, of which some part of a sum may say less. */
static void join_row(ct_flags *flags, int64_t row, const uint8_t *data, int64_t along_t)
{
    uint8_t *to = flags->data + row * flags->samples;
    for (int64_t t = 0; t < flags->samples; t++)
        if (data[t * along_t]) {
            to[t] = (to[t] | CT_RUN_MISSING) & CT_RUN_OUTSIDE;
            flags->any = true;
        }
}

/* A mask without stations is of all of them, one without channels of all groups of these. */
static void join(ct_flags *flags, const ct_array *mask, const uint8_t *data)
{
    const int64_t along_s = ct_array_stride(mask, 'S'), along_t = ct_array_stride(mask, 'T');
    const int64_t along_c = ct_array_stride(mask, 'C');
    const bool apart = ct_array_find(mask, 'C') >= 0;
    const int64_t count = apart ? ct_array_extent(mask, 'C') : flags->groups;
    for (int64_t s = 0; s < flags->stations; s++)
        for (int64_t i = 0; i < count; i++) {
            const int64_t group = apart ? ct_array_group(flags->of, i) : i;
            join_row(flags, s * flags->groups + (flags->groups > 1 ? group : 0),
                     data + s * along_s + i * along_c, along_t);
        }
}

ct_status ct_run_masks_brought(ct_run *run, int s, ct_flags *window, ct_error *err)
{
    ct_status status = CT_OK;
    const int port = ct_run_masks_port(run->plan->steps[s].step, CT_IN);
    CT_TRY(read_back(run, s, port, err));
    join(window, &run->plan->steps[s].step->port[port], run->mask);
out:
    return status;
}

ct_status ct_run_masks_given(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    const int port = ct_run_masks_port(step->step, CT_OUT);
    if (!is_read(run, s, port, CT_OUT)) return CT_OK;
    if ((run->steps[s].fired + 1) % step->step->gather != 0) return CT_OK;
    CT_TRY(read_back(run, s, port, err));
    for (int p = 0; p < CT_PORTS; p++) {
        ct_flags *out = &run->out[step->node * CT_PORTS + p];
        if (p != port && out->data) join(out, &step->step->port[port], run->mask);
    }
out:
    return status;
}

/* What says more counts: a sample outside the stream, one that is missing, a part of a sum. */
static void add_row(uint8_t *to, int64_t along_t, const ct_flags *flags, int64_t row)
{
    const uint8_t *from = flags->data + row * flags->samples;
    for (int64_t t = 0; t < flags->samples; t++) {
        uint8_t *at = to + t * along_t;
        if (!*at || (from[t] & CT_RUN_MISSING && *at != CT_RUN_OUTSIDE))
            *at = from[t] ? from[t] : *at;
    }
}

/* Flags what the run knows in an array that may have flags already: channel by channel, or where it
 * has no channels, what any group lacks. */
void ct_run_masks_add(const ct_array *to, uint8_t *data, const ct_flags *flags)
{
    const int64_t along_t = ct_array_stride(to, 'T');
    const bool apart = ct_array_find(to, 'C') >= 0;
    const int64_t count = apart ? ct_array_extent(to, 'C') : flags->groups;
    for (int64_t s = 0; s < flags->stations; s++)
        for (int64_t i = 0; i < count; i++) {
            const int64_t group = apart ? ct_array_group(flags->of, i) : i;
            add_row(data + s * ct_array_stride(to, 'S') + i * ct_array_stride(to, 'C'), along_t,
                    flags, s * flags->groups + (flags->groups > 1 ? group : 0));
        }
}

/* Of the pipeline's and the run's together, as the pipeline's lie. */
static ct_status merge_flags(ct_run *run, int s, int port, const ct_flags *flags, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    ct_array both = step->step->port[port];
    const ct_buffer *brought = ct_run_pairs_buffer(run, step->edge[port]);
    at->mem[port] = flags->any ? at->side[port] : *brought;
    if (!flags->any) return CT_OK;
    CT_TRY(ct_run_buffers_copy(run, &at->side[port], brought, ct_array_bytes(&both), err));
    CT_TRY(ct_run_buffers_map(run, &at->side[port], &both.data, err));
    ct_run_masks_add(&both, (uint8_t *)both.data + both.offset, flags);
    CT_TRY(ct_run_buffers_unmap(run, &at->side[port], both.data, err));
out:
    return status;
}

/* Rows as they are where the array has them so. */
static ct_status write_flags(ct_run *run, ct_buffer *to, const ct_array *array,
                             const ct_flags *flags, ct_error *err)
{
    const size_t bytes = ct_array_bytes(array);
    const uint8_t *data = flags->data;
    if (flags->groups > 1 || ct_array_stride(array, 'T') != 1) {
        data = memset(run->mask, 0, bytes);
        ct_run_masks_add(array, run->mask, flags);
    }
    return ct_buffer_write(to, run->device, 0, data, bytes, err);
}

ct_status ct_run_masks_upload(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    const int port = ct_run_masks_port(step->step, CT_IN);
    if (port < 0 || step->step->port[port].type == CT_NONE) return CT_OK;
    const ct_node *node = &run->plan->graph->nodes[step->node];
    const ct_flags *window = &run->window[step->node];
    const ct_flags *flags = window->data ? window : ct_run_flags_of(run, node->input[0]);
    if (step->edge[port] >= 0) return merge_flags(run, s, port, flags, err);
    if (!flags->any && at->flags_clean) return CT_OK;
    bool part = false;
    CT_TRY(ct_run_ranks_mask(run, s, port, flags, &part, err));
    if (!part) CT_TRY(write_flags(run, &at->side[port], &step->step->port[port], flags, err));
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
    const ct_flags *flags = ct_run_flags_of(run, run->plan->graph->nodes[step->node].input[0]);
    to->data = NULL;
    if (!flags->any) return CT_OK;
    if (!at->flags) at->flags = ct_arena_get(run->arena, ct_array_bytes(to));
    if (!at->flags) return ct_arena_check(run->arena, err);
    to->data = memset(at->flags, 0, ct_array_bytes(to));
    ct_run_masks_add(to, at->flags, flags);
    return CT_OK;
}
