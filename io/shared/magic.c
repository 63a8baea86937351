/* magic.c: see magic.h. [FITS 4.0; HDF5 file format]
 * Room: io/shared. Knows the beginnings of formats. Does not know what is in them. */
#include "magic.h"
#include <string.h>

#define BEGINS(text) text, sizeof text - 1

static const struct {
    const char *start;
    size_t bytes;
    const char *name;
} magic_kinds[] = {
    {BEGINS("\x1f\x8b"), "a file compressed by gzip: gunzip makes what it holds"},
    {BEGINS("\x28\xb5\x2f\xfd"), "a file compressed by zstd: unzstd makes what it holds"},
    {BEGINS("\x89HDF\r\n\x1a\n"),
     "an HDF5 file of another kind, or a damaged one: h5py reads such, and numpy.save makes a .npy "
     "file of an array, for source.npy"},
};

static const ct_format *magic_format(const char *file, const uint8_t *start, size_t bytes)
{
    const ct_format *found = NULL;
    for (int i = 0; ct_formats[i]; i++) {
        const ct_format *one = ct_formats[i];
        if (!one->is || !one->is(start, bytes)) continue;
        if (one->holds && one->holds(file)) return one;
        if (!one->holds && !found) found = one;
    }
    return found;
}

/* What is after a short file's bytes is 0. */
static ct_status magic_read(uint8_t start[CT_FORMAT_START], size_t *bytes, ct_input *in,
                            ct_error *err)
{
    memset(start, 0, CT_FORMAT_START);
    *bytes = in->size < CT_FORMAT_START ? (size_t)in->size : CT_FORMAT_START;
    return ct_input_read(in, 0, start, *bytes, err);
}

ct_status ct_magic_format(const ct_format **out, ct_input *in, ct_error *err)
{
    uint8_t start[CT_FORMAT_START];
    size_t bytes;
    const ct_status status = magic_read(start, &bytes, in, err);
    *out = status == CT_OK ? magic_format(in->file, start, bytes) : NULL;
    return status;
}

const char *ct_magic_other(ct_input *in, const char *name)
{
    const ct_format *format;
    if (ct_magic_format(&format, in, NULL) != CT_OK || !format || !format->found) return NULL;
    return strcmp(format->name, name) == 0 ? NULL : format->found;
}

const char *ct_magic_find(ct_input *in)
{
    uint8_t start[CT_FORMAT_START];
    size_t bytes;
    if (magic_read(start, &bytes, in, NULL) != CT_OK) return NULL;
    const ct_format *format = magic_format(in->file, start, bytes);
    if (format && format->found) return format->found;
    for (size_t i = 0; i < sizeof magic_kinds / sizeof magic_kinds[0]; i++)
        if (bytes >= magic_kinds[i].bytes &&
            memcmp(start, magic_kinds[i].start, magic_kinds[i].bytes) == 0)
            return magic_kinds[i].name;
    return NULL;
}

const char *ct_magic_name(ct_input *in)
{
    uint8_t start[CT_FORMAT_START];
    size_t bytes;
    const char *name = ct_magic_find(in);
    if (name) return name;
    const bool empty = magic_read(start, &bytes, in, NULL) == CT_OK && bytes == 0;
    return empty ? "an empty file" : "another kind of file";
}
