/* plot_grid_test.c: an array as cells: each cell's mean, largest, count and phase against sums over
 * the whole array in double precision, whatever the file's order; values that are no numbers; a
 * file of which a part is read. */
#include "io_trial.h"
#include "plot_inner.h"

#include <complex.h>
#include <math.h>

enum { TIMES = 1301, CHANNELS = 367, BEAMS = 3, COLUMNS = 89, ROWS = 31 };

static double value_at(int t, int b, int c)
{
    return sin(0.01 * t) + 0.1 * c + 10 * b + ((t * 7 + c * 13) % 11) / 11.0;
}

/* Which cell an index falls into: the first parts are longer by one. */
static int cell_of(int i, int whole, int parts)
{
    for (int part = 0, start = 0;; part++) {
        start += whole / parts + (part < whole % parts);
        if (i < start) return part;
    }
}

typedef struct shown {
    ct_context *context;
    ct_plot_options options;
    ct_plot plot;
    ct_plot_source source;
    ct_plot_choice choice;
    ct_plot_grid grid;
} shown;

static void show(shown *of, const char *file, const char *dims, const char *const *at, double most)
{
    ct_error err = {0};
    *of = (shown){.options = {.size = sizeof of->options, .at = at, .dims = dims}};
    of->plot = (ct_plot){.file = file, .out = "x.svg", .options = &of->options};
    if (ct_plot_source_find(&of->source, &of->plot, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(ct_plot_choose(&of->choice, &of->source.array, &of->plot, &err), CT_OK);
    assert_int_equal(ct_plot_grid_new(&of->grid, of->source.array.meta.total, of->choice.rows,
                                      COLUMNS, ROWS, &err),
                     CT_OK);
    if (most > 0) of->grid.most_numbers = most;
    if (ct_plot_grid_read(&of->grid, &of->source, &of->choice, &err) != CT_OK)
        fail_msg("%s", err.text);
}

static void hide(shown *of)
{
    ct_plot_grid_free(&of->grid);
    ct_plot_source_close(&of->source);
    ct_text_free(&of->plot.said);
}

/* Sums of what should be in each cell, of the samples t for which `takes` is true. */
static void compare_cells(const ct_plot_grid *grid, int b, bool (*takes)(int t, int column))
{
    static double sum[ROWS][COLUMNS], high[ROWS][COLUMNS];
    static int64_t count[ROWS][COLUMNS];
    memset(sum, 0, sizeof sum), memset(count, 0, sizeof count);
    for (int t = 0; t < TIMES; t++)
        for (int c = 0; c < CHANNELS; c++) {
            const int x = cell_of(t, TIMES, COLUMNS), y = cell_of(c, CHANNELS, ROWS);
            const float value = (float)value_at(t, b, c);
            if (!takes(t, x)) continue;
            high[y][x] = count[y][x] ? fmax(high[y][x], (double)value) : (double)value;
            sum[y][x] += (double)value;
            count[y][x]++;
        }
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLUMNS; x++) {
            const ct_plot_cell *cell = &grid->cell[y * COLUMNS + x];
            assert_int_equal(cell->count, count[y][x]);
            assert_true(fabs(ct_plot_cell_value(grid, cell) - sum[y][x] / (double)count[y][x]) <
                        1e-9);
            assert_true((double)cell->high == high[y][x]);
        }
}

static bool every(int t, int column)
{
    (void)t, (void)column;
    return true;
}

static const char *write_beams(const char *name, const char *order)
{
    static float value[TIMES * BEAMS * CHANNELS];
    const char *path = trial_path(name);
    char shape[128];
    const bool channels_last = strcmp(order, "BTC") == 0;
    for (int b = 0; b < BEAMS; b++)
        for (int t = 0; t < TIMES; t++)
            for (int c = 0; c < CHANNELS; c++)
                value[channels_last ? (b * TIMES + t) * CHANNELS + c
                                    : (c * BEAMS + b) * TIMES + t] = (float)value_at(t, b, c);
    snprintf(shape, sizeof shape,
             "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }\n",
             channels_last ? BEAMS : CHANNELS, channels_last ? TIMES : BEAMS,
             channels_last ? CHANNELS : TIMES);
    trial_npy(path, shape, value, sizeof value);
    return path;
}

static void cells_are_means(void **unused)
{
    (void)unused;
    static const char *const orders[] = {"BTC", "CBT"}, *const at[] = {"B=2", NULL};
    for (int i = 0; i < 2; i++) {
        shown of;
        show(&of, write_beams("beams.npy", orders[i]), orders[i], at, 0);
        assert_int_equal(of.grid.columns, COLUMNS);
        assert_int_equal(of.grid.rows, ROWS);
        compare_cells(&of.grid, 2, every);
        hide(&of);
    }
}

enum { SOME = 5 }; /* of the 14 or 15 samples of a column */

static bool first_ones(int t, int column)
{
    const int start =
        column * (TIMES / COLUMNS) + (column < TIMES % COLUMNS ? column : TIMES % COLUMNS);
    return t < start + SOME;
}

/* As little as a hundred gigabytes would leave: the first samples of each column, and it is said.
 */
static void a_part_is_read(void **unused)
{
    (void)unused;
    shown of;
    ct_text text = {0};
    show(&of, write_beams("beams.npy", "BTC"), "BTC", NULL, (double)TIMES * CHANNELS * 5.5 / 15);
    assert_int_equal(of.grid.taken, SOME);
    compare_cells(&of.grid, 0, first_ones);
    ct_plot_grid_print(&of.grid, "channel", &text);
    assert_string_equal(text.data,
                        "a cell is the mean of 14 or 15 samples x 11 or 12 channels, of which "
                        "the first 5 samples were read");
    ct_text_free(&text);
    hide(&of);
}

static void phases_are_of_the_mean(void **unused)
{
    (void)unused;
    enum { LONG = 211 };
    float value[LONG][2];
    const char *path = trial_path("tone.npy");
    for (int t = 0; t < LONG; t++) {
        value[t][0] = (float)(2 * cos(0.02 * t));
        value[t][1] = (float)(2 * sin(0.02 * t));
    }
    trial_npy(path, "{'descr': '<c8', 'fortran_order': False, 'shape': (211,), }\n", value,
              sizeof value);
    shown of;
    show(&of, path, "T", NULL, 0);
    for (int x = 0, t = 0; x < COLUMNS; x++) {
        double complex mean = 0;
        double size = 0;
        const int count = LONG / COLUMNS + (x < LONG % COLUMNS);
        for (int end = t + count; t < end; t++) {
            mean += (double)value[t][0] + I * (double)value[t][1];
            size += hypot((double)value[t][0], (double)value[t][1]) / count;
        }
        assert_true(fabs(ct_plot_cell_value(&of.grid, &of.grid.cell[x]) - size) < 1e-9);
        assert_true(fabs(ct_plot_cell_phase(&of.grid.cell[x]) - carg(mean) * 180 / M_PI) < 1e-9);
    }
    hide(&of);
}

static void no_numbers_are_counted(void **unused)
{
    (void)unused;
    float value[13][7];
    const char *path = trial_path("nan.npy");
    for (int t = 0; t < 13; t++)
        for (int c = 0; c < 7; c++)
            value[t][c] = t == 5 || c == 3 ? NAN : t == 6 ? INFINITY : (float)(t + c);
    trial_npy(path, "{'descr': '<f4', 'fortran_order': False, 'shape': (13, 7), }\n", value,
              sizeof value);
    shown of;
    show(&of, path, "TC", NULL, 0);
    assert_int_equal(of.grid.not_numbers, 13 + 2 * 7 - 2);
    for (int t = 0; t < 13; t++)
        for (int c = 0; c < 7; c++) {
            const double found = ct_plot_cell_value(&of.grid, &of.grid.cell[c * 13 + t]);
            if (t == 5 || t == 6 || c == 3)
                assert_true(isnan(found));
            else
                assert_true(found == t + c);
        }
    hide(&of);
}

/* 2 of 100 values may be anything at either end. */
static void scales_leave_outliers_out(void **unused)
{
    (void)unused;
    double value[1000];
    ct_plot_scale scale;
    for (int i = 0; i < 1000; i++)
        value[i] = i < 15 ? 1e30 : i < 30 ? -1e30 : i == 30 ? NAN : (i * 7919) % 1000;
    ct_plot_scale_find(&scale, value, 1000);
    assert_true(scale.axis.low >= 0 && scale.axis.low < 20);
    assert_true(scale.axis.high > 980 && scale.axis.high < 1000);
    assert_int_equal(ct_plot_scale_colour(&scale, NAN), CT_COLOUR_NAN);
    assert_int_equal(ct_plot_scale_colour(&scale, -1e30), CT_COLOUR_SCALE);
    assert_int_equal(ct_plot_scale_colour(&scale, 1e30),
                     CT_COLOUR_SCALE + CT_COLOUR_SCALE_STEPS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_means), cmocka_unit_test(a_part_is_read),
        cmocka_unit_test(phases_are_of_the_mean), cmocka_unit_test(no_numbers_are_counted),
        cmocka_unit_test(scales_leave_outliers_out)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
