/* uvh5_file.c: see uvh5.h: life of a file, and its rows. Data sets are chunked, and every call
 * writes through to the file, so that where their bytes come to lie does not depend on when a run
 * was resumed.
 * Room: io/uvh5. Knows HDF5. Does not know blocks. */
#ifdef CT_HAVE_HDF5
#include "hdf5_guard.h"
#include "uvh5_inner.h"
#include <string.h>

bool ct_uvh5_there(void)
{
    return true;
}

/* ---- what grows */

typedef enum file_kind {
    KIND_WHOLE,
    KIND_REAL,
    KIND_PLACE,
    KIND_VIS,
    KIND_FLAG,
    KIND_WEIGHT
} file_kind;

static const struct {
    const char *name;
    file_kind kind;
} sets[CT_UVH5_SETS] = {
    [CT_UVH5_ANT_1] = {"Header/ant_1_array", KIND_WHOLE},
    [CT_UVH5_ANT_2] = {"Header/ant_2_array", KIND_WHOLE},
    [CT_UVH5_UVW] = {"Header/uvw_array", KIND_PLACE},
    [CT_UVH5_TIME] = {"Header/time_array", KIND_REAL},
    [CT_UVH5_INTEGRATION] = {"Header/integration_time", KIND_REAL},
    [CT_UVH5_CENTRE] = {"Header/phase_center_id_array", KIND_WHOLE},
    [CT_UVH5_APP_RA] = {"Header/phase_center_app_ra", KIND_REAL},
    [CT_UVH5_APP_DEC] = {"Header/phase_center_app_dec", KIND_REAL},
    [CT_UVH5_FRAME_PA] = {"Header/phase_center_frame_pa", KIND_REAL},
    [CT_UVH5_VIS] = {"Data/visdata", KIND_VIS},
    [CT_UVH5_FLAGS] = {"Data/flags", KIND_FLAG},
    [CT_UVH5_SAMPLES] = {"Data/nsamples", KIND_WEIGHT},
};

static hid_t set_type(const ct_uvh5 *file, file_kind kind)
{
    const hid_t types[] = {[KIND_WHOLE] = H5T_NATIVE_INT64,  [KIND_REAL] = H5T_NATIVE_DOUBLE,
                           [KIND_PLACE] = H5T_NATIVE_DOUBLE, [KIND_VIS] = file->complex,
                           [KIND_FLAG] = file->boolean,      [KIND_WEIGHT] = H5T_NATIVE_FLOAT};
    return types[kind];
}

/* Extents for `rows` rows and `channels` channels; returns the rank. */
static int set_extents(const ct_uvh5 *file, file_kind kind, int64_t rows, int64_t channels,
                       hsize_t out[3])
{
    out[0] = (hsize_t)rows;
    out[1] = kind == KIND_PLACE ? 3 : (hsize_t)channels;
    out[2] = (hsize_t)file->header->of->products;
    return kind == KIND_PLACE ? 2 : kind < KIND_PLACE ? 1 : 3;
}

/* Chunks pass no cache (one of 0 bytes), and none is filled before it is written. */
static bool set_create(ct_uvh5 *file, int n, hid_t access)
{
    const ct_uvh5_header *header = file->header;
    const file_kind kind = sets[n].kind;
    hsize_t none[3], chunk[3], most[3];
    const int rank = set_extents(file, kind, 0, header->of->channels, none);
    set_extents(file, kind, header->rows_chunk, header->channels_chunk, chunk);
    memcpy(most, none, sizeof most);
    most[0] = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(rank, none, most), how = H5Pcreate(H5P_DATASET_CREATE);
    bool fine = space >= 0 && how >= 0 && H5Pset_obj_track_times(how, 0) >= 0 &&
                H5Pset_chunk(how, rank, chunk) >= 0 &&
                H5Pset_fill_time(how, H5D_FILL_TIME_NEVER) >= 0;
    if (fine)
        file->set[n] = H5Dcreate2(file->made.file, sets[n].name, set_type(file, kind), space,
                                  H5P_DEFAULT, how, access);
    if (how >= 0) H5Pclose(how);
    if (space >= 0) H5Sclose(space);
    return fine && file->set[n] >= 0;
}

