/* correlator.c: the correlator's data sheet: ports, parameters, tunables, shapes, launch.
 * Room: stages/correlator. Knows only cornerturn_stage.h. The kernel is correlator.cl, the
 * definition correlator_ref.c. */
#include "correlator.h"
#include "correlator_cl.h"
#include <string.h>

enum {
    X = CT_CORRELATOR_X,
    M = CT_CORRELATOR_M,
    Y = CT_CORRELATOR_Y,
    COUNTS = CT_CORRELATOR_COUNTS,
    GRID = 32,         /* see correlator_plain.cl */
    POLS_MOST = 32,    /* rows of a panel, see correlator.cl */
    EXACT_MOST = 65535 /* samples of 8 bits whose products a 32-bit sum holds: 2^31 / (2 * 128^2) */
};

/* The visibilities' type. */
#define SUMS(ROW) ROW(exact, sum_exact) ROW(float, sum_float)

static const ct_param params[] = {
    {"integrate", CT_PARAM_INT, "!", NULL, 1, 0, "samples added up in one visibility"},
    {"sums", CT_PARAM_TEXT, "exact", CT_WORDS(SUMS), 0, 0,
     "exact: integers give integers; float: cf32"},
    {0}};

static const ct_tunable tunables[] = {
    {"DOT", "0 1 2", "0", "0",
     "integers: 2 products of matrices, 1 dot products, 0 multiplications"},
    {"VECTOR_SP", "1 2 4 8 16", "8", "2", "rows of a vector; 16 with DOT and WG=1 only"},
    {"VECTORS_SP", "1 2 4", "2", "4", "vectors of a cell, along the second station"},
    {"CELL_SP", "2 4 8 16", "4", "8", "rows of a cell, along the first station; 16 with DOT=2"},
    {"TILE_T", "4 8 16 32 64 128 256 512", "128", "16", "times of a tile"},
    {"TILE_C", "1 2 4 8 16", "1", "1", "channels of a tile"},
    {"CELLS_SP", "1 8 16", "16", "1", "cells that a work-item takes, along the second station"},
    {"WG", "1 64 256", "1", "64", "work-items of a work-group"},
    {"PREFETCH", "0 1", "1", "0", "how many tiles ahead samples are prefetched; 0: not"},
    {0}};

/* A work-item of its own holds a tile and sums on a stack: that of a driver's thread, or of a
 * GPU's, which has 512 KiB, all in memory. */
static const ct_term terms[] = {
    {"DOTS", "DOT && !Y_IS_cf32", "1: sums are made of dot products"},
    {"MATRICES", "DOT == 2 && Y_IS_ci32 && WG == 1", "1: sums are made of products of matrices"},
    {"ROWS", "VECTORS_SP * VECTOR_SP", "rows (a polarization of a station each) of a panel"},
    {"STATIONS", "max(ROWS / X_N_P, 1)", "whole stations of a panel"},
    {"LEFT_OVER", "ROWS % X_N_P", "rows of a panel that no station fills"},
    {"PANELS", "divide_up(X_N_S, STATIONS)", "panels of rows"},
    {"TIMES", "X_N_T / Y_N_T", "samples that one work-item adds up"},
    {"SAMPLE_BYTES", "Y_IS_ci64 ? 12 : MATRICES ? 2 : (DOTS ? 4 : 8)",
     "of a row in the tile and in what is made of it: rows rotated, their high bytes"},
    {"STRIP_BYTES", "MATRICES ? 4 * CELL_SP * TILE_T : 0", "what is made of a cell's rows"},
    {"PACKED_BYTES", "TILE_C * PANELS * ROWS * TILE_T * SAMPLE_BYTES + STRIP_BYTES",
     "tile of a work-item"},
    {"FIRST_J", "PANELS - min(CELLS_SP, PANELS)", "first of the last work-item's panels"},
    {"CELLS",
     "ROWS / CELL_SP * PANELS * (PANELS + 1) / 2 - ROWS / CELL_SP * FIRST_J * (FIRST_J + 1) / 2",
     "its cells"},
    {"KEPT_BYTES", "TIMES <= TILE_T ? 0 : TILE_C * CELL_SP * ROWS * Y_TYPE_BYTES * CELLS",
     "sums that it keeps between tiles"},
    {"MOST_BYTES", "GPU ? 262144 : 4194304", "of tile and sums together"},
    {"SIDE", "WG == 64 ? 8 : 16", "work-items along a side of a group's square"},
    {"SPARE", "SIDE * CELL_SP % X_N_P", "rows of a side that no station fills"},
    {"GROUP_BYTES", "2 * TILE_T * (SIDE * CELL_SP * (DOTS ? 2 : Y_IS_ci64 ? 4 : 8) + 16)",
     "tiles of a group: rows i and rows j of its square"},
    {0}};

