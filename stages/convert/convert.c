/* convert.c: the data sheet of conversions between types of power, with a scale that is given or
 * measured: ports, parameters, tunables.
 * Room: stages/convert. Knows cornerturn_stage.h and columns. The kernels are in convert.cl, the
 * definition is convert_ref.c. */
#include "convert.h"

#include <math.h>

#include "columns.h"
#include "convert_cl.h"

enum { X = CT_CONVERT_X, M = CT_CONVERT_M, Y = CT_CONVERT_Y, COUNTS = CT_CONVERT_COUNTS };

static const ct_param params[] = {
    {"type", CT_PARAM_TEXT, "!", "u8 i8 u16 i16 f16 f32", 0, 0, "of the output"},
    {"levels", CT_PARAM_TEXT, "given", "given channel", 0, 0,
     "given: scale and offset; channel: mean and deviation of each channel, or trial, over a "
     "window"},
    {"scale", CT_PARAM_REAL, "1", NULL, 0, 0, "given: factor"},
    {"offset", CT_PARAM_REAL, "0", NULL, 0, 0, "given: what is added then"},
    {"window", CT_PARAM_INT, "4096", NULL, CT_CONVERT_WINDOW, 65536,
     "channel: samples that are measured together, a multiple of 64"},
    {"mean", CT_PARAM_REAL, "127.5", NULL, 0, 0, "channel: what a channel's mean becomes"},
    {"sigma", CT_PARAM_REAL, "16", NULL, 1e-30, 1e30,
     "channel: what its standard deviation becomes"},
    {"low", CT_PARAM_REAL, NULL, NULL, 0, 0,
     "smallest number of the output, instead of its type's"},
    {"high", CT_PARAM_REAL, NULL, NULL, 0, 0, "largest number of the output, likewise"},
    {0}};

static const ct_tunable tunables[] = {
    {"TILE_T", "16 64 256", "16", "64", "times of a tile"},
    {"TILE_C", "16 64 256", "256", "64", "channels, or trials, of a tile"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {0}};

static const ct_tile tiles[] = {CT_COLUMNS_TILES("A", "X"), CT_COLUMNS_TILES("R", "Y"), {0}};
static const ct_term terms[] = {CT_COLUMNS_TERM, {0}};

bool ct_convert_measures(const ct_step *step)
{
    return ct_step_choice(step, "levels") == 1;
}

static const struct {
    ct_type type;
    double low, high;
} limits[] = {{CT_U8, 0, 255},         {CT_I8, -128, 127},      {CT_U16, 0, 65535},
              {CT_I16, -32768, 32767}, {CT_F16, -65504, 65504}, {CT_F32, -INFINITY, INFINITY}};

ct_convert_range ct_convert_range_of(const ct_step *step)
{
    const ct_type type = ct_type_parse(ct_step_text(step, "type"));
    int i = 0;
    while (limits[i].type != type)
        i++;
    ct_convert_range range = {limits[i].low, limits[i].high};
    if (ct_step_value(step, "low")) range.low = fmax(range.low, ct_step_real(step, "low"));
    if (ct_step_value(step, "high")) range.high = fmin(range.high, ct_step_real(step, "high"));
    if (ct_type_integer(type)) range = (ct_convert_range){ceil(range.low), floor(range.high)};
    return range;
}

static void infer_counts(ct_step *step)
{
    const ct_array *y = &step->port[Y];
    ct_array *counts = &step->port[COUNTS];
    counts->rank = 0;
    counts->type = CT_U32;
    for (int k = 0; k < y->rank; k++)
        if (y->dim[k] != 'C') ct_array_add(counts, y->dim[k], y->extent[k]);
    counts->meta = y->meta;
}

static ct_status infer(ct_step *step, ct_error *err)
{
    const int64_t window = ct_step_int(step, "window");
    const ct_status status = ct_columns_check(step, err);
    if (status != CT_OK) return status;
    const ct_convert_range range = ct_convert_range_of(step);
    if (!(range.low < range.high))
        return ct_step_fail(step, ct_step_value(step, "low") ? "low" : "high", err,
                            "nothing is left between %g and %g", range.low, range.high);
    step->port[Y].type = ct_type_parse(ct_step_text(step, "type"));
    infer_counts(step);
    if (!ct_convert_measures(step)) return CT_OK;
    if (window % CT_CONVERT_WINDOW != 0)
        return ct_step_fail(step, "window", err, "expected a multiple of %d, found %lld",
                            CT_CONVERT_WINDOW, (long long)window);
    step->grain = window;
    return CT_OK;
}

static double flops(const ct_step *step)
{
    return (ct_convert_measures(step) ? 6.0 : 2.0) * (double)ct_array_count(&step->port[X]);
}

static const ct_case cases[] = {
    {"{\"type\": \"u8\", \"scale\": 0.25, \"offset\": 100}", "B=3 Q=2 T=65 C=19", "i16",
     "TILE_T=16 TILE_C=16"},
    {"{\"type\": \"i8\", \"offset\": -128, \"low\": -100, \"high\": 90}", "S=3 T=77 C=13", "u8",
     "TILE_T=16 TILE_C=16"},
    {"{\"type\": \"f32\", \"scale\": 0.3, \"offset\": 7}", "D=5 T=131", "f16",
     "TILE_T=16 TILE_C=16"},
    {"{\"type\": \"u8\", \"levels\": \"channel\", \"window\": 64}", "T=128 C=21", "f32",
     "TILE_T=16 TILE_C=16"},
    {"{\"type\": \"f32\", \"levels\": \"channel\", \"window\": 128, \"mean\": 1, \"sigma\": 3}",
     "B=2 Q=2 T=256 C=37", "u16", "TILE_T=64 TILE_C=16"},
    {"{\"type\": \"f16\", \"levels\": \"channel\", \"window\": 64, \"mean\": 0}", "B=2 D=19 T=64",
     "f32", "TILE_T=16 TILE_C=16"},
    {"{\"type\": \"u16\", \"scale\": 3}", "S=2 T=13 C=7", "u8", "TILE_T=16 TILE_C=16"},
    {0}};

const ct_stage ct_stage_convert = {
    .api = CT_API,
    .version = 1,
    .name = "convert",
    .summary = "power in another type: scaled, rounded and clipped, by numbers that are given, or "
               "by each channel's mean and deviation",
    .ports = {[X] = {"X", CT_IN, 0, CT_COLUMNS_DIMS, "f32 f16 u8 i8 u16 i16", "*", NULL,
                     "power, or series"},
              [M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
                     "what is flagged is not measured"},
              [Y] = {"Y", CT_OUT, CT_PORT_EXACT, CT_COLUMNS_DIMS, "f32 f16 u8 i8 u16 i16", "*",
                     NULL, "the same in another type"},
              [COUNTS] = {"COUNTS", CT_OUT, CT_PORT_OPTIONAL | CT_PORT_EXACT, "[BS]?Q?D?T", "u32",
                          "*", NULL, "channels of each sample that are at an end of the range"}},
    .params = params,
    .split = "B Q",
    .infer = infer,
    .flops = flops,
    .tuning = {.tunables = tunables,
               .terms = terms,
               .where = CT_COLUMNS_WHERE " && (P_LEVELS_IS_given || P_WINDOW % TILE_T == 0)",
               .suggest = ct_convert_suggest},
    .kernel = {.text = convert_cl,
               .name = "stages/convert/convert.cl",
               .entry = "convert",
               .launch = ct_convert_launch,
               .emit = ct_convert_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 1e-5, .reference = ct_convert_reference},
};
