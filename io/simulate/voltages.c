/* voltages.c: what stations receive: dispersed pulses and tones from the sky, and their own noise.
 * Room: io/simulate. Knows spectra, delays, quantisation. Does not know parameters or blocks. Each
 * pulse's spectrum is made once; then, station by station, the spectra are delayed, added up,
 * transformed back to time and quantised with the station's noise. */
#include <math.h>

#include "random.h"
#include "simulate.h"
#include "transform.h"

#define TWO_PI 6.283185307179586477
#define EARTH_RAD_S 7.2921e-5 /* rotation */
#define LIGHT_M_S 299792458.0
/* At the band's edge, from one delay of a source that moves to the next. */
#define MOST_CYCLES 0.005
#define REACH 6.0 /* widths to either side beyond which a pulse is negligible */

typedef struct sim_band {
    const ct_step *step;
    const simulation *sim;
    sim_transform transform;
    ct_complex *spectrum; /* of each pulse, one after the other */
    ct_complex *work;
    ct_complex *moved[2]; /* a source that moves, at two delays; NULL: none does */
} sim_band;

/* Frequency of bin k above the band's centre, Hz. */
static double bin_hz(const sim_band *band, int64_t k)
{
    int64_t n = band->transform.length;
    return (double)(k < n / 2 ? k : k - n) / ((double)n * band->sim->sample_time_s);
}

/* Multiplies by exp(2 pi i cycles). */
static ct_complex rotate(ct_complex value, double cycles)
{
    double angle = TWO_PI * (cycles - floor(cycles));
    double re = cos(angle), im = sin(angle);
    return (ct_complex){value.re * re - value.im * im, value.re * im + value.im * re};
}

static double top_hz(const simulation *sim)
{
    return sim->centre_hz + 0.5 * sim->bandwidth_hz;
}

/* Whether a pulse is wider than all that is observed: then what lies outside is left out, which
 * else would need room for as much as it is wide. */
static bool is_wide(const simulation *sim, const sim_pulse *pulse)
{
    return 2 * REACH * pulse->width_s > (double)sim->total * sim->sample_time_s;
}

/* Samples that the longest sweep takes from the band's top to its bottom. */
static double longest_sweep(const simulation *sim)
{
    double longest = 0, bottom = sim->centre_hz - 0.5 * sim->bandwidth_hz;
    for (int64_t k = 0; k < sim->pulses; k++) {
        const sim_pulse *pulse = &sim->pulse[k];
        double seconds = ct_sky_dispersion(sim, pulse->dm, bottom, top_hz(sim));
        seconds += is_wide(sim, pulse) ? (double)sim->total * sim->sample_time_s
                                       : 2 * REACH * pulse->width_s;
        longest = fmax(longest, seconds);
    }
    return ceil(longest / sim->sample_time_s);
}

/* ---- one pulse */

/* Adds A exp(-(t-t0)^2 / 2w^2) to the real parts; time wraps, so that what happened before the
 * start stands at the end. */
static void add_envelope(const sim_band *band, ct_complex *out, const sim_pulse *pulse, double t0)
{
    double dt = band->sim->sample_time_s;
    int64_t n = band->transform.length, total = band->sim->total;
    double low = floor((t0 - REACH * pulse->width_s) / dt);
    double high = ceil((t0 + REACH * pulse->width_s) / dt);
    if (is_wide(band->sim, pulse)) {
        const double latest = 1.5 * (double)total; /* waves come to some stations earlier */
        low = fmax(low, ceil(latest - (double)n));
        high = fmin(high, ceil(latest) - 1);
    }
    int64_t first = (int64_t)low, last = (int64_t)high;
    for (int64_t t = first; t <= last; t++) {
        double away = ((double)t * dt - t0) / pulse->width_s;
        out[(t % n + n) % n].re += pulse->amplitude * exp(-0.5 * away * away);
    }
}

static void add_envelopes(const sim_band *band, ct_complex *out, const sim_pulse *pulse)
{
    const simulation *sim = band->sim;
    if (!(pulse->period_s > 0)) {
        add_envelope(band, out, pulse, pulse->time_s);
        return;
    }
    double sweep_s = longest_sweep(sim) * sim->sample_time_s;
    double end_s = (double)sim->total * sim->sample_time_s;
    int64_t first = (int64_t)ceil((-sweep_s - pulse->time_s) / pulse->period_s);
    int64_t end = (int64_t)ceil((end_s - pulse->time_s) / pulse->period_s);
    for (int64_t k = first; k < end && !ct_step_stopped(band->step); k++)
        add_envelope(band, out, pulse, pulse->time_s + (double)k * pulse->period_s);
}

/* The envelope times complex noise of power 1. */
static void fill_with_noise(const sim_band *band, ct_complex *data, sim_random random)
{
    for (int64_t t = 0; t < band->transform.length && !ct_simulate_stopped(band->step, t); t++) {
        double normal[2];
        ct_random_normal(&random, normal);
        data[t].im = data[t].re * normal[1] * sqrt(0.5);
        data[t].re *= normal[0] * sqrt(0.5);
    }
}