static const ct_tile tiles[] = {
    {.name = "A",
     .port = "X",
     .order = "CSTsP",
     .extents = "TILE_C,PANELS,TILE_T,STATIONS,X_N_P",
     .padding = "S:ROWS",
     .type = "float2",
     .when = "WG == 1 && !Y_IS_ci64 && !DOTS && LEFT_OVER == 0"},
    {.name = "A",
     .port = "X",
     .order = "CSTsP",
     .extents = "TILE_C,PANELS,TILE_T,STATIONS,X_N_P",
     .padding = "s:LEFT_OVER",
     .type = "float2",
     .when = "WG == 1 && !Y_IS_ci64 && !DOTS && LEFT_OVER > 0"},
    {.name = "A",
     .port = "X",
     .order = "CSTsP",
     .extents = "TILE_C,PANELS,TILE_T,STATIONS,X_N_P",
     .padding = "s:LEFT_OVER",
     .type = "short2",
     .when = "WG == 1 && Y_IS_ci64"},
    {.name = "B", /* of a group: its rows i, or its rows j */
     .port = "X",
     .order = "TSP",
     .extents = "TILE_T,SIDE*CELL_SP/X_N_P,X_N_P",
     .padding = "S:2+SPARE",
     .type = "float2",
     .when = "WG > 1 && !Y_IS_ci64 && !DOTS"},
    {.name = "B",
     .port = "X",
     .order = "TSP",
     .extents = "TILE_T,SIDE*CELL_SP/X_N_P,X_N_P",
     .padding = "S:4+SPARE",
     .type = "short2",
     .when = "WG > 1 && Y_IS_ci64"},
    {.name = "B",
     .port = "X",
     .order = "TSPt",
     .extents = "TILE_T/2,SIDE*CELL_SP/X_N_P,X_N_P,2",
     .padding = "S:8+2*SPARE",
     .type = "char2",
     .when = "WG > 1 && Y_IS_ci32 && DOT == 1"},
    {.name = "B", /* rows of different times in different banks, as a warp reads them */
     .port = "X",
     .order = "TSPt",
     .extents = "TILE_T/2,SIDE*CELL_SP/X_N_P,X_N_P,2",
     .padding = "S:16+2*SPARE",
     .type = "char2",
     .when = "WG > 1 && Y_IS_ci32 && DOT == 2"},
    {.name = "I",
     .port = "X",
     .order = "CSTsPt",
     .extents = "TILE_C,PANELS,TILE_T/2,STATIONS,X_N_P,2",
     .padding = "s:2*LEFT_OVER",
     .type = "char2",
     .when = "WG == 1 && Y_IS_ci32 && DOT"},
    {.name = "F", /* prefetched, never packed */
     .port = "X",
     .order = "CSTP",
     .extents = "TILE_C,(ROWS/(1+DOTS)+X_N_P-1)/X_N_P,(TILE_T+16*TILE_C-1)/(16*TILE_C),X_N_P",
     .type = "float2",
     .when = "WG == 1 && !MATRICES"},
    {.name = "F",
     .port = "X",
     .order = "CSTP",
     .extents = "TILE_C,X_N_S,divide_up(TILE_T,TILE_C*CELLS),X_N_P",
     .type = "float2",
     .when = "MATRICES"},
    {0}};

/* Sums of integers stay integers, as wide as they may become. */
static ct_type sum_exact(ct_type input)
{
    switch (input) {
    case CT_CI4:
    case CT_CI8:
        return CT_CI32;
    case CT_CI16:
        return CT_CI64;
    default:
        return CT_CF32;
    }
}

static ct_type sum_float(ct_type input)
{
    (void)input;
    return CT_CF32;
}

static const struct {
    const char *name;
    ct_type (*type)(ct_type input);
} sums[] = {SUMS(CT_ROW)};

/* An integration is labelled with the middle of its samples. */
static void integrate_meta(ct_meta *meta, const ct_meta *input, int64_t samples)
{
    meta->sample_time_s = (double)samples * input->sample_time_s;
    meta->integrated = samples;
    meta->start_s = input->start_s + 0.5 * (double)(samples - 1) * input->sample_time_s;
}

/* Channel by channel where flags are of channels. */
static void infer_counts(const ct_step *step, ct_array *counts, int64_t baselines)
{
    const ct_array *flags = &step->port[M];
    counts->type = CT_U32;
    counts->rank = 0;
    ct_array_add(counts, 'T', 0);
    ct_array_add(counts, 'L', baselines);
    if (flags->type != CT_NONE && ct_array_find(flags, 'C') >= 0)
        ct_array_add(counts, 'C', ct_array_extent(&step->port[X], 'C'));
}

