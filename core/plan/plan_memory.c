/* plan_memory.c: edges that never live at the same moment share a slot of device memory.
 * Room: core/plan. Knows edges' lifetimes and sizes. Does not know devices but for their limits. */
#include "cornerturn_stage.h"
#include "plan_builder.h"

#include "fail.h"
#include "memory.h"
#include "step.h"

/* History and sums that are not complete outlive a block. */
static bool is_permanent(const ct_plan *plan, const ct_edge *edge)
{
    const ct_step *step = plan->steps[edge->from].step;
    return !edge->temporary && (edge->before > 0 || edge->after > 0 || step->accumulate > 1);
}

bool ct_plan_carries(const ct_plan *plan, int e)
{
    const ct_step *step = plan->steps[plan->edges[e].from].step;
    return step->accumulate > 1 && (step->stage->ports[plan->edges[e].port].flags & CT_PORT_CARRY);
}

/* Whether a thread of a source or sink may be busy with it while the next block is computed, or an
 * exchange may send it, or it waits for one. */
static bool is_in_turn(const ct_plan *plan, int e)
{
    bool any = plan->edges[e].exchanged || plan->edges[e].read_later || ct_plan_carries(plan, e);
    if (plan->graph->blocks == 1) return false;
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *step = &plan->steps[s];
        any = any || (ct_step_is_threaded(step->step) && step->edge[0] == e);
    }
    return any;
}

/* Sinks get a block after all other steps. */
static bool is_awaited(const ct_plan *plan, int e)
{
    bool any = false;
    for (int s = 0; s < plan->count; s++)
        for (int p = 0; p < CT_PORTS; p++)
            any = any ||
                  (ct_role_of(plan->steps[s].step) == CT_ROLE_SINK && plan->steps[s].edge[p] == e);
    return any;
}

/* All sources are read before the first step of a block. */
static bool is_source(const ct_plan *plan, const ct_edge *edge)
{
    return ct_role_of(plan->steps[edge->from].step) == CT_ROLE_SOURCE;
}

static int64_t array_bytes(const ct_array *array)
{
    return (int64_t)ct_array_bytes(array);
}

