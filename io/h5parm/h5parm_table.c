/* h5parm_table.c: finds a table in its file, and reads its numbers with their weights. [F. de
 * Gasperin, LoSoTo: the H5parm format]
 * Room: io/h5parm. Knows HDF5 and H5parm's groups. Does not know what is done with solutions. */
#ifdef CT_HAVE_HDF5
#include "h5parm_inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hdf5_guard.h"

enum { MOST_VALUES = 1 << 30, LISTED = 32, DEFLATED = 1032 /* a byte's most, of zlib */ };
#define SMALL_BYTES ((int64_t)1 << 26)

/* Axes by H5parm's names, and a dimension's letter; directions have none, as one of them is read.
 */
static const struct {
    const char *name;
    char dim;
} axes[] = {{"time", 'T'}, {"freq", 'C'}, {"ant", 'S'}, {"pol", 'P'}, {"dir", 'D'}};
enum { AXES = sizeof axes / sizeof *axes };

/* "val": its axes in the file's order. */
typedef struct table_shape {
    int rank;
    char dim[AXES + 1];
    hsize_t extent[AXES], from[AXES]; /* in the file; of the direction that is read */
} table_shape;

/* ---- groups */

/* Names of the members of a group, as far as there is room: NULL after the last. */
static void list_members(hid_t group, char text[LISTED][CT_H5PARM_TEXT],
                         const char *out[LISTED + 1])
{
    int count = 0;
    H5G_info_t info = {0};
    const bool fine = H5Gget_info(group, &info) >= 0;
    for (hsize_t n = 0; fine && n < info.nlinks && count < LISTED; n++) {
        if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, n, text[count],
                               CT_H5PARM_TEXT, H5P_DEFAULT) <= 0)
            continue;
        out[count] = text[count];
        count++;
    }
    out[count] = NULL;
}

