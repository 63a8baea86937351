/* candidates.h: what sink.candidates knows while a run goes on.
 * Room: io/candidates. Knows dedispersed series. Does not know how they were made. */
#ifndef CT_IO_CANDIDATES_H
#define CT_IO_CANDIDATES_H
#include "cornerturn_stage.h"
#include "output.h"
#include "pulses.h"

typedef struct ct_peak {
    double snr;            /* 0: none yet */
    int64_t sample, width; /* the boxcar's first sample and length, in the trial's own samples */
    int64_t trial;
} ct_peak;

/* What of the search does not stand in its memory, for a run that is taken up again. */
typedef struct ct_kept {
    int64_t samples, bins, shift;
} ct_kept;

typedef struct ct_candidates {
    const ct_step *step;
    ct_output json, picture;
    ct_array array;         /* of a block: names, extents, metadata */
    int64_t planes, trials; /* a plane: one beam or station, one Stokes parameter */
    int64_t products;       /* planes of a beam: Stokes parameters or polarization products, or 1 */
    int64_t finest;         /* common divisor of the trials' downsampling factors */
    ct_peak *best;          /* [planes], when the search is done */
    ct_pulses pulses;       /* [planes][trials] */
    ct_kept *kept;          /* before the memory of `pulses` */
} ct_candidates;

/* candidates_peaks.c */
void ct_candidates_choose(ct_candidates *c); /* fills in `best` once all series are searched */
int64_t ct_candidates_ratio(const ct_candidates *c, int64_t trial);     /* of its spacing to T's */
double ct_candidates_time(const ct_candidates *c, const ct_peak *peak); /* of the boxcar's centre */
double ct_candidates_dm(const ct_candidates *c, int64_t trial);
int64_t ct_candidates_best(const ct_candidates *c);                  /* the plane */
int64_t ct_candidates_best_of(const ct_candidates *c, int64_t beam); /* of its planes */

/* candidates.c: "U" of four; the number of a product where there are not four; "" where one. */
void ct_candidates_product(char out[24], const ct_candidates *c, int64_t plane);

/* candidates_picture.c */
ct_status ct_candidates_draw(ct_candidates *c, ct_error *err);

#endif
