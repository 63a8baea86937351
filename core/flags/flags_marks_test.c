/* flags_marks_test.c: flags of which only marked stretches are looked at, against rows that are
 * gone through sample by sample: windows over several blocks, outputs of one sample and of many,
 * groups that are joined, masks. A byte that is set has a mark. Room: core/flags. Knows marks, and
 * the rule of a row. Does not know runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chance.h"
#include "flags.h"

enum { STATIONS = 2, GROUPS = 3, BLOCKS = 6, MOST = 9000 };

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(chance(state) * (double)n);
}

/* Some runs of flags, or none, in any way that there is. */
static void fill(uint64_t *state, ct_flags *flags)
{
    static const uint8_t ways[] = {1, 3, 4};
    memset(flags->data, 0, ct_flags_bytes(flags));
    for (int64_t n = below(state, 4) * below(state, 4); n > 0; n--) {
        const int64_t row = below(state, ct_flags_rows(flags)), from = below(state, flags->samples);
        const int64_t most = flags->samples - from,
                      count = 1 + below(state, most < 2500 ? most : 2500);
        memset(ct_flags_row(flags, row) + from, ways[below(state, 3)],
               (size_t)(count < most ? count : most));
    }
    ct_flags_look(flags);
}

static ct_flags make(ct_arena *arena, int64_t groups, int64_t samples)
{
    ct_flags flags = {.stations = STATIONS, .groups = groups, .samples = samples};
    ct_flags_get(&flags, arena);
    return flags;
}

static void check_marks(const ct_flags *flags)
{
    bool any = false;
    for (int64_t r = 0; r < ct_flags_rows(flags); r++)
        for (int64_t t = 0; t < flags->samples; t++) {
            if (!ct_flags_row(flags, r)[t]) continue;
            any = true;
            assert_int_equal(ct_flags_marks(flags, r)[t / CT_FLAGS_STRETCH], 1);
        }
    assert_int_equal(flags->any, any);
}

/* What is set, in order, by the function that passes over stretches. */
static void check_next(const ct_flags *flags)
{
    for (int64_t r = 0; r < ct_flags_rows(flags); r++) {
        int64_t found = -1;
        for (int64_t t = 0; t <= flags->samples; t++) {
            if (t < flags->samples && !ct_flags_row(flags, r)[t]) continue;
            assert_int_equal(ct_flags_next(flags, r, found + 1, flags->samples), t);
            found = t;
        }
    }
}

/* The window of all samples of a row that came, of which the last ones are kept. */
static void check_window(const ct_flags *window, uint8_t *const *came, int64_t end)
{
    for (int64_t r = 0; r < ct_flags_rows(window); r++)
        assert_memory_equal(ct_flags_row(window, r), came[r] + end - window->samples,
                            (size_t)window->samples);
    check_marks(window);
    check_next(window);
}

static void test_windows(void **unused)
{
    static const int64_t samples[] = {700, 1024, 1025, 3000}, overlaps[] = {1, 574, 1024, 2100};
    uint64_t state = 1;
    (void)unused;
    for (int n = 0; n < 16; n++) {
        ct_arena *arena = ct_arena_new();
        const int64_t count = samples[n % 4], overlap = overlaps[n / 4];
        ct_flags fresh = make(arena, GROUPS, count), window = make(arena, GROUPS, count + overlap);
        uint8_t *came[STATIONS * GROUPS];
        int32_t from[GROUPS] = {2, 0, 1};
        window.from = from;
        ct_flags_begin(&window, overlap);
        for (int r = 0; r < STATIONS * GROUPS; r++)
            memset(came[r] = ct_arena_get(arena, (size_t)(overlap + BLOCKS * count)), 3,
                   (size_t)overlap);
        for (int64_t b = 0; b < BLOCKS; b++) {
            fill(&state, &fresh);
            ct_flags_advance(&window, &fresh, overlap, b == 0);
            for (int r = 0; r < STATIONS * GROUPS; r++)
                memcpy(came[r] + overlap + b * count,
                       ct_flags_row(&fresh, r / GROUPS * GROUPS + from[r % GROUPS]), (size_t)count);
            check_window(&window, came, overlap + (b + 1) * count);
        }
        ct_arena_free(arena);
    }
}

