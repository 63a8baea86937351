/* subbands.c: voltages of many subbands, made while they are read: what arrives at the stations
 * from the sky (trains.h, tones), and their own noise. A number follows from its station,
 * polarization, subband and sample only, so any part can be made by itself: a thread for each core
 * takes every so many subbands. Room: io/simulate. Knows threads and types. Does not know
 * parameters. */
#include <math.h>
#include <string.h>

#include "random.h"
#include "simulate.h"
#include "threads.h"
#include "trains.h"

#define MOST_WINDOW 16777216 /* samples */
#define MOST_BYTES 16e9
enum { PIECE = CT_TRAINS_PIECE, CHUNK = 16384, ROOM = 1 << 22 };

typedef struct sim_worker {
    sim_subbands *subbands;
    int64_t place; /* among the workers */
    sim_train_work work;
    sim_wave *received; /* of each station, a chunk */
    char *row;          /* both polarizations of a chunk, as they are stored */
    /* what is to be made */
    ct_array *block;
    int64_t first, count;
} sim_worker;

struct sim_subbands {
    ct_step *step;
    const simulation *sim;
    sim_train *train;
    int64_t trains, stations, first_station, chunk;
    sim_worker *worker;
    int64_t workers;
    float normal[CT_RANDOM_ROWS];
};

static int64_t signals(const simulation *sim)
{
    return sim->sources + sim->pulses;
}

/* ---- one subband */

static int64_t subband_of(const simulation *sim, const sim_tone *tone)
{
    const double width = sim->bandwidth_hz / (double)sim->channels;
    const double above = tone->frequency_hz + 0.5 * sim->bandwidth_hz;
    const int64_t subband = (int64_t)floor(above / width);
    return subband < sim->channels ? subband : sim->channels - 1;
}

static void add_tone(const simulation *sim, const sim_tone *tone, int64_t subband, int64_t station,
                     int64_t first, int64_t count, sim_wave to)
{
    const double hz = sim->centre_hz + tone->frequency_hz;
    for (int64_t t = 0; t < count; t++) {
        const int64_t at = first + t < sim->total ? first + t : sim->total;
        const double tau_s = ct_aim_delay(sim, &tone->aim, sim->position[station], at);
        const double base = (hz - sim->channel_hz[subband]) * sim->sample_time_s;
        const ct_complex phasor = ct_trains_phasor(base * (double)(first + t) - hz * tau_s);
        to.re[t] += (float)(tone->amplitude * phasor.re);
        to.im[t] += (float)(tone->amplitude * phasor.im);
    }
}

static void receive(const sim_worker *w, int64_t subband, int64_t first, int64_t count)
{
    const sim_subbands *of = w->subbands;
    const simulation *sim = of->sim;
    for (int64_t s = 0; s < of->stations; s++) {
        memset(w->received[s].re, 0, (size_t)count * sizeof(float));
        memset(w->received[s].im, 0, (size_t)count * sizeof(float));
    }
    for (int64_t k = 0; k < of->trains; k++)
        ct_trains_add(&of->train[k], &w->work, subband, of->first_station, of->stations, first,
                      count, w->received);
    for (int64_t k = 0; k < sim->tones; k++)
        for (int64_t s = 0; s < of->stations && subband_of(sim, &sim->tone[k]) == subband; s++)
            add_tone(sim, &sim->tone[k], subband, of->first_station + s, first, count,
                     w->received[s]);
}

/* Integers by the bits of a float: what is added leaves none after the point, and of two that are
 * equally near the even one. Numbers beyond the range become its ends. */
static void round_piece(int32_t to[PIECE], const float from[PIECE], float most)
{
    for (int t = 0; t < PIECE; t++) {
        const float low = from[t] < -most - 1 ? -most - 1 : from[t];
        const float magic = (low > most ? most : low) + 12582912.0f;
        int32_t bits;
        memcpy(&bits, &magic, sizeof bits);
        to[t] = bits - 0x4b400000;
    }
}

