/* copy_test.c: a copy moves every word to its place and touches nothing else, whatever its form.
 *
 * Room: layouts (test). Oracle: a plain loop over coordinates, byte by byte; random shapes of
 * pairwise coprime extents, gaps after every dimension, offsets, all sizes of elements; whole
 * buffers are compared, poison included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "copy_stream.h"
#include "layout.h"

enum { SHAPES = 400, MOST = 20000 };

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static int64_t below(uint64_t *seed, int64_t end)
{
    return (int64_t)(next_random(seed) % (uint64_t)end);
}

static void shuffle(int *order, int count, uint64_t *seed)
{
    for (int k = count - 1; k > 0; k--) {
        const int other = (int)below(seed, k + 1), was = order[k];
        order[k] = order[other];
        order[other] = was;
    }
}

/* Strides of a random order of the dimensions, with a gap after some. */
static void place_array(ct_array *array, uint64_t *seed)
{
    int order[CT_DIMS];
    int64_t stride = 1 + below(seed, 2) * below(seed, 3);
    for (int k = 0; k < array->rank; k++)
        order[k] = k;
    shuffle(order, array->rank, seed);
    for (int k = array->rank - 1; k >= 0; k--) {
        array->stride[order[k]] = stride;
        stride = stride * array->extent[order[k]] + below(seed, 2) * below(seed, 5);
    }
    array->offset = below(seed, 2) * below(seed, 9);
}

static void *poisoned(size_t bytes, uint64_t *seed)
{
    uint8_t *data = malloc(bytes);
    for (size_t k = 0; k < bytes; k++)
        data[k] = (uint8_t)next_random(seed);
    return data;
}

/* Pairwise coprime extents in a random order, some of them left out. */
static void shape_arrays(ct_array *to, ct_array *from, uint64_t *seed)
{
    static const ct_type types[] = {CT_CI4, CT_U8, CT_CI8, CT_F32, CT_CF32, CT_CI64};
    int extents[CT_DIMS] = {8, 3, 5, 7, 11, 1, 1, 1};
    const int rank = (int)below(seed, CT_DIMS + 1);
    shuffle(extents, CT_DIMS, seed);
    *to = (ct_array){.type = types[below(seed, 6)]};
    for (int k = 0; k < rank; k++)
        ct_array_add(to, (char)('A' + k), extents[k]);
    *from = *to;
    for (int k = 0; k < rank; k++) { /* the same dimensions, named in another order */
        const int other = (int)below(seed, rank);
        const char dim = from->dim[k];
        const int64_t extent = from->extent[k];
        from->dim[k] = from->dim[other];
        from->extent[k] = from->extent[other];
        from->dim[other] = dim;
        from->extent[other] = extent;
    }
    place_array(to, seed);
    place_array(from, seed);
}

/* Where the n-th element of `order` lies in `array`. */
static size_t place_of(const ct_array *array, const ct_array *order, int64_t n)
{
    int64_t place = array->offset;
    for (int k = order->rank - 1; k >= 0; k--) {
        place += n % order->extent[k] * ct_array_stride(array, order->dim[k]);
        n /= order->extent[k];
    }
    return (size_t)place;
}

static void copy_plainly(const ct_array *to, const ct_array *from, uint8_t *expected)
{
    const size_t bytes = ct_type_bits(to->type) / 8;
    for (int64_t n = 0; n < ct_array_count(to); n++)
        for (size_t k = 0; k < bytes; k++)
            expected[place_of(to, to, n) * bytes + k] =
                ((const uint8_t *)from->data)[place_of(from, to, n) * bytes + k];
}

typedef struct copy_case {
    ct_array to, from;
    size_t bytes;               /* of the output's buffer, and of what lies behind the array */
    uint8_t *poison, *expected; /* the output before, and as it should be */
    uint8_t *from_was;
} copy_case;

static void open_case(copy_case *one, uint64_t *seed)
{
    do
        shape_arrays(&one->to, &one->from, seed);
    while (ct_array_span(&one->to) > MOST || ct_array_span(&one->from) > MOST);
    one->bytes = ct_array_bytes(&one->to) + 64;
    one->poison = poisoned(one->bytes, seed);
    one->expected = malloc(one->bytes);
    one->to.data = malloc(one->bytes);
    one->from.data = poisoned(ct_array_bytes(&one->from), seed);
    one->from_was = malloc(ct_array_bytes(&one->from));
    memcpy(one->from_was, one->from.data, ct_array_bytes(&one->from));
    memcpy(one->expected, one->poison, one->bytes);
    copy_plainly(&one->to, &one->from, one->expected);
}

static void close_case(copy_case *one)
{
    assert_memory_equal(one->from_was, one->from.data, ct_array_bytes(&one->from));
    free(one->to.data);
    free(one->from.data);
    free(one->from_was);
    free(one->poison);
    free(one->expected);
}

