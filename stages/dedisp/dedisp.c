/* dedisp.c: the data sheet of incoherent dedispersion.
 * Room: stages/dedisp. Knows cornerturn.h. Does not know layouts beyond strides, other stages,
 * OpenCL. */
#include "dedisp.h"

#include <stdio.h>
#include <string.h>

#include "dedisp_cl.h"

/* ---- shapes */

/* Times are those of the highest channel; the channels are one band. */
static ct_status infer_band(ct_step *step, const dedisp_trials *trials)
{
    const ct_meta *x = &step->port[PORT_X].meta;
    ct_meta *y = &step->port[PORT_Y].meta;
    double *reference_hz = ct_step_alloc(step, sizeof *reference_hz);
    ct_header *header = ct_step_alloc(step, sizeof *header);
    if (!reference_hz || !header) return CT_FAILED;
    if (x->header) *header = *x->header;
    header->channels = trials->channels;
    *reference_hz = trials->reference_hz;
    y->header = header;
    y->frequency_hz = reference_hz;
    y->frequencies = 1;
    y->channel_width_hz = x->channel_width_hz * (double)trials->channels;
    return CT_OK;
}

static ct_status infer_output(ct_step *step, const dedisp_trials *trials)
{
    static const char names[] = "BSQ";
    const ct_array *x = &step->port[PORT_X];
    ct_array *y = &step->port[PORT_Y];
    double *dm = ct_step_alloc(step, (size_t)trials->count * sizeof *dm);
    int64_t *downsample = ct_step_alloc(step, (size_t)trials->count * sizeof *downsample);
    if (!dm || !downsample) return CT_FAILED;

    y->rank = 0;
    y->type = CT_F32;
    for (const char *name = names; *name; name++)
        if (ct_array_find(x, *name) >= 0) ct_array_add(y, *name, ct_array_extent(x, *name));
    ct_array_add(y, 'D', trials->count);
    ct_array_add(y, 'T', ct_array_extent(x, 'T'));
    for (int64_t d = 0; d < trials->count; d++) {
        dm[d] = ct_trials_dm(trials, d);
        downsample[d] = ct_trials_range(trials, d)->downsample;
    }
    y->meta = x->meta;
    y->meta.dm = dm;
    y->meta.downsample = downsample;
    y->meta.dms = trials->count;
    y->meta.subbands = trials->subbands.count;
    y->meta.smear = trials->subbands.smear;
    y->meta.sample_time_s *= (double)trials->finest;
    y->meta.start_s += 0.5 * (double)(trials->finest - 1) * x->meta.sample_time_s;
    if (x->meta.total >= 0) y->meta.total = (x->meta.total - trials->longest) / trials->finest;
    return infer_band(step, trials);
}

static ct_type sum_type(const ct_array *x, int64_t downsample)
{
    switch (x->type) {
    case CT_U8:
        return downsample <= 257 ? CT_U16 : CT_U32;
    case CT_U16:
        return CT_U32;
    case CT_I8:
        return CT_I32;
    default:
        return CT_F32;
    }
}

/* Ranges of the same factor share a level. */
static int64_t place_levels(const dedisp_trials *trials, int64_t samples)
{
    int64_t length = 0;
    for (int64_t r = 0; r < trials->ranges; r++) {
        dedisp_range *range = &trials->range[r];
        int64_t same = 0;
        while (trials->range[same].downsample != range->downsample)
            same++;
        range->level = same < r ? trials->range[same].level : length;
        if (same == r) length += ct_divide_up(samples, range->downsample);
    }
    return length;
}

/* Series, which are dedispersed alike: one for each beam or station and Stokes parameter. */
int64_t ct_dedisp_series(const ct_array *x)
{
    return ct_array_extent(x, 'B') * ct_array_extent(x, 'S') * ct_array_extent(x, 'Q');
}

static void infer_scratch(ct_array *scratch, const ct_array *x, ct_type type, int64_t samples)
{
    scratch->rank = 0;
    scratch->type = type;
    if (type == CT_NONE) return;
    ct_array_add(scratch, 'B', ct_dedisp_series(x));
    ct_array_add(scratch, 'C', ct_array_extent(x, 'C'));
    ct_array_add(scratch, 'T', samples);
}

