/* device_values_test.c: every type in every layout of three dimensions: what the device fills is
 * what a formula on the host says, arrays in two layouts are found equal, and one changed element,
 * one unwritten element, one NaN is found wherever it is. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cornerturn_stage.h"
#include "device_values.h"
#include "layout.h"

enum { LAYOUTS = 6, EXTENT_S = 3, EXTENT_T = 67, EXTENT_C = 130, GAP = 5 };

static const ct_type types[] = {CT_CI4, CT_CI8,  CT_CI16, CT_CI32, CT_U8,  CT_U16,
                                CT_U32, CT_I8,   CT_I16,  CT_I32,  CT_F16, CT_F32,
                                CT_F64, CT_CF16, CT_CF32, CT_CF64, CT_CI64};
enum { TYPES = sizeof types / sizeof types[0] };

/* Normal numbers between 0.5 and 1 in size. */
static ct_device_values_rule rule_of(ct_type type)
{
    const bool single = type == CT_F32 || type == CT_CF32;
    return (ct_device_values_rule){.salt = 7,
                                   .keep = single ? 0x807fffff807fffffu : 0x83ff83ff83ff83ffu,
                                   .add = single ? 0x3f0000003f000000u : 0x3800380038003800u};
}

typedef struct fixture {
    ct_device *device;
    ct_device_values *values;
} fixture;

static int setup(void **state)
{
    fixture *f = *state = calloc(1, sizeof *f);
    assert_int_equal(ct_device_open(&f->device, NULL, NULL), CT_OK);
    assert_int_equal(ct_device_values_new(&f->values, f->device, NULL), CT_OK);
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    ct_device_values_free(f->values);
    ct_device_free(f->device);
    free(f);
    return 0;
}

/* With rows that do not follow each other closely. */
static ct_array array_of(ct_type type, int layout, bool gaps)
{
    ct_array array = {.type = type};
    int64_t stride = 1;
    ct_array_add(&array, 'S', EXTENT_S);
    ct_array_add(&array, 'T', EXTENT_T);
    ct_array_add(&array, 'C', EXTENT_C);
    const ct_layout order = ct_layout_permutation("STC", layout);
    for (int i = order.rank - 1; i >= 0; i--) {
        const int k = ct_array_find(&array, order.dim[i]);
        array.stride[k] = stride;
        stride *= array.extent[k];
        if (gaps && i == order.rank - 1) stride += GAP;
    }
    return array;
}

static void make(fixture *f, ct_buffer *buffer, const ct_array *array)
{
    const ct_device_values_rule rule = rule_of(array->type);
    assert_int_equal(ct_buffer_new(buffer, f->device, ct_array_bytes(array), NULL), CT_OK);
    assert_int_equal(ct_buffer_fill(buffer, f->device, buffer->bytes, 0, NULL), CT_OK);
    assert_int_equal(ct_device_values_fill(f->values, buffer, array, &rule, NULL), CT_OK);
}

static bool agree(fixture *f, const ct_buffer *a, const ct_array *of_a, const ct_buffer *b,
                  const ct_array *of_b, double most)
{
    bool sure = false;
    ct_error err = {0};
    if (ct_device_values_compare(&sure, f->values, a, of_a, b, of_b, most, &err) != CT_OK)
        fail_msg("%s", err.text);
    return sure;
}

/* ---- filling */

static uint64_t word_of(const ct_device_values_rule *rule, uint64_t n)
{
    uint64_t x = n + rule->salt;
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return ((x ^ x >> 33) & rule->keep) | rule->add;
}

static int64_t place_of(const ct_array *array, int64_t natural)
{
    int64_t at = array->offset;
    for (int k = array->rank - 1; k >= 0; k--) {
        at += natural % array->extent[k] * array->stride[k];
        natural /= array->extent[k];
    }
    return at;
}

/* All bytes, those between rows too. */
static void check_filled(fixture *f, ct_type type, int layout)
{
    const ct_device_values_rule rule = rule_of(type);
    const ct_array array = array_of(type, layout, true);
    const size_t size = ct_type_bits(type) / 8;
    ct_buffer buffer;
    make(f, &buffer, &array);
    unsigned char *expected = calloc(1, buffer.bytes), *found = calloc(1, buffer.bytes);
    for (int64_t n = 0; n < ct_array_count(&array); n++)
        for (size_t i = 0; i < size; i++) {
            const uint64_t byte = (uint64_t)n * size + i;
            expected[(size_t)place_of(&array, n) * size + i] =
                (unsigned char)(word_of(&rule, byte / 8) >> byte % 8 * 8);
        }
    assert_int_equal(ct_buffer_read(&buffer, f->device, 0, found, buffer.bytes, NULL), CT_OK);
    assert_memory_equal(found, expected, buffer.bytes);
    free(expected);
    free(found);
    ct_buffer_free(&buffer);
}

