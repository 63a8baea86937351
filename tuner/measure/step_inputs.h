/* step_inputs.h: inputs for steps that are measured: the same values at the same indices, whatever
 * the layout, so that the outputs of two layouts can be compared.
 * Room: tuner/measure. Knows arrays and buffers. Does not know steps or stages. Arrays that are not
 * in use are kept, up to `most` bytes in all, for the next step that reads this layout. */
#ifndef CT_TUNER_STEP_INPUTS_H
#define CT_TUNER_STEP_INPUTS_H
#include "device.h"

typedef struct ct_inputs ct_inputs;

ct_status ct_inputs_new(ct_inputs **out, ct_device *device, size_t most, ct_error *err);
/* A buffer that holds the array: harmless numbers, none of them 0, which depend on the indices and
 * on `salt`; all bytes 0 where salt is CT_INPUTS_ZERO. It stays until it is given back. */
enum { CT_INPUTS_ZERO = -1 };
ct_status ct_inputs_get(const ct_buffer **out, ct_inputs *inputs, const ct_array *array, int salt,
                        ct_error *err);
/* What fills arrays there, and compares them; NULL of NULL. */
struct ct_device_values *ct_inputs_values(const ct_inputs *inputs);
void ct_inputs_return(ct_inputs *inputs, const ct_buffer *buffer); /* NULL is fine */
/* Frees arrays that are not in use, the oldest first, until no more than so many bytes are left. */
void ct_inputs_trim(ct_inputs *inputs, size_t most);
void ct_inputs_free(ct_inputs *inputs); /* after all were given back */

#endif