static void infer_inner(ct_step *step, const dedisp_trials *trials)
{
    const ct_array *x = &step->port[PORT_X];
    ct_array *shift = &step->port[PORT_SHIFT];
    const ct_type sums = trials->coarsest == 1 ? CT_NONE : sum_type(x, trials->coarsest);
    int64_t samples = ct_array_extent(x, 'T') + trials->longest;

    shift->rank = 0;
    shift->type = CT_I32;
    ct_array_add(shift, 'D', trials->count);
    ct_array_add(shift, 'C', trials->channels);
    infer_scratch(&step->port[PORT_Z], x, sums, place_levels(step->state, samples));
    infer_scratch(&step->port[PORT_R], x, x->type, samples);
    step->port[PORT_SUMS].rank = 0; /* not connected where it would be too large */
    if (trials->sums.words > 0) ct_array_add(&step->port[PORT_SUMS], 'K', trials->sums.words);
}

/* Flags are of all Stokes parameters. */
static void infer_counts(ct_step *step)
{
    const ct_array *y = &step->port[PORT_Y];
    ct_array *counts = &step->port[PORT_COUNTS];
    counts->rank = 0;
    counts->type = CT_U32;
    for (int k = 0; k < y->rank; k++)
        if (y->dim[k] != 'Q') ct_array_add(counts, y->dim[k], y->extent[k]);
    counts->meta = y->meta;
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_status status = ct_trials_make(step, err);
    if (status != CT_OK) return status;
    const dedisp_trials *trials = step->state;
    status = infer_output(step, trials);
    if (status != CT_OK) return status;
    infer_counts(step);
    infer_inner(step, trials);
    step->decimate = trials->finest;
    step->grain = trials->coarsest; /* blocks begin where samples of every factor begin */
    step->overlap = trials->longest;
    step->overlap_kind = CT_VALID;
    return CT_OK;
}

static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    const dedisp_trials *trials = step->state;
    (void)err;
    if (strcmp(port, "SUMS") == 0) {
        ct_dedisp_share_table(trials, fill);
        return CT_OK;
    }
    for (int64_t d = 0; d < trials->count; d++)
        for (int64_t c = 0; c < trials->channels; c++)
            ct_array_save(fill,
                          fill->offset + d * ct_array_stride(fill, 'D') +
                              c * ct_array_stride(fill, 'C'),
                          (double)ct_trials_shift(trials, d, c), 0);
    return CT_OK;
}

static bool needs(const ct_step *step, int port)
{
    if (port == PORT_SUMS) return ct_step_tunable(step, "SHARE") != 0;
    return port != PORT_R || ct_array_stride(&step->port[PORT_X], 'T') != 1;
}

static double flops(const ct_step *step)
{
    const dedisp_trials *trials = step->state;
    double values = 0; /* held ones are copies */
    for (int64_t r = 0; r < trials->ranges; r++)
        values +=
            (double)trials->range[r].count * (double)ct_dedisp_samples(step, &trials->range[r]);
    return values * (double)(ct_dedisp_series(&step->port[PORT_X]) * trials->used);
}

/* Additions counted, as a part of those without sharing; with subbands, how far shifts are off. */
static const char *note(const ct_step *step)
{
    dedisp_trials *trials = step->state;
    const dedisp_subbands *sub = &trials->subbands;
    const bool shares = ct_step_tunable(step, "SHARE");
    const int64_t tile = ct_dedisp_share_tile(step);
    char *to = trials->note;
    size_t room = sizeof trials->note;
    if (sub->count > 0) {
        const int length = snprintf(to, room, "%lld subbands, shifts off by up to %lld samples; ",
                                    (long long)sub->count, (long long)sub->smear);
        to += length;
        room -= (size_t)length;
    }
    if (trials->sums.words == 0 || tile == 0)
        snprintf(to, room, "sums are not shared");
    else
        ct_number_print(to, room,
                        shares ? "shared sums: %.2f of the additions"
                               : "sharing sums would take %.2f of the additions",
                        ct_dedisp_share_of(&trials->sums, tile));
    return sub->count > 0 || (trials->sums.words > 0 && tile > 0) ? trials->note : NULL;
}