/* Receptors are X and Y unless their source says otherwise; three and more have no names. */
static const ct_products *products_of(ct_step *step, int64_t pols)
{
    static const char *const names[2][2] = {{"XX", "XX XY YX YY"}, {"RR", "RR RL LR LL"}};
    const ct_feed feed = ct_array_feed(&step->port[X]);
    if (pols > 2) return NULL;
    return ct_step_products(step, names[feed == CT_FEED_CIRCULAR][pols - 1], feed);
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_array *y = &step->port[Y], *counts = &step->port[COUNTS];
    int64_t stations = ct_correlator_stations(&step->port[X]);
    int64_t pols = ct_array_extent(&step->port[X], 'P');
    int64_t integrate = ct_step_int(step, "integrate");
    if (pols > POLS_MOST)
        return ct_step_fail(step, NULL, err, "expected at most %d polarizations, found %lld",
                            POLS_MOST, (long long)pols);
    y->type = sums[ct_step_choice(step, "sums")].type(step->port[X].type);
    if (y->type == CT_CI32 && integrate > EXACT_MOST)
        return ct_step_fail(step, "integrate", err,
                            "expected at most %d samples of type %s in one integration, so that "
                            "sums fit in 32 bits (or \"sums\": \"float\"), found %lld",
                            EXACT_MOST, ct_type_name(step->port[X].type), (long long)integrate);
    step->decimate = integrate;
    /* Where it takes several firings, these begin where partial sums of floats do. */
    if (y->type == CT_CF32 && integrate > ct_array_extent(&step->port[X], 'T')) step->grain = GRID;
    ct_array_set(y, 'L', stations * (stations + 1) / 2);
    ct_array_set(y, 'Q', pols * pols);
    y->meta.products = products_of(step, pols);
    infer_counts(step, counts, stations * (stations + 1) / 2);
    integrate_meta(&y->meta, &step->port[X].meta, integrate);
    integrate_meta(&counts->meta, &step->port[X].meta, integrate);
    return CT_OK;
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
                                {"{\"integrate\": 39}", "S=7 P=2 T=13 C=3", "ci8", NULL},
                                {"{\"integrate\": 5}", "S=13 P=2 T=15 C=3", "ci16", NULL},
                                {"{\"integrate\": 17}", "S=11 P=1 T=17 C=3", "ci8", NULL},
                                {"{\"integrate\": 105}", "S=3 P=1 T=35 C=5", "cf32", NULL},
                                {"{\"integrate\": 9}", "S=5 P=2 T=9 C=7", "ci4", NULL},
                                {"{\"integrate\": 9}", "S=7 P=3 T=18 C=5", "cf32", NULL},
                                {"{\"integrate\": 5}", "S=5 P=3 T=5 C=7", "ci8", NULL},
                                {"{\"integrate\": 7}", "S=4 P=3 T=14 C=3", "ci16", NULL},
                                {"{\"integrate\": 3}", "S=7 P=5 T=9 C=2", "cf32", NULL},
                                {"{\"integrate\": 3}", "S=4 P=6 T=3 C=5", "ci8", NULL},
                                {"{\"integrate\": 21}", "S=3 P=8 T=7 C=5", "ci16", NULL},
                                {"{\"integrate\": 5}", "S=3 P=8 T=5 C=2", "cf32", NULL},
                                {"{\"integrate\": 11}", "B=5 P=2 T=22 C=3", "cf32", NULL},
                                {0}};

const ct_stage ct_stage_correlator = {
    .api = CT_API,
    .version = 3,
    .name = "correlator",
    .summary = "multiplies all pairs of stations or beams and adds up over time",
    .ports = {[X] = {"X", CT_IN, 0, "[SB]PTC", "cf32 ci8 ci16 ci4", "*", "CTSP", "voltages"},
              [M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", "SCT",
                     "1 where a station's sample is flagged: it is left out"},
              [Y] = {"Y", CT_OUT, CT_PORT_ACCUMULATE | CT_PORT_CARRY | CT_PORT_EXACT, "TLCQ",
                     "cf32 ci32 ci64", "*", "TCLQ", "visibilities"},
              [COUNTS] = {"COUNTS", CT_OUT, CT_PORT_ACCUMULATE | CT_PORT_CARRY | CT_PORT_EXACT,
                          "TLC?", "u32", "*", NULL, "samples that went into each visibility"}},
    .params = params,
    .split = "C +T",
    .traits = CT_STAGE_LEAVES_OUT,
    .infer = infer,
    .flops = flops,
    .tuning = {.tunables = tunables,
               .terms = terms,
               .where =
                   "(WG > 1 || CELL_SP < 8 || MATRICES) && (WG == 1 || TILE_C == 1) && (WG == 1 || "
                   "CELLS_SP == 1) && "
                   "(WG == 1 || PREFETCH == 0) && (WG == 1 || VECTOR_SP <= 2) && "
                   "(WG == 1 || CELL_SP == ROWS) && " CT_CORRELATOR_SUITS,
               .suggest = ct_correlator_suggest,
               .note = ct_correlator_engine_note},
    .kernel = {.text = correlator_cl,
               .name = "stages/correlator/correlator.cl",
               .entry = "correlator",
               .launch = ct_correlator_launch,
               .emit = ct_correlator_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 5e-6, .reference = ct_correlator_reference},
};
