/* device_values.h: what arrays in device memory hold, whatever their strides: fills them with
 * values, and compares two of them, without bringing them to the host.
 * Room: core/values. Knows strides, types and OpenCL. Does not know steps, or what is right. */
#ifndef CT_CORE_DEVICE_VALUES_H
#define CT_CORE_DEVICE_VALUES_H
#include "device.h"

/* Its kernels are built when they are needed first. */
typedef struct ct_device_values ct_device_values;

ct_status ct_device_values_new(ct_device_values **out, ct_device *device, ct_error *err);
void ct_device_values_free(ct_device_values *values); /* NULL is fine */

/* Word n of all 64-bit words, in natural order, becomes mix(n + salt) & keep | add, with the
 * finaliser of MurmurHash3. Elements have 1, 2, 4, 8 or 16 bytes. What lies between rows stays. */
typedef struct ct_device_values_rule {
    uint64_t salt, keep, add;
} ct_device_values_rule;
ct_status ct_device_values_fill(ct_device_values *values, const ct_buffer *buffer,
                                const ct_array *array, const ct_device_values_rule *rule,
                                ct_error *err);

/* *sure: without any doubt all elements of `found` are those of `wanted`, an array of the same type
 * and dimensions: with `most` 0 bit by bit; otherwise floats of 32 bits at most 0.7 of it apart in
 * each part, and halves at most their last bit. Not sure where one is not finite, unless both have
 * the same bits and are no floats of 32 bits; the caller then has to look at each element. */
ct_status ct_device_values_compare(bool *sure, ct_device_values *values, const ct_buffer *found,
                                   const ct_array *of_found, const ct_buffer *wanted,
                                   const ct_array *of_wanted, double most, ct_error *err);

#endif