static void check(const copy_case *one, const ct_copy *copy)
{
    memcpy(one->to.data, one->poison, one->bytes);
    ct_copy_run(copy, one->to.data, one->from.data);
    assert_memory_equal(one->to.data, one->expected, one->bytes);
    assert_int_equal(ct_copy_count(copy) * copy->word,
                     ct_array_count(&one->to) * ct_type_bits(one->to.type) / 8);
}

/* ---- the tests */

/* Every step towards the canonical form, in every order of the steps, copies the same. */
static void every_form_copies_the_same(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int n = 0; n < SHAPES; n++) {
        copy_case one;
        open_case(&one, &seed);
        const ct_copy made = ct_copy_make(&one.to, &one.from);
        check(&one, &made);
        for (int form = 0; form < 32; form++) {
            ct_copy copy = made;
            if (form & 16) ct_copy_split(&copy, 1 << below(&seed, 4));
            if (form & 1) ct_copy_sort(&copy, form & 8);
            if (form & 2) ct_copy_merge(&copy);
            if (form & 4) ct_copy_widen(&copy, 1 << below(&seed, 5));
            check(&one, &copy);
        }
        close_case(&one);
    }
}

static void arrays_are_copied(void **state)
{
    uint64_t seed = 2;
    (void)state;
    for (int n = 0; n < SHAPES; n++) {
        copy_case one;
        open_case(&one, &seed);
        memcpy(one.to.data, one.poison, one.bytes);
        ct_copy_array(&one.to, &one.from);
        assert_memory_equal(one.to.data, one.expected, one.bytes);
        memcpy(one.to.data, one.poison, one.bytes);
        ct_copy_stream(&one.to, &one.from);
        assert_memory_equal(one.to.data, one.expected, one.bytes);
        close_case(&one);
    }
}

static ct_array dense(ct_type type, const char *layout)
{
    ct_array array = {.type = type};
    ct_layout order;
    const char *dims = "SPTC";
    const int64_t extent[] = {5, 2, 19, 12};
    for (int k = 0; dims[k]; k++)
        ct_array_add(&array, dims[k], extent[k]);
    assert_int_equal(ct_layout_parse(&order, layout, NULL), CT_OK);
    ct_array_dense(&array, &order);
    return array;
}

/* Long enough for whole cache lines, in every order. */
static void check_stream(ct_type type, int64_t read, int64_t write, int64_t offset)
{
    uint64_t seed = (uint64_t)(read + write);
    ct_array from = dense(type, ct_layout_permutation("SPTC", read).dim);
    ct_array to = dense(type, ct_layout_permutation("SPTC", write).dim);
    to.offset = offset;
    const size_t bytes = ct_array_bytes(&to) + 64;
    uint8_t *expected = poisoned(bytes, &seed);
    from.data = poisoned(ct_array_bytes(&from), &seed);
    to.data = malloc(bytes);
    memcpy(to.data, expected, bytes);
    copy_plainly(&to, &from, expected);
    ct_copy_stream(&to, &from);
    assert_memory_equal(to.data, expected, bytes);
    free(expected);
    free(from.data);
    free(to.data);
}

static void whole_lines_are_copied(void **state)
{
    static const ct_type types[] = {CT_U8, CT_CI8, CT_F32, CT_CF32, CT_CI64};
    (void)state;
    for (int64_t n = 0; n < 24 * 24; n++)
        check_stream(types[n % 5], n % 24, n / 24, n % 7);
}

static void check_dim(const ct_copy_dim *dim, int64_t extent, int64_t from, int64_t to)
{
    assert_int_equal(dim->extent, extent);
    assert_int_equal(dim->from, from);
    assert_int_equal(dim->to, to);
}

/* S and T change places; P and C stay together, and eight bytes move at once. */
static void neighbours_merge_and_words_widen(void **state)
{
    (void)state;
    const ct_array from = dense(CT_CI8, "STPC"), to = dense(CT_CI8, "TSPC");
    ct_copy copy = ct_copy_make(&to, &from);
    ct_copy_sort(&copy, false);
    assert_int_equal(copy.rank, 4);
    ct_copy_merge(&copy);
    assert_int_equal(copy.rank, 3);
    check_dim(&copy.dim[0], 5, 19 * 24, 24);
    check_dim(&copy.dim[1], 19, 24, 5 * 24);
    check_dim(&copy.dim[2], 24, 1, 1);
    assert_int_equal(copy.dim[2].of, 1); /* P, which has 12 of it */
    assert_int_equal(copy.dim[2].each, 12);
    ct_copy_widen(&copy, 8);
    assert_int_equal(copy.word, 8);
    check_dim(&copy.dim[0], 5, 19 * 6, 6);
    check_dim(&copy.dim[1], 19, 6, 5 * 6);
    check_dim(&copy.dim[2], 6, 1, 1);
}

