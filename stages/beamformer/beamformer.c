/* beamformer.c: the beam former's data sheet: ports, parameters, tunables, shapes, launch.
 * Room: stages/beamformer. Knows cornerturn.h alone. The weights are made in beams.c, the kernel is
 * beamformer.cl, the definition beamformer_ref.c. */
#include "beamformer.h"
#include "beamformer_cl.h"
#include <string.h>

enum { X, W, Y };

static const ct_param params[] = {
    {"weights", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "a .npy of complex weights with axes B,S,C or B,S, or a list of directions"},
    {"positions", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "of the stations, metres: a .npy of shape [stations, 3] or a list of [x, y, z]"},
    {"directions", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "of the beams: a list of [azimuth, elevation] in degrees or of unit vectors"},
    {"normalise", CT_PARAM_TEXT, "none", "none mean", 0, 0, "mean: divide by the stations"},
    {"mode", CT_PARAM_TEXT, "coherent", "coherent incoherent", 0, 0,
     "incoherent: the sum of the stations' powers"},
    {0}};

static bool is_coherent(const ct_step *step)
{
    return !strcmp(ct_step_text(step, "mode"), "coherent");
}

static void set_extent(ct_array *array, char dim, int64_t extent)
{
    int place = ct_array_find(array, dim);
    if (place < 0)
        ct_array_add(array, dim, extent);
    else
        array->extent[place] = extent;
}

static void infer_table(ct_step *step, const ct_beams *beams)
{
    ct_array *w = &step->port[W];
    w->rank = 0;
    w->type = CT_CF32;
    ct_array_add(w, 'B', beams->count);
    ct_array_add(w, 'S', ct_array_extent(&step->port[X], 'S'));
    ct_array_add(w, 'C', ct_array_extent(&step->port[X], 'C'));
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_beams *beams = NULL;
    if (!is_coherent(step)) {
        step->port[W].type = CT_NONE;
        step->port[Y].type = CT_F32;
        set_extent(&step->port[Y], 'B', 1);
        return CT_OK;
    }
    ct_status status = ct_beams_load(step, &beams, err);
    if (status != CT_OK) return status;
    step->state = beams;
    step->port[Y].type = CT_CF32;
    set_extent(&step->port[Y], 'B', beams->count);
    infer_table(step, beams);
    return CT_OK;
}

static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    int64_t stations = ct_array_extent(fill, 'S'), channels = ct_array_extent(fill, 'C');
    bool mean = !strcmp(ct_step_text(step, "normalise"), "mean");
    double scale = mean ? 1.0 / (double)stations : 1.0;
    (void)port;
    (void)err;
    for (int64_t n = 0; n < ct_array_count(fill); n++) {
        int64_t c = n % channels, s = n / channels % stations, b = n / channels / stations;
        ct_complex weight = ct_beams_weight(step, b, s, c);
        int64_t at = fill->offset + b * ct_array_stride(fill, 'B') +
                     s * ct_array_stride(fill, 'S') + c * ct_array_stride(fill, 'C');
        ct_array_save(fill, at, weight.re * scale, weight.im * scale);
    }
    return CT_OK;
}

static int launch(const ct_step *step, ct_launch *out)
{
    const ct_array *y = &step->port[Y];
    out->global[0] = (size_t)ct_array_extent(y, 'C');
    out->global[1] = (size_t)ct_array_extent(y, 'T');
    out->global[2] = (size_t)(ct_array_extent(y, 'B') * ct_array_extent(y, 'P'));
    return 1;
}

static double flops(const ct_step *step)
{
    double samples = (double)ct_array_count(&step->port[X]);
    return is_coherent(step) ? 8.0 * samples * (double)ct_array_extent(&step->port[Y], 'B')
                             : 4.0 * samples;
}

#define GEOMETRY                                                                                   \
    "{\"positions\": [[0, 0, 0], [31, -7, 0.5], [-12, 40, 1], [55, 23, -2], [9, -61, 0]],"         \
    " \"directions\": [[0, 90], [40, 60], {\"az\": 200, \"el\": 35}, [0.6, 0, 0.8],"               \
    " [310, 72.5], [120, 15], [45, 45]]"

static const ct_case cases[] = {
    {GEOMETRY "}", "S=5 P=2 T=11 C=3", "cf32", NULL},
    {GEOMETRY "}", "S=5 P=2 T=9 C=7", "ci8", NULL},
    {GEOMETRY ", \"normalise\": \"mean\"}", "S=5 P=1 T=13 C=3", "ci16", NULL},
    {GEOMETRY "}", "S=5 P=2 T=3 C=7", "ci4", NULL},
    {"{\"mode\": \"incoherent\"}", "S=7 P=2 T=11 C=3", "cf32", NULL},
    {"{\"mode\": \"incoherent\", \"normalise\": \"mean\"}", "S=13 P=2 T=5 C=3", "ci8", NULL},
    {0}};

const ct_stage ct_stage_beamformer = {
    .api = CT_API,
    .version = 1,
    .name = "beamformer",
    .summary = "sums stations with weights, one beam for each set of weights",
    .ports = {{"X", CT_IN, 0, "SPTC", "cf32 ci8 ci16 ci4", "*", "CTSP", "voltages"},
              {"W", CT_TABLE, CT_PORT_OPTIONAL, "BSC", "cf32", "*", "CSB", "weights"},
              {"Y", CT_OUT, 0, "BPTC", "cf32 f32", "*", "BCTP", "beams"}},
    .params = params,
    .cases = cases,
    .source = beamformer_cl,
    .source_name = "stages/beamformer/beamformer.cl",
    .entry = "beamformer",
    .tolerance = 2e-6,
    .infer = infer,
    .table = table,
    .launch = launch,
    .reference = ct_beamformer_reference,
    .flops = flops,
};
