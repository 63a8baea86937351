/* npy.h: the header of a .npy file, versions 1 to 3, both orders, both byte orders.
 * Room: io/npy. Knows the header. Does not know dimensions' names. */
#ifndef CT_IO_NPY_H
#define CT_IO_NPY_H
#include "input.h"

enum { CT_NPY_AXES = CT_DIMS + 1, CT_NPY_LONGEST = 4096 };

typedef struct ct_npy {
    char descr[16]; /* "<c8" */
    char kind;      /* 'i', 'u', 'f', 'c' */
    unsigned bytes; /* of one number (of a whole complex one) */
    bool big;       /* numbers are big-endian */
    bool fortran;   /* the first axis is the fastest */
    int rank;
    int64_t shape[CT_NPY_AXES];
    int64_t data_at; /* byte at which the numbers start */
} ct_npy;

bool ct_npy_is(const uint8_t *start, size_t bytes); /* as ct_format says */
ct_status ct_npy_read(ct_npy *out, ct_input *in, ct_error *err);
/* The type of an element, with `axes` named dimensions: a further axis of 2 makes it complex.
 * wish CT_NONE: the file decides. CT_NONE where the file does not hold `wish`. */
ct_type ct_npy_type(const ct_npy *header, int axes, ct_type wish);
/* What NumPy calls the type to which numbers that are too wide can be converted; NULL: they are
 * not. */
const char *ct_npy_narrower(const ct_npy *header);
/* The whole header (version 1.0, C order) in `size` bytes, filled up with blanks; returns the bytes
 * that it takes: a multiple of 64, enough for any extent along one axis. */
size_t ct_npy_print(char *out, size_t size, ct_type type, int rank, const int64_t *shape);

#endif
