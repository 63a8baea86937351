/* expected_output_test.c: arrays that hold the same in other layouts agree; every kind of mistake
 * is found, wherever it is. Room: tuner/compare. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "expected_output.h"
#include "layout.h"
#include "memory.h"
#include "padding.h"
#include "text.h"

/* An array in this layout with gaps between its rows, spoilt. */
static ct_array array_new(ct_type type, const char *layout, int64_t s, int64_t t, int64_t c)
{
    ct_array array = {.type = type};
    ct_array_add(&array, 'S', s);
    ct_array_add(&array, 'T', t);
    ct_array_add(&array, 'C', c);
    assert_int_equal(ct_layout_parse(&array.layout, layout, NULL), CT_OK);
    ct_padding_set(&array);
    array.offset = 3;
    array.data = ct_memory_get(ct_array_bytes(&array));
    assert_non_null(array.data);
    memset(array.data, CT_EXPECTED_POISON, ct_array_bytes(&array));
    return array;
}

static int64_t element(const ct_array *array, int64_t s, int64_t t, int64_t c)
{
    return array->offset + s * array->stride[0] + t * array->stride[1] + c * array->stride[2];
}

static void fill(ct_array *array)
{
    for (int64_t s = 0; s < array->extent[0]; s++)
        for (int64_t t = 0; t < array->extent[1]; t++)
            for (int64_t c = 0; c < array->extent[2]; c++)
                ct_array_save(array, element(array, s, t, c), 1 + (double)(s * 7 + t * 3 + c % 50),
                              2 - (double)c);
}

typedef struct fixture {
    ct_array wanted, found;
    ct_expected expected;
    ct_error err;
} fixture;

static fixture begin(ct_type type, int64_t s, int64_t t, int64_t c)
{
    fixture f = {.wanted = array_new(type, "STC", s, t, c),
                 .found = array_new(type, "CST", s, t, c)};
    fill(&f.wanted);
    fill(&f.found);
    assert_int_equal(ct_expected_take(&f.expected, &f.wanted, NULL), CT_OK);
    return f;
}

static void end(fixture *f)
{
    ct_expected_free(&f->expected);
    ct_memory_free(f->wanted.data);
    ct_memory_free(f->found.data);
}

/* The same question, number by number, has the same answer, where no number is not one. */
static void each(const fixture *f, ct_difference found, double most)
{
    const ct_difference slowly =
        ct_expected_compare(&f->expected, &f->found, CT_EXPECTED_EACH, most, NULL);
    assert_int_equal(slowly.wrong, found.wrong);
    assert_int_equal(slowly.unwritten, found.unwritten);
    if (found.wrong) assert_int_equal(slowly.first_wrong, found.first_wrong);
    if (found.unwritten) assert_int_equal(slowly.first_unwritten, found.first_unwritten);
}

/* Within so many units, or times the rms of floats; what is found becomes a sentence. */
static ct_status look(fixture *f, double allowed)
{
    f->err = (ct_error){0};
    ct_text text = {0};
    char place[CT_ARRAY_COORDINATE];
    const double rms = ct_expected_rms(&f->expected.array);
    const double most = ct_type_integer(f->found.type) ? allowed : allowed * rms;
    const ct_status status = ct_expected_scan(&f->found, "Y", &f->err);
    const ct_difference found = ct_expected_compare(
        &f->expected, &f->found, allowed > 0 ? CT_EXPECTED_NEAR : CT_EXPECTED_BITS, most, NULL);
    if (allowed > 0 && status == CT_OK) each(f, found, most);
    if (status != CT_OK || found.wrong + found.unwritten == 0) return status;
    const int64_t first = found.wrong ? found.first_wrong : found.first_unwritten;
    ct_array_coordinate(place, &f->found, first);
    ct_expected_say(&text, &f->expected, &f->found, first);
    (void)ct_error_add(&f->err, CT_MISMATCH, "%s at %s: %s, %d of %d",
                       found.wrong ? "wrong" : "unwritten", place, text.data,
                       (int)(found.wrong + found.unwritten), (int)f->expected.count);
    ct_text_free(&text);
    return CT_MISMATCH;
}

