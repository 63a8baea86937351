/* pulses.h: the search for single pulses: series in, the strongest boxcar of each out.
 * Room: stages/pulses. Knows series of numbers. Does not know files, beams or dispersion. No stage:
 * a sink is told what was found, since what comes out is no array.
 * Order: fill in series, widest, most, ratio; ct_pulses_begin; for each block ct_pulses_extend,
 * then ct_pulses_add for each series. */
#ifndef CT_STAGES_PULSES_H
#define CT_STAGES_PULSES_H
#include <stddef.h>
#include <stdint.h>

enum { CT_PULSES_COLUMNS = 256 }; /* of S/N over time */

typedef struct ct_pulse {
    double snr;            /* 0: none */
    int64_t sample, width; /* the boxcar's first sample and length, in the series' own samples */
} ct_pulse;

typedef struct ct_pulses {
    int64_t series;         /* how many */
    int64_t widest;         /* boxcar, samples */
    int64_t most;           /* samples that a block brings for a series */
    const int64_t *ratio;   /* [series]: of a series' spacing to the time axis' */
    int64_t samples;        /* along the time axis so far */
    int64_t bin, bins;      /* samples of a column; columns in use */
    ct_pulse *best;         /* [series] */
    float *plane;           /* [series][CT_PULSES_COLUMNS]: largest S/N of a column */
    float *tail;            /* [series][widest - 1]: the last samples, above the median */
    double *fresh, *sorted; /* of one series: tail and block; for medians */
} ct_pulses;

/* Bytes that a search takes, and the search in as many zeroed ones. */
size_t ct_pulses_bytes(const ct_pulses *pulses);
void ct_pulses_begin(ct_pulses *pulses, void *memory);
/* A block of `samples` along the time axis follows. */
void ct_pulses_extend(ct_pulses *pulses, int64_t samples);
/* Its samples in one series: `count` of them, `stride` apart, from `first` on of the series. */
void ct_pulses_add(ct_pulses *pulses, int64_t series, const float *x, int64_t stride, int64_t first,
                   int64_t count);
float *ct_pulses_row(const ct_pulses *pulses, int64_t series); /* of the plane */

/* pulses_noise.c */
typedef struct ct_noise {
    double median, sigma; /* 1.4826 times the median absolute deviation */
} ct_noise;
ct_noise ct_noise_of(const double *x, int64_t count, double *sorted);

#endif
