/* verify_run.c: one variant of a case: built, and run on poisoned memory.
 * Room: tuner/verify. Knows programs and buffers. Does not know why this variant is tried. Order:
 * layouts, program, buffers, enqueue, compare. */
#include "expected_output.h"
#include "fail.h"
#include "natural_order.h"
#include "verify_inner.h"
#include <math.h>
#include <string.h>

void ct_verify_pad(ct_array *array, int64_t pad)
{
    int64_t stride = 1;
    for (int k = array->layout.rank - 1; k >= 0; k--) {
        int place = ct_array_find(array, array->layout.dim[k]);
        array->stride[place] = stride;
        stride *= array->extent[place];
        if (k == array->layout.rank - 1) stride += pad;
    }
}

/* An index that is wrong by one or two, along any dimension, still lands in the guard. */
static size_t run_guard(const ct_array *array)
{
    int64_t most = 0;
    for (int k = 0; k < array->rank; k++)
        most = array->stride[k] > most ? array->stride[k] : most;
    const size_t steps = 2 * (size_t)most * ct_verify_element(array);
    const size_t guard = (steps + VERIFY_GUARD - 1) / VERIFY_GUARD * VERIFY_GUARD;
    return guard < VERIFY_GUARD        ? VERIFY_GUARD
           : guard > VERIFY_GUARD_MOST ? VERIFY_GUARD_MOST
                                       : guard;
}

static ct_status run_shape(verify_state *state, int port, ct_error *err)
{
    ct_status status = CT_OK;
    ct_array *array = &state->step->port[port];
    ct_direction direction = state->step->stage->ports[port].direction;
    bool own = direction == CT_TABLE || direction == CT_SCRATCH;
    CT_TRY(ct_step_set_layout(state->step, port, &state->variant->layout[port], err));
    if (direction != CT_TABLE) ct_verify_pad(array, state->variant->pad);
    const size_t guard = direction == CT_OUT ? run_guard(array) : VERIFY_GUARD;
    if (!own) array->offset = (int64_t)(guard / ct_verify_element(array)) + state->variant->offset;
    /* Nothing comes after an input: Oclgrind then finds a kernel that reads there. */
    state->bytes[port] = ct_array_bytes(array) + (direction == CT_OUT ? guard : 0);
out:
    return status;
}

static bool run_is_left_out(const verify_state *state, int port)
{
    const ct_port *declared = &state->step->stage->ports[port];
    return state->variant->bare && declared->direction == CT_OUT &&
           (declared->flags & CT_PORT_OPTIONAL);
}

static ct_status run_shapes(verify_state *state, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(state->step); i++) {
        if (run_is_left_out(state, i)) state->step->port[i].type = CT_NONE;
        if (state->step->port[i].type != CT_NONE) CT_TRY(run_shape(state, i, err));
    }
    memcpy(state->step->tunable, state->variant->tunable, sizeof state->step->tunable);
    ct_step_settle(state->step);
out:
    return status;
}

typedef struct run_port {
    ct_type type;
    int port;
} run_port;

static void run_preload(void *of, int64_t natural, int64_t count, void *row)
{
    const run_port *one = of;
    ct_array to = {.type = one->type, .data = row};
    for (int64_t n = 0; n < count; n++) {
        const double value = ct_verify_preload(one->port, natural + n);
        ct_array_save(&to, n, value, value);
    }
}

static void run_fill(verify_state *state, int port, unsigned char poison)
{
    ct_array *host = &state->host[port];
    run_port one = {host->type, port};
    memset(host->data, poison, state->bytes[port]);
    if (state->step->stage->ports[port].direction == CT_IN)
        ct_copy_array(host, &state->one->port[port]);
    else if (state->variant->add && (state->step->stage->ports[port].flags & CT_PORT_ACCUMULATE))
        ct_natural_order_write(host, run_preload, &one);
}

static ct_status run_buffers(verify_state *state, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(state->step); i++) {
        if (state->step->port[i].type == CT_NONE) continue;
        state->host[i] = state->step->port[i];
        state->host[i].data = ct_memory_get(state->bytes[i]);
        CT_NEED(state->host[i].data, state->bytes[i], err);
        CT_TRY(ct_buffer_new(&state->mem[i], state->device, state->bytes[i], err));
    }
    CT_TRY(ct_program_tables(state->step, state->device, state->mem, state->one->port, err));
out:
    return status;
}

static bool run_is(const verify_state *state, int port, ct_direction direction)
{
    return state->step->port[port].type != CT_NONE &&
           state->step->stage->ports[port].direction == direction;
}

