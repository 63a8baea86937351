/* hdf5_driver.c: see hdf5_driver.h. [HDF5: virtual file layer]
 * Room: io/hdf5. Knows bytes. Does not know what they mean. */
#ifdef CT_HAVE_HDF5
#include "hdf5_driver.h"
#include <string.h>

/* ---- where metadata are */

/* The first span that ends at `at` or after it. */
static int64_t driver_find(const ct_hdf5_driver *disk, int64_t at)
{
    int64_t low = 0, high = disk->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (disk->spans[middle].at + disk->spans[middle].bytes < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool driver_grow(ct_hdf5_driver *disk)
{
    const int64_t room = 2 * disk->room + 64;
    if (disk->count < disk->room) return true;
    ct_hdf5_span *spans = ct_step_alloc(disk->step, (size_t)room * sizeof *spans);
    if (!spans) return false;
    if (disk->count > 0) memcpy(spans, disk->spans, (size_t)disk->count * sizeof *spans);
    disk->spans = spans;
    disk->room = room;
    return true;
}

/* Joins those that it touches. */
static bool driver_note(ct_hdf5_driver *disk, int64_t at, int64_t bytes)
{
    const int64_t first = driver_find(disk, at);
    int64_t last = first, end = at + bytes;
    if (!driver_grow(disk)) return false;
    ct_hdf5_span *spans = disk->spans;
    while (last < disk->count && spans[last].at <= end)
        last++;
    if (last > first) {
        const int64_t there = spans[last - 1].at + spans[last - 1].bytes;
        if (spans[first].at < at) at = spans[first].at;
        if (there > end) end = there;
    }
    memmove(spans + first + 1, spans + last, (size_t)(disk->count - last) * sizeof *spans);
    disk->count += 1 - (last - first);
    spans[first] = (ct_hdf5_span){at, end - at};
    return true;
}

/* ---- what HDF5 asks for */

/* What a property list holds. */
typedef struct driver_access {
    ct_hdf5_driver *disk;
} driver_access;

static ct_hdf5_driver *driver_of(const H5FD_t *driver)
{
    return (ct_hdf5_driver *)driver;
}

/* The first failure is the one that is reported; nothing is written after it. */
static void driver_remember(ct_hdf5_driver *disk, ct_status status)
{
    if (status == CT_OK) return;
    if (disk->failed == CT_OK) disk->failed = status;
    disk->given_up = true;
}

static herr_t driver_answer(ct_hdf5_driver *disk, ct_status status)
{
    driver_remember(disk, status);
    return status == CT_OK ? 0 : -1;
}

static ct_error *driver_error(ct_hdf5_driver *disk)
{
    return disk->failed == CT_OK ? &disk->why : NULL;
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name, (void)most;
    ct_hdf5_driver *disk = ((const driver_access *)H5Pget_driver_info(access))->disk;
    ct_status status =
        flags & H5F_ACC_TRUNC ? ct_output_resize(&disk->output, 0, driver_error(disk)) : CT_OK;
    if (status == CT_OK)
        status = ct_output_length(&disk->output, &disk->length, driver_error(disk));
    disk->used = 0;
    return driver_answer(disk, status) == 0 ? &disk->driver : NULL;
}

static herr_t driver_close(H5FD_t *driver)
{
    (void)driver; /* its owner has the file */
    return 0;
}

static herr_t driver_query(const H5FD_t *driver, unsigned long *flags)
{
    (void)driver;
    *flags = 0; /* nothing is buffered or read ahead: what is written where does not depend on it */
    return 0;
}

static haddr_t driver_get_used(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return (haddr_t)driver_of(driver)->used;
}

static herr_t driver_set_used(H5FD_t *driver, H5FD_mem_t type, haddr_t used)
{
    (void)type;
    driver_of(driver)->used = (int64_t)used;
    return 0;
}

static haddr_t driver_get_length(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return (haddr_t)driver_of(driver)->length;
}

/* After the file's end there are zeros. */
static herr_t driver_read(H5FD_t *driver, H5FD_mem_t type, hid_t how, haddr_t at, size_t bytes,
                          void *out)
{
    (void)type, (void)how;
    ct_hdf5_driver *disk = driver_of(driver);
    const int64_t from = (int64_t)at, left = disk->length > from ? disk->length - from : 0;
    const size_t there = left < (int64_t)bytes ? (size_t)left : bytes;
    memset((char *)out + there, 0, bytes - there);
    if (there == 0) return 0;
    return driver_answer(disk, ct_output_get(&disk->output, from, out, there, driver_error(disk)));
}

/* HDF5 (1.10.8) cannot close a file any more once a flush of it has failed, and crashes when the
 * process ends: it does not learn of failures. They are in `failed`. */
static herr_t driver_write(H5FD_t *driver, H5FD_mem_t type, hid_t how, haddr_t at, size_t bytes,
                           const void *data)
{
    (void)how;
    ct_hdf5_driver *disk = driver_of(driver);
    const int64_t end = (int64_t)(at + bytes);
    if (disk->given_up) return 0;
    const bool noted = type == H5FD_MEM_DRAW || driver_note(disk, (int64_t)at, (int64_t)bytes);
    if (disk->length < end) disk->length = end;
    driver_remember(
        disk, noted ? ct_output_put(&disk->output, (int64_t)at, data, bytes, driver_error(disk))
                    : CT_FAILED);
    return 0;
}

/* The file is as long as what HDF5 has allocated, which it checks when it opens it again. */
static herr_t driver_truncate(H5FD_t *driver, hid_t how, hbool_t closing)
{
    (void)how, (void)closing;
    ct_hdf5_driver *disk = driver_of(driver);
    if (disk->given_up || disk->length == disk->used) return 0;
    disk->length = disk->used;
    driver_remember(disk, ct_output_resize(&disk->output, disk->used, driver_error(disk)));
    return 0;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* of those that are not HDF5's own */
#endif
    .name = "cornerturn",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(driver_access),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_used,
    .set_eoa = driver_set_used,
    .get_eof = driver_get_length,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t ct_hdf5_driver_access(ct_hdf5_driver *disk, hid_t *driver)
{
    const driver_access access = {disk};
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    *driver = H5FDregister(&driver_class);
    if (list >= 0 && *driver >= 0 && H5Pset_driver(list, *driver, &access) >= 0) return list;
    if (list >= 0) H5Pclose(list);
    return -1;
}

/* ---- a copy of the metadata: how many spans, these, their bytes */

static size_t driver_bytes(const ct_hdf5_driver *disk)
{
    size_t bytes = sizeof disk->count + (size_t)disk->count * sizeof *disk->spans;
    for (int64_t i = 0; i < disk->count; i++)
        bytes += (size_t)disk->spans[i].bytes;
    return bytes;
}

ct_status ct_hdf5_driver_save(ct_hdf5_driver *disk, const void **data, size_t *bytes, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t table = (size_t)disk->count * sizeof *disk->spans;
    *bytes = driver_bytes(disk);
    if (*bytes > disk->image_room) {
        disk->image = ct_step_alloc(disk->step, 2 * *bytes);
        disk->image_room = disk->image ? 2 * *bytes : 0;
        if (!disk->image) return CT_FAILED;
    }
    uint8_t *at = disk->image;
    memcpy(at, &disk->count, sizeof disk->count);
    memcpy(at + sizeof disk->count, disk->spans, table);
    at += sizeof disk->count + table;
    for (int64_t i = 0; status == CT_OK && i < disk->count; i++) {
        const ct_hdf5_span span = disk->spans[i];
        status = ct_output_get(&disk->output, span.at, at, (size_t)span.bytes, err);
        at += span.bytes;
    }
    *data = disk->image;
    return status;
}

static ct_status driver_torn(const ct_hdf5_driver *disk, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: what the journal has of it is not whole",
                        disk->output.file);
}

ct_status ct_hdf5_driver_restore(ct_hdf5_driver *disk, const void *data, size_t bytes,
                                 ct_error *err)
{
    ct_status status = CT_OK;
    const uint8_t *from = data;
    int64_t count = 0;
    if (bytes >= sizeof count) memcpy(&count, from, sizeof count);
    if (count < 1 || (size_t)count > (bytes - sizeof count) / sizeof(ct_hdf5_span))
        return driver_torn(disk, err);
    const uint8_t *at = from + sizeof count + (size_t)count * sizeof(ct_hdf5_span);
    for (int64_t i = 0; status == CT_OK && i < count; i++) {
        ct_hdf5_span span;
        memcpy(&span, from + sizeof count + (size_t)i * sizeof span, sizeof span);
        if (span.at < 0 || span.bytes < 0 || span.bytes > from + bytes - at)
            return driver_torn(disk, err);
        if (!driver_note(disk, span.at, span.bytes)) return CT_FAILED;
        status = ct_output_put(&disk->output, span.at, at, (size_t)span.bytes, err);
        at += span.bytes;
    }
    return status == CT_OK ? ct_output_flush(&disk->output, false, err) : status;
}

#endif