/* Chunks go past the cache to the file. */
static bool sets_reach(ct_uvh5 *file)
{
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    bool fine = access >= 0 && H5Pset_chunk_cache(access, 1, 0, 1) >= 0;
    for (int n = 0; fine && n < CT_UVH5_SETS; n++) {
        if (file->made.again)
            fine = (file->set[n] = H5Dopen2(file->made.file, sets[n].name, access)) >= 0;
        else
            fine = set_create(file, n, access);
    }
    if (access >= 0) H5Pclose(access);
    return fine;
}

/* ---- types: two that HDF5 has no name for */

static bool types_make(ct_uvh5 *file)
{
    const int8_t no = 0, yes = 1;
    file->complex = H5Tcreate(H5T_COMPOUND, 2 * sizeof(float));
    file->boolean = H5Tenum_create(H5T_NATIVE_INT8);
    return file->complex >= 0 && file->boolean >= 0 &&
           H5Tinsert(file->complex, "r", 0, H5T_NATIVE_FLOAT) >= 0 &&
           H5Tinsert(file->complex, "i", sizeof(float), H5T_NATIVE_FLOAT) >= 0 &&
           H5Tenum_insert(file->boolean, "FALSE", &no) >= 0 &&
           H5Tenum_insert(file->boolean, "TRUE", &yes) >= 0;
}

/* ---- life */

ct_status ct_uvh5_open(ct_uvh5 **out, ct_step *step, const char *file, const ct_uvh5_header *header,
                       ct_error *err)
{
    ct_uvh5 *made = *out = ct_step_alloc(step, sizeof *made);
    if (!made) return CT_FAILED;
    made->header = header;
    made->column = ct_step_alloc(step, (size_t)header->of->baselines * sizeof(double));
    if (!made->column) return CT_FAILED;
    return ct_hdf5_made_open(&made->made, step, file, err);
}

static bool file_begin(ct_uvh5 *file)
{
    return ct_hdf5_made_begin(&file->made, false) && types_make(file) &&
           (file->made.again || ct_uvh5_put_header(file)) && sets_reach(file);
}

/* Once, before the first thing that is asked of it: a file of an earlier run is cut until then. */
static bool file_ready(ct_uvh5 *file)
{
    return file->made.file > 0 || (file->made.disk.failed == CT_OK && file_begin(file));
}

static void file_close_sets(ct_uvh5 *file)
{
    for (int n = 0; n < CT_UVH5_SETS; n++)
        if (file->set[n] > 0) H5Dclose(file->set[n]);
    if (file->complex > 0) H5Tclose(file->complex);
    if (file->boolean > 0) H5Tclose(file->boolean);
}

static bool file_finish(ct_uvh5 *file, bool complete, const char *history)
{
    const bool fine = !complete || (file_ready(file) && ct_uvh5_put_end(file, history) &&
                                    ct_hdf5_made_flush(&file->made));
    if (!complete || !fine) ct_hdf5_made_give_up(&file->made);
    file_close_sets(file);
    return ct_hdf5_made_close(&file->made) && fine;
}

ct_status ct_uvh5_end(ct_uvh5 *file, bool complete, const char *history, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = file_finish(file, complete, history);
    ct_hdf5_leave(guard);
    return ct_hdf5_made_end(&file->made, complete, fine, err);
}

/* ---- rows */

