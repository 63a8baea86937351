/* pulse_search.h: the search for single pulses: series in, the strongest boxcar of each out.
 * Room: io/candidates. Knows series of numbers. Does not know files, beams or dispersion. No
 * stage: a sink is told what was found, since what comes out is no array.
 * Order: fill in `count`, `widest`, `stretch`; ct_search_begin; fill in each series' ratio; for
 * each block ct_search_extend, then ct_search_add for each series; ct_search_finish. However a
 * stream is cut into blocks, the result is the same to the last bit. */
#ifndef CT_IO_PULSE_SEARCH_H
#define CT_IO_PULSE_SEARCH_H
#include <stddef.h>
#include <stdint.h>

enum {
    CT_SEARCH_COLUMNS = 256, /* of S/N over time */
    CT_SEARCH_FEWEST = 128,  /* samples that a noise is taken from, and a stretch has */
    CT_SEARCH_WIDTHS = 8     /* boxcars of the widest that these must hold as well */
};

typedef struct ct_pulse {
    double snr;            /* 0: none */
    int64_t sample, width; /* the boxcar's first sample and length, in the series' own samples */
} ct_pulse;

typedef struct ct_search_series {
    int64_t ratio;    /* of its spacing to the time axis' */
    int64_t samples;  /* its own, so far */
    int64_t left_out; /* of these, not finite */
    int64_t no_noise; /* of these, finite, in stretches whose noise is not known */
    ct_pulse best;
} ct_search_series;

typedef struct ct_search {
    int64_t count;   /* series */
    int64_t widest;  /* boxcar, samples */
    int64_t stretch; /* samples that have one median and one sigma; ct_search_fewest or more */
    int64_t samples; /* along the time axis so far */
    int64_t bins;    /* columns in use */
    int shift;       /* a column has 2^shift samples */
    ct_search_series *series; /* [count] */
    float *plane;             /* [count][CT_SEARCH_COLUMNS]: largest S/N of a column */
    float *last;              /* [count][stretch]: the last samples, number n at n % stretch */
    float *tail;              /* [count][widest - 1]: sigmas above the median, before the stretch */
    float *level, *sums;      /* [widest - 1 + stretch] of one series: tail and stretch; boxcars */
    float *sorted, *between;  /* [stretch]: for medians */
} ct_search;

/* The fewest samples from which a noise is taken, and the shortest stretch, for boxcars of up to
 * `widest`; a sound stretch. */
int64_t ct_search_fewest(int64_t widest);
int64_t ct_search_stretch(int64_t widest);
/* Bytes of a search in this many series, and the search in as many zeroed ones. */
double ct_search_bytes(double count, int64_t widest, int64_t stretch);
void ct_search_begin(ct_search *search, void *memory);
/* Of that memory, the bytes at its start that are carried from block to block. */
size_t ct_search_carried(const ct_search *search);
/* A block of `samples` along the time axis follows. */
void ct_search_extend(ct_search *search, int64_t samples);
/* Its samples in one series: `count` of them, `stride` apart. */
void ct_search_add(ct_search *search, int64_t series, const float *x, int64_t stride,
                   int64_t count);
/* The stream has ended: what the last stretches hold is searched. */
void ct_search_finish(ct_search *search);
float *ct_search_row(const ct_search *search, int64_t series); /* of the plane */

/* pulse_search_noise.c */
typedef struct ct_noise {
    float median, sigma; /* 1.4826 times the median absolute deviation; 0: not known */
} ct_noise;
/* Of the finite ones among `count` samples, where they are `fewest` or more. sorted, between: room
 * for as many. */
ct_noise ct_noise_of(const float *x, int64_t count, int64_t fewest, float *sorted, float *between);

/* pulse_search_boxcars.c: all boxcars that end in the `count` samples from `first` on, which stand
 * in p->level after the widest - 1 samples before them. */
void ct_boxcars_find(ct_search *search, int64_t series, int64_t first, int64_t count);

float ct_boxcars_largest(const float *x, int64_t count); /* of one or more numbers */

#endif