static void test_fills_every_type_and_layout(void **state)
{
    for (int t = 0; t < TYPES; t++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            check_filled(*state, types[t], layout);
}

/* ---- comparing */

/* Elements at both ends, at the edges of tiles, and some others. */
static const int64_t spots[] = {0, 63, 64, 129, 130, 8191, 8710, 12345, 17420, 26129};
enum { SPOTS = sizeof spots / sizeof spots[0] };

/* Changes bytes of one element, which has to be found, and puts it back. */
static void check_mutant(fixture *f, ct_buffer *found, const ct_array *array, ct_buffer *wanted,
                         const ct_array *natural, int64_t spot, const void *bytes, double most)
{
    unsigned char before[16];
    const size_t size = ct_type_bits(array->type) / 8;
    const size_t at = (size_t)place_of(array, spot) * size;
    assert_int_equal(ct_buffer_read(found, f->device, at, before, size, NULL), CT_OK);
    assert_int_equal(ct_buffer_write(found, f->device, at, bytes, size, NULL), CT_OK);
    if (agree(f, found, array, wanted, natural, most))
        fail_msg("%s: element %lld is not found", ct_type_name(array->type), (long long)spot);
    assert_int_equal(ct_buffer_write(found, f->device, at, before, size, NULL), CT_OK);
}

/* The element with its last part's lowest bit, or its sign, changed. */
static void flip(fixture *f, const ct_buffer *buffer, const ct_array *array, int64_t spot,
                 unsigned char out[16], bool sign)
{
    const size_t size = ct_type_bits(array->type) / 8;
    const size_t part = ct_type_complex(array->type) && size > 1 ? size / 2 : size;
    ct_buffer from = *buffer;
    assert_int_equal(
        ct_buffer_read(&from, f->device, (size_t)place_of(array, spot) * size, out, size, NULL),
        CT_OK);
    out[sign ? size - 1 : size - part] ^= sign ? 0x80 : 1;
}

static void check_compared(fixture *f, ct_type type, int layout, bool gaps)
{
    static const unsigned char poison[16] = {255, 255, 255, 255, 255, 255, 255, 255,
                                             255, 255, 255, 255, 255, 255, 255, 255};
    const ct_array array = array_of(type, layout, gaps), natural = array_of(type, 0, false);
    ct_buffer found, wanted;
    unsigned char changed[16];
    make(f, &found, &array);
    make(f, &wanted, &natural);
    for (int near = 0; near < 2; near++) {
        const double most = near ? 1e-3 : 0;
        assert_true(agree(f, &found, &array, &wanted, &natural, most));
        for (int n = 0; n < SPOTS; n++) {
            flip(f, &found, &array, spots[n], changed, near);
            check_mutant(f, &found, &array, &wanted, &natural, spots[n], changed, most);
            check_mutant(f, &found, &array, &wanted, &natural, spots[n], poison, most);
        }
        assert_true(agree(f, &found, &array, &wanted, &natural, most));
    }
    ct_buffer_free(&found);
    ct_buffer_free(&wanted);
}

static void test_finds_one_wrong_or_unwritten_element(void **state)
{
    for (int t = 0; t < TYPES; t++)
        for (int layout = 0; layout < LAYOUTS; layout++)
            check_compared(*state, types[t], layout, layout % 2);
}

/* ---- near */

static bool near_32(fixture *f, float value, float other, double most)
{
    const ct_array array = array_of(CT_F32, 3, false);
    ct_buffer found, wanted;
    const size_t at = sizeof value * (size_t)place_of(&array, 8191);
    make(f, &found, &array);
    make(f, &wanted, &array);
    assert_int_equal(ct_buffer_write(&found, f->device, at, &value, sizeof value, NULL), CT_OK);
    assert_int_equal(ct_buffer_write(&wanted, f->device, at, &other, sizeof other, NULL), CT_OK);
    const bool sure = agree(f, &found, &array, &wanted, &array, most);
    ct_buffer_free(&found);
    ct_buffer_free(&wanted);
    return sure;
}

static void test_takes_near_floats_and_no_others(void **state)
{
    assert_true(near_32(*state, 1.0f, 1.0006f, 1e-3));
    assert_true(near_32(*state, 1.0006f, 1.0f, 1e-3));
    assert_false(near_32(*state, 1.0f, 1.0008f, 1e-3));
    assert_false(near_32(*state, 1.0008f, 1.0f, 1e-3));
    assert_false(near_32(*state, NAN, 1.0f, 1e-3));
    assert_false(near_32(*state, NAN, NAN, 1e-3));
    assert_false(near_32(*state, INFINITY, INFINITY, 1e-3));
    assert_true(near_32(*state, 0.0f, -0.0f, 1e-3));
    assert_false(near_32(*state, 0.0f, -0.0f, 0));
}

static bool near_16(fixture *f, uint16_t value, uint16_t other)
{
    const ct_array array = array_of(CT_F16, 4, false);
    ct_buffer found, wanted;
    const size_t at = sizeof value * (size_t)place_of(&array, 12345);
    make(f, &found, &array);
    make(f, &wanted, &array);
    assert_int_equal(ct_buffer_write(&found, f->device, at, &value, sizeof value, NULL), CT_OK);
    assert_int_equal(ct_buffer_write(&wanted, f->device, at, &other, sizeof other, NULL), CT_OK);
    const bool sure = agree(f, &found, &array, &wanted, &array, 1e-3);
    ct_buffer_free(&found);
    ct_buffer_free(&wanted);
    return sure;
}

static void test_takes_neighbouring_halves(void **state)
{
    assert_true(near_16(*state, 0x3c00, 0x3c01));
    assert_true(near_16(*state, 0x3c00, 0x3bff));
    assert_false(near_16(*state, 0x3c00, 0x3c02));
    assert_false(near_16(*state, 0x0000, 0x0001)); /* no normal number */
    assert_false(near_16(*state, 0x7bff, 0x7c00)); /* infinity */
    assert_false(near_16(*state, 0x3c00, 0xbc00));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fills_every_type_and_layout),
        cmocka_unit_test(test_finds_one_wrong_or_unwritten_element),
        cmocka_unit_test(test_takes_near_floats_and_no_others),
        cmocka_unit_test(test_takes_neighbouring_halves),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