static bool overlap(const ct_edge *a, const ct_edge *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static bool is_free(const ct_plan *plan, int slot, int upto, const ct_edge *edge)
{
    for (int e = 0; e < upto; e++)
        if (plan->edges[e].slot == slot && overlap(&plan->edges[e], edge)) return false;
    return true;
}

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

/* The free slot whose size is nearest; -1 where none is free. */
static int find_slot(const ct_plan *plan, int upto, const ct_edge *edge, int64_t bytes)
{
    int best = -1;
    for (int slot = 0; slot < plan->slots; slot++)
        if (is_free(plan, slot, upto, edge) &&
            (best < 0 ||
             distance(plan->slot_bytes[slot], bytes) < distance(plan->slot_bytes[best], bytes)))
            best = slot;
    return best;
}

bool ct_plan_has_side(const ct_plan_step *step, int port)
{
    const bool flags = ct_port_takes_flags(&step->step->stage->ports[port]);
    if (ct_role_of(step->step) == CT_ROLE_SINK) return false; /* its flags stay on the host */
    return step->step->port[port].type != CT_NONE && (step->edge[port] < 0 || flags);
}

static int64_t side_bytes(const ct_plan *plan)
{
    int64_t bytes = 0;
    for (int s = 0; s < plan->count; s++)
        for (int p = 0; p < ct_step_ports(plan->steps[s].step); p++)
            if (ct_plan_has_side(&plan->steps[s], p))
                bytes += (int64_t)ct_array_bytes(&plan->steps[s].step->port[p]);
    return bytes;
}

/* ---- places */

enum {
    PLACES = 16,            /* at most: history moves once in as many blocks */
    SHARE = 4,              /* places add at most this part of the array */
    LEAST_ROOM = 256 << 10, /* or so many bytes */
    ALIGN = 512             /* devices want parts of buffers to begin at such bytes */
};

/* What a step without an engine reads and writes may be a part of a buffer, for others not. */
static bool takes_parts(const ct_step *step)
{
    return ct_role_of(step) == CT_ROLE_KERNEL && !step->stage->engine.prepare;
}

static bool is_between_kernels(const ct_plan *plan, int e)
{
    bool all = true;
    for (int s = 0; s < plan->count; s++)
        for (int p = 0; p < CT_PORTS; p++)
            if (plan->steps[s].edge[p] == e || plan->steps[s].zeroed == e)
                all = all && takes_parts(plan->steps[s].step);
    return all;
}

/* A block's new samples end one way after those of the block before, at addresses that hold nothing
 * that is still needed: whatever the order of dimensions, only the oldest samples of other rows. */
static void set_places(const ct_plan *plan, int e)
{
    ct_edge *edge = &plan->edges[e];
    const ct_array *array = &edge->array;
    const int64_t fresh = ct_array_extent(array, 'T') - edge->before, bytes = array_bytes(array);
    edge->places = 1;
    if (plan->gpu || edge->before == 0 || edge->after > 0 || edge->next >= 0 || edge->temporary)
        return;
    edge->way = fresh * ct_array_stride(array, 'T') * ct_type_bits(array->type) / 8;
    if (edge->way % ALIGN != 0 || !is_between_kernels(plan, e)) return;
    const int64_t room = bytes / SHARE > LEAST_ROOM ? bytes / SHARE : LEAST_ROOM;
    edge->places = 1 + (int)(room / edge->way < PLACES ? room / edge->way : PLACES - 1);
}

static void places(ct_plan *plan)
{
    for (int e = 0; e < plan->edge_count; e++) {
        set_places(plan, e);
        const int64_t spare = (plan->edges[e].places - 1) * plan->edges[e].way;
        plan->slot_bytes[plan->edges[e].slot] += spare;
        plan->spare_bytes += spare;
    }
}

/* After the others: nothing else uses them. */
static void next_slots(ct_plan *plan)
{
    for (int e = 0; e < plan->edge_count; e++) {
        ct_edge *edge = &plan->edges[e];
        edge->next = is_in_turn(plan, e) ? plan->slots++ : -1;
        if (edge->next >= 0) plan->slot_bytes[edge->next] = plan->slot_bytes[edge->slot];
    }
}

ct_status ct_plan_memory(ct_plan *plan, ct_error *err)
{
    ct_status status = CT_OK;
    plan->slot_bytes =
        ct_arena_get(plan->arena, sizeof *plan->slot_bytes * (size_t)(2 * plan->edge_count + 1));
    CT_TRY(ct_arena_check(plan->arena, err));
    for (int e = 0; e < plan->edge_count; e++) {
        ct_edge *edge = &plan->edges[e];
        if (is_permanent(plan, edge) || is_in_turn(plan, e)) {
            edge->first = 0;
            edge->last = plan->count;
        }
        if (is_source(plan, edge)) edge->first = 0;
        if (is_awaited(plan, e)) edge->last = plan->count;
        int64_t bytes = array_bytes(&edge->array);
        edge->slot = find_slot(plan, e, edge, bytes);
        if (edge->slot < 0) edge->slot = plan->slots++;
        if (plan->slot_bytes[edge->slot] < bytes) plan->slot_bytes[edge->slot] = bytes;
    }
    next_slots(plan);
    places(plan);
    plan->device_bytes = side_bytes(plan);
    for (int slot = 0; slot < plan->slots; slot++)
        plan->device_bytes += plan->slot_bytes[slot];
out:
    return status;
}

static double mebibytes(int64_t bytes)
{
    return (double)bytes / (1024.0 * 1024.0);
}

static ct_status array_fits(const ct_plan *plan, const char *name, const char *port,
                            const ct_array *array, int64_t largest, ct_error *err)
{
    int64_t bytes = array->type == CT_NONE ? 0 : array_bytes(array);
    if (bytes <= largest) return CT_OK;
    return ct_error_add(err, CT_INVALID,
                        "%s: array \"%s%s%s\" takes %.1f MiB, but the device allows %.1f MiB "
                        "for one buffer; make \"block\": {\"T\": %lld} smaller",
                        plan->graph->file, name, *port ? "." : "", port, mebibytes(bytes),
                        mebibytes(largest), (long long)plan->graph->block);
}

/* Tables and scratch, which are on no edge. */
static ct_status sides_fit(const ct_plan *plan, int64_t largest, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < plan->count && status == CT_OK; s++) {
        const ct_plan_step *step = &plan->steps[s];
        for (int p = 0; p < ct_step_ports(step->step) && status == CT_OK; p++)
            if (step->edge[p] < 0)
                status = array_fits(plan, step->name, step->step->stage->ports[p].name,
                                    &step->step->port[p], largest, err);
    }
    return status;
}

ct_status ct_plan_fits(const ct_plan *plan, int64_t device_bytes, int64_t largest, ct_error *err)
{
    ct_status status = CT_OK;
    for (int e = 0; e < plan->edge_count && status == CT_OK; e++)
        status = array_fits(plan, plan->edges[e].name, "", &plan->edges[e].array, largest, err);
    if (status == CT_OK) status = sides_fit(plan, largest, err);
    if (status != CT_OK) return status;
    if (plan->device_bytes - plan->spare_bytes <= device_bytes) return CT_OK;
    return ct_error_add(err, CT_INVALID,
                        "%s: the pipeline takes %.1f MiB in %d buffers, but the device has %.1f "
                        "MiB; make \"block\": {\"T\": %lld} smaller",
                        plan->graph->file, mebibytes(plan->device_bytes - plan->spare_bytes),
                        plan->slots, mebibytes(device_bytes), (long long)plan->graph->block);
}
