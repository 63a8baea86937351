/* trains.c: see trains.h. A window is complex noise of its own stream. That of a pulse has an
 * envelope; its spectrum is dispersed once, then delayed for each station, and transformed back. A
 * steady source begins with the spectrum, which is noise as well, and has its envelope at the
 * station: windows overlap where one rises and the other falls, so that their powers add up to the
 * same at any time. There a delay goes round in the window, which is far longer. What the delay
 * does to the carrier follows at each sample.
 *
 * Room: io/simulate. Knows spectra and delays. Does not know stations' noise, or types. */
#include "trains.h"

#include <math.h>
#include <string.h>

#define LIGHT_M_S 299792458.0
#define REACH 6.0 /* widths to either side beyond which a pulse is negligible */
enum {
    SPARE = 64,
    STEADY = 2048, /* samples of a steady source's window, at least */
    LOOSE = 200,   /* delays that it is long, at least */
    PHASORS = 64
};

ct_complex ct_trains_phasor(double cycles)
{
    const double angle = 6.283185307179586477 * (cycles - floor(cycles));
    return (ct_complex){cos(angle), sin(angle)};
}

/* ---- sizes */

/* Samples of the longest delay. */
static double longest_of(const simulation *sim)
{
    double farthest = 0;
    for (int64_t s = 0; s < sim->stations; s++) {
        const double *at = sim->position[s];
        farthest = fmax(farthest, sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
    }
    return farthest / LIGHT_M_S / sim->sample_time_s;
}

/* The same, and some more for what a sharp band spreads. */
static double margin_of(const simulation *sim)
{
    return (ceil(longest_of(sim) / SPARE) + 1) * SPARE;
}

static double reach_of(const simulation *sim, const sim_pulse *pulse)
{
    return ceil(REACH * pulse->width_s / sim->sample_time_s) + 1;
}

static double top_hz(const simulation *sim)
{
    return sim->centre_hz + 0.5 * sim->bandwidth_hz;
}

static double half_hz(const simulation *sim)
{
    return 0.5 * sim->bandwidth_hz / (double)sim->channels;
}

double ct_trains_length(const simulation *sim, const sim_pulse *pulse)
{
    double needed = fmax(STEADY, LOOSE * longest_of(sim));
    if (pulse) {
        const double hz = sim->channel_hz[0], half = half_hz(sim);
        needed = 2 * reach_of(sim, pulse) + 2 * margin_of(sim) + 2;
        needed += ct_sky_dispersion(sim, pulse->dm, hz - half, hz + half) / sim->sample_time_s;
    }
    return exp2(ceil(log2(needed)));
}

/* ---- made once */

/* Bin k as a signed number. */
static int64_t bin_of(const sim_train *train, int64_t k)
{
    const int64_t n = train->fourier.length;
    return k < n / 2 ? k : k - n;
}

/* Delays each frequency by K DM (nu^-2 - nu_r^-2), the phase's derivative, less `late` samples. */
static void make_chirp(sim_train *train, int64_t subband)
{
    const simulation *sim = train->sim;
    const int64_t n = train->fourier.length;
    const double reference = top_hz(sim) * 1e-6, dt = sim->sample_time_s;
    for (int64_t k = 0; k < n; k++) {
        const double hz = (double)bin_of(train, k) / ((double)n * dt);
        const double nu = (sim->channel_hz[subband] + hz) * 1e-6;
        const int64_t whole = bin_of(train, k) * train->late[subband] % n;
        const ct_complex phasor = ct_trains_phasor(sim->dm_constant * train->pulse->dm * 1e6 *
                                                       (1 / nu + nu / (reference * reference)) +
                                                   (double)whole / (double)n);
        train->chirp.re[subband * n + k] = (float)phasor.re;
        train->chirp.im[subband * n + k] = (float)phasor.im;
    }
}

static ct_status disperse(ct_step *step, sim_train *train)
{
    const simulation *sim = train->sim;
    train->late = ct_step_alloc(step, (size_t)sim->channels * sizeof *train->late);
    if (!train->late) return CT_FAILED;
    if (train->pulse->dm == 0) return CT_OK;
    train->chirp = ct_fourier_wave(step, sim->channels * train->fourier.length);
    if (!train->chirp.re) return CT_FAILED;
    for (int64_t c = 0; c < sim->channels && !ct_step_stopped(step); c++) {
        const double top = sim->channel_hz[c] + half_hz(sim);
        const double late_s = ct_sky_dispersion(sim, train->pulse->dm, top, top_hz(sim));
        train->late[c] = (int64_t)floor(late_s / sim->sample_time_s);
        make_chirp(train, c);
    }
    return CT_OK;
}

ct_status ct_trains_new(ct_step *step, const simulation *sim, const sim_pulse *pulse,
                        const sim_source *source, uint64_t number, sim_train *out)
{
    const int64_t length = (int64_t)ct_trains_length(sim, pulse);
    *out = (sim_train){.sim = sim,
                       .aim = pulse ? &pulse->aim : &source->aim,
                       .pulse = pulse,
                       .amplitude = pulse ? pulse->amplitude : source->amplitude,
                       .number = number,
                       .margin = pulse ? (int64_t)margin_of(sim) : 0,
                       .fourier = ct_fourier_new(step, length)};
    if (!ct_fourier_is(&out->fourier)) return CT_FAILED;
    out->active = pulse ? 2 * (int64_t)reach_of(sim, pulse) : length;
    out->hop = out->active - CT_TRAINS_TAPER;
    for (int k = 0; k < CT_TRAINS_TAPER; k++)
        out->rise[k] = (float)sin(1.5707963267948966 * (k + 0.5) / CT_TRAINS_TAPER);
    return pulse ? disperse(step, out) : CT_OK;
}

/* ---- windows */

static double instant_of(const sim_train *train, int64_t window)
{
    return train->pulse->time_s + (double)window * train->pulse->period_s;
}

/* Sample 0 of a window. */
static int64_t start_of(const sim_train *train, int64_t subband, int64_t window)
{
    if (!train->pulse) return window * train->hop;
    const double at = floor(instant_of(train, window) / train->sim->sample_time_s);
    return (int64_t)at - train->active / 2 - train->margin + train->late[subband];
}

/* The first window that is not over at a sample. */
static int64_t window_at(const sim_train *train, int64_t subband, int64_t sample)
{
    if (!train->pulse)
        return (int64_t)floor((double)(sample - train->active - train->margin) /
                              (double)train->hop);
    if (!(train->pulse->period_s > 0)) return 0;
    const double over = (double)(sample - train->fourier.length - train->late[subband]);
    return (int64_t)floor((over * train->sim->sample_time_s - train->pulse->time_s) /
                          train->pulse->period_s);
}

static sim_random stream_of(const sim_train *train, int64_t subband, int64_t window)
{
    const uint64_t signals = (uint64_t)(train->sim->sources + train->sim->pulses);
    return ct_random_part(train->sim->seed, 2 * ((uint64_t)subband * signals + train->number),
                          (uint64_t)window);
}

/* The spectrum of a steady source's window. */
static void fill_steady(const sim_train *train, const sim_train_work *work, int64_t subband,
                        int64_t window)
{
    const int64_t n = train->fourier.length;
    const float high = (float)(train->amplitude * sqrt(0.5 * (double)n));
    sim_random random = stream_of(train, subband, window);
    ct_random_fill(&random, work->normal, work->spectrum.re, n);
    ct_random_fill(&random, work->normal, work->spectrum.im, n);
    for (int64_t k = 0; k < n; k++) {
        work->spectrum.re[k] *= high;
        work->spectrum.im[k] *= high;
    }
}

static void fill_pulse(const sim_train *train, const sim_train_work *work, int64_t subband,
                       int64_t window)
{
    const int64_t begin = start_of(train, subband, window) + train->margin - train->late[subband];
    const double dt = train->sim->sample_time_s, width_s = train->pulse->width_s;
    const double centre_s = instant_of(train, window) - (double)begin * dt;
    const sim_wave data = {work->spectrum.re + train->margin, work->spectrum.im + train->margin};
    sim_random random = stream_of(train, subband, window);
    memset(work->spectrum.re, 0, (size_t)train->fourier.length * sizeof(float));
    memset(work->spectrum.im, 0, (size_t)train->fourier.length * sizeof(float));
    ct_random_fill(&random, work->normal, data.re, train->active / 4 * 4);
    ct_random_fill(&random, work->normal, data.im, train->active / 4 * 4);
    for (int64_t k = 0; k < train->active; k++) {
        const double away = ((double)k * dt - centre_s) / width_s;
        const float high = (float)(train->amplitude * sqrt(0.5) * exp(-0.5 * away * away));
        data.re[k] *= high;
        data.im[k] *= high;
    }
}

static void chirp(const sim_train *train, sim_wave spectrum, int64_t subband)
{
    const int64_t n = train->fourier.length;
    const float *restrict by_re = train->chirp.re + subband * n;
    const float *restrict by_im = train->chirp.im + subband * n;
    for (int64_t k = 0; k < n; k++) {
        const float re = spectrum.re[k], im = spectrum.im[k];
        spectrum.re[k] = re * by_re[k] - im * by_im[k];
        spectrum.im[k] = re * by_im[k] + im * by_re[k];
    }
}

static void make_spectrum(const sim_train *train, const sim_train_work *work, int64_t subband,
                          int64_t window)
{
    if (!train->pulse) {
        fill_steady(train, work, subband, window);
        return;
    }
    fill_pulse(train, work, subband, window);
    ct_fourier_forward(&train->fourier, work->spectrum, work->work);
    if (train->chirp.re) chirp(train, work->spectrum, subband);
}

/* ---- one station */

/* moved = spectrum times exp(-2 pi i f tau) over its length. */
static void delay(const sim_train *train, const sim_train_work *work, double samples)
{
    const int64_t n = train->fourier.length;
    float near_re[PHASORS], near_im[PHASORS];
    for (int k = 0; k < PHASORS; k++) {
        const ct_complex phasor = ct_trains_phasor(-(double)k / (double)n * samples);
        near_re[k] = (float)phasor.re;
        near_im[k] = (float)phasor.im;
    }
    for (int64_t at = 0; at < n; at += PHASORS) {
        ct_complex phasor = ct_trains_phasor(-(double)bin_of(train, at) / (double)n * samples);
        phasor.re /= (double)n;
        phasor.im /= (double)n;
        const float far_re = (float)phasor.re, far_im = (float)phasor.im;
        const float *restrict from_re = work->spectrum.re + at, *restrict from_im =
                                                                    work->spectrum.im + at;
        float *restrict to_re = work->moved.re + at, *restrict to_im = work->moved.im + at;
        for (int k = 0; k < PHASORS; k++) {
            const float re = near_re[k] * far_re - near_im[k] * far_im;
            const float im = near_re[k] * far_im + near_im[k] * far_re;
            to_re[k] = from_re[k] * re - from_im[k] * im;
            to_im[k] = from_re[k] * im + from_im[k] * re;
        }
    }
}

static double delay_at(const sim_train *train, int64_t station, int64_t sample)
{
    const int64_t inside = sample < 0 ? 0 : sample < train->sim->total ? sample : train->sim->total;
    return ct_aim_delay(train->sim, train->aim, train->sim->position[station], inside);
}

/* Samples `begin` to `end` of one piece; `from` and `to` are those from `begin` on. */
static void add_piece(const sim_train *train, sim_wave from, sim_wave to, int64_t station,
                      int64_t subband, int64_t begin, int64_t end)
{
    const double hz = train->sim->channel_hz[subband];
    const int64_t piece = begin / CT_TRAINS_PIECE * CT_TRAINS_PIECE;
    const ct_complex a = ct_trains_phasor(-hz * delay_at(train, station, piece));
    const ct_complex b = ct_trains_phasor(-hz * delay_at(train, station, piece + CT_TRAINS_PIECE));
    const float slope_re = (float)((b.re - a.re) / CT_TRAINS_PIECE);
    const float slope_im = (float)((b.im - a.im) / CT_TRAINS_PIECE);
    const float a_re = (float)a.re, a_im = (float)a.im;
    for (int t = 0; t < (int)(end - begin); t++) {
        const float since = (float)(t + (int)(begin - piece));
        const float re = a_re + since * slope_re, im = a_im + since * slope_im;
        to.re[t] += from.re[t] * re - from.im[t] * im;
        to.im[t] += from.re[t] * im + from.im[t] * re;
    }
}

static sim_wave wave_at(sim_wave wave, int64_t sample)
{
    return (sim_wave){wave.re + sample, wave.im + sample};
}

/* The squares of rise and fall add up to 1. */
static void rise_and_fall(const sim_train *train, sim_wave wave)
{
    const int64_t last = train->fourier.length - 1;
    for (int64_t k = 0; k < CT_TRAINS_TAPER; k++) {
        const float high = train->rise[k];
        wave.re[k] *= high;
        wave.im[k] *= high;
        wave.re[last - k] *= high;
        wave.im[last - k] *= high;
    }
}

static void add_station(const sim_train *train, const sim_train_work *work, sim_wave received,
                        int64_t station, int64_t subband, int64_t start, int64_t first,
                        int64_t count)
{
    const int64_t n = train->fourier.length;
    const int64_t end = start + n < first + count ? start + n : first + count;
    const double tau_s = delay_at(train, station, start + n / 2);
    delay(train, work, tau_s / train->sim->sample_time_s);
    ct_fourier_backward(&train->fourier, work->moved, work->work);
    if (!train->pulse) rise_and_fall(train, work->moved);
    for (int64_t t = start > first ? start : first, next; t < end; t = next) {
        next = (t / CT_TRAINS_PIECE + 1) * CT_TRAINS_PIECE;
        if (next > end) next = end;
        add_piece(train, wave_at(work->moved, t - start), wave_at(received, t - first), station,
                  subband, t, next);
    }
}

void ct_trains_add(const sim_train *train, const sim_train_work *work, int64_t subband,
                   int64_t station, int64_t stations, int64_t first, int64_t count,
                   const sim_wave *received)
{
    const bool once = train->pulse && !(train->pulse->period_s > 0);
    for (int64_t window = window_at(train, subband, first); !once || window == 0; window++) {
        const int64_t start = start_of(train, subband, window);
        if (start >= first + count) return;
        if (start + train->fourier.length <= first) continue;
        make_spectrum(train, work, subband, window);
        for (int64_t s = 0; s < stations; s++)
            add_station(train, work, received[s], station + s, subband, start, first, count);
    }
}
