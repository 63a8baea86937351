/* fuzz_step.h: what is asked of a step whose shapes are inferred, for the targets that make some.
 * Room: tests/fuzz. Knows core/step/step.h. Does not know formats. */
#ifndef CT_TESTS_FUZZ_STEP_H
#define CT_TESTS_FUZZ_STEP_H
#include "fuzz.h"
#include "step.h"

/* Sets every layout that may be chosen, the default tunables, and evaluates the stage's terms. */
void fuzz_step_look(ct_step *step);

#endif
