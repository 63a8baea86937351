/* detect.c: the data sheet of detection: voltages to power or Stokes parameters.
 * Room: stages/detect. Knows cornerturn.h. Does not know layouts beyond strides, other stages,
 * OpenCL. */
#include "detect.h"

#include "detect_cl.h"
#include "stokes.h"

static bool full_stokes(const ct_step *step)
{
    return ct_stokes_count(step) > 1;
}

static void infer_dims(ct_array *y, const ct_array *x, int64_t stokes)
{
    static const char names[] = "BS";
    y->rank = 0;
    for (const char *name = names; *name; name++)
        if (ct_array_find(x, *name) >= 0) ct_array_add(y, *name, ct_array_extent(x, *name));
    if (stokes > 1) ct_array_add(y, 'Q', stokes);
    ct_array_add(y, 'T', ct_array_extent(x, 'T'));
    ct_array_add(y, 'C', ct_array_extent(x, 'C'));
}

static ct_status infer(ct_step *step, ct_error *err)
{
    const ct_array *x = ct_step_array(step, "X");
    ct_array *y = ct_step_port(step, "Y");
    int64_t pols = ct_array_extent(x, 'P'), n = ct_step_int(step, "integrate");

    if (pols > 2)
        return ct_step_fail(step, NULL, err, "the input has %lld polarizations, expected 1 or 2",
                            (long long)pols);
    if (full_stokes(step) && !ct_type_complex(x->type))
        return ct_step_fail(step, "stokes", err,
                            "IQUV needs voltages, the input holds powers; \"I\" would do");
    if (full_stokes(step) && pols != 2)
        return ct_step_fail(step, "stokes", err,
                            "IQUV needs both polarizations, the input has one; \"I\" would do");
    if (ct_stokes_check_feed(step, x, err) != CT_OK) return CT_INVALID;
    if (x->meta.total > 0 && x->meta.total < n)
        return ct_step_fail(step, "integrate", err,
                            "%lld samples to integrate, but the input has %lld in all",
                            (long long)n, (long long)x->meta.total);
    infer_dims(y, x, ct_stokes_count(step));
    y->type = CT_F32;
    y->meta = x->meta;
    y->meta.products = ct_stokes_products(step, x);
    y->meta.sample_time_s *= (double)n;
    y->meta.start_s += 0.5 * (double)(n - 1) * x->meta.sample_time_s;
    if (x->meta.total >= 0) y->meta.total = x->meta.total / n;
    step->decimate = n;
    ct_stokes_infer_counts(&step->port[CT_DETECT_COUNTS], &step->port[CT_DETECT_Y],
                           &step->port[CT_DETECT_M]);
    return CT_OK;
}

/* Per sample: I of one polarization 3, of two 7; IQUV 8 products, 8 sums; and 1 to integrate each.
 * Powers: a sum for each polarization. */
static double flops(const ct_step *step)
{
    const ct_array *x = ct_step_array(step, "X");
    double pols = (double)ct_array_extent(x, 'P');
    double each = full_stokes(step) ? 20.0 : (ct_type_complex(x->type) ? 4.0 : 1.0) * pols;
    return each * (double)ct_array_count(ct_step_array(step, "Y")) * (double)step->decimate /
           (full_stokes(step) ? 4.0 : 1.0);
}

static const ct_param params[] = {
    {"stokes", CT_PARAM_TEXT, "I", CT_WORDS(CT_STOKES), 0, 0,
     "only the total power, or all four parameters"},
    {"integrate", CT_PARAM_INT, "1", NULL, 1, 1e9, "time samples that are added up"},
    {0}};

