/* gains_trial.h: a delay with gains, and files of solutions, for the tests of both.
 * Room: tests. Knows stages/delay. */
#ifndef CT_TESTS_GAINS_TRIAL_H
#define CT_TESTS_GAINS_TRIAL_H
#include <math.h>

#include "delay.h"
#include "h5parm_write.h"
#include "io_trial.h"
#include "stage.h"

#define SAMPLE_S 0.5
#define START_MJD 59759.0625
#define DAY_S 86400.0
#define TWO_PI 6.28318530717958647692

enum { STATIONS = 3, TIMES = 24, CHANNELS = 5 };

static const char *const names[] = {"CS001HBA0", "CS002HBA0", "RS106HBA", NULL};
static const ct_observation observation = {.names = names};
static const double hz[CHANNELS] = {150.0e6, 150.1e6, 150.26e6, 150.3e6, 150.4e6};

/* Numbers that look like chance, from -1 to 1. */
static inline double chance(int n)
{
    const double x = sin(12.9898 * n + 78.233) * 43758.5453;
    return 2 * (x - floor(x)) - 1;
}

static inline bool make(stage_case *made, const char *gains, int pols, const char *delays,
                        ct_error *err)
{
    static char text[65536], extents[64];
    const ct_source_location location = {.observation = &observation};
    memset(made, 0, sizeof *made);
    snprintf(text, sizeof text, "{\"delays\": %s, \"gains\": %s}", delays, gains);
    snprintf(extents, sizeof extents, "S=%d P=%d T=%d C=%d", STATIONS, pols, TIMES, CHANNELS);
    ct_array input = stage_array(extents, CT_CF32);
    input.meta = (ct_meta){.sample_time_s = SAMPLE_S,
                           .start_mjd = START_MJD,
                           .start_s = 0.25,
                           .total = TIMES,
                           .frequency_hz = hz,
                           .frequencies = CHANNELS};
    if (ct_value_parse(&made->given, text, "test", err) != CT_OK ||
        ct_step_new(&made->step, &ct_stage_delay, "delay", made->given, ct_step_keys(), &location,
                    err) != CT_OK)
        return false;
    made->step->port[0] = input;
    if (ct_step_infer(made->step, err) != CT_OK) return false;
    for (int i = 0; i < ct_step_ports(made->step); i++)
        stage_take_port(made, i);
    made->port[CT_DELAY_X].type = CT_CF64;
    free(made->port[CT_DELAY_X].data);
    made->port[CT_DELAY_X].data = calloc(1, ct_array_bytes(&made->port[CT_DELAY_X]));
    return true;
}

static inline void make_or_fail(stage_case *made, const char *gains, int pols)
{
    ct_error err = {0};
    if (!make(made, gains, pols, "[[0], [0], [0]]", &err)) fail_msg("%s", err.text);
}

static inline int64_t at(const stage_case *made, int s, int p, int t, int c)
{
    const ct_array *x = &made->port[CT_DELAY_X];
    return s * x->stride[0] + p * x->stride[1] + t * x->stride[2] + c * x->stride[3];
}

static inline ct_complex sent(int s, int p, int t, int c)
{
    const int n = ((s * 2 + p) * TIMES + t) * CHANNELS + c;
    return (ct_complex){chance(n), chance(100000 + n)};
}

