/* beamformer.c: the beam former's data sheet: ports, parameters, tunables, shapes, launch.
 * Room: stages/beamformer. Knows only cornerturn_stage.h. The weights are made in beams.c, the
 * kernel is beamformer.cl, the definition beamformer_ref.c. */
#include "beamformer.h"

#include <string.h>

#include "beamformer_cl.h"

enum { X = CT_BEAMFORMER_X, W = CT_BEAMFORMER_W, Y = CT_BEAMFORMER_Y };

static const ct_param params[] = {CT_BEAMFORMER_PARAMS,
                                  {"mode", CT_PARAM_TEXT, "coherent", CT_WORDS(CT_BEAMFORMER_MODES),
                                   0, 0, "incoherent: the sum of the stations' powers"},
                                  {0}};

const ct_tunable ct_beamformer_tunables[] = {
    {"DOT", "0 2", "0", "0", "2: products of matrices, by work-groups, 0 multiplications"},
    {"VECTOR_TP", "1 2 4 8", "8", "2", "samples of a vector"},
    {"VECTORS_TP", "1 2 4", "4", "4", "vectors of a cell"},
    {"CELL_B", "1 2 3 4 5 6 7 8", "2", "8", "beams of a cell"},
    {"TILE_T", "8 16 32 64 128", "16", "32", "times of a tile"},
    {"TILES_T", "1 8 32", "32", "1", "tiles that a work-item takes one after the other"},
    {"CELLS_B", "1 2 4 8", "1", "8", "cells of beams in a write"},
    {"WRITES_B", "1 4 16 64", "64", "1", "writes of beams that a work-item makes"},
    {"TILE_C", "1 2 4 8", "1", "1", "channels of a tile"},
    {"WRITE_C", "1 2 4 8", "1", "1", "channels of a write"},
    {"PARTS_T", "1 2 4 8", "1", "1",
     "parts into which a write is cut, each stored between the next one's cells"},
    {"TILE_S", "8 16", "8", "8", "stations of a tile, where a work-group shares it"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"PREFETCH", "0 1", "1", "0", "how many tiles ahead samples are prefetched; 0: not"},
    {0}};

static const ct_tile tiles[] = {CT_BEAMFORMER_TILES,
                                {.name = "R",
                                 .port = "Y",
                                 .order = "CBTP",
                                 .extents = "WRITE_C,CELLS_B*CELL_B,TILE_T,X_N_P",
                                 .type = "float2",
                                 .when = "HAVE_W*(WG==1)"},
                                {.name = "D", /* a part of R's times, where it lies in R */
                                 .port = "Y",
                                 .order = "CBTP",
                                 .extents = "WRITE_C,CELLS_B*CELL_B,TILE_T/PARTS_T,X_N_P",
                                 .padding = "T:(TILE_T-TILE_T/PARTS_T)*X_N_P",
                                 .type = "float2",
                                 .when = "HAVE_W*(PARTS_T>1)"},
                                {.name = "Q", /* sums of powers */
                                 .port = "Y",
                                 .order = "CTP",
                                 .extents = "TILE_C,TILE_T,X_N_P",
                                 .type = "float",
                                 .when = "!HAVE_W"},
                                {.name = "V", /* results of a group */
                                 .port = "Y",
                                 .order = "BTP",
                                 .extents = "CELLS_B*(1+(CELL_B%2==0)),TILE_T,X_N_P",
                                 .type = "float2",
                                 .when = "HAVE_W*(WG>1)"},
                                {0}};

static const ct_term terms[] = {
    CT_BEAMFORMER_TERMS,
    {"GROUP_BYTES", "U_BYTES + H_BYTES + V_BYTES", "samples, weights and results of a work-group"},
    {0}};

static void infer_table(ct_step *step, const ct_beams *beams)
{
    ct_array *w = &step->port[W];
    w->rank = 0;
    w->type = CT_CF32;
    if (beams->segment > 0) {
        ct_tracks_shape(step, beams, ct_array_extent(&step->port[X], 'T'));
        step->grain = CT_TRACKS_GRAIN;
        ct_step_updates(step, "W");
    }
    ct_array_add(w, 'B', beams->count);
    ct_array_add(w, 'S', ct_array_extent(&step->port[X], 'S'));
    ct_array_add(w, 'C', ct_array_extent(&step->port[X], 'C'));
}

/* What would be ignored is refused. */
static ct_status check_incoherent(const ct_step *step, ct_error *err)
{
    static const char *const names[] = {"weights", "positions", "directions", "radec"};
    for (int i = 0; i < 4; i++)
        if (ct_step_value(step, names[i]))
            return ct_step_fail(step, names[i], err,
                                "an incoherent beam adds up the stations' powers as they are; "
                                "leave \"%s\" out",
                                names[i]);
    return CT_OK;
}