/* Delays each frequency by K DM (nu^-2 - nu_r^-2): the phase's derivative. */
static void disperse(const sim_band *band, ct_complex *spectrum, double dm)
{
    const simulation *sim = band->sim;
    double reference = top_hz(sim) * 1e-6;
    for (int64_t k = 0; k < band->transform.length && !ct_simulate_stopped(band->step, k); k++) {
        double nu = (sim->centre_hz + bin_hz(band, k)) * 1e-6;
        double cycles = sim->dm_constant * dm * 1e6 * (1 / nu + nu / (reference * reference));
        spectrum[k] = rotate(spectrum[k], cycles);
    }
}

static void make_spectrum(const sim_band *band, int64_t pulse)
{
    int64_t n = band->transform.length;
    ct_complex *data = band->spectrum + pulse * n;
    add_envelopes(band, data, &band->sim->pulse[pulse]);
    fill_with_noise(band, data, ct_random_new(band->sim->seed, (uint64_t)pulse * 2));
    ct_transform_forward(&band->transform, data);
    if (band->sim->pulse[pulse].dm != 0) disperse(band, data, band->sim->pulse[pulse].dm);
}

/* ---- one station */

/* Frequencies count from `carrier_hz` on: 0 leaves out what the delay does to the carrier. */
static void add_spectrum(const sim_band *band, int64_t pulse, double carrier_hz, double delay_s,
                         ct_complex *out)
{
    double scale = 1 / (double)band->transform.length;
    const ct_complex *spectrum = band->spectrum + pulse * band->transform.length;
    for (int64_t k = 0; k < band->transform.length && !ct_simulate_stopped(band->step, k); k++) {
        double hz = carrier_hz + bin_hz(band, k);
        ct_complex part = rotate(spectrum[k], -hz * delay_s);
        out[k].re += scale * part.re;
        out[k].im += scale * part.im;
    }
}

/* As it arrives at sample t, the carrier's part of the delay left out. */
static void render(const sim_band *band, int64_t pulse, const double position[3], int64_t t,
                   ct_complex *out)
{
    const double delay_s = ct_aim_delay(band->sim, &band->sim->pulse[pulse].aim, position, t);
    for (int64_t k = 0; k < band->transform.length; k++)
        out[k] = (ct_complex){0, 0};
    add_spectrum(band, pulse, 0, delay_s, out);
    ct_transform_backward(&band->transform, out);
}

/* Between samples `begin` and `end`, whose delays the two in `moved` have: the band changes little
 * from one to the other and is taken straight in between, the carrier follows at each sample. */
static void add_between(const sim_band *band, const sim_aim *aim, const double position[3],
                        int64_t begin, int64_t end)
{
    const simulation *sim = band->sim;
    for (int64_t t = begin; t < end && !ct_simulate_stopped(band->step, t); t++) {
        const double late = (double)(t - begin) / (double)(end - begin);
        const ct_complex a = band->moved[0][t], b = band->moved[1][t];
        const ct_complex mean = {a.re + late * (b.re - a.re), a.im + late * (b.im - a.im)};
        const double delay_s = ct_aim_delay(sim, aim, position, t);
        const ct_complex part = rotate(mean, -sim->centre_hz * delay_s);
        band->work[t].re += part.re;
        band->work[t].im += part.im;
    }
}

static void add_moving(sim_band *band, int64_t pulse, const double position[3])
{
    const simulation *sim = band->sim;
    const double far_m =
        sqrt(position[0] * position[0] + position[1] * position[1] + position[2] * position[2]);
    const double most_s = EARTH_RAD_S * far_m / LIGHT_M_S * (double)sim->total * sim->sample_time_s;
    const int64_t parts = 1 + (int64_t)(most_s * 0.5 * sim->bandwidth_hz / MOST_CYCLES);
    render(band, pulse, position, 0, band->moved[0]);
    for (int64_t n = 0; n < parts && !ct_step_stopped(band->step); n++) {
        const int64_t begin = (int64_t)((double)sim->total * (double)n / (double)parts);
        const int64_t end = (int64_t)((double)sim->total * (double)(n + 1) / (double)parts);
        ct_complex *from = band->moved[0];
        render(band, pulse, position, end, band->moved[1]);
        add_between(band, &sim->pulse[pulse].aim, position, begin, end);
        band->moved[0] = band->moved[1];
        band->moved[1] = from;
    }
}

static void add_tone(const sim_band *band, const sim_tone *tone, const double position[3])
{
    const simulation *sim = band->sim;
    double hz = tone->frequency_hz;
    for (int64_t t = 0; t < sim->total && !ct_simulate_stopped(band->step, t); t++) {
        const double delay_s = ct_aim_delay(sim, &tone->aim, position, t);
        double cycles = hz * (double)t * sim->sample_time_s - (sim->centre_hz + hz) * delay_s;
        ct_complex part = rotate((ct_complex){tone->amplitude, 0}, cycles);
        band->work[t].re += part.re;
        band->work[t].im += part.im;
    }
}