/* One row of an output: of a group, or of all. */
static void expect_row(uint8_t *out, const ct_flags *in, int64_t s, int64_t group, int64_t count,
                       ct_flags_rule rule, int64_t first)
{
    uint8_t joined[MOST];
    const int64_t row = s * in->groups + (group < 0 ? 0 : group);
    memcpy(joined, ct_flags_row(in, row), (size_t)in->samples);
    for (int64_t g = 1; group < 0 && g < in->groups; g++)
        ct_flags_rule_join(joined, ct_flags_row(in, row + g), in->samples, rule.leaves_out);
    ct_flags_rule_spread(out, count, joined + first, rule, false);
}

static void check_outputs(uint64_t *state, int32_t *from, int64_t groups, ct_flags_rule rule)
{
    uint8_t expected[MOST], room[2 * MOST];
    ct_arena *arena = ct_arena_new();
    const int64_t count = 2500, more = below(state, 2) * below(state, 1500);
    const bool keeps = more > 0;
    const ct_stage stage = {.traits = (rule.leaves_out ? CT_STAGE_LEAVES_OUT : 0) |
                                      (keeps ? CT_STAGE_KEEPS_FLAGS : 0)};
    const ct_step step = {.stage = &stage,
                          .decimate = rule.decimate,
                          .overlap = keeps ? more : rule.overlap,
                          .accumulate = 1};
    if (keeps) rule.overlap = 0;
    ct_flags out = make(arena, groups, count);
    ct_flags in = make(arena, GROUPS, count * rule.decimate + step.overlap);
    out.from = from;
    for (int b = 0; b < BLOCKS; b++) {
        fill(state, &in);
        ct_flags_pass(&out, &in, &step, (ct_flags_piece){0, 1}, room, false);
        for (int64_t s = 0; s < STATIONS; s++)
            for (int64_t g = 0; g < groups; g++) {
                expect_row(expected, &in, s, from[g], count, rule, keeps ? more : 0);
                assert_memory_equal(ct_flags_row(&out, s * groups + g), expected, (size_t)count);
            }
        check_marks(&out);
    }
    ct_arena_free(arena);
}

static void test_outputs(void **unused)
{
    int32_t each[GROUPS] = {2, 1, 0}, all[1] = {-1}, one[1] = {1};
    uint64_t state = 2;
    (void)unused;
    for (int n = 0; n < 48; n++) {
        const ct_flags_rule rule = {1 + n % 3, n / 3 % 4 * 350, n % 2};
        check_outputs(&state, each, GROUPS, rule);
        check_outputs(&state, all, 1, rule);
        check_outputs(&state, one, 1, rule);
    }
}

/* Masks find marks, and leave them. */
static void test_masks(void **unused)
{
    enum { SAMPLES = 2600 };
    uint64_t state = 3;
    (void)unused;
    for (int n = 0; n < 12; n++) {
        ct_arena *arena = ct_arena_new();
        const int64_t zero[CT_DIMS] = {0};
        ct_array mask = {.rank = 2,
                         .dim = {'S', 'T'},
                         .extent = {STATIONS, SAMPLES},
                         .stride = {SAMPLES, 1},
                         .type = CT_U8};
        ct_flags flags = make(arena, 1, SAMPLES), given = make(arena, 1, SAMPLES);
        flags.of = given.of = &mask;
        fill(&state, &flags);
        fill(&state, &given);
        mask.data = given.data;
        uint8_t *before = ct_arena_get(arena, ct_flags_bytes(&flags));
        memcpy(before, flags.data, ct_flags_bytes(&flags));
        ct_flags_mask_join(&flags, &mask, zero);
        for (int64_t i = 0; i < STATIONS * SAMPLES; i++)
            assert_int_equal(flags.data[i], given.data[i] ? (before[i] | 1) & 3 : before[i]);
        check_marks(&flags);
        ct_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows),
                                       cmocka_unit_test(test_outputs),
                                       cmocka_unit_test(test_masks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
