/* traffic_test.c: bytes between ranks: closed formulas, and every element of small arrays counted.
 * Room: tuner/forecast. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "network.h"
#include "traffic.h"

enum { MOST = 12 };

static ct_array array_of(int64_t s, int64_t c, int64_t t)
{
    ct_array array = {.type = CT_CF32};
    ct_array_add(&array, 'S', s);
    ct_array_add(&array, 'C', c);
    ct_array_add(&array, 'T', t);
    ct_array_dense(&array, NULL);
    return array;
}

static ct_partition along(char dim, int parts, int64_t units, bool sum)
{
    return (ct_partition){.axes = 1, .axis = {{dim, parts, units, sum}}};
}

static ct_traffic count(int ranks, const ct_array *array, ct_partition from, ct_partition to)
{
    ct_traffic traffic;
    ct_error err = {0};
    assert_int_equal(ct_traffic_count(&traffic, ranks, array, &from, &to, &err), CT_OK);
    return traffic;
}

static void corner_turns_follow_their_formula(void **state)
{
    const ct_array array = array_of(64, 256, 100);
    const int64_t bytes = 64 * 256 * 100 * 8;
    (void)state;
    for (int n = 2; n <= 64; n *= 2) {
        const ct_traffic t = count(n, &array, along('S', n, 64, false), along('C', n, 256, false));
        assert_int_equal(t.link, bytes / n / n);
        assert_int_equal(t.sent, bytes / n / n * (n - 1));
        assert_int_equal(t.received, t.sent);
        assert_int_equal(t.messages, n - 1);
        assert_int_equal(t.kept, bytes / n / n);
    }
}

/* A part of a sum is as long as the whole: each rank sends all of it but its own range. */
static void sums_follow_theirs(void **state)
{
    const ct_array array = array_of(6, 12, 5);
    const int64_t bytes = 6 * 12 * 5 * 8;
    (void)state;
    const ct_traffic t = count(4, &array, along('B', 4, 30, true), along('C', 4, 12, false));
    assert_int_equal(t.sent, bytes / 4 * 3);
    assert_int_equal(t.link, bytes / 4);
}

static void one_rank_gathers(void **state)
{
    const ct_array array = array_of(6, 12, 5);
    const ct_partition root = {.root = true};
    (void)state;
    const ct_traffic t = count(3, &array, along('C', 3, 12, false), root);
    assert_int_equal(t.received, 6 * 12 * 5 * 8 / 3 * 2);
    const ct_traffic none = count(3, &array, along('C', 3, 12, false), along('C', 3, 12, false));
    assert_int_equal(none.sent + none.link + none.messages, 0);
}

/* ---- every element by itself */

static bool has(const ct_partition *partition, const ct_array *array, int rank, const int64_t at[3])
{
    int64_t first[CT_DIMS], extent[CT_DIMS];
    ct_partition_box(partition, array, rank, first, extent);
    for (int k = 0; k < 3; k++)
        if (at[k] < first[k] || at[k] >= first[k] + extent[k]) return false;
    return true;
}

static void add_element(int64_t sent[MOST][MOST], int ranks, const ct_array *array,
                        const ct_partition *from, const ct_partition *to, const int64_t at[3])
{
    for (int r = 0; r < ranks; r++) {
        int giver = r;
        if (!has(to, array, r, at)) continue;
        if (!has(from, array, r, at))
            for (giver = 0; !has(from, array, giver, at);)
                giver++;
        sent[giver][r] += 8;
    }
}

static void compare(int ranks, const ct_array *array, const ct_partition *from,
                    const ct_partition *to)
{
    int64_t sent[MOST][MOST] = {{0}}, out = 0, in = 0, link = 0;
    int64_t at[3];
    for (at[0] = 0; at[0] < array->extent[0]; at[0]++)
        for (at[1] = 0; at[1] < array->extent[1]; at[1]++)
            for (at[2] = 0; at[2] < array->extent[2]; at[2]++)
                add_element(sent, ranks, array, from, to, at);
    for (int a = 0; a < ranks; a++) {
        int64_t row = 0, column = 0;
        for (int b = 0; b < ranks; b++) {
            if (a == b) continue;
            row += sent[a][b];
            column += sent[b][a];
            if (sent[a][b] > link) link = sent[a][b];
        }
        out = row > out ? row : out;
        in = column > in ? column : in;
    }
    const ct_traffic t = count(ranks, array, *from, *to);
    assert_int_equal(t.sent, out);
    assert_int_equal(t.received, in);
    assert_int_equal(t.link, link);
}

/* Ragged, grids, and more ranks than indices. */
static void every_element_is_counted(void **state)
{
    const ct_array array = array_of(5, 7, 2);
    (void)state;
    for (int n = 1; n <= MOST; n++) {
        const ct_partition s = along('S', n, 5, false), c = along('C', n, 7, false), all = {0};
        const ct_partition grid = {.axes = 2, .axis = {{'S', n, 5, false}, {'C', 1, 7, false}}};
        compare(n, &array, &s, &c);
        compare(n, &array, &c, &s);
        compare(n, &array, &s, &all);
        compare(n, &array, &all, &c);
        compare(n, &array, &grid, &c);
    }
    const ct_partition wide = {.axes = 2, .axis = {{'S', 3, 5, false}, {'C', 4, 7, false}}};
    const ct_partition tall = {.axes = 2, .axis = {{'C', 6, 7, false}, {'S', 2, 5, false}}};
    compare(12, &array, &wide, &tall);
}

/* ---- a network's words */

static void networks_are_read(void **state)
{
    ct_network cost;
    ct_error err = {0};
    (void)state;
    assert_int_equal(ct_network_parse(&cost, "100Gb/s,2us", &err), CT_OK);
    assert_true(cost.bandwidth == 12.5e9 && cost.latency_s > 1.99e-6 && cost.latency_s < 2.01e-6);
    assert_int_equal(ct_network_parse(&cost, "1.5GB/s,0.1ms", &err), CT_OK);
    assert_true(cost.bandwidth == 1.5e9 && cost.latency_s == 0.1 * 1e-3);
    static const char *const wrong[] = {
        "",          "100",         "100Gb/s",    "Gb/s,2us",    "100Gb/s,",
        "100Gb/s,2", "100Gb/s,2km", "-1Gb/s,2us", "nanGb/s,2us", "infGb/s,2us",
        "1Gb/s,-2us"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(ct_network_parse(&cost, wrong[i], NULL), CT_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corner_turns_follow_their_formula),
        cmocka_unit_test(sums_follow_theirs),
        cmocka_unit_test(one_rank_gathers),
        cmocka_unit_test(every_element_is_counted),
        cmocka_unit_test(networks_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
