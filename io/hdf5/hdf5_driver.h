/* hdf5_driver.h: the file that HDF5 writes to, as a driver of HDF5's: bytes go through
 * ct_output, which says what fails, and it is remembered which of them are metadata. HDF5
 * overwrites these when it extends a data set; with a copy of them all a file can be restored.
 * Room: io/hdf5. Knows bytes. Does not know what they mean. */
#ifndef CT_IO_HDF5_DRIVER_H
#define CT_IO_HDF5_DRIVER_H
#ifdef CT_HAVE_HDF5
#include "output.h"

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct ct_hdf5_span {
    int64_t at, bytes;
} ct_hdf5_span;

typedef struct ct_hdf5_driver {
    H5FD_t driver; /* HDF5's part, which it finds at the beginning */
    ct_step *step;
    ct_output output;
    int64_t used;        /* bytes that HDF5 has allocated */
    int64_t length;      /* of the file */
    ct_hdf5_span *spans; /* of metadata, ascending, none of which touch */
    int64_t count, room;
    uint8_t *image; /* a copy of them all */
    size_t image_room;
    bool given_up;    /* nothing is written any more */
    ct_status failed; /* of writing, too, which HDF5 does not learn of */
    ct_error why;
} ct_hdf5_driver;

/* A property list with which H5Fcreate and H5Fopen use it, and the driver, to be unregistered;
 * below 0: there is no memory. */
hid_t ct_hdf5_driver_access(ct_hdf5_driver *disk, hid_t *driver);
/* Metadata as they are in the file now. Lives until the next call. */
ct_status ct_hdf5_driver_save(ct_hdf5_driver *disk, const void **data, size_t *bytes,
                              ct_error *err);
/* Puts them back. */
ct_status ct_hdf5_driver_restore(ct_hdf5_driver *disk, const void *data, size_t bytes,
                                 ct_error *err);

#endif
#endif
