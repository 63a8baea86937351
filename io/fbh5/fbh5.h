/* fbh5.h: SIGPROC's filterbanks in HDF5, as blimpy has them: a data set "data" of time, IFs and
 * channels, whose attributes are SIGPROC's keywords. [D. Price and others, blimpy, JOSS 4 (2019)]
 * Room: io/fbh5. Knows the names in the file. Does not know blocks. */
#ifndef CT_IO_FBH5_H
#define CT_IO_FBH5_H
#include "cornerturn_stage.h"

enum { CT_FBH5_CHANNELS = 1 << 28, CT_FBH5_TEXT = 256 };

/* Attributes with one number: whole or not; whether it is written if it is 0. */
#define CT_FBH5_NUMBERS(ROW)                                                                       \
    ROW(machine_id, true, true)                                                                    \
    ROW(telescope_id, true, true)                                                                  \
    ROW(src_raj, false, true)                                                                      \
    ROW(src_dej, false, true)                                                                      \
    ROW(az_start, false, true)                                                                     \
    ROW(za_start, false, true)                                                                     \
    ROW(data_type, true, true)                                                                     \
    ROW(fch1, false, true)                                                                         \
    ROW(foff, false, true)                                                                         \
    ROW(nchans, true, true)                                                                        \
    ROW(nbeams, true, true)                                                                        \
    ROW(ibeam, true, true)                                                                         \
    ROW(nbits, true, true)                                                                         \
    ROW(tstart, false, true)                                                                       \
    ROW(tsamp, false, true)                                                                        \
    ROW(nifs, true, true)                                                                          \
    ROW(barycentric, true, false)                                                                  \
    ROW(pulsarcentric, true, false)                                                                \
    ROW(refdm, false, false)

/* SIGPROC's keywords with SIGPROC's units, but for src_raj and src_dej: hours, degrees. 0: not
 * said. */
typedef struct ct_fbh5_head {
#define CT_FBH5_MEMBER(name, ...) double name;
    CT_FBH5_NUMBERS(CT_FBH5_MEMBER)
#undef CT_FBH5_MEMBER
    char source_name[CT_FBH5_TEXT];
} ct_fbh5_head;

#define CT_FBH5_NONE                                                                               \
    "this Cornerturn was built without HDF5, which FBH5 files are: install libhdf5-dev and build " \
    "it again"
bool ct_fbh5_there(void);

/* ---- reading */

/* An open file. */
typedef struct ct_fbh5 {
    const char *file;          /* borrowed */
    int64_t handle, set, mask; /* HDF5's: the file, its data sets; 0: none */
    ct_type type;
    int64_t samples, ifs, channels;
    int64_t piece; /* samples of a chunk; 1 without */
    ct_fbh5_head head;
} ct_fbh5;

/* Whether an HDF5 file is one. */
bool ct_fbh5_is(const char *file);
/* On failure there is nothing to close. */
ct_status ct_fbh5_open(ct_fbh5 *out, const char *file, ct_error *err);
/* [count][ifs][channels] from sample `first` on; of the mask u8, not 0 where a sample is bad. */
ct_status ct_fbh5_load(const ct_fbh5 *file, int64_t first, int64_t count, void *out, ct_error *err);
ct_status ct_fbh5_load_mask(const ct_fbh5 *file, int64_t first, int64_t count, uint8_t *out,
                            ct_error *err);
void ct_fbh5_close(ct_fbh5 *file); /* twice is allowed */

/* ---- writing */

/* By HDF5's filters: their number, and a value for it. */
#define CT_FBH5_COMPRESSIONS(ROW) ROW(none, 0, 0) ROW(gzip, 1, 4) ROW(bitshuffle, 32008, 2)

typedef struct ct_fbh5_shape {
    ct_type type;
    int64_t ifs, channels;
    int64_t samples; /* in advance; 0: not known */
    int compression; /* place among CT_FBH5_COMPRESSIONS */
} ct_fbh5_shape;

/* Whether this library of HDF5 can, or finds the filter that does. */
bool ct_fbh5_compresses(int compression);

typedef struct ct_fbh5_made ct_fbh5_made;
/* The file has its name when the run is done; it is made with the first samples. `many`: it is left
 * closed between calls. */
ct_status ct_fbh5_make(ct_fbh5_made **out, ct_step *step, const char *file,
                       const ct_fbh5_shape *shape, bool many, ct_error *err);
/* Where the next samples go, and how many may: [..][ifs][channels]. */
void *ct_fbh5_room(ct_fbh5_made *file, int64_t *samples);
/* So many have been put there. */
ct_status ct_fbh5_add(ct_fbh5_made *file, int64_t samples, ct_error *err);
/* Whole chunks are in the file, which is in order up to here. */
ct_status ct_fbh5_flush(ct_fbh5_made *file, ct_error *err);
/* What a later run needs to restore the file as it is now, whatever is added until then. */
ct_status ct_fbh5_save(ct_fbh5_made *file, const void **data, size_t *bytes, ct_error *err);
ct_status ct_fbh5_restore(ct_fbh5_made *file, int64_t samples, const void *data, size_t bytes,
                          ct_error *err);
/* head: the file is whole; NULL: it is given up. */
ct_status ct_fbh5_end(ct_fbh5_made *file, const ct_fbh5_head *head, ct_error *err);

#endif