static void says(const fixture *f, const char *words)
{
    if (!strstr(f->err.text, words)) fail_msg("no \"%s\" in \"%s\"", words, f->err.text);
}

static void floats_agree_within_a_share_of_the_rms(void **state)
{
    (void)state;
    fixture f = begin(CT_CF32, 3, 5, 7);
    const int64_t at = element(&f.found, 2, 1, 4);
    assert_int_equal(look(&f, 0), CT_OK);
    ct_array_save(&f.found, at, 1 + 14 + 3 + 4, 2 - 4.001);
    assert_int_equal(look(&f, 1e-3), CT_OK);
    assert_int_equal(look(&f, 1e-6), CT_MISMATCH);
    says(&f, "wrong at s=2 t=1 c=4: got (22, -2.00099993), expected (22, -2), 1 of 105");
    assert_int_equal(look(&f, 0), CT_MISMATCH);
    ct_array_save(&f.found, at, NAN, 0);
    assert_int_equal(look(&f, 1e9), CT_MISMATCH);
    says(&f, "Y is not finite: 1 of its 210 numbers, first at s=2 t=1 c=4");
    memset((char *)f.found.data + at * 8, CT_EXPECTED_POISON, 8);
    assert_int_equal(look(&f, 1e9), CT_MISMATCH);
    says(&f, "Y is partly unwritten: 2 of its 210 numbers, first at s=2 t=1 c=4");
    end(&f);
}

static void integers_agree_exactly(void **state)
{
    (void)state;
    fixture f = begin(CT_U16, 3, 5, 7);
    assert_int_equal(look(&f, 0), CT_OK);
    ct_array_save(&f.found, element(&f.found, 1, 0, 0), 9, 0);
    assert_int_equal(look(&f, 1), CT_OK);
    assert_int_equal(look(&f, 0), CT_MISMATCH);
    says(&f, "wrong at s=1 t=0 c=0: got 9, expected 8, 1 of 105");
    memset((char *)f.found.data + element(&f.found, 1, 0, 0) * 2, CT_EXPECTED_POISON, 2);
    assert_int_equal(look(&f, 1), CT_MISMATCH);
    says(&f, "unwritten at s=1 t=0 c=0: got 65535, expected 8, 1 of 105");
    end(&f);
}

/* Bits beyond what a double can tell. */
static void large_integers_agree_exactly(void **state)
{
    (void)state;
    fixture f = begin(CT_CI64, 2, 3, 4);
    const int64_t at = element(&f.wanted, 1, 2, 3);
    ((int64_t *)f.wanted.data)[2 * at] = INT64_MAX - 1;
    ct_expected_free(&f.expected);
    assert_int_equal(ct_expected_take(&f.expected, &f.wanted, NULL), CT_OK);
    ((int64_t *)f.found.data)[2 * element(&f.found, 1, 2, 3)] = INT64_MAX - 2;
    assert_int_equal(look(&f, 0), CT_MISMATCH);
    says(&f, "s=1 t=2 c=3");
    end(&f);
}

static void halves_have_few_bits(void **state)
{
    (void)state;
    fixture f = begin(CT_F16, 2, 5, 3);
    ct_array_save(&f.found, element(&f.found, 1, 4, 2), 22.015625, 0); /* the next one to 22 */
    assert_int_equal(look(&f, 1e-6), CT_OK);
    ((uint16_t *)f.found.data)[element(&f.found, 0, 0, 0)] = 0x7c00; /* infinite */
    assert_int_equal(look(&f, 1e-6), CT_MISMATCH);
    says(&f, "is not finite");
    end(&f);
}

/* Of more than a tile in each dimension, and of any size: one wrong number among them all, and one
 * that was not written. */
