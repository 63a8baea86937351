/* uvh5_view.c: see uvh5_view.h.
 * Room: io/uvh5. Knows HDF5 and the names in the file. */
#include "uvh5_view.h"

#ifdef CT_HAVE_HDF5
#include <stdio.h>
#include <string.h>

#include "hdf5_attributes.h"
#include "hdf5_guard.h"

enum { MOST_RANK = 3 };

static ct_status view_fail(const ct_uvh5_view *view, const char *name, ct_error *err)
{
    return ct_error_add(err, CT_DATA,
                        "%s: %s cannot be read: it is not there, or not as UVH5 has it", view->file,
                        name);
}

/* Two numbers: libhdf5 believes what a damaged file says of others. */
static bool view_is_complex(hid_t type)
{
    bool fine = H5Tget_class(type) == H5T_COMPOUND && H5Tget_nmembers(type) == 2;
    for (unsigned i = 0; fine && i < 2; i++) {
        const hid_t member = H5Tget_member_type(type, i);
        fine = member >= 0 && ct_hdf5_type_is_number(member);
        if (member >= 0) H5Tclose(member);
    }
    return fine;
}

/* A part of a data set of this rank, in this type; count[] NULL: a single number. */
static bool view_part(hid_t file, const char *name, int rank, const hsize_t *first,
                      const hsize_t *count, hid_t type, bool numbers, void *out)
{
    hsize_t extent[H5S_MAX_RANK];
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    const hid_t stored = set >= 0 ? H5Dget_type(set) : -1;
    bool fine = space >= 0 && stored >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, extent, NULL) == rank &&
                (numbers ? ct_hdf5_type_is_number(stored) : view_is_complex(stored));
    for (int i = 0; fine && i < rank; i++)
        fine = first[i] <= extent[i] && count[i] <= extent[i] - first[i];
    const hid_t memory = fine && rank > 0 ? H5Screate_simple(rank, count, NULL) : H5S_ALL;
    if (fine && rank > 0)
        fine = memory >= 0 &&
               H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0;
    fine = fine && H5Dread(set, type, memory, rank > 0 ? space : H5S_ALL, H5P_DEFAULT, out) >= 0;
    if (memory > 0) H5Sclose(memory);
    if (stored >= 0) H5Tclose(stored);
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    return fine;
}

static bool view_whole(hid_t file, const char *name, int64_t *out)
{
    return view_part(file, name, 0, NULL, NULL, H5T_NATIVE_INT64, true, out) && *out >= 0;
}

/* Empty where there is none, or one of another kind. */
static void view_text(hid_t file, const char *name, char out[CT_UVH5_VIEW_TEXT])
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t stored = set >= 0 ? H5Dget_type(set) : -1;
    const hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    out[0] = 0;
    if (stored >= 0 && space >= 0 && H5Tget_class(stored) == H5T_STRING &&
        H5Tis_variable_str(stored) == 0 && H5Tget_size(stored) < CT_UVH5_VIEW_TEXT &&
        H5Sget_simple_extent_npoints(space) == 1) {
        if (H5Dread(set, stored, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) out[0] = 0;
        out[H5Tget_size(stored)] = 0;
    }
    if (space >= 0) H5Sclose(space);
    if (stored >= 0) H5Tclose(stored);
    if (set >= 0) H5Dclose(set);
}

static void view_products(ct_uvh5_view *view)
{
    int64_t number[CT_PRODUCTS];
    const hsize_t first = 0, count = (hsize_t)view->products;
    if (view->products > CT_PRODUCTS || !view_part(view->handle, "Header/polarization_array", 1,
                                                   &first, &count, H5T_NATIVE_INT64, true, number))
        return;
    for (int64_t q = 0; q < view->products; q++) {
        const ct_product *one = NULL;
        for (size_t i = 0; ct_product_at(i); i++)
            if (ct_product_at(i)->aips != 0 && ct_product_at(i)->aips == number[q])
                one = ct_product_at(i);
        if (!one) return;
        view->names.of[q] = one;
    }
    view->names.count = view->products;
}

