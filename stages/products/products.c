/* products.c: the data sheet of conversions along Q: Stokes parameters of coherence products, sums,
 * choices. Room: stages/products. Knows cornerturn_stage.h. Does not know other stages. */
#include "products.h"

#include <string.h>

#include "products_cl.h"

static const ct_param params[] = {
    {"products", CT_PARAM_TEXT, "!", NULL, 0, 0,
     "what to make or to choose: \"I\", \"IQUV\", \"XX YY\""},
    {"from", CT_PARAM_TEXT, NULL, NULL, 0, 0,
     "what is along Q, where the input does not say it: \"AABBCRCI\""},
    {"feed", CT_PARAM_TEXT, NULL, "linear circular", 0, 0,
     "what AA, BB, CR, CI are of, where the input does not say it"},
    {0}};

static ct_status read_names(const ct_step *step, const char *param, ct_products *out, ct_error *err)
{
    ct_error why = {0};
    if (ct_products_parse(out, ct_step_text(step, param), &why) == CT_OK) return CT_OK;
    return ct_step_fail(step, param, err, "%s", why.text);
}

static ct_status read_input(const ct_step *step, ct_products *from, ct_error *err)
{
    const ct_array *x = &step->port[CT_PRODUCTS_X];
    const int64_t along = ct_array_extent(x, 'Q');
    const int feed = ct_step_choice(step, "feed");
    ct_status status = CT_OK;
    if (ct_array_product(x, 0)) *from = *x->meta.products;
    from->feed = feed < 0 ? ct_array_feed(x) : feed == 0 ? CT_FEED_LINEAR : CT_FEED_CIRCULAR;
    if (ct_step_text(step, "from")) status = read_names(step, "from", from, err);
    if (status != CT_OK || from->count == along) return status;
    if (ct_step_text(step, "from"))
        return ct_step_fail(step, "from", err,
                            "expected a name for each of %lld along Q, found %lld",
                            (long long)along, (long long)from->count);
    return ct_step_fail(
        step, NULL, err,
        "what the %lld along Q are is not known: expected \"from\", as in \"from\": "
        "\"AABBCRCI\", or the source's \"products\"",
        (long long)along);
}

static void infer_output(ct_step *step, const ct_products *to)
{
    const ct_array *x = &step->port[CT_PRODUCTS_X];
    ct_array *y = &step->port[CT_PRODUCTS_Y];
    y->rank = 0;
    for (int k = 0; k < x->rank; k++)
        if (x->dim[k] != 'Q')
            ct_array_add(y, x->dim[k], x->extent[k]);
        else if (to->count > 1)
            ct_array_add(y, 'Q', to->count);
    if (to->count > 1) ct_array_set(y, 'Q', to->count);
    y->type = ct_type_complex(x->type) ? CT_CF32 : CT_F32;
    y->meta = x->meta;
    y->meta.products = to;
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_products_matrix *matrix = ct_step_alloc(step, sizeof *matrix);
    if (!matrix) return CT_FAILED;
    ct_status status = read_input(step, &matrix->from, err);
    if (status == CT_OK) status = read_names(step, "products", &matrix->to, err);
    if (status != CT_OK) return status;
    matrix->to.feed = matrix->from.feed;
    step->state = matrix;
    infer_output(step, &matrix->to);
    return ct_products_solve(step, matrix, err);
}

static double flops(const ct_step *step)
{
    const ct_products_matrix *matrix = step->state;
    const ct_array *y = &step->port[CT_PRODUCTS_Y];
    double each = 0;
    for (int64_t q = 0; q < matrix->to.count; q++)
        each += matrix->sum[q].terms > 1 ? ct_type_complex(y->type) ? 2 : 1 : 0;
    return each * (double)(ct_array_count(y) / matrix->to.count);
}

