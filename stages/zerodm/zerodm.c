/* zerodm.c: the data sheet of zero-DM filters: ports, parameters, tunables.
 * Room: stages/zerodm. Knows only cornerturn_stage.h. The kernels are in zerodm.cl, the definition
 * is zerodm_ref.c. */
#include "zerodm.h"

#include "zerodm_cl.h"

enum { X = CT_ZERODM_X, M = CT_ZERODM_M, Z = CT_ZERODM_Z, Y = CT_ZERODM_Y };

static const ct_param params[] = {
    {"mode", CT_PARAM_TEXT, "mean", "mean fit", 0, 0,
     "mean: takes off the mean over channels; fit: as much of it as each channel has"},
    {"window", CT_PARAM_INT, "1024", NULL, CT_ZERODM_WINDOW, 65536,
     "fit: samples that a channel is fitted over, a multiple of 64"},
    {"type", CT_PARAM_TEXT, "f32", "f32 f16 i16 i8", 0, 0, "of the output"},
    {"scale", CT_PARAM_REAL, "1", NULL, 1e-30, 1e30,
     "factor of the output, for types of few steps"},
    {0}};

static const ct_tunable tunables[] = {
    {"TILE_T", "16 64 256", "16", "64", "times of a tile"},
    {"TILE_C", "16 64 256", "256", "64", "channels of a tile"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"PREFETCH", "0 1", "1", "0", "tiles that are asked for ahead"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {0}};

/* Rows of channels, or of times; on CPUs bytes stay bytes, and results have the output's type. */
#define TILE(name, port, t, c, type, when)                                                         \
    {name, port, "CT", c ", " t, "WG > 1", type, "(WG > 1 || X_FASTEST == DIM_T) && " when},       \
    {                                                                                              \
        name, port, "TC", t ", " c, NULL, type, "WG == 1 && X_FASTEST != DIM_T && " when           \
    }
#define TILES(x, m, y, t, c, y_t)                                                                  \
    TILE(x, "X", t, c, "uchar", "WG == 1 && X_IS_u8"),                                             \
        TILE(x, "X", t, c, "char", "WG == 1 && X_IS_i8"),                                          \
        TILE(x, "X", t, c, "float", "(WG > 1 || X_TYPE_BYTES != 1)"),                              \
        TILE(m, "M", t, c, "uchar", "HAVE_M && M_STRIDE_C != 0"),                                  \
        TILE(y, "Y", y_t, c, "char", "WG == 1 && Y_IS_i8"),                                        \
        TILE(y, "Y", y_t, c, "short", "WG == 1 && Y_IS_i16"),                                      \
        TILE(y, "Y", y_t, c, "float", "(WG > 1 || !Y_IS_i8 && !Y_IS_i16)")

static const ct_term terms[] = {
    {"FIT_T", "WG > 1 ? TILE_T : P_WINDOW <= 1024 ? P_WINDOW : 64", "times of a fit's tile"},
    {"FIT_STORED", "WG > 1 ? TILE_T : X_FASTEST == DIM_T ? FIT_T : 64",
     "of these, those that are stored together"},
    {"FIT_C", "WG > 1 ? TILE_C : X_TYPE_BYTES == 1 ? 64 : 16", "channels of a fit's tile"},
    {0}};

static const ct_tile tiles[] = {TILES("A", "F", "R", "TILE_T", "TILE_C", "TILE_T"),
                                TILES("B", "G", "S", "FIT_T", "FIT_C", "FIT_STORED"),
                                {0}};

bool ct_zerodm_fits(const ct_step *step)
{
    return ct_step_choice(step, "mode") == 1;
}

/* Filtered alike: one for each beam or station and Stokes parameter. */
int64_t ct_zerodm_series(const ct_array *x)
{
    return ct_array_extent(x, 'B') * ct_array_extent(x, 'S') * ct_array_extent(x, 'Q');
}

int64_t ct_zerodm_part(int64_t window)
{
    const int64_t parts = ct_divide_up(window, CT_ZERODM_WINDOW);
    return CT_ZERODM_WINDOW * (parts > 0 ? ct_divide_up(parts, CT_ZERODM_PARTS) : 1);
}

int64_t ct_zerodm_group(int64_t channels)
{
    return CT_ZERODM_GROUP * ct_divide_up(channels, CT_ZERODM_GROUP * CT_ZERODM_GROUPS);
}

static ct_status infer(ct_step *step, ct_error *err)
{
    const ct_array *x = &step->port[X];
    ct_array *z = &step->port[Z];
    const int64_t window = ct_step_int(step, "window");
    step->port[Y].type = ct_type_parse(ct_step_text(step, "type"));
    z->rank = 0;
    if (!ct_zerodm_fits(step)) {
        z->type = CT_NONE;
        return CT_OK;
    }
    if (window % CT_ZERODM_WINDOW != 0)
        return ct_step_fail(step, "window", err, "expected a multiple of %d, found %lld",
                            CT_ZERODM_WINDOW, (long long)window);
    step->grain = window;
    const int64_t channels = ct_array_extent(x, 'C');
    const int64_t groups = ct_divide_up(channels, ct_zerodm_group(channels));
    ct_array_add(z, 'B', ct_zerodm_series(x));
    ct_array_add(z, 'C', groups + 2);
    ct_array_add(z, 'T', ct_array_extent(x, 'T'));
    return CT_OK;
}

/* Of the mean a sum and a difference; a fit has five sums more, and a product. */
static double flops(const ct_step *step)
{
    return (ct_zerodm_fits(step) ? 12.0 : 2.0) * (double)ct_array_count(&step->port[X]);
}

static const ct_case cases[] = {
    {NULL, "B=3 Q=2 T=65 C=19", "f32", "TILE_T=16 TILE_C=16"},
    {"{\"type\": \"i8\", \"scale\": 0.25}", "S=3 T=77 C=13", "u8", "TILE_T=16 TILE_C=16"},
    {"{\"mode\": \"fit\", \"window\": 1088}", "B=2 T=1088 C=19", "f32", "TILE_T=64 TILE_C=16"},
    {"{\"mode\": \"fit\", \"window\": 192}", "S=3 Q=2 T=192 C=21", "u8", "TILE_T=16 TILE_C=16"},
    {"{\"mode\": \"fit\", \"window\": 64, \"scale\": 3}", "T=64 C=520", "i16",
     "TILE_T=16 TILE_C=64"},
    {"{\"mode\": \"fit\", \"window\": 64}", "T=64 C=275", "u8", "TILE_T=16 TILE_C=64"},
    {"{\"type\": \"i16\"}", "B=2 T=131 C=67", "u16", "TILE_T=16 TILE_C=64"},
    {"{\"type\": \"f32\"}", "Q=2 T=17 C=35", "f16", "TILE_T=16 TILE_C=16"},
    {"{\"window\": 64}", "B=2 T=128 C=19", "f32", "TILE_T=16 TILE_C=16"},
    {0}};

const ct_stage ct_stage_zerodm = {
    .api = CT_API,
    .version = 1,
    .name = "zerodm",
    .summary = "zero-DM filter: takes off what all channels of a sample have in common",
    .ports = {[X] = {"X", CT_IN, 0, "[BS]?Q?TC", "f32 u8 i8 u16 i16 f16", "*", NULL, "power"},
              [M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
                     "what is flagged has no say, and becomes 0"},
              [Z] = {"Z", CT_SCRATCH, CT_PORT_OPTIONAL, "BCT", "f32", "BCT", NULL,
                     "of each series means over groups of channels, what they have in common, "
                     "corrections"},
              [Y] = {"Y", CT_OUT, CT_PORT_EXACT, "[BS]?Q?TC", "f32 f16 i16 i8", "*", NULL,
                     "what is left of the power"}},
    .params = params,
    .split = "B Q",
    .infer = infer,
    .flops = flops,
    .tuning =
        {.tunables = tunables,
         .terms = terms,
         .where =
             "(WG == 1 || NONTEMPORAL == 0) && (WG == 1 || PREFETCH == 0) && (WG > 1 || !GPU) && "
             "(WG == 1 || TILE_T == 64 && TILE_C == 64) && "
             "TILE_T * TILE_C <= 16384 && (!HAVE_Z || P_WINDOW % TILE_T == 0)",
         .suggest = ct_zerodm_suggest},
    .kernel = {.text = zerodm_cl,
               .name = "stages/zerodm/zerodm.cl",
               .entry = "zerodm",
               .launch = ct_zerodm_launch,
               .emit = ct_zerodm_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 1e-5, .reference = ct_zerodm_reference},
};
