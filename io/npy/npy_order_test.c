/* npy_order_test.c: .npy files in other orders of axes and bytes than NumPy writes by itself.
 * Room: io/npy, tests. */
#include "io_trial.h"

extern const ct_stage ct_stage_source_npy;

/* Fortran order, big-endian: a[i][j] = 10 i + j of shape (2, 3). */
static void other_orders_are_read(void **unused)
{
    (void)unused;
    trial t;
    int64_t got;
    const uint8_t numbers[] = {0, 0, 0, 10, 0, 1, 0, 11, 0, 2, 0, 12};
    trial_npy(trial_path("f.npy"), "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }",
              numbers, sizeof numbers);
    assert_ok(trial_make(&t, &ct_stage_source_npy, err, "{'file': '%s', 'dims': 'ST'}",
                         trial_path("f.npy")));
    assert_ok(ct_step_infer(t.step, err));
    assert_string_equal(t.step->port[0].layout.dim, "TS");
    assert_ok(ct_stage_source_npy.io.open(t.step, &t.state, err));
    trial_block(&t, 3, "ST", 0, 1);
    assert_ok(ct_stage_source_npy.io.read(t.state, &t.block, NULL, &got, err));
    for (int64_t i = 0; i < 6; i++)
        assert_float_equal(ct_array_load(&t.block, i).re, (double)(int)(10 * (i / 3) + i % 3), 0);
    assert_ok(ct_stage_source_npy.io.close(t.state, true, err));
    trial_free(&t);
}

/* Fortran order puts all real parts before all imaginary ones: a[i][j] = 10 i + j, and 50 more in
 * the imaginary part, big-endian too; as many as take more than one read. */
static void complex_in_fortran_order(const char *descr, unsigned bytes, bool big)
{
    enum { STATIONS = 2, TIMES = 3000 };
    trial t;
    int64_t got;
    char header[128];
    uint8_t *numbers = malloc(2 * STATIONS * TIMES * bytes);
    snprintf(header, sizeof header,
             "{'descr': '%s', 'fortran_order': True, 'shape': (%d, %d, 2), }", descr, STATIONS,
             TIMES);
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < TIMES; j++)
            for (int i = 0; i < STATIONS; i++) {
                const int value = (10 * i + j) % 70 + 50 * k;
                uint8_t *at = numbers + ((k * TIMES + j) * STATIONS + i) * (int)bytes;
                memset(at, 0, bytes);
                at[big ? bytes - 1 : 0] = (uint8_t)value;
            }
    trial_npy(trial_path("pairs.npy"), header, numbers, 2 * STATIONS * TIMES * bytes);
    free(numbers);
    assert_ok(trial_make(&t, &ct_stage_source_npy, err, "{'file': '%s', 'dims': 'ST'}",
                         trial_path("pairs.npy")));
    assert_ok(ct_step_infer(t.step, err));
    assert_int_equal(t.step->port[0].type, bytes == 1 ? CT_CI8 : CT_CI16);
    assert_ok(ct_stage_source_npy.io.open(t.step, &t.state, err));
    trial_block(&t, TIMES, "ST", 0, 1);
    assert_ok(ct_stage_source_npy.io.read(t.state, &t.block, NULL, &got, err));
    assert_int_equal(got, TIMES);
    for (int64_t n = 0; n < (int64_t)STATIONS * TIMES; n++) {
        const double value = (double)((10 * (n / TIMES) + n % TIMES) % 70);
        assert_float_equal(ct_array_load(&t.block, n).re, value, 0);
        assert_float_equal(ct_array_load(&t.block, n).im, value + 50, 0);
    }
    assert_ok(ct_stage_source_npy.io.close(t.state, true, err));
    trial_free(&t);
}

static void complex_numbers_in_fortran_order(void **unused)
{
    (void)unused;
    complex_in_fortran_order("|i1", 1, false);
    complex_in_fortran_order("<i2", 2, false);
    complex_in_fortran_order(">i2", 2, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_orders_are_read),
        cmocka_unit_test(complex_numbers_in_fortran_order),
    };
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
