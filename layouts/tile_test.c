/* tile_test.c: PACK and STORE for all permutations of three and four dimensions and some of five,
 * at extents that vectors and boxes do not divide.
 *
 * Room: layouts (test). Oracle: index arithmetic on the host (tile_run.h). */
#include "exhaustive.h"
#include "tile_run.h"

static const tile_kind three = {.dims = "STC",
                                .type = CT_CF32,
                                .tile = "float2",
                                .tile_type = CT_CF32,
                                .extent = {5, 19, 37},
                                .box = {5, 9, 16},
                                .group = 1,
                                .vector = 64,
                                .tile_padding = 1,
                                .padding = 2,
                                .offset = 3};
static const tile_kind four = {.dims = "SPTC",
                               .type = CT_CF32,
                               .tile = "float2",
                               .tile_type = CT_CF32,
                               .extent = {5, 2, 19, 11},
                               .box = {3, 2, 9, 6},
                               .group = 1,
                               .vector = 64,
                               .tile_padding = 3,
                               .padding = 2,
                               .offset = 7};
static const tile_kind five = {.dims = "BSPTC",
                               .type = CT_CF32,
                               .tile = "float2",
                               .tile_type = CT_CF32,
                               .extent = {3, 5, 2, 11, 13},
                               .box = {2, 3, 2, 8, 8},
                               .group = 1,
                               .vector = 64,
                               .offset = 2};

static void three_dimensions(void **state)
{
    tile_kind kind = three;
    check_kind(*state, &kind, 1);
    kind.write = true;
    check_kind(*state, &kind, 1);
}

static void four_dimensions(void **state)
{
    tile_kind kind = four;
    check_kind(*state, &kind, 1);
    kind.write = true;
    check_kind(*state, &kind, 1);
}

/* Some of their 120 orders: five are looped over as four are. */
static void five_dimensions(void **state)
{
    tile_kind kind = five;
    check_kind(*state, &kind, 7);
    kind.write = true;
    check_kind(*state, &kind, 7);
}

static void groups_share_the_work(void **state)
{
    tile_kind kind = four;
    kind.group = 8;
    check_kind(*state, &kind, 5);
    kind.type = CT_CI8;
    check_kind(*state, &kind, 7);
    kind.write = true;
    check_kind(*state, &kind, 5);
}

/* Boxes whose sides a group divides: whole ones and, at the ends of the array, ragged ones. */
static void groups_take_literal_distances(void **state)
{
    static const int64_t boxes[][4] = {{4, 2, 8, 8}, {2, 2, 16, 4}, {4, 1, 16, 8}};
    for (size_t n = 0; n < sizeof boxes / sizeof boxes[0]; n++) {
        tile_kind kind = four;
        kind.group = 32;
        for (int k = 0; k < 4; k++)
            kind.box[k] = boxes[n][k];
        check_kind(*state, &kind, 5);
        kind.type = CT_CI8;
        check_kind(*state, &kind, 7);
        kind.write = true;
        check_kind(*state, &kind, 5);
    }
}

static void element_by_element(void **state)
{
    tile_kind kind = four;
    kind.vector = 4;
    check_kind(*state, &kind, 5);
    kind.write = true;
    check_kind(*state, &kind, 5);
}

/* Large enough for whole lines, some of whose starts are aligned. */
static void whole_lines_bypass_the_caches(void **state)
{
    tile_kind kind = {.dims = "SPTC",
                      .type = CT_CF32,
                      .tile = "float2",
                      .tile_type = CT_CF32,
                      .extent = {16, 2, 24, 40},
                      .box = {8, 2, 16, 8},
                      .group = 1,
                      .vector = 64,
                      .write = true,
                      .nontemporal = 1};
    check_kind(*state, &kind, 3);
    kind.offset = 1;
    check_kind(*state, &kind, 7);
}

static void inner_parts_and_padding(void **state)
{
    static const char *const orders[] = {"CTSPt", "CTtSP", "tCSTP", "scTPSC"};
    tile_run *run = calloc(1, sizeof *run);
    run->device = *state;
    tile_kind kind = four;
    kind.padded = 'S';
    memcpy(kind.box, (int64_t[]){8, 2, 8, 4}, sizeof(int64_t[4]));
    for (int n = 0; n < 24; n += 5)
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
            const ct_layout layout = ct_layout_permutation("SPTC", n);
            add_case(run, &kind, &layout, orders[k]);
        }
    check_run(run);
    free(run);
}

static void refuses(const ct_box *box, const char *word)
{
    ct_text text = {0};
    ct_error err = {0};
    assert_int_equal(ct_tile_emit(&text, box, &err), CT_INVALID);
    assert_non_null(strstr(err.text, word));
    ct_text_free(&text);
}

static void impossible_tiles_are_refused(void **state)
{
    (void)state;
    tile_case one = {.name = "A", .port = "X"};
    tile_kind kind = four;
    const ct_layout layout = ct_layout_permutation("SPTC", 0);
    shape_array(&one.array, &kind, &layout);
    shape_box(&one, &kind, "SPTC");
    one.box.type = "float";
    refuses(&one.box, "cf32 of port X cannot become float");
    one.box.type = "float2";
    strcpy(one.order, "SPTB");
    refuses(&one.box, "no dimension B");
}

int main(void)
{
    kernel_device device;
    if (!kernel_open(&device)) {
        puts("skipped: no OpenCL device");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(three_dimensions, &device),
        cmocka_unit_test_prestate(four_dimensions, &device),
        cmocka_unit_test_prestate(five_dimensions, &device),
        cmocka_unit_test_prestate(groups_share_the_work, &device),
        cmocka_unit_test_prestate(groups_take_literal_distances, &device),
        cmocka_unit_test_prestate(element_by_element, &device),
        cmocka_unit_test_prestate(whole_lines_bypass_the_caches, &device),
        cmocka_unit_test_prestate(inner_parts_and_padding, &device),
        cmocka_unit_test(impossible_tiles_are_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kernel_close(&device);
    return failed;
}
