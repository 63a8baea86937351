/* lofar_bf_data.c: the samples of a file: a data set in it, or bytes of a raw file beside it.
 * Room: io/lofar_bf. Knows HDF5's storage. Does not know attributes. */
#ifdef CT_HAVE_HDF5
#include "hdf5_attributes.h"
#include "hdf5_guard.h"
#include "hdf5_storage.h"
#include "input.h"
#include "lofar_bf_inner.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MOST = 1024 };

typedef struct data_shape {
    const ct_lofar_bf *file;
    const char *name; /* of the data set */
    hid_t how;        /* was it created */
    int64_t samples, channels, number_bytes;
} data_shape;

/* Bytes of the raw file from `offset` on, which is beside the .h5 file. */
static ct_status data_raw_bytes(const data_shape *shape, const char *name, int64_t offset,
                                int64_t *out, ct_error *err)
{
    char path[2 * NAME_MOST];
    ct_input raw;
    const char *slash = strrchr(shape->file->file, '/');
    const int folder = slash ? (int)(slash - shape->file->file) + 1 : 0;
    if (strchr(name, '/'))
        return ct_error_add(err, CT_DATA,
                            "%s: %s: expected its samples in a file beside it, found \"%s\"",
                            shape->file->file, shape->name, name);
    snprintf(path, sizeof path, "%.*s%s", folder, shape->file->file, name);
    if (access(path, R_OK) != 0)
        return ct_error_add(err, CT_DATA, "%s: its samples are in %s, which cannot be opened: %s",
                            shape->file->file, path, strerror(errno));
    const ct_status status = ct_input_open(&raw, path, err);
    if (status != CT_OK) return status;
    *out = raw.size - offset;
    ct_input_close(&raw);
    return CT_OK;
}

/* Samples that are in the raw file, of a data set that has one. */
static ct_status data_external(data_shape *shape, ct_error *err)
{
    char name[NAME_MOST] = "";
    off_t offset = 0;
    hsize_t bytes = 0;
    int64_t there = 0;
    const int files = H5Pget_external_count(shape->how);
    if (files <= 0) return CT_OK;
    if (files > 1 || H5Pget_external(shape->how, 0, sizeof name - 1, name, &offset, &bytes) < 0 ||
        offset < 0)
        return ct_error_add(err, CT_DATA, "%s: %s: expected its samples in one file, found %d",
                            shape->file->file, shape->name, files);
    const ct_status status = data_raw_bytes(shape, name, (int64_t)offset, &there, err);
    if (status != CT_OK) return status;
    const int64_t samples = there / (shape->channels * shape->number_bytes);
    if (samples < shape->samples) shape->samples = samples < 0 ? 0 : samples;
    return CT_OK;
}

static ct_status data_extents(data_shape *shape, hid_t set, ct_error *err)
{
    hsize_t extent[2] = {0};
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const bool number = type >= 0 && ct_hdf5_type_is_number(type);
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    if (rank == 2) H5Sget_simple_extent_dims(space, extent, NULL);
    shape->number_bytes = type >= 0 ? (int64_t)H5Tget_size(type) : 0;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    if (rank != 2 || !number)
        return ct_error_add(err, CT_DATA, "%s: %s: expected numbers of two dimensions, found %s%d",
                            shape->file->file, shape->name, rank == 2 ? "other types along " : "",
                            rank);
    if (extent[0] > INT64_MAX / 64 || extent[1] < 1 || extent[1] > CT_LOFAR_BF_CHANNELS)
        return ct_error_add(err, CT_DATA,
                            "%s: %s: expected samples of 1 to %d channels, found %llu x %llu",
                            shape->file->file, shape->name, CT_LOFAR_BF_CHANNELS,
                            (unsigned long long)extent[0], (unsigned long long)extent[1]);
    shape->samples = (int64_t)extent[0];
    shape->channels = (int64_t)extent[1];
    return CT_OK;
}

static ct_status data_storage(const data_shape *shape, hid_t set, ct_error *err)
{
    ct_hdf5_storage storage = {.file = shape->file->file,
                               .name = shape->name,
                               .handle = shape->file->handle,
                               .set = set,
                               .how = shape->how,
                               .rank = 2,
                               .number_bytes = shape->number_bytes};
    storage.needed = (double)shape->samples * (double)shape->channels * (double)shape->number_bytes;
    return ct_hdf5_storage_check(&storage, err);
}

ct_status ct_lofar_bf_measure(ct_lofar_bf *file, int64_t plane, const char *name, ct_error *err)
{
    const hid_t set = file->plane[plane].set;
    data_shape shape = {.file = file, .name = name, .how = H5Dget_create_plist(set)};
    double written = 0;
    ct_status status = data_extents(&shape, set, err);
    const int64_t declared = shape.samples;
    if (status == CT_OK) status = data_storage(&shape, set, err);
    if (status == CT_OK) status = data_external(&shape, err);
    if (shape.how >= 0) H5Pclose(shape.how);
    if (status != CT_OK) return status;
    if (ct_hdf5_get_real(set, "NOF_SAMPLES", &written) && written >= 1 &&
        written < (double)shape.samples)
        shape.samples = (int64_t)written;
    if (plane > 0 && shape.channels != file->channels)
        return ct_error_add(err, CT_DATA, "%s: %s: expected %lld channels as before, found %lld",
                            file->file, name, (long long)file->channels, (long long)shape.channels);
    if (plane == 0 || shape.samples < file->samples) file->samples = shape.samples;
    if (plane == 0 || declared > file->declared) file->declared = declared;
    file->channels = shape.channels;
    return CT_OK;
}

/* ---- reading */

static bool data_read(const ct_lofar_bf *file, int64_t plane, int64_t first, int64_t count,
                      float *out)
{
    const hsize_t from[2] = {(hsize_t)first, 0};
    const hsize_t extent[2] = {(hsize_t)count, (hsize_t)file->channels};
    const hid_t set = file->plane[plane].set;
    const hid_t there = H5Dget_space(set), here = H5Screate_simple(2, extent, NULL);
    const bool fine = there >= 0 && here >= 0 &&
                      H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, extent, NULL) >= 0 &&
                      H5Dread(set, H5T_NATIVE_FLOAT, here, there, H5P_DEFAULT, out) >= 0;
    if (here >= 0) H5Sclose(here);
    if (there >= 0) H5Sclose(there);
    return fine;
}

ct_status ct_lofar_bf_load(const ct_lofar_bf *file, int64_t plane, int64_t first, int64_t count,
                           float *out, ct_error *err)
{
    if (count < 1) return CT_OK;
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = data_read(file, plane, first, count, out);
    ct_hdf5_leave(guard);
    if (fine) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: samples %lld to %lld of %s cannot be read: damaged",
                        file->file, (long long)first, (long long)(first + count - 1),
                        ct_lofar_bf_component_name(file->plane[plane].component));
}

#endif
