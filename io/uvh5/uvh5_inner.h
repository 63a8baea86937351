/* uvh5_inner.h: what uvh5_file.c (life and rows) and uvh5_header.c (what is said once) share.
 * Room: io/uvh5. Knows HDF5. */
#ifndef CT_IO_UVH5_INNER_H
#define CT_IO_UVH5_INNER_H
#ifdef CT_HAVE_HDF5
#include "hdf5_made.h"
#include "uvh5.h"

/* The data sets that grow. */
enum {
    CT_UVH5_ANT_1,
    CT_UVH5_ANT_2,
    CT_UVH5_UVW,
    CT_UVH5_TIME,
    CT_UVH5_INTEGRATION,
    CT_UVH5_CENTRE,
    CT_UVH5_APP_RA,
    CT_UVH5_APP_DEC,
    CT_UVH5_FRAME_PA,
    CT_UVH5_VIS,
    CT_UVH5_FLAGS,
    CT_UVH5_SAMPLES,
    CT_UVH5_SETS
};

struct ct_uvh5 {
    const ct_uvh5_header *header;
    ct_hdf5_made made;
    hid_t set[CT_UVH5_SETS], complex, boolean; /* 0: not there */
    int64_t rows;
    void *column; /* room for a number of each row that is added */
};

/* All of these: false where HDF5 fails. */
/* Groups, and every value that is said once; history, rows and times are put right at the end. */
bool ct_uvh5_put_header(const ct_uvh5 *file);
bool ct_uvh5_put_end(const ct_uvh5 *file, const char *history);

#endif
#endif
