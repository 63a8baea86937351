/* candidates_friends_test.c: friends of friends are what comparing all rows with all others gives;
 * what one pulse makes is one group, what two make are two; a storm ends within its memory and
 * loses no member. Room: io/candidates. */
#include "candidates_friends.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BIN = 64, MOST = 6000 };

/* Rows in the order in which they come, and the groups that were found. */
typedef struct scene {
    ct_row row[MOST];
    int64_t bin[MOST];
    int rows;
    ct_group group[MOST];
    int64_t beams[MOST];
    int groups;
    ct_friends friends;
} scene;

static void keep_group(void *to, const ct_group *group, int64_t beams)
{
    scene *s = to;
    assert_true(s->groups < MOST);
    s->beams[s->groups] = beams;
    s->group[s->groups++] = *group;
}

static scene *new_scene(int64_t beams, int64_t trials, double sweep)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->friends = (ct_friends){
        .beams = beams, .trials = trials, .sweep = sweep, .found = keep_group, .to = s};
    return s;
}

/* A boxcar of `width` that ends at sample `to`, which has to be no earlier than those before it. */
static void add(scene *s, double snr, int64_t to, int64_t width, int64_t trial, int64_t beam)
{
    assert_true(s->rows < MOST);
    s->bin[s->rows] = (to - 1) / BIN;
    s->row[s->rows++] = (ct_row){.snr = snr,
                                 .dm = 0.5 * (double)trial,
                                 .from = to - width,
                                 .to = to,
                                 .sample = to - width,
                                 .width = width,
                                 .trial = trial,
                                 .plane = beam,
                                 .beam = beam,
                                 .spread = 1};
}

static int by_bin(const void *a, const void *b)
{
    const ct_row *x = a, *y = b;
    const int64_t bx = (x->to - 1) / BIN, by = (y->to - 1) / BIN;
    if (bx != by) return bx < by ? -1 : 1;
    if (x->plane != y->plane) return x->plane < y->plane ? -1 : 1;
    if (x->trial != y->trial) return x->trial < y->trial ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void take_bin(scene *s, int64_t bin, int first, int end)
{
    ct_friends_open(&s->friends, bin, end - first);
    for (int i = first; i < end; i++)
        ct_friends_add(&s->friends, &s->row[i]);
    ct_friends_join(&s->friends);
    assert_true(s->friends.kept->groups <= CT_FRIENDS_PLACES);
}

/* Bins without rows come only where they are asked for. */
static void find_groups(scene *s)
{
    void *memory = calloc(1, (size_t)ct_friends_bytes((double)s->friends.beams));
    assert_non_null(memory);
    assert_true((char *)ct_friends_begin(&s->friends, memory) - (char *)memory ==
                (ptrdiff_t)ct_friends_bytes((double)s->friends.beams));
    qsort(s->row, (size_t)s->rows, sizeof *s->row, by_bin);
    for (int i = 0; i < s->rows; i++)
        s->bin[i] = (s->row[i].to - 1) / BIN;
    int64_t bin = 0;
    for (int first = 0, end; first < s->rows; first = end) {
        for (end = first; end < s->rows && s->bin[end] == s->bin[first];)
            end++;
        for (; bin < s->bin[first]; bin++)
            if (ct_friends_wait(&s->friends)) take_bin(s, bin, 0, 0);
        take_bin(s, bin++, first, end);
    }
    ct_friends_finish(&s->friends);
    assert_false(ct_friends_wait(&s->friends));
    free(memory);
}

/* ---- all with all others */

static void label(const scene *s, int *of)
{
    bool changed = true;
    for (int i = 0; i < s->rows; i++)
        of[i] = i;
    while (changed) {
        changed = false;
        for (int i = 0; i < s->rows; i++)
            for (int j = 0; j < i; j++) {
                const double smear = s->friends.sweep * fabs(s->row[i].dm - s->row[j].dm);
                const int64_t wi = s->row[i].width, wj = s->row[j].width;
                const double w = (double)(wi > wj ? wi : wj);
                const double late = fmax((double)s->row[i].from, (double)s->row[j].from);
                const double early = fmin((double)s->row[i].to, (double)s->row[j].to);
                const bool near = llabs(s->row[i].trial - s->row[j].trial) < 2 ||
                                  (s->friends.sweep > 0 && smear <= w);
                if (!near || late - early > w + smear || llabs(s->bin[i] - s->bin[j]) > 4 ||
                    of[i] == of[j])
                    continue;
                of[i] = of[j] = of[i] < of[j] ? of[i] : of[j];
                changed = true;
            }
    }
}

static void check_group(const scene *s, const int *of, int at)
{
    const ct_group *found = NULL;
    ct_group wanted = {.from = INT64_MAX, .dm_low = INFINITY, .dm_high = -INFINITY};
    uint64_t beams = 0;
    for (int i = 0; i < s->rows; i++) {
        const ct_row *row = &s->row[i];
        if (of[i] != at) continue;
        wanted.members++;
        if (row->from < wanted.from) wanted.from = row->from;
        if (row->to > wanted.to) wanted.to = row->to;
        if (row->width > wanted.widest) wanted.widest = row->width;
        if (row->snr > wanted.best.snr) wanted.best = *row;
        if (row->trial == 0 && row->snr > wanted.snr_first) wanted.snr_first = row->snr;
        wanted.dm_low = fmin(wanted.dm_low, row->dm);
        wanted.dm_high = fmax(wanted.dm_high, row->dm);
        beams |= (uint64_t)1 << row->beam;
    }
    for (int g = 0; g < s->groups; g++)
        if (s->group[g].best.snr == wanted.best.snr) {
            found = &s->group[g];
            assert_int_equal(s->beams[g], __builtin_popcountll(beams));
        }
    assert_non_null(found);
    assert_true(found->members == wanted.members && found->from == wanted.from &&
                found->to == wanted.to && found->widest == wanted.widest);
    assert_true(found->dm_low == wanted.dm_low && found->dm_high == wanted.dm_high &&
                found->snr_first == wanted.snr_first);
    assert_true(found->best.trial == wanted.best.trial && found->best.to == wanted.best.to &&
                found->best.beam == wanted.best.beam);
}

static void check_all(const scene *s)
{
    int *of = calloc(MOST, sizeof *of), groups = 0;
    label(s, of);
    for (int i = 0; i < s->rows; i++) {
        if (of[i] != i) continue;
        groups++;
        check_group(s, of, i);
    }
    assert_int_equal(s->groups, groups);
    free(of);
}

static void is_what_all_pairs_give(void **state)
{
    static const double sweeps[] = {0, 0.3, 4, 60};
    (void)state;
    int joined = 0;
    for (int k = 0; k < 24; k++) {
        scene *s = new_scene(1 + 6 * (k % 3), 300, sweeps[k % 4]);
        srand((unsigned)k);
        for (int i = 0; i < 700; i++)
            add(s, 6 + 0.001 * i, 200 + rand() % (k < 12 ? 30000 : 3000), 1 << rand() % 9,
                rand() % (k % 5 ? 300 : 30), rand() % (1 + 6 * (k % 3)));
        find_groups(s);
        check_all(s);
        joined += s->groups > 1 && s->groups < 650;
        free(s);
    }
    assert_true(joined >= 12);
}

/* ---- pulses */

/* What a pulse of trial `at` and S/N `snr` makes: at other trials it is smeared, weaker, wider, and
 * some places above the threshold are missing. */
static int add_pulse(scene *s, double snr, int64_t time, int64_t at, int64_t beam)
{
    int rows = 0;
    for (int64_t d = 0; d < s->friends.trials; d++) {
        const double smear = s->friends.sweep * 0.5 * (double)llabs(d - at);
        int64_t width = 4;
        while (width < 16 && (double)width < smear)
            width *= 2;
        const double left = snr * sqrt(4 * (double)width) / fmax(4, fmax(smear, (double)width));
        if (left < 6 || (left < 7 && d % 7)) continue;
        const double middle = d < at ? 0.5 * smear : -0.5 * smear;
        add(s, left - 1e-3 * fabs(smear), time + (int64_t)middle + width / 2, width, d, beam);
        rows++;
    }
    return rows;
}

static void makes_one_of_a_pulse(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        scene *s = new_scene(3, 1241, 0.1 + 0.2 * k);
        const int rows = add_pulse(s, 20, 5000, 400 + k, 1);
        find_groups(s);
        assert_int_equal(s->groups, 1);
        assert_true(rows > 10 && s->group[0].members == rows);
        assert_int_equal(s->group[0].best.trial, 400 + k);
        assert_int_equal(s->beams[0], 1);
        free(s);
    }
}

