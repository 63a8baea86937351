/* h5parm_inner.h: what h5parm_table.c (which table, its axes) and h5parm_values.c (texts and
 * numbers) share. Room: io/h5parm. Knows HDF5. */
#ifndef CT_IO_H5PARM_INNER_H
#define CT_IO_H5PARM_INNER_H
#ifdef CT_HAVE_HDF5
#include <hdf5.h>

#include "h5parm.h"

enum { CT_H5PARM_TEXT = 256 }; /* bytes of a name, its end included */

/* A table that is being read. Handles are 0 where nothing is open. */
typedef struct ct_h5parm {
    ct_step *step;
    const char *file;
    const char *solset, *soltab;
    hid_t handle, group;
} ct_h5parm;

/* "FILE: /sol000/phase000/NAME: sentence"; name NULL: the table itself. Returns CT_DATA. */
ct_status ct_h5parm_fail(const ct_h5parm *of, const char *name, ct_error *err, const char *format,
                         ...) CT_PRINTF(4, 5);

/* Texts of a data set: NULL after the last; as the step. */
ct_status ct_h5parm_texts(const ct_h5parm *of, const char *name, const char *const **out,
                          int64_t *count, ct_error *err);
/* A text that hangs on an object; *out NULL where there is none. */
ct_status ct_h5parm_attribute(const ct_h5parm *of, hid_t object, const char *name, const char **out,
                              ct_error *err);
/* Numbers of a data set of one dimension, finite and ascending. */
ct_status ct_h5parm_axis(const ct_h5parm *of, const char *name, int64_t expected,
                         const double **out, ct_error *err);
/* Are there numbers in the data set, rather than texts or records. */
bool ct_h5parm_is_numeric(hid_t set);

#endif
#endif
