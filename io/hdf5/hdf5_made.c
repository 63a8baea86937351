/* hdf5_made.c: see hdf5_made.h.
 * Room: io/hdf5. */
#ifdef CT_HAVE_HDF5
#include "hdf5_made.h"

ct_status ct_hdf5_output_open(ct_output *out, ct_step *step, const char *name, ct_error *err)
{
    ct_status status = ct_output_open(out, step, name, true, err);
    if (status != CT_OK || !out->staged.special) return status;
    status =
        ct_error_add(err, CT_DATA,
                     "%s: cannot be written: HDF5 goes back in what it writes, which a pipe or "
                     "a device does not let it: write to a file",
                     name);
    (void)ct_output_close(out, false, NULL);
    return status;
}

ct_status ct_hdf5_made_open(ct_hdf5_made *made, ct_step *step, const char *name, ct_error *err)
{
    made->disk.step = step;
    return ct_hdf5_output_open(&made->disk.output, step, name, err);
}

/* Without the time of day, so that equal runs make equal files. */
static hid_t made_create(const char *name, hid_t access)
{
    const hid_t how = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = -1;
    if (how >= 0 && H5Pset_obj_track_times(how, false) >= 0)
        file = H5Fcreate(name, H5F_ACC_TRUNC, how, access);
    if (how >= 0) H5Pclose(how);
    return file;
}

bool ct_hdf5_made_begin(ct_hdf5_made *made, bool compact)
{
    const hid_t access = ct_hdf5_driver_access(&made->disk, &made->driver);
    const char *name = made->disk.output.file;
    if (access < 0) return false;
    if (!compact || H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0)
        made->file = made->again ? H5Fopen(name, H5F_ACC_RDWR, access) : made_create(name, access);
    H5Pclose(access);
    return made->file > 0;
}

bool ct_hdf5_made_flush(const ct_hdf5_made *made)
{
    return H5Fflush(made->file, H5F_SCOPE_LOCAL) >= 0;
}

void ct_hdf5_made_give_up(ct_hdf5_made *made)
{
    made->disk.given_up = true;
}

bool ct_hdf5_made_close(ct_hdf5_made *made)
{
    const bool fine = made->file <= 0 || H5Fclose(made->file) >= 0;
    if (made->driver > 0) H5FDunregister(made->driver);
    return fine;
}

ct_status ct_hdf5_made_judge(const ct_hdf5_made *made, bool fine, const char *what, ct_error *err)
{
    const ct_hdf5_driver *disk = &made->disk;
    if (disk->failed != CT_OK && disk->why.text[0])
        return ct_error_add(err, disk->failed, "%s", disk->why.text);
    if (fine || disk->failed != CT_OK) return disk->failed;
    return ct_error_add(err, CT_FAILED, "%s: HDF5 failed: %s", disk->output.file, what);
}

ct_status ct_hdf5_made_end(ct_hdf5_made *made, bool complete, bool fine, ct_error *err)
{
    const ct_status status = complete ? ct_hdf5_made_judge(made, fine, "closing it", err) : CT_OK;
    const ct_status closed = ct_output_close(&made->disk.output, complete && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

#endif
