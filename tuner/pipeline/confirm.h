/* confirm.h: whole plans on the device: what the default takes in place, and what the contenders
 * take there. Room: tuner/pipeline. */
#ifndef CT_TUNER_CONFIRM_H
#define CT_TUNER_CONFIRM_H
#include "verdict.h"

/* What a journal calls it: "default", or the layouts of every step. */
void ct_confirm_name(const ct_contender *contender, ct_text *out);
/* Interleaved, and written down. `fresh`: in so many processes; 0: in the one that times. */
ct_status ct_confirm_rehearse(const ct_contender *contenders, int count, int fresh, ct_whole *out,
                              ct_error *err);
/* What each step of the default plan takes in place; from a journal. */
ct_status ct_confirm_default(ct_tuner *tuner, ct_error *err);
/* Once more, to know how long that takes where the driver keeps what it has compiled. */
ct_status ct_confirm_pace(ct_tuner *tuner, ct_error *err);
void ct_confirm_default_from(ct_tuner *tuner, const ct_whole *usual);
/* The default, then the best picks of measured parts that fit into memory: CT_TUNER_PICKS at most.
 */
ct_status ct_confirm_picks(ct_tuner *tuner, ct_pick *picks, int *count, ct_error *err);
ct_status ct_confirm_fits(ct_tuner *tuner, const ct_pick *pick, bool *fits, ct_error *err);
/* Whether there is room for the default plan, or else for the one with the least copies. */
ct_status ct_confirm_room(ct_tuner *tuner, bool *fits, ct_error *err);
/* Rehearses the best picks beside the default until the best one is one that was. */
ct_status ct_confirm_calibrate(ct_tuner *tuner, double share, ct_error *err);

#endif