static void every_element_is_compared(void **state)
{
    enum { S = 5, T = 333, C = 131 };
    static const ct_type types[] = {CT_F32, CT_CF32, CT_F16, CT_CF64, CT_U16};
    (void)state;
    for (size_t n = 0; n < sizeof types / sizeof types[0]; n++) {
        fixture f = begin(types[n], S, T, C);
        const int64_t at = element(&f.found, 4, 200, 130);
        assert_int_equal(look(&f, 0), CT_OK);
        assert_int_equal(look(&f, 1e-4), CT_OK);
        ct_array_save(&f.found, at, 7, 1);
        assert_int_equal(look(&f, 1e-4), CT_MISMATCH);
        says(&f, "wrong at s=4 t=200 c=130: got ");
        says(&f, ", 1 of 218115");
        memset((char *)f.found.data + at * ct_type_bits(types[n]) / 8, CT_EXPECTED_POISON,
               ct_type_bits(types[n]) / 8);
        assert_int_equal(look(&f, 1e-4), CT_MISMATCH);
        says(&f, ct_type_integer(types[n]) ? "unwritten at " : "Y is partly unwritten: ");
        end(&f);
    }
}

/* What holds poison was perhaps written so: a second trial on other poison tells. */
/* Whatever the order in which they are found. */
static void between_which_samples_the_wrong_ones_are(void **state)
{
    (void)state;
    fixture f = begin(CT_F32, 3, 11, 5);
    ct_array_save(&f.found, element(&f.found, 2, 4, 0), 1e6, 0);
    ct_array_save(&f.found, element(&f.found, 0, 6, 4), 1e6, 0);
    ct_array_save(&f.found, element(&f.found, 1, 3, 2), 1e6, 0);
    const ct_difference d = ct_expected_compare(&f.expected, &f.found, CT_EXPECTED_EACH, 0, NULL);
    assert_int_equal(d.wrong, 3);
    assert_int_equal(d.from, 3);
    assert_int_equal(d.to, 6);
    end(&f);
}

static void a_second_trial_tells_what_is_unwritten(void **state)
{
    (void)state;
    int64_t hole = -1;
    ct_expected first, again;
    fixture f = begin(CT_I16, 2, 3, 4);
    const int64_t hidden = element(&f.found, 1, 2, 3), written = element(&f.found, 0, 1, 0);
    ct_array_save(&f.found, hidden, -1, 0);
    ct_array_save(&f.found, written, -1, 0);
    assert_int_equal(ct_expected_take(&first, &f.found, NULL), CT_OK);
    memset((char *)f.found.data + hidden * 2, CT_EXPECTED_SECOND_POISON, 2);
    assert_int_equal(ct_expected_take(&again, &f.found, NULL), CT_OK);
    ct_array_save(&f.found, hidden, -1, 0);
    ct_difference d = ct_expected_compare(&f.expected, &f.found, CT_EXPECTED_EACH, 0, NULL);
    assert_int_equal(d.unwritten, 2);
    assert_int_equal(d.first_unwritten, 4);
    d = ct_expected_compare(&f.expected, &f.found, CT_EXPECTED_EACH, 0, &again);
    assert_int_equal(d.unwritten, 1);
    assert_int_equal(d.first_unwritten, 23);
    assert_int_equal(d.wrong, 1);
    assert_int_equal(d.first_wrong, 4);
    assert_int_equal(ct_expected_unwritten(&first, &again, &hole), 1);
    assert_int_equal(hole, 23);
    ct_expected_free(&first);
    ct_expected_free(&again);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_agree_within_a_share_of_the_rms),
        cmocka_unit_test(integers_agree_exactly),
        cmocka_unit_test(large_integers_agree_exactly),
        cmocka_unit_test(halves_have_few_bits),
        cmocka_unit_test(every_element_is_compared),
        cmocka_unit_test(between_which_samples_the_wrong_ones_are),
        cmocka_unit_test(a_second_trial_tells_what_is_unwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
