/* dedisp_trial.h: random set-ups of a dedispersion, for its tests.
 * Room: tests. Knows stages/dedisp and stage.h. */
#ifndef CT_DEDISP_TRIAL_H
#define CT_DEDISP_TRIAL_H
#include "stage.h"
#include "stages/dedisp/dedisp.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { CHANNELS = 150 };

typedef struct luck {
    uint64_t state;
} luck;

/* 0 to below - 1: xorshift (Marsaglia 2003). */
static inline int64_t roll(luck *dice, int64_t below)
{
    dice->state ^= dice->state << 13;
    dice->state ^= dice->state >> 7;
    dice->state ^= dice->state << 17;
    return (int64_t)(dice->state >> 11) % below;
}

static inline double between(luck *dice, double least, double most)
{
    return least + (most - least) * (double)roll(dice, 1 << 20) / (1 << 20);
}

/* ---- set-ups: ascending or descending channels, regular or not */

typedef struct setup {
    double frequency[CHANNELS];
    char params[512], extents[64];
    ct_type type;
} setup;

static inline void roll_range(luck *dice, char *out, size_t size, const int *factors)
{
    const double start = between(dice, 0, 30), step = between(dice, 0.01, 0.8);
    ct_number_print(out, size,
                    "{\"start\": %.3f, \"step\": %.3f, \"count\": %d, \"downsample\": %d}", start,
                    step, (int)(1 + roll(dice, 80)), factors[roll(dice, 3)]);
}

static inline void roll_mask(luck *dice, char *out, size_t size, int64_t channels)
{
    const int64_t first = roll(dice, channels / 2), last = first + roll(dice, channels / 2);
    snprintf(out, size, "[%d, [%d, %d]]", (int)roll(dice, channels), (int)first, (int)last);
    if (roll(dice, 3) == 0) snprintf(out, size, "[]");
}

static inline void roll_frequencies(luck *dice, double *frequency, int64_t channels)
{
    const double low = between(dice, 300e6, 1600e6), width = between(dice, 1e5, 1e6);
    const bool regular = roll(dice, 3) > 0, down = roll(dice, 2);
    for (int64_t c = 0; c < channels; c++) {
        const double place =
            (double)(down ? channels - c : c) + (regular ? 0 : between(dice, 0, 1));
        frequency[c] = low + width * place;
    }
}

static inline void roll_setup(luck *dice, setup *to, const char *outer, int64_t samples,
                              bool downsample)
{
    static const int ones[] = {1, 1, 1}, twos[] = {1, 2, 4};
    static const ct_type types[] = {CT_U8, CT_I8, CT_U16, CT_F32};
    const int64_t channels = 9 + roll(dice, CHANNELS - 8);
    char ranges[2][128], mask[64];
    for (int r = 0; r < 2; r++)
        roll_range(dice, ranges[r], sizeof ranges[r], downsample ? twos : ones);
    roll_mask(dice, mask, sizeof mask, channels);
    roll_frequencies(dice, to->frequency, channels);
    snprintf(to->params, sizeof to->params,
             "{\"dm\": [%s, %s], \"mask\": %s, \"rounding\": \"%s\"}", ranges[0], ranges[1], mask,
             roll(dice, 2) ? "nearest" : "truncate");
    snprintf(to->extents, sizeof to->extents, "%sT=%d C=%d", outer, (int)samples, (int)channels);
    to->type = types[roll(dice, 4)];
}

/* Dedispersed in two steps, with what is left out chosen for it. */
static inline void roll_subbands(luck *dice, setup *to)
{
    const ct_array input = stage_array(to->extents, to->type);
    const int64_t count = 1 + roll(dice, ct_array_extent(&input, 'C'));
    const int64_t smear = roll(dice, 5) == 0 ? 0
                          : count < 8        ? 8 + roll(dice, 30)
                                             : 3 + roll(dice, 10);
    char *end = to->params + strlen(to->params) - 1;
    const size_t room = sizeof to->params - (size_t)(end - to->params);
    switch (roll(dice, 4)) {
    case 0:
        snprintf(end, room, ", \"subbands\": %d}", (int)count);
        break;
    case 1:
        snprintf(end, room, ", \"smear\": %d}", (int)smear);
        break;
    default:
        snprintf(end, room, ", \"subbands\": %d, \"smear\": %d}", (int)count, (int)smear);
    }
}

static inline void make(stage_case *made, const setup *with)
{
    ct_error err = {0};
    ct_array input = stage_array(with->extents, with->type);
    input.meta = (ct_meta){.sample_time_s = 1e-3,
                           .total = -1,
                           .frequency_hz = with->frequency,
                           .frequencies = ct_array_extent(&input, 'C')};
    if (!stage_try(made, &ct_stage_dedisp, with->params, &input, &err)) fail_msg("%s", err.text);
}

#endif
