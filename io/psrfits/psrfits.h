/* psrfits.h: PSRFITS files in search mode, row by row, through CFITSIO.
 * Room: io/psrfits. Knows the table SUBINT. Does not know blocks. */
#ifndef CT_IO_PSRFITS_H
#define CT_IO_PSRFITS_H
#include "input.h"

enum { CT_PSRFITS_CHANNELS = 1 << 22, CT_PSRFITS_TEXT = 72 };

/* What is known of a file; its handle stays inside. */
typedef struct ct_psrfits {
    const char *file; /* borrowed */
    void *handle;     /* NULL: not open */
    int64_t rows, row_samples, pols, channels;
    int64_t samples; /* in all: the last row may be filled up */
    int64_t bits;
    bool with_sign;     /* integers */
    bool as_stored;     /* scale 1, offset 0 everywhere */
    double most_weight; /* 1, or what the largest weight is above that */
    /* Channels of a row, over all rows: with weight 0, with less than counts, with less than all */
    int64_t unread, below, partly;
    double zero_off;
    double sample_time_s, start_mjd, start_s; /* of the first sample's leading edge */
    double before_s;                          /* of start_s: rows of earlier files, NSUBOFFS */
    double first_hz, step_hz;                 /* where DAT_FREQ is not there */
    char telescope[CT_PSRFITS_TEXT], source[CT_PSRFITS_TEXT];
    char pol_type[CT_PSRFITS_TEXT], fd_poln[CT_PSRFITS_TEXT]; /* "" unknown */
    double src_raj, src_dej;                                  /* hhmmss.s, ddmmss.s */
    int data, scale, offset, weight, frequency, subint;       /* columns; 0: not there */
} ct_psrfits;

bool ct_psrfits_is(const uint8_t *start, size_t bytes); /* as ct_format says */
/* Reads the headers. CT_DATA names the keyword. On failure there is nothing to close. */
ct_status ct_psrfits_open(ct_psrfits *out, const char *file, ct_error *err);
/* Every row's scales, offsets and weights: as_stored, most_weight, unread, below, partly.
 * `numbers`: room for (2 * pols + 1) * channels; least_weight: fractions below it do not count. */
ct_status ct_psrfits_scan(ct_psrfits *file, float *numbers, double least_weight, ct_error *err);
/* What a weight says of samples: 1 flagged, 4 some of what they were added up from is missing. */
uint8_t ct_psrfits_flag(const ct_psrfits *file, float weight, double least_weight);
/* The time of a row's middle since the observation's start, s; 0: nobody says. */
ct_status ct_psrfits_middle(const ct_psrfits *file, int64_t row, double *out, ct_error *err);
void ct_psrfits_close(ct_psrfits *file); /* closing twice is allowed */

/* The centres of channels, Hz. */
ct_status ct_psrfits_frequencies(const ct_psrfits *file, double *hz, ct_error *err);
/* DATA of a row, from 0, as bytes: those of a type of file->bits in the machine's order, packed
 * below 8 bits. `bytes` is ct_psrfits_row_bytes. */
ct_status ct_psrfits_row(const ct_psrfits *file, int64_t row, void *data, ct_error *err);
int64_t ct_psrfits_row_bytes(const ct_psrfits *file);
/* Of each channel and polarization, [pols][channels]; and of each channel. 1, 0, 1 where the file
 * has none. */
ct_status ct_psrfits_scales(const ct_psrfits *file, int64_t row, float *scale, float *offset,
                            float *weight, ct_error *err);

/* What is along Q, or of receptors of which feed: the node's "products" and "feed", else the
 * header's. */
ct_status ct_psrfits_products(ct_step *step, const ct_psrfits *file, ct_array *out, ct_error *err);

#endif
