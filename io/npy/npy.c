/* npy.c: see npy.h. [NumPy enhancement proposal 1; numpy.lib.format]
 * Room: io/npy. Knows the header. Does not know dimensions' names. */
#include "npy.h"
#include "magic.h"
#include "numbers.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NPY_START = 10, NPY_EXTENT_DIGITS = 20, NPY_PAD = 64 };

static const struct npy_kind {
    const char *descr; /* after the byte order */
    ct_type real;      /* the type of one number; for c8 and c16 of the complex one */
    ct_type pair;      /* the type of two along a last axis of 2 */
} npy_kinds[] = {
    {"i1", CT_I8, CT_CI8},    {"i2", CT_I16, CT_CI16},   {"i4", CT_I32, CT_CI32},
    {"i8", CT_NONE, CT_CI64}, {"u1", CT_U8, CT_NONE},    {"u2", CT_U16, CT_NONE},
    {"u4", CT_U32, CT_NONE},  {"f2", CT_F16, CT_CF16},   {"f4", CT_F32, CT_CF32},
    {"c8", CT_CF32, CT_NONE}, {"c16", CT_CF64, CT_NONE}, {"f8", CT_F64, CT_NONE},
    {"b1", CT_U8, CT_NONE},
};

enum { NPY_KINDS = sizeof npy_kinds / sizeof npy_kinds[0] };

bool ct_npy_is(const uint8_t *start, size_t bytes)
{
    (void)bytes;
    return memcmp(start, "\x93NUMPY", 6) == 0;
}

/* The text after 'key': in the dictionary; NULL where it is not. */
static const char *npy_find(const char *text, const char *key)
{
    for (const char *at = strstr(text, key); at; at = strstr(at + 1, key)) {
        const char *end = at + strlen(key);
        if (at == text || (at[-1] != '\'' && at[-1] != '"') || *end != at[-1]) continue;
        end += 1 + strspn(end + 1, " ");
        if (*end == ':') return end + 1 + strspn(end + 1, " ");
    }
    return NULL;
}

static ct_status npy_fail(const ct_input *in, const char *found, const char *expected,
                          ct_error *err)
{
    size_t length = strcspn(found, ")}");
    length = length > 60 ? 60 : length + (found[length] == ')');
    return ct_error_add(err, CT_DATA, "%s: expected %s, found %.*s", in->file, expected,
                        (int)length, found);
}

static ct_status npy_read_descr(ct_npy *out, const ct_input *in, const char *text, ct_error *err)
{
    const char *at = npy_find(text, "descr");
    if (!at || (*at != '\'' && *at != '"'))
        return npy_fail(in, at ? at : "none", "a plain 'descr' in the header", err);
    size_t length = strcspn(at + 1, "'\"");
    if (length < 3 || length >= sizeof out->descr || !strchr("<>|=", at[1]) ||
        !isdigit((unsigned char)at[3]))
        return npy_fail(in, at, "a 'descr' such as '<c8', '<f4' or '|i1'", err);
    memcpy(out->descr, at + 1, length);
    out->kind = out->descr[1];
    out->bytes = (unsigned)strtoul(out->descr + 2, NULL, 10);
    out->big = out->descr[0] == '>' || (out->descr[0] == '=' && ct_numbers_host_is_big());
    if (!strchr("iufcb", out->kind) || out->bytes == 0 || out->bytes > 16)
        return npy_fail(in, at, "integer, real or complex numbers", err);
    return CT_OK;
}

static ct_status npy_read_shape(ct_npy *out, const ct_input *in, const char *text, ct_error *err)
{
    const char *at = npy_find(text, "shape"), *order = npy_find(text, "fortran_order"), *shape = at;
    if (!at || *at != '(') return npy_fail(in, at ? at : "none", "a 'shape' in the header", err);
    if (!order) return npy_fail(in, "none", "a 'fortran_order' in the header", err);
    out->fortran = strncmp(order, "True", 4) == 0;
    for (at++; *(at += strspn(at, " ,")) != ')';) {
        char *end;
        long long extent = strtoll(at, &end, 10);
        if (end == at || extent < 1 || extent > INT64_MAX / 1024 || out->rank == CT_NPY_AXES)
            return npy_fail(in, shape, "a shape of 1 to 9 extents above 0", err);
        out->shape[out->rank++] = extent;
        at = end;
    }
    return out->rank ? CT_OK : npy_fail(in, "()", "a shape of 1 to 9 extents above 0", err);
}

