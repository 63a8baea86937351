/* fbh5_read.c: an FBH5 file being read. Attributes that are missing or of another kind are not
 * known; without samples it is no file of ours.
 * Room: io/fbh5. Knows HDF5 and names in the file. Does not know blocks. */
#ifdef CT_HAVE_HDF5
#include "angle.h"
#include "fbh5.h"
#include "hdf5_attributes.h"
#include "hdf5_guard.h"
#include "hdf5_storage.h"
#include <string.h>

/* ---- what it says */

static bool read_is(int64_t handle)
{
    char kind[CT_FBH5_TEXT];
    return ct_hdf5_get_text(handle, "CLASS", kind, sizeof kind) && strcmp(kind, "FILTERBANK") == 0;
}

bool ct_fbh5_is(const char *file)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hid_t handle = ct_hdf5_open(file);
    const bool is = handle >= 0 && read_is(handle);
    if (handle >= 0) H5Fclose(handle);
    ct_hdf5_leave(guard);
    return is;
}

/* Some programs write "hh:mm:ss.s". */
static void read_angle(hid_t set, const char *name, double *out)
{
    char text[CT_FBH5_TEXT];
    if (ct_hdf5_get_text(set, name, text, sizeof text)) *out = ct_angle_unpack(ct_angle_read(text));
}