static inline ct_complex times(ct_complex a, ct_complex b)
{
    return (ct_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline ct_complex polar(double amplitude, double phase)
{
    return (ct_complex){amplitude * cos(phase), amplitude * sin(phase)};
}

static inline double flag_at(const stage_case *made, int s, int t, int c)
{
    const ct_array *f = &made->port[CT_DELAY_F];
    if (f->type == CT_NONE) return 0;
    return ct_array_load(f, s * ct_array_stride(f, 'S') + t * ct_array_stride(f, 'T') +
                                c * ct_array_stride(f, 'C'))
        .re;
}

static inline void expect(const stage_case *made, int s, int p, int t, int c, ct_complex wanted,
                          double near)
{
    const ct_complex is = ct_array_load(&made->port[CT_DELAY_Y], at(made, s, p, t, c));
    if (hypot(is.re - wanted.re, is.im - wanted.im) > near)
        fail_msg("station %d polarization %d time %d channel %d is %g%+gi instead of %g%+gi", s, p,
                 t, c, is.re, is.im, wanted.re, wanted.im);
}

/* ---- what a station's solution is, for the tests below */

typedef struct solved {
    int times, freqs, pols;
    double time_s[16], freq[8];                        /* after the start */
    double amplitude[16][8][4][4], phase[16][8][4][4]; /* [time][freq][station of the file][pol] */
    double weight[16][8][4][4];
} solved;

/* A file has the stations in another order, and one more. */
static const char *const in_file[] = {"RS106HBA", "CS001HBA0", "DE601HBA", "CS002HBA0", NULL};
static const int place_in_file[STATIONS] = {1, 3, 0};

static inline void solve(solved *of, int times_, int freqs, int pols, double phases)
{
    of->times = times_;
    of->freqs = freqs;
    of->pols = pols;
    for (int t = 0; t < times_; t++)
        of->time_s[t] = 1.13 + 2.3 * t;
    for (int f = 0; f < freqs; f++)
        of->freq[f] = 149.98e6 + 0.2e6 * f;
    for (int n = 0; n < 16 * 8 * 16; n++) {
        ((double *)of->amplitude)[n] = 1 + 0.4 * chance(n);
        ((double *)of->phase)[n] = phases * chance(5000 + n);
        ((double *)of->weight)[n] = 1;
    }
}

/* Two tables, whose axes lie in two orders; without HDF5 the test is skipped. */
#ifdef CT_HAVE_HDF5
static const char *put(const solved *of)
{
    static double value[2][16 * 8 * 16], weight[2][16 * 8 * 16], time[16];
    static const char *const two[] = {"YY", "XX", NULL}, *const four[] = {"XX", "XY", "YX", "YY",
                                                                          NULL};
    const hsize_t T = (hsize_t)of->times, F = (hsize_t)of->freqs, P = (hsize_t)of->pols;
    h5parm_table tables[2] = {{.axes = "time,freq,ant,pol",
                               .soltab = "amplitude000",
                               .title = "amplitude",
                               .extent = {T, F, 4, P}},
                              {.axes = "pol,ant,freq,time",
                               .soltab = "phase000",
                               .title = "phase",
                               .extent = {P, 4, F, T}}};
    for (hsize_t n = 0; n < T * F * 4 * P; n++) {
        hsize_t p = n % P, s = n / P % 4, f = n / P / 4 % F, t = n / P / 4 / F;
        const hsize_t other = ((p * 4 + s) * F + f) * T + t;
        const hsize_t of_p = P == 2 ? 1 - p : p; /* YY first */
        value[0][n] = of->amplitude[t][f][s][of_p];
        value[1][other] = of->phase[t][f][s][of_p];
        weight[0][n] = of->weight[t][f][s][of_p];
        weight[1][other] = 1;
    }
    for (int t = 0; t < of->times; t++)
        time[t] = START_MJD * DAY_S + of->time_s[t];
    for (int n = 0; n < 2; n++) {
        tables[n].solset = "sol000";
        tables[n].rank = 4;
        tables[n].value = value[n];
        tables[n].weight = weight[n];
        tables[n].time = time;
        tables[n].freq = of->freq;
        tables[n].ant = in_file;
        tables[n].pol = P == 2 ? two : four;
    }
    h5parm_write(trial_path("cal.h5"), tables, 2);
    return trial_path("cal.h5");
}
#else
static const char *put(const solved *of)
{
    (void)of;
    skip();
    return "";
}
#endif

static inline int nearest(const double *list, int count, double value)
{
    int best = 0;
    for (int n = 1; n < count; n++)
        if (fabs(list[n] - value) < fabs(list[best] - value)) best = n;
    return best;
}

static inline double seconds(int t)
{
    return 0.25 + SAMPLE_S * t;
}

#endif
