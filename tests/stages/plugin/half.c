/* half.c: a small stage as a plug-in: half of every sample. */
#include <cornerturn_stage.h>

#include "half_cl.h"

static ct_status reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    (void)step, (void)err;
    for (int64_t i = 0; i < ct_array_count(&ports[0]); i++) {
        const ct_complex x = ct_array_load(&ports[0], i);
        ct_array_save(&ports[1], i, 0.5 * x.re, 0.5 * x.im);
    }
    return CT_OK;
}

static const ct_tunable tunables[] = {
    {"WG", "1 4 64", "1", "64", "work-items of a work-group"},
    {0},
};
static const ct_case cases[] = {{NULL, "S=3 P=2 T=13", "cf32", "WG=4"}, {0}};

static const ct_stage half = {
    .api = CT_API,
    .version = 1,
    .name = "my.half",
    .summary = "half of every sample",
    .ports = {{"X", CT_IN, 0, "SPT", "cf32 ci8", "*", NULL, "voltages"},
              {"Y", CT_OUT, 0, "SPT", "cf32", "*", NULL, "half of them"}},
    .tuning = {.tunables = tunables},
    .kernel = {.text = half_cl, .name = "half.cl", .entry = "half_", .parallel = "T:WG, P, S"},
    .verify = {.cases = cases, .tolerance = 1e-6, .reference = reference},
};

static const ct_stage *const stages[] = {&half, NULL};

CT_PLUGIN const ct_stage *const *ct_plugin(uint32_t api)
{
    return api == CT_API ? stages : NULL;
}
