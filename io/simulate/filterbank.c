/* filterbank.c: power per channel, made directly: dispersed pulses on a noisy level.
 * Room: io/simulate. Knows channels and quantisation. Does not know parameters or blocks. */
#include <math.h>

#include "random.h"
#include "simulate.h"

#define REACH 6.0

/* A pulse as one channel sees it: dispersion within the channel widens it and lowers it, its energy
 * stays. */
typedef struct sim_bump {
    double time_s, width_s, amplitude;
} sim_bump;

static double highest_hz(const simulation *sim)
{
    double highest = sim->channel_hz[0];
    for (int64_t c = 1; c < sim->channels; c++)
        highest = fmax(highest, sim->channel_hz[c]);
    return highest;
}

static sim_bump bump_of(const simulation *sim, const sim_pulse *pulse, int64_t channel)
{
    double hz = sim->channel_hz[channel], half = 0.5 * sim->bandwidth_hz / (double)sim->channels;
    double smear = ct_sky_dispersion(sim, pulse->dm, hz - half, hz + half) / sqrt(12.0);
    sim_bump bump = {.time_s = pulse->time_s};
    bump.time_s += ct_sky_dispersion(sim, pulse->dm, hz, highest_hz(sim));
    bump.width_s = hypot(pulse->width_s, smear);
    bump.amplitude = pulse->amplitude * pulse->width_s / bump.width_s;
    return bump;
}

static void add_bump(const simulation *sim, double *row, sim_bump bump)
{
    double dt = sim->sample_time_s;
    double end = (double)sim->total;
    int64_t first = (int64_t)fmin(fmax(floor((bump.time_s - REACH * bump.width_s) / dt), 0), end);
    int64_t last = (int64_t)fmin(ceil((bump.time_s + REACH * bump.width_s) / dt), end - 1);
    for (int64_t t = first; t <= last; t++) {
        double away = ((double)t * dt - bump.time_s) / bump.width_s;
        row[t] += bump.amplitude * exp(-0.5 * away * away);
    }
}

static void add_pulse(const ct_step *step, const simulation *sim, double *row,
                      const sim_pulse *pulse, int64_t channel)
{
    sim_bump bump = bump_of(sim, pulse, channel);
    double end_s = (double)sim->total * sim->sample_time_s + REACH * bump.width_s;
    if (!(pulse->period_s > 0)) {
        add_bump(sim, row, bump);
        return;
    }
    const double shifted = ceil((-REACH * bump.width_s - bump.time_s) / pulse->period_s);
    const double first_s = bump.time_s + shifted * pulse->period_s;
    const int64_t count = (int64_t)fmin(ceil((end_s - first_s) / pulse->period_s), 1e18);
    for (int64_t k = 0; k < count && !ct_step_stopped(step); k++) {
        bump.time_s = first_s + (double)k * pulse->period_s;
        add_bump(sim, row, bump);
    }
}

static double tones_in(const simulation *sim, int64_t channel)
{
    double width = sim->bandwidth_hz / (double)sim->channels, sum = 0;
    for (int64_t k = 0; k < sim->tones; k++) {
        double away = sim->centre_hz + sim->tone[k].frequency_hz - sim->channel_hz[channel];
        if (away >= -0.5 * width && away < 0.5 * width) sum += sim->tone[k].amplitude;
    }
    return sum;
}

static void make_channel(const ct_step *step, const simulation *sim, ct_array *out, double *row,
                         int64_t channel)
{
    sim_random random = ct_random_new(sim->seed, (uint64_t)channel);
    double base = sim->level + tones_in(sim, channel);
    for (int64_t t = 0; t < sim->total; t++)
        row[t] = base;
    for (int64_t p = 0; p < sim->pulses; p++)
        add_pulse(step, sim, row, &sim->pulse[p], channel);
    for (int64_t t = 0; t < sim->total && !ct_simulate_stopped(step, t); t++) {
        double normal[2];
        ct_random_normal(&random, normal);
        ct_array_save(out, t * sim->channels + channel,
                      sim->scale * (row[t] + sim->noise * normal[0]), 0);
    }
}

ct_status ct_filterbank_make(ct_step *step, const simulation *sim, void **out, ct_error *err)
{
    ct_array numbers = {.type = sim->type};
    double *row = ct_step_alloc(step, (size_t)sim->total * sizeof *row);
    (void)err;
    ct_array_add(&numbers, 'T', sim->total);
    ct_array_add(&numbers, 'C', sim->channels);
    ct_array_dense(&numbers, NULL);
    numbers.data = *out = ct_step_alloc(step, ct_array_bytes(&numbers));
    if (!row || !*out) return CT_FAILED;
    for (int64_t c = 0; c < sim->channels && !ct_step_stopped(step); c++)
        make_channel(step, sim, &numbers, row, c);
    return ct_step_stopped(step) ? CT_INTERRUPTED : CT_OK;
}