static const ct_tunable tunables[] = {
    {"TILE_B", "1 4 8 16 32 64 128 256 512", "1", "1", "beams, stations or baselines of a tile"},
    {"TILE_D", "1 4 8 16 32 64 128 256 512", "1", "1", "trials of a tile"},
    {"TILE_T", "1 4 8 16 32 64 128 256 512", "1", "1", "times of a tile"},
    {"TILE_C", "1 4 8 16 32 64 128 256 512", "256", "64", "channels of a tile"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {0}};

static const ct_term terms[] = {
    {"BYTES", "TILE_B * TILE_D * TILE_T * TILE_C * (X_N_Q + Y_N_Q) * 4 * (1 + X_COMPLEX)",
     "of a tile of the input and one of the output"},
    {0}};

#define EXTENTS "TILE_B,TILE_D,TILE_T,TILE_C"

static const ct_tile tiles[] = {{"A", "X", "QBDTC", "X_N_Q," EXTENTS, NULL, "float2", "X_COMPLEX"},
                                {"A", "X", "QBDTC", "X_N_Q," EXTENTS, NULL, "float", "!X_COMPLEX"},
                                {"R", "Y", "QBDTC", "Y_N_Q," EXTENTS, NULL, "float2", "X_COMPLEX"},
                                {"R", "Y", "QBDTC", "Y_N_Q," EXTENTS, NULL, "float", "!X_COMPLEX"},
                                {0}};

static const ct_case cases[] = {
    {"{\"products\": \"IQUV\", \"from\": \"AABBCRCI\", \"feed\": \"linear\"}", "Q=4 T=67 C=11",
     "f32", NULL},
    {"{\"products\": \"VQ\", \"from\": \"AABBCRCI\", \"feed\": \"circular\"}", "B=3 Q=4 T=19 C=11",
     "i8", "TILE_T=4 TILE_C=8"},
    {"{\"products\": \"I\", \"from\": \"AABB\"}", "S=3 Q=2 T=37 C=5", "u8", NULL},
    {"{\"products\": \"I\", \"from\": \"AABBCRCI\"}", "Q=4 T=13 C=5", "f32", NULL},
    {"{\"products\": \"IQUV\", \"from\": \"XX XY YX YY\"}", "L=6 Q=4 T=5 C=11", "cf32", "TILE_B=4"},
    {"{\"products\": \"UQ\", \"from\": \"RR RL LR LL\"}", "L=3 Q=4 T=7 C=13", "ci32", NULL},
    {"{\"products\": \"YY\", \"from\": \"XXYY\"}", "B=3 D=5 Q=2 T=19", "f32", "TILE_D=4 TILE_T=8"},
    {0}};

const ct_stage ct_stage_products = {
    .api = CT_API,
    .version = 1,
    .name = "products",
    .summary =
        "Stokes parameters of coherence products, sums of powers, or some of what is along Q",
    .ports = {[CT_PRODUCTS_X] = {"X", CT_IN, 0, "[BSL]?D?Q?TC?", "f32 u8 i8 u16 i16 cf32 ci32 ci64",
                                 "*", NULL, "power, visibilities or series, of products along Q"},
              [CT_PRODUCTS_Y] = {"Y", CT_OUT, 0, "[BSL]?D?Q?TC?", "f32 cf32", "*", NULL,
                                 "the same of others; no Q where there is one"}},
    .params = params,
    .split = "B D T C",
    .infer = infer,
    .flops = flops,
    .tuning = {.tunables = tunables,
               .terms = terms,
               .where =
                   "BYTES <= 65536 && (WG == 1 || BYTES <= 32768) && (WG == 1 || NONTEMPORAL == 0) "
                   "&& (WG > 1 || !GPU)",
               .suggest = ct_products_suggest},
    .kernel = {.text = products_cl,
               .name = "stages/products/products.cl",
               .entry = "products",
               .launch = ct_products_launch,
               .emit = ct_products_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 1e-6, .reference = ct_products_reference},
};
