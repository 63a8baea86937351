/* dedisp_share_test.c: sums that trials share are those of brute force: in random set-ups the table
 * SUMS is followed step by step, and kernels with and without sharing give the same bits.
 * Room: stages/dedisp, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dedisp_trial.h"
#include "exhaustive.h"
#include "stage_device.h"

enum { TABLES = 60, KERNELS = 8, SLACK = 64, LOOKS = 4 };

/* ---- the table, followed */

typedef struct follow {
    const dedisp_trials *trials;
    const int32_t *word;
    int64_t words, tile, size, samples;
    int64_t *x, *row;           /* samples of each channel; rows of a tile */
    int64_t most, beyond, each; /* of rows; additions beyond those for each sample of a tile */
    int64_t total[DEDISP_PANEL][LOOKS];
} follow;

static int64_t word_at(const follow *f, int64_t k)
{
    assert_in_range(k, 0, f->words - 1);
    return f->word[k];
}

static int64_t place_at(const follow *f, int64_t k)
{
    return word_at(f, k) + word_at(f, k + 1) * f->tile;
}

/* Elements from `place` on, which have to lie inside. */
static int64_t *row_at(const follow *f, int64_t k, int64_t length)
{
    const int64_t place = place_at(f, k);
    assert_true(place >= 0 && place + length <= f->size);
    return f->row + place;
}

static void note_row(follow *f, int64_t k, int64_t adds)
{
    const int64_t end = place_at(f, k) + f->tile + word_at(f, k + 2);
    if (end > f->most) f->most = end;
    f->each += adds;
    f->beyond += adds * word_at(f, k + 2);
}

static void follow_quad(follow *f, int64_t k, int64_t t)
{
    const int64_t length = f->tile + word_at(f, k + 2), c = word_at(f, k + 3);
    int64_t *to = row_at(f, k, length), adds = -1;
    memset(to, 0, (size_t)length * sizeof *to);
    for (int n = 0; n < 4; n++) {
        const int64_t shift = word_at(f, k + 4 + n);
        if (shift < 0) continue;
        assert_false(f->trials->masked[c + n]);
        assert_true(t + shift + length <= f->samples);
        for (int64_t i = 0; i < length; i++)
            to[i] += f->x[(c + n) * f->samples + t + shift + i];
        adds++;
    }
    note_row(f, k, adds);
}

static void follow_pair(follow *f, int64_t k)
{
    const int64_t length = f->tile + word_at(f, k + 2);
    int64_t *to = row_at(f, k, length);
    const int64_t *one = row_at(f, k + 3, length), *two = row_at(f, k + 5, length);
    for (int64_t i = 0; i < length; i++)
        to[i] = one[i] + two[i];
    note_row(f, k, 1);
}

static void follow_rows(follow *f, int64_t sections, int64_t k, int64_t t)
{
    for (; sections > 0; sections--) {
        int64_t quads = word_at(f, k), pairs = word_at(f, k + 1);
        for (k += 2; quads > 0; quads--, k += 8)
            follow_quad(f, k, t);
        for (; pairs > 0; pairs--, k += 7)
            follow_pair(f, k);
    }
}

static int64_t brute(const follow *f, int64_t trial, int64_t t)
{
    int64_t sum = 0;
    for (int64_t c = 0; c < f->trials->channels; c++) {
        const int64_t shift = ct_trials_shift(f->trials, trial, c);
        if (shift >= 0) sum += f->x[c * f->samples + t + shift];
    }
    return sum;
}

/* Adds a tile's part of each trial, at a few of the tile's samples. */
static void follow_tile(follow *f, int64_t head, int64_t t)
{
    const int64_t groups = word_at(f, head), count = word_at(f, head + 5);
    int64_t place = word_at(f, head + 3);
    follow_rows(f, word_at(f, head + 1), word_at(f, head + 2), t);
    f->each += groups * count;
    for (int64_t d = 0; d < count; d++, place += 2 * groups)
        for (int64_t i = 0; i < LOOKS; i++)
            for (int64_t k = 0; k < groups; k++)
                f->total[d][i] += row_at(f, place + 2 * k, f->tile)[i * f->tile / LOOKS];
}

