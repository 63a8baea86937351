/* flag.c: the data sheet of the flagger: ports, parameters, tunables, the table of limits.
 * Room: stages/flag. Knows only cornerturn_stage.h. Limits are made in flag_limits.c, the kernel is
 * flag.cl, the definition flag_ref.c. */
#include "flag.h"

#include <string.h>

#include "flag_cl.h"

enum {
    X = CT_FLAG_X,
    M = CT_FLAG_M,
    LIMITS = CT_FLAG_LIMITS,
    Y = CT_FLAG_Y,
    F = CT_FLAG_F,
    MOST_POWERS = 4096 /* of a window, all of which a work-item keeps */
};

static const ct_param params[] = {
    {"window", CT_PARAM_INT, "1024", NULL, CT_FLAG_LEAST, 65536,
     "samples that are judged together, or, of power, by each other (then at most 4096)"},
    {"false_alarms", CT_PARAM_REAL, "0.0027", NULL, 1e-9, 0.5,
     "of voltages: the part of the windows of noise that is flagged"},
    {"threshold", CT_PARAM_REAL, "6", NULL, 0.5, 1e9,
     "of power: standard deviations from the median beyond which a sample is flagged"},
    {0}};

static const ct_tunable tunables[] = {
    {"TILE_T", "1 2 4 5 8 10 16 20 32", "16", "4", "times of a tile"},
    {"TILE_C", "1 4 8 16 64 128", "64", "16", "channels of a tile"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {0}};

static const ct_tile tiles[] = {{"A", "X", "TC", "TILE_T, TILE_C", NULL, "float2", "X_COMPLEX"},
                                {"A", "X", "TC", "P_WINDOW, TILE_C", NULL, "float", "X_IS_f32"},
                                {"R", "Y", "TC", "TILE_T, TILE_C", NULL, "float2", "X_COMPLEX"},
                                {"R", "Y", "TC", "P_WINDOW, TILE_C", NULL, "float", "X_IS_f32"},
                                {0}};

static ct_status infer(ct_step *step, ct_error *err)
{
    const ct_array *x = &step->port[X];
    const int64_t window = ct_step_int(step, "window");
    if (x->type == CT_F32 && window > MOST_POWERS)
        return ct_step_fail(step, "window", err, "expected at most %d samples of power, found %lld",
                            MOST_POWERS, (long long)window);
    step->grain = window;
    step->port[LIMITS].rank = 0;
    ct_array_add(&step->port[LIMITS], 'K', CT_FLAG_PARTS + 1);
    if (x->type == CT_F32) step->port[LIMITS].type = CT_NONE;
    step->port[F].rank = 0;
    if (strchr(x->dim, 'S')) ct_array_add(&step->port[F], 'S', ct_array_extent(x, 'S'));
    ct_array_add(&step->port[F], 'T', ct_array_extent(x, 'T'));
    ct_array_add(&step->port[F], 'C', ct_array_extent(x, 'C'));
    return CT_OK;
}

static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    (void)port;
    (void)err;
    for (int64_t k = 0; k <= CT_FLAG_PARTS; k++) {
        const ct_flag_range range = ct_flag_range_of(step, k);
        ct_array_save(fill, fill->offset + k, range.low, range.high);
    }
    return CT_OK;
}

/* Of voltages two sums; of power, counting samples for each bit of two medians. */
static double flops(const ct_step *step)
{
    const double each = step->port[X].type == CT_F32 ? 128 : 8;
    return each * (double)ct_array_count(&step->port[X]);
}

static const ct_case cases[] = {
    {"{\"window\": 80, \"false_alarms\": 0.3}", "S=3 P=2 T=160 C=7", "cf32", "TILE_T=4 TILE_C=8"},
    {"{\"window\": 105, \"false_alarms\": 0.2}", "S=2 P=1 T=105 C=19", "ci8", "TILE_T=5 TILE_C=16"},
    {"{\"window\": 66, \"false_alarms\": 0.2}", "S=2 P=3 T=66 C=5", "ci16", NULL},
    {"{\"window\": 32, \"threshold\": 2}", "B=3 Q=2 T=96 C=11", "f32", "TILE_C=8"},
    {"{\"window\": 35, \"threshold\": 1.5}", "S=3 T=70 C=19", "f32", "TILE_C=16"},
    {0}};

const ct_stage ct_stage_flag = {
    .api = CT_API,
    .version = 1,
    .name = "flag",
    .summary = "flags what is no noise: voltages by their spectral kurtosis, power by its distance "
               "from the median",
    .ports = {[X] = {"X", CT_IN, 0, "[SB]?[PQ]?TC", "cf32 ci8 ci16 f32", "*", NULL,
                     "voltages of channels, or power"},
              [M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
                     "what is flagged already has no say"},
              [LIMITS] = {"LIMITS", CT_TABLE, CT_PORT_OPTIONAL | CT_PORT_FIXED, "K", "cf32", "K",
                          NULL, "least and largest kurtosis of noise"},
              [Y] = {"Y", CT_OUT, CT_PORT_EXACT, "[SB]?[PQ]?TC", "=X", "*", NULL, "the same"},
              [F] = {"F", CT_OUT, CT_PORT_FLAGS, "S?TC", "u8", "*", NULL,
                     "1 where a sample is flagged"}},
    .params = params,
    .split = "C",
    .infer = infer,
    .table = table,
    .flops = flops,
    .tuning =
        {.tunables = tunables,
         .where =
             "(WG == 1 || NONTEMPORAL == 0) && (WG > 1 || !GPU) && (GPU || TILE_C >= 8) && "
             "(X_IS_f32 ? TILE_T == 1 && (!GPU || P_WINDOW * TILE_C <= 8192) && P_WINDOW * TILE_C "
             "<= 131072 : P_WINDOW % TILE_T == 0 && TILE_T * TILE_C <= 2048)",
         .suggest = ct_flag_suggest},
    .kernel = {.text = flag_cl,
               .name = "stages/flag/flag.cl",
               .entry = "flag",
               .launch = ct_flag_launch,
               .tiles = tiles},
    .verify = {.cases = cases, .reference = ct_flag_reference},
};
