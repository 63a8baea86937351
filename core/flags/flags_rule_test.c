/* flags_rule_test.c: rows of flags against their definitions, sample by sample: few flags, many,
 * and none; windows of any length; masks in any order of their dimensions. Room: core/flags. Knows
 * the rule. Does not know stages. */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "chance.h"
#include "flags.h"
#include "flags_find.h"

enum { MOST = 3000, GUARD = 0xa5 };

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(chance(state) * (double)n);
}

/* One of so many samples is flagged, in one of the ways that there are; 0: none is. */
static void fill(uint64_t *state, uint8_t *row, int64_t count, int64_t one_of)
{
    static const uint8_t ways[] = {1, 3, 4};
    for (int64_t t = 0; t < count; t++)
        row[t] = one_of && below(state, one_of) == 0 ? ways[below(state, 3)] : 0;
}

/* As flags.h says it. */
static uint8_t flag_of(const uint8_t *in, int64_t count, bool leaves_out)
{
    bool any = false, outside = false, missing = false, all = true;
    for (int64_t t = 0; t < count; t++) {
        any = any || in[t];
        outside = outside || in[t] & 2;
        missing = missing || in[t] & 1;
        all = all && in[t] & 1;
    }
    if (outside) return CT_FLAGS_OUTSIDE;
    if (!any) return 0;
    return (leaves_out ? all : missing) ? CT_FLAGS_MISSING : CT_FLAGS_PARTLY;
}

static void test_spread(void **unused)
{
    (void)unused;
    const int64_t one_of[] = {0, 1, 2, 30, 700};
    uint64_t state = 1;
    uint8_t in[MOST], out[MOST + 1];
    for (int round = 0; round < 4000; round++) {
        const ct_flags_rule rule = {round % 3 ? 1 : 1 + below(&state, 40),
                                    round % 2 ? below(&state, 60) : 0, below(&state, 2) == 1};
        const int64_t count = 1 + below(&state, (MOST - rule.overlap) / rule.decimate);
        fill(&state, in, count * rule.decimate + rule.overlap, one_of[below(&state, 5)]);
        memset(out, GUARD, sizeof out);
        ct_flags_rule_spread(out, count, in, rule, false);
        for (int64_t t = 0; t < count; t++)
            assert_int_equal(out[t], flag_of(in + t * rule.decimate, rule.decimate + rule.overlap,
                                             rule.leaves_out));
        assert_int_equal(out[count], GUARD);
    }
}

/* Two parts of one sum, one after the other, are as both together. */
static void test_spread_more(void **unused)
{
    (void)unused;
    const int64_t one_of[] = {0, 1, 40};
    uint64_t state = 2;
    uint8_t in[200], parts[1], whole[1];
    for (int round = 0; round < 4000; round++) {
        const int64_t first = 1 + below(&state, 99), second = 1 + below(&state, 99);
        const bool leaves_out = below(&state, 2) == 1;
        fill(&state, in, first, one_of[below(&state, 3)]);
        fill(&state, in + first, second, one_of[below(&state, 3)]);
        const ct_flags_rule rule[] = {{first, 0, leaves_out}, {second, 0, leaves_out}};
        ct_flags_rule_spread(parts, 1, in, rule[0], false);
        ct_flags_rule_spread(parts, 1, in + first, rule[1], true);
        ct_flags_rule_spread(whole, 1, in, (ct_flags_rule){first + second, 0, leaves_out}, false);
        if (leaves_out) assert_int_equal(parts[0], whole[0]);
        if (!leaves_out) assert_int_equal(parts[0] & 1, whole[0] & 1);
    }
}

static void test_find(void **unused)
{
    (void)unused;
    for (int64_t at = 0; at < 64; at++)
        for (int64_t from = 0; from < 64; from++) {
            uint8_t row[64] = {0};
            row[at] = 4;
            assert_int_equal(ct_flags_find(row, from, 64), from <= at ? at : 64);
            assert_int_equal(ct_flags_find(row, from, at), from < at ? at : from);
        }
}

/* The mask's bytes at [s][t][c], however they lie. */
static void join_in_order(const char *dims, const int64_t strides[3])
{
    enum { S = 3, T = 37, C = 13 };
    uint64_t state = 3;
    uint8_t mask[S * T * C], flags[S * T], before[S * T];
    const int64_t zero[CT_DIMS] = {0};
    fill(&state, mask, sizeof mask, 20);
    fill(&state, flags, sizeof flags, 9);
    memcpy(before, flags, sizeof before);
    ct_array array = {.rank = 3, .data = mask};
    for (int k = 0; k < 3; k++) {
        array.dim[k] = dims[k];
        array.extent[k] = dims[k] == 'S' ? S : dims[k] == 'T' ? T : C;
        array.stride[k] = strides[k];
    }
    uint8_t marks[S] = {0};
    ct_flags to = {
        .stations = S, .groups = 1, .samples = T, .of = &array, .data = flags, .marks = marks};
    ct_flags_mask_join(&to, &array, zero);
    for (int64_t s = 0; s < S; s++)
        for (int64_t t = 0; t < T; t++) {
            bool any = false;
            for (int64_t c = 0; c < C; c++)
                any = any || mask[s * strides[0] + t * strides[1] + c * strides[2]];
            const uint8_t was = before[s * T + t];
            assert_int_equal(flags[s * T + t], any ? (was | 1) & 3 : was);
        }
    assert_true(to.any);
}

static void test_mask(void **unused)
{
    (void)unused;
    join_in_order("STC", (const int64_t[]){37 * 13, 13, 1});
    join_in_order("STC", (const int64_t[]){37 * 13, 1, 37});
    join_in_order("STC", (const int64_t[]){1, 3 * 13, 3});
}

static void test_count(void **unused)
{
    (void)unused;
    uint64_t state = 4;
    uint8_t data[2 * 29];
    uint8_t marks[2];
    ct_flags flags = {.stations = 2, .groups = 1, .samples = 29, .data = data, .marks = marks};
    for (int64_t one_of = 0; one_of < 9; one_of++) {
        int64_t count = 0;
        bool any = false, missing = false;
        fill(&state, data, sizeof data, one_of);
        for (int64_t i = 0; i < 2 * 29; i++) {
            count += i % 29 < 23 && data[i];
            any = any || data[i];
            missing = missing || (data[i] & 3) == 1;
        }
        assert_int_equal(ct_flags_count(&flags, 23), count);
        assert_int_equal(flags.any, any);
        assert_int_equal(ct_flags_any_missing(&flags), missing);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find), cmocka_unit_test(test_spread),
                                       cmocka_unit_test(test_spread_more),
                                       cmocka_unit_test(test_mask), cmocka_unit_test(test_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