static void equal_orders_are_one_row(void **state)
{
    (void)state;
    const ct_array array = dense(CT_F32, "CPTS");
    ct_copy copy = ct_copy_make(&array, &array);
    ct_copy_merge(&copy);
    assert_int_equal(copy.rank, 1);
    check_dim(&copy.dim[0], 5 * 2 * 19 * 12, 1, 1);
}

static void odd_offsets_keep_words_narrow(void **state)
{
    (void)state;
    ct_array from = dense(CT_CI8, "STPC"), to = from;
    from.offset = 2;
    to.offset = 6;
    ct_copy copy = ct_copy_make(&to, &from);
    ct_copy_merge(&copy);
    ct_copy_widen(&copy, 16);
    assert_int_equal(copy.word, 4);
    assert_int_equal(copy.from, 1);
    assert_int_equal(copy.to, 3);
}

static void what_may_end_early_stays_a_dimension(void **state)
{
    (void)state;
    ct_copy copy = {.word = 2};
    ct_copy_add(&copy, (ct_copy_dim){.extent = 3, .from = 40, .to = 40, .of = 0});
    ct_copy_add(&copy, (ct_copy_dim){.extent = 5, .from = 8, .to = 8, .cut = true, .of = 1});
    ct_copy_add(&copy, (ct_copy_dim){.extent = 8, .from = 1, .to = 1, .of = 2});
    ct_copy_merge(&copy);
    assert_int_equal(copy.rank, 2);
    check_dim(&copy.dim[1], 40, 1, 1); /* its inner part may join it, but no outer one may */
    assert_true(copy.dim[1].cut);
    assert_int_equal(copy.dim[1].of, 1);
    assert_int_equal(copy.dim[1].each, 8);
    ct_copy_widen(&copy, 8);
    assert_int_equal(copy.word, 2);
}

static void wide_elements_split(void **state)
{
    (void)state;
    const ct_array from = dense(CT_CI64, "STPC"), to = dense(CT_CI64, "CTPS");
    ct_copy copy = ct_copy_make(&to, &from);
    ct_copy_split(&copy, 8);
    assert_int_equal(copy.word, 8);
    assert_int_equal(copy.rank, 5);
    check_dim(&copy.dim[4], 2, 1, 1);
    ct_copy_split(&copy, 8);
    assert_int_equal(copy.rank, 5);
}

static void a_value_fills_many(void **state)
{
    (void)state;
    uint16_t one = 0xABCD, many[8];
    ct_copy copy = {.word = 2, .to = 1};
    memset(many, 0x11, sizeof many);
    ct_copy_add(&copy, (ct_copy_dim){.extent = 3, .from = 0, .to = 2});
    ct_copy_run(&copy, many, &one);
    for (int k = 0; k < 8; k++)
        assert_int_equal(many[k], k == 1 || k == 3 || k == 5 ? 0xABCD : 0x1111);
}

static void an_extent_of_0_copies_nothing(void **state)
{
    (void)state;
    uint8_t from[4] = {1, 2, 3, 4}, to[4] = {9, 9, 9, 9};
    ct_copy copy = {.word = 1};
    ct_copy_add(&copy, (ct_copy_dim){.extent = 4, .from = 1, .to = 1});
    ct_copy_add(&copy, (ct_copy_dim){.extent = 0, .from = 4, .to = 4});
    assert_int_equal(ct_copy_count(&copy), 0);
    ct_copy_run(&copy, to, from);
    for (int k = 0; k < 4; k++)
        assert_int_equal(to[k], 9);
}

static void a_walk_ends_where_it_started(void **state)
{
    (void)state;
    ct_copy copy = {.word = 1, .from = 3, .to = 5};
    ct_copy_add(&copy, (ct_copy_dim){.extent = 3, .from = 7, .to = 1});
    ct_copy_add(&copy, (ct_copy_dim){.extent = 5, .from = 1, .to = 3});
    ct_copy_place place = {.from = copy.from, .to = copy.to};
    int64_t n = 0;
    do {
        assert_int_equal(place.from, 3 + n / 5 * 7 + n % 5);
        assert_int_equal(place.to, 5 + n / 5 + n % 5 * 3);
        n++;
    } while (ct_copy_next(&copy, 2, &place));
    assert_int_equal(n, 15);
    assert_int_equal(place.from, 3);
    assert_int_equal(place.to, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_copies_the_same),
        cmocka_unit_test(arrays_are_copied),
        cmocka_unit_test(whole_lines_are_copied),
        cmocka_unit_test(neighbours_merge_and_words_widen),
        cmocka_unit_test(equal_orders_are_one_row),
        cmocka_unit_test(odd_offsets_keep_words_narrow),
        cmocka_unit_test(what_may_end_early_stays_a_dimension),
        cmocka_unit_test(wide_elements_split),
        cmocka_unit_test(a_value_fills_many),
        cmocka_unit_test(an_extent_of_0_copies_nothing),
        cmocka_unit_test(a_walk_ends_where_it_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
