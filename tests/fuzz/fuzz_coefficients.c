/* fuzz_coefficients.c: the input is a .npy file of coefficients: of the FIR filter, and of the beam
 * former, whose weights they are.
 * Room: tests/fuzz. Knows the two stages' descriptors. */
#include "fuzz_source.h"

#include "step.h"

#include <stdlib.h>

extern const ct_stage ct_stage_fir, ct_stage_beamformer;

void fuzz_begin(void)
{
}

/* Fills the stage's tables, as a run would. */
static void fill_tables(ct_step *step)
{
    const ct_stage *stage = step->stage;
    for (int p = 0; p < CT_PORTS && stage->ports[p].name; p++) {
        ct_error err = {0};
        ct_array table = step->port[p];
        if (stage->ports[p].direction != CT_TABLE || table.type == CT_NONE) continue;
        ct_array_dense(&table, NULL);
        table.data = calloc(1, ct_array_bytes(&table));
        fuzz_said(stage->table(step, stage->ports[p].name, &table, &err), &err);
        free(table.data);
    }
}

static void try_stage(const ct_stage *stage, const char *json, const ct_array *input)
{
    ct_value *value = NULL;
    char *plain = fuzz_json(json);
    ct_step *step = fuzz_step(&value, stage, plain, input);
    if (step) fill_tables(step);
    ct_step_free(step);
    ct_value_free(value);
    free(plain);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    static const double frequencies[] = {1.5e8, 1.6e8};
    (void)fuzz_file("a.npy", data, size);
    ct_array samples = {.type = CT_CI8};
    ct_array_add(&samples, 'S', 3);
    ct_array_add(&samples, 'P', 2);
    ct_array_add(&samples, 'T', 32);
    try_stage(&ct_stage_fir, "{'channels': 4, 'taps': 3, 'file': 'a.npy'}", &samples);
    samples.type = CT_CF32;
    samples.meta.frequency_hz = frequencies;
    samples.meta.frequencies = 2;
    ct_array_add(&samples, 'C', 2);
    try_stage(&ct_stage_beamformer, "{'weights': 'a.npy'}", &samples);
}
