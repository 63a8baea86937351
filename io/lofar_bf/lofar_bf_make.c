/* lofar_bf_make.c: a file that is written: its life, and its samples: chunks of a data set that
 * grows, or a raw file beside it, which only the data set's description names. All attributes come
 * at the end, when the number of samples is known: texts are in a heap of HDF5's, whose place would
 * otherwise depend on when a run was resumed. Of a raw file's neighbour all comes at the end.
 * Room: io/lofar_bf. Knows HDF5's storage. Does not know attributes. */
#ifdef CT_HAVE_HDF5
#include "hdf5_guard.h"
#include "lofar_bf_inner.h"
#include <stdio.h>
#include <string.h>

enum { PATH = 128 };
#define CHUNK_BYTES ((int64_t)1 << 20) /* about */

static ct_status made_fail(const ct_lofar_bf_made *made, const char *what, ct_error *err)
{
    const ct_hdf5_driver *disk = &made->disk;
    if (disk->failed != CT_OK && disk->why.text[0])
        return ct_error_add(err, disk->failed, "%s", disk->why.text);
    if (disk->failed != CT_OK) return disk->failed;
    return ct_error_add(err, CT_FAILED, "%s: HDF5 failed: %s", disk->output.file, what);
}

/* ---- the data set */

static bool made_store(const ct_lofar_bf_made *made, hid_t how)
{
    const ct_lofar_bf_head *head = &made->head;
    const int64_t row = head->channels * (int64_t)sizeof(float);
    int64_t rows = row < CHUNK_BYTES ? CHUNK_BYTES / row : 1;
    if (head->samples > 0 && rows > head->samples) rows = head->samples;
    const hsize_t chunk[2] = {(hsize_t)rows, (hsize_t)head->channels};
    if (made->has_raw) return H5Pset_external(how, made->raw_name, 0, H5F_UNLIMITED) >= 0;
    return H5Pset_chunk(how, 2, chunk) >= 0 && H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) >= 0;
}

/* Chunks go past the cache to the file. */
static bool made_reach_set(ct_lofar_bf_made *made)
{
    char path[PATH], below[32];
    const hsize_t none[2] = {0, (hsize_t)made->head.channels};
    const hsize_t most[2] = {H5S_UNLIMITED, (hsize_t)made->head.channels};
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS), how = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(2, none, most);
    snprintf(below, sizeof below, "/STOKES_%d", (int)made->head.set);
    ct_lofar_bf_path(made, below, path, sizeof path);
    bool fine = access >= 0 && how >= 0 && space >= 0 && H5Pset_chunk_cache(access, 1, 0, 1) >= 0 &&
                H5Pset_obj_track_times(how, false) >= 0;
    if (fine && made->again)
        made->set = H5Dopen2(made->file, path, access);
    else if (fine && made_store(made, how))
        made->set = H5Dcreate2(made->file, path, H5T_IEEE_F32LE, space, H5P_DEFAULT, how, access);
    if (space >= 0) H5Sclose(space);
    if (how >= 0) H5Pclose(how);
    if (access >= 0) H5Pclose(access);
    return made->set > 0;
}

static bool made_extend(const ct_lofar_bf_made *made, int64_t samples)
{
    const hsize_t extent[2] = {(hsize_t)samples, (hsize_t)made->head.channels};
    return H5Dset_extent(made->set, extent) >= 0;
}

static bool made_write(const ct_lofar_bf_made *made, const float *samples, int64_t count)
{
    const hsize_t from[2] = {(hsize_t)made->samples, 0};
    const hsize_t extent[2] = {(hsize_t)count, (hsize_t)made->head.channels};
    const hid_t here = H5Screate_simple(2, extent, NULL);
    const hid_t there = made_extend(made, made->samples + count) ? H5Dget_space(made->set) : -1;
    const bool fine = here >= 0 && there >= 0 &&
                      H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, extent, NULL) >= 0 &&
                      H5Dwrite(made->set, H5T_NATIVE_FLOAT, here, there, H5P_DEFAULT, samples) >= 0;
    if (there >= 0) H5Sclose(there);
    if (here >= 0) H5Sclose(here);
    return fine;
}

/* ---- life */

static ct_status made_open_output(ct_output *out, ct_step *step, const char *name, ct_error *err)
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

/* Many files share the descriptors that a process may have. */
static ct_status made_rest(ct_lofar_bf_made *made, ct_error *err)
{
    if (!made->many) return CT_OK;
    const ct_status status = ct_output_pause(&made->disk.output, err);
    return status == CT_OK && made->has_raw ? ct_output_pause(&made->raw, err) : status;
}

