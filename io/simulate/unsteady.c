/* unsteady.c: what disturbs a filterbank: carriers that come and go, gains that drift and step.
 * Room: io/simulate. Knows channels and samples. Does not know parameters, noise or types. */
#include <math.h>

#include "random.h"
#include "simulate.h"

#define TWO_PI 6.283185307179586477
#define STREAMS 0x746f6e65u /* of random numbers, apart from those of channels */

/* A tone without a width is in one channel, at the edge of two in the upper one. */
static bool covers(const simulation *sim, const sim_tone *tone, int64_t channel)
{
    const double half = 0.5 * (sim->bandwidth_hz / (double)sim->channels + tone->width_hz);
    const double away = sim->centre_hz + tone->frequency_hz - sim->channel_hz[channel];
    return away >= -half && away < half;
}

/* Samples from one instant until before another, of those from `begin` on. */
static void add_from_to(const simulation *sim, const sim_tone *tone, double from_s, double to_s,
                        int64_t begin, int64_t count, double *value)
{
    const double first = ceil(from_s / sim->sample_time_s) - (double)begin;
    const double end = ceil(to_s / sim->sample_time_s) - (double)begin;
    const int64_t last = (int64_t)fmin(fmax(end, 0), (double)count);
    for (int64_t t = (int64_t)fmin(fmax(first, 0), (double)count); t < last; t++)
        value[t] += tone->amplitude;
}

/* Where in its n-th period a tone comes on: the same for all of its channels. */
static double comes_on(const simulation *sim, int64_t number, double period)
{
    const sim_tone *tone = &sim->tone[number];
    sim_random random =
        ct_random_part(sim->seed ^ STREAMS, (uint64_t)number, (uint64_t)(int64_t)period);
    const double spare_s = tone->period_s - tone->on_s;
    return tone->time_s + period * tone->period_s +
           tone->jitter * spare_s * ct_random_uniform(&random);
}

static void add_tone(const simulation *sim, int64_t number, int64_t begin, int64_t count,
                     double *value)
{
    const sim_tone *tone = &sim->tone[number];
    const double from_s = (double)begin * sim->sample_time_s;
    const double to_s = (double)(begin + count) * sim->sample_time_s;
    if (!(tone->period_s > 0)) {
        add_from_to(sim, tone, tone->time_s, INFINITY, begin, count, value);
        return;
    }
    const double last = floor((to_s - tone->time_s) / tone->period_s);
    for (double k = fmax(floor((from_s - tone->time_s) / tone->period_s), 0); k <= last; k++) {
        const double on_s = comes_on(sim, number, k);
        add_from_to(sim, tone, on_s, on_s + tone->on_s, begin, count, value);
    }
}

void ct_unsteady_add(const simulation *sim, int64_t channel, int64_t begin, int64_t count,
                     double *value)
{
    for (int64_t k = 0; k < sim->tones; k++)
        if (covers(sim, &sim->tone[k], channel)) add_tone(sim, k, begin, count, value);
}

void ct_unsteady_gain(const simulation *sim, int64_t begin, int64_t count, double *gain)
{
    for (int64_t t = 0; t < count; t++)
        gain[t] = 1;
    for (int64_t k = 0; k < sim->gains; k++)
        for (int64_t t = 0; t < count; t++) {
            const sim_gain *one = &sim->gain[k];
            const double since_s = (double)(begin + t) * sim->sample_time_s - one->time_s;
            const double by =
                one->period_s > 0 ? sin(TWO_PI * since_s / one->period_s) : (double)(since_s >= 0);
            gain[t] *= 1 + one->amplitude * by;
        }
}
