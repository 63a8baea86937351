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
/* Further measurements for what may still be better than the best plan: as many as its `share`
 * allows. Ends where there is nothing left to ask, or no time. */
ct_status ct_phases_certain(ct_tuner *tuner, ct_error *err);
/* Whether no plan of this variant is expected to be better than the best of all, by more than is
 * worth it. */
bool ct_phases_is_certain(const ct_tuner *tuner);

#endif