static const ct_param params[] = {
    {"dm", CT_PARAM_ANY, "!", NULL, 0, 0,
     "{start, step, count, downsample} in pc cm^-3, or a list of these"},
    {"dm_constant", CT_PARAM_REAL, "4.148808e3", NULL, 1, 1e6, "MHz^2 pc^-1 cm^3 s"},
    {"rounding", CT_PARAM_TEXT, "nearest", CT_WORDS(DEDISP_ROUNDINGS), 0, 0,
     "of shifts to samples"},
    {"mask", CT_PARAM_ANY, NULL, NULL, 0, 0, "channels left out: numbers and [first, last] pairs"},
    {"subbands", CT_PARAM_INT, NULL, NULL, 1, 1e9,
     "two steps, an approximation: groups of neighbouring channels that are added first"},
    {"smear", CT_PARAM_INT, NULL, NULL, 0, 1e9,
     "two steps: samples that a shift may be off; left out, half of what neighbouring trials "
     "differ by"},
    {0}};

static const ct_tunable tunables[] = {
    {"VECTOR_T", "1 4 16 32", "16", "1", "samples of a vector"},
    {"VECTORS_T", "1 2 4 8", "8", "4", "vectors of a cell"},
    {"CELL_D", "1 4 8", "4", "8", "trials of a cell: without tiles they share registers"},
    {"CELLS_D", "1 4 16", "4", "1",
     "cells of trials that a work-item takes, or the work-items of a group"},
    {"GROUPS_T", "1 4 16 64", "4", "1", "work-groups along time before those of the next trials"},
    {"TILE_T", "0 512 768 1024 2048", "768", "0",
     "samples of a tile that moves along the sweep, trial by trial; 0: cells in registers"},
    {"TILE_C", "16 64", "64", "64", "channels of a tile, which stays in the cache"},
    {"WG", "1 64 128 256", "1", "64", "work-items of a work-group"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"SHARE", "0 1", "0", "0", "1: sums that trials have in common are made once"},
    {0}};