/* What arrives from the sky at a station, in band->work. */
static void receive(sim_band *band, int64_t station)
{
    const simulation *sim = band->sim;
    const double *at = sim->position[station];
    for (int64_t k = 0; k < band->transform.length; k++)
        band->work[k] = (ct_complex){0, 0};
    for (int64_t p = 0; p < sim->pulses; p++)
        if (!ct_aim_moves(&sim->pulse[p].aim))
            add_spectrum(band, p, sim->centre_hz, ct_aim_delay(sim, &sim->pulse[p].aim, at, 0),
                         band->work);
    if (sim->pulses > 0) ct_transform_backward(&band->transform, band->work);
    for (int64_t p = 0; p < sim->pulses; p++)
        if (ct_aim_moves(&sim->pulse[p].aim)) add_moving(band, p, at);
    for (int64_t k = 0; k < sim->tones; k++)
        add_tone(band, &sim->tone[k], at);
}

/* `row`: of the stations that are made. */
static void quantise(const sim_band *band, ct_array *out, int64_t station, int64_t pol, int64_t row)
{
    const simulation *sim = band->sim;
    sim_random random = ct_random_new(sim->seed, (uint64_t)(station * 2 + pol) * 2 + 1);
    double sigma = sim->noise * sqrt(0.5), gain = sim->signal_in[pol] ? 1 : 0;
    row *= sim->total;
    for (int64_t t = 0; t < sim->total && !ct_simulate_stopped(band->step, t); t++) {
        double normal[2];
        ct_random_normal(&random, normal);
        ct_array_save(out, row + t, sim->scale * (gain * band->work[t].re + sigma * normal[0]),
                      sim->scale * (gain * band->work[t].im + sigma * normal[1]));
    }
}

/* A power of two, as a double: a sweep may be longer than anything. */
static double transform_length(const simulation *sim)
{
    double needed = (double)sim->total + (sim->pulses > 0 ? longest_sweep(sim) + 2 : 0);
    return exp2(ceil(log2(needed)));
}

static bool any_moves(const simulation *sim)
{
    bool any = false;
    for (int64_t p = 0; p < sim->pulses; p++)
        any = any || ct_aim_moves(&sim->pulse[p].aim);
    return any;
}

double ct_voltages_room(const simulation *sim)
{
    const double arrays = (double)sim->pulses + 2 + (any_moves(sim) ? 2 : 0); /* cycles: half */
    return transform_length(sim) * arrays * sizeof(ct_complex);
}

/* Where everything comes from, at all times, and room for what moves. */
static ct_status follow(ct_step *step, sim_band *band, ct_error *err)
{
    const simulation *sim = band->sim;
    const size_t bytes = (size_t)band->transform.length * sizeof *band->work;
    ct_status status = CT_OK;
    for (int64_t p = 0; p < sim->pulses && status == CT_OK; p++)
        status = ct_aim_follow(step, sim, &sim->pulse[p].aim, err);
    for (int64_t k = 0; k < sim->tones && status == CT_OK; k++)
        status = ct_aim_follow(step, sim, &sim->tone[k].aim, err);
    for (int n = 0; n < 2 && any_moves(sim) && status == CT_OK; n++) {
        band->moved[n] = ct_step_alloc(step, bytes);
        if (!band->moved[n]) status = CT_FAILED;
    }
    return status;
}

ct_status ct_voltages_make(ct_step *step, const simulation *sim, void **out, ct_error *err)
{
    sim_band band = {.step = step, .sim = sim};
    ct_array numbers = {.type = sim->type};
    const int64_t first = ct_step_range_first(step, 'S');
    const int64_t stations = ct_array_extent(&step->port[0], 'S'); /* of those that are read */
    ct_array_add(&numbers, 'S', stations);
    ct_array_add(&numbers, 'P', 2);
    ct_array_add(&numbers, 'T', sim->total);
    ct_array_dense(&numbers, NULL);
    numbers.data = *out = ct_step_alloc(step, ct_array_bytes(&numbers));
    band.transform = ct_transform_new(step, (int64_t)transform_length(sim));
    band.work = ct_step_alloc(step, (size_t)band.transform.length * sizeof *band.work);
    band.spectrum = ct_step_alloc(step, (size_t)(sim->pulses * band.transform.length + 1) *
                                            sizeof *band.spectrum);
    if (!*out || !band.transform.twiddle || !band.work || !band.spectrum) return CT_FAILED;
    const ct_status status = follow(step, &band, err);
    if (status != CT_OK) return status;
    for (int64_t p = 0; p < sim->pulses && !ct_step_stopped(step); p++)
        make_spectrum(&band, p);
    for (int64_t s = 0; s < stations && !ct_step_stopped(step); s++) {
        receive(&band, first + s);
        quantise(&band, &numbers, first + s, 0, 2 * s);
        quantise(&band, &numbers, first + s, 1, 2 * s + 1);
    }
    return ct_step_stopped(step) ? CT_INTERRUPTED : CT_OK;
}
