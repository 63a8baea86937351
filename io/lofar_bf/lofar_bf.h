/* lofar_bf.h: LOFAR's HDF5 files of beam-formed data: what one says, its samples, and one that is
 * written. [A. Alexov and others, LOFAR Data Format ICD: Beam-Formed Data, LOFAR-USG-ICD-003]
 * Groups SUB_ARRAY_POINTING_sss/BEAM_bbb have data sets STOKES_0 to STOKES_3 of time and channels,
 * whose numbers are in the file or in a raw file beside it.
 * Room: io/lofar_bf. Knows the names in the file. Does not know blocks. */
#ifndef CT_IO_LOFAR_BF_H
#define CT_IO_LOFAR_BF_H
#include "cornerturn_stage.h"

enum {
    CT_LOFAR_BF_PLANES = 4, /* data sets of a beam */
    CT_LOFAR_BF_TEXT = 80,
    CT_LOFAR_BF_CHANNELS = 1 << 22
};

/* What a data set holds: the index of a ct_product, or CT_LOFAR_BF_VOLTS and more: a part of a
 * voltage, Xr, Xi, Yr or Yi. */
enum { CT_LOFAR_BF_VOLTS = 64, CT_LOFAR_BF_COMPONENTS = CT_LOFAR_BF_VOLTS + CT_LOFAR_BF_PLANES };
const char *ct_lofar_bf_component_name(int component);
/* False: it is no name, and *out is as it was. */
bool ct_lofar_bf_component_find(const char *name, int *out);

/* Whether this build can: HDF5 is optional. */
bool ct_lofar_bf_there(void);
#define CT_LOFAR_BF_NONE                                                                           \
    "this Cornerturn was built without HDF5, which LOFAR's beam-formed data are: install "         \
    "libhdf5-dev and build it again"

/* ---- reading */

#define CT_LOFAR_BF_FORMAT "LOFAR beam-formed"
/* Whether an HDF5 file is one. */
bool ct_lofar_bf_is(const char *file);

typedef struct ct_lofar_bf_plane {
    int64_t set; /* HDF5's handle */
    int component;
} ct_lofar_bf_plane;

/* An open file: one beam of it. Numbers are 0, texts empty, where it does not say. */
typedef struct ct_lofar_bf {
    const char *file; /* borrowed */
    int64_t handle;   /* HDF5's, also of each plane; 0: none */
    int64_t pointing, beam;
    int64_t planes;
    ct_lofar_bf_plane plane[CT_LOFAR_BF_PLANES];
    int64_t samples, channels; /* samples: those that are there */
    int64_t declared;          /* samples that it should have */
    double sample_time_s;
    double start_mjd, start_s; /* the leading edge of the first sample: start_s after start_mjd */
    double centre_hz, width_hz;
    double ra_deg, dec_deg; /* both 0: not known */
    double dm;
    char telescope[CT_LOFAR_BF_TEXT], source[CT_LOFAR_BF_TEXT], antennas[CT_LOFAR_BF_TEXT];
} ct_lofar_bf;

/* pointing, beam below 0: the first. On failure there is nothing to close. */
ct_status ct_lofar_bf_open(ct_lofar_bf *out, const char *file, int64_t pointing, int64_t beam,
                           ct_error *err);
/* Of all channels; false: the file does not say. */
bool ct_lofar_bf_frequencies(const ct_lofar_bf *file, double *hz);
/* [count][channels] of a plane, from sample `first` on. */
ct_status ct_lofar_bf_load(const ct_lofar_bf *file, int64_t plane, int64_t first, int64_t count,
                           float *out, ct_error *err);
void ct_lofar_bf_close(ct_lofar_bf *file); /* twice is allowed */

/* ---- writing */

/* What a written file says; borrowed. */
typedef struct ct_lofar_bf_head {
    const char *telescope, *source, *signal_sum;
    const char *given[16]; /* ct_lofar_bf_given: NULL: nothing */
    const char *const *stations;
    int64_t stations_count;
    int64_t beams, beam, sets, set; /* of all files, and this one's */
    int component;
    int64_t channels, subband_channels;
    const double *frequency_hz; /* ascending */
    double width_hz, clock_mhz, sample_time_s, start_day,
        start_s; /* start_s after start_day, an MJD */
    double ra_deg, dec_deg, dm;
    const double *site; /* ITRF; NULL: not known */
    int64_t samples;    /* in advance, 0: not known; at the end all */
} ct_lofar_bf_head;

typedef struct ct_lofar_bf_made ct_lofar_bf_made;

/* Names of attributes that a user may give, NULL at the end; those of head.given. */
extern const char *const ct_lofar_bf_given[];

/* The file has its name when the run is done; raw NULL: it has the samples itself. The rest is made
 * with the first call below. `many`: it is left closed between calls. */
ct_status ct_lofar_bf_make(ct_lofar_bf_made **out, ct_step *step, const char *file, const char *raw,
                           const ct_lofar_bf_head *head, bool many, ct_error *err);
/* [count][channels], after those that are there. */
ct_status ct_lofar_bf_add(ct_lofar_bf_made *file, const float *samples, int64_t count,
                          ct_error *err);
/* All of it is in the file, which is in order up to here. */
ct_status ct_lofar_bf_flush(ct_lofar_bf_made *file, ct_error *err);
/* What a later run needs to restore the file as it is now, whatever is added until then. */
ct_status ct_lofar_bf_save(ct_lofar_bf_made *file, const void **data, size_t *bytes, ct_error *err);
ct_status ct_lofar_bf_restore(ct_lofar_bf_made *file, int64_t samples, const void *data,
                              size_t bytes, ct_error *err);
/* complete: the file is whole; else it is given up. */
ct_status ct_lofar_bf_end(ct_lofar_bf_made *file, bool complete, ct_error *err);

#endif