static ct_status view_begin(ct_uvh5_view *view, ct_error *err)
{
    const struct {
        const char *name;
        int64_t *out;
    } wholes[] = {{"Header/Nblts", &view->rows},     {"Header/Nfreqs", &view->channels},
                  {"Header/Npols", &view->products}, {"Header/Ntimes", &view->times},
                  {"Header/Nbls", &view->baselines}, {"Header/Nants_telescope", &view->stations}};
    if (view->handle < 0)
        return ct_error_add(err, CT_DATA, "%s: cannot be opened as HDF5", view->file);
    for (size_t i = 0; i < sizeof wholes / sizeof wholes[0]; i++)
        if (!view_whole(view->handle, wholes[i].name, wholes[i].out))
            return view_fail(view, wholes[i].name, err);
    if (view->rows == 0 || view->channels == 0 || view->products == 0)
        return ct_error_add(err, CT_DATA, "%s: there are no visibilities in it", view->file);
    const hsize_t one = 1, zero = 0, last = (hsize_t)view->channels - 1;
    if (!view_part(view->handle, "Header/freq_array", 1, &zero, &one, H5T_NATIVE_DOUBLE, true,
                   &view->first_hz) ||
        !view_part(view->handle, "Header/freq_array", 1, &last, &one, H5T_NATIVE_DOUBLE, true,
                   &view->last_hz))
        return view_fail(view, "Header/freq_array", err);
    view_text(view->handle, "Header/telescope_name", view->telescope);
    view_text(view->handle, "Header/version", view->version);
    view_products(view);
    return CT_OK;
}

bool ct_uvh5_view_is(const char *file)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hid_t handle = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool is = handle >= 0 && H5Lexists(handle, "Header", H5P_DEFAULT) > 0 &&
                    H5Lexists(handle, "Data", H5P_DEFAULT) > 0 &&
                    H5Lexists(handle, "Data/visdata", H5P_DEFAULT) > 0;
    if (handle >= 0) H5Fclose(handle);
    ct_hdf5_leave(guard);
    return is;
}

ct_status ct_uvh5_view_open(ct_uvh5_view *out, const char *file, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    *out = (ct_uvh5_view){.file = file};
    out->handle = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    const ct_status status = view_begin(out, err);
    ct_hdf5_leave(guard);
    if (status != CT_OK) ct_uvh5_view_close(out);
    return status;
}

void ct_uvh5_view_close(ct_uvh5_view *view)
{
    if (view->handle <= 0) return;
    const ct_hdf5_guard guard = ct_hdf5_enter();
    H5Fclose(view->handle);
    view->handle = -1;
    ct_hdf5_leave(guard);
}

ct_status ct_uvh5_view_rows(const ct_uvh5_view *view, int64_t first, int64_t count, int64_t *ant_1,
                            int64_t *ant_2, double *time_jd, double (*uvw)[3], ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hsize_t from[2] = {(hsize_t)first, 0}, some[2] = {(hsize_t)count, 3};
    const struct {
        const char *name;
        int rank;
        hid_t type;
        void *out;
    } sets[] = {{"Header/ant_1_array", 1, H5T_NATIVE_INT64, ant_1},
                {"Header/ant_2_array", 1, H5T_NATIVE_INT64, ant_2},
                {"Header/time_array", 1, H5T_NATIVE_DOUBLE, time_jd},
                {"Header/uvw_array", 2, H5T_NATIVE_DOUBLE, uvw}};
    ct_status status = CT_OK;
    for (size_t i = 0; status == CT_OK && i < sizeof sets / sizeof sets[0]; i++)
        if (!view_part(view->handle, sets[i].name, sets[i].rank, from, some, sets[i].type, true,
                       sets[i].out))
            status = view_fail(view, sets[i].name, err);
    ct_hdf5_leave(guard);
    return status;
}

