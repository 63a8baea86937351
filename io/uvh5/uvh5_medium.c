/* uvh5_medium.c: see uvh5_medium.h. [HDF5: virtual file layer]
 * Room: io/uvh5. Knows bytes. Does not know what they mean. */
#ifdef CT_HAVE_HDF5
#include "uvh5_medium.h"
#include <string.h>

/* ---- where metadata are */

/* The first span that ends at `at` or behind it. */
static int64_t medium_find(const ct_uvh5_medium *medium, int64_t at)
{
    int64_t low = 0, high = medium->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (medium->spans[middle].at + medium->spans[middle].bytes < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool medium_grow(ct_uvh5_medium *medium)
{
    const int64_t room = 2 * medium->room + 64;
    if (medium->count < medium->room) return true;
    ct_uvh5_span *spans = ct_step_alloc(medium->step, (size_t)room * sizeof *spans);
    if (!spans) return false;
    if (medium->count > 0) memcpy(spans, medium->spans, (size_t)medium->count * sizeof *spans);
    medium->spans = spans;
    medium->room = room;
    return true;
}

/* Joins those that it touches. */
static bool medium_note(ct_uvh5_medium *medium, int64_t at, int64_t bytes)
{
    const int64_t first = medium_find(medium, at);
    int64_t last = first, end = at + bytes;
    if (!medium_grow(medium)) return false;
    ct_uvh5_span *spans = medium->spans;
    while (last < medium->count && spans[last].at <= end)
        last++;
    if (last > first) {
        const int64_t there = spans[last - 1].at + spans[last - 1].bytes;
        if (spans[first].at < at) at = spans[first].at;
        if (there > end) end = there;
    }
    memmove(spans + first + 1, spans + last, (size_t)(medium->count - last) * sizeof *spans);
    medium->count += 1 - (last - first);
    spans[first] = (ct_uvh5_span){at, end - at};
    return true;
}

/* ---- what HDF5 asks for */

/* What a property list holds. */
typedef struct medium_access {
    ct_uvh5_medium *medium;
} medium_access;

static ct_uvh5_medium *medium_of(const H5FD_t *driver)
{
    return (ct_uvh5_medium *)driver;
}

/* The first failure is what the user hears. */
static herr_t medium_answer(ct_uvh5_medium *medium, ct_status status)
{
    if (status != CT_OK && medium->failed == CT_OK) medium->failed = status;
    return status == CT_OK ? 0 : -1;
}

static ct_error *medium_error(ct_uvh5_medium *medium)
{
    return medium->failed == CT_OK ? &medium->why : NULL;
}

static H5FD_t *medium_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name, (void)most;
    ct_uvh5_medium *medium = ((const medium_access *)H5Pget_driver_info(access))->medium;
    ct_status status =
        flags & H5F_ACC_TRUNC ? ct_output_resize(&medium->output, 0, medium_error(medium)) : CT_OK;
    if (status == CT_OK)
        status = ct_output_length(&medium->output, &medium->length, medium_error(medium));
    medium->used = 0;
    return medium_answer(medium, status) == 0 ? &medium->driver : NULL;
}

static herr_t medium_close(H5FD_t *driver)
{
    (void)driver; /* its owner has the file */
    return 0;
}

static herr_t medium_query(const H5FD_t *driver, unsigned long *flags)
{
    (void)driver;
    *flags = 0; /* nothing is gathered or read ahead: what is written where does not depend on it */
    return 0;
}

static haddr_t medium_get_used(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return (haddr_t)medium_of(driver)->used;
}

static herr_t medium_set_used(H5FD_t *driver, H5FD_mem_t type, haddr_t used)
{
    (void)type;
    medium_of(driver)->used = (int64_t)used;
    return 0;
}

static haddr_t medium_get_length(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return (haddr_t)medium_of(driver)->length;
}

/* Behind the file's end there are zeros. */
static herr_t medium_read(H5FD_t *driver, H5FD_mem_t type, hid_t how, haddr_t at, size_t bytes,
                          void *out)
{
    (void)type, (void)how;
    ct_uvh5_medium *medium = medium_of(driver);
    const int64_t from = (int64_t)at, left = medium->length > from ? medium->length - from : 0;
    const size_t there = left < (int64_t)bytes ? (size_t)left : bytes;
    memset((char *)out + there, 0, bytes - there);
    if (there == 0) return 0;
    return medium_answer(medium,
                         ct_output_get(&medium->output, from, out, there, medium_error(medium)));
}

static herr_t medium_write(H5FD_t *driver, H5FD_mem_t type, hid_t how, haddr_t at, size_t bytes,
                           const void *data)
{
    (void)how;
    ct_uvh5_medium *medium = medium_of(driver);
    const int64_t end = (int64_t)(at + bytes);
    if (medium->given_up) return 0;
    if (type != H5FD_MEM_DRAW && !medium_note(medium, (int64_t)at, (int64_t)bytes))
        return medium_answer(medium, CT_FAILED);
    if (medium->length < end) medium->length = end;
    return medium_answer(
        medium, ct_output_put(&medium->output, (int64_t)at, data, bytes, medium_error(medium)));
}

/* The file is as long as what HDF5 has taken, which it believes when it opens it again. */
static herr_t medium_truncate(H5FD_t *driver, hid_t how, hbool_t closing)
{
    (void)how, (void)closing;
    ct_uvh5_medium *medium = medium_of(driver);
    if (medium->given_up || medium->length == medium->used) return 0;
    medium->length = medium->used;
    return medium_answer(medium,
                         ct_output_resize(&medium->output, medium->used, medium_error(medium)));
}

static const H5FD_class_t medium_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* of those that are not HDF5's own */
#endif
    .name = "cornerturn",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(medium_access),
    .open = medium_open,
    .close = medium_close,
    .query = medium_query,
    .get_eoa = medium_get_used,
    .set_eoa = medium_set_used,
    .get_eof = medium_get_length,
    .read = medium_read,
    .write = medium_write,
    .truncate = medium_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t ct_uvh5_medium_access(ct_uvh5_medium *medium, hid_t *driver)
{
    const medium_access access = {medium};
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    *driver = H5FDregister(&medium_class);
    if (list >= 0 && *driver >= 0 && H5Pset_driver(list, *driver, &access) >= 0) return list;
    if (list >= 0) H5Pclose(list);
    return -1;
}

/* ---- a copy of the metadata: how many spans, these, their bytes */

static size_t medium_bytes(const ct_uvh5_medium *medium)
{
    size_t bytes = sizeof medium->count + (size_t)medium->count * sizeof *medium->spans;
    for (int64_t i = 0; i < medium->count; i++)
        bytes += (size_t)medium->spans[i].bytes;
    return bytes;
}

ct_status ct_uvh5_medium_save(ct_uvh5_medium *medium, const void **data, size_t *bytes,
                              ct_error *err)
{
    ct_status status = CT_OK;
    const size_t table = (size_t)medium->count * sizeof *medium->spans;
    *bytes = medium_bytes(medium);
    if (*bytes > medium->image_room) {
        medium->image = ct_step_alloc(medium->step, 2 * *bytes);
        medium->image_room = medium->image ? 2 * *bytes : 0;
        if (!medium->image) return CT_FAILED;
    }
    uint8_t *at = medium->image;
    memcpy(at, &medium->count, sizeof medium->count);
    memcpy(at + sizeof medium->count, medium->spans, table);
    at += sizeof medium->count + table;
    for (int64_t i = 0; status == CT_OK && i < medium->count; i++) {
        const ct_uvh5_span span = medium->spans[i];
        status = ct_output_get(&medium->output, span.at, at, (size_t)span.bytes, err);
        at += span.bytes;
    }
    *data = medium->image;
    return status;
}

static ct_status medium_torn(const ct_uvh5_medium *medium, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: what the journal has of it is not whole",
                        medium->output.file);
}

ct_status ct_uvh5_medium_restore(ct_uvh5_medium *medium, const void *data, size_t bytes,
                                 ct_error *err)
{
    ct_status status = CT_OK;
    const uint8_t *from = data;
    int64_t count = 0;
    if (bytes >= sizeof count) memcpy(&count, from, sizeof count);
    if (count < 1 || (size_t)count > (bytes - sizeof count) / sizeof(ct_uvh5_span))
        return medium_torn(medium, err);
    const uint8_t *at = from + sizeof count + (size_t)count * sizeof(ct_uvh5_span);
    for (int64_t i = 0; status == CT_OK && i < count; i++) {
        ct_uvh5_span span;
        memcpy(&span, from + sizeof count + (size_t)i * sizeof span, sizeof span);
        if (span.at < 0 || span.bytes < 0 || span.bytes > from + bytes - at)
            return medium_torn(medium, err);
        if (!medium_note(medium, span.at, span.bytes)) return CT_FAILED;
        status = ct_output_put(&medium->output, span.at, at, (size_t)span.bytes, err);
        at += span.bytes;
    }
    return status == CT_OK ? ct_output_flush(&medium->output, false, err) : status;
}

#endif
