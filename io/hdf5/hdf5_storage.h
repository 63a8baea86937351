/* hdf5_storage.h: files and data sets that are read: opening them, and whether what a file says of
 * its chunks can be true, before libhdf5 makes room for them.
 * Room: io/hdf5. Knows HDF5's storage. Does not know formats. Between ct_hdf5_enter and
 * ct_hdf5_leave. */
#ifndef CT_IO_HDF5_STORAGE_H
#define CT_IO_HDF5_STORAGE_H
#ifdef CT_HAVE_HDF5
#include "cornerturn_stage.h"

#include <hdf5.h>

enum { CT_HDF5_RANK = 3 };

/* An open data set: all but the last two members are the caller's. */
typedef struct ct_hdf5_storage {
    const char *file, *name; /* for messages: the file's, the data set's */
    int64_t handle;          /* the file's */
    hid_t set, how;          /* and its creation properties */
    int rank;
    int64_t number_bytes;
    double needed;                            /* bytes of all its numbers */
    int64_t chunk[CT_HDF5_RANK], chunk_bytes; /* 0: it is not in chunks */
} ct_hdf5_storage;

/* To be read, also if others have it open; closing it closes all that was opened in it. Below 0: it
 * is no HDF5 file, or is damaged. */
hid_t ct_hdf5_open(const char *file);
/* Its chunks are not too large, their filters installed, and its numbers in the file: CT_DATA. */
ct_status ct_hdf5_storage_check(ct_hdf5_storage *of, ct_error *err);

#endif
#endif
