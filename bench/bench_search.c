/* bench_search.c: makes up a filterbank to search: a pipeline of source.simulate with bursts of
 * many DMs, widths and S/N, and four kinds of interference, and a table of what was put in.
 * bench/search.sh runs it. Room: bench. Knows io/simulate's random numbers. Does not know pipelines
 * that search.
 *
 *   bench.search NAME [seed=1] [seconds=60] [bits=8] [bursts=0.33] [impulses=0] [carriers=0]
 * [switching=0] [gains=0] [least=6] [most=300]
 *
 * writes NAME.json, which writes NAME.fil, and NAME.csv. bursts: how many a second; a kind of
 * interference is 0 or by what its strength is multiplied. S/N of bursts are spread evenly along
 * their logarithm from `least` to `most`. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define CHANNELS 512
#define BOTTOM_MHZ 1250.0
#define WIDTH_MHZ 300.0
#define DT_S 1e-3
#define LEVEL 24.0 /* of a channel: the root of its width times a sample, in rms */
#define DM_CONSTANT 4.148808e3
#define MOST_DM 600.0
#define LONGEST 400 /* samples of a burst's profile */

enum { SEED, SECONDS, BITS, BURSTS, IMPULSES, CARRIERS, SWITCHING, GAINS, LEAST, MOST, OPTIONS };

static const struct {
    const char *name;
    double otherwise;
} options[OPTIONS] = {{"seed", 1},     {"seconds", 60}, {"bits", 8},      {"bursts", 0.33},
                      {"impulses", 0}, {"carriers", 0}, {"switching", 0}, {"gains", 0},
                      {"least", 6},    {"most", 300}};

/* How counts hold power in so many bits: for few bits the usual steps of a digitiser. */
typedef struct digits {
    int bits;
    const char *type;
    double scale, mean; /* counts per rms, mean count */
} digits;

static const digits digitisers[] = {{1, "u8", 1, 0.5},      {2, "u8", 1, 1.5},
                                    {4, "u8", 3, 7.5},      {8, "u8", 8, 64},
                                    {16, "u16", 256, 8192}, {32, "f32", 1, LEVEL}};

typedef struct burst {
    double time_s, dm, width_s, snr, amplitude, box_s;
} burst;

/* ---- theory */

static double channel_mhz(int c)
{
    return BOTTOM_MHZ + WIDTH_MHZ * (c + 0.5) / CHANNELS;
}

static double delay_s(double dm, double mhz, double reference_mhz)
{
    return DM_CONSTANT * dm * (1 / (mhz * mhz) - 1 / (reference_mhz * reference_mhz));
}

/* Of a burst of amplitude 1 in each channel: the series at its own DM, whole shifts and all. A
 * channel's width is that of the burst and the smear within the channel. */
static void make_profile(const burst *one, double profile[LONGEST])
{
    memset(profile, 0, LONGEST * sizeof *profile);
    const double top = channel_mhz(CHANNELS - 1), half = 0.5 * WIDTH_MHZ / CHANNELS;
    for (int c = 0; c < CHANNELS; c++) {
        const double mhz = channel_mhz(c), late = delay_s(one->dm, mhz, top) / DT_S;
        const double smear = delay_s(one->dm, mhz - half, mhz + half);
        const double width = hypot(one->width_s, smear / sqrt(12)) / DT_S * sqrt(2);
        const double energy = one->width_s / DT_S * sqrt(2 * acos(-1));
        const double middle = LONGEST / 2 + fmod(one->time_s / DT_S, 1) + late - floor(late + 0.5);
        for (int t = 0; t < LONGEST; t++) {
            const double away = t - middle;
            if (fabs(away) < 6 * width + 1)
                profile[t] +=
                    energy * 0.5 * (erf((away + 0.5) / width) - erf((away - 0.5) / width));
        }
    }
}

/* S/N of its strongest boxcar of whole samples, over noise of 1 in each channel; sets box_s. */
static double snr_of(burst *one)
{
    double profile[LONGEST], best = 0;
    make_profile(one, profile);
    for (int first = 0; first < LONGEST; first++) {
        double sum = 0;
        for (int t = first; t < LONGEST; t++) {
            sum += profile[t];
            const double snr = sum / sqrt((double)CHANNELS * (t - first + 1));
            if (snr <= best) continue;
            best = snr;
            one->box_s = (t - first + 1) * DT_S;
        }
    }
    return best;
}

/* ---- what is put in */

