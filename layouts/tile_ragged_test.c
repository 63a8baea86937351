/* tile_ragged_test.c: PACK and STORE of boxes that the array does not fill: every extent from 1 to
 * 40 along every dimension, whole and split ones, of a few types.
 *
 * Room: layouts (test). Oracle: index arithmetic on the host (tile_run.h), which also looks at
 * every byte around what STORE may write. */
#include "exhaustive.h"
#include "tile_run.h"

enum { MOST = 40, STRIPS = 3 };

/* Along one of three dimensions `extent`, along the others odd ones; in boxes of 16, 8 and 8. The
 * number says in which layout, from or to which order. */
static void add_extent(tile_run *run, tile_kind kind, int place, int extent, int number)
{
    static const char *const orders[] = {"SsTC", "TSCs", "CSTs", "tCTS", "TCtS",
                                         "SCT",  "CTS",  "STC",  "TCSs", "sTCS"};
    const int64_t all = ct_layout_permutations(3);
    const ct_layout layout = ct_layout_permutation("STC", (number + place) % all);
    kind.extent[place] = extent;
    add_case(run, &kind, &layout, orders[number % 10]);
}

/* A few are a seventh of them: ends of boxes of most lengths, and boxes that are full. */
static void check_extents(kernel_device *device, tile_kind kind)
{
    tile_run *run = calloc(1, sizeof *run);
    int number = 0;
    run->device = device;
    for (int place = 0; place < STRIPS; place++)
        for (int n = 1 + (int)few_or_all(place, 0); n <= MOST; n += (int)few_or_all(7, 1)) {
            add_extent(run, kind, place, n, number += kind.write ? 11 : 7);
            if (run->cases == 20) check_run(run);
        }
    if (run->cases) check_run(run);
    free(run);
}

static const tile_kind complex_numbers = {.dims = "STC",
                                          .type = CT_CF32,
                                          .tile = "float2",
                                          .tile_type = CT_CF32,
                                          .extent = {11, 13, 21},
                                          .box = {16, 8, 8},
                                          .group = 1,
                                          .vector = 64,
                                          .nontemporal = 1};

static void every_extent_is_packed(void **state)
{
    tile_kind kind = complex_numbers;
    check_extents(*state, kind);
    kind.type = CT_CI8;
    kind.padding = 3;
    kind.offset = 1;
    check_extents(*state, kind);
}

static void every_extent_is_stored(void **state)
{
    tile_kind kind = complex_numbers;
    kind.write = true;
    check_extents(*state, kind);
    kind.padding = 3;
    kind.tile_padding = 2;
    check_extents(*state, kind);
}

static void bytes_stay_bytes(void **state)
{
    tile_kind kind = complex_numbers;
    kind.type = kind.tile_type = CT_CI8;
    kind.tile = "char2";
    check_extents(*state, kind);
    kind.write = true;
    check_extents(*state, kind);
}

/* A case whose kernel says `how` it stores what of a row ends inside a line. */
static void add_split(tile_run *run, const tile_kind *kind, const char *layout, const char *order,
                      const char *how)
{
    const size_t before = run->text.length;
    ct_layout parsed;
    assert_int_equal(ct_layout_parse(&parsed, layout, NULL), CT_OK);
    add_case(run, kind, &parsed, order);
    if (!strstr(run->text.data + before, how)) {
        puts(run->text.data + before);
        fail_msg("%s to %s: no \"%s\"", order, layout, how);
    }
}

/* Rows that begin at lines and end inside one, in boxes of so many lines: what comes after the last
 * whole line goes another way than what is before it. */
static void check_rows(kernel_device *device, int lines)
{
    static const char *const orders[] = {"STC", "CTS", "TSC", "CST"}, *const layouts[] = {"STC",
                                                                                          "TSC"};
    static const struct {
        ct_type type;
        const char *tile;
        int line; /* elements */
    } kinds[] = {
        {CT_CF32, "float2", 8}, {CT_F32, "float", 16}, {CT_I32, "int", 16}, {CT_CI8, "char2", 32}};
    tile_run *run = calloc(1, sizeof *run);
    run->device = device;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int n = 1 + (int)few_or_all((int64_t)k, 0); n < 2 * kinds[k].line;
             n += (int)few_or_all(kinds[k].line / 2 - 1, 1)) {
            tile_kind kind = complex_numbers;
            kind.type = kind.tile_type = kinds[k].type;
            kind.tile = kinds[k].tile;
            kind.write = true;
            kind.extent[2] = 6 * kinds[k].line + n;
            kind.padding = 8 * kinds[k].line - kind.extent[2];
            memcpy(kind.box, (int64_t[]){2, 4, lines * kinds[k].line}, sizeof(int64_t[3]));
            add_split(run, &kind, layouts[n % 2], orders[n / 2 % 4], "const int count_");
            if (run->cases == 20) check_run(run);
        }
    if (run->cases) check_run(run);
    free(run);
}

