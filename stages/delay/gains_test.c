/* gains_test.c: what solutions mean: stations' voltages are made from a signal and gains by the
 * formula of a calibration, and come back as the signal; where solutions apply between and beside
 * their instants and channels; what is flagged. That kernels agree with the reference is verify's
 * part. Room: stages/delay, tests. */
#include "gains_trial.h"

/* ---- factors */

/* Visibilities of a file are V_ij = g_i M_ij conj(g_j), and those of the correlator x_j conj(x_i):
 * so the voltages have the conjugates of g. */
static void solutions_are_taken_off(void **state)
{
    static solved of;
    (void)state;
    solve(&of, 6, 3, 2, 3.1);
    for (int undone = 0; undone < 2; undone++) {
        char gains[256];
        stage_case made;
        snprintf(gains, sizeof gains,
                 "{\"file\": \"%s\", \"soltabs\": [\"amplitude000\", \"phase000\"]%s}", put(&of),
                 undone ? ", \"invert\": false" : "");
        make_or_fail(&made, gains, 2);
        for (int n = 0; n < STATIONS * 2 * TIMES * CHANNELS; n++) {
            const int c = n % CHANNELS, t = n / CHANNELS % TIMES, p = n / CHANNELS / TIMES % 2;
            const int s = n / CHANNELS / TIMES / 2;
            const int k = nearest(of.time_s, 6, seconds(t)), f = nearest(of.freq, 3, hz[c]);
            const double a = of.amplitude[k][f][place_in_file[s]][p];
            const double b = of.phase[k][f][place_in_file[s]][p];
            const ct_complex has = undone ? polar(1 / a, b) : polar(a, -b);
            const ct_complex x = times(has, sent(s, p, t, c));
            ct_array_save(&made.port[CT_DELAY_X], at(&made, s, p, t, c), x.re, x.im);
        }
        stage_reference(&made);
        for (int n = 0; n < STATIONS * 2 * TIMES * CHANNELS; n++)
            expect(&made, n / CHANNELS / TIMES / 2, n / CHANNELS / TIMES % 2, n / CHANNELS % TIMES,
                   n % CHANNELS,
                   sent(n / CHANNELS / TIMES / 2, n / CHANNELS / TIMES % 2, n / CHANNELS % TIMES,
                        n % CHANNELS),
                   1e-9);
        assert_int_equal(made.port[CT_DELAY_F].type, CT_NONE);
        stage_free(&made);
    }
}

/* x_j[b] conj(x_i[a]) of x = conj(J) e is (J_i M J_j^H)[a][b] of M's e_j[b] conj(e_i[a]): the
 * correlator's and the calibration's formulas; and J's inverse is what brings e back. */
static void matrices_are_taken_off(void **state)
{
    static solved of;
    char gains[256];
    stage_case made;
    (void)state;
    solve(&of, 5, 2, 4, 3.1);
    snprintf(gains, sizeof gains,
             "{\"file\": \"%s\", \"soltabs\": [\"phase000\", \"amplitude000\"]}", put(&of));
    make_or_fail(&made, gains, 2);
    assert_int_equal(made.port[CT_DELAY_G].type, CT_NONE);
    for (int n = 0; n < TIMES * CHANNELS; n++) {
        const int c = n % CHANNELS, t = n / CHANNELS;
        const int k = nearest(of.time_s, 5, seconds(t)), f = nearest(of.freq, 2, hz[c]);
        ct_complex J[STATIONS][2][2], x[STATIONS][2];
        for (int m = 0; m < STATIONS * 4; m++) {
            const int s = m / 4, q = m % 4;
            J[s][q / 2][q % 2] =
                polar(of.amplitude[k][f][place_in_file[s]][q], of.phase[k][f][place_in_file[s]][q]);
        }
        for (int m = 0; m < STATIONS * 2; m++) {
            const int s = m / 2, p = m % 2;
            x[s][p] = (ct_complex){0, 0};
            for (int q = 0; q < 2; q++) {
                const ct_complex j = {J[s][p][q].re, -J[s][p][q].im};
                const ct_complex y = times(j, sent(s, q, t, c));
                x[s][p].re += y.re;
                x[s][p].im += y.im;
            }
            ct_array_save(&made.port[CT_DELAY_X], at(&made, s, p, t, c), x[s][p].re, x[s][p].im);
        }
        ct_complex sum = {0, 0};
        for (int m = 0; m < 4; m++) { /* XY of stations 0 and 1 */
            const ct_complex e_i = sent(0, m / 2, t, c), e_j = sent(1, m % 2, t, c);
            const ct_complex v = times(e_j, (ct_complex){e_i.re, -e_i.im});
            const ct_complex j_j = {J[1][1][m % 2].re, -J[1][1][m % 2].im};
            const ct_complex y = times(times(J[0][0][m / 2], v), j_j);
            sum.re += y.re;
            sum.im += y.im;
        }
        const ct_complex is = times(x[1][1], (ct_complex){x[0][0].re, -x[0][0].im});
        assert_true(hypot(is.re - sum.re, is.im - sum.im) < 1e-9);
    }
    stage_reference(&made);
    for (int n = 0; n < STATIONS * 2 * TIMES * CHANNELS; n++) {
        const int c = n % CHANNELS, t = n / CHANNELS % TIMES, p = n / CHANNELS / TIMES % 2;
        expect(&made, n / CHANNELS / TIMES / 2, p, t, c, sent(n / CHANNELS / TIMES / 2, p, t, c),
               1e-7);
    }
    stage_free(&made);
}

