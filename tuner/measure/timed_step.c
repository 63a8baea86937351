/* timed_step.c: a step ready to be timed.
 * Room: tuner/measure. Knows steps, programs and buffers. Does not know any stage or what is fast.
 */
#include "timed_step.h"
#include "layout.h"

#include "fail.h"
#include "memory.h"

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

static ct_status timed_port(ct_timed_step *work, int i, ct_error *err)
{
    const ct_array *array = &work->step->port[i];
    const ct_port *port = &work->step->stage->ports[i];
    const int salt = port->flags & CT_PORT_FLAGS ? CT_INPUTS_ZERO : i;
    if (port->direction == CT_TABLE || work->input[i]) return CT_OK;
    if (port->direction == CT_IN && work->pool->inputs)
        return ct_inputs_get(&work->input[i], work->pool->inputs, array, salt, err);
    return timed_fit(work->pool, work->device, work->step, i, err);
}

/* Tables are the step's own: their order may depend on layouts and tunables. */
static ct_status timed_tables(ct_timed_step *work, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_step *step = work->step;
    if (work->tables) return CT_OK;
    for (int i = 0; i < ct_step_ports(step); i++)
        if (step->port[i].type != CT_NONE && step->stage->ports[i].direction == CT_TABLE)
            CT_TRY(
                ct_buffer_new(&work->table[i], work->device, ct_array_bytes(&step->port[i]), err));
    CT_TRY(ct_program_tables(step, work->device, work->table, NULL, err));
    work->tables = true;
out:
    return status;
}

ct_status ct_timed_step_fill(ct_timed_step *work, ct_error *err)
{
    ct_status status = CT_OK;
    for (int i = 0; i < ct_step_ports(work->step); i++)
        if (work->step->port[i].type != CT_NONE) CT_TRY(timed_port(work, i, err));
    CT_TRY(timed_tables(work, err));
out:
    return status;
}

void ct_timed_step_rest(ct_timed_step *work)
{
    for (int i = 0; i < CT_PORTS; i++) {
        if (work->input[i] != NULL) ct_inputs_return(work->pool->inputs, work->input[i]);
        work->input[i] = NULL;
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
    ct_timed_step *work = ct_memory_get(sizeof *work);
    CT_NEED(work, sizeof *work, err);
    work->device = device;
    work->pool = pool;
    CT_TRY(ct_step_copy(&work->step, step, err));
    ct_step_settle(work->step);
    CT_TRY(ct_program_new(&work->program, device, work->step, err));
    work->flops = step->stage->flops != NULL ? step->stage->flops(step) : 0.0;
    work->bytes = ct_timed_step_bytes(step);
out:
    if (status != CT_OK) {
        ct_timed_step_free(work);
        work = NULL;
    }
    *out = work;
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

void ct_timed_step_free(ct_timed_step *work)
{
    if (work == NULL) return;
    ct_program_free(work->program);
    ct_timed_step_rest(work);
    for (int i = 0; i < CT_PORTS; i++)
        if (work->table[i].mem != NULL) ct_buffer_free(&work->table[i]);
    ct_step_free(work->step);
    ct_value_free(work->given);
    ct_memory_free(work);
}

const ct_buffer *ct_timed_step_buffer(const ct_timed_step *work, int port)
{
    if (work->table[port].mem != NULL) return &work->table[port];
    return work->input[port] != NULL ? work->input[port] : &work->pool->mem[port];
}

static ct_status timed_run(void *of, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    ct_timed_step *work = of;
    ct_buffer mem[CT_PORTS];
    for (int i = 0; i < CT_PORTS; i++)
        mem[i] = *ct_timed_step_buffer(work, i);
    CT_TRY(ct_program_enqueue(work->program, mem, false, err));
    CT_TRY(ct_program_wait(work->program, seconds, err));
out:
    return status;
}

ct_timed ct_timed_step_timing(ct_timed_step *work)
{
    return (ct_timed){timed_run, work};
}
