/* psrfits_rows.h: where a file's rows are in the stream: they follow each other, or leave holes, as
 * their times say. Room: io/psrfits. Knows samples and rows. Does not know what is in them. */
#ifndef CT_IO_PSRFITS_ROWS_H
#define CT_IO_PSRFITS_ROWS_H
#include "psrfits.h"

/* Rows without a hole between them; after the last one there may be a hole. */
typedef struct ct_psrfits_stretch {
    int64_t row;   /* the first one */
    int64_t first; /* its first sample in the stream */
} ct_psrfits_stretch;

typedef struct ct_psrfits_rows {
    ct_psrfits_stretch *stretch;
    int64_t stretches, samples; /* of the stream, holes too */
    int64_t holes;              /* samples in them */
    int64_t uneven;        /* the first row after a hole of no whole number of samples; 0 none */
    double uneven_samples; /* that hole */
    double later_s;        /* the first row begins than NSUBOFFS says; 0 as it says */
    int64_t early;         /* the first that begins before the one before it ends; 0 none */
} ct_psrfits_rows;

/* A place of the stream: a row and the sample within it, or a hole; and how many samples are left
 * of it. */
typedef struct ct_psrfits_place {
    int64_t row, sample; /* row -1: a hole */
    int64_t left;
} ct_psrfits_place;

/* Where the file's rows are. A hole that is longer than max_gap_s is CT_DATA. The memory is the
 * step's. */
ct_status ct_psrfits_rows_find(ct_psrfits_rows *out, ct_step *step, const ct_psrfits *file,
                               double max_gap_s, ct_error *err);
ct_psrfits_place ct_psrfits_rows_at(const ct_psrfits_rows *rows, const ct_psrfits *file,
                                    int64_t sample);

#endif