/* Real and imaginary parts of both polarizations, side by side. */
static void store(char *row, ct_type type, float value[4][PIECE])
{
    int32_t whole[4][PIECE];
    int8_t *restrict bytes = (int8_t *)row;
    int16_t *restrict words = (int16_t *)row;
    float *floats = (float *)row;
    for (int k = 0; k < 4 && type != CT_CF32; k++)
        round_piece(whole[k], value[k], type == CT_CI8 ? 127 : 32767);
    for (int t = 0; t < PIECE && type == CT_CI8; t++)
        for (int k = 0; k < 4; k++)
            bytes[4 * t + k] = (int8_t)whole[k][t];
    for (int t = 0; t < PIECE && type == CT_CI16; t++)
        for (int k = 0; k < 4; k++)
            words[4 * t + k] = (int16_t)whole[k][t];
    for (int t = 0; t < PIECE && type == CT_CF32; t++)
        for (int k = 0; k < 4; k++)
            floats[4 * t + k] = value[k][t];
}

/* A piece of one station: its noise is of streams of its own. */
static void quantise(const sim_worker *w, int64_t s, int64_t subband, int64_t first, int64_t count)
{
    const sim_subbands *of = w->subbands;
    const simulation *sim = of->sim;
    const float sigma = (float)(sim->scale * sim->noise * sqrt(0.5));
    const size_t unit = ct_type_bits(sim->type) / 8;
    float value[4][PIECE];
    for (int64_t at = 0; at < count; at += PIECE) {
        for (int p = 0; p < 2; p++) {
            const int64_t station = (of->first_station + s) * 2 + p;
            const uint64_t row = (uint64_t)(station * sim->channels + subband);
            sim_random random =
                ct_random_part(sim->seed, 2 * row + 1, (uint64_t)((first + at) / PIECE));
            const float gain = sim->signal_in[p] ? (float)sim->scale : 0;
            const float *re = w->received[s].re + at, *im = w->received[s].im + at;
            ct_random_fill(&random, of->normal, value[2 * p], 2 * PIECE);
            for (int t = 0; t < PIECE; t++) {
                value[2 * p][t] = sigma * value[2 * p][t] + gain * re[t];
                value[2 * p + 1][t] = sigma * value[2 * p + 1][t] + gain * im[t];
            }
        }
        store(w->row + (size_t)(2 * at) * unit, sim->type, value);
    }
}

/* Of the row, which begins at sample `from`, what belongs into the block. */
static void put(const sim_worker *w, int64_t s, int64_t subband, int64_t from, int64_t count)
{
    const ct_array *block = w->block;
    const size_t unit = ct_type_bits(block->type) / 8;
    const int64_t begin = from > w->first ? from : w->first;
    const int64_t end = from + count < w->first + w->count ? from + count : w->first + w->count;
    const int64_t along = ct_array_stride(block, 'T'), across = ct_array_stride(block, 'P');
    const char *row = w->row + (size_t)(2 * (begin - from)) * unit;
    const int64_t at = block->offset + s * ct_array_stride(block, 'S') +
                       subband * ct_array_stride(block, 'C') + (begin - w->first) * along;
    char *to = (char *)block->data + (size_t)at * unit;
    if (across == 1 && along == 2) {
        memcpy(to, row, (size_t)(2 * (end - begin)) * unit);
        return;
    }
    for (int64_t p = 0; p < 2; p++)
        ct_copy_row(to + (size_t)(p * across) * unit, along, row + (size_t)p * unit, 2, end - begin,
                    (int)unit);
}

/* ---- threads */

static void make(void *given, int64_t which)
{
    const sim_subbands *of = given;
    const sim_worker *w = &of->worker[which];
    const int64_t begin = w->first / PIECE * PIECE, end = w->first + w->count;
    for (int64_t c = w->place; c < of->sim->channels; c += of->workers)
        for (int64_t t = begin; t < end && !ct_step_stopped(of->step); t += of->chunk) {
            const int64_t left = (end - t + PIECE - 1) / PIECE * PIECE;
            const int64_t count = left < of->chunk ? left : of->chunk;
            receive(w, c, t, count);
            for (int64_t s = 0; s < of->stations; s++) {
                quantise(w, s, c, t, count);
                put(w, s, c, t, count);
            }
        }
}

ct_status ct_subbands_read(sim_subbands *subbands, ct_array *block, int64_t first, int64_t count,
                           ct_error *err)
{
    (void)err;
    for (int64_t i = 0; i < subbands->workers; i++) {
        subbands->worker[i].block = block;
        subbands->worker[i].first = first;
        subbands->worker[i].count = count;
    }
    ct_threads_run(subbands->workers, make, subbands);
    return ct_step_stopped(subbands->step) ? CT_INTERRUPTED : CT_OK;
}

