/* dedisp_subbands_test.c: dedispersion in two steps is off by no more than it says: in random
 * set-ups shifts are compared with the law, and what kernels make with sums at such shifts. Room:
 * stages/dedisp, tests. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dedisp_trial.h"
#include "stage_device.h"

enum { SHIFTS = 60, KERNELS = 4 };

/* The definition, on its own. */
static int64_t law(const dedisp_trials *trials, const ct_array *y, int64_t d, int64_t c)
{
    const double mhz = trials->frequency_hz[c] * 1e-6;
    double top = 0;
    for (int64_t k = 0; k < trials->channels; k++)
        top = fmax(top, trials->frequency_hz[k] * 1e-6);
    const double delay_s = 4.148808e3 * y->meta.dm[d] * (1 / (mhz * mhz) - 1 / (top * top));
    return (int64_t)floor(delay_s / (1e-3 * (double)y->meta.downsample[d]) + trials->rounding);
}

static int64_t most_off(const stage_case *made)
{
    const dedisp_trials *trials = made->step->state;
    const ct_array *y = &made->step->port[PORT_Y];
    int64_t most = 0;
    for (int64_t d = 0; d < trials->count; d++)
        for (int64_t c = 0; c < trials->channels; c++) {
            if (trials->masked[c]) continue;
            const int64_t off = llabs(ct_trials_shift(trials, d, c) - law(trials, y, d, c));
            if (off > most) most = off;
        }
    return most;
}

/* ---- shifts */

static void check_runs(const dedisp_trials *trials)
{
    for (int64_t d = 0; d < trials->count; d++) {
        const int64_t end = ct_subbands_run_end(trials, d);
        assert_in_range(end, d + 1, trials->count);
        assert_ptr_equal(ct_trials_range(trials, d), ct_trials_range(trials, end - 1));
    }
}

static void test_shifts_are_off_as_stated(void **state)
{
    luck dice = {0x853c49e6748fea9bu};
    int64_t shared = 0, off = 0;
    (void)state;
    for (int n = 0; n < SHIFTS; n++) {
        setup with, two;
        stage_case exact, made;
        roll_setup(&dice, &with, "", 128, true);
        two = with;
        roll_subbands(&dice, &two);
        make(&exact, &with);
        make(&made, &two);
        const dedisp_trials *trials = made.step->state;
        const dedisp_subbands *sub = &trials->subbands;
        const ct_meta *meta = &made.step->port[PORT_Y].meta;
        assert_true(meta->subbands == sub->count && sub->count > 0);
        assert_true(meta->smear == sub->smear && sub->smear <= sub->allowed);
        assert_int_equal(most_off(&made), meta->smear);
        assert_int_equal(made.step->overlap, exact.step->overlap);
        assert_int_equal(exact.step->port[PORT_Y].meta.subbands, 0);
        check_runs(trials);
        shared += trials->count - sub->runs;
        off += sub->smear;
        stage_free(&exact);
        stage_free(&made);
    }
    assert_true(shared > 0 && off > 0);
}

/* Nothing is off, and runs last while nothing changes. */
static void test_no_smear_is_exact(void **state)
{
    luck dice = {0xda3e39cb94b95bdbu};
    (void)state;
    for (int n = 0; n < 10; n++) {
        setup with;
        stage_case exact, made;
        roll_setup(&dice, &with, "", 128, true);
        make(&exact, &with);
        char *end = strrchr(with.params, '}');
        snprintf(end, 64, ", \"subbands\": %d, \"smear\": 0}", 1 + n % 9);
        make(&made, &with);
        const dedisp_trials *one = exact.step->state, *two = made.step->state;
        for (int64_t d = 0; d < one->count; d++)
            for (int64_t c = 0; c < one->channels; c++)
                assert_int_equal(ct_trials_shift(one, d, c), ct_trials_shift(two, d, c));
        assert_int_equal(made.step->port[PORT_Y].meta.smear, 0);
        stage_free(&exact);
        stage_free(&made);
    }
}

/* ---- kernels */

/* A trial's sample from the table's shifts, each as near to the law as is stated. */
static double at_shifts(const stage_case *made, const ct_array *x, int64_t d, int64_t t)
{
    const dedisp_trials *trials = made->step->state;
    const ct_array *y = &made->step->port[PORT_Y], *table = &made->port[PORT_SHIFT];
    const int64_t n = y->meta.downsample[d], from = t * trials->finest / n;
    double sum = 0;
    for (int64_t c = 0; c < trials->channels; c++) {
        const int64_t shift = (int64_t)ct_array_load(table, d * trials->channels + c).re;
        if (shift == DEDISP_MASKED) continue;
        assert_in_range(llabs(shift - law(trials, y, d, c)), 0, y->meta.smear);
        for (int64_t i = (from + shift) * n; i < (from + shift + 1) * n; i++)
            sum += ct_array_load(x, i * ct_array_stride(x, 'T') + c).re;
    }
    return sum;
}

