/* expected_output.h: what an array should hold, whatever its layout: another one of the same shape
 * is compared with it, index by index. Room: tuner/measure. Knows host arrays. Does not know
 * devices, steps or stages. Every element is compared. */
#ifndef CT_TUNER_EXPECTED_OUTPUT_H
#define CT_TUNER_EXPECTED_OUTPUT_H
#include "cornerturn_stage.h"

/* A byte that an array is filled with before it is written: a NaN in every float type. */
enum { CT_EXPECTED_POISON = 0xFF, CT_EXPECTED_ELEMENT = 16 /* bytes, at most */ };

typedef struct ct_expected {
    ct_array array; /* dims, extents and type; without data */
    int64_t count;
    unsigned char *data; /* the elements in natural order */
    size_t bytes;
    double rms;
} ct_expected;

/* CT_MISMATCH and a sentence where an element of float type is not finite, or was never written:
 * all of the array's memory is looked through. Begins with `name`: "Y". */
ct_status ct_expected_scan(const ct_array *array, const char *name, ct_error *err);

/* Copies what it needs of array->data. */
ct_status ct_expected_take(ct_expected *out, const ct_array *array, ct_error *err);
/* Floats within `allowed` times the rms of all, and what the last bit of a half makes; integers
 * within `allowed` units. 0: bit by bit. CT_MISMATCH says the first index that is wrong, and how
 * many are. */
ct_status ct_expected_compare(const ct_expected *expected, const ct_array *array, double allowed,
                              const char *name, ct_error *err);
void ct_expected_free(ct_expected *expected);

#endif
