/* power.c: power per channel, made directly: dispersed pulses on a noisy level.
 * Room: io/simulate. Knows channels and quantisation. Does not know parameters or blocks. */
#include <math.h>

#include "quantise.h"
#include "random.h"
#include "simulate.h"
#include "threads.h"

#define REACH 6.0
#define TWO_PI 6.283185307179586477
/* A thread makes MANY samples of some channels, and then writes them where they belong: in the
 * observation the channels of a sample lie together. */
enum {
    MANY = CT_POLAR_COUNT,
    CHANNELS = 64,
    TILE_ROW = MANY + 16 /* not all in one set of a cache */
};

typedef struct sim_bank {
    const ct_step *step;
    const simulation *sim;
    char *numbers;
    int64_t threads, channels; /* of a tile */
    double highest_hz;
} sim_bank;

/* A pulse as one channel sees it: dispersion within the channel smears it over a time, its energy
 * stays. */
typedef struct sim_bump {
    double time_s, width_s, smear_s, energy, reach_s;
} sim_bump;

static double highest_hz(const simulation *sim)
{
    double highest = sim->channel_hz[0];
    for (int64_t c = 1; c < sim->channels; c++)
        highest = fmax(highest, sim->channel_hz[c]);
    return highest;
}

static sim_bump bump_of(const sim_bank *bank, const sim_pulse *pulse, int64_t channel)
{
    const simulation *sim = bank->sim;
    double hz = sim->channel_hz[channel], half = 0.5 * sim->bandwidth_hz / (double)sim->channels;
    sim_bump bump = {.time_s = pulse->time_s, .width_s = pulse->width_s};
    bump.time_s += ct_sky_dispersion(sim, pulse->dm, hz, bank->highest_hz);
    bump.smear_s = ct_sky_dispersion(sim, pulse->dm, hz - half, hz + half);
    bump.energy = pulse->amplitude * pulse->width_s * sqrt(TWO_PI);
    bump.reach_s = REACH * pulse->width_s + 0.5 * (bump.smear_s + sim->sample_time_s);
    return bump;
}

/* Integral of the normal distribution up to x, where its standard deviation is `width`. */
static double ramp(double x, double width)
{
    const double away = x / width;
    return x * 0.5 * erfc(-away * sqrt(0.5)) + width * exp(-0.5 * away * away) / sqrt(TWO_PI);
}

/* The mean over a sample, `away` from the bump's middle, of what is spread over `smear` before: a
 * normal distribution and two boxes. A smear of nearly nothing is none. */
static double bump_mean(sim_bump bump, double away, double dt)
{
    const double wide = 0.5 * (dt + bump.smear_s), narrow = 0.5 * (dt - bump.smear_s);
    const double width = bump.width_s, scale = bump.width_s * sqrt(2);
    if (bump.smear_s < 1e-4 * dt || bump.smear_s < 1e-4 * width)
        return bump.energy / dt * 0.5 *
               (erf((away + 0.5 * dt) / scale) - erf((away - 0.5 * dt) / scale));
    return bump.energy / (dt * bump.smear_s) *
           (ramp(away + wide, width) - ramp(away + narrow, width) - ramp(away - narrow, width) +
            ramp(away - wide, width));
}

/* Into samples `begin` to `end` of a channel. */
typedef struct sim_piece {
    double value[MANY];
    int64_t begin, end;
} sim_piece;

static void add_bump(const simulation *sim, sim_piece *piece, sim_bump bump)
{
    const double dt = sim->sample_time_s;
    const double begin = (double)piece->begin, end = (double)piece->end;
    int64_t first = (int64_t)fmin(fmax(floor((bump.time_s - bump.reach_s) / dt), begin), end);
    int64_t last = (int64_t)fmin(ceil((bump.time_s + bump.reach_s) / dt), end - 1);
    for (int64_t t = first; t <= last; t++)
        piece->value[t - piece->begin] += bump_mean(bump, (double)t * dt - bump.time_s, dt);
}

