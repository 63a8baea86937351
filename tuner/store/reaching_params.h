/* reaching_params.h: those parameters of a step on which its kernel's text depends. What only fills
 * tables (weights, directions, a window), names a file or describes data is none of them.
 * Room: tuner/store. Knows stages' descriptors. Does not know what parameters mean. */
#ifndef CT_TUNER_REACHING_PARAMS_H
#define CT_TUNER_REACHING_PARAMS_H
#include "step.h"
#include "text.h"

/* Adds " channels=256" for each of them, in the order in which the stage declares them. */
void ct_reaching_params_add(ct_text *text, const ct_step *step);
/* Adds generated text without the definitions of parameters (P_..) that nothing in it uses. */
void ct_reaching_params_text(ct_text *out, const char *source);

#endif