static bool run(const setup *with, luck *dice)
{
    stage_case made;
    stage_device on;
    make(&made, with);
    ct_step_extend(made.step);
    for (int i = 0; i < ct_step_ports(made.step); i++)
        if (i == PORT_X || i == PORT_SHIFT) stage_take_port(&made, i);
    ct_array *x = &made.port[PORT_X];
    for (int64_t i = 0; i < ct_array_count(x); i++)
        ct_array_save(x, i, (double)roll(dice, x->type == CT_U16 ? 4096 : 128), 0);
    ct_step_default_tunables(made.step);
    ct_step_settle(made.step);
    const bool opened = stage_device_open(&on, &made);
    if (opened) {
        stage_device_fire(&on, false);
        const ct_array y = stage_device_read(&on, PORT_Y);
        const int64_t samples = ct_array_extent(&y, 'T');
        for (int64_t i = 0; i < ct_array_count(&y); i += 1 + roll(dice, 40))
            assert_true(ct_array_load(&y, i).re == at_shifts(&made, x, i / samples, i % samples));
        free(y.data);
    }
    stage_device_close(&on);
    stage_free(&made);
    return opened;
}

/* Whole numbers: floats are exact, too. */
static void test_kernels_add_at_these_shifts(void **state)
{
    static const ct_type types[KERNELS] = {CT_U8, CT_F32, CT_I8, CT_U16};
    luck dice = {0xc2b2ae3d27d4eb4fu};
    (void)state;
    for (int n = 0; n < KERNELS; n++) {
        setup with;
        roll_setup(&dice, &with, "", 500 + 4 * roll(&dice, 60), n % 2 == 0);
        roll_subbands(&dice, &with);
        with.type = types[n];
        if (!run(&with, &dice)) skip();
    }
}

/* ---- what is chosen, and mistakes */

/* Apertif's search: 1024 channels from 1425 MHz, or LOFAR's: 32 from 138 MHz. */
static bool try_search(stage_case *made, bool lofar, const char *more, ct_error *err)
{
    static double frequency[1024];
    char params[256];
    ct_array input = stage_array(lofar ? "T=200000 C=32" : "T=20000 C=1024", CT_F32);
    for (int64_t c = 0; c < 1024; c++)
        frequency[c] = lofar ? 138e6 + 195312.5 * (double)c : 1425e6 + 292968.75 * (double)c;
    input.meta = (ct_meta){.sample_time_s = lofar ? 5e-6 : 5e-5,
                           .total = -1,
                           .frequency_hz = frequency,
                           .frequencies = ct_array_extent(&input, 'C')};
    snprintf(params, sizeof params, "{\"dm\": {\"start\": 0, \"step\": 0.25, \"count\": 64}, %s}",
             more);
    return stage_try(made, &ct_stage_dedisp, params, &input, err);
}

/* At LOFAR's frequencies rows are long, and brute force is faster at the same shifts. */
static void expect(bool lofar, const char *more, int64_t subbands, int64_t allowed, double part)
{
    stage_case made;
    ct_error err = {0};
    if (!try_search(&made, lofar, more, &err)) fail_msg("%s", err.text);
    ct_step_default_tunables(made.step);
    const dedisp_trials *trials = made.step->state;
    const double took = ct_dedisp_share_of(&trials->sums, ct_dedisp_share_tile(made.step));
    print_message("%s: %d subbands, %d samples: %.3f of the additions\n", more,
                  (int)trials->subbands.count, (int)trials->subbands.smear, took);
    assert_int_equal(trials->subbands.count, subbands);
    assert_int_equal(trials->subbands.allowed, allowed);
    assert_true(took <= part);
    assert_int_equal(ct_step_tunable(made.step, "SHARE"), !lofar);
    stage_free(&made);
}

static void test_what_is_left_out_is_chosen(void **state)
{
    (void)state;
    expect(false, "\"subbands\": 32, \"smear\": 1", 32, 1, 0.15);
    expect(false, "\"subbands\": 32", 32, 2, 0.15);
    expect(false, "\"smear\": 2", 32, 2, 0.15);
    expect(true, "\"subbands\": 4", 4, 448, 0.4);
    expect(true, "\"smear\": 160", 8, 160, 0.55);
}

static void expect_error(const char *more, const char *part)
{
    stage_case made;
    ct_error err = {0};
    assert_false(try_search(&made, true, more, &err));
    if (strstr(err.text, part) == NULL) fail_msg("\"%s\" lacks \"%s\"", err.text, part);
    stage_free(&made);
}

static void test_mistakes_are_named(void **state)
{
    (void)state;
    expect_error("\"subbands\": 0", "subbands: expected an integer from 1");
    expect_error("\"subbands\": 33", "at most one for each of the 32 channels, found 33");
    expect_error("\"subbands\": \"four\"", "expected an integer");
    expect_error("\"subbands\": 2.5", "expected an integer");
    expect_error("\"smear\": -1", "expected an integer from 0");
    expect_error("\"smear\": null", "expected an integer");
    expect_error("\"subbands\": 4, \"smear\": 5", "expected a smear of");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shifts_are_off_as_stated),
        cmocka_unit_test(test_no_smear_is_exact),
        cmocka_unit_test(test_kernels_add_at_these_shifts),
        cmocka_unit_test(test_what_is_left_out_is_chosen),
        cmocka_unit_test(test_mistakes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
