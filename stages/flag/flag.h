/* flag.h: what the files of `flag` share.
 * Room: stages/flag. Knows only cornerturn_stage.h. */
#ifndef CT_FLAG_H
#define CT_FLAG_H
#include "cornerturn_stage.h"

extern const ct_stage ct_stage_flag; /* its line is in stages/stages.c */

enum { /* places in .ports */
    CT_FLAG_X, CT_FLAG_M, CT_FLAG_LIMITS, CT_FLAG_Y, CT_FLAG_F, CT_FLAG_HOT, CT_FLAG_STAT, CT_FLAG_VOTES
};

enum {
    CT_FLAG_PARTS = 64, /* limits are kept for windows of which so many parts are present */
    CT_FLAG_LEAST = 32, /* samples that a window must have for its kurtosis to be judged */
    CT_FLAG_MEDIAN = 8, /* for its median; LEAST in flag_median.cl */
    CT_FLAG_RUN = 16,   /* samples whose mean is judged; RUN in flag_power.cl */
    CT_FLAG_NEAR = 16,  /* channels on either side among which a burst is looked for */
    CT_FLAG_LAGS = 32   /* most lags of IQRM in one direction */
};

/* Spectral kurtosis of noise lies between these but for `chance` of all windows, half of it on each
 * side. G. M. Nita, D. E. Gary, "The generalized spectral kurtosis estimator", MNRAS 406 (2010):
 * moments of the estimator for M = `samples` powers that are sums with a gamma distribution of this shape
 * (N d; 1 for single spectra), and Pearson's curve of type IV through them, or III where there is none of type IV.
 */
typedef struct ct_flag_range {
    double low, high;
} ct_flag_range;
ct_flag_range ct_flag_kurtosis(int64_t samples, double shape, double chance);

/* Of a window of which so many parts are present; with too few samples nothing is beyond. */
ct_flag_range ct_flag_range_of(const ct_step *step, int64_t parts);

/* Is it power, not voltages? */
bool ct_flag_is_power(const ct_step *step);
/* Is spectral kurtosis judged? */
bool ct_flag_has_limits(const ct_step *step);

/* How power is compared over channels. */
typedef struct ct_flag_nearby {
    int64_t part, parts; /* samples of a part of a window, within which a burst reaches CT_FLAG_NEAR / 2
                            channels further; parts of a window */
    int64_t near;        /* channels on either side among which a burst is looked for */
    int64_t most;        /* channels of a window that may be masked */
    int lags;            /* of IQRM, and -lag[0] ..; 0: no IQRM */
    int64_t lag[CT_FLAG_LAGS];
} ct_flag_nearby;
ct_flag_nearby ct_flag_nearby_of(const ct_step *step);

/* IQRM: sets mask[i] of `count` numbers where x[i] is far above those nearby, and by at least `least`. NaN is no
 * number. `room` has three numbers for each. */
void ct_flag_iqrm(const ct_flag_nearby *nearby, double threshold, double least, const double *x, int64_t count,
                  double *room, bool *mask);

ct_status ct_flag_reference(const ct_step *step, ct_array ports[], ct_error *err);
ct_status ct_flag_power_reference(const ct_step *step, ct_array ports[]);
void ct_flag_suggest(ct_step *step);
int ct_flag_launch(const ct_step *step, ct_launch *out);
ct_status ct_flag_emit(const ct_step *step, ct_text *text, ct_error *err);

/* What the two references share: is sample t of channel c present, in this series (of all)? Where is it? */
bool ct_flag_is_present(const ct_array *x, const ct_array *m, int64_t series, int64_t t, int64_t c);
int64_t ct_flag_place(const ct_array *x, int64_t series, int64_t t, int64_t c);

#endif