/* Channel by channel where flags are of channels. */
static void infer_counts(ct_step *step)
{
    const ct_array *x = &step->port[X], *flags = &step->port[CT_BEAMFORMER_M];
    ct_array *counts = &step->port[CT_BEAMFORMER_COUNTS];
    counts->type = CT_U32;
    counts->rank = 0;
    ct_array_add(counts, 'T', 0);
    if (ct_array_find(flags, 'C') >= 0) ct_array_add(counts, 'C', ct_array_extent(x, 'C'));
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_beams *beams = NULL;
    if (!ct_beamformer_detects(step)) infer_counts(step);
    if (!ct_beamformer_is_coherent(step)) {
        if (check_incoherent(step, err) != CT_OK) return CT_INVALID;
        step->port[W].type = CT_NONE;
        step->port[Y].type = CT_F32;
        ct_array_set(&step->port[Y], 'B', 1);
        return CT_OK;
    }
    ct_status status = ct_beams_load(step, &beams, err);
    if (status != CT_OK) return status;
    step->state = beams;
    step->port[Y].type = CT_CF32;
    ct_array_set(&step->port[Y], 'B', beams->count);
    infer_table(step, beams);
    return CT_OK;
}

static double scale_none(int64_t stations)
{
    (void)stations;
    return 1.0;
}

static double scale_mean(int64_t stations)
{
    return 1.0 / (double)stations;
}

static const struct {
    const char *name;
    double (*of)(int64_t stations);
} scales[] = {CT_BEAMFORMER_SCALES(CT_ROW)};

double ct_beamformer_scale(const ct_step *step, int64_t stations)
{
    return scales[ct_step_choice(step, "normalise")].of(stations);
}

static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    int64_t stations = ct_array_extent(fill, 'S'), channels = ct_array_extent(fill, 'C');
    double scale = ct_beamformer_scale(step, stations);
    if (strcmp(port, "N") == 0) {
        ct_tracks_begins(step, fill);
        return CT_OK;
    }
    if (((const ct_beams *)step->state)->segment > 0) return ct_tracks_fill(step, fill, scale, err);
    for (int64_t n = 0; n < ct_array_count(fill); n++) {
        int64_t c = n % channels, s = n / channels % stations, b = n / channels / stations;
        ct_complex weight = ct_beams_weight(step, b, s, c);
        int64_t at = fill->offset + b * ct_array_stride(fill, 'B') +
                     s * ct_array_stride(fill, 'S') + c * ct_array_stride(fill, 'C');
        ct_array_save(fill, at, weight.re * scale, weight.im * scale);
    }
    return CT_OK;
}

static double flops(const ct_step *step)
{
    double samples = (double)ct_array_count(&step->port[X]);
    return ct_beamformer_is_coherent(step)
               ? 8.0 * samples * (double)ct_array_extent(&step->port[Y], 'B')
               : 4.0 * samples;
}