static ct_status npy_check_size(const ct_npy *out, const ct_input *in, ct_error *err)
{
    int64_t bytes = out->bytes;
    for (int i = 0; i < out->rank; i++)
        if (__builtin_mul_overflow(bytes, out->shape[i], &bytes))
            return npy_fail(in, "more than any file holds", "a shape", err);
    if (in->size - out->data_at == bytes) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: expected %lld bytes of numbers after the header, found %lld", in->file,
                        (long long)bytes, (long long)(in->size - out->data_at));
}

ct_status ct_npy_read(ct_npy *out, ct_input *in, ct_error *err)
{
    uint8_t start[12] = {0};
    char text[CT_NPY_LONGEST + 1];
    memset(out, 0, sizeof *out);
    if (in->size < NPY_START)
        return npy_fail(in, "a file that ends before", "the header of a .npy file", err);
    ct_status status = ct_input_read(in, 0, start, NPY_START, err);
    if (status != CT_OK) return status;
    if (!ct_npy_is(start, NPY_START))
        return ct_error_add(err, CT_DATA, "%s: expected a .npy file, found %s", in->file,
                            ct_magic_name(in));
    if (start[6] < 1 || start[6] > 3)
        return npy_fail(in, "another one", "version 1, 2 or 3 of the .npy header", err);
    unsigned wide = start[6] == 1 ? 2 : 4;
    if (wide == 4) status = ct_input_read(in, NPY_START, start + NPY_START, 2, err);
    size_t length = ct_numbers_get(start + 8, wide);
    out->data_at = (int64_t)(8 + wide + length);
    if (status == CT_OK && length > CT_NPY_LONGEST)
        return npy_fail(in, "a longer one", "a header of at most 4096 bytes", err);
    if (status == CT_OK) status = ct_input_read(in, 8 + wide, text, length, err);
    if (status != CT_OK) return status;
    text[length] = '\0';
    status = npy_read_descr(out, in, text, err);
    if (status == CT_OK) status = npy_read_shape(out, in, text, err);
    if (status == CT_OK) status = npy_check_size(out, in, err);
    return status;
}

ct_type ct_npy_type(const ct_npy *header, int axes, ct_type wish)
{
    bool pair = header->rank == axes + 1 && header->shape[header->rank - 1] == 2;
    if (header->rank != axes && !pair) return CT_NONE;
    if (wish == CT_CI4 && !pair && header->bytes == 1) return CT_CI4;
    for (size_t i = 0; i < NPY_KINDS; i++) {
        ct_type type = pair ? npy_kinds[i].pair : npy_kinds[i].real;
        if (strcmp(header->descr + 1, npy_kinds[i].descr) != 0) continue;
        return wish == CT_NONE || wish == type ? type : CT_NONE;
    }
    return CT_NONE;
}

const char *ct_npy_narrower(const ct_npy *header)
{
    static const struct {
        const char *descr, *narrower;
    } wide[] = {{"f8", "float32"}, {"c16", "complex64"}, {"i8", "int32"}, {"u8", "uint32"}};
    const bool pair = header->shape[header->rank - 1] == 2;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strcmp(header->descr + 1, wide[i].descr) == 0 && !(pair && header->kind == 'i'))
            return wide[i].narrower;
    return NULL;
}

/* Which descr stands for a type, and whether a last axis of 2 is needed. */
static const char *npy_descr(ct_type type, bool *pair)
{
    *pair = false;
    if (type == CT_CI4) return "u1";
    for (size_t i = 0; i < NPY_KINDS; i++)
        if (npy_kinds[i].real == type) return npy_kinds[i].descr;
    *pair = true;
    for (size_t i = 0; i < NPY_KINDS; i++)
        if (npy_kinds[i].pair == type) return npy_kinds[i].descr;
    return "V1";
}

size_t ct_npy_print(char *out, size_t size, ct_type type, int rank, const int64_t *shape)
{
    static const uint8_t version_1[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    bool pair;
    const char *descr = npy_descr(type, &pair);
    char text[512];
    int length = snprintf(text, sizeof text, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
                          descr[1] == '1' ? '|' : '<', descr);
    int shortest = length + 16 + rank * (NPY_EXTENT_DIGITS + 2);
    for (int i = 0; i < rank; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%lld", i ? ", " : "",
                           (long long)shape[i]);
    length += snprintf(text + length, sizeof text - (size_t)length, "%s), }",
                       pair        ? ", 2"
                       : rank == 1 ? ","
                                   : "");
    size_t total = ((size_t)(NPY_START + shortest + 1) + NPY_PAD - 1) / NPY_PAD * NPY_PAD;
    if (size < total) return total;
    memset(out, ' ', total);
    memcpy(out, version_1, sizeof version_1);
    ct_numbers_put((uint8_t *)out + 8, 2, total - NPY_START);
    for (int i = 0; i < length; i++)
        out[NPY_START + i] = text[i];
    out[total - 1] = '\n';
    return total;
}