static double between(sim_random *random, double low, double high)
{
    return low + (high - low) * ct_random_uniform(random);
}

static double log_between(sim_random *random, double low, double high)
{
    return exp(between(random, log(low), log(high)));
}

/* One somewhere in each stretch of the same length, far enough from the end for the longest sweep.
 */
static burst make_burst(sim_random *random, const double *option, int number)
{
    const double every_s = 1 / option[BURSTS];
    burst one = {.dm = between(random, 20, MOST_DM),
                 .width_s = log_between(random, 3e-4, 8e-3),
                 .snr = log_between(random, option[LEAST], option[MOST])};
    one.time_s = (number + between(random, 0.1, 0.9)) * every_s;
    one.amplitude = one.snr / snr_of(&one);
    return one;
}

static void write_bursts(FILE *to, FILE *truth, const double *option, bool *any)
{
    sim_random random = ct_random_new((uint64_t)option[SEED], 1u << 20);
    const double end_s = option[SECONDS] - 1.2;
    fprintf(truth, "time_s,dm,width_s,box_s,snr,amplitude\n");
    for (int k = 0; option[BURSTS] > 0 && (k + 1) / option[BURSTS] <= option[SECONDS]; k++) {
        const burst one = make_burst(&random, option, k);
        if (one.time_s > end_s) break;
        fprintf(truth, "%.6f,%.3f,%.6f,%.4f,%.2f,%.4f\n", one.time_s + 0.5 * DT_S, one.dm,
                one.width_s, one.box_s, one.snr, one.amplitude);
        fprintf(
            to,
            "%s\n        {\"dm\": %.3f, \"time_s\": %.6f, \"width_s\": %.6f, \"amplitude\": %.6f}",
            *any ? "," : "", one.dm, one.time_s, one.width_s, one.amplitude);
        *any = true;
    }
}

/* Of no dispersion, in all channels: switches, motors, lightning. */
static void write_impulses(FILE *to, const double *option, bool *any)
{
    sim_random random = ct_random_new((uint64_t)option[SEED], 2u << 20);
    for (int k = 0; option[IMPULSES] > 0 && 5 * (k + 1) <= option[SECONDS]; k++) {
        const double time_s = 5 * (k + between(&random, 0.02, 0.98));
        const double width_s = log_between(&random, 5e-4, 3e-3);
        fprintf(to,
                "%s\n        {\"dm\": 0, \"time_s\": %.6f, \"width_s\": %.6f, \"amplitude\": %.4f}",
                *any ? "," : "", time_s, width_s, option[IMPULSES] * log_between(&random, 0.5, 4));
        *any = true;
    }
}

static void write_tone(FILE *to, bool *any, int channel, int channels, double amplitude,
                       const double when[4])
{
    const double one_hz = 1e6 * WIDTH_MHZ / CHANNELS;
    const double away_hz = (channel + 0.5 * channels - 0.5 * CHANNELS) * one_hz;
    fprintf(to,
            "%s\n        {\"frequency_hz\": %.1f, \"width_hz\": %.1f, \"amplitude\": %.3f, "
            "\"time_s\": %.4f, "
            "\"period_s\": %.4f, \"on_s\": %.4f, \"jitter\": %g}",
            *any ? "," : "", away_hz, (channels - 0.5) * one_hz, amplitude, when[0], when[1],
            when[2], when[3]);
    *any = true;
}

/* A transmitter in three channels that is on for 0.3 of every 2.3 s, and one beside the band's
 * middle. */
static void write_carriers(FILE *to, const double *option, bool *any)
{
    const double first[4] = {0.4, 2.3, 0.3, 0}, second[4] = {1.1, 2.3, 0.3, 0};
    if (!(option[CARRIERS] > 0)) return;
    write_tone(to, any, 101, 3, 15 * option[CARRIERS], first);
    write_tone(to, any, 333, 3, 15 * option[CARRIERS], second);
}

/* Channels that come and go at random, some of them much of the time. */
static void write_switching(FILE *to, const double *option, bool *any)
{
    sim_random random = ct_random_new((uint64_t)option[SEED], 3u << 20);
    for (int k = 0; option[SWITCHING] > 0 && k < 8; k++) {
        const double period_s = log_between(&random, 0.3, 6);
        const double when[4] = {0, period_s, period_s * log_between(&random, 0.02, 0.6), 1};
        const int channel = (int)between(&random, 0, CHANNELS - 4);
        write_tone(to, any, channel, 1 + k % 3, option[SWITCHING] * log_between(&random, 2, 20),
                   when);
    }
}