static hid_t view_complex(void)
{
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(float));
    if (type >= 0) {
        H5Tinsert(type, "r", 0, H5T_NATIVE_FLOAT);
        H5Tinsert(type, "i", sizeof(float), H5T_NATIVE_FLOAT);
    }
    return type;
}

/* Flags are an enumeration of two; read as such, a byte each. */
static bool view_flags(hid_t file, const hsize_t *first, const hsize_t *count, uint8_t *out)
{
    const int8_t values[] = {0, 1};
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    bool fine = type >= 0 && H5Tenum_insert(type, "FALSE", &values[0]) >= 0 &&
                H5Tenum_insert(type, "TRUE", &values[1]) >= 0;
    fine = fine && view_part(file, "Data/flags", MOST_RANK, first, count, type, true, out);
    if (type >= 0) H5Tclose(type);
    return fine;
}

ct_status ct_uvh5_view_data(const ct_uvh5_view *view, int64_t first, int64_t count, int64_t product,
                            float (*visibility)[2], uint8_t *flag, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hsize_t from[MOST_RANK] = {(hsize_t)first, 0, (hsize_t)product};
    const hsize_t some[MOST_RANK] = {(hsize_t)count, (hsize_t)view->channels, 1};
    const hid_t complex = view_complex();
    ct_status status = CT_OK;
    if (complex < 0 ||
        !view_part(view->handle, "Data/visdata", MOST_RANK, from, some, complex, false, visibility))
        status = view_fail(view, "Data/visdata", err);
    if (status == CT_OK && !view_flags(view->handle, from, some, flag))
        status = view_fail(view, "Data/flags", err);
    if (complex >= 0) H5Tclose(complex);
    ct_hdf5_leave(guard);
    return status;
}

ct_status ct_uvh5_view_frequencies(const ct_uvh5_view *view, double *out, ct_error *err)
{
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hsize_t first = 0, count = (hsize_t)view->channels;
    const bool fine = view_part(view->handle, "Header/freq_array", 1, &first, &count,
                                H5T_NATIVE_DOUBLE, true, out);
    ct_hdf5_leave(guard);
    return fine ? CT_OK : view_fail(view, "Header/freq_array", err);
}

#else

bool ct_uvh5_view_is(const char *file)
{
    (void)file;
    return false;
}

ct_status ct_uvh5_view_open(ct_uvh5_view *out, const char *file, ct_error *err)
{
    *out = (ct_uvh5_view){.file = file, .handle = -1};
    return ct_error_add(err, CT_FAILED, "%s: this Cornerturn was built without HDF5", file);
}

void ct_uvh5_view_close(ct_uvh5_view *view)
{
    (void)view;
}

/* Never called: nothing can be opened. */
ct_status ct_uvh5_view_rows(const ct_uvh5_view *view, int64_t first, int64_t count, int64_t *ant_1,
                            int64_t *ant_2, double *time_jd, double (*uvw)[3], ct_error *err)
{
    (void)first, (void)count, (void)ant_1, (void)ant_2, (void)time_jd, (void)uvw;
    return ct_error_add(err, CT_FAILED, "%s: this Cornerturn was built without HDF5", view->file);
}

ct_status ct_uvh5_view_data(const ct_uvh5_view *view, int64_t first, int64_t count, int64_t product,
                            float (*visibility)[2], uint8_t *flag, ct_error *err)
{
    (void)first, (void)count, (void)product, (void)visibility, (void)flag;
    return ct_error_add(err, CT_FAILED, "%s: this Cornerturn was built without HDF5", view->file);
}

ct_status ct_uvh5_view_frequencies(const ct_uvh5_view *view, double *out, ct_error *err)
{
    (void)out;
    return ct_error_add(err, CT_FAILED, "%s: this Cornerturn was built without HDF5", view->file);
}

#endif
