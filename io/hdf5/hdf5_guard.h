/* hdf5_guard.h: calls of HDF5, of which there is one in a process, made for one thread: every room
 * that calls it does so between enter and leave; what fails meanwhile is said by us.
 * Room: io/hdf5. Knows HDF5's errors. Does not know files. */
#ifndef CT_IO_HDF5_GUARD_H
#define CT_IO_HDF5_GUARD_H
#ifdef CT_HAVE_HDF5
#include <hdf5.h>

typedef struct ct_hdf5_guard {
    H5E_auto2_t say;
    void *of;
} ct_hdf5_guard;

ct_hdf5_guard ct_hdf5_enter(void);
void ct_hdf5_leave(ct_hdf5_guard guard);

#endif
#endif
