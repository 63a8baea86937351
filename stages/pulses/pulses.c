/* pulses.c: the data sheet of the search for single pulses.
 * Room: stages/pulses. Knows cornerturn.h. Does not know layouts beyond strides, other stages,
 * OpenCL. */
#include "pulses.h"

#include <math.h>

#include "pulses_cl.h"

#define MOST_BIN 4096 /* of a work-item's arrays, with what goes before it */

/* ---- shapes */

int64_t ct_pulses_ratio(const ct_step *step, int64_t trial)
{
    const pulses_cut *cut = step->state;
    const int64_t *downsample = step->port[PORT_X].meta.downsample;
    return downsample && downsample[trial] > 0 ? downsample[trial] / cut->finest : 1;
}

int64_t ct_pulses_planes(const ct_array *x)
{
    return ct_array_extent(x, 'B') * ct_array_extent(x, 'S') * ct_array_extent(x, 'Q');
}

/* What is left of the variance of normal noise between -limit and limit rms. */
static double left_within(double limit)
{
    const double density = exp(-0.5 * limit * limit) / sqrt(2.0 * 3.14159265358979323846);
    return 1.0 - 2.0 * limit * density / erf(limit / sqrt(2.0));
}

/* Normal noise, clipped twice, over 63 of 64 samples; and the median of such variances lies below
 * their mean (Wilson & Hilferty). */
double ct_pulses_gain(double clip)
{
    const double once = left_within(clip), twice = left_within(clip * sqrt(once));
    const double degrees = PULSES_UNIT - 1;
    return PULSES_UNIT / degrees / twice / pow(1.0 - 2.0 / (9.0 * degrees), 3);
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    return a / ct_common_divisor(a, b) * b;
}

static ct_status infer_ratios(ct_step *step, pulses_cut *cut, ct_error *err)
{
    const ct_array *x = &step->port[PORT_X];
    const int64_t *downsample = x->meta.downsample;
    cut->coarse = 1;
    for (int64_t d = 0; downsample && d < ct_array_extent(x, 'D'); d++)
        cut->finest = ct_common_divisor(downsample[d], cut->finest);
    if (cut->finest < 1) cut->finest = 1;
    for (int64_t d = 0; d < ct_array_extent(x, 'D'); d++) {
        cut->coarse = common_multiple(cut->coarse, ct_pulses_ratio(step, d));
        if (common_multiple(PULSES_UNIT, cut->coarse) <= MOST_BIN) continue;
        return ct_step_fail(step, NULL, err,
                            "the trials' downsampling factors, over their common divisor, and %d "
                            "have a least common multiple above %d: search them by several nodes",
                            PULSES_UNIT, MOST_BIN);
    }
    return CT_OK;
}

static ct_status infer_cut(ct_step *step, ct_error *err)
{
    pulses_cut *cut = ct_step_alloc(step, sizeof *cut);
    if (!cut) return CT_FAILED;
    step->state = cut;
    const ct_status status = infer_ratios(step, cut, err);
    if (status != CT_OK) return status;
    const int64_t widest = ct_step_int(step, "widest");
    int64_t samples = ct_step_int(step, "noise_samples");
    if (samples == 0) samples = widest * PULSES_WINDOW;
    if (samples < 8 * widest)
        return ct_step_fail(step, "noise_samples", err,
                            "the noise for boxcars of up to %lld samples cannot be taken from "
                            "%lld, expected at least %lld",
                            (long long)widest, (long long)samples, 8 * (long long)widest);
    const int64_t units = ct_divide_up(samples, PULSES_WINDOW * PULSES_UNIT);
    cut->bin = common_multiple(PULSES_UNIT, cut->coarse);
    cut->part = units * PULSES_UNIT * cut->coarse;
    cut->halo = widest - 1;
    return CT_OK;
}

static ct_status infer_output(ct_step *step)
{
    const pulses_cut *cut = step->state;
    ct_array *y = &step->port[PORT_Y];
    ct_meta *meta = &y->meta;
    ct_array_add(y, 'N', PULSES_NUMBERS);
    meta->start_s += 0.5 * (double)(cut->bin - 1) * meta->sample_time_s;
    meta->sample_time_s *= (double)cut->bin;
    return CT_OK;
}

/* Three numbers of parts or groups. */
static void infer_scratch(ct_array *scratch, const ct_array *x, int64_t count)
{
    scratch->rank = 0;
    scratch->type = CT_F32;
    ct_array_add(scratch, 'B', ct_pulses_planes(x));
    ct_array_add(scratch, 'T', count);
    ct_array_add(scratch, 'N', 3);
    ct_array_add(scratch, 'D', ct_array_extent(x, 'D'));
}