/* The data of a variant with `begin`: from the array's place to the memory's beginning, or back;
 * the room that this leaves is poisoned. */
static void run_shift(verify_state *state, int port, bool back, unsigned char poison)
{
    ct_array *host = &state->host[port];
    unsigned char *data = host->data;
    const size_t room = (size_t)host->offset * ct_verify_element(host);
    const size_t rest = state->bytes[port] - room;
    if (!(state->variant->begin >> port & 1)) return;
    memmove(data + (back ? room : 0), data + (back ? 0 : room), rest);
    memset(data + (back ? 0 : rest), poison, room);
}

/* All but tables is filled, then outputs are read back. */
static ct_status run_fire(verify_state *state, unsigned char poison, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(state->step); i++) {
        if (state->step->port[i].type == CT_NONE || run_is(state, i, CT_TABLE)) continue;
        run_fill(state, i, poison);
        run_shift(state, i, false, poison);
        CT_TRY(ct_buffer_write(&state->mem[i], state->device, 0, state->host[i].data,
                               state->bytes[i], err));
    }
    const verify_piece *part = state->variant->piece;
    ct_piece piece = ct_program_whole(state->step, state->variant->add);
    if (part) piece = (ct_piece){state->variant->add, part->first, part->end, part->start};
    CT_TRY(ct_program_enqueue(state->program, state->mem, &piece, err));
    CT_TRY(ct_program_wait(state->program, NULL, err));
    for (int i = 0; i < ct_step_ports(state->step); i++) {
        if (!run_is(state, i, CT_OUT)) continue;
        CT_TRY(ct_buffer_read(&state->mem[i], state->device, 0, state->host[i].data,
                              state->bytes[i], err));
        run_shift(state, i, true, poison);
    }
out:
    return status;
}

/* The outputs of the first firing stay in `host`. */
ct_status ct_verify_fire_again(verify_state *state, ct_error *err)
{
    ct_status status = CT_OK;
    void *first[CT_PORTS] = {NULL};
    for (int i = 0; i < ct_step_ports(state->step); i++) {
        if (!run_is(state, i, CT_OUT)) continue;
        first[i] = state->host[i].data;
        state->host[i].data = ct_memory_get(state->bytes[i]);
        CT_NEED(state->host[i].data, state->bytes[i], err);
    }
    CT_TRY(run_fire(state, CT_EXPECTED_SECOND_POISON, err));
out:
    for (int i = 0; i < CT_PORTS; i++) {
        if (!first[i]) continue;
        state->again[i] = state->host[i].data;
        state->host[i].data = first[i];
    }
    return status;
}

static void run_free(verify_state *state)
{
    ct_program_free(state->program);
    for (int i = 0; i < CT_PORTS; i++) {
        ct_buffer_free(&state->mem[i]);
        ct_memory_free(state->host[i].data);
        ct_memory_free(state->again[i]);
    }
    ct_step_free(state->step);
}

static ct_status run_begin(verify_state *state, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(run_shapes(state, err));
    CT_TRY(ct_program_new(&state->program, state->device, state->step, err));
    CT_TRY(run_buffers(state, err));
    CT_TRY(run_fire(state, CT_EXPECTED_POISON, err));
out:
    return status;
}

ct_status ct_verify_run(const verify_case *one, const verify_variant *variant, ct_device *device,
                        double *worst, ct_error *err)
{
    ct_status status = CT_OK;
    verify_state state = {.one = one, .variant = variant, .device = device};
    CT_TRY(ct_step_copy(&state.step, one->step, err));
    CT_TRY(run_begin(&state, err));
    CT_TRY(ct_verify_compare(&state, err));
    *worst = fmax(*worst, state.worst);
out:
    run_free(&state);
    return status;
}

ct_status ct_verify_expect_natural(verify_case *one, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    verify_variant variant = {0};
    verify_state state = {.one = one, .variant = &variant, .device = device};
    CT_TRY(ct_step_copy(&state.step, one->step, err));
    CT_TRY(ct_step_plain(state.step, err));
    for (int i = 0; i < ct_step_ports(state.step); i++)
        variant.layout[i] = state.step->port[i].layout;
    memcpy(variant.tunable, state.step->tunable, sizeof variant.tunable);
    CT_TRY(run_begin(&state, err));
    CT_TRY(ct_verify_fire_again(&state, err));
    CT_TRY(ct_verify_take_outputs(&state, one, err));
out:
    run_free(&state);
    return status;
}
