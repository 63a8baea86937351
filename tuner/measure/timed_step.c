/* timed_step.c: a step ready to be timed.
 * Room: tuner/measure. Knows steps, programs and buffers. Does not know any stage or what is fast.
 */
#include "timed_step.h"
#include "layout.h"

#include "clock.h"
#include "fail.h"
#include "memory.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define NOISE_BYTES ((size_t)1 << 20)

/* ---------------------------------------------------------------- buffers */

static bool timed_is_float(ct_type type)
{
    return !ct_type_integer(type);
}

/* No zeros, no denormals, nothing that overflows: floats between 0.5 and 1 in size, any integer. */
static void timed_noise(uint32_t *noise, size_t count, ct_type type)
{
    uint32_t state = 2463534242u;
    unsigned bits = ct_type_complex(type) ? ct_type_bits(type) / 2 : ct_type_bits(type);
    for (size_t i = 0; i < count; i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        noise[i] = state;
        if (timed_is_float(type) && bits == 32) noise[i] = (state & 0x807fffffu) | 0x3f000000u;
        if (timed_is_float(type) && bits == 16) noise[i] = (state & 0x83ff83ffu) | 0x38003800u;
    }
}

/* Noise; flags say that every sample is there, as nearly all are in a run. */
static ct_status timed_fill(ct_buffer *buffer, ct_device *device, const ct_step *step, int port,
                            ct_error *err)
{
    ct_status status = CT_OK;
    uint32_t *noise = ct_memory_get(NOISE_BYTES);
    CT_NEED(noise, NOISE_BYTES, err);
    if (!ct_port_takes_flags(&step->stage->ports[port]))
        timed_noise(noise, NOISE_BYTES / sizeof *noise, step->port[port].type);
    for (size_t at = 0; at < buffer->bytes; at += NOISE_BYTES) {
        size_t left = buffer->bytes - at;
        CT_TRY(ct_buffer_write(buffer, device, at, noise, left < NOISE_BYTES ? left : NOISE_BYTES,
                               err));
    }
out:
    ct_memory_free(noise);
    return status;
}

void ct_timed_step_pool_free(ct_buffer_pool *pool)
{
    for (int i = 0; i < CT_PORTS; i++)
        if (pool->mem[i].mem != NULL) ct_buffer_free(&pool->mem[i]);
    *pool = (ct_buffer_pool){.inputs = pool->inputs};
}

static ct_status timed_fit(ct_buffer_pool *pool, ct_device *device, const ct_step *step, int port,
                           ct_error *err)
{
    ct_status status = CT_OK;
    ct_buffer *buffer = &pool->mem[port];
    size_t bytes = ct_array_bytes(&step->port[port]);
    if (buffer->mem != NULL && buffer->bytes >= bytes) return CT_OK;
    if (buffer->mem != NULL) ct_buffer_free(buffer);
    *buffer = (ct_buffer){0};
    CT_TRY(ct_buffer_new(buffer, device, bytes, err));
    CT_TRY(timed_fill(buffer, device, step, port, err));
out:
    return status;
}

/* ---------------------------------------------------------------- the step */

static ct_status timed_port(ct_timed_step *timed, int i, ct_error *err)
{
    const ct_array *array = &timed->step->port[i];
    const ct_port *port = &timed->step->stage->ports[i];
    const int salt = port->flags & CT_PORT_FLAGS ? CT_INPUTS_ZERO : i;
    if (port->direction == CT_TABLE || timed->input[i]) return CT_OK;
    if (port->direction == CT_IN && timed->pool->inputs)
        return ct_inputs_get(&timed->input[i], timed->pool->inputs, array, salt, err);
    return timed_fit(timed->pool, timed->device, timed->step, i, err);
}