static const ct_case cases[] = {
    {"{\"dm\": {\"start\": 0, \"step\": 0.5, \"count\": 7}}", "T=65 C=19", "u8",
     "VECTOR_T=4 VECTORS_T=4 CELL_D=4 CELLS_D=1 TILE_C=16 SHARE=0"},
    {"{\"dm\": {\"start\": 0.1, \"step\": 0.3, \"count\": 5}, \"rounding\": \"truncate\","
     " \"mask\": [3, [16, 31]]}",
     "B=3 T=67 C=37", "f32", "VECTOR_T=4 VECTORS_T=4 CELL_D=4 CELLS_D=1 TILE_C=16 SHARE=0"},
    {"{\"dm\": {\"start\": 0.5, \"step\": 0.5, \"count\": 3}, \"mask\": [0, [4, 6]]}",
     "B=2 Q=5 T=37 C=11", "u16", "VECTOR_T=4 VECTORS_T=1 CELL_D=4 CELLS_D=1 TILE_C=16 SHARE=0"},
    {"{\"dm\": {\"start\": 0, \"step\": 2, \"count\": 4, \"downsample\": 3}}", "S=2 T=75 C=7", "u8",
     "VECTOR_T=4 VECTORS_T=4 CELL_D=4 CELLS_D=1 TILE_C=16 SHARE=0"},
    {"{\"dm\": [{\"start\": 0, \"step\": 0.5, \"count\": 5},"
     " {\"start\": 2, \"step\": 0.75, \"count\": 3, \"downsample\": 2}]}",
     "T=76 C=13", "i8", "VECTOR_T=4 VECTORS_T=4 CELL_D=4 CELLS_D=1 TILE_C=16 SHARE=0"},
    {"{\"dm\": {\"start\": 1.2, \"step\": -0.1, \"count\": 9}}", "T=101 C=33", "i8",
     "VECTOR_T=16 VECTORS_T=1 CELL_D=4 CELLS_D=4 TILE_T=0 TILE_C=64 SHARE=0"},
    {"{\"dm\": {\"start\": 0.5, \"step\": 2, \"count\": 7}, \"mask\": [0, [60, 66]]}",
     "T=1171 C=71", "f32",
     "VECTOR_T=16 VECTORS_T=4 CELL_D=4 CELLS_D=1 TILE_T=512 TILE_C=64 SHARE=0"},
    {"{\"dm\": {\"start\": 24, \"step\": -4, \"count\": 6}}", "B=2 T=1283 C=19", "u8",
     "VECTOR_T=4 VECTORS_T=4 CELL_D=4 CELLS_D=4 TILE_T=512 TILE_C=16 SHARE=0"},
    {"{\"dm\": {\"start\": 0, \"step\": 0.5, \"count\": 3}}", "T=517 C=5", "u8",
     "VECTOR_T=1 VECTORS_T=4 CELL_D=4 CELLS_D=1 TILE_T=0 TILE_C=16 WG=64 NONTEMPORAL=0 SHARE=0"},
    {"{\"dm\": {\"start\": 0, \"step\": 0.5, \"count\": 3, \"downsample\": 3}}", "T=213 C=5", "u8",
     "VECTOR_T=1 VECTORS_T=1 CELL_D=4 CELLS_D=1 TILE_T=0 TILE_C=16 WG=64 NONTEMPORAL=0 SHARE=0"},
    {"{\"dm\": [{\"start\": 0, \"step\": 0.02, \"count\": 68},"
     " {\"start\": 1, \"step\": 0.1, \"count\": 3, \"downsample\": 2}], \"mask\": [3, [8, 11]]}",
     "S=2 T=186 C=77", "f32", "VECTOR_T=4 VECTORS_T=4 CELL_D=4 CELLS_D=4 TILE_C=64 SHARE=0"},
    {"{\"dm\": [{\"start\": 0, \"step\": 0.04, \"count\": 19},"
     " {\"start\": 0.6, \"step\": 0.1, \"count\": 4, \"downsample\": 2}], \"mask\": [3, [14, 20]],"
     " \"subbands\": 5, \"smear\": 2}",
     "T=152 C=67", "u8", "VECTOR_T=4 VECTORS_T=4 CELL_D=4 CELLS_D=4 TILE_T=768 TILE_C=64 SHARE=1"},
    {"{\"dm\": {\"start\": 0.1, \"step\": 0.03, \"count\": 33}, \"rounding\": \"truncate\","
     " \"subbands\": 3, \"smear\": 3}",
     "B=2 Q=3 T=93 C=41", "f32",
     "VECTOR_T=4 VECTORS_T=4 CELL_D=4 CELLS_D=4 TILE_T=768 TILE_C=64 SHARE=1"},
    {"{\"dm\": {\"start\": 0.5, \"step\": 1, \"count\": 11}, \"subbands\": 3, \"smear\": 70}",
     "T=1087 C=13", "f32",
     "VECTOR_T=4 VECTORS_T=4 CELL_D=4 CELLS_D=4 TILE_T=512 TILE_C=64 SHARE=0"},
    {"{\"dm\": {\"start\": 0, \"step\": 0.03, \"count\": 37}, \"mask\": [2, [40, 47]]}",
     "T=257 C=271", "i8",
     "VECTOR_T=1 VECTORS_T=2 CELL_D=8 CELLS_D=4 TILE_T=0 TILE_C=16 WG=64 NONTEMPORAL=0 SHARE=0"},
    {"{\"dm\": {\"start\": 0, \"step\": 0.1, \"count\": 21, \"downsample\": 2}, \"mask\": [3]}",
     "S=2 T=312 C=23", "u8",
     "VECTOR_T=1 VECTORS_T=1 CELL_D=4 CELLS_D=4 TILE_T=0 TILE_C=16 WG=64 NONTEMPORAL=0 SHARE=0"},
    {"{\"dm\": {\"start\": 0.1, \"step\": 0.03, \"count\": 33}, \"subbands\": 3, \"smear\": 3}",
     "B=2 Q=3 T=163 C=71", "f32",
     "VECTOR_T=1 VECTORS_T=4 CELL_D=8 CELLS_D=4 TILE_T=0 TILE_C=64 WG=64 NONTEMPORAL=0 SHARE=0"},
    {"{\"dm\": [{\"start\": 0, \"step\": 0.5, \"count\": 5},"
     " {\"start\": 2.5, \"step\": 1, \"count\": 3, \"downsample\": 2}]}",
     "T=542 C=7", "u8",
     "VECTOR_T=1 VECTORS_T=1 CELL_D=4 CELLS_D=4 TILE_T=0 TILE_C=64 WG=64 NONTEMPORAL=0 SHARE=0"},
    {0}};

