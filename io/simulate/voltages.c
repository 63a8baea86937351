/* voltages.c: what stations receive: dispersed pulses and tones from the sky, and their own noise.
 * Room: io/simulate. Knows spectra, delays, quantisation. Does not know parameters or blocks. Each
 * pulse's spectrum is made once; then, station by station, the spectra are delayed, added up,
 * transformed back to time and quantised with the station's noise, as many stations at a time as
 * there are cores. */
#include <math.h>
#include <string.h>

#include "clones.h"
#include "quantise.h"
#include "random.h"
#include "simulate.h"
#include "threads.h"
#include "transform.h"

#define TWO_PI 6.283185307179586477
#define EARTH_RAD_S 7.2921e-5 /* rotation */
#define LIGHT_M_S 299792458.0
/* At the band's edge, from one delay of a source that moves to the next. */
#define MOST_CYCLES 0.005
#define MOST_BYTES 16e9 /* as for all numbers and one station's work */
#define REACH 6.0       /* widths to either side beyond which a pulse is negligible */
enum { MANY = CT_POLAR_COUNT };

/* One of the stations that are made at the same time. */
typedef struct sim_place {
    ct_complex *work;     /* what it receives; NULL: there are neither pulses nor tones */
    ct_complex *moved[2]; /* a source that moves, at two delays; NULL: none does */
} sim_place;

typedef struct sim_band {
    const ct_step *step;
    const simulation *sim;
    sim_transform transform;
    ct_complex *spectrum; /* of each pulse, one after the other */
    sim_place *place;
    int64_t places, threads;
    ct_array numbers;
    int64_t first, station, stations; /* of all; of this step's: the next, and how many */
} sim_band;

