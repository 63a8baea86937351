/* phases.h: the phases of a search one after the other, each with its share of the time.
 * Room: tuner/pipeline. */
#ifndef CT_TUNER_PHASES_H
#define CT_TUNER_PHASES_H
#include "tuner.h"

/* Everything that is measured a step at a time. `share`: of the tuner's time. *whole: all needed
 * phases were finished, not cut by the time. */
ct_status ct_phases_run(ct_tuner *tuner, double share, bool *whole, ct_error *err);
/* What is not finished yet, in the remaining time. */
ct_status ct_phases_rest(ct_tuner *tuner, bool *whole, ct_error *err);

#endif