/* The mains' hum, two slow drifts, and a step up or down every 20 s. */
static void write_gains(FILE *to, const double *option)
{
    sim_random random = ct_random_new((uint64_t)option[SEED], 4u << 20);
    const double by = option[GAINS];
    bool up = false;
    if (!(by > 0)) return;
    fprintf(to, "\n        {\"amplitude\": %.5f, \"period_s\": 0.02},", 0.001 * by);
    fprintf(to, "\n        {\"amplitude\": %.5f, \"period_s\": 11.3},", 0.01 * by);
    fprintf(to, "\n        {\"amplitude\": %.5f, \"period_s\": 47.9}", 0.02 * by);
    for (double at = 20; at < option[SECONDS]; at += 20, up = !up)
        fprintf(to, ",\n        {\"amplitude\": %.5f, \"time_s\": %.4f}",
                up ? 1 / (1 + 0.01 * by) - 1 : 0.01 * by, at - between(&random, 0, 15));
}

static void write_pipeline(FILE *to, FILE *truth, const double *option, const digits *how,
                           const char *name)
{
    bool pulses = false, tones = false;
    const char *last = strrchr(name, '/');
    fprintf(to,
            "{ \"cornerturn\": 1,\n  \"nodes\": {\n    \"sky\": { \"stage\": \"source.simulate\", "
            "\"kind\": "
            "\"filterbank\", \"duration_s\": %g,\n      \"channels\": %d, \"frequency_hz\": %.1f, "
            "\"bandwidth_hz\": %.1f, \"sample_time_s\": %g, \"seed\": %.0f,\n",
            option[SECONDS], CHANNELS, 1e6 * (BOTTOM_MHZ + 0.5 * WIDTH_MHZ), 1e6 * WIDTH_MHZ, DT_S,
            option[SEED]);
    fprintf(to,
            "      \"type\": \"%s\", \"bits\": %d, \"level\": %g, \"scale\": %g, \"offset\": %g,\n "
            "     \"pulses\": [",
            how->type, how->bits < 8 ? how->bits : 8, LEVEL, how->scale,
            how->mean - LEVEL * how->scale);
    write_bursts(to, truth, option, &pulses);
    write_impulses(to, option, &pulses);
    fprintf(to, "],\n      \"tones\": [");
    write_carriers(to, option, &tones);
    write_switching(to, option, &tones);
    fprintf(to, "],\n      \"gains\": [");
    write_gains(to, option);
    fprintf(to,
            "] },\n    \"file\": { \"stage\": \"sink.sigproc\", \"input\": \"sky\", \"file\": "
            "\"%s.fil\" } } }\n",
            last ? last + 1 : name);
}

/* ---- the command line */

static bool take(double *option, const char *word)
{
    const char *equals = strchr(word, '=');
    for (int k = 0; equals && k < OPTIONS; k++)
        if (strncmp(word, options[k].name, (size_t)(equals - word)) == 0 &&
            strlen(options[k].name) == (size_t)(equals - word)) {
            char *end;
            option[k] = strtod(equals + 1, &end);
            return end != equals + 1 && *end == '\0';
        }
    return false;
}

static FILE *create(const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.%s", name, ending);
    FILE *file = fopen(path, "w");
    if (!file) fprintf(stderr, "bench.search: %s: %s\n", path, strerror(errno));
    return file;
}

int main(int argc, char **argv)
{
    double option[OPTIONS];
    const digits *how = NULL;
    for (int k = 0; k < OPTIONS; k++)
        option[k] = options[k].otherwise;
    for (int i = 2; i < argc; i++)
        if (!take(option, argv[i])) {
            fprintf(stderr, "bench.search: no option %s\n", argv[i]);
            return 2;
        }
    for (size_t k = 0; k < sizeof digitisers / sizeof *digitisers; k++)
        if (digitisers[k].bits == option[BITS]) how = &digitisers[k];
    if (argc < 2 || !how) {
        fprintf(stderr, "usage: bench.search NAME [bits=1|2|4|8|16|32] [seed=..] ..\n");
        return 2;
    }
    FILE *pipeline = create(argv[1], "json"), *truth = create(argv[1], "csv");
    if (pipeline && truth) write_pipeline(pipeline, truth, option, how, argv[1]);
    const bool failed = !pipeline || !truth || ferror(pipeline) || ferror(truth);
    if (pipeline && fclose(pipeline) != 0) return 1;
    if (truth && fclose(truth) != 0) return 1;
    return failed;
}
