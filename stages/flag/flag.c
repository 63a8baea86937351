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
    HOT = CT_FLAG_HOT,
    STAT = CT_FLAG_STAT,
    VOTES = CT_FLAG_VOTES,
    MOST_POWERS = 4096, /* of a window, all of which a work-item keeps */
    COLUMNS = 6         /* of VOTES: see flag_channels.cl */
};

static const ct_param params[] = {
    {"window", CT_PARAM_INT, "1024", NULL, CT_FLAG_LEAST, 65536,
     "samples that are judged together, or, of power, by each other (then at most 4096)"},
    {"false_alarms", CT_PARAM_REAL, "0.0027", NULL, 1e-9, 0.5,
     "the part of the windows of noise that is flagged by its spectral kurtosis"},
    {"threshold", CT_PARAM_REAL, "6", NULL, 0.5, 1e9,
     "of power: standard deviations from the median beyond which a sample is flagged"},
    {"run_threshold", CT_PARAM_REAL, "5", NULL, 0.5, 1e9,
     "of power: the same for means of 16 samples, in standard deviations of such means"},
    {"iqrm", CT_PARAM_REAL, "3", NULL, 0, 1e9,
     "of power: IQRM's threshold, by which channels of a window are masked; 0: none is"},
    {"radius", CT_PARAM_REAL, "0.1", NULL, 0, 0.5,
     "of IQRM: the part of the band over which a channel is compared with others"},
    {"least_excess", CT_PARAM_REAL, "0.5", NULL, 0, 1e9,
     "of IQRM: standard deviations by which a channel's mean has to be above others' to be masked"},
    {"most_channels", CT_PARAM_REAL, "0.5", NULL, 0, 1,
     "of power: the part of a window's channels that is masked at most; beyond it, none is"},
    {"dm", CT_PARAM_REAL, "2000", NULL, 0, 1e6,
     "of power: dispersion measure, pc cm^-3, up to which bursts are known and kept"},
    {"shape", CT_PARAM_REAL, "0", NULL, 0, 1e9,
     "of power: independent powers in each sample (N d), and channels are judged by spectral "
     "kurtosis, too; 0: they are not"},
    {0}};

