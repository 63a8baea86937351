/* fuzz_dms.c: the first line of the input is the JSON of "dm", the second one that of "mask", the
 * third one the input's channel frequencies in Hz, of which there are six.
 * Room: tests/fuzz. Knows dedisp's descriptor. */
#include "fuzz_source.h"

#include "step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const ct_stage ct_stage_dedisp;

enum { CHANNELS = 6, MOST = 1 << 18 };

void fuzz_begin(void)
{
}

static void fill_shifts(ct_step *step)
{
    ct_error err = {0};
    ct_array shift = *ct_step_port(step, "SHIFT");
    if (ct_array_count(&shift) > MOST) return;
    ct_array_dense(&shift, NULL);
    shift.data = calloc(1, ct_array_bytes(&shift));
    fuzz_said(step->stage->table(step, "SHIFT", &shift, &err), &err);
    for (int64_t i = 0; i < ct_array_count(&shift); i++) {
        const double samples = ct_array_load(&shift, i).re;
        if (samples < -1 || samples > (double)step->overlap)
            fuzz_fail("a shift beyond the overlap");
    }
    (void)step->stage->flops(step);
    free(shift.data);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    double frequencies[CHANNELS] = {1.5e8, 1.51e8, 1.52e8, 1.53e8, 1.54e8, 1.55e8};
    char *text = fuzz_text(data, size), *mask = strchr(text, '\n'), *rest = NULL;
    ct_array input = {.type = CT_U8, .meta = {.sample_time_s = 1e-3, .total = 1 << 20}};
    ct_value *value = NULL;
    if (mask) *mask++ = 0;
    if (mask && (rest = strchr(mask, '\n'))) *rest++ = 0;
    for (int i = 0; i < CHANNELS && rest && *rest; i++)
        frequencies[i] = ct_number_read(rest, &rest);
    input.meta.frequency_hz = frequencies;
    input.meta.frequencies = CHANNELS;
    ct_array_add(&input, 'T', 4096);
    ct_array_add(&input, 'C', CHANNELS);
    const size_t room = size + 64;
    char *json = malloc(room);
    snprintf(json, room, "{\"dm\": %s%s%s}", text, mask && *mask ? ", \"mask\": " : "",
             mask ? mask : "");
    ct_step *step = fuzz_step(&value, &ct_stage_dedisp, json, &input);
    if (step) fill_shifts(step);
    ct_step_free(step);
    ct_value_free(value);
    free(json);
    free(text);
}
