/* h5parm_write.h: makes H5parm files by libhdf5, for tests of what reads them.
 * Room: tests. Knows HDF5. Does not know who reads. */
#ifndef CT_TESTS_H5PARM_WRITE_H
#define CT_TESTS_H5PARM_WRITE_H
#ifdef CT_HAVE_HDF5
#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* What is NULL is not written. Extents are those of `axes`, in their order. */
typedef struct h5parm_table {
    const char *solset, *soltab, *title;
    const char *axes; /* "time,freq,ant,pol" */
    int rank;
    hsize_t extent[5];
    const double *value, *weight;
    const double *time, *freq;
    const char *const *ant, *const *pol, *const *dir;
    bool variable; /* names have lengths of their own */
    hid_t type;    /* of the numbers in the file; 0: double */
} h5parm_table;

static inline void h5parm_put(hid_t group, const char *name, int rank, const hsize_t *extent,
                              hid_t there, hid_t here, const void *data)
{
    hid_t space = H5Screate_simple(rank, extent, NULL);
    hid_t set = H5Dcreate2(group, name, there, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (space < 0 || set < 0) abort();
    if (data && H5Dwrite(set, here, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) abort();
    H5Dclose(set);
    H5Sclose(space);
}

static inline void h5parm_text(hid_t object, const char *name, const char *text)
{
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + (*text == 0));
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, type, text) < 0) abort();
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
}

static inline void h5parm_names(hid_t group, const char *name, const char *const *names,
                                bool variable)
{
    enum { EACH = 9 }; /* as long as the longest: no end is written after it */
    hsize_t count = 0;
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    while (names[count])
        count++;
    char *fixed = (char *)calloc((size_t)count + 1, EACH);
    for (hsize_t n = 0; n < count; n++)
        memcpy(fixed + n * EACH, names[n],
               strlen(names[n]) < EACH ? strlen(names[n]) : (size_t)EACH);
    H5Tset_size(type, variable ? H5T_VARIABLE : (size_t)EACH);
    h5parm_put(group, name, 1, &count, type, type, variable ? (const void *)names : fixed);
    H5Tclose(type);
    free(fixed);
}

/* The extent along an axis by its name, 0 where there is none. */
static inline hsize_t h5parm_extent(const h5parm_table *table, const char *axis)
{
    const char *at = table->axes;
    for (int k = 0; at && *at && k < table->rank; k++) {
        const size_t length = strcspn(at, ",");
        if (strlen(axis) == length && !strncmp(at, axis, length)) return table->extent[k];
        at += length + (at[length] == ',');
    }
    return 0;
}

static inline void h5parm_axis(hid_t group, const h5parm_table *table, const char *name,
                               const double *data)
{
    const hsize_t count = h5parm_extent(table, name);
    if (data && count > 0)
        h5parm_put(group, name, 1, &count, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, data);
}

static inline void h5parm_add(hid_t file, const h5parm_table *table)
{
    const bool there = H5Lexists(file, table->solset, H5P_DEFAULT) > 0;
    hid_t set = there ? H5Gopen2(file, table->solset, H5P_DEFAULT)
                      : H5Gcreate2(file, table->solset, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(set, table->soltab, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set < 0 || group < 0) abort();
    if (table->title) h5parm_text(group, "TITLE", table->title);
    h5parm_put(group, "val", table->rank, table->extent, table->type ? table->type : H5T_IEEE_F64LE,
               H5T_NATIVE_DOUBLE, table->value);
    if (table->weight)
        h5parm_put(group, "weight", table->rank, table->extent, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE,
                   table->weight);
    hid_t val = H5Dopen2(group, "val", H5P_DEFAULT);
    if (table->axes) h5parm_text(val, "AXES", table->axes);
    H5Dclose(val);
    h5parm_axis(group, table, "time", table->time);
    h5parm_axis(group, table, "freq", table->freq);
    if (table->ant) h5parm_names(group, "ant", table->ant, table->variable);
    if (table->pol) h5parm_names(group, "pol", table->pol, table->variable);
    if (table->dir) h5parm_names(group, "dir", table->dir, table->variable);
    H5Gclose(group);
    H5Gclose(set);
}

static inline void h5parm_write(const char *path, const h5parm_table *tables, int count)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) abort();
    for (int n = 0; n < count; n++)
        h5parm_add(file, &tables[n]);
    H5Fclose(file);
}

#endif
#endif
