/* candidates.h: what sink.candidates knows while a run goes on.
 * Room: io/candidates. Knows dedispersed series. Does not know how they were made. */
#ifndef CT_IO_CANDIDATES_H
#define CT_IO_CANDIDATES_H
#include "candidates_friends.h"
#include "cornerturn_stage.h"
#include "output.h"
#include "pulse_search.h"

enum { CT_CANDIDATES_TABLES = 4 }; /* candidates_tables.c */

typedef struct ct_peak {
    double snr;            /* 0: none yet */
    int64_t sample, width; /* the boxcar's first sample and length, in the trial's own samples */
    int64_t trial;
} ct_peak;

/* A candidate among all that were found: rows of one event, and the strongest of them. */
typedef struct ct_listed {
    ct_peak peak;
    int64_t plane, members, beams;
    double dm_low, dm_high;
    int64_t from, to, widest; /* of all rows, samples along the time axis */
    double snr_first;         /* in the trial of the lowest DM; 0: below the threshold */
} ct_listed;

/* Pulses that come in as bins; carried from block to block, with what follows it in memory. */
typedef struct ct_bins {
    int64_t bin;      /* samples along the time axis; 0: none came yet */
    int64_t listed;   /* candidates in the list */
    int64_t unlisted; /* for which there was no room */
    int64_t dropped;  /* above so many a second */
    int64_t second;   /* of the stream, and where its candidates begin in the list */
    int64_t second_from;
    int64_t crowded; /* peaks that shared a bin with a stronger one */
} ct_bins;

/* The part of the search's state that is outside its memory, for a run that is resumed. */
typedef struct ct_kept {
    int64_t samples, bins, shift;
} ct_kept;

typedef struct ct_candidates {
    const ct_step *step;
    ct_output json, picture, table[CT_CANDIDATES_TABLES];
    ct_array array;         /* of a block: names, extents, metadata */
    int64_t planes, trials; /* a plane: one beam or station, one Stokes parameter */
    int64_t products;       /* planes of a beam: Stokes parameters or polarization products, or 1 */
    int64_t finest;         /* common divisor of the trials' downsampling factors */
    ct_peak *best;          /* [planes], when the search is done */
    ct_search search;       /* [planes][trials] */
    ct_kept *kept;          /* before the memory of `search` */
    ct_bins *bins;          /* NULL: series come in */
    ct_friends friends;
    ct_listed *list; /* [CT_CANDIDATES_LISTED] */
    uint8_t *marked; /* [planes][CT_BINS_PIECE]: bins with a boxcar above the threshold */
} ct_candidates;

enum {
    CT_CANDIDATES_LISTED = 65536,
    CT_BINS_PIECE = 256 /* bins that are looked at series by series */
};

/* The numbers of a bin, as stage pulses gives them. */
enum {
    CT_BIN_SNR,
    CT_BIN_FIRST, /* the boxcar's first sample, from the bin's first one */
    CT_BIN_WIDTH,
    CT_BIN_PEAKS, /* above the threshold */
    CT_BIN_SAMPLES,
    CT_BIN_LEFT_OUT,
    CT_BIN_NO_NOISE,
    CT_BIN_NUMBERS
};

/* candidates_bins.c: pulses that stage pulses has found, instead of series. */
double ct_bins_bytes(double planes, double trials);
void ct_bins_begin(ct_candidates *c, void *memory);
void ct_bins_know(ct_candidates *c, int64_t bin); /* how many samples a bin has; 0: not yet */
/* Of that memory, the bytes at its start that are in use. */
size_t ct_bins_carried(const ct_candidates *c);
void ct_bins_write(ct_candidates *c, const ct_array *block, int64_t first, int64_t count);
/* The stream has ended: all groups are in the list, the strongest first. */
void ct_bins_finish(ct_candidates *c);

/* candidates_list.c */
/* A group of `of`, a ct_candidates, has ended. */
void ct_list_add(void *of, const ct_group *group, int64_t beams);
/* The stream has ended: the strongest first, each with the weaker ones that it explains. */
void ct_list_finish(ct_candidates *c);
/* Samples along the time axis by which a unit of DM moves the band's lowest channel against its
 * highest one; 0: not known. */
double ct_candidates_sweep(const ct_candidates *c);
double ct_candidates_spacing(const ct_candidates *c); /* of samples along the time axis, s */
/* By how much the best trial's DM may be wrong, one sigma; NAN: not known. */
double ct_list_dm_error(const ct_candidates *c, const ct_listed *one);
/* Candidates of noise this strong, or stronger, that are expected in an hour of all series; an
 * upper bound. NAN: nothing was searched. */
double ct_list_false_per_hour(const ct_candidates *c, const ct_listed *one);
/* What speaks against a pulse from the sky: "zero-dm", "drifting", "lowest-dm", "highest-dm"; or
 * "". */
const char *ct_list_mark(const ct_candidates *c, const ct_listed *one);

/* candidates_text.c */
ct_status ct_candidates_print_json(ct_candidates *c, ct_error *err);
ct_status ct_candidates_print_csv(ct_candidates *c, ct_output *out, ct_error *err);

/* candidates_tables.c: the list as a table: the sink's parameter, and who writes the file. */
typedef struct ct_candidates_table {
    const char *param;
    ct_status (*print)(ct_candidates *c, ct_output *out, ct_error *err);
} ct_candidates_table;
extern const ct_candidates_table ct_candidates_tables[CT_CANDIDATES_TABLES];

/* candidates_say.c: the strongest pulses, for who ends the run. */
void ct_candidates_say(const ct_candidates *c);

/* candidates_peaks.c */
/* A plane's first trial (and number) at time t of a block. */
const float *ct_candidates_at(const ct_candidates *c, const ct_array *block, int64_t plane,
                              int64_t t);
void ct_candidates_choose(ct_candidates *c); /* fills in `best` once all series are searched */
int64_t ct_candidates_ratio(const ct_candidates *c, int64_t trial);     /* of its spacing to T's */
double ct_candidates_time(const ct_candidates *c, const ct_peak *peak); /* of the boxcar's centre */
double ct_candidates_dm(const ct_candidates *c, int64_t trial);
int64_t ct_candidates_best(const ct_candidates *c);                  /* the plane */
int64_t ct_candidates_best_of(const ct_candidates *c, int64_t beam); /* of its planes */

/* candidates_text.c: what several planes of a beam are: "Stokes" or "Product"; "" where there is
 * one. */
const char *ct_candidates_axis(const ct_candidates *c);
/* "U", "AA", or the number of a product that has no name; "" where there is one. */
void ct_candidates_product(char out[24], const ct_candidates *c, int64_t plane);

/* candidates_picture.c */
ct_status ct_candidates_draw(ct_candidates *c, ct_error *err);

#endif
