/* run_masks.c: flags on the device: those that a step gives join the run's, and so do those that
 * the pipeline brings; and what a port that takes flags reads. Room: core/run. Knows arrays of
 * flags in device memory. Does not know how flags go from node to node (run_flags.c). */
#include <string.h>

#include "device_transfers.h"
#include "run_flags.h"
#include "run_memory.h"

bool ct_run_masks_read(const ct_run *run, int s, int port)
{
    const ct_plan_step *step = &run->plan->steps[s];
    if (port < 0 || step->node < 0 || step->step->port[port].type == CT_NONE) return false;
    if (step->step->stage->ports[port].direction == CT_OUT)
        return ct_run_flags_wanted(run, step->node, port);
    return step->edge[port] >= 0 && ct_run_flags_wanted(run, step->node, -1);
}

ct_status ct_run_masks_new(ct_run *run, ct_error *err)
{
    static const ct_direction directions[] = {CT_IN, CT_OUT};
    size_t most = 0;
    for (int s = 0; s < run->plan->count; s++)
        for (int d = 0; d < 2; d++) {
            const ct_plan_step *step = &run->plan->steps[s];
            const int port = ct_flags_mask_port(step->step, directions[d]);
            const bool made = port >= 0 && directions[d] == CT_IN && step->edge[port] < 0 &&
                              step->step->port[port].type != CT_NONE;
            if (!made && !ct_run_masks_read(run, s, port)) continue;
            const size_t bytes = ct_flags_mask_bytes(&step->step->port[port]);
            most = bytes > most ? bytes : most;
        }
    run->flags->mask = ct_arena_get(run->arena, most + 1);
    return ct_arena_check(run->arena, err);
}

/* Waits for the queue: the next flags depend on these. */
static ct_status read_back(ct_run *run, int s, int port, ct_error *err)
{
    const ct_array *mask = &run->plan->steps[s].step->port[port];
    return ct_buffer_read((ct_buffer *)ct_run_slots_read(run, s, port), run->device,
                          (size_t)mask->offset, run->flags->mask, ct_flags_mask_bytes(mask), err);
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
        ct_flags_mask_join(to->flags[i], part, first);
}

/* ---- a mask that goes on to the next step as it is */

/* Whether both lie alike, from their first element on. */
static bool lie_alike(const ct_array *a, const ct_array *b)
{
    for (const char *dim = "STC"; *dim; dim++)
        if (ct_array_extent(a, *dim) != ct_array_extent(b, *dim) ||
            (ct_array_extent(a, *dim) > 1 && ct_array_stride(a, *dim) != ct_array_stride(b, *dim)))
            return false;
    return ct_array_find(a, 'C') >= 0 && ct_array_find(b, 'C') >= 0 && a->offset == 0 &&
           b->offset == 0;
}

/* It reads what step s has flagged, in this block, and flags by nothing else. */
static bool takes_mask(const ct_run *run, int r, int s, const ct_array *mask)
{
    const ct_plan_step *step = &run->plan->steps[r], *from = &run->plan->steps[s];
    const int port = ct_flags_mask_port(step->step, CT_IN);
    if (step->node < 0 || port < 0 || step->edge[port] >= 0) return false;
    const ct_link link = run->plan->graph->nodes[step->node].input[0];
    const int i = link.node * CT_PORTS + link.port;
    if (link.node != from->node || run->flags->window[step->node].data ||
        run->flags->gathered[r] >= 0 || run->flags->late[i].data)
        return false;
    return step->step->port[port].type != CT_NONE &&
           run->flags->out[i].stations == ct_array_extent(mask, 'S') &&
           lie_alike(mask, &step->step->port[port]);
}

/* The step that reads the mask at this port; -1: none, or a process has a part of it only. */
static int find_taker(const ct_run *run, int s, int port)
{
    const ct_array *mask = &run->plan->steps[s].step->port[port];
    for (int r = s + 1; !run->hooks.join_mask && r < run->plan->count; r++)
        if (takes_mask(run, r, s, mask)) return r;
    return -1;
}

static void copy_flagged(uint8_t *restrict to, const uint8_t *restrict from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] ? CT_FLAGS_MISSING : 0;
}

/* What step r reads: the mask, in which any number flags, and flags from before step s. */
static ct_status hand_on(ct_run *run, int r, const ct_array *mask, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[r];
    const int port = ct_flags_mask_port(step->step, CT_IN);
    const ct_flags *before = ct_run_flags_read(run, r);
    const ct_buffer *side = &run->steps[r].side[port];
    void *to;
    CT_TRY(ct_buffer_map(&to, side, run->device, err));
    copy_flagged(to, mask->data, ct_array_bytes(mask));
    if (before->any) ct_flags_mask_add(step->step, port, to, before);
    CT_TRY(ct_buffer_unmap(side, run->device, to, err));
    run->steps[r].flags_handed = true;
out:
    return status;
}