/* ---- made once */

static ct_status make_worker(sim_subbands *of, sim_worker *w, int64_t place, int64_t longest)
{
    const size_t unit = ct_type_bits(of->sim->type) / 8;
    *w = (sim_worker){.subbands = of, .place = place, .work = {.normal = of->normal}};
    w->work.spectrum = ct_fourier_wave(of->step, longest);
    w->work.moved = ct_fourier_wave(of->step, longest);
    w->work.work = ct_fourier_wave(of->step, longest);
    w->row = ct_step_alloc(of->step, (size_t)(2 * of->chunk) * unit);
    w->received = ct_step_alloc(of->step, (size_t)of->stations * sizeof *w->received);
    if (!w->work.spectrum.re || !w->work.moved.re || !w->work.work.re || !w->row || !w->received)
        return CT_FAILED;
    for (int64_t s = 0; s < of->stations; s++) {
        w->received[s] = ct_fourier_wave(of->step, of->chunk);
        if (!w->received[s].re) return CT_FAILED;
    }
    return CT_OK;
}

static ct_status make_trains(sim_subbands *of, int64_t *longest)
{
    const simulation *sim = of->sim;
    ct_status status = CT_OK;
    for (int64_t k = 0; k < of->trains && status == CT_OK; k++) {
        const bool steady = k < sim->sources;
        status = ct_trains_new(of->step, sim, steady ? NULL : &sim->pulse[k - sim->sources],
                               steady ? &sim->source[k] : NULL, (uint64_t)k, &of->train[k]);
        if (of->train[k].fourier.length > *longest) *longest = of->train[k].fourier.length;
    }
    return status;
}

ct_status ct_subbands_open(ct_step *step, const simulation *sim, sim_subbands **out, ct_error *err)
{
    sim_subbands *of = *out = ct_step_alloc(step, sizeof *of);
    int64_t longest = 1;
    if (!of) return CT_FAILED;
    of->step = step;
    of->sim = sim;
    of->trains = signals(sim);
    of->stations = ct_array_extent(&step->port[0], 'S'); /* of those that are read */
    of->first_station = ct_step_range_first(step, 'S');
    of->chunk = ROOM / of->stations / PIECE * PIECE;
    of->chunk = of->chunk > CHUNK ? CHUNK : of->chunk < PIECE ? PIECE : of->chunk;
    of->workers = ct_threads_count(sim->channels);
    of->train = ct_step_alloc(step, (size_t)(of->trains + 1) * sizeof *of->train);
    of->worker = ct_step_alloc(step, (size_t)of->workers * sizeof *of->worker);
    if (!of->train || !of->worker) return CT_FAILED;
    ct_random_table(of->normal);
    ct_status status = ct_aim_follow_all(step, sim, err);
    if (status == CT_OK) status = make_trains(of, &longest);
    for (int64_t i = 0; i < of->workers && status == CT_OK; i++)
        status = make_worker(of, &of->worker[i], i, longest);
    return status == CT_OK && ct_step_stopped(step) ? CT_INTERRUPTED : status;
}

ct_status ct_subbands_check(ct_step *step, const simulation *sim, ct_error *err)
{
    double bytes = 0;
    for (int64_t k = 0; k < sim->pulses; k++) {
        const sim_pulse *pulse = &sim->pulse[k];
        const double length = ct_trains_length(sim, pulse);
        if (length > MOST_WINDOW)
            return ct_step_fail(
                step, NULL, err,
                "a pulse of %g s with DM %g takes %g samples of the lowest subband, "
                "expected at most %g; \"sources\" are steady",
                pulse->width_s, pulse->dm, length, (double)MOST_WINDOW);
        bytes += length * ((pulse->dm == 0 ? 0 : 8.0 * (double)sim->channels) + 40.0);
    }
    if (bytes <= MOST_BYTES) return CT_OK;
    return ct_step_fail(step, NULL, err,
                        "pulses would take %.3g GB in %lld subbands, expected at most %.3g",
                        bytes * 1e-9, (long long)sim->channels, MOST_BYTES * 1e-9);
}