static ct_status fail_member(const ct_h5parm *of, hid_t group, const char *what, const char *name,
                             ct_error *err)
{
    char text[LISTED][CT_H5PARM_TEXT], list[512] = "none";
    const char *there[LISTED + 1];
    list_members(group, text, there);
    const char *near = ct_suggest_nearest(name, there);
    size_t used = 0;
    for (int n = 0; there[n] && used < sizeof list; n++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", there[n]);
    if (near)
        return ct_error_add(err, CT_DATA, "%s: there is no %s \"%s\"; did you mean \"%s\"?",
                            of->file, what, name, near);
    return ct_error_add(err, CT_DATA, "%s: there is no %s \"%s\"; there are: %s", of->file, what,
                        name, list);
}

static ct_status open_group(const ct_h5parm *of, hid_t parent, const char *what, const char *name,
                            hid_t *out, ct_error *err)
{
    const bool plain = *name && !strchr(name, '/') && strcmp(name, ".") != 0;
    *out = 0;
    if (!plain || H5Lexists(parent, name, H5P_DEFAULT) <= 0)
        return fail_member(of, parent, what, name, err);
    *out = H5Gopen2(parent, name, H5P_DEFAULT);
    if (*out >= 0) return CT_OK;
    *out = 0;
    return ct_error_add(err, CT_DATA, "%s: \"%s\" is no group, which a %s is", of->file, name,
                        what);
}

/* The file's only one, or the one that is called as the first of most files. */
static ct_status choose_solset(ct_h5parm *of)
{
    char text[LISTED][CT_H5PARM_TEXT];
    const char *there[LISTED + 1];
    list_members(of->handle, text, there);
    of->solset = "sol000";
    if (!there[0] || there[1]) return CT_OK;
    char *copy = ct_step_alloc(of->step, strlen(there[0]) + 1);
    of->solset = copy ? strcpy(copy, there[0]) : NULL;
    return copy ? CT_OK : CT_FAILED;
}

static ct_status open_table(ct_h5parm *of, ct_error *err)
{
    hid_t set = 0;
    of->handle = H5Fopen(of->file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (of->handle < 0)
        return ct_error_add(err, CT_DATA, "%s: HDF5 cannot open it: is it whole?", of->file);
    ct_status status = of->solset ? CT_OK : choose_solset(of);
    if (status == CT_OK) status = open_group(of, of->handle, "solution set", of->solset, &set, err);
    if (status == CT_OK)
        status = open_group(of, set, "solution table", of->soltab, &of->group, err);
    if (set > 0) H5Gclose(set);
    return status;
}

/* ---- shape */

static ct_status add_axis(const ct_h5parm *of, const char *name, size_t length, table_shape *shape,
                          ct_error *err)
{
    for (int a = 0; a < AXES; a++) {
        if (strlen(axes[a].name) != length || strncmp(axes[a].name, name, length) != 0) continue;
        if (strchr(shape->dim, axes[a].dim))
            return ct_h5parm_fail(of, "val", err, "AXES names \"%s\" twice", axes[a].name);
        shape->dim[shape->rank++] = axes[a].dim;
        return CT_OK;
    }
    return ct_h5parm_fail(of, "val", err,
                          "AXES names \"%.*s\", expected time, freq, ant, pol and dir in any order",
                          (int)length, name);
}

static ct_status read_axes(const ct_h5parm *of, hid_t set, table_shape *shape, ct_error *err)
{
    const char *names;
    ct_status status = ct_h5parm_attribute(of, set, "AXES", &names, err);
    if (status == CT_OK && !names)
        status =
            ct_h5parm_fail(of, "val", err, "has no attribute AXES, such as \"time,freq,ant,pol\"");
    while (status == CT_OK && *names) {
        const size_t length = strcspn(names, ",");
        status = add_axis(of, names, length, shape, err);
        names += length + (names[length] == ',');
    }
    return status;
}

static ct_status check_extents(const ct_h5parm *of, hid_t set, const table_shape *shape,
                               ct_error *err)
{
    int64_t count = 1;
    for (int k = 0; k < shape->rank; k++) {
        if (shape->extent[k] < 1) return ct_h5parm_fail(of, "val", err, "holds no solutions");
        if ((hsize_t)(MOST_VALUES / count) < shape->extent[k])
            return ct_h5parm_fail(of, "val", err, "expected at most %d numbers", MOST_VALUES);
        count *= (int64_t)shape->extent[k];
    }
    const int64_t stored = (int64_t)H5Dget_storage_size(set);
    if (8 * count <= SMALL_BYTES || count / DEFLATED <= stored) return CT_OK;
    return ct_h5parm_fail(of, "val", err, "says that it has %lld numbers, in %lld bytes",
                          (long long)count, (long long)stored);
}

static ct_status read_shape(const ct_h5parm *of, hid_t set, table_shape *shape, ct_error *err)
{
    const hid_t space = H5Dget_space(set);
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    ct_status status = CT_OK;
    if (!ct_h5parm_is_numeric(set))
        status = ct_h5parm_fail(of, "val", err, "expected numbers, found something else");
    else
        status = read_axes(of, set, shape, err);
    if (status == CT_OK && rank != shape->rank)
        status = ct_h5parm_fail(of, "val", err, "has %d axes, AXES names %d", rank, shape->rank);
    if (status == CT_OK && !strchr(shape->dim, 'S'))
        status = ct_h5parm_fail(of, "val", err, "has no axis \"ant\"");
    if (status == CT_OK) (void)H5Sget_simple_extent_dims(space, shape->extent, NULL);
    if (space >= 0) H5Sclose(space);
    return status == CT_OK ? check_extents(of, set, shape, err) : status;
}

static ct_status find_direction(const ct_h5parm *of, const char *direction, int64_t extent,
                                hsize_t *out, ct_error *err)
{
    const char *const *names;
    int64_t count = 0, n = 0;
    *out = 0;
    if (extent == 1 && !direction) return CT_OK;
    const ct_status status = ct_h5parm_texts(of, "dir", &names, &count, err);
    if (status != CT_OK) return status;
    if (count != extent)
        return ct_h5parm_fail(of, "dir", err, "has %lld names, \"val\" %lld along that axis",
                              (long long)count, (long long)extent);
    if (!direction)
        return ct_h5parm_fail(of, NULL, err,
                              "has solutions of %lld directions, expected which of them: \"%s\" is "
                              "the first",
                              (long long)extent, names[0]);
    while (n < count && strcmp(names[n], direction) != 0)
        n++;
    *out = (hsize_t)n;
    if (n < count) return CT_OK;
    const char *near = ct_suggest_nearest(direction, names);
    return ct_h5parm_fail(of, "dir", err, "there is no \"%s\"; %s \"%s\"%s", direction,
                          near ? "did you mean" : "the first is", near ? near : names[0],
                          near ? "?" : "");
}

/* ---- numbers and weights */

/* Reads indices first to first + count of the axis `along` (-1: all of them). */
static bool read_part(hid_t set, const table_shape *shape, int along, hsize_t first, hid_t type,
                      void *to)
{
    hsize_t from[AXES], extent[AXES];
    for (int k = 0; k < shape->rank; k++) {
        const bool one = shape->dim[k] == 'D' || k == along;
        from[k] = k == along ? first : shape->from[k];
        extent[k] = one ? 1 : shape->extent[k];
    }
    const hid_t there = H5Dget_space(set), here = H5Screate_simple(shape->rank, extent, NULL);
    const bool fine = there >= 0 && here >= 0 &&
                      H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, extent, NULL) >= 0 &&
                      H5Dread(set, type, here, there, H5P_DEFAULT, to) >= 0;
    if (here >= 0) H5Sclose(here);
    if (there >= 0) H5Sclose(there);
    return fine;
}

static ct_status read_values(const ct_h5parm *of, hid_t set, const table_shape *shape,
                             ct_array *out, ct_error *err)
{
    *out = (ct_array){.type = CT_F64};
    for (int k = 0; k < shape->rank; k++)
        if (shape->dim[k] != 'D') ct_array_add(out, shape->dim[k], (int64_t)shape->extent[k]);
    ct_array_dense(out, NULL);
    out->data = ct_step_alloc(of->step, ct_array_bytes(out));
    if (!out->data) return CT_FAILED;
    if (read_part(set, shape, -1, 0, H5T_NATIVE_DOUBLE, out->data)) return CT_OK;
    return ct_h5parm_fail(of, "val", err,
                          "HDF5 cannot read its numbers: is the file whole, and its filter known?");
}

static bool same_shape(hid_t set, const table_shape *shape)
{
    hsize_t extent[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(set);
    bool same = space >= 0 && H5Sget_simple_extent_ndims(space) == shape->rank &&
                H5Sget_simple_extent_dims(space, extent, NULL) == shape->rank;
    for (int k = 0; same && k < shape->rank; k++)
        same = extent[k] == shape->extent[k];
    if (space >= 0) H5Sclose(space);
    return same;
}

/* Where a weight is 0, or none, the number says nothing. One index of the first axis at a time. */
static ct_status read_weights(const ct_h5parm *of, hid_t set, const table_shape *shape,
                              const ct_array *value, ct_error *err)
{
    const int along = shape->dim[0] == 'D' ? -1 : 0;
    const int64_t count = ct_array_count(value), parts = along < 0 ? 1 : (int64_t)shape->extent[0];
    const int64_t each = count / parts;
    double *number = value->data;
    if (!ct_h5parm_is_numeric(set) || !same_shape(set, shape))
        return ct_h5parm_fail(of, "weight", err, "expected numbers of the shape of \"val\"");
    float *weight = ct_step_alloc(of->step, (size_t)each * sizeof *weight);
    if (!weight) return CT_FAILED;
    for (int64_t part = 0; part < parts; part++) {
        if (!read_part(set, shape, along, (hsize_t)part, H5T_NATIVE_FLOAT, weight))
            return ct_h5parm_fail(of, "weight", err, "HDF5 cannot read its numbers");
        for (int64_t n = 0; n < each; n++)
            if (!(weight[n] > 0)) number[part * each + n] = NAN;
    }
    return CT_OK;
}

static ct_status take_weights(const ct_h5parm *of, const table_shape *shape, const ct_array *value,
                              ct_error *err)
{
    if (H5Lexists(of->group, "weight", H5P_DEFAULT) <= 0) return CT_OK;
    const hid_t set = H5Dopen2(of->group, "weight", H5P_DEFAULT);
    if (set < 0) return ct_h5parm_fail(of, "weight", err, "is no data set");
    const ct_status status = read_weights(of, set, shape, value, err);
    H5Dclose(set);
    return status;
}

/* ---- all of it */

/* "phase" of "phase000" where the file does not say it. */
static ct_status read_type(const ct_h5parm *of, const char **out, ct_error *err)
{
    const ct_status status = ct_h5parm_attribute(of, of->group, "TITLE", out, err);
    if (status != CT_OK || (*out && **out)) return status;
    const size_t length = strcspn(of->soltab, "0123456789");
    char *copy = ct_step_alloc(of->step, length + 1);
    *out = copy ? memcpy(copy, of->soltab, length) : NULL;
    return copy ? CT_OK : CT_FAILED;
}

static ct_status read_names(const ct_h5parm *of, const char *name, int64_t expected,
                            const char *const **out, ct_error *err)
{
    int64_t count = 0;
    const ct_status status = ct_h5parm_texts(of, name, out, &count, err);
    if (status != CT_OK || count == expected) return status;
    return ct_h5parm_fail(of, name, err, "has %lld names, \"val\" %lld along that axis",
                          (long long)count, (long long)expected);
}

static ct_status read_scales(const ct_h5parm *of, ct_solutions *out, ct_error *err)
{
    const ct_array *value = &out->value;
    ct_status status = read_names(of, "ant", ct_array_extent(value, 'S'), &out->stations, err);
    if (status == CT_OK && ct_array_find(value, 'P') >= 0)
        status = read_names(of, "pol", ct_array_extent(value, 'P'), &out->pols, err);
    if (status == CT_OK && ct_array_find(value, 'T') >= 0)
        status = ct_h5parm_axis(of, "time", ct_array_extent(value, 'T'), &out->time_s, err);
    if (status == CT_OK && ct_array_find(value, 'C') >= 0)
        status = ct_h5parm_axis(of, "freq", ct_array_extent(value, 'C'), &out->frequency_hz, err);
    return status;
}

static ct_status read_table(const ct_h5parm *of, hid_t set, const char *direction,
                            ct_solutions *out, ct_error *err)
{
    table_shape shape = {0};
    ct_status status = read_shape(of, set, &shape, err);
    const char *dir = strchr(shape.dim, 'D');
    if (status == CT_OK && dir)
        status = find_direction(of, direction, (int64_t)shape.extent[dir - shape.dim],
                                &shape.from[dir - shape.dim], err);
    else if (status == CT_OK && direction)
        status = ct_h5parm_fail(of, NULL, err, "has no directions, so leave \"direction\" out");
    if (status == CT_OK) status = read_values(of, set, &shape, &out->value, err);
    if (status == CT_OK) status = take_weights(of, &shape, &out->value, err);
    if (status == CT_OK) status = read_scales(of, out, err);
    return status == CT_OK ? read_type(of, &out->type, err) : status;
}

static ct_status read_file(ct_h5parm *of, const char *direction, ct_solutions *out, ct_error *err)
{
    ct_status status = open_table(of, err);
    if (status != CT_OK) return status;
    if (H5Lexists(of->group, "val", H5P_DEFAULT) <= 0)
        return ct_h5parm_fail(of, "val", err, "is missing");
    const hid_t set = H5Dopen2(of->group, "val", H5P_DEFAULT);
    if (set < 0) return ct_h5parm_fail(of, "val", err, "is no data set");
    status = read_table(of, set, direction, out, err);
    H5Dclose(set);
    return status;
}

ct_status ct_h5parm_read(ct_step *step, const char *file, const char *solset, const char *soltab,
                         const char *direction, ct_solutions *out, ct_error *err)
{
    ct_h5parm of = {.step = step, .file = file, .solset = solset, .soltab = soltab};
    const ct_hdf5_guard guard = ct_hdf5_enter();
    const ct_status status = read_file(&of, direction, out, err);
    if (of.group > 0) H5Gclose(of.group);
    if (of.handle > 0) H5Fclose(of.handle);
    ct_hdf5_leave(guard);
    return status;
}

#endif