const ct_stage ct_stage_dedisp = {
    .api = CT_API,
    .version = 2,
    .name = "dedisp",
    .summary = "incoherent dedispersion: channels added along the sweep of each trial DM",
    .ports = {[PORT_X] = {"X", CT_IN, 0, "[BS]?Q?TC", "u8 u16 f32 i8", "*", "BSQCT",
                          "power per channel"},
              [PORT_Y] = {"Y", CT_OUT, 0, "[BS]?Q?DT", "f32", "*", "BSQDT",
                          "a time series per trial"},
              [PORT_SHIFT] = {"SHIFT", CT_TABLE, CT_PORT_FIXED, "DC", "i32", "*", "CD",
                              "samples; -1 for masked channels"},
              [PORT_Z] = {"Z", CT_SCRATCH, CT_PORT_OPTIONAL, "BCT", "u16 u32 i32 f32", "BCT", NULL,
                          "the downsampled input"},
              [PORT_R] = {"R", CT_SCRATCH, CT_PORT_OPTIONAL, "BCT", "=X", "BCT", NULL,
                          "the input with time contiguous"},
              [PORT_SUMS] = {"SUMS", CT_TABLE, CT_PORT_FIXED | CT_PORT_OPTIONAL, "K", "i32", "*",
                             NULL, "which sums of channels trials share"},
              [PORT_M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", "SCT",
                          "flags, for what is counted"},
              [PORT_COUNTS] = {"COUNTS", CT_OUT, CT_PORT_OPTIONAL | CT_PORT_EXACT, "[BS]?DT", "u32",
                               "*", NULL, "samples of channels that went into each sum"}},
    .params = params,
    .split = "B Q",
    .traits = CT_STAGE_LEAVES_OUT,
    .infer = infer,
    .table = table,
    .needs = needs,
    .flops = flops,
    .tuning = {.tunables = tunables,
               .where =
                   "(WG == 1 || (VECTOR_T == 1 && (CELLS_D == 1 || (GPU && CELL_D >= 4)))) && "
                   "(CELLS_D == 1 || CELL_D == 4 || WG > 1) && (WG <= 64 || CELLS_D > 1) && "
                   "(VECTOR_T < 32 || !GPU) && (TILE_T == 0 || WG == 1) && "
                   "(NONTEMPORAL == 0 || (!GPU && WG == 1)) && "
                   "(!SHARE || (!GPU && WG == 1 && CELL_D == 4 && CELLS_D == 4 && TILE_T == 768 && "
                   "TILE_C == 64))",
               .legal = ct_dedisp_legal,
               .legal_why =
                   "VECTOR_T * VECTORS_T * WG samples have to fit in the shortest range of trials, "
                   "which follows from the list in \"dm\"; VECTORS_T=2 needs CELLS_D and WG above "
                   "1, and then the samples that a tile's trials "
                   "take fit in the device's local memory; with SHARE=1 the table of sums has to "
                   "fit in 64 MiB; with SHARE=1 or TILE_T a work-item's sums in the device's local "
                   "memory",
               .suggest = ct_dedisp_suggest,
               .note = note},
    .kernel = {.text = dedisp_cl,
               .name = "stages/dedisp/dedisp.cl",
               .entry = "dedisp",
               .launch = ct_dedisp_launch,
               .emit = ct_dedisp_emit},
    .verify = {.cases = cases, .tolerance = 1e-5, .reference = ct_dedisp_reference},
};
