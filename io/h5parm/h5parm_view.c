/* h5parm_view.c: which tables of solutions a file has, for `cornerturn info FILE`.
 * Room: io/h5parm. Knows HDF5 and H5parm's groups. Does not know what is done with solutions. */
#ifdef CT_HAVE_HDF5
#include "describe_lines.h"
#include "h5parm.h"
#include "hdf5_attributes.h"
#include "hdf5_guard.h"
#include "hdf5_storage.h"
#include <string.h>

enum { NAME = 64, LISTED = 32, RANK = 8 };

/* The n-th member, if it is a group: open; else below 0. */
static hid_t view_group(hid_t at, hsize_t n, char name[NAME])
{
    H5O_info_t about;
    if (H5Lget_name_by_idx(at, ".", H5_INDEX_NAME, H5_ITER_INC, n, name, NAME, H5P_DEFAULT) <= 0 ||
        H5Oget_info_by_name(at, name, &about, H5P_DEFAULT) < 0 || about.type != H5O_TYPE_GROUP)
        return -1;
    return H5Gopen2(at, name, H5P_DEFAULT);
}

static hsize_t view_members(hid_t at)
{
    H5G_info_t info = {0};
    if (H5Gget_info(at, &info) < 0) return 0;
    return info.nlinks < LISTED ? info.nlinks : LISTED;
}

/* "time,freq,ant 10 x 3 x 5", of its numbers. */
static void view_table(FILE *out, hid_t table, const char *set, const char *name)
{
    char title[NAME], axes[NAME] = "", extents[128] = "";
    hsize_t extent[RANK];
    const hid_t val = H5Dopen2(table, "val", H5P_DEFAULT),
                space = val >= 0 ? H5Dget_space(val) : -1;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    if (!ct_hdf5_get_text(table, "TITLE", title, sizeof title)) snprintf(title, NAME, "numbers");
    if (val >= 0) (void)ct_hdf5_get_text(val, "AXES", axes, sizeof axes);
    if (rank > 0 && rank <= RANK) H5Sget_simple_extent_dims(space, extent, NULL);
    for (int i = 0; i < rank && rank <= RANK; i++) {
        const size_t length = strlen(extents);
        snprintf(extents + length, sizeof extents - length, "%s%llu", i ? " x " : "",
                 (unsigned long long)extent[i]);
    }
    if (space >= 0) H5Sclose(space);
    if (val >= 0) H5Dclose(val);
    ct_describe_line(out, "table", "%s/%s: %s, %s %s", set, name, title, axes, extents);
}

/* Tables, and lines about them where `out` is there. */
static int view_set(FILE *out, hid_t set, const char *set_name)
{
    char name[NAME];
    int tables = 0;
    for (hsize_t n = 0; n < view_members(set); n++) {
        const hid_t table = view_group(set, n, name);
        const bool is = table >= 0 && H5Lexists(table, "val", H5P_DEFAULT) > 0 &&
                        H5Lexists(table, "weight", H5P_DEFAULT) > 0;
        if (is && out) view_table(out, table, set_name, name);
        if (table >= 0) H5Gclose(table);
        tables += is;
    }
    return tables;
}

static int view_file(FILE *out, const char *file)
{
    char name[NAME];
    int tables = 0;
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const hid_t handle = ct_hdf5_open(file);
    for (hsize_t n = 0; handle >= 0 && n < view_members(handle); n++) {
        const hid_t set = view_group(handle, n, name);
        if (set >= 0) tables += view_set(out, set, name);
        if (set >= 0) H5Gclose(set);
    }
    if (handle >= 0) H5Fclose(handle);
    ct_hdf5_leave(guard);
    return tables;
}

bool ct_h5parm_is(const char *file)
{
    return view_file(NULL, file) > 0;
}

ct_status ct_h5parm_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_describe_line(out, "format", "H5parm, solutions of a calibration, HDF5");
    if (view_file(out, in->file) > 0) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: expected tables of solutions, found none", in->file);
}

#endif