/* Likewise where the host reaches the mask, before it joins the flags. */
static ct_status take_and_hand_on(ct_run *run, int s, int port, int taker, joined *to,
                                  ct_error *err)
{
    ct_status status = CT_OK;
    static const int64_t begin[CT_DIMS];
    ct_array mask = run->plan->steps[s].step->port[port];
    const ct_buffer *buffer = ct_run_slots_read(run, s, port);
    CT_TRY(ct_buffer_map(&mask.data, buffer, run->device, err));
    CT_TRY(hand_on(run, taker, &mask, err));
    join_part(to, &mask, begin);
    CT_TRY(ct_buffer_unmap(buffer, run->device, mask.data, err));
out:
    return status;
}

/* Reads a mask from the device; if each process has a part of it, all parts. */
static ct_status take_mask(ct_run *run, int s, int port, joined *to, ct_error *err)
{
    ct_status status = CT_OK;
    static const int64_t begin[CT_DIMS];
    ct_array mask = run->plan->steps[s].step->port[port];
    CT_TRY(read_back(run, s, port, err));
    mask.offset = 0;
    mask.data = run->flags->mask;
    if (run->hooks.join_mask) return run->hooks.join_mask(run, s, port, &mask, join_part, to, err);
    join_part(to, &mask, begin);
out:
    return status;
}

ct_status ct_run_masks_brought(ct_run *run, int s, ct_error *err)
{
    const ct_plan_step *step = &run->plan->steps[s];
    joined to = {{&run->flags->window[step->node]}, 1};
    const int port = ct_flags_mask_port(step->step, CT_IN);
    if (!to.flags[0]->data || !ct_run_masks_read(run, s, port)) return CT_OK;
    return take_mask(run, s, port, &to, err);
}

bool ct_run_masks_gives(const ct_run *run, int s, int port)
{
    return ct_run_masks_read(run, s, port) &&
           ct_run_ticks(run, s, run->plan->graph->nodes[run->plan->steps[s].node].out_clock);
}

ct_status ct_run_masks_given(ct_run *run, int s, ct_error *err)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const int port = ct_flags_mask_port(step->step, CT_OUT);
    joined to = {.count = 0};
    if (!ct_run_masks_gives(run, s, port)) return CT_OK;
    for (int p = 0; p < CT_PORTS; p++) {
        ct_flags *out = &run->flags->out[step->node * CT_PORTS + p];
        if (p != port && out->data) to.flags[to.count++] = out;
    }
    const int taker = find_taker(run, s, port);
    if (taker >= 0) return take_and_hand_on(run, s, port, taker, &to, err);
    return take_mask(run, s, port, &to, err);
}

/* ---- what ports read */

/* The pipeline's mask and the run's flags together, in the layout of the mask. */
static ct_status merge_flags(ct_run *run, int s, int port, const ct_flags *flags, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    ct_array both = step->step->port[port];
    const ct_buffer *brought = ct_run_slots_read(run, s, port);
    at->mem[port] = flags->any ? at->side[port] : *brought;
    if (!flags->any) return CT_OK;
    CT_TRY(ct_run_buffers_copy(run, &at->side[port], brought, ct_array_bytes(&both), err));
    CT_TRY(ct_buffer_map(&both.data, &at->side[port], run->device, err));
    ct_flags_mask_add(step->step, port, (uint8_t *)both.data + both.offset, flags);
    CT_TRY(ct_buffer_unmap(&at->side[port], run->device, both.data, err));
out:
    return status;
}

/* Flags that lie as the array needs them are written as they are. */
static ct_status write_flags(ct_run *run, int s, int port, const ct_flags *flags, ct_error *err)
{
    const ct_step *step = run->plan->steps[s].step;
    const ct_array *array = &step->port[port];
    const size_t bytes = ct_array_bytes(array);
    const uint8_t *data = flags->data;
    if (flags->groups > 1 || ct_array_stride(array, 'T') != 1 || bytes != ct_flags_bytes(flags)) {
        data = memset(run->flags->mask, 0, bytes);
        ct_flags_mask_add(step, port, run->flags->mask, flags);
    }
    return ct_device_hand(&run->steps[s].side[port], run->device, data, bytes, err);
}

ct_status ct_run_masks_upload(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    const int port = ct_flags_mask_port(step->step, CT_IN);
    if (port < 0 || step->step->port[port].type == CT_NONE) return CT_OK;
    const ct_flags *window = &run->flags->window[step->node];
    const ct_flags *flags = window->data ? window : ct_run_flags_read(run, s);
    if (step->edge[port] >= 0) return merge_flags(run, s, port, flags, err);
    if (at->flags_handed) {
        at->flags_handed = at->flags_clean = false;
        return CT_OK;
    }
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
    const int port = ct_flags_mask_port(step->step, CT_IN);
    if (port < 0 || at->own->port[port].type == CT_NONE) return CT_OK;
    ct_array *to = &at->own->port[port];
    const ct_flags *flags = ct_run_flags_read(run, s);
    to->data = NULL;
    if (!flags->any) return CT_OK;
    if (!at->flags) at->flags = ct_arena_get(run->arena, ct_array_bytes(to));
    if (!at->flags) return ct_arena_check(run->arena, err);
    to->data = memset(at->flags, 0, ct_array_bytes(to));
    ct_flags_mask_add(at->own, port, at->flags, flags);
    return CT_OK;
}
