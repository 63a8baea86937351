/* flag.h: what the files of `flag` share.
 * Room: stages/flag. Knows only cornerturn_stage.h. */
#ifndef CT_FLAG_H
#define CT_FLAG_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_flag; /* its line is in stages/stages.c */

enum { CT_FLAG_X, CT_FLAG_M, CT_FLAG_LIMITS, CT_FLAG_Y, CT_FLAG_F }; /* places in .ports */

enum {
    CT_FLAG_PARTS = 64, /* limits are kept for windows of which so many parts are present */
    CT_FLAG_LEAST = 32, /* samples that a window must have for its kurtosis to be judged */
    CT_FLAG_MEDIAN = 8  /* for its median; LEAST in flag.cl */
};

/* Spectral kurtosis of noise lies between these but for `chance` of all windows, half of it on each
 * side. G. M. Nita, D. E. Gary, "The generalized spectral kurtosis estimator", MNRAS 406 (2010):
 * moments of the estimator for single spectra (d = 1), and Pearson's curve of type IV through them.
 */
typedef struct ct_flag_range {
    double low, high;
} ct_flag_range;
ct_flag_range ct_flag_kurtosis(int64_t samples, double chance);

/* Of a window of which so many parts are present; with too few samples nothing is beyond. */
ct_flag_range ct_flag_range_of(const ct_step *step, int64_t parts);

ct_status ct_flag_reference(const ct_step *step, ct_array ports[], ct_error *err);
void ct_flag_suggest(ct_step *step);
int ct_flag_launch(const ct_step *step, ct_launch *out);

#endif
