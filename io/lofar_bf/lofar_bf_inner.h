/* lofar_bf_inner.h: what the files that call HDF5 share.
 * Room: io/lofar_bf. Knows HDF5. */
#ifndef CT_IO_LOFAR_BF_INNER_H
#define CT_IO_LOFAR_BF_INNER_H
#ifdef CT_HAVE_HDF5
#include "hdf5_made.h"
#include "lofar_bf.h"

/* An open data set of time and channels: its extents, and where its numbers are, of which there
 * must be some. */
ct_status ct_lofar_bf_measure(ct_lofar_bf *file, int64_t plane, const char *name, ct_error *err);

struct ct_lofar_bf_made {
    ct_lofar_bf_head head;
    ct_hdf5_made of;
    ct_output raw; /* if it is used */
    bool has_raw, many;
    const char *raw_name; /* as the file has it */
    hid_t set;            /* 0: not there */
    int64_t samples;      /* written */
};

/* Groups, and the attributes of these and of the data set. False where HDF5 fails. */
bool ct_lofar_bf_put_groups(const ct_lofar_bf_made *made);
bool ct_lofar_bf_put_head(const ct_lofar_bf_made *made);
/* The group of the beam, and the data set's name in it. */
void ct_lofar_bf_path(const ct_lofar_bf_made *made, const char *below, char *out, size_t size);

#endif
#endif
