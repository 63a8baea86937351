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
    if (fine && made->of.again)
        made->set = H5Dopen2(made->of.file, path, access);
    else if (fine && made_store(made, how))
        made->set =
            H5Dcreate2(made->of.file, path, H5T_IEEE_F32LE, space, H5P_DEFAULT, how, access);
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

/* Many files share the descriptors that a process may have. */
static ct_status made_rest(ct_lofar_bf_made *made, ct_error *err)
{
    if (!made->many) return CT_OK;
    const ct_status status = ct_output_pause(&made->of.disk.output, err);
    return status == CT_OK && made->has_raw ? ct_output_pause(&made->raw, err) : status;
}

ct_status ct_lofar_bf_make(ct_lofar_bf_made **out, ct_step *step, const char *file, const char *raw,
                           const ct_lofar_bf_head *head, bool many, ct_error *err)
{
    ct_lofar_bf_made *made = *out = ct_step_alloc(step, sizeof *made);
    if (!made) return CT_FAILED;
    made->head = *head;
    made->many = many;
    ct_status status = ct_hdf5_made_open(&made->of, step, file, err);
    if (status == CT_OK && raw) {
        const char *slash = strrchr(raw, '/');
        made->has_raw = true;
        made->raw_name = slash ? slash + 1 : raw;
        status = ct_hdf5_output_open(&made->raw, step, raw, err);
    }
    return status == CT_OK ? made_rest(made, err) : status;
}

static bool made_begin(ct_lofar_bf_made *made)
{
    return ct_hdf5_made_begin(&made->of, true) &&
           (made->of.again || ct_lofar_bf_put_groups(made)) && made_reach_set(made);
}

/* Once, before the first thing that is asked of it: a file of an earlier run is cut until then. */
static bool made_ready(ct_lofar_bf_made *made)
{
    return made->of.file > 0 || (made->of.disk.failed == CT_OK && made_begin(made));
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
        status = ct_hdf5_made_judge(&made->of, fine, "writing samples", err);
    }
    made->samples += count;
    return status;
}

ct_status ct_lofar_bf_flush(ct_lofar_bf_made *made, ct_error *err)
{
    ct_status status = CT_OK;
    if (made->has_raw) {
        status = ct_output_flush(&made->raw, false, err);
    } else {
        const ct_hdf5_guard guard = ct_hdf5_enter();
        const bool fine = made_ready(made) && ct_hdf5_made_flush(&made->of);
        ct_hdf5_leave(guard);
        status = ct_hdf5_made_judge(&made->of, fine, "writing its metadata", err);
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
        status = ct_hdf5_driver_save(&made->of.disk, data, bytes, err);
    return status == CT_OK ? made_rest(made, err) : status;
}

ct_status ct_lofar_bf_restore(ct_lofar_bf_made *made, int64_t samples, const void *data,
                              size_t bytes, ct_error *err)
{
    made->of.again = !made->has_raw;
    made->samples = samples;
    if (made->has_raw) return CT_OK;
    const ct_status status = ct_hdf5_driver_restore(&made->of.disk, data, bytes, err);
    return status == CT_OK ? made_rest(made, err) : status;
}

/* ---- at the end */

static bool made_finish(ct_lofar_bf_made *made, bool complete)
{
    made->head.samples = made->samples;
    const bool fine = !complete || (made_ready(made) && made_extend(made, made->samples) &&
                                    ct_lofar_bf_put_head(made) && ct_hdf5_made_flush(&made->of));
    if (!complete || !fine) ct_hdf5_made_give_up(&made->of);
    if (made->set > 0) H5Dclose(made->set);
    return ct_hdf5_made_close(&made->of) && fine;
}

ct_status ct_lofar_bf_end(ct_lofar_bf_made *made, bool complete, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = made_finish(made, complete);
    ct_hdf5_leave(guard);
    const ct_status status = ct_hdf5_made_end(&made->of, complete, fine, err);
    const ct_status closed = ct_output_close(&made->raw, complete && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

#endif