static ct_status infer(ct_step *step, ct_error *err)
{
    const ct_array *x = &step->port[PORT_X];
    ct_status status = infer_cut(step, err);
    if (status == CT_OK) status = infer_output(step);
    if (status != CT_OK) return status;
    const pulses_cut *cut = step->state;
    step->decimate = cut->bin;
    step->grain = PULSES_WINDOW * cut->part; /* whole groups; boxcars reach less far than one */
    step->overlap = (PULSES_GROUPS - 1) * step->grain;
    step->overlap_kind = CT_HISTORY;
    ct_array_add(&step->port[PORT_RATIO], 'D', ct_array_extent(x, 'D'));
    const int64_t groups = ct_divide_up(ct_array_extent(x, 'T'), step->grain);
    infer_scratch(&step->port[PORT_Z], x, (groups + PULSES_GROUPS - 1) * PULSES_WINDOW);
    infer_scratch(&step->port[PORT_G], x, groups);
    return CT_OK;
}

static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    (void)port, (void)err;
    for (int64_t d = 0; d < ct_array_count(fill); d++)
        ct_array_save(fill, d, (double)ct_pulses_ratio(step, d), 0);
    return CT_OK;
}

/* For each width a sum, its S/N and a comparison. */
static double flops(const ct_step *step)
{
    const int64_t widest = ct_step_int(step, "widest");
    double widths = 1;
    for (int64_t w = 2; w <= widest; w *= 2)
        widths++;
    return 3 * widths * (double)ct_array_count(&step->port[PORT_X]);
}

static const ct_param params[] = {
    {"widest", CT_PARAM_INT, "16", NULL, 1, 4096, "samples of the widest boxcar"},
    {"threshold", CT_PARAM_REAL, "6", NULL, 0.5, 1e9, "S/N from which a boxcar is a pulse"},
    {"noise_samples", CT_PARAM_INT, "0", NULL, 0, 16777216,
     "samples that have one noise, a multiple of 1024; 0: 16 times `widest`"},
    {"clip", CT_PARAM_REAL, "3", NULL, 1, 100,
     "rms beyond which samples are left out of the noise"},
    {0}};

static const ct_tunable tunables[] = {
    {"VECTOR_T", "1 16", "16", "1", "samples of a vector"},
    {"TILES_T", "4 64", "64", "4", "parts, of 64 samples at least, of a work-item"},
    {"WG", "1 64 128 256 512", "1", "64", "work-items of a work-group"},
    {0}};

static const ct_case cases[] = {
    {"{\"threshold\": 2}", "B=2 D=3 T=1024", "f32", "TILES_T=4"},
    {"{\"threshold\": 2.5, \"widest\": 100, \"clip\": 1.4}", "B=2 D=3 T=2048", "f32", "TILES_T=4"},
    {"{\"threshold\": 2}", "B=2 Q=3 D=19 T=1024", "f32", "TILES_T=4"},
    {0}};

const ct_stage ct_stage_pulses = {
    .api = CT_API,
    .version = 2,
    .name = "pulses",
    .summary = "searches dedispersed series for pulses: the strongest boxcar of every 64 samples",
    .ports = {[PORT_X] = {"X", CT_IN, 0, "[BS]?Q?DT", "f32", "*", "BSQDT", "dedispersed series"},
              [PORT_M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "ST", "u8", "*", NULL,
                          "where the stream begins and ends"},
              [PORT_Y] = {"Y", CT_OUT, 0, "[BS]?Q?DTN", "f32", "*", "BSQDNT",
                          "of a bin: S/N, first sample, width, peaks, samples, not finite, without "
                          "noise"},
              [PORT_RATIO] = {"RATIO", CT_TABLE, CT_PORT_FIXED, "D", "i32", "*", NULL,
                              "samples along T for one of a trial's own"},
              [PORT_Z] = {"Z", CT_SCRATCH, 0, "BTND", "f32", "BTND", NULL,
                          "of parts: mean, variance, whether something is the matter"},
              [PORT_G] = {"G", CT_SCRATCH, 0, "BTND", "f32", "BTND", NULL,
                          "of groups: median, variance, 1 / sigma"}},
    .params = params,
    .split = "B Q",
    .infer = infer,
    .table = table,
    .flops = flops,
    .tuning =
        {.tunables = tunables,
         .where = "WG == 1 || (TILES_T == 4 && VECTOR_T == 1 && (WG == 64 || GPU))",
         .legal = ct_pulses_legal,
         .legal_why =
             "a group's samples, 16 for each work-item, have to hold a bin and what the widest "
             "boxcar takes before it, and to fit in the device's local memory",
         .suggest = ct_pulses_suggest},
    .kernel = {.text = pulses_cl,
               .name = "stages/pulses/pulses.cl",
               .entry = "pulses",
               .launch = ct_pulses_launch,
               .emit = ct_pulses_emit},
    .verify = {.cases = cases, .tolerance = 1e-6, .reference = ct_pulses_reference},
};
