/* step_inputs.c: see step_inputs.h. An array is filled in rows of its natural order, wherever its
 * strides put them.
 * Room: tuner/measure. Knows arrays and buffers. Does not know steps or stages. */
#include "step_inputs.h"
#include "layout.h"

#include <string.h>

#include "fail.h"
#include "memory.h"
#include "natural_order.h"

typedef struct inputs_entry {
    struct inputs_entry *next; /* used longer ago */
    ct_array array;
    int salt, uses;
    ct_buffer buffer;
} inputs_entry;

struct ct_inputs {
    ct_device *device; /* held */
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
    return CT_OK;
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
    ct_device_free(inputs->device);
    ct_memory_free(inputs);
}

/* ---------------------------------------------------------------- values */

/* The finaliser of MurmurHash3 (Appleby): every index has a value of its own, so that no two rows
 * of an array are alike. */
static uint64_t inputs_mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

typedef struct inputs_values {
    uint64_t salt, keep, add;
    size_t size; /* of an element */
} inputs_values;

/* No zeros, no denormals, nothing that overflows: floats between 0.5 and 1 in size, any integer. */
static inputs_values inputs_kind(const ct_array *array, int salt)
{
    const bool real = !ct_type_integer(array->type);
    const unsigned bits = ct_type_bits(array->type) / (ct_type_complex(array->type) ? 2 : 1);
    const uint64_t half = 0x83ff83ff83ff83ffu, single = 0x807fffff807fffffu;
    return (inputs_values){.salt = (uint64_t)(salt + 1) << 48,
                           .keep = !real        ? UINT64_MAX
                                   : bits == 16 ? half
                                                : single,
                           .add = !real        ? 0
                                  : bits == 16 ? 0x3800380038003800u
                                               : 0x3f0000003f000000u,
                           .size = ct_type_bits(array->type) / 8};
}

/* Words of all elements, in natural order: a row may begin and end within one. */
static void inputs_row(void *of, int64_t natural, int64_t count, void *row)
{
    const inputs_values *v = of;
    const size_t from = (size_t)natural * v->size, to = from + (size_t)count * v->size;
    char *out = row;
    for (size_t at = from; at < to;) {
        const size_t inside = at % sizeof(uint64_t), left = sizeof(uint64_t) - inside;
        const uint64_t word = (inputs_mix(at / sizeof word + v->salt) & v->keep) | v->add;
        const size_t bytes = left < to - at ? left : to - at;
        memcpy(out, (const char *)&word + inside, bytes);
        out += bytes;
        at += bytes;
    }
}

/* Words that lie as they are. */
static void inputs_words(void *of, int64_t natural, int64_t count, void *row)
{
    const inputs_values *v = of;
    const uint64_t first = (uint64_t)natural * v->size / sizeof(uint64_t);
    const int64_t words = count * (int64_t)v->size / (int64_t)sizeof(uint64_t);
    uint64_t *out = row;
    for (int64_t i = 0; i < words; i++)
        out[i] = (inputs_mix(first + (uint64_t)i + v->salt) & v->keep) | v->add;
}

static ct_status inputs_make(inputs_entry *entry, ct_device *device, ct_error *err)
{
    ct_status status = CT_OK;
    ct_array placed = entry->array;
    inputs_values values = inputs_kind(&placed, entry->salt);
    const bool gaps = ct_array_span(&placed) != ct_array_count(&placed);
    CT_TRY(ct_buffer_new(&entry->buffer, device, ct_array_bytes(&entry->array), err));
    CT_TRY(ct_buffer_map(&placed.data, &entry->buffer, device, err));
    if (gaps || entry->salt == CT_INPUTS_ZERO) memset(placed.data, 0, entry->buffer.bytes);
    if (entry->salt != CT_INPUTS_ZERO)
        ct_natural_order_write(&placed, values.size % sizeof(uint64_t) ? inputs_row : inputs_words,
                               &values);
    CT_TRY(ct_buffer_unmap(&entry->buffer, device, placed.data, err));
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
    ct_status status = inputs_make(entry, inputs->device, err);
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

void ct_inputs_return(ct_inputs *inputs, const ct_buffer *buffer)
{
    for (inputs_entry *entry = inputs->first; entry; entry = entry->next)
        if (&entry->buffer == buffer) entry->uses--;
}