/* Tables are the step's own: their order may depend on layouts and tunables. */
static ct_status timed_tables(ct_timed_step *timed, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_step *step = timed->step;
    if (timed->tables) return CT_OK;
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->port[i].type != CT_NONE && step->stage->ports[i].direction == CT_TABLE)
            CT_TRY(ct_buffer_new(&timed->table[i], timed->device, ct_array_bytes(&step->port[i]),
                                 err));
    CT_TRY(ct_program_tables(step, timed->device, timed->table, NULL, err));
    timed->tables = true;
out:
    return status;
}

ct_status ct_timed_step_fill(ct_timed_step *timed, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(timed->step); i++)
        if (timed->step->port[i].type != CT_NONE) CT_TRY(timed_port(timed, i, err));
    CT_TRY(timed_tables(timed, err));
out:
    return status;
}

void ct_timed_step_rest(ct_timed_step *timed)
{
    for (int i = 0; i < CT_PORTS; i++) {
        if (timed->input[i] != NULL) ct_inputs_return(timed->pool->inputs, timed->input[i]);
        timed->input[i] = NULL;
    }
}

double ct_timed_step_bytes(const ct_step *step)
{
    double bytes = 0.0;
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->port[i].type != CT_NONE && step->stage->ports[i].direction != CT_SCRATCH)
            bytes += (double)ct_array_count(&step->port[i]) * ct_type_bits(step->port[i].type) / 8;
    return bytes;
}

ct_status ct_timed_step_build(ct_timed_step **out, ct_device *device, const ct_step *step,
                              ct_buffer_pool *pool, ct_error *err)
{
    ct_status status = CT_OK;
    ct_timed_step *timed = ct_memory_get(sizeof *timed);
    CT_NEED(timed, sizeof *timed, err);
    timed->device = device;
    timed->pool = pool;
    CT_TRY(ct_step_copy(&timed->step, step, err));
    ct_step_settle(timed->step);
    CT_TRY(ct_program_new(&timed->program, device, timed->step, err));
    timed->flops = step->stage->flops != NULL ? step->stage->flops(step) : 0.0;
    timed->bytes = ct_timed_step_bytes(step);
out:
    if (status != CT_OK) {
        ct_timed_step_free(timed);
        timed = NULL;
    }
    *out = timed;
    return status;
}

ct_status ct_timed_step_new(ct_timed_step **out, ct_device *device, const ct_step *step,
                            ct_buffer_pool *pool, ct_error *err)
{
    ct_status status = ct_timed_step_build(out, device, step, pool, err);
    if (status == CT_OK) status = ct_timed_step_fill(*out, err);
    if (status == CT_OK) return CT_OK;
    ct_timed_step_free(*out);
    *out = NULL;
    return status;
}

void ct_timed_step_free(ct_timed_step *timed)
{
    if (timed == NULL) return;
    ct_program_free(timed->program);
    ct_timed_step_rest(timed);
    for (int i = 0; i < CT_PORTS; i++)
        if (timed->table[i].mem != NULL) ct_buffer_free(&timed->table[i]);
    ct_step_free(timed->step);
    ct_value_free(timed->given);
    ct_memory_free(timed);
}

const ct_buffer *ct_timed_step_buffer(const ct_timed_step *timed, int port)
{
    if (timed->table[port].mem != NULL) return &timed->table[port];
    return timed->input[port] != NULL ? timed->input[port] : &timed->pool->mem[port];
}

static ct_status timed_run(void *of, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    ct_timed_step *timed = of;
    ct_buffer mem[CT_PORTS];
    double took = 0.0;
    const double from = ct_clock_now();
    for (int i = 0; i < CT_PORTS; i++)
        mem[i] = *ct_timed_step_buffer(timed, i);
    CT_TRY(ct_program_enqueue(timed->program, mem, NULL, err));
    CT_TRY(ct_program_wait(timed->program, &took, err));
    if (seconds) *seconds = took;
    if (!timed->ran) timed->first_s = fmax(ct_clock_now() - from - took, 0);
    timed->ran = true;
out:
    return status;
}

ct_timed ct_timed_step_timing(ct_timed_step *timed)
{
    return (ct_timed){timed_run, timed};
}
