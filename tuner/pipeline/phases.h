/* phases.h: the phases of a search one after the other, each with its share of the time.
 * Room: tuner/pipeline. */
#ifndef CT_TUNER_PHASES_H
#define CT_TUNER_PHASES_H
#include "tuner.h"

/* Everything that is measured a step at a time. `share`: of the tuner's time. *whole: it came to
 * its end, not just to that of the time. */
ct_status ct_phases_run(ct_tuner *tuner, double share, bool *whole, ct_error *err);
/* What that has left undone, in what is left of the time. */
ct_status ct_phases_rest(ct_tuner *tuner, bool *whole, ct_error *err);

#endif