/* A panel of trials, the first of which is known: gives the one behind them. */
static int64_t follow_panel(follow *f, int64_t *head, int64_t first, int64_t t)
{
    const int64_t count = word_at(f, *head + 5);
    memset(f->total, 0, sizeof f->total);
    assert_in_range(count, 1, f->trials->sums.panel);
    for (int64_t n = 0; n < f->trials->sums.tiles; n++, *head += 6) {
        assert_true(word_at(f, *head + 4) == first && word_at(f, *head + 5) == count);
        follow_tile(f, *head, t);
    }
    for (int64_t d = 0; d < count; d++)
        for (int64_t i = 0; i < LOOKS; i++)
            assert_int_equal(f->total[d][i], brute(f, first + d, t + i * f->tile / LOOKS));
    return first + count;
}

static void follow_all(follow *f, luck *dice)
{
    int64_t head = 0;
    double each = 0, beyond = 0;
    for (int64_t r = 0; r < f->trials->ranges; r++) {
        const dedisp_range *range = &f->trials->range[r];
        int64_t d = range->first, panels = 0;
        f->each = f->beyond = 0;
        for (; d < range->first + range->count; panels++)
            d = follow_panel(f, &head, d, roll(dice, SLACK));
        assert_int_equal(d, range->first + range->count);
        assert_int_equal(panels, ct_dedisp_share_panels(f->trials, range));
        each += (double)f->each / (double)range->downsample;
        beyond += (double)f->beyond / (double)range->downsample;
    }
    const dedisp_sums *sums = &f->trials->sums;
    assert_true(fabs(sums->samples - each) < 1e-6 && fabs(sums->beyond - beyond) < 1e-6);
    assert_in_range(f->most, 1, f->size);
}

static void follow_setup(const setup *with, luck *dice)
{
    stage_case made;
    make(&made, with);
    const dedisp_trials *trials = made.step->state;
    follow f = {.trials = trials, .words = trials->sums.words, .tile = 8 << roll(dice, 4)};
    ct_array table = made.step->port[PORT_SUMS];
    ct_array_dense(&table, NULL);
    table.data = calloc((size_t)f.words, sizeof(int32_t));
    assert_int_equal(ct_array_extent(&table, 'K'), f.words);
    ct_dedisp_share_table(trials, &table);
    f.word = table.data;
    f.size = ct_dedisp_share_size(&trials->sums, f.tile);
    f.samples = trials->longest + f.tile + SLACK;
    f.row = malloc((size_t)f.size * sizeof *f.row);
    f.x = malloc((size_t)(f.samples * trials->channels) * sizeof *f.x);
    for (int64_t i = 0; i < f.samples * trials->channels; i++)
        f.x[i] = roll(dice, 1 << 16);
    follow_all(&f, dice);
    free(f.x);
    free(f.row);
    free(table.data);
    stage_free(&made);
}

static void test_the_table_says_what_brute_force_adds(void **state)
{
    luck dice = {0x9e3779b97f4a7c15u};
    (void)state;
    for (int n = 0; n < TABLES; n++) {
        setup with;
        roll_setup(&dice, &with, "", 128, true);
        follow_setup(&with, &dice);
        roll_subbands(&dice, &with);
        follow_setup(&with, &dice);
    }
}

/* ---- kernels */

static void fill(ct_array *x, luck *dice)
{
    for (int64_t i = 0; i < ct_array_count(x); i++)
        ct_array_save(x, i, x->type == CT_F32 ? between(dice, -1, 1) : (double)roll(dice, 65536),
                      0);
}

