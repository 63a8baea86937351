/* correlator.c: the correlator's data sheet: ports, parameters, tunables, shapes, launch.
 * Room: stages/correlator. Knows cornerturn.h alone. The kernel is correlator.cl, the definition
 * correlator_ref.c. */
#include "correlator.h"
#include "correlator_cl.h"

enum {
    X = CT_CORRELATOR_X,
    M = CT_CORRELATOR_M,
    Y = CT_CORRELATOR_Y,
    COUNTS = CT_CORRELATOR_COUNTS,
    EXACT_MOST = 65535 /* samples of 8 bits whose products a 32-bit sum holds: 2^31 / (2 * 128^2) */
};

static const ct_param params[] = {
    {"integrate", CT_PARAM_INT, "!", NULL, 1, 0, "samples added up in one visibility"}, {0}};

static void set_extent(ct_array *array, char dim, int64_t extent)
{
    int place = ct_array_find(array, dim);
    if (place < 0)
        ct_array_add(array, dim, extent);
    else
        array->extent[place] = extent;
}

/* 8-bit and 4-bit sums stay integers; a 32-bit integer cannot hold sums of 16-bit products. */
static ct_type sum_type(ct_type input)
{
    return input == CT_CI8 || input == CT_CI4 ? CT_CI32 : CT_CF32;
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_array *y = &step->port[Y], *counts = &step->port[COUNTS];
    int64_t stations = ct_array_extent(&step->port[X], 'S');
    int64_t pols = ct_array_extent(&step->port[X], 'P');
    int64_t integrate = ct_step_int(step, "integrate");
    y->type = sum_type(step->port[X].type);
    if (y->type == CT_CI32 && integrate > EXACT_MOST)
        return ct_step_fail(step, "integrate", err,
                            "expected at most %d samples of type %s in one integration, so that "
                            "sums fit in 32 bits, found %lld",
                            EXACT_MOST, ct_type_name(step->port[X].type), (long long)integrate);
    step->decimate = integrate;
    set_extent(y, 'L', stations * (stations + 1) / 2);
    set_extent(y, 'Q', pols * pols);
    counts->type = CT_U32;
    set_extent(counts, 'L', stations * (stations + 1) / 2);
    return CT_OK;
}

static int launch(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[Y];
    out->global[0] = (size_t)ct_array_extent(y, 'C');
    out->global[1] = (size_t)ct_array_extent(y, 'L');
    out->global[2] = (size_t)ct_array_extent(y, 'T');
    return 1;
}

/* Four multiplications and four additions for each product, both halves of the diagonal counted
 * once. */
static double flops(const ct_step *step)
{
    const ct_array *x = &step->port[X], *y = &step->port[Y];
    return 8.0 * (double)ct_array_extent(y, 'L') * (double)ct_array_extent(y, 'Q') *
           (double)ct_array_extent(x, 'T') * (double)ct_array_extent(x, 'C');
}

static const ct_case cases[] = {{"{\"integrate\": 11}", "S=5 P=2 T=33 C=7", "cf32", NULL},
                                {"{\"integrate\": 13}", "S=7 P=2 T=13 C=3", "ci8", NULL},
                                {"{\"integrate\": 5}", "S=13 P=2 T=15 C=3", "ci16", NULL},
                                {"{\"integrate\": 17}", "S=11 P=1 T=17 C=3", "ci8", NULL},
                                {"{\"integrate\": 7}", "S=3 P=1 T=7 C=5", "cf32", NULL},
                                {"{\"integrate\": 9}", "S=5 P=2 T=9 C=7", "ci4", NULL},
                                {0}};

const ct_stage ct_stage_correlator = {
    .api = CT_API,
    .version = 1,
    .name = "correlator",
    .summary = "multiplies all pairs of stations and adds up over time",
    .ports = {{"X", CT_IN, 0, "SPTC", "cf32 ci8 ci16 ci4", "*", "CTSP", "voltages"},
              {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "ST", "u8", "*", NULL,
               "1 where a sample is flagged: it is left out"},
              {"Y", CT_OUT, CT_PORT_ACCUMULATE, "TLCQ", "cf32 ci32", "*", "TLCQ", "visibilities"},
              {"COUNTS", CT_OUT, CT_PORT_ACCUMULATE, "TL", "u32", "*", NULL,
               "samples that went into each visibility"}},
    .params = params,
    .cases = cases,
    .source = correlator_cl,
    .source_name = "stages/correlator/correlator.cl",
    .entry = "correlator",
    .tolerance = 5e-6,
    .infer = infer,
    .launch = launch,
    .reference = ct_correlator_reference,
    .flops = flops,
};
