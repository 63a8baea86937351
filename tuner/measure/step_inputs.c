/* step_inputs.c: see step_inputs.h. Arrays are filled on the device.
 * Room: tuner/measure. Knows arrays and buffers. Does not know steps or stages. */
#include "step_inputs.h"
#include "device_values.h"
#include "layout.h"

#include "fail.h"
#include "memory.h"

typedef struct inputs_entry {
    struct inputs_entry *next; /* used longer ago */
    ct_array array;
    int salt, uses;
    ct_buffer buffer;
} inputs_entry;

struct ct_inputs {
    ct_device *device; /* held */
    ct_device_values *values;
    inputs_entry *first;
    size_t most;
};

ct_status ct_inputs_new(ct_inputs **out, ct_device *device, size_t most, ct_error *err)
{
    ct_inputs *inputs = ct_memory_get(sizeof *inputs);
    *out = inputs;
    if (!inputs) return ct_memory_fail(sizeof *inputs, err);
    inputs->device = ct_device_retain(device);
    inputs->most = most;
    const ct_status status = ct_device_values_new(&inputs->values, device, err);
    if (status == CT_OK) return CT_OK;
    ct_inputs_free(inputs);
    *out = NULL;
    return status;
}

static void inputs_remove(inputs_entry **at)
{
    inputs_entry *entry = *at;
    *at = entry->next;
    ct_buffer_free(&entry->buffer);
    ct_memory_free(entry);
}

void ct_inputs_trim(ct_inputs *inputs, size_t most)
{
    size_t bytes = 0;
    inputs_entry **at = &inputs->first;
    while (*at) {
        bytes += (*at)->buffer.bytes;
        if ((*at)->uses == 0 && bytes > most) {
            bytes -= (*at)->buffer.bytes;
            inputs_remove(at);
        } else {
            at = &(*at)->next;
        }
    }
}

void ct_inputs_free(ct_inputs *inputs)
{
    if (!inputs) return;
    while (inputs->first)
        inputs_remove(&inputs->first);
    ct_device_values_free(inputs->values);
    ct_device_free(inputs->device);
    ct_memory_free(inputs);
}

/* ---------------------------------------------------------------- values */

/* No zeros, no denormals, nothing that overflows: floats between 0.5 and 1 in size, any integer.
 * Every index has a value of its own, so that no two rows of an array are alike. */
static ct_device_values_rule inputs_rule(const ct_array *array, int salt)
{
    const bool real = !ct_type_integer(array->type);
    const unsigned bits = ct_type_bits(array->type) / (ct_type_complex(array->type) ? 2 : 1);
    const uint64_t half = 0x83ff83ff83ff83ffu, single = 0x807fffff807fffffu;
    return (ct_device_values_rule){.salt = (uint64_t)(salt + 1) << 48,
                                   .keep = !real        ? UINT64_MAX
                                           : bits == 16 ? half
                                                        : single,
                                   .add = !real        ? 0
                                          : bits == 16 ? 0x3800380038003800u
                                                       : 0x3f0000003f000000u};
}

static ct_status inputs_make(inputs_entry *entry, ct_inputs *inputs, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array *array = &entry->array;
    const ct_device_values_rule rule = inputs_rule(array, entry->salt);
    const bool gaps = ct_array_span(array) != ct_array_count(array);
    CT_TRY(ct_buffer_new(&entry->buffer, inputs->device, ct_array_bytes(array), err));
    if (gaps || entry->salt == CT_INPUTS_ZERO)
        CT_TRY(ct_buffer_fill(&entry->buffer, inputs->device, entry->buffer.bytes, 0, err));
    if (entry->salt != CT_INPUTS_ZERO)
        CT_TRY(ct_device_values_fill(inputs->values, &entry->buffer, array, &rule, err));
out:
    if (status != CT_OK) ct_buffer_free(&entry->buffer);
    return status;
}

/* ---------------------------------------------------------------- keeping them */

static bool inputs_is(const inputs_entry *entry, const ct_array *array, int salt)
{
    bool same = entry->salt == salt && entry->array.type == array->type &&
                entry->array.rank == array->rank && entry->array.offset == array->offset;
    for (int k = 0; same && k < array->rank; k++)
        same = entry->array.dim[k] == array->dim[k] && entry->array.extent[k] == array->extent[k] &&
               entry->array.stride[k] == array->stride[k];
    return same;
}

/* The last used array comes first. */
static inputs_entry *inputs_find(ct_inputs *inputs, const ct_array *array, int salt)
{
    for (inputs_entry **at = &inputs->first; *at; at = &(*at)->next) {
        inputs_entry *entry = *at;
        if (!inputs_is(entry, array, salt)) continue;
        *at = entry->next;
        entry->next = inputs->first;
        inputs->first = entry;
        return entry;
    }
    return NULL;
}

static ct_status inputs_add(ct_inputs *inputs, const ct_array *array, int salt, ct_error *err)
{
    inputs_entry *entry = ct_memory_get(sizeof *entry);
    const size_t bytes = ct_array_bytes(array);
    if (!entry) return ct_memory_fail(sizeof *entry, err);
    entry->array = *array;
    entry->salt = salt;
    ct_inputs_trim(inputs, inputs->most > bytes ? inputs->most - bytes : 0);
    ct_status status = inputs_make(entry, inputs, err);
    if (status == CT_OK) {
        entry->next = inputs->first;
        inputs->first = entry;
    } else {
        ct_memory_free(entry);
    }
    return status;
}

ct_status ct_inputs_get(const ct_buffer **out, ct_inputs *inputs, const ct_array *array, int salt,
                        ct_error *err)
{
    ct_status status = CT_OK;
    *out = NULL;
    if (!inputs_find(inputs, array, salt)) CT_TRY(inputs_add(inputs, array, salt, err));
    inputs->first->uses++;
    *out = &inputs->first->buffer;
out:
    return status;
}

ct_device_values *ct_inputs_values(const ct_inputs *inputs)
{
    return inputs ? inputs->values : NULL;
}

void ct_inputs_return(ct_inputs *inputs, const ct_buffer *buffer)
{
    for (inputs_entry *entry = inputs->first; entry; entry = entry->next)
        if (&entry->buffer == buffer) entry->uses--;
}
