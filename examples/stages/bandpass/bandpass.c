/* bandpass.c: a stage in C for a plug-in: divides each channel by its gain, which a file gives. */
#include <cornerturn_stage.h>

#include "bandpass_cl.h"

enum { X, G, Y };

/* Along which dimension of the file its numbers lie, one for each channel; -1: it has others. A
 * measured file may say that there is one time and one station. */
static int along(const ct_array *gains, int64_t channels)
{
    for (int k = 0; k < gains->rank && ct_array_count(gains) == channels; k++)
        if (gains->extent[k] == channels) return k;
    return -1;
}

/* What the file holds stays with the step, for table(). */
static ct_status infer(ct_step *step, ct_error *err)
{
    const int64_t channels = ct_array_extent(&step->port[X], 'C');
    ct_array *gains = ct_step_alloc(step, sizeof *gains);
    if (!gains) return CT_FAILED;
    const ct_status status = ct_npy_load(step, "gains", gains, err);
    if (status != CT_OK) return status;
    if (along(gains, channels) < 0 || ct_type_complex(gains->type))
        return ct_step_fail(step, "gains", err,
                            "expected one real number for each of the %lld channels",
                            (long long)channels);
    step->state = gains;
    step->port[Y].type = ct_type_complex(step->port[X].type) ? CT_CF32 : CT_F32;
    ct_array_add(&step->port[G], 'C', channels);
    return CT_OK;
}

/* One over the gain; a channel without any is set to 0. */
static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    const ct_array *gains = step->state;
    const int64_t stride = gains->stride[along(gains, fill->extent[0])];
    (void)port, (void)err;
    for (int64_t c = 0; c < fill->extent[0]; c++) {
        const double gain = ct_array_load(gains, gains->offset + c * stride).re;
        ct_array_save(fill, c, gain != 0 ? 1 / gain : 0, 0);
    }
    return CT_OK;
}

/* All arrays in natural order: the channel is the fastest. */
static ct_status reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const int64_t channels = ct_array_extent(&ports[G], 'C');
    (void)step, (void)err;
    for (int64_t i = 0; i < ct_array_count(&ports[X]); i++) {
        const ct_complex x = ct_array_load(&ports[X], i);
        const double g = ct_array_load(&ports[G], i % channels).re;
        ct_array_save(&ports[Y], i, x.re * g, x.im * g);
    }
    return CT_OK;
}

static double flops(const ct_step *step)
{
    const ct_array *y = &step->port[Y];
    return (double)ct_array_count(y) * (ct_type_complex(y->type) ? 2 : 1);
}

static const ct_param params[] = {
    {"gains", CT_PARAM_FILE, "!", NULL, 0, 0, ".npy: what each channel is divided by"}, {0}};

static const ct_tunable tunables[] = {{"WG", "1 4 16 64", "16", "64", "work-items of a work-group"},
                                      {0}};

static const ct_case cases[] = {{"{\"gains\": \"gains.npy\"}", "S=3 P=2 T=13 C=16", "ci8", NULL},
                                {"{\"gains\": \"gains.npy\"}", "B=3 Q=4 T=17 C=16", "f32", "WG=4"},
                                {"{\"gains\": \"gains.npy\"}", "T=67 C=16", "cf32", "WG=64"},
                                {0}};

static const ct_stage bandpass = {
    .api = CT_API,
    .version = 1,
    .name = "bandpass",
    .summary = "divides each channel by its gain",
    .ports = {[X] = {"X", CT_IN, 0, "[BS]?[PQ]?TC", "cf32 ci8 ci16 f32", "*", NULL,
                     "voltages or powers"},
              [G] = {"G", CT_TABLE, 0, "C", "f32", "*", NULL, "one over the gains"},
              [Y] = {"Y", CT_OUT, 0, "[BS]?[PQ]?TC", "cf32 f32", "*", NULL, "X over the gains"}},
    .params = params,
    .infer = infer,
    .table = table,
    .flops = flops,
    .tuning = {.tunables = tunables},
    .kernel = {.text = bandpass_cl,
               .name = "bandpass.cl",
               .entry = "bandpass",
               .parallel = "C:WG, T, BP"},
    .verify = {.cases = cases, .tolerance = 1e-6, .reference = reference},
};

static const ct_stage *const stages[] = {&bandpass, NULL};

CT_PLUGIN const ct_stage *const *ct_plugin(uint32_t api)
{
    return api == CT_API ? stages : NULL;
}
