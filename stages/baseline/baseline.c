/* baseline.c: the data sheet of baselines: ports, parameters, tunables.
 * Room: stages/baseline. Knows cornerturn_stage.h and columns. The kernels are in baseline.cl, the
 * definition is baseline_ref.c. */
#include "baseline.h"

#include "baseline_cl.h"
#include "columns.h"

enum { X = CT_BASELINE_X, M = CT_BASELINE_M, LEVELS = CT_BASELINE_LEVELS, Y = CT_BASELINE_Y };

static const ct_param params[] = {
    {"window", CT_PARAM_INT, "4096", NULL, CT_BASELINE_WINDOW, 65536,
     "samples that have one level, a multiple of 256"},
    {"type", CT_PARAM_TEXT, "f32", "f32 f16 i16 i8", 0, 0, "of the output"},
    {"scale", CT_PARAM_REAL, "1", NULL, 1e-30, 1e30,
     "factor of the output, for types of few steps"},
    {0}};

static const ct_tunable tunables[] = {
    {"TILE_T", "16 64 256", "16", "64", "times of a tile"},
    {"TILE_C", "16 64 256", "256", "64", "channels, or trials, of a tile"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {0}};

static const ct_tile tiles[] = {CT_COLUMNS_TILES("A", "X"), CT_COLUMNS_TILES("R", "Y"), {0}};
static const ct_term terms[] = {CT_COLUMNS_TERM, {0}};

/* Of the history's windows, too; vectors of columns end beyond the last one. */
static void infer_levels(ct_step *step, int64_t window)
{
    const ct_array *x = &step->port[X];
    ct_array *levels = &step->port[LEVELS];
    levels->rank = 0;
    ct_array_add(levels, 'B', ct_columns_series(step));
    ct_array_add(levels, 'T', ct_array_extent(x, 'T') / window + CT_BASELINE_BEFORE);
    ct_array_add(levels, 'C', 16 * ct_divide_up(ct_array_extent(x, ct_columns_dim(step)), 16));
}

static ct_status infer(ct_step *step, ct_error *err)
{
    const int64_t window = ct_step_int(step, "window");
    const ct_status status = ct_columns_check(step, err);
    if (status != CT_OK) return status;
    if (window % CT_BASELINE_WINDOW != 0)
        return ct_step_fail(step, "window", err, "expected a multiple of %d, found %lld",
                            CT_BASELINE_WINDOW, (long long)window);
    step->grain = window;
    step->overlap = CT_BASELINE_BEFORE * window;
    step->overlap_kind = CT_HISTORY;
    step->port[Y].type = ct_type_parse(ct_step_text(step, "type"));
    infer_levels(step, window);
    return CT_OK;
}

/* A sum, a line and a difference. */
static double flops(const ct_step *step)
{
    return 4.0 * (double)ct_array_count(&step->port[Y]);
}

static const ct_case cases[] = {
    {"{\"window\": 256}", "B=3 Q=2 T=256 C=19", "f32", "TILE_T=16 TILE_C=16"},
    {"{\"window\": 256, \"type\": \"i16\", \"scale\": 37.13}", "S=2 T=512 C=37", "u8",
     "TILE_T=64 TILE_C=16"},
    {"{\"window\": 512, \"type\": \"f16\"}", "D=21 T=512", "f32", "TILE_T=16 TILE_C=16"},
    {"{\"window\": 256, \"type\": \"i8\", \"scale\": 0.3017}", "T=768 C=35", "u8",
     "TILE_T=16 TILE_C=16"},
    {"{\"window\": 256, \"scale\": 3}", "B=2 D=17 T=256", "f32", "TILE_T=64 TILE_C=16"},
    {"{\"window\": 256}", "Q=3 T=256 C=13", "i8", "TILE_T=16 TILE_C=16"},
    {"{\"window\": 256}", "T=256 C=29", "u16", "TILE_T=16 TILE_C=64"},
    {"{\"window\": 256}", "T=512 C=5", "i16", NULL},
    {"{\"window\": 256}", "T=256 C=23", "f16", "TILE_T=16 TILE_C=16"},
    {0}};

const ct_stage ct_stage_baseline = {
    .api = CT_API,
    .version = 1,
    .name = "baseline",
    .summary = "takes slow changes off each channel of power, or each trial's series",
    .ports = {[X] = {"X", CT_IN, 0, CT_COLUMNS_DIMS, "f32 u8 i8 u16 i16 f16", "*", NULL,
                     "power, or series"},
              [M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
                     "what is flagged has no say, and becomes 0"},
              [LEVELS] = {"LEVELS", CT_SCRATCH, 0, "BTC", "f32", "BTC", NULL, "of windows"},
              [Y] = {"Y", CT_OUT, 0, CT_COLUMNS_DIMS, "f32 f16 i16 i8", "*", NULL, "what is left"}},
    .params = params,
    .split = "B Q",
    .traits = CT_STAGE_KEEPS_FLAGS,
    .infer = infer,
    .flops = flops,
    .tuning = {.tunables = tunables,
               .terms = terms,
               .where = CT_COLUMNS_WHERE,
               .suggest = ct_baseline_suggest},
    .kernel = {.text = baseline_cl,
               .name = "stages/baseline/baseline.cl",
               .entry = "baseline_levels",
               .launch = ct_baseline_launch,
               .emit = ct_baseline_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 1e-5, .reference = ct_baseline_reference},
};