/* Of a train those that reach the piece. */
static void add_pulse(const sim_bank *bank, sim_piece *piece, const sim_pulse *pulse,
                      int64_t channel)
{
    const simulation *sim = bank->sim;
    sim_bump bump = bump_of(bank, pulse, channel);
    const double reach_s = bump.reach_s, dt = sim->sample_time_s;
    if (!(pulse->period_s > 0)) {
        add_bump(sim, piece, bump);
        return;
    }
    const double shifted = ceil((-reach_s - bump.time_s) / pulse->period_s);
    const double first_s = bump.time_s + shifted * pulse->period_s;
    const double end_s = (double)sim->total * dt + reach_s;
    const double before =
        floor(((double)(piece->begin - 1) * dt - reach_s - first_s) / pulse->period_s);
    const double after = fmin(((double)(piece->end + 1) * dt + reach_s - first_s), end_s - first_s);
    const int64_t end = (int64_t)fmin(ceil(after / pulse->period_s), 1e18);
    for (int64_t k = (int64_t)fmin(fmax(before, 0), 1e18); k < end && !ct_step_stopped(bank->step);
         k++) {
        bump.time_s = first_s + (double)k * pulse->period_s;
        add_bump(sim, piece, bump);
    }
}

/* What few bits cannot hold becomes their end. */
static void cut(const simulation *sim, double *value, int64_t count)
{
    const double most = (double)((1 << sim->bits) - 1);
    for (int64_t t = 0; t < count; t++)
        value[t] = value[t] > most ? most : value[t];
}

static void make_piece(const sim_bank *bank, sim_random *random, int64_t channel, int64_t begin,
                       int64_t count, const double *gain, char *to)
{
    const simulation *sim = bank->sim;
    sim_piece piece = {.begin = begin, .end = begin + count};
    double normal[MANY], other[MANY];
    for (int64_t t = 0; t < count; t++)
        piece.value[t] = sim->level;
    ct_unsteady_add(sim, channel, begin, count, piece.value);
    for (int64_t p = 0; p < sim->pulses; p++)
        add_pulse(bank, &piece, &sim->pulse[p], channel);
    ct_random_normals(random, normal, other, count);
    for (int64_t t = 0; t < count; t++)
        piece.value[t] = sim->scale * (piece.value[t] + sim->noise * normal[t]);
    for (int64_t t = 0; t < count && sim->gains > 0; t++)
        piece.value[t] *= gain[t];
    for (int64_t t = 0; t < count && sim->offset != 0; t++)
        piece.value[t] += sim->offset;
    if (sim->bits < 8) cut(sim, piece.value, count);
    ct_quantise_numbers(to, sim->type, piece.value, count);
}

static void make_channels(const sim_bank *bank, int64_t first, int64_t channels)
{
    const simulation *sim = bank->sim;
    const size_t unit = ct_type_bits(sim->type) / 8;
    sim_random random[CHANNELS];
    float tile[CHANNELS * TILE_ROW];
    double gain[MANY];
    for (int64_t c = 0; c < channels; c++)
        random[c] = ct_random_new(sim->seed, (uint64_t)(first + c));
    for (int64_t t = 0; t < sim->total && !ct_step_stopped(bank->step); t += MANY) {
        const int64_t count = sim->total - t < MANY ? sim->total - t : MANY;
        ct_unsteady_gain(sim, t, count, gain);
        for (int64_t c = 0; c < channels; c++)
            make_piece(bank, &random[c], first + c, t, count, gain,
                       (char *)tile + (size_t)(c * TILE_ROW) * unit);
        for (int64_t k = 0; k < count; k++)
            ct_copy_row(bank->numbers + (size_t)((t + k) * sim->channels + first) * unit, 1,
                        (char *)tile + (size_t)k * unit, TILE_ROW, channels, (int)unit);
    }
}

static void make_some(void *of, int64_t which)
{
    const sim_bank *bank = of;
    const int64_t all = bank->sim->channels, some = bank->channels;
    for (int64_t c = which * some; c < all; c += bank->threads * some)
        make_channels(bank, c, all - c < some ? all - c : some);
}

ct_status ct_power_make(ct_step *step, const simulation *sim, void **out, ct_error *err)
{
    ct_array numbers = {.type = sim->type};
    sim_bank bank = {.step = step,
                     .sim = sim,
                     .threads = ct_threads_count(sim->channels),
                     .highest_hz = highest_hz(sim)};
    (void)err;
    bank.channels = (sim->channels + bank.threads - 1) / bank.threads;
    if (bank.channels > CHANNELS) bank.channels = CHANNELS;
    ct_array_add(&numbers, 'T', sim->total);
    ct_array_add(&numbers, 'C', sim->channels);
    ct_array_dense(&numbers, NULL);
    bank.numbers = *out = ct_step_alloc(step, ct_array_bytes(&numbers));
    if (!*out) return CT_FAILED;
    ct_threads_run(bank.threads, make_some, &bank);
    return ct_step_stopped(step) ? CT_INTERRUPTED : CT_OK;
}
