/* expected_output.h: what an array should hold, whatever its layout: another one of the same shape
 * is compared with it, index by index. Every element is compared. Room: tuner/compare. Knows host
 * arrays. Does not know devices, steps or stages. */
#ifndef CT_TUNER_EXPECTED_OUTPUT_H
#define CT_TUNER_EXPECTED_OUTPUT_H
#include "cornerturn_stage.h"

/* Bytes that an array is filled with before it is written: a NaN in every float type, -1 in
 * integers. What holds the first may be a result all the same; what holds the second after it is
 * written once more is unwritten. */
enum { CT_EXPECTED_POISON = 0xFF, CT_EXPECTED_SECOND_POISON = 0x5A };

typedef struct ct_expected {
    ct_array array; /* dense, in natural order, with data */
    int64_t count;
    size_t bytes;
} ct_expected;

/* Without values yet: it has the array's dimensions and type. */
ct_status ct_expected_new(ct_expected *out, const ct_array *array, ct_error *err);
/* With the array's values. */
ct_status ct_expected_take(ct_expected *out, const ct_array *array, ct_error *err);
void ct_expected_free(ct_expected *expected);
double ct_expected_rms(const ct_array *natural); /* of data in natural order */

/* CT_MISMATCH and a sentence where an element of float type is not finite, or was never written.
 * Begins with `name`: "Y". */
ct_status ct_expected_scan(const ct_array *array, const char *name, ct_error *err);

typedef enum ct_expected_how {
    CT_EXPECTED_BITS, /* bit by bit */
    CT_EXPECTED_NEAR, /* numbers; those with the same bits agree */
    CT_EXPECTED_EACH  /* numbers, each of which is looked at; a NaN agrees with nothing */
} ct_expected_how;

typedef struct ct_difference {
    /* Elements that are wrong, and others that nothing wrote; natural indices of the first ones. */
    int64_t wrong, first_wrong, unwritten, first_unwritten;
    int64_t from, to; /* indices along T between which the wrong ones are; without T 0 */
    double worst;     /* with CT_EXPECTED_EACH: the largest difference of those that agree */
} ct_difference;

/* Numbers agree that are at most `most` apart; halves may differ in their last bit, too, unless
 * `most` is 0. `again`: what the array held after CT_EXPECTED_SECOND_POISON was there first; NULL:
 * that was not tried. */
ct_difference ct_expected_compare(const ct_expected *expected, const ct_array *array,
                                  ct_expected_how how, double most, const ct_expected *again);
/* How many elements were not written in either of two trials, as above; *where: the first one. */
int64_t ct_expected_unwritten(const ct_expected *first, const ct_expected *again, int64_t *where);
/* Adds "got (22, -2), expected (22, -1)": of the element with this natural index. */
void ct_expected_say(ct_text *text, const ct_expected *expected, const ct_array *array,
                     int64_t natural);

#endif
