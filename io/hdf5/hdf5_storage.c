/* hdf5_storage.c: see hdf5_storage.h.
 * Room: io/hdf5. Knows HDF5's storage. Does not know formats. */
#ifdef CT_HAVE_HDF5
#include "hdf5_storage.h"

enum { FILTER_NAME = 64 };
#define CHUNK_MOST ((int64_t)1 << 26) /* bytes, of which HDF5 has one in memory */
#define SAVED_MOST 1100.0             /* times, by gzip */
#define LEAST (double)((int64_t)1 << 20)

hid_t ct_hdf5_open(const char *file)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t handle = -1;
#if H5_VERSION_GE(1, 10, 7)
    if (access >= 0) H5Pset_file_locking(access, false, true);
#endif
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        handle = H5Fopen(file, H5F_ACC_RDONLY, access);
    if (access >= 0) H5Pclose(access);
    return handle;
}

/* HDF5 looks for filters that it lacks in the folders of HDF5_PLUGIN_PATH. */
static ct_status storage_filters(const ct_hdf5_storage *of, ct_error *err)
{
    const int filters = H5Pget_nfilters(of->how);
    for (int i = 0; i < filters; i++) {
        char name[FILTER_NAME] = "";
        unsigned flags, what;
        size_t values = 0;
        const H5Z_filter_t id =
            H5Pget_filter2(of->how, (unsigned)i, &flags, &values, NULL, sizeof name, name, &what);
        if (id >= 0 && H5Zfilter_avail(id) > 0) continue;
        return ct_error_add(err, CT_DATA,
                            "%s: %s: is compressed by HDF5's filter %d (%.30s), which is not "
                            "installed: expected it in a folder of HDF5_PLUGIN_PATH; the Python "
                            "package hdf5plugin has it, in its folder plugins",
                            of->file, of->name, (int)id, name[0] ? name : "no name");
    }
    return CT_OK;
}

static ct_status storage_chunks(ct_hdf5_storage *of, ct_error *err)
{
    hsize_t chunk[CT_HDF5_RANK] = {0};
    double bytes = (double)of->number_bytes;
    of->chunk_bytes = 0;
    if (H5Pget_layout(of->how) != H5D_CHUNKED) return CT_OK;
    bool known = H5Pget_chunk(of->how, of->rank, chunk) == of->rank;
    for (int i = 0; i < of->rank; i++) {
        known = known && chunk[i] > 0;
        bytes *= (double)chunk[i];
    }
    if (!known || bytes > (double)CHUNK_MOST)
        return ct_error_add(err, CT_DATA,
                            "%s: %s: expected chunks of at most %lld bytes, found %.3g", of->file,
                            of->name, (long long)CHUNK_MOST, bytes);
    of->chunk_bytes = (int64_t)bytes;
    for (int i = 0; i < of->rank; i++)
        of->chunk[i] = (int64_t)chunk[i];
    return storage_filters(of, err);
}

/* What the samples take is in the file, up to what gzip can save; libhdf5 makes room for, and
 * copies, what a damaged file says. */
static ct_status storage_piece(const ct_hdf5_storage *of, ct_error *err)
{
    hsize_t size = 0;
    const bool chunked = of->chunk_bytes > 0;
    const double there = (double)H5Dget_storage_size(of->set);
    if (H5Pget_external_count(of->how) > 0) return CT_OK;
    if (H5Fget_filesize(of->handle, &size) < 0 || there > (double)size)
        return ct_error_add(err, CT_DATA, "%s: %s: is damaged: has %.3g bytes of a file of %.0f",
                            of->file, of->name, there, (double)size);
    const double most = chunked ? SAVED_MOST * there : there;
    if (most >= of->needed && (!chunked || most + LEAST >= (double)of->chunk_bytes)) return CT_OK;
    return ct_error_add(
        err, CT_DATA, "%s: %s: expected %.0f bytes of samples in %s, found %.0f in the file",
        of->file, of->name, of->needed, chunked ? "compressed chunks" : "one piece", there);
}

ct_status ct_hdf5_storage_check(ct_hdf5_storage *of, ct_error *err)
{
    const ct_status status = storage_chunks(of, err);
    return status == CT_OK ? storage_piece(of, err) : status;
}

#endif
