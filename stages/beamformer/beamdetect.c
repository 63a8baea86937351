/* beamdetect.c: beam former and detection in one pass: beams become powers in the tile, before they
 * are stored, so the complex beams never reach memory.
 * Room: stages/beamformer. Knows only cornerturn_stage.h. The kernel is beamformer.cl with FUSED
 * set, the shapes and weights are the beam former's. A pipeline chooses it by "fuse": true on its
 * detect node. */
#include "beamformer.h"
#include "beamformer_cl.h"
#include "stokes.h"

enum { X = CT_BEAMFORMER_X, W = CT_BEAMFORMER_W, Y = CT_BEAMFORMER_Y };

static const ct_param params[] = {
    CT_BEAMFORMER_PARAMS,
    {"mode", CT_PARAM_TEXT, "coherent", CT_WORDS(CT_BEAMFORMER_VOLTAGES), 0, 0,
     "incoherent beams are not fused"},
    {"stokes", CT_PARAM_TEXT, "I", CT_WORDS(CT_STOKES), 0, 0,
     "power, or all four Stokes parameters"},
    {"integrate", CT_PARAM_INT, "1", NULL, 1, 32, "time samples added: a part of a tile's times"},
    {0}};

static const ct_tile tiles[] = {CT_BEAMFORMER_TILES,
                                {.name = "Z",
                                 .port = "Y",
                                 .order = "CBQT",
                                 .extents = "WRITE_C,CELLS_B*CELL_B,Y_N_Q,TILE_T/P_INTEGRATE",
                                 .type = "float"},
                                {0}};

static const ct_term terms[] = {
    CT_BEAMFORMER_TERMS,
    {"GROUP_BYTES",
     "U_BYTES + H_BYTES + 8 * CELLS_B * (CELL_B % 2 == 0 ? 2 : 1) * SAMPLES + Z_BYTES",
     "samples, weights, some beams and all powers of a work-group"},
    {0}};

static bool full_stokes(const ct_step *step)
{
    return ct_stokes_count(step) > 1;
}

static ct_status check_integrate(const ct_step *step, ct_error *err)
{
    int64_t n = ct_step_int(step, "integrate");
    if ((n & (n - 1)) == 0) return CT_OK; /* a part of a tile of 8, 16 or 32 times */
    return ct_step_fail(step, "integrate", err,
                        "a fused detection adds 1, 2, 4, 8, 16 or 32 samples, found %lld; without "
                        "\"fuse\" any number will do",
                        (long long)n);
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_array *y = &step->port[Y];
    int64_t pols = ct_array_extent(&step->port[X], 'P'), n = ct_step_int(step, "integrate");
    double sample = step->port[X].meta.sample_time_s;
    if (pols > 2 || (full_stokes(step) && pols != 2))
        return ct_step_fail(step, "stokes", err, "%s needs %s polarizations, the input has %lld",
                            full_stokes(step) ? "IQUV" : "I", full_stokes(step) ? "2" : "1 or 2",
                            (long long)pols);
    ct_status status = check_integrate(step, err);
    if (status == CT_OK) status = ct_stokes_check_feed(step, &step->port[X], err);
    if (status == CT_OK) status = ct_stage_beamformer.infer(step, err);
    if (status != CT_OK) return status;
    y->type = CT_F32;
    if (full_stokes(step)) ct_array_add(y, 'Q', ct_stokes_count(step));
    y->meta.products = ct_stokes_products(step, &step->port[X]);
    y->meta.sample_time_s = sample * (double)n;
    y->meta.start_s += 0.5 * (double)(n - 1) * sample;
    step->decimate = n;
    ct_stokes_infer_counts(&step->port[CT_BEAMFORMER_COUNTS], &step->port[Y],
                           &step->port[CT_BEAMFORMER_M]);
    return CT_OK;
}

static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    return ct_stage_beamformer.table(step, port, fill, err);
}

