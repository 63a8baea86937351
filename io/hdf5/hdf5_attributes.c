/* hdf5_attributes.c: see hdf5_attributes.h. What is read may be anything: sizes are looked at
 * before HDF5 is asked for values.
 * Room: io/hdf5. Knows HDF5. Does not know formats. */
#ifdef CT_HAVE_HDF5
#include "hdf5_attributes.h"
#include "hdf5_text.h"
#include <math.h>
#include <string.h>

enum { TEXTS_MOST = 128, FIXED_MOST = 8192, TEXT_MOST = 256 };

/* ---- writing */

static bool attributes_put(hid_t at, const char *name, hid_t type, size_t count, const void *data)
{
    const hsize_t extent = count;
    const hid_t space = count > 0 ? H5Screate_simple(1, &extent, NULL) : H5Screate(H5S_SCALAR);
    const hid_t one = space >= 0 ? H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    const bool fine = one >= 0 && H5Awrite(one, type, data) >= 0;
    if (one >= 0) H5Aclose(one);
    if (space >= 0) H5Sclose(space);
    return fine;
}

/* ASCII, which every reader takes; what does not fit is left out. */
static void attributes_letters(char *out, size_t size, const char *text)
{
    size_t length = 0;
    for (; text && *text && length + 1 < size; text++)
        out[length++] = '~' < *text || *text < ' ' ? '?' : *text;
    out[length] = 0;
}

bool ct_hdf5_put_texts(hid_t at, const char *name, const char *const *texts, size_t count)
{
    char letters[TEXTS_MOST][TEXT_MOST];
    const char *list[TEXTS_MOST];
    const size_t most = count < TEXTS_MOST ? count : TEXTS_MOST;
    const hid_t type = H5Tcopy(H5T_C_S1);
    for (size_t i = 0; i < (count > 0 ? most : 1); i++) {
        attributes_letters(letters[i], sizeof letters[i], texts[i]);
        list[i] = letters[i];
    }
    const bool fine = type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 &&
                      attributes_put(at, name, type, most, list);
    if (type >= 0) H5Tclose(type);
    return fine;
}

bool ct_hdf5_put_text(hid_t at, const char *name, const char *text)
{
    return ct_hdf5_put_texts(at, name, &text, 0);
}

bool ct_hdf5_put_reals(hid_t at, const char *name, const double *reals, size_t count)
{
    return attributes_put(at, name, H5T_NATIVE_DOUBLE, count, reals);
}

bool ct_hdf5_put_wholes(hid_t at, const char *name, const uint32_t *wholes, size_t count)
{
    return attributes_put(at, name, H5T_NATIVE_UINT32, count, wholes);
}

bool ct_hdf5_put_whole(hid_t at, const char *name, int64_t whole)
{
    const uint32_t narrow = (uint32_t)whole;
    if (whole >= 0 && whole <= UINT32_MAX) return ct_hdf5_put_wholes(at, name, &narrow, 0);
    return attributes_put(at, name, H5T_NATIVE_INT64, 0, &whole);
}

/* ---- reading */

typedef struct attribute {
    hid_t one, type;
    H5T_class_t kind;
    int64_t count;
} attribute;

static bool attributes_open(attribute *out, hid_t at, const char *name)
{
    *out = (attribute){-1, -1, H5T_NO_CLASS, 0};
    if (H5Aexists(at, name) <= 0) return false;
    out->one = H5Aopen(at, name, H5P_DEFAULT);
    out->type = out->one >= 0 ? H5Aget_type(out->one) : -1;
    const hid_t space = out->one >= 0 ? H5Aget_space(out->one) : -1;
    if (out->type >= 0) out->kind = H5Tget_class(out->type);
    if (space >= 0) out->count = H5Sget_simple_extent_npoints(space);
    if (space >= 0) H5Sclose(space);
    return out->type >= 0 && out->count > 0;
}

static void attributes_close(attribute *of)
{
    if (of->type >= 0) H5Tclose(of->type);
    if (of->one >= 0) H5Aclose(of->one);
}

static bool attributes_is_plain(hid_t type)
{
    const hid_t plain[] = {H5T_STD_I8LE,   H5T_STD_I8BE,   H5T_STD_I16LE,  H5T_STD_I16BE,
                           H5T_STD_I32LE,  H5T_STD_I32BE,  H5T_STD_I64LE,  H5T_STD_I64BE,
                           H5T_STD_U8LE,   H5T_STD_U8BE,   H5T_STD_U16LE,  H5T_STD_U16BE,
                           H5T_STD_U32LE,  H5T_STD_U32BE,  H5T_STD_U64LE,  H5T_STD_U64BE,
                           H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (H5Tequal(type, plain[i]) > 0) return true;
    return false;
}

bool ct_hdf5_type_is_number(hid_t type)
{
    if (H5Tget_class(type) != H5T_ENUM) return attributes_is_plain(type);
    const hid_t of = H5Tget_super(type);
    const bool plain = of >= 0 && attributes_is_plain(of);
    if (of >= 0) H5Tclose(of);
    return plain;
}

int64_t ct_hdf5_count_reals(hid_t at, const char *name, int64_t most)
{
    attribute of;
    const bool there = attributes_open(&of, at, name) && ct_hdf5_type_is_number(of.type);
    attributes_close(&of);
    return there && of.count <= most ? of.count : -1;
}

bool ct_hdf5_get_reals(hid_t at, const char *name, double *out, int64_t count)
{
    attribute of;
    const bool there = attributes_open(&of, at, name) && ct_hdf5_type_is_number(of.type) &&
                       of.count == count && H5Aread(of.one, H5T_NATIVE_DOUBLE, out) >= 0;
    attributes_close(&of);
    return there;
}

bool ct_hdf5_get_real(hid_t at, const char *name, double *out)
{
    double found = NAN;
    const bool there = ct_hdf5_get_reals(at, name, &found, 1) && isfinite(found);
    if (there) *out = found;
    return there;
}

static void attributes_trim(char *out, size_t size, const char *text, size_t letters)
{
    if (letters > size - 1) letters = size - 1;
    memcpy(out, text, letters);
    out[letters] = 0;
    for (size_t end = strlen(out); end > 0 && out[end - 1] == ' '; end--)
        out[end - 1] = 0;
}

static bool attributes_get_variable(const attribute *of, char *out, size_t size)
{
    char letters[TEXT_MOST];
    size_t length = 0;
    if (!ct_hdf5_text_read(of->one, of->count, letters, sizeof letters, &length)) return false;
    attributes_trim(out, size, letters, strnlen(letters, length));
    return out[0];
}

static bool attributes_get_fixed(const attribute *of, char *out, size_t size)
{
    char bytes[FIXED_MOST];
    const size_t letters = H5Tget_size(of->type);
    if (letters < 1 || of->count > FIXED_MOST || letters > FIXED_MOST / (size_t)of->count ||
        H5Aread(of->one, of->type, bytes) < 0)
        return false;
    attributes_trim(out, size, bytes, strnlen(bytes, letters));
    return out[0];
}

bool ct_hdf5_get_text(hid_t at, const char *name, char *out, size_t size)
{
    attribute of;
    bool fine = false;
    out[0] = 0;
    if (attributes_open(&of, at, name) && of.kind == H5T_STRING)
        fine = H5Tis_variable_str(of.type) > 0 ? attributes_get_variable(&of, out, size)
                                               : attributes_get_fixed(&of, out, size);
    attributes_close(&of);
    return fine;
}

#endif