static const ct_tunable tunables[] = {
    {"VECTOR_X", "1 2 4 8", "8", "1", "elements of a vector"},
    {"VECTORS_X", "1 4 32", "32", "1", "vectors that a work-item takes"},
    {"VECTORS_Y", "1 16", "16", "1", "rows of vectors that a work-item takes"},
    {"TILED", "0 1", "0", "0", "1: by way of tiles, for orders that differ"},
    {"TILE_T", "1 8 16 32 64 128", "1", "1", "input times of a tile"},
    {"TILE_C", "8 16 32", "8", "8", "channels of a tile"},
    {"TILE_B", "1 8 16", "1", "1", "beams or stations of a tile"},
    {"NONTEMPORAL", "0 1", "0", "0", "1: stores bypass the caches"},
    {"PREFETCH", "0 1", "0", "0", "how many tiles ahead samples are prefetched; 0: not"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {0}};

#define OUTPUTS "((TILE_T%P_INTEGRATE==0)*(TILE_T/P_INTEGRATE)+(TILE_T%P_INTEGRATE!=0))"

static const ct_tile tiles[] = {{.name = "A",
                                 .port = "X",
                                 .order = "BTPC",
                                 .extents = "TILE_B,TILE_T,X_N_P,TILE_C",
                                 .type = "float2",
                                 .when = "TILED && !X_IS_f32"},
                                {.name = "A",
                                 .port = "X",
                                 .order = "BTPC",
                                 .extents = "TILE_B,TILE_T,X_N_P,TILE_C",
                                 .type = "float",
                                 .when = "TILED && X_IS_f32"},
                                {.name = "R",
                                 .port = "Y",
                                 .order = "BQTC",
                                 .extents = "TILE_B,Y_N_Q," OUTPUTS ",TILE_C",
                                 .type = "float",
                                 .when = "TILED"},
                                {0}};

static const ct_case cases[] = {
    {NULL, "B=3 P=2 T=65 C=11", "cf32", NULL},
    {"{\"integrate\": 5}", "S=3 P=2 T=65 C=11", "ci8", NULL},
    {"{\"stokes\": \"IQUV\"}", "S=3 P=2 T=25 C=37", "cf32", NULL},
    {"{\"stokes\": \"IQUV\", \"integrate\": 3}", "P=2 T=21 C=11", "ci16", NULL},
    {"{\"integrate\": 13}", "B=3 P=1 T=65 C=11", "cf32", NULL},
    {"{\"integrate\": 5}", "B=3 P=2 T=65 C=11", "f32", NULL},
    {NULL, "S=3 P=1 T=65 C=11", "f32", "VECTOR_X=4"},
    {"{\"stokes\": \"IQUV\", \"integrate\": 2061}", "S=2 P=2 T=4122 C=9", "ci8",
     NULL}, /* in parts */
    {0}};

const ct_stage ct_stage_detect = {
    .api = CT_API,
    .version = 1,
    .name = "detect",
    .summary = "power or Stokes parameters of dual-polarization voltages, integrated in time",
    .ports = {[CT_DETECT_X] = {"X", CT_IN, 0, "[BS]?PTC", "cf32 ci8 ci16 f32", "*", NULL,
                               "voltages; or powers of each polarization, which are added up"},
              [CT_DETECT_Y] = {"Y", CT_OUT, 0, "[BS]?Q?TC", "f32", "*", NULL,
                               "I, or I Q U V along Q"},
              [CT_DETECT_M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*",
                               "SCT", "flags, for what is counted"},
              [CT_DETECT_COUNTS] = {"COUNTS", CT_OUT, CT_PORT_OPTIONAL | CT_PORT_EXACT, "[BS]?TC?",
                                    "u32", "*", NULL, "samples that went into each sum"}},
    .params = params,
    .split = "B T C",
    .traits = CT_STAGE_LEAVES_OUT,
    .infer = infer,
    .flops = flops,
    .tuning = {.tunables = tunables,
               .where =
                   "(TILED || TILE_T == 1) && (TILED || TILE_C == 8) && (TILED || TILE_B == 1) && "
                   "(TILED || NONTEMPORAL == 0) && (TILED || PREFETCH == 0) && "
                   "(WG == 1 || !TILED && VECTOR_X == 1) && (!TILED || !GPU) && "
                   "(!TILED || VECTOR_X == 8) && (!TILED || VECTORS_X == 1) && (!TILED || "
                   "VECTORS_Y == 1)",
               .suggest = ct_detect_suggest},
    .kernel = {.text = detect_cl,
               .name = "stages/detect/detect.cl",
               .entry = "detect",
               .launch = ct_detect_launch,
               .emit = ct_detect_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 1e-5, .reference = ct_detect_reference},
};