/* With SHARE=0 or 1, in the layouts that the dice say. */
static bool run(ct_array *out, const setup *with, const char *share, uint64_t seed)
{
    stage_case made;
    stage_device on;
    luck dice = {seed};
    ct_error err = {0};
    make(&made, with);
    ct_step_extend(made.step);
    for (int i = 0; i < ct_step_ports(made.step); i++)
        if (i != PORT_R && i != PORT_Z) stage_take_port(&made, i);
    fill(&made.port[PORT_X], &dice);
    ct_step_default_tunables(made.step);
    const char *const set[][2] = {
        {"SHARE", share}, {"VECTORS_T", "4"}, {"CELL_D", "4"}, {"CELLS_D", "4"}, {"TILE_C", "64"}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        assert_int_equal(ct_step_set_tunable(made.step, set[i][0], set[i][1], &err), CT_OK);
    assert_true(ct_step_is_legal(made.step));
    ct_step_settle(made.step);
    const bool opened = stage_device_open(&on, &made);
    if (opened) {
        stage_device_fire(&on, false);
        *out = stage_device_read(&on, PORT_Y);
    }
    stage_device_close(&on);
    stage_free(&made);
    return opened;
}

static void compare(const ct_array *shared, const ct_array *brute, ct_type type)
{
    double rms = 0, worst = 0;
    const int64_t count = ct_array_count(brute);
    for (int64_t i = 0; i < count; i++) {
        const double one = ct_array_load(shared, i).re, two = ct_array_load(brute, i).re;
        rms += two * two / (double)count;
        worst = fmax(worst, fabs(one - two));
    }
    assert_true(rms > 0);
    if (worst > (type == CT_F32 ? 3e-6 * sqrt(rms) : 0))
        fail_msg("%s: differ by %g, rms %g", ct_type_name(type), worst, sqrt(rms));
}

/* A few have all types and outer dimensions, with and without subbands. */
static void test_kernels_agree(void **state)
{
    static const char *const outer[] = {"", "B=2 ", "S=2 Q=3 "};
    static const ct_type types[] = {CT_U8, CT_F32, CT_I8, CT_U16, CT_U8, CT_F32, CT_U8, CT_I8};
    luck dice = {0x2545f4914f6cdd1du};
    (void)state;
    for (int n = (int)few_or_all(2, 0); n < (int)few_or_all(6, KERNELS); n++) {
        setup with;
        ct_array shared = {0}, brute = {0};
        roll_setup(&dice, &with, outer[n % 3], 500 + 4 * roll(&dice, 60), n >= 4);
        with.type = types[n];
        if (n % 2) roll_subbands(&dice, &with);
        const uint64_t seed = (uint64_t)roll(&dice, 1 << 30) + 1;
        if (!run(&brute, &with, "0", seed) || !run(&shared, &with, "1", seed)) skip();
        compare(&shared, &brute, with.type);
        free(shared.data);
        free(brute.data);
    }
}

/* ---- when sums are shared */

static int64_t chosen(const char *params, const char *extents, ct_type type, double low_hz,
                      double width_hz, double sample_time_s)
{
    stage_case made;
    ct_error err = {0};
    ct_array input = stage_array(extents, type);
    const int64_t channels = ct_array_extent(&input, 'C');
    double *frequency = malloc((size_t)channels * sizeof *frequency);
    for (int64_t c = 0; c < channels; c++)
        frequency[c] = low_hz + width_hz * (double)c;
    input.meta = (ct_meta){.sample_time_s = sample_time_s,
                           .total = -1,
                           .frequency_hz = frequency,
                           .frequencies = channels};
    if (!stage_try(&made, &ct_stage_dedisp, params, &input, &err)) fail_msg("%s", err.text);
    ct_step_default_tunables(made.step);
    const int64_t share = ct_step_tunable(made.step, "SHARE");
    stage_free(&made);
    free(frequency);
    return share;
}

/* Counted of Apertif's search: 0.20 of the additions; of LOFAR's, all of them. */
static void test_counting_chooses(void **state)
{
    static const char trials[] = "{\"dm\": {\"start\": 0, \"step\": 0.25, \"count\": 64}}";
    (void)state;
    assert_int_equal(chosen(trials, "T=20000 C=1024", CT_F32, 1425e6, 292968.75, 5e-5), 1);
    assert_int_equal(chosen(trials, "T=20000 C=1024", CT_U8, 1425e6, 292968.75, 5e-5), 1);
    assert_int_equal(chosen(trials, "T=200000 C=32", CT_F32, 138e6, 195312.5, 5e-6), 0);
    assert_int_equal(chosen("{\"dm\": {\"start\": 5}}", "T=9 C=64", CT_U8, 1425e6, 1e5, 1e-3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table_says_what_brute_force_adds),
        cmocka_unit_test(test_kernels_agree),
        cmocka_unit_test(test_counting_chooses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