static bool set_write(const ct_uvh5 *file, int n, const ct_uvh5_box *box, const void *data)
{
    const file_kind kind = sets[n].kind;
    const hsize_t from[3] = {(hsize_t)box->row, kind == KIND_PLACE ? 0 : (hsize_t)box->channel, 0};
    hsize_t extent[3];
    const int rank = set_extents(file, kind, box->rows, box->channels, extent);
    const hid_t there = H5Dget_space(file->set[n]), here = H5Screate_simple(rank, extent, NULL);
    const bool fine =
        there >= 0 && here >= 0 &&
        H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, extent, NULL) >= 0 &&
        H5Dwrite(file->set[n], set_type(file, kind), here, there, H5P_DEFAULT, data) >= 0;
    if (here >= 0) H5Sclose(here);
    if (there >= 0) H5Sclose(there);
    return fine;
}

static bool set_write_real(const ct_uvh5 *file, int n, const ct_uvh5_box *box, double value)
{
    double *column = file->column;
    for (int64_t i = 0; i < box->rows; i++)
        column[i] = value;
    return set_write(file, n, box, column);
}

static bool sets_extend(const ct_uvh5 *file)
{
    bool fine = true;
    for (int n = 0; fine && n < CT_UVH5_SETS; n++) {
        hsize_t extent[3];
        set_extents(file, sets[n].kind, file->rows, file->header->of->channels, extent);
        fine = H5Dset_extent(file->set[n], extent) >= 0;
    }
    return fine;
}

static bool file_add(ct_uvh5 *file, const ct_uvh5_rows *rows)
{
    const ct_uvh5_box box = {.row = file->rows, .rows = rows->count};
    const struct {
        int set;
        double value;
    } reals[] = {{CT_UVH5_TIME, rows->jd},
                 {CT_UVH5_INTEGRATION, rows->integration_s},
                 {CT_UVH5_APP_RA, rows->axes.app_ra},
                 {CT_UVH5_APP_DEC, rows->axes.app_dec},
                 {CT_UVH5_FRAME_PA, rows->axes.frame_pa}};
    if (!file_ready(file)) return false;
    file->rows += rows->count;
    bool fine = sets_extend(file) && set_write(file, CT_UVH5_ANT_1, &box, rows->ant_1) &&
                set_write(file, CT_UVH5_ANT_2, &box, rows->ant_2) &&
                set_write(file, CT_UVH5_UVW, &box, rows->uvw);
    for (size_t i = 0; fine && i < sizeof reals / sizeof reals[0]; i++)
        fine = set_write_real(file, reals[i].set, &box, reals[i].value);
    memset(file->column, 0, (size_t)rows->count * sizeof(int64_t));
    return fine && set_write(file, CT_UVH5_CENTRE, &box, file->column);
}

ct_status ct_uvh5_add(ct_uvh5 *file, const ct_uvh5_rows *rows, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = file_add(file, rows);
    ct_hdf5_leave(guard);
    return ct_hdf5_made_judge(&file->made, fine, "adding rows", err);
}

ct_status ct_uvh5_put(ct_uvh5 *file, const ct_uvh5_box *box, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = set_write(file, CT_UVH5_VIS, box, box->visibility) &&
                      set_write(file, CT_UVH5_FLAGS, box, box->flag) &&
                      set_write(file, CT_UVH5_SAMPLES, box, box->samples);
    ct_hdf5_leave(guard);
    return ct_hdf5_made_judge(&file->made, fine, "writing visibilities", err);
}

ct_status ct_uvh5_flush(ct_uvh5 *file, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const bool fine = file_ready(file) && ct_hdf5_made_flush(&file->made);
    ct_hdf5_leave(guard);
    return ct_hdf5_made_judge(&file->made, fine, "writing its metadata", err);
}

/* ---- for a later run */

ct_status ct_uvh5_save(ct_uvh5 *file, const void **data, size_t *bytes, ct_error *err)
{
    const ct_status status = ct_uvh5_flush(file, err);
    if (status != CT_OK) return status;
    return ct_hdf5_driver_save(&file->made.disk, data, bytes, err);
}

ct_status ct_uvh5_restore(ct_uvh5 *file, int64_t rows, const void *data, size_t bytes,
                          ct_error *err)
{
    file->made.again = true;
    file->rows = rows;
    return ct_hdf5_driver_restore(&file->made.disk, data, bytes, err);
}

#endif