/* Frequency of bin k above the band's centre, Hz. */
static double bin_hz(const sim_band *band, int64_t k)
{
    int64_t n = band->transform.length;
    return (double)(k < n / 2 ? k : k - n) / ((double)n * band->sim->sample_time_s);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline ct_complex times(ct_complex value, double re, double im)
{
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
    const int64_t length = band->transform.length;
    for (int64_t t = 0; t < length && !ct_simulate_stopped(band->step, t); t += MANY) {
        double re[MANY], im[MANY];
        const int64_t count = least(length - t, MANY);
        ct_random_normals(&random, re, im, count);
        for (int64_t k = 0; k < count; k++) {
            data[t + k].im = data[t + k].re * im[k] * sqrt(0.5);
            data[t + k].re *= re[k] * sqrt(0.5);
        }
    }
}

/* Delays each frequency by K DM (nu^-2 - nu_r^-2): the phase's derivative. */
static void disperse(const sim_band *band, ct_complex *spectrum, double dm)
{
    const simulation *sim = band->sim;
    const int64_t length = band->transform.length;
    const double reference = top_hz(sim) * 1e-6;
    for (int64_t k = 0; k < length && !ct_simulate_stopped(band->step, k); k += MANY) {
        double cycles[MANY] = {0}, re[MANY], im[MANY];
        const int64_t count = least(length - k, MANY);
        for (int64_t n = 0; n < count; n++) {
            const double nu = (sim->centre_hz + bin_hz(band, k + n)) * 1e-6;
            cycles[n] = sim->dm_constant * dm * 1e6 * (1 / nu + nu / (reference * reference));
        }
        ct_polar_phasors(cycles, re, im);
        for (int64_t n = 0; n < count; n++)
            spectrum[k + n] = times(spectrum[k + n], re[n], im[n]);
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
CT_CLONES static void add_spectrum(const sim_band *band, int64_t pulse, double carrier_hz,
                                   double delay_s, ct_complex *out)
{
    const int64_t length = band->transform.length;
    const double scale = 1 / (double)length;
    const ct_complex *spectrum = band->spectrum + pulse * length;
    for (int64_t k = 0; k < length && !ct_simulate_stopped(band->step, k); k += MANY) {
        double cycles[MANY] = {0}, re[MANY], im[MANY];
        const int64_t count = least(length - k, MANY);
        for (int64_t n = 0; n < count; n++)
            cycles[n] = -(carrier_hz + bin_hz(band, k + n)) * delay_s;
        ct_polar_phasors(cycles, re, im);
        for (int64_t n = 0; n < count; n++) {
            const ct_complex part = times(spectrum[k + n], re[n], im[n]);
            out[k + n].re += scale * part.re;
            out[k + n].im += scale * part.im;
        }
    }
}

/* As it arrives at sample t, the carrier's part of the delay left out. */
static void render(const sim_band *band, int64_t pulse, const double position[3], int64_t t,
                   ct_complex *out)
{
    const double delay_s = ct_aim_delay(band->sim, &band->sim->pulse[pulse].aim, position, t);
    memset(out, 0, (size_t)band->transform.length * sizeof *out);
    add_spectrum(band, pulse, 0, delay_s, out);
    ct_transform_backward(&band->transform, out);
}

/* Between samples `begin` and `end`, whose delays the two in `moved` have: the band changes little
 * from one to the other and is taken straight in between, the carrier follows at each sample. */
static void add_between(const sim_band *band, const sim_place *place, const sim_aim *aim,
                        const double position[3], int64_t begin, int64_t end)
{
    const simulation *sim = band->sim;
    for (int64_t t = begin; t < end && !ct_step_stopped(band->step); t += MANY) {
        double cycles[MANY] = {0}, re[MANY], im[MANY];
        const int64_t count = least(end - t, MANY);
        for (int64_t n = 0; n < count; n++)
            cycles[n] = -sim->centre_hz * ct_aim_delay(sim, aim, position, t + n);
        ct_polar_phasors(cycles, re, im);
        for (int64_t n = 0; n < count; n++) {
            const double late = (double)(t + n - begin) / (double)(end - begin);
            const ct_complex a = place->moved[0][t + n], b = place->moved[1][t + n];
            const ct_complex mean = {a.re + late * (b.re - a.re), a.im + late * (b.im - a.im)};
            const ct_complex part = times(mean, re[n], im[n]);
            place->work[t + n].re += part.re;
            place->work[t + n].im += part.im;
        }
    }
}

static void add_moving(const sim_band *band, sim_place *place, int64_t pulse,
                       const double position[3])
{
    const simulation *sim = band->sim;
    const double far_m =
        sqrt(position[0] * position[0] + position[1] * position[1] + position[2] * position[2]);
    const double most_s = EARTH_RAD_S * far_m / LIGHT_M_S * (double)sim->total * sim->sample_time_s;
    const int64_t parts = 1 + (int64_t)(most_s * 0.5 * sim->bandwidth_hz / MOST_CYCLES);
    render(band, pulse, position, 0, place->moved[0]);
    for (int64_t n = 0; n < parts && !ct_step_stopped(band->step); n++) {
        const int64_t begin = (int64_t)((double)sim->total * (double)n / (double)parts);
        const int64_t end = (int64_t)((double)sim->total * (double)(n + 1) / (double)parts);
        ct_complex *from = place->moved[0];
        render(band, pulse, position, end, place->moved[1]);
        add_between(band, place, &sim->pulse[pulse].aim, position, begin, end);
        place->moved[0] = place->moved[1];
        place->moved[1] = from;
    }
}

static void add_tone(const sim_band *band, const sim_place *place, const sim_tone *tone,
                     const double position[3])
{
    const simulation *sim = band->sim;
    const double hz = tone->frequency_hz;
    double delay_s = ct_aim_delay(sim, &tone->aim, position, 0);
    for (int64_t t = 0; t < sim->total && !ct_simulate_stopped(band->step, t); t += MANY) {
        double cycles[MANY] = {0}, re[MANY], im[MANY];
        const int64_t count = least(sim->total - t, MANY);
        for (int64_t n = 0; n < count; n++) {
            if (ct_aim_moves(&tone->aim)) delay_s = ct_aim_delay(sim, &tone->aim, position, t + n);
            cycles[n] = hz * (double)(t + n) * sim->sample_time_s - (sim->centre_hz + hz) * delay_s;
        }
        ct_polar_phasors(cycles, re, im);
        for (int64_t n = 0; n < count; n++) {
            place->work[t + n].re += tone->amplitude * re[n];
            place->work[t + n].im += tone->amplitude * im[n];
        }
    }
}

/* What arrives from the sky at a station, in the work of its place. */
static void receive(void *of, int64_t which)
{
    const sim_band *band = of;
    const simulation *sim = band->sim;
    sim_place *place = &band->place[which];
    const double *at = sim->position[band->first + band->station + which];
    if (!place->work) return;
    memset(place->work, 0, (size_t)band->transform.length * sizeof *place->work);
    for (int64_t p = 0; p < sim->pulses; p++)
        if (!ct_aim_moves(&sim->pulse[p].aim))
            add_spectrum(band, p, sim->centre_hz, ct_aim_delay(sim, &sim->pulse[p].aim, at, 0),
                         place->work);
    if (sim->pulses > 0) ct_transform_backward(&band->transform, place->work);
    for (int64_t p = 0; p < sim->pulses; p++)
        if (ct_aim_moves(&sim->pulse[p].aim)) add_moving(band, place, p, at);
    for (int64_t k = 0; k < sim->tones; k++)
        add_tone(band, place, &sim->tone[k], at);
}

/* One polarization of a place. */
CT_CLONES static void quantise(const sim_band *band, const sim_place *place, int64_t station,
                               int64_t pol)
{
    const simulation *sim = band->sim;
    const int64_t stream = (band->first + station) * 2 + pol;
    const double sigma = sim->noise * sqrt(0.5), gain = sim->signal_in[pol] ? 1 : 0;
    const size_t unit = ct_type_bits(sim->type) / 8;
    char *row = (char *)band->numbers.data + (size_t)((station * 2 + pol) * sim->total) * unit;
    sim_random random = ct_random_new(sim->seed, (uint64_t)stream * 2 + 1);
    for (int64_t t = 0; t < sim->total && !ct_simulate_stopped(band->step, t); t += MANY) {
        double re[MANY], im[MANY], value[2 * MANY];
        const int64_t count = least(sim->total - t, MANY);
        ct_random_normals(&random, re, im, count);
        for (int64_t k = 0; k < count; k++) {
            const ct_complex received = place->work ? place->work[t + k] : (ct_complex){0, 0};
            value[2 * k] = sim->scale * (gain * received.re + sigma * re[k]);
            value[2 * k + 1] = sim->scale * (gain * received.im + sigma * im[k]);
        }
        ct_quantise_numbers(row + (size_t)t * unit, sim->type, value, 2 * count);
    }
}

/* Both polarizations of all places, in turn. */
static void quantise_some(void *of, int64_t which)
{
    const sim_band *band = of;
    for (int64_t row = which; row < 2 * band->places; row += band->threads)
        if (band->station + row / 2 < band->stations)
            quantise(band, &band->place[row / 2], band->station + row / 2, row % 2);
}

/* A power of two, as a double: a sweep may be longer than anything. */
static double transform_length(const simulation *sim)
{
    double needed = (double)sim->total + (sim->pulses > 0 ? longest_sweep(sim) + 2 : 0);
    return exp2(ceil(log2(needed)));
}

static bool any_moves(const simulation *sim)
{
    for (int64_t p = 0; p < sim->pulses; p++)
        if (ct_aim_moves(&sim->pulse[p].aim)) return true;
    return false;
}

double ct_voltages_room(const simulation *sim)
{
    const double arrays = (double)sim->pulses + 2 + (any_moves(sim) ? 2 : 0);
    return transform_length(sim) * arrays * sizeof(ct_complex);
}

/* As many as can be worked on at a time, with so much memory in all. */
static ct_status make_places(ct_step *step, sim_band *band)
{
    const simulation *sim = band->sim;
    const size_t bytes = (size_t)band->transform.length * sizeof(ct_complex);
    const int arrays = sim->pulses + sim->tones == 0 ? 0 : any_moves(sim) ? 3 : 1;
    const double free_bytes =
        MOST_BYTES - ct_voltages_room(sim) - (double)ct_array_bytes(&band->numbers);
    const double more = arrays > 0 ? free_bytes / ((double)bytes * arrays) : INFINITY;
    band->threads = ct_threads_count(2 * band->stations);
    band->places = ct_threads_count(band->stations);
    if (more < (double)(band->places - 1)) band->places = 1 + (int64_t)more;
    band->place = ct_step_alloc(step, (size_t)band->places * sizeof *band->place);
    for (int64_t i = 0; band->place && i < band->places; i++)
        for (int k = 0; k < arrays; k++) {
            ct_complex **array = k == 0 ? &band->place[i].work : &band->place[i].moved[k - 1];
            *array = ct_step_alloc(step, bytes);
            if (!*array) return CT_FAILED;
        }
    return band->place ? CT_OK : CT_FAILED;
}

static ct_status make_spectra(ct_step *step, sim_band *band)
{
    const int64_t length = band->transform.length;
    if (band->sim->pulses == 0) return CT_OK;
    band->transform = ct_transform_new(step, length);
    band->spectrum =
        ct_step_alloc(step, (size_t)(band->sim->pulses * length) * sizeof *band->spectrum);
    if (!band->transform.twiddle || !band->spectrum) return CT_FAILED;
    for (int64_t p = 0; p < band->sim->pulses && !ct_step_stopped(step); p++)
        make_spectrum(band, p);
    return CT_OK;
}

ct_status ct_voltages_make(ct_step *step, const simulation *sim, void **out, ct_error *err)
{
    sim_band band = {.step = step,
                     .sim = sim,
                     .transform = {.length = (int64_t)transform_length(sim)},
                     .numbers = {.type = sim->type},
                     .first = ct_step_range_first(step, 'S'),
                     .stations = ct_array_extent(&step->port[0], 'S')}; /* of those that are read */
    ct_array_add(&band.numbers, 'S', band.stations);
    ct_array_add(&band.numbers, 'P', 2);
    ct_array_add(&band.numbers, 'T', sim->total);
    ct_array_dense(&band.numbers, NULL);
    band.numbers.data = *out = ct_step_alloc(step, ct_array_bytes(&band.numbers));
    if (!*out || make_places(step, &band) != CT_OK) return CT_FAILED;
    ct_status status = ct_aim_follow_all(step, sim, err);
    if (status == CT_OK) status = make_spectra(step, &band);
    for (; status == CT_OK && band.station < band.stations && !ct_step_stopped(step);
         band.station += band.places) {
        ct_threads_run(least(band.places, band.stations - band.station), receive, &band);
        ct_threads_run(band.threads, quantise_some, &band);
    }
    return status == CT_OK && ct_step_stopped(step) ? CT_INTERRUPTED : status;
}