/* Several boxes to a row, of which the last one is cut; or one, whose length is known. */
static void rows_end_inside_lines(void **state)
{
    check_rows(*state, 4);
    check_rows(*state, 8);
}

/* A line has 4 channels of two polarizations: whole ones are stored as such, few as they may be. */
static void lines_are_counted_in_channels(void **state)
{
    static const int64_t extents[] = {20, 12, 21, 13, 28, 15, 30, 21};
    tile_run *run = calloc(1, sizeof *run);
    run->device = *state;
    for (size_t k = 0; k < sizeof extents / sizeof *extents; k++) {
        tile_kind kind = complex_numbers;
        kind.write = true;
        kind.dims = "SPC";
        memcpy(kind.extent, (int64_t[]){3, 2, extents[k]}, sizeof(int64_t[3]));
        memcpy(kind.box, (int64_t[]){2, 2, k % 2 ? 8 : 16}, sizeof(int64_t[3]));
        add_split(run, &kind, "SCP", "CSP", " % 4;");
    }
    if (run->cases) check_run(run);
    free(run);
}

/* Of the last box of a row less than a line lies inside: that goes past the caches, too, unless
 * words are smaller than 4 bytes. */
static void ends_shorter_than_a_line_pass_the_caches(void **state)
{
    static const char *const orders[] = {"STC", "CTS", "TSC", "CST"};
    tile_run *run = calloc(1, sizeof *run);
    run->device = *state;
    for (int n = 2; n < 16; n++) {
        tile_kind kind = complex_numbers;
        const int line = n < 8 ? 8 : 16;
        kind.write = true;
        kind.type = kind.tile_type = n < 8 ? CT_CF32 : CT_F32;
        kind.tile = n < 8 ? "float2" : "float";
        kind.extent[2] = 64 + n;
        kind.padding = line - n;
        memcpy(kind.box, (int64_t[]){2, 4, 32}, sizeof(int64_t[3]));
        add_split(run, &kind, "TSC", orders[n % 4],
                  n < 8 ? "(n_c < 8 && n_c < 32)" : "(n_c < 16 && n_c < 32)");
    }
    if (run->cases) check_run(run);
    free(run);
}

/* Where channels are fastest in the tile, too, bytes go by lines, the last of them once more or in
 * shorter vectors; and past the caches, where rows begin with a line. So they do from tiles of
 * another order. */
static void rows_of_bytes_go_by_lines(void **state)
{
    static const int64_t extents[] = {65, 127, 131, 193, 200};
    tile_run *run = calloc(1, sizeof *run);
    run->device = *state;
    for (size_t k = 0; k < 2 * sizeof extents / sizeof *extents; k++) {
        tile_kind kind = complex_numbers;
        kind.write = k % 2;
        kind.type = kind.tile_type = CT_U8;
        kind.tile = "uchar";
        kind.extent[2] = extents[k / 2];
        kind.padding = 256 - kind.extent[2];
        memcpy(kind.box, (int64_t[]){2, 4, k % 4 < 2 ? 128 : 64}, sizeof(int64_t[3]));
        add_split(run, &kind, "TSC", k % 3 ? "STC" : "TSC", "ct_word1_64 *)");
        memcpy(kind.box, (int64_t[]){2, 16, 64}, sizeof(int64_t[3]));
        if (kind.write)
            add_split(run, &kind, "TSC", k % 3 ? "SCT" : "CTS", "(global ct_uchar64 *)");
    }
    if (run->cases) check_run(run);
    free(run);
}

int main(void)
{
    kernel_device device;
    if (!kernel_open(&device)) {
        puts("skipped: no OpenCL device");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(every_extent_is_packed, &device),
        cmocka_unit_test_prestate(every_extent_is_stored, &device),
        cmocka_unit_test_prestate(bytes_stay_bytes, &device),
        cmocka_unit_test_prestate(rows_end_inside_lines, &device),
        cmocka_unit_test_prestate(lines_are_counted_in_channels, &device),
        cmocka_unit_test_prestate(ends_shorter_than_a_line_pass_the_caches, &device),
        cmocka_unit_test_prestate(rows_of_bytes_go_by_lines, &device),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kernel_close(&device);
    return failed;
}