static const ct_tunable tunables[] = {
    {"TILE_T", "1 2 4 5 8 10 16 20 32", "16", "4", "times of a tile"},
    {"TILE_C", "1 4 8 16 64 128", "64", "16", "channels of a tile"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {0}};

/* Bytes stay bytes on CPUs: as in flag_bytes.cl. */
#define FLOATS "!X_COMPLEX && (GPU || (!X_IS_u8 && !X_IS_i8))"
static const ct_tile tiles[] = {
    {"A", "X", "TC", "TILE_T, TILE_C", NULL, "float2", "X_COMPLEX"},
    {"A", "X", "TC", "P_WINDOW, TILE_C", NULL, "float", FLOATS},
    {"A", "X", "TC", "P_WINDOW, TILE_C", NULL, "uchar", "!GPU && X_IS_u8"},
    {"A", "X", "TC", "P_WINDOW, TILE_C", NULL, "char", "!GPU && X_IS_i8"},
    {"R", "Y", "TC", "TILE_T, TILE_C", NULL, "float2", "X_COMPLEX"},
    {"R", "Y", "TC", "P_WINDOW, TILE_C", NULL, "float", FLOATS},
    {"R", "Y", "TC", "P_WINDOW, TILE_C", NULL, "uchar", "!GPU && X_IS_u8"},
    {"R", "Y", "TC", "P_WINDOW, TILE_C", NULL, "char", "!GPU && X_IS_i8"},
    {0}};

bool ct_flag_is_power(const ct_step *step)
{
    return !ct_type_complex(step->port[X].type);
}

bool ct_flag_has_limits(const ct_step *step)
{
    return !ct_flag_is_power(step) || ct_step_real(step, "shape") > 0;
}

/* By what channels are compared: see flag_channels.cl. */
static void infer_scratch(ct_step *step)
{
    static const ct_type types[] = {CT_U8, CT_F32, CT_U32};
    const ct_array *x = &step->port[X];
    const int64_t channels = ct_array_extent(x, 'C'),
                  stations = ct_array_extent(&step->port[F], 'S');
    const int64_t windows = ct_divide_up(ct_array_extent(x, 'T'), ct_step_int(step, "window"));
    const int64_t series = ct_array_count(x) / ct_array_extent(x, 'T') / channels;
    for (int port = HOT; port <= VOTES; port++) {
        step->port[port].rank = 0;
        step->port[port].type = ct_flag_is_power(step) ? types[port - HOT] : CT_NONE;
        if (!ct_flag_is_power(step)) continue;
        ct_array_add(&step->port[port], 'S', port == STAT ? series : stations);
        if (port == HOT)
            ct_array_add(&step->port[HOT], 'T', windows * ct_flag_nearby_of(step).parts);
        if (port == STAT) ct_array_add(&step->port[STAT], 'K', 3);
        if (port != HOT) ct_array_add(&step->port[port], 'T', windows);
        if (port == VOTES) ct_array_add(&step->port[VOTES], 'K', COLUMNS);
        ct_array_add(&step->port[port], 'C',
                     port == VOTES ? 16 * ct_divide_up(channels, 16) : channels);
    }
    if (ct_flag_is_power(step)) ct_step_unsplit(step, "channels of power are compared");
}

static ct_status infer(ct_step *step, ct_error *err)
{
    const ct_array *x = &step->port[X];
    const int64_t window = ct_step_int(step, "window");
    if (ct_flag_is_power(step) && window > MOST_POWERS)
        return ct_step_fail(step, "window", err, "expected at most %d samples of power, found %lld",
                            MOST_POWERS, (long long)window);
    step->grain = window;
    step->port[LIMITS].rank = 0;
    if (ct_flag_has_limits(step)) ct_array_add(&step->port[LIMITS], 'K', CT_FLAG_PARTS + 1);
    step->port[F].rank = 0;
    if (strchr(x->dim, 'S')) ct_array_add(&step->port[F], 'S', ct_array_extent(x, 'S'));
    ct_array_add(&step->port[F], 'T', ct_array_extent(x, 'T'));
    ct_array_add(&step->port[F], 'C', ct_array_extent(x, 'C'));
    infer_scratch(step);
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
    const double each = ct_flag_is_power(step) ? 128 : 8;
    return each * (double)ct_array_count(&step->port[X]);
}

static const ct_case cases[] = {
    {"{\"window\": 80, \"false_alarms\": 0.3}", "S=3 P=2 T=160 C=7", "cf32", "TILE_T=4 TILE_C=8"},
    {"{\"window\": 105, \"false_alarms\": 0.2}", "S=2 P=1 T=105 C=19", "ci8", "TILE_T=5 TILE_C=16"},
    {"{\"window\": 66, \"false_alarms\": 0.2}", "S=2 P=3 T=66 C=37", "ci16", NULL},
    {"{\"window\": 32, \"threshold\": 2}", "B=3 Q=2 T=96 C=11", "f32", "TILE_C=8"},
    {"{\"window\": 35, \"threshold\": 1.5, \"run_threshold\": 1.2, \"iqrm\": 1.5,"
     " \"radius\": 0.3, \"least_excess\": 0.7}",
     "S=3 T=70 C=19", "f32", "TILE_C=16"},
    {"{\"window\": 61, \"threshold\": 1.3, \"iqrm\": 2, \"least_excess\": 0, \"shape\": 1.5,"
     " \"false_alarms\": 0.4}",
     "T=122 C=37", "u8", "TILE_C=16"},
    {"{\"window\": 51, \"threshold\": 1.3, \"run_threshold\": 1.5, \"most_channels\": 0.1}",
     "B=2 T=102 C=21", "u16", "TILE_C=8"},
    {"{\"window\": 40, \"threshold\": 1.1, \"iqrm\": 0}", "S=2 Q=3 T=80 C=9", "i8", "TILE_C=8"},
    {"{\"window\": 40, \"threshold\": 1.2, \"least_excess\": 1}", "T=80 C=131", "i16", "TILE_C=16"},
    {"{\"window\": 40, \"threshold\": 1.2, \"run_threshold\": 1}", "T=40 C=17", "f16", "TILE_C=8"},
    {0}};

const ct_stage ct_stage_flag = {
    .api = CT_API,
    .version = 2,
    .name = "flag",
    .summary = "flags what is no noise: voltages by their spectral kurtosis, power by its distance "
               "from the median and from other channels",
    .ports = {[X] = {"X", CT_IN, 0, "[SB]?[PQ]?TC", "cf32 ci8 ci16 f32 u8 u16 i8 i16 f16", "*",
                     NULL, "voltages of channels, or power"},
              [M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
                     "what is flagged already has no say"},
              [LIMITS] = {"LIMITS", CT_TABLE, CT_PORT_OPTIONAL | CT_PORT_FIXED, "K", "cf32", "K",
                          NULL, "least and largest kurtosis of noise"},
              [Y] = {"Y", CT_OUT, CT_PORT_EXACT, "[SB]?[PQ]?TC", "=X", "*", NULL, "the same"},
              [F] = {"F", CT_OUT, CT_PORT_FLAGS, "S?TC", "u8", "*", NULL,
                     "1 where a sample is flagged"},
              [HOT] = {"HOT", CT_SCRATCH, CT_PORT_OPTIONAL, "STC", "u8", "STC", NULL,
                       "of parts of windows: what stands out"},
              [STAT] = {"STAT", CT_SCRATCH, CT_PORT_OPTIONAL, "SKTC", "f32", "SKTC", NULL,
                        "of windows: what channels are compared by"},
              [VOTES] = {"VOTES", CT_SCRATCH, CT_PORT_OPTIONAL, "STKC", "u32", "STKC", NULL,
                         "of windows: which channels are masked, and how that is found"}},
    .params = params,
    .split = "C",
    .infer = infer,
    .table = table,
    .flops = flops,
    .tuning = {.tunables = tunables,
               .where =
                   "(WG == 1 || NONTEMPORAL == 0) && (WG > 1 || !GPU) && (GPU || TILE_C >= 8) && "
                   "(!X_COMPLEX ? TILE_T == 1 && (!GPU || P_WINDOW * TILE_C <= 8192) && P_WINDOW * "
                   "TILE_C "
                   "<= 131072 : P_WINDOW % TILE_T == 0 && TILE_T * TILE_C <= 2048)",
               .suggest = ct_flag_suggest},
    .kernel = {.text = flag_cl,
               .name = "stages/flag/flag.cl",
               .entry = "flag",
               .launch = ct_flag_launch,
               .emit = ct_flag_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .reference = ct_flag_reference},
};