static void read_head(ct_fbh5 *file)
{
    ct_fbh5_head *head = &file->head;
    const struct {
        const char *name;
        double *at;
    } rows[] = {
#define ROW(name, ...) {#name, &head->name},
        CT_FBH5_NUMBERS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        (void)ct_hdf5_get_real(file->set, rows[i].name, rows[i].at);
    read_angle(file->set, "src_raj", &head->src_raj);
    read_angle(file->set, "src_dej", &head->src_dej);
    (void)ct_hdf5_get_text(file->set, "source_name", head->source_name, sizeof head->source_name);
}

/* ---- data sets */

static ct_type read_type(hid_t type)
{
    const struct {
        hid_t little, big;
        ct_type type;
    } rows[] = {{H5T_STD_U8LE, H5T_STD_U8BE, CT_U8},
                {H5T_STD_I8LE, H5T_STD_I8BE, CT_I8},
                {H5T_STD_U16LE, H5T_STD_U16BE, CT_U16},
                {H5T_STD_I16LE, H5T_STD_I16BE, CT_I16},
                {H5T_IEEE_F32LE, H5T_IEEE_F32BE, CT_F32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (H5Tequal(type, rows[i].little) > 0 || H5Tequal(type, rows[i].big) > 0)
            return rows[i].type;
    return CT_NONE;
}

static hid_t read_memory_type(ct_type type)
{
    const struct {
        ct_type type;
        hid_t native;
    } rows[] = {{CT_U8, H5T_NATIVE_UINT8},
                {CT_I8, H5T_NATIVE_INT8},
                {CT_U16, H5T_NATIVE_UINT16},
                {CT_I16, H5T_NATIVE_INT16},
                {CT_F32, H5T_NATIVE_FLOAT}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type == type) return rows[i].native;
    return -1;
}

typedef struct read_set {
    hid_t set, type, how;
    int rank;
    hsize_t extent[CT_HDF5_RANK];
} read_set;

static bool read_open_set(read_set *out, const ct_fbh5 *file, const char *name)
{
    *out = (read_set){.set = -1, .type = -1, .how = -1};
    if (H5Lexists(file->handle, name, H5P_DEFAULT) > 0)
        out->set = H5Dopen2(file->handle, name, H5P_DEFAULT);
    if (out->set < 0) return false;
    const hid_t space = H5Dget_space(out->set);
    out->type = H5Dget_type(out->set);
    out->how = H5Dget_create_plist(out->set);
    out->rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    if (out->rank == CT_HDF5_RANK) H5Sget_simple_extent_dims(space, out->extent, NULL);
    if (space >= 0) H5Sclose(space);
    return out->type >= 0 && out->how >= 0;
}

/* But for the set itself. */
static void read_close_set(const read_set *set)
{
    if (set->how >= 0) H5Pclose(set->how);
    if (set->type >= 0) H5Tclose(set->type);
}

static ct_status read_check_storage(const ct_fbh5 *file, const read_set *set, const char *name,
                                    int64_t *piece, ct_error *err)
{
    ct_hdf5_storage storage = {.file = file->file,
                               .name = name,
                               .handle = file->handle,
                               .set = set->set,
                               .how = set->how,
                               .rank = CT_HDF5_RANK,
                               .number_bytes = (int64_t)H5Tget_size(set->type)};
    storage.needed = (double)storage.number_bytes;
    for (int i = 0; i < CT_HDF5_RANK; i++)
        storage.needed *= (double)set->extent[i];
    const ct_status status = ct_hdf5_storage_check(&storage, err);
    *piece = storage.chunk_bytes > 0 ? storage.chunk[0] : 1;
    return status;
}

static ct_status read_measure(ct_fbh5 *file, const read_set *set, ct_error *err)
{
    const hsize_t *extent = set->extent;
    file->type = read_type(set->type);
    if (set->rank != CT_HDF5_RANK)
        return ct_error_add(err, CT_DATA,
                            "%s: data: expected time, IFs and channels, found %d dimensions",
                            file->file, set->rank);
    if (file->type == CT_NONE)
        return ct_error_add(err, CT_DATA,
                            "%s: data: expected integers of 8 or 16 bits or floats of 32, found "
                            "numbers of %zu bytes of another kind",
                            file->file, H5Tget_size(set->type));
    if (extent[0] < 1 || extent[1] < 1 || extent[2] < 1 || extent[0] > INT64_MAX / 64 ||
        extent[1] > CT_FBH5_CHANNELS || extent[2] > CT_FBH5_CHANNELS ||
        extent[1] * extent[2] > CT_FBH5_CHANNELS)
        return ct_error_add(err, CT_DATA,
                            "%s: data: expected samples of at most %d IFs times channels, found "
                            "%llu x %llu x %llu",
                            file->file, CT_FBH5_CHANNELS, (unsigned long long)extent[0],
                            (unsigned long long)extent[1], (unsigned long long)extent[2]);
    file->samples = (int64_t)extent[0];
    file->ifs = (int64_t)extent[1];
    file->channels = (int64_t)extent[2];
    return read_check_storage(file, set, "data", &file->piece, err);
}

/* blimpy makes a mask of the same shape and leaves it empty. */
static ct_status read_mask(ct_fbh5 *file, ct_error *err)
{
    read_set set;
    int64_t piece;
    ct_status status = CT_OK;
    const hsize_t expected[] = {(hsize_t)file->samples, (hsize_t)file->ifs,
                                (hsize_t)file->channels};
    const bool there = read_open_set(&set, file, "mask");
    if (set.set >= 0) file->mask = set.set;
    const bool used = there && H5Dget_storage_size(set.set) > 0;
    if (used && (set.rank != CT_HDF5_RANK || read_type(set.type) != CT_U8 ||
                 memcmp(set.extent, expected, sizeof expected) != 0))
        status = ct_error_add(err, CT_DATA,
                              "%s: mask: expected integers of 8 bits, of the same shape as data",
                              file->file);
    else if (used)
        status = read_check_storage(file, &set, "mask", &piece, err);
    read_close_set(&set);
    if (!used && set.set >= 0) {
        H5Dclose(set.set);
        file->mask = 0;
    }
    return status;
}

/* ---- life */

static ct_status read_file(ct_fbh5 *file, ct_error *err)
{
    read_set set;
    const hid_t handle = ct_hdf5_open(file->file);
    if (handle < 0)
        return ct_error_add(err, CT_DATA,
                            "%s: expected an HDF5 file, found one that is damaged or cut short",
                            file->file);
    file->handle = handle;
    if (!read_is(handle))
        return ct_error_add(err, CT_DATA,
                            "%s: expected a filterbank in HDF5 (CLASS \"FILTERBANK\"), found "
                            "another HDF5 file, which h5py reads",
                            file->file);
    const bool there = read_open_set(&set, file, "data");
    if (set.set >= 0) file->set = set.set;
    ct_status status =
        there ? read_measure(file, &set, err)
              : ct_error_add(err, CT_DATA, "%s: expected a data set \"data\" that can be read",
                             file->file);
    read_close_set(&set);
    if (status == CT_OK) read_head(file);
    return status == CT_OK ? read_mask(file, err) : status;
}

ct_status ct_fbh5_open(ct_fbh5 *out, const char *file, ct_error *err)
{
    *out = (ct_fbh5){.file = file};
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const ct_status status = read_file(out, err);
    ct_hdf5_leave(guard);
    if (status != CT_OK) ct_fbh5_close(out);
    return status;
}

void ct_fbh5_close(ct_fbh5 *file)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    if (file->mask > 0) H5Dclose(file->mask);
    if (file->set > 0) H5Dclose(file->set);
    if (file->handle > 0) H5Fclose(file->handle);
    ct_hdf5_leave(guard);
    file->mask = file->set = file->handle = 0;
}

/* ---- samples */

static bool read_rows(const ct_fbh5 *file, hid_t set, hid_t type, int64_t first, int64_t count,
                      void *out)
{
    const hsize_t from[] = {(hsize_t)first, 0, 0};
    const hsize_t extent[] = {(hsize_t)count, (hsize_t)file->ifs, (hsize_t)file->channels};
    const hid_t there = H5Dget_space(set), here = H5Screate_simple(CT_HDF5_RANK, extent, NULL);
    const bool fine = there >= 0 && here >= 0 &&
                      H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, extent, NULL) >= 0 &&
                      H5Dread(set, type, here, there, H5P_DEFAULT, out) >= 0;
    if (here >= 0) H5Sclose(here);
    if (there >= 0) H5Sclose(there);
    return fine;
}

static ct_status read_some(const ct_fbh5 *file, const char *name, int64_t set, ct_type type,
                           int64_t first, int64_t count, void *out, ct_error *err)
{
    if (count < 1) return CT_OK;
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = read_rows(file, set, read_memory_type(type), first, count, out);
    ct_hdf5_leave(guard);
    if (fine) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: %s: samples %lld to %lld cannot be read: damaged",
                        file->file, name, (long long)first, (long long)(first + count - 1));
}

ct_status ct_fbh5_load(const ct_fbh5 *file, int64_t first, int64_t count, void *out, ct_error *err)
{
    return read_some(file, "data", file->set, file->type, first, count, out, err);
}

ct_status ct_fbh5_load_mask(const ct_fbh5 *file, int64_t first, int64_t count, uint8_t *out,
                            ct_error *err)
{
    return read_some(file, "mask", file->mask, CT_U8, first, count, out, err);
}

#endif
