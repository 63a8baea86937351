/* h5parm.h: what the files of this room share.
 * Room: io/h5parm. Knows the solutions of cornerturn_stage.h. Does not know what is done with them.
 */
#ifndef CT_IO_H5PARM_H
#define CT_IO_H5PARM_H
#include "input.h"

#include <stdio.h>

/* The file is there, and is HDF5; the other arguments are ct_h5parm_load's. */
ct_status ct_h5parm_read(ct_step *step, const char *file, const char *solset, const char *soltab,
                         const char *direction, ct_solutions *out, ct_error *err);

/* For `cornerturn info FILE`: whether an HDF5 file is one, and its tables. */
bool ct_h5parm_is(const char *file);
ct_status ct_h5parm_describe(FILE *out, ct_input *in, ct_error *err);

#endif