static const ct_case cases[] = {
    {CT_BEAMFORMER_GEOMETRY "}", "S=5 P=2 T=11 C=3", "cf32", NULL},
    {CT_BEAMFORMER_GEOMETRY "}", "S=5 P=2 T=9 C=7", "ci8", NULL},
    {CT_BEAMFORMER_GEOMETRY ", \"normalise\": \"mean\"}", "S=5 P=1 T=13 C=3", "ci16", NULL},
    {CT_BEAMFORMER_GEOMETRY "}", "S=5 P=2 T=3 C=7", "ci4", NULL},
    {CT_BEAMFORMER_GEOMETRY "}", "S=5 P=3 T=11 C=3", "ci8", NULL},
    {CT_BEAMFORMER_GEOMETRY "}", "S=5 P=2 T=37 C=3", "cf32",
     "VECTOR_TP=2 VECTORS_TP=4 CELL_B=3 TILE_T=32 TILES_T=1 CELLS_B=8 WRITES_B=1 TILE_C=1 "
     "WRITE_C=1 PARTS_T=1 TILE_S=8 WG=64 NONTEMPORAL=0 PREFETCH=0"},
    {CT_BEAMFORMER_GEOMETRY "}", "S=5 P=2 T=37 C=3", "cf32",
     "DOT=2 CELL_B=2 VECTORS_TP=4 TILE_T=32 TILE_S=8 " CT_BEAMFORMER_UNITS},
    {CT_BEAMFORMER_GEOMETRY "}", "S=5 P=1 T=37 C=3", "ci4",
     "DOT=2 CELL_B=4 VECTORS_TP=2 TILE_T=32 TILE_S=16 " CT_BEAMFORMER_UNITS},
    {CT_BEAMFORMER_MOVING "}", "S=3 P=2 T=96 C=5", "cf32", NULL},
    {CT_BEAMFORMER_MOVING "}", "S=3 P=2 T=64 C=7", "ci8",
     "VECTOR_TP=2 VECTORS_TP=4 CELL_B=3 TILE_T=32 TILES_T=1 CELLS_B=8 WRITES_B=1 TILE_C=1 "
     "WRITE_C=1 PARTS_T=1 TILE_S=8 WG=64 NONTEMPORAL=0 PREFETCH=0"},
    {CT_BEAMFORMER_MOVING "}", "S=3 P=2 T=64 C=7", "ci16",
     "DOT=2 CELL_B=2 VECTORS_TP=4 TILE_T=32 TILE_S=8 " CT_BEAMFORMER_UNITS},
    {CT_BEAMFORMER_SLOW "}", "S=3 P=2 T=160 C=7", "ci8", NULL},
    {CT_BEAMFORMER_SLOW "}", "S=3 P=1 T=224 C=5", "cf32",
     "VECTOR_TP=2 VECTORS_TP=2 CELL_B=3 TILE_T=32 TILES_T=1 CELLS_B=8 WRITES_B=1 TILE_C=1 "
     "WRITE_C=1 PARTS_T=1 TILE_S=8 WG=64 NONTEMPORAL=0 PREFETCH=0"},
    {"{\"mode\": \"incoherent\"}", "S=7 P=2 T=11 C=3", "cf32", NULL},
    {"{\"mode\": \"incoherent\", \"normalise\": \"mean\"}", "S=13 P=2 T=5 C=3", "ci8", NULL},
    {"{\"mode\": \"incoherent\"}", "S=7 P=3 T=5 C=3", "cf32", NULL},
    {0}};

/* The sum of powers uses only TILE_T, TILE_C, NONTEMPORAL and WG: the others have one value there.
 * A condition each, so that a walk over combinations goes back at the first that fails. */
/* clang-format off */
#define POWERS \
    "(HAVE_W || VECTOR_TP == 1) && (HAVE_W || VECTORS_TP == 1) && (HAVE_W || CELL_B == 1) && " \
    "(HAVE_W || TILES_T == 1) && " \
    "(HAVE_W || CELLS_B == 1) && (HAVE_W || WRITES_B == 1) && (HAVE_W || WRITE_C == 1) && " \
    "(HAVE_W || PARTS_T == 1) && (HAVE_W || TILE_S == 8) && (HAVE_W || PREFETCH == 0) && " \
    "(HAVE_W || WG == 1 || TILE_T == 8)"
/* clang-format on */

const ct_stage ct_stage_beamformer = {
    .api = CT_API,
    .version = 2,
    .name = "beamformer",
    .summary = "sums stations with weights, one beam for each set of weights",
    .ports = {[X] = {"X", CT_IN, 0, "SPTC", "cf32 ci8 ci16 ci4", "*", "CTSP", "voltages"},
              [W] = {"W", CT_TABLE, CT_PORT_OPTIONAL, "K?BSC", "cf32", "*", "KCSB",
                     "weights, of each segment where beams move"},
              [Y] = {"Y", CT_OUT, 0, "BPTC", "cf32 f32", "*", "BCTP", "beams"},
              [CT_BEAMFORMER_M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*",
                                   "SCT", "flags, for what is counted"},
              [CT_BEAMFORMER_COUNTS] = {"COUNTS", CT_OUT, CT_PORT_OPTIONAL | CT_PORT_EXACT, "TC?",
                                        "u32", "*", NULL, "stations that went into the beams"},
              [CT_BEAMFORMER_N] = CT_BEAMFORMER_BEGINS},
    .params = params,
    .split = "P T C B +S",
    .traits = CT_STAGE_LEAVES_OUT,
    .infer = infer,
    .table = table,
    .flops = flops,
    .tuning = {.tunables = ct_beamformer_tunables,
               .terms = terms,
               .where = POWERS
               " && TILE_T % PARTS_T == 0 && (WG == 1 || PARTS_T == 1) && " CT_BEAMFORMER_WHERE,
               .suggest = ct_beamformer_suggest,
               .note = ct_beamformer_note},
    .kernel = {.text = beamformer_cl,
               .name = "stages/beamformer/beamformer.cl",
               .entry = "beamformer",
               .launch = ct_beamformer_launch,
               .emit = ct_beamformer_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 2e-6, .reference = ct_beamformer_reference},
};
