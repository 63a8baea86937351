/* cutouts.h: what sink.cutouts adds up for each candidate while its samples come by.
 * Room: io/cutouts. Knows power and candidates. Does not know how these were found. */
#ifndef CT_IO_CUTOUTS_H
#define CT_IO_CUTOUTS_H
#include "cornerturn_stage.h"
#include "output.h"

enum { CT_CUTOUT_SIDE = 256 }; /* of both pictures: times, channels, trials */

/* Sums, and how many samples are in each; sums over channels by trial, from 0 to twice the DM. */
typedef struct ct_cutout_sums {
    float power[CT_CUTOUT_SIDE][CT_CUTOUT_SIDE]; /* [time][channel], the highest frequency first */
    float trial[CT_CUTOUT_SIDE][CT_CUTOUT_SIDE]; /* [trial][time] */
    int32_t samples[CT_CUTOUT_SIDE][CT_CUTOUT_SIDE];
    int32_t added[CT_CUTOUT_SIDE][CT_CUTOUT_SIDE];
} ct_cutout_sums;

typedef struct ct_cutout {
    double dm, time_s, width_s, snr;
    int64_t beam, product;
    int64_t first,
        each;      /* sample at the highest frequency with which it begins; samples of a time */
    int64_t width; /* of the boxcar, samples */
    ct_cutout_sums *sums;
    ct_output file;
} ct_cutout;

/* What is the same for all. */
typedef struct ct_cutout_band {
    const ct_array *array;
    int64_t channels;
    double *delay; /* [channels]: samples for a unit of DM, against the highest frequency */
    int64_t *row,
        *end;    /* [channels]: places of CT_CUTOUT_SIDE that a channel is in, one or several: the
                    first, and the one after the last; the highest frequency first */
    float *line; /* samples of a channel of a block */
    double high_hz, width_hz; /* of the first of the CT_CUTOUT_SIDE channels; from one to the next,
                                 below 0 */
} ct_cutout_band;

/* cutouts_take.c: samples of a block, the first of which is number `before` of the stream. */
void ct_cutouts_take(ct_cutout *one, const ct_cutout_band *band, const ct_array *block,
                     int64_t first, int64_t count, int64_t before);
/* The DM of row `trial` of ct_cutout_sums.trial. */
double ct_cutouts_dm(const ct_cutout *one, int64_t trial);

/* cutouts_file.c */
bool ct_cutouts_there(void); /* this build can write them */
ct_status ct_cutouts_put(ct_cutout *one, const ct_cutout_band *band, ct_error *err);

#endif
