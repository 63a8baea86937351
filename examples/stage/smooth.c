/* smooth.c: a stage of one's own: powers are averaged in time with a window that overlaps the next
 * one, y[t] = sum_k w[k] x[keep t + k], and one of `keep` samples is kept. docs/writing-a-stage.md
 * explains it part by part. */
#include "smooth.h"

#include <math.h>

#include "smooth_cl.h"

enum { X, Y, W };

/* One output for `keep` samples, each from `width` of them. */
static ct_status infer(ct_step *step, ct_error *err)
{
    const int64_t width = ct_step_int(step, "width"), keep = ct_step_int(step, "keep");
    ct_meta *meta = &step->port[Y].meta;
    if (keep > width)
        return ct_step_fail(step, "keep", err,
                            "expected at most the width, %lld, found %lld: samples between two "
                            "windows would be lost",
                            (long long)width, (long long)keep);
    step->decimate = keep;
    step->overlap = width - keep;
    step->overlap_kind = CT_VALID;
    ct_array_add(&step->port[W], 'K', width);
    meta->sample_time_s *= (double)keep;
    meta->start_s += 0.5 * (double)(width - 1) * step->port[X].meta.sample_time_s;
    return CT_OK;
}

/* A Hann window whose sum is 1. */
static double weight(int64_t k, int64_t width)
{
    const double pi = 3.14159265358979323846;
    return (1.0 - cos(2.0 * pi * ((double)k + 0.5) / (double)width)) / (double)width;
}

static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    const int64_t width = ct_step_int(step, "width");
    (void)port, (void)err;
    for (int64_t k = 0; k < width; k++)
        ct_array_save(fill, k, width < 3 ? 1.0 / (double)width : weight(k, width), 0.0);
    return CT_OK;
}

/* In double precision and natural order; the input's T begins with the overlap. */
static ct_status reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_array *x = &ports[X], *w = &ports[W];
    ct_array *y = &ports[Y];
    const int64_t channels = ct_array_extent(y, 'C'), times = ct_array_extent(y, 'T');
    (void)err;
    for (int64_t n = 0; n < ct_array_count(y); n++) {
        const int64_t c = n % channels, t = n / channels % times, b = n / channels / times;
        const int64_t first = b * ct_array_extent(x, 'T') + t * step->decimate;
        double sum = 0.0;
        for (int64_t k = 0; k < ct_array_count(w); k++)
            sum += ct_array_load(w, k).re * ct_array_load(x, (first + k) * channels + c).re;
        ct_array_save(y, n, sum, 0.0);
    }
    return CT_OK;
}

/* A group for each tile of outputs. */
static int launch(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[Y];
    const size_t group = (size_t)ct_step_tunable(step, "WG");
    const int64_t tiles_c = ct_divide_up(ct_array_extent(y, 'C'), ct_step_tunable(step, "TILE_C"));
    const int64_t tiles_t = ct_divide_up(ct_array_extent(y, 'T'), ct_step_tunable(step, "TILE_T"));
    out->global[0] = (size_t)tiles_c * group;
    out->global[1] = (size_t)tiles_t;
    out->global[2] = (size_t)(ct_array_extent(y, 'B') * ct_array_extent(y, 'S'));
    out->local[0] = group;
    out->local[1] = out->local[2] = 1;
    return 1;
}

static double flops(const ct_step *step)
{
    return 2.0 * (double)ct_array_count(&step->port[Y]) * (double)ct_step_int(step, "width");
}

static const ct_param params[] = {
    {"width", CT_PARAM_INT, "!", NULL, 1, 1024, "samples of the window"},
    {"keep", CT_PARAM_INT, "1", NULL, 1, 1024, "samples from one output to the next"},
    {0}};

static const ct_tunable tunables[] = {
    {"TILE_T", "1 4 16 64", "16", "4", "outputs along T of a tile"},
    {"TILE_C", "8 16 64", "64", "16", "channels of a tile"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {"NONTEMPORAL", "0 1", "0", "0", "1: stores bypass the caches"},
    {0}};

static const ct_tile tiles[] = {
    {.name = "A",
     .port = "X",
     .order = "TC",
     .extents = "(TILE_T - 1) * DECIMATE + N_K, TILE_C",
     .type = "float"},
    {.name = "R", .port = "Y", .order = "TC", .extents = "TILE_T, TILE_C", .type = "float"},
    {0}};

static const ct_case cases[] = {
    {"{\"width\": 8, \"keep\": 5}", "B=3 T=55 C=7", "f32", "TILE_T=4 TILE_C=8"},
    {"{\"width\": 6}", "S=3 T=11 C=7", "u8", "TILE_T=4 TILE_C=8"},
    {"{\"width\": 2, \"keep\": 2}", "T=22 C=13", "f32", NULL},
    {0}};

const ct_stage ct_stage_smooth = {
    .api = CT_API,
    .version = 1,
    .name = "smooth",
    .summary = "averages powers in time with a Hann window",
    .ports = {[X] = {"X", CT_IN, 0, "[BS]?TC", "f32 u8", "*", NULL, "powers"},
              [Y] = {"Y", CT_OUT, 0, "[BS]?TC", "f32", "*", NULL, "averages"},
              [W] = {"W", CT_TABLE, 0, "K", "f32", "*", NULL, "the window"}},
    .params = params,
    .infer = infer,
    .table = table,
    .flops = flops,
    .tuning = {.tunables = tunables,
               .where = "(!GPU || ((TILE_T - 1) * DECIMATE + N_K) * TILE_C <= 8192) && "
                        "(WG == 1 || NONTEMPORAL == 0)"},
    .kernel = {.text = smooth_cl,
               .name = "smooth.cl",
               .entry = "smooth",
               .launch = launch,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 1e-6, .reference = reference},
};