/* ---- between solutions */

static double straight(const double *at_x, const double *value, int count, double x, bool phase)
{
    int n = 0;
    if (x <= at_x[0]) return value[0];
    if (x >= at_x[count - 1]) return value[count - 1];
    while (at_x[n + 1] < x)
        n++;
    double apart = value[n + 1] - value[n];
    if (phase) apart -= TWO_PI * rint(apart / TWO_PI);
    return value[n] + apart * (x - at_x[n]) / (at_x[n + 1] - at_x[n]);
}

/* Amplitude and phase run straight in both directions, the phase the shorter way; the inverse of
 * what is there is good to 1e-3 of a change of 80 percent, and nothing depends on the block. */
static void lines_lie_between_solutions(void **state)
{
    static solved of;
    char gains[320];
    stage_case made;
    double worst = 0;
    (void)state;
    solve(&of, 6, 3, 2, 1.5);
    for (int n = 0; n < 16 * 8 * 16; n++)
        ((double *)of.phase)[n] += 3 - TWO_PI * (((double *)of.phase)[n] + 3 > TWO_PI / 2);
    snprintf(
        gains, sizeof gains,
        "{\"file\": \"%s\", \"soltabs\": [\"amplitude000\", \"phase000\"], \"time\": \"linear\", "
        "\"frequency\": \"linear\"}",
        put(&of));
    make_or_fail(&made, gains, 2);
    for (int64_t i = 0; i < ct_array_count(&made.port[CT_DELAY_X]); i++)
        ct_array_save(&made.port[CT_DELAY_X], i, 1, 0);
    stage_reference(&made);
    for (int n = 0; n < STATIONS * 2 * TIMES * CHANNELS; n++) {
        const int c = n % CHANNELS, t = n / CHANNELS % TIMES, p = n / CHANNELS / TIMES % 2;
        const int s = n / CHANNELS / TIMES / 2, in = place_in_file[s];
        double along[2][16];
        for (int k = 0; k < 6; k++) {
            double row[2][8];
            for (int f = 0; f < 3; f++) {
                row[0][f] = of.amplitude[k][f][in][p];
                row[1][f] = of.phase[k][f][in][p];
            }
            along[0][k] = straight(of.freq, row[0], 3, hz[c], false);
            along[1][k] = straight(of.freq, row[1], 3, hz[c], true);
        }
        const double a = straight(of.time_s, along[0], 6, seconds(t), false);
        const double b = straight(of.time_s, along[1], 6, seconds(t), true);
        const ct_complex is = ct_array_load(&made.port[CT_DELAY_Y], at(&made, s, p, t, c));
        const ct_complex wanted = polar(1 / a, b);
        worst = fmax(worst, hypot(is.re - wanted.re, is.im - wanted.im) * a);
    }
    print_message("lines are off by %.1e at most\n", worst);
    assert_true(worst < 5e-3 && worst > 0);
    stage_free(&made);
}

/* ---- what is flagged */

/* A weight of 0 of one polarization flags the station where it is the nearest solution: samples are
 * 0; between it and others these are held. */
static void weights_flag_samples(void **state)
{
    static solved of;
    (void)state;
    for (int linear = 0; linear < 2; linear++) {
        char gains[320];
        stage_case made;
        solve(&of, 6, 3, 2, 1);
        of.weight[2][1][place_in_file[1]][0] = 0;
        of.phase[4][0][place_in_file[2]][1] = NAN;
        of.amplitude[0][2][place_in_file[0]][1] = 0;
        snprintf(
            gains, sizeof gains,
            "{\"file\": \"%s\", \"soltabs\": [\"amplitude000\", \"phase000\"], \"time\": \"%s\"}",
            put(&of), linear ? "linear" : "nearest");
        make_or_fail(&made, gains, 2);
        assert_int_equal(made.step->port[CT_DELAY_F].type, CT_U8);
        assert_string_equal(made.port[CT_DELAY_F].dim, "STC");
        for (int64_t i = 0; i < ct_array_count(&made.port[CT_DELAY_X]); i++)
            ct_array_save(&made.port[CT_DELAY_X], i, 1, 0);
        stage_reference(&made);
        int flagged = 0;
        for (int n = 0; n < STATIONS * TIMES * CHANNELS; n++) {
            const int c = n % CHANNELS, t = n / CHANNELS % TIMES, s = n / CHANNELS / TIMES;
            const int k = nearest(of.time_s, 6, seconds(t)), f = nearest(of.freq, 3, hz[c]);
            bool is = (s == 1 && k == 2 && f == 1) || (s == 2 && k == 4 && f == 0);
            /* an amplitude of 0 is left as soon as the lines rise */
            const bool zero = s == 0 && f == 2 && (linear ? seconds(t) <= of.time_s[0] : k == 0);
            if (s == 0 && f == 2 && linear && k == 0 && !zero) continue;
            is = is || zero;
            flagged += is;
            if (flag_at(&made, s, t, c) != is)
                fail_msg("%s: flag of station %d time %d channel %d", linear ? "linear" : "nearest",
                         s, t, c);
            for (int p = 0; p < 2 && is; p++)
                expect(&made, s, p, t, c, (ct_complex){0, 0}, 0);
        }
        assert_true(flagged > 10);
        stage_free(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_taken_off), cmocka_unit_test(matrices_are_taken_off),
        cmocka_unit_test(lines_lie_between_solutions), cmocka_unit_test(weights_flag_samples)};
    return cmocka_run_group_tests(tests, trial_begin, trial_end);
}
