/* hdf5_text.c: see hdf5_text.h. [HDF5 File Format Specification 2.0, III.E: global heap] An
 * attribute has for each text its length, the heap's place in the file, and a number in that heap.
 * libhdf5 gives these as they are where it is told that they are bytes. Room: io/hdf5. Knows HDF5's
 * global heaps. Does not know formats. */
#ifdef CT_HAVE_HDF5
#include "hdf5_text.h"
#include "input.h"
#include "numbers.h"
#include <string.h>

enum {
    REFERENCE = 16, /* bytes: length 4, place 8, number 4 */
    HEAP_HEAD = 16, /* "GCOL", version 1, reserved 3, size 8 */
    ITEM_HEAD = 16, /* number 2, users 2, reserved 4, size 8 */
    TEXTS_MOST = 512,
    ITEMS_MOST = 65536,
    NAME_MOST = 4096
};

/* ---- references */

/* A conversion that HDF5 lacks: they stay what they are. */
static herr_t text_as_bytes(hid_t from, hid_t to, H5T_cdata_t *about, size_t count, size_t stride,
                            size_t other_stride, void *bytes, void *other, hid_t how)
{
    (void)from, (void)to, (void)count, (void)stride, (void)other_stride;
    (void)bytes, (void)other, (void)how;
    about->need_bkg = H5T_BKG_NO;
    return 0;
}

static bool text_references(hid_t attribute, int64_t count, uint8_t *out)
{
    const hid_t text = H5Tcopy(H5T_C_S1), bytes = H5Tcreate(H5T_OPAQUE, REFERENCE);
    bool fine = text >= 0 && bytes >= 0 && count <= TEXTS_MOST &&
                H5Tset_size(text, H5T_VARIABLE) >= 0 && H5Tset_tag(bytes, "reference") >= 0 &&
                H5Tregister(H5T_PERS_SOFT, "cornerturn", text, bytes, text_as_bytes) >= 0;
    if (fine) {
        fine = H5Aread(attribute, bytes, out) >= 0;
        H5Tunregister(H5T_PERS_SOFT, "cornerturn", text, bytes, text_as_bytes);
    }
    if (bytes >= 0) H5Tclose(bytes);
    if (text >= 0) H5Tclose(text);
    return fine;
}

/* ---- the heap */

/* Where HDF5's place 0 is in the file; -1: its places have another size than usual. */
static int64_t text_base(hid_t attribute)
{
    size_t place = 0, length = 0;
    hsize_t before = 0;
    const hid_t file = H5Iget_file_id(attribute), how = file >= 0 ? H5Fget_create_plist(file) : -1;
    const bool usual = how >= 0 && H5Pget_sizes(how, &place, &length) >= 0 &&
                       H5Pget_userblock(how, &before) >= 0 && place == 8 && length == 8 &&
                       before < (hsize_t)INT64_MAX / 4;
    if (how >= 0) H5Pclose(how);
    if (file >= 0) H5Fclose(file);
    return usual ? (int64_t)before : -1;
}

/* The bytes of an item, from *at on. */
static bool text_item(ct_input *in, int64_t heap, uint64_t number, int64_t *at, int64_t *bytes)
{
    uint8_t head[HEAP_HEAD];
    if (heap < 0 || heap > in->size - HEAP_HEAD ||
        ct_input_read(in, heap, head, sizeof head, NULL) != CT_OK || memcmp(head, "GCOL", 4) != 0)
        return false;
    const uint64_t size = ct_numbers_get(head + 8, 8);
    if (size > (uint64_t)(in->size - heap)) return false;
    const int64_t end = heap + (int64_t)size;
    *at = heap + HEAP_HEAD;
    for (int i = 0; i < ITEMS_MOST && *at <= end - ITEM_HEAD; i++) {
        if (ct_input_read(in, *at, head, sizeof head, NULL) != CT_OK) return false;
        const uint64_t found = ct_numbers_get(head, 2), length = ct_numbers_get(head + 8, 8);
        *at += ITEM_HEAD;
        if (found == 0 || length > (uint64_t)(end - *at)) return false;
        *bytes = (int64_t)length;
        if (found == number) return true;
        *at += (*bytes + 7) / 8 * 8;
    }
    return false;
}

static bool text_find(ct_input *in, int64_t base, const uint8_t *reference, char *out, size_t size,
                      size_t *length)
{
    const uint64_t place = ct_numbers_get(reference + 4, 8);
    int64_t at = 0, bytes = 0;
    if (place > (uint64_t)in->size ||
        !text_item(in, base + (int64_t)place, ct_numbers_get(reference + 12, 4), &at, &bytes))
        return false;
    const uint64_t said = ct_numbers_get(reference, 4);
    *length = said < (uint64_t)bytes ? (size_t)said : (size_t)bytes;
    if (*length > size) *length = size;
    return ct_input_read(in, at, out, *length, NULL) == CT_OK;
}

bool ct_hdf5_text_read(hid_t attribute, int64_t count, char *out, size_t size, size_t *length)
{
    uint8_t references[TEXTS_MOST * REFERENCE];
    char name[NAME_MOST];
    ct_input in;
    const int64_t base = text_base(attribute);
    const ssize_t letters = H5Fget_name(attribute, name, sizeof name);
    if (base < 0 || letters < 1 || letters >= NAME_MOST || count > TEXTS_MOST ||
        !text_references(attribute, count, references) || ct_input_open(&in, name, NULL) != CT_OK)
        return false;
    const bool fine = text_find(&in, base, references, out, size, length);
    ct_input_close(&in);
    return fine;
}

#endif
