/* hdf5_made.h: a file that is made: from its first byte to its name, what all formats do alike.
 * Room: io/hdf5. Knows the file's life. Does not know what is in it. */
#ifndef CT_IO_HDF5_MADE_H
#define CT_IO_HDF5_MADE_H
#ifdef CT_HAVE_HDF5
#include "hdf5_driver.h"

typedef struct ct_hdf5_made {
    ct_hdf5_driver disk;
    hid_t driver, file; /* 0: not there */
    bool again;         /* the file is one of an earlier run */
} ct_hdf5_made;

/* An output that HDF5, or a file of its own, describes: a pipe or a device is refused. */
ct_status ct_hdf5_output_open(ct_output *out, ct_step *step, const char *name, ct_error *err);
/* Nothing of HDF5's yet. */
ct_status ct_hdf5_made_open(ct_hdf5_made *made, ct_step *step, const char *name, ct_error *err);
/* Of the functions below those that return bool are called inside of ct_hdf5_enter(); false: HDF5
 * failed. Makes the file, or opens the earlier run's; `compact`: in the form that HDF5 1.8 brought.
 */
bool ct_hdf5_made_begin(ct_hdf5_made *made, bool compact);
bool ct_hdf5_made_flush(const ct_hdf5_made *made);
/* From now on nothing is written any more. A file that is given up is closed, too: HDF5 would keep
 * it open otherwise. */
void ct_hdf5_made_give_up(ct_hdf5_made *made);
/* After whatever is open in it was closed. */
bool ct_hdf5_made_close(ct_hdf5_made *made);
/* The file gets its name where all of it is there and nothing failed, else it goes. */
ct_status ct_hdf5_made_end(ct_hdf5_made *made, bool complete, bool fine, ct_error *err);
/* Whether it is fine, and nothing failed to be written; else why, and that it was at `what`. */
ct_status ct_hdf5_made_judge(const ct_hdf5_made *made, bool fine, const char *what, ct_error *err);

#endif
#endif