static void tells_two_pulses_apart(void **state)
{
    (void)state;
    scene *s = new_scene(2, 1241, 1.0);
    add_pulse(s, 20, 5000, 400,
              1); /* at one time, of different DM; of one DM, at different times */
    add_pulse(s, 19, 5000, 900, 0);
    add_pulse(s, 18, 6000, 400, 0);
    find_groups(s);
    assert_int_equal(s->groups, 3);
    for (int g = 0; g < 3; g++)
        assert_true(s->group[g].best.trial ==
                    (s->group[g].best.snr > 18.5 && s->group[g].best.beam == 0 ? 900 : 400));
    free(s);
    s = new_scene(70, 3, 1.0); /* one pulse in all beams */
    for (int64_t b = 0; b < 70; b++)
        add(s, 6 + (double)b, 1000, 8, 1, b);
    find_groups(s);
    assert_true(s->groups == 1 && s->beams[0] == 70 && s->group[0].best.beam == 69);
    free(s);
}

/* ---- storms */

static void bears_a_storm(void **state)
{
    enum { TRIALS = 2000, BEAMS = 3 };
    (void)state;
    scene *s = new_scene(BEAMS, TRIALS, 0.01);
    for (int64_t b = 0; b < BEAMS; b++)
        for (int64_t d = 0; d < TRIALS; d++)
            add(s, 10 + (b == 1 && d == 777 ? 5 : 1e-4 * (double)(d % 50)), 640, 4, d, b);
    find_groups(s);
    assert_int_equal(s->groups, 1);
    assert_true(s->group[0].members == BEAMS * TRIALS && s->beams[0] == BEAMS);
    assert_true(s->group[0].best.trial == 777 && s->group[0].best.beam == 1);
    assert_true(s->group[0].dm_low == 0 && s->group[0].dm_high == 0.5 * (TRIALS - 1));
    free(s);
    s = new_scene(BEAMS, TRIALS, 0); /* rows all over the place, bin after bin */
    for (int i = 0; i < MOST; i++)
        add(s, 6 + 1e-4 * i, 64 + i / 350 * BIN + i % 60, 1, i * 739 % TRIALS, i % BEAMS);
    find_groups(s);
    int64_t members = 0;
    for (int g = 0; g < s->groups; g++)
        members += s->group[g].members;
    assert_true(members == MOST);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_all_pairs_give), cmocka_unit_test(makes_one_of_a_pulse),
        cmocka_unit_test(tells_two_pulses_apart), cmocka_unit_test(bears_a_storm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
