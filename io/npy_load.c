/* npy_load.c: reads a whole small .npy file (weights, taps) into a step's memory.
 * Room: io. Knows the .npy header, versions 1 to 3. Does not know what the numbers mean.
 * Called by: stages, from infer(), for parameters that name a file. */
#include "cornerturn.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER_LONGEST = 65536 };

/* One file on its way in: whom to blame, and what the header said. */
typedef struct npy {
    ct_step *step;
    const char *param, *path;
    FILE *file;
    char *header;
} npy;

static const struct {
    const char *descr; /* after the byte order */
    ct_type type;
} npy_types[] = {
    {"f4", CT_F32}, {"f8", CT_F64}, {"c8", CT_CF32}, {"c16", CT_CF64},
    {"i1", CT_I8},  {"i2", CT_I16}, {"i4", CT_I32},  {"u1", CT_U8},
    {"u2", CT_U16}, {"u4", CT_U32}, {"f2", CT_F16},
};

static ct_status npy_fail(const npy *in, ct_error *err, const char *found, const char *expected)
{
    return ct_step_fail(in->step, in->param, err, "%s: expected %s, found %s", in->path, expected,
                        found);
}

/* The text after 'key': in the header, which is a Python dictionary; NULL where it is not. */
static const char *npy_find(const npy *in, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *at = strstr(in->header, quoted);
    if (!at) return NULL;
    at += strlen(quoted);
    return at + strspn(at, " ");
}

static ct_status npy_read_type(const npy *in, ct_array *out, ct_error *err)
{
    const char *at = npy_find(in, "descr");
    char descr[16] = "";
    if (!at || sscanf(at, "'%15[^']'", descr) != 1)
        return npy_fail(in, err, "none", "a plain 'descr' in the header");
    for (size_t i = 0; descr[0] != '>' && i < sizeof npy_types / sizeof npy_types[0]; i++)
        if (strcmp(descr + 1, npy_types[i].descr) == 0) out->type = npy_types[i].type;
    if (out->type != CT_NONE) return CT_OK;
    return npy_fail(in, err, descr, "little-endian numbers such as <f4, <f8 or <c8");
}

static ct_status npy_read_shape(const npy *in, ct_array *out, ct_error *err)
{
    const char *at = npy_find(in, "shape");
    if (!at || *at != '(') return npy_fail(in, err, "none", "a 'shape' in the header");
    at++;
    while (*(at += strspn(at, " ,")) != ')') {
        char *end;
        errno = 0;
        long long extent = strtoll(at, &end, 10);
        if (end == at || extent < 1 || errno || out->rank == CT_DIMS)
            return npy_fail(in, err, at, "a shape of 1 to 8 positive extents");
        out->extent[out->rank++] = extent;
        at = end;
    }
    return CT_OK;
}

static void npy_set_strides(ct_array *out, bool fortran)
{
    int64_t stride = 1;
    for (int i = 0; i < out->rank; i++) {
        int place = fortran ? i : out->rank - 1 - i;
        out->stride[place] = stride;
        stride *= out->extent[place];
    }
}

static ct_status npy_read_header(npy *in, ct_error *err)
{
    unsigned char start[12] = {0};
    if (fread(start, 1, 10, in->file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0)
        return npy_fail(in, err, "another kind of file", "a .npy file");
    size_t length = start[8] | (size_t)start[9] << 8;
    if (start[6] > 1) {
        if (fread(start + 10, 1, 2, in->file) != 2) return npy_fail(in, err, "its end", "a header");
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    if (length == 0 || length > HEADER_LONGEST)
        return npy_fail(in, err, "one of impossible length", "a header");
    in->header = ct_step_alloc(in->step, length + 1);
    if (fread(in->header, 1, length, in->file) != length)
        return npy_fail(in, err, "its end", "a whole header");
    return CT_OK;
}

static ct_status npy_read_data(npy *in, ct_array *out, ct_error *err)
{
    char found[64], expected[64];
    fpos_t begin;
    size_t bytes = ct_type_bits(out->type) / 8;
    for (int i = 0; i < out->rank; i++)
        if (__builtin_mul_overflow(bytes, (size_t)out->extent[i], &bytes))
            return npy_fail(in, err, "more than fits in memory", "an array");
    if (fgetpos(in->file, &begin) != 0 || fseek(in->file, 0, SEEK_END) != 0)
        return npy_fail(in, err, strerror(errno), "a file that can be searched");
    long end = ftell(in->file);
    fsetpos(in->file, &begin);
    long at = ftell(in->file);
    if (end < at || (size_t)(end - at) < bytes) {
        snprintf(expected, sizeof expected, "%zu bytes of numbers", bytes);
        snprintf(found, sizeof found, "%ld", end - at);
        return npy_fail(in, err, found, expected);
    }
    out->data = ct_step_alloc(in->step, bytes);
    if (fread(out->data, 1, bytes, in->file) != bytes)
        return npy_fail(in, err, "its end", "whole data");
    return CT_OK;
}

static ct_status npy_read(npy *in, ct_array *out, ct_error *err)
{
    ct_status status = npy_read_header(in, err);
    if (status == CT_OK) status = npy_read_type(in, out, err);
    if (status == CT_OK) status = npy_read_shape(in, out, err);
    if (status != CT_OK) return status;
    const char *fortran = npy_find(in, "fortran_order");
    npy_set_strides(out, fortran && strncmp(fortran, "True", 4) == 0);
    return npy_read_data(in, out, err);
}

ct_status ct_npy_load(ct_step *step, const char *param, ct_array *out, ct_error *err)
{
    npy in = {.step = step, .param = param, .path = ct_step_path(step, param)};
    memset(out, 0, sizeof *out);
    if (!in.path) return ct_step_fail(step, param, err, "expected a .npy file, found none");
    in.file = fopen(in.path, "rb");
    if (!in.file)
        return ct_step_fail(step, param, err, "%s: cannot be opened: %s", in.path, strerror(errno));
    ct_status status = npy_read(&in, out, err);
    fclose(in.file);
    return status;
}
