/* dada.h: the header of PSRDADA files and rings: lines of text, KEY value, filled up to HDR_SIZE
 * bytes. Room: io/dada. Knows the keys. Does not know blocks. */
#ifndef CT_IO_DADA_H
#define CT_IO_DADA_H
#include "input.h"

enum {
    CT_DADA_HEADER = 4096, /* written */
    CT_DADA_READ = 16384,  /* of a longer one, looked at */
    CT_DADA_LONGEST = 1 << 20,
    CT_DADA_CHANNELS = 1 << 22,
    CT_DADA_TEXT = 80
};

/* How a sample lies: by time, frequency, polarization, or with the last two exchanged. */
#define CT_DADA_ORDERS "TFP TPF"

/* Numbers and texts as in the header; -1 or NAN or "" where it does not say. */
typedef struct ct_dada {
    int64_t header_bytes, bits, dims, pols, channels, offset, picoseconds;
    double freq_mhz, bw_mhz, tsamp_us;
    char telescope[CT_DADA_TEXT], source[CT_DADA_TEXT], utc_start[CT_DADA_TEXT],
        state[CT_DADA_TEXT], encoding[CT_DADA_TEXT], order[CT_DADA_TEXT], ra[CT_DADA_TEXT],
        dec[CT_DADA_TEXT];
} ct_dada;

/* What the numbers are. */
typedef struct ct_dada_shape {
    ct_type type;
    bool detected;        /* power, not voltages */
    int64_t sample_bytes; /* of all channels and polarizations */
} ct_dada_shape;

/* Whether `order` is one of CT_DADA_ORDERS. */
bool ct_dada_order_known(const char *order);
/* The dimensions of a file, slowest first: those of `order`, TFP if it is empty. */
const char *ct_dada_order(const char *order);

/* By its first bytes. */
bool ct_dada_is(const uint8_t *start, size_t bytes);
/* Reads and checks; CT_DATA names the key. */
ct_status ct_dada_read(ct_dada *out, ct_input *in, ct_error *err);
/* The same of a ring's header, which has room for `bytes` bytes and need not say so. */
ct_status ct_dada_take(ct_dada *out, const char *text, size_t bytes, const char *name,
                       ct_error *err);
ct_status ct_dada_measure(ct_dada_shape *out, const ct_dada *header, const ct_input *in,
                          ct_error *err);
/* Whether a STATE is power; the names of its products (NULL: not said); and the STATE of an array,
 * "Detected" where there is none for its products, or these are not known (one: "Intensity"). */
bool ct_dada_detected(const char *state);
const char *ct_dada_names(const char *state);
const char *ct_dada_state(const ct_array *in);
/* MJD of "yyyy-mm-dd-hh:mm:ss"; false if it is none. And back; whole seconds. */
bool ct_dada_mjd(double *out, const char *utc);
void ct_dada_utc(char out[CT_DADA_TEXT], int64_t mjd_second);

#endif