/* A tile holds whole integrations. */
static void suggest(ct_step *step)
{
    ct_beamformer_suggest(step);
    while (ct_step_tunable(step, "TILE_T") % ct_step_int(step, "integrate") != 0)
        ct_step_suggest(step, "TILE_T", 2 * ct_step_tunable(step, "TILE_T"));
}

static double flops(const ct_step *step)
{
    double samples = (double)ct_array_count(&step->port[X]);
    double beams = (double)ct_array_extent(&step->port[Y], 'B');
    double stations = (double)ct_array_extent(&step->port[X], 'S');
    return 8.0 * samples * beams + 4.0 * samples * beams / stations;
}

static const ct_case cases[] = {
    {CT_BEAMFORMER_GEOMETRY "}", "S=5 P=2 T=11 C=3", "cf32", NULL},
    {CT_BEAMFORMER_GEOMETRY ", \"stokes\": \"IQUV\", \"integrate\": 2}", "S=5 P=2 T=18 C=3", "ci8",
     NULL},
    {CT_BEAMFORMER_MOVING ", \"integrate\": 2}", "S=3 P=2 T=96 C=5", "cf32", NULL},
    {CT_BEAMFORMER_SLOW ", \"integrate\": 4}", "S=3 P=2 T=160 C=7", "ci8", NULL},
    {CT_BEAMFORMER_GEOMETRY ", \"normalise\": \"mean\", \"integrate\": 8}", "S=5 P=1 T=72 C=7",
     "ci16", NULL},
    {CT_BEAMFORMER_GEOMETRY ", \"stokes\": \"IQUV\", \"integrate\": 2}", "S=5 P=2 T=18 C=3", "cf32",
     "DOT=2 CELL_B=2 VECTORS_TP=2 TILE_T=16 TILE_S=8 " CT_BEAMFORMER_UNITS},
    {CT_BEAMFORMER_SLOW ", \"integrate\": 4}", "S=3 P=2 T=160 C=7", "ci8",
     "DOT=2 CELL_B=2 VECTORS_TP=4 TILE_T=32 TILE_S=8 " CT_BEAMFORMER_UNITS},
    {0}};

const ct_stage ct_stage_beamdetect = {
    .api = CT_API,
    .version = 2,
    .name = "beamdetect",
    .summary = "beam former and detection in one pass",
    .fuses = "beamformer detect",
    .ports = {[X] = {"X", CT_IN, 0, "SPTC", "cf32 ci8 ci16 ci4", "*", "CTSP", "voltages"},
              [W] = {"W", CT_TABLE, 0, "K?BSC", "cf32", "*", "KCSB",
                     "weights, of each segment where beams move"},
              [Y] = {"Y", CT_OUT, 0, "BQ?TC", "f32", "*", "BQCT", "powers"},
              [CT_BEAMFORMER_M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*",
                                   "SCT", "flags, for what is counted"},
              [CT_BEAMFORMER_COUNTS] = {"COUNTS", CT_OUT, CT_PORT_OPTIONAL | CT_PORT_EXACT, "BTC?",
                                        "u32", "*", NULL, "samples that went into each sum"},
              [CT_BEAMFORMER_N] = CT_BEAMFORMER_BEGINS},
    .params = params,
    .split = "B T C",
    .traits = CT_STAGE_LEAVES_OUT,
    .infer = infer,
    .table = table,
    .flops = flops,
    .tuning = {.tunables = ct_beamformer_tunables,
               .terms = terms,
               .where = "TILE_T % P_INTEGRATE == 0 && PARTS_T == 1 && " CT_BEAMFORMER_WHERE,
               .suggest = suggest,
               .note = ct_beamformer_note},
    .kernel = {.text = beamformer_cl,
               .name = "stages/beamformer/beamformer.cl",
               .entry = "beamformer",
               .launch = ct_beamformer_launch,
               .emit = ct_beamformer_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 4e-6, .reference = ct_beamdetect_reference},
};