ct_status ct_lofar_bf_make(ct_lofar_bf_made **out, ct_step *step, const char *file, const char *raw,
                           const ct_lofar_bf_head *head, bool many, ct_error *err)
{
    ct_lofar_bf_made *made = *out = ct_step_alloc(step, sizeof *made);
    if (!made) return CT_FAILED;
    made->head = *head;
    made->many = many;
    made->disk.step = step;
    ct_status status = made_open_output(&made->disk.output, step, file, err);
    if (status == CT_OK && raw) {
        const char *slash = strrchr(raw, '/');
        made->has_raw = true;
        made->raw_name = slash ? slash + 1 : raw;
        status = made_open_output(&made->raw, step, raw, err);
    }
    return status == CT_OK ? made_rest(made, err) : status;
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

static bool made_begin(ct_lofar_bf_made *made)
{
    const hid_t access = ct_hdf5_driver_access(&made->disk, &made->driver);
    const char *name = made->disk.output.file;
    if (access < 0) return false;
    if (H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0)
        made->file = made->again ? H5Fopen(name, H5F_ACC_RDWR, access) : made_create(name, access);
    H5Pclose(access);
    if (made->file <= 0) return false;
    if (made->again) return made_reach_set(made);
    return ct_lofar_bf_put_groups(made) && made_reach_set(made);
}

/* Once, before the first thing that is asked of it: a file of an earlier run is cut until then. */
static bool made_ready(ct_lofar_bf_made *made)
{
    return made->file > 0 || (made->disk.failed == CT_OK && made_begin(made));
}

ct_status ct_lofar_bf_add(ct_lofar_bf_made *made, const float *samples, int64_t count,
                          ct_error *err)
{
    const int64_t row = made->head.channels * (int64_t)sizeof(float);
    ct_status status = CT_OK;
    if (made->has_raw) {
        status =
            ct_output_put(&made->raw, made->samples * row, samples, (size_t)(count * row), err);
    } else {
        const ct_hdf5_guard guard = ct_hdf5_enter();
        const bool fine = made_ready(made) && made_write(made, samples, count);
        ct_hdf5_leave(guard);
        status = fine ? CT_OK : made_fail(made, "writing samples", err);
    }
    made->samples += count;
    return status;
}

static bool made_flush(ct_lofar_bf_made *made)
{
    return made_ready(made) && H5Fflush(made->file, H5F_SCOPE_LOCAL) >= 0;
}

ct_status ct_lofar_bf_flush(ct_lofar_bf_made *made, ct_error *err)
{
    ct_status status = CT_OK;
    if (made->has_raw) {
        status = ct_output_flush(&made->raw, false, err);
    } else {
        const ct_hdf5_guard guard = ct_hdf5_enter();
        const bool fine = made_flush(made);
        ct_hdf5_leave(guard);
        status = fine ? CT_OK : made_fail(made, "writing its metadata", err);
    }
    return status == CT_OK ? made_rest(made, err) : status;
}

/* ---- for a later run */

ct_status ct_lofar_bf_save(ct_lofar_bf_made *made, const void **data, size_t *bytes, ct_error *err)
{
    ct_status status = ct_lofar_bf_flush(made, err);
    *data = "";
    *bytes = 0;
    if (status == CT_OK && !made->has_raw)
        status = ct_hdf5_driver_save(&made->disk, data, bytes, err);
    return status == CT_OK ? made_rest(made, err) : status;
}

ct_status ct_lofar_bf_restore(ct_lofar_bf_made *made, int64_t samples, const void *data,
                              size_t bytes, ct_error *err)
{
    made->again = !made->has_raw;
    made->samples = samples;
    if (made->has_raw) return CT_OK;
    const ct_status status = ct_hdf5_driver_restore(&made->disk, data, bytes, err);
    return status == CT_OK ? made_rest(made, err) : status;
}

/* ---- at the end */

/* A file that is given up is closed, too, without a byte written: HDF5 would keep it open
 * otherwise. */
static bool made_finish(ct_lofar_bf_made *made, bool complete)
{
    made->head.samples = made->samples;
    bool fine = !complete || (made_ready(made) && made_extend(made, made->samples) &&
                              ct_lofar_bf_put_head(made) && made_flush(made));
    made->disk.given_up = !complete || !fine;
    if (made->set > 0) H5Dclose(made->set);
    if (made->file > 0) fine = H5Fclose(made->file) >= 0 && fine;
    if (made->driver > 0) H5FDunregister(made->driver);
    return fine;
}

ct_status ct_lofar_bf_end(ct_lofar_bf_made *made, bool complete, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = made_finish(made, complete);
    ct_hdf5_leave(guard);
    ct_status status = fine || !complete ? CT_OK : made_fail(made, "closing it", err);
    ct_status closed = ct_output_close(&made->disk.output, complete && status == CT_OK, err);
    if (status == CT_OK) status = closed;
    closed = ct_output_close(&made->raw, complete && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

#endif
