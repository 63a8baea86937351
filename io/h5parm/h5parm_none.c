/* h5parm_none.c: without HDF5 no table is read, and a sentence says so; see h5parm.h.
 * Room: io/h5parm. Knows what is missing. Does not know files. */
#include "h5parm.h"

#ifndef CT_HAVE_HDF5

ct_status ct_h5parm_read(ct_step *step, const char *file, const char *solset, const char *soltab,
                         const char *direction, ct_solutions *out, ct_error *err)
{
    (void)step, (void)solset, (void)soltab, (void)direction, (void)out;
    return ct_error_add(err, CT_DATA,
                        "%s: this Cornerturn was built without HDF5, which reads H5parm: install "
                        "libhdf5-dev and build it again",
                        file);
}

bool ct_h5parm_is(const char *file)
{
    (void)file;
    return false;
}

/* Never called: no file is one. */
ct_status ct_h5parm_describe(FILE *out, ct_input *in, ct_error *err)
{
    (void)out;
    return ct_error_add(err, CT_DATA, "%s: this Cornerturn was built without HDF5", in->file);
}

#endif
