/* quantise.h: numbers as the observation's type holds them.
 * Room: io/simulate. */
#ifndef CT_STAGES_SIMULATE_QUANTISE_H
#define CT_STAGES_SIMULATE_QUANTISE_H
#include "cornerturn_stage.h"

/* As ct_array_save does, one after another: rounded, of two that are equally near to the even one;
 * beyond the type's range its ends; 0 of what is no number. Of complex types two make an element.
 */
void ct_quantise_numbers(void *to, ct_type type, const double *from, int64_t count);

#endif
