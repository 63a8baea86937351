/* psrfits_print.h: the bytes of a PSRFITS file in search mode: headers, and rows of samples.
 * Room: io/psrfits. Knows the table SUBINT. Does not know blocks or files. */
#ifndef CT_IO_PSRFITS_PRINT_H
#define CT_IO_PSRFITS_PRINT_H
#include "cornerturn_stage.h"

enum { CT_PSRFITS_BLOCK = 2880, CT_PSRFITS_HEADERS = 8 * CT_PSRFITS_BLOCK };

/* What a file says, and what its rows look like. */
typedef struct ct_psrfits_look {
    const char *source, *telescope, *feed; /* NULL unknown */
    char pol_type[CT_PRODUCTS_TEXT];
    int64_t channels, pols, row_samples;
    int64_t bits;     /* 2, 4, 8, 16 or 32 */
    bool with_sign;   /* SIGNINT */
    bool as_stored;   /* whole numbers are not scaled */
    int64_t beam;     /* -1: there is one only */
    double ra, dec;   /* degrees */
    bool pointed;     /* these are known */
    int64_t day;      /* of the first sample's leading edge, MJD */
    double second;    /* of the day */
    double spacing_s; /* between samples */
    const double *hz; /* [channels] */
    double width_hz;  /* of a channel; below 0 where they descend */
} ct_psrfits_look;

/* In infer(): whether port 0's array can be written with the step's parameters. Warns of what
 * readers will not know. */
ct_status ct_psrfits_look_check(ct_step *step, ct_error *err);
void ct_psrfits_look_at(ct_psrfits_look *look, const ct_step *step);
/* POL_TYPE and feed of what is along Q; warns, in infer(), where POL_TYPE has no name for it. */
void ct_psrfits_pol_type(ct_psrfits_look *look, const ct_array *in);
void ct_psrfits_pol_type_warn(ct_step *step);

/* Whether this program was built with what makes headers. */
ct_status ct_psrfits_can_print(const ct_step *step, ct_error *err);
/* The primary header and the table's: always as many bytes, a multiple of CT_PSRFITS_BLOCK, after
 * which rows follow. rows: the table's, of which `samples` in all are valid. */
ct_status ct_psrfits_print_headers(uint8_t out[CT_PSRFITS_HEADERS], size_t *bytes,
                                   const ct_psrfits_look *look, int64_t rows, int64_t samples,
                                   ct_error *err);

/* Of one row in the file. */
size_t ct_psrfits_print_bytes(const ct_psrfits_look *look);
/* Row number `row`: `count` samples of [pols][channels] from `values` (of this type), the rest of
 * the row is filled up. flags: [count][channels] as CT_PORT_FLAGS has them, or NULL. */
void ct_psrfits_print_row(uint8_t *out, const ct_psrfits_look *look, int64_t row, ct_type type,
                          const void *values, const uint8_t *flags, int64_t count);

#endif
