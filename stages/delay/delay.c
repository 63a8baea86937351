/* delay.c: the data sheet of the delay: ports, parameters, tunables, shapes, tables.
 * Room: stages/delay. Knows only cornerturn_stage.h. Delays are made in delay_read.c and
 * delay_lines.c, the kernel is delay.cl, the definition delay_ref.c. */
#include "delay.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "delay_cl.h"

enum { X = CT_DELAY_X, D = CT_DELAY_D, N = CT_DELAY_N, G = CT_DELAY_G, Y = CT_DELAY_Y };

static const ct_param params[] = {
    CT_DELAY_PARAMS,
    {"gains", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "real factors: a .npy of shape [stations, polarizations, channels], or lists of these"},
    {0}};

static const ct_tunable tunables[] = {
    {"TILE_T", "1 4 16 64", "16", "4", "times of a tile"},
    {"TILE_C", "8 16 64 256", "64", "16", "channels of a tile"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {"WG", "1 64", "1", "64", "work-items of a work-group"},
    {"PREFETCH", "0 1", "1", "0", "how many tiles ahead samples are prefetched; 0: not"},
    {0}};

static const ct_tile tiles[] = {
    {.name = "A", .port = "X", .order = "TC", .extents = "TILE_T, TILE_C", .type = "float2"},
    {.name = "L", .port = "D", .order = "C", .extents = "TILE_C", .type = "float2"},
    {.name = "H",
     .port = "G",
     .order = "C",
     .extents = "TILE_C",
     .type = "float",
     .when = "HAVE_G"},
    {.name = "R", .port = "Y", .order = "TC", .extents = "TILE_T, TILE_C", .type = "float2"},
    {0}};

static void shape_tables(ct_step *step, const ct_delay *delay)
{
    const ct_array *x = &step->port[X];
    const int64_t knots = ct_delay_knots(step, ct_array_extent(x, 'T'));
    ct_array *d = &step->port[D], *g = &step->port[G];
    d->rank = step->port[N].rank = g->rank = 0;
    ct_array_add(d, 'S', ct_array_extent(x, 'S'));
    ct_array_add(d, 'P', delay->pols);
    ct_array_add(d, 'K', knots);
    ct_array_add(d, 'C', ct_array_extent(x, 'C'));
    ct_array_add(&step->port[N], 'K', knots);
    if (delay->gains.type == CT_NONE) g->type = CT_NONE;
    if (delay->gains.type == CT_NONE) return;
    ct_array_add(g, 'S', ct_array_extent(x, 'S'));
    ct_array_add(g, 'P', ct_array_extent(x, 'P'));
    ct_array_add(g, 'C', ct_array_extent(x, 'C'));
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_delay *delay = NULL;
    ct_status status = ct_delay_read(step, &delay, err);
    if (status == CT_OK) status = ct_delay_check_channels(step, err);
    if (status == CT_OK && ct_step_value(step, "gains")) status = ct_delay_gains(step, delay, err);
    if (status != CT_OK) return status;
    step->state = delay;
    step->port[Y].meta.shifts = NULL;
    step->port[Y].type = CT_CF32;
    shape_tables(step, delay);
    if (delay->position) step->port[Y].meta.phase_centre = delay->radec[0];
    return CT_OK;
}

/* Cycles of all channels along one line: at its first sample, and for each sample more. Whole ones
 * mean nothing, as samples are counted in whole numbers, and would cost floats their last digits.
 */
static void fill_line(const ct_step *step, ct_array *fill, int64_t n, int64_t k,
                      const ct_delay_line *line, int64_t whole)
{
    const int64_t pols = ct_array_extent(fill, 'P'), channels = ct_array_extent(fill, 'C');
    const int64_t at = fill->offset + n / pols * ct_array_stride(fill, 'S') +
                       n % pols * ct_array_stride(fill, 'P') + k * ct_array_stride(fill, 'K');
    for (int64_t c = 0; c < channels; c++) {
        const double rate = step->port[X].meta.frequency_hz[c] * line->rate_s;
        const double cycles = ct_delay_cycles(step, c, line->at_s, whole);
        ct_array_save(fill, at + c * ct_array_stride(fill, 'C'), cycles - rint(cycles),
                      rate - rint(rate));
    }
}

/* What `shift` has done of a line. */
static int64_t whole_of(const ct_step *step, const ct_delay_end *from, const ct_delay_end *to,
                        int64_t n)
{
    const ct_delay *delay = step->state;
    if (!delay->shifts) return 0;
    return ct_delay_whole(delay, from, to, n, delay->shifts->sample_time_s);
}

/* Both tables go from knot to knot: D has the lines, N the samples of the block where they begin.
 */
static ct_status fill_lines(const ct_step *step, bool places, ct_array *fill, ct_error *err)
{
    const int64_t begin = ct_delay_first(step, &fill->meta);
    const int64_t first = ct_delay_knot_of(step, begin), knots = ct_array_extent(fill, 'K');
    const int64_t pairs = ct_array_count(fill) / (places ? 1 : ct_array_extent(fill, 'C')) / knots;
    ct_delay_end from, to;
    ct_status status = ct_delay_check_sample(step, begin, err);
    if (status == CT_OK) status = ct_delay_knot(step, first, &from, err);
    for (int64_t k = 0; status == CT_OK && k < knots; k++, from = to) {
        status = ct_delay_knot(step, first + k + 1, &to, err);
        for (int64_t n = 0; status == CT_OK && n < pairs; n++) {
            const ct_delay_line line = ct_delay_line_of(step, &from, &to, n);
            if (places)
                ct_array_save(fill, fill->offset + k, (double)(line.first - begin), 0);
            else
                fill_line(step, fill, n, k, &line, whole_of(step, &from, &to, n));
        }
    }
    return status;
}

static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    const ct_array *gains = &((const ct_delay *)step->state)->gains;
    if (strcmp(port, "G") != 0) return fill_lines(step, strcmp(port, "N") == 0, fill, err);
    const int64_t pols = ct_array_extent(fill, 'P'), channels = ct_array_extent(fill, 'C');
    for (int64_t n = 0; n < ct_array_count(fill); n++) {
        const int64_t c = n % channels, p = n / channels % pols, s = n / channels / pols;
        const int64_t from = s * gains->stride[0] + p * gains->stride[1] + c * gains->stride[2];
        ct_array_save(fill, fill->offset + n, ct_array_load(gains, gains->offset + from).re, 0);
    }
    return CT_OK;
}

/* A sine, a cosine and a complex product. */
static double flops(const ct_step *step)
{
    return 25.0 * (double)ct_array_count(&step->port[Y]);
}

static const ct_case cases[] = {
    {"{\"delays\": [[0, 1e-6], [2e-6, 1e-6]], \"step_s\": 0.5, \"gains\": "
     "[[[1, 0.5, -2], [3, 1, 0.25]], [[0, 1.5, 1], [-1, 2, 0.75]]]}",
     "S=2 P=2 T=11 C=3", "cf32", "TILE_T=4 TILE_C=8"},
    {"{\"delays\": [[1e-7], [-3e-6], [0]]}", "S=3 P=2 T=11 C=7", "cf32", "TILE_T=4 TILE_C=8"},
    {"{\"delays\": [[[0, 1e-6, 3e-6, 2e-6], [0, -1e-6, 0, 1e-7]], [[1e-4, 1.1e-4, 1.3e-4, 1.2e-4], "
     "[0, 0, 0, 0]]], \"step_s\": 0.0041}",
     "S=2 P=2 T=11 C=13", "ci8", "TILE_T=4 TILE_C=8"},
    {"{\"delays\": [[0, 1e-6], [2e-6, 1e-6], [1e-6, 1e-6]], \"step_s\": 0.5}", "S=3 P=1 T=23 C=70",
     "ci16", NULL},
    {0}};

const ct_stage ct_stage_delay = {
    .api = CT_API,
    .version = 1,
    .name = "delay",
    .summary =
        "rotates stations' channels by their delays, which follow a direction on the sky or a "
        "table",
    .ports = {[X] = {"X", CT_IN, 0, "SPTC", "cf32 ci8 ci16", "*", NULL, "voltages of channels"},
              [D] = {"D", CT_TABLE, CT_PORT_BLOCK, "SPKC", "cf32", "SPKC", NULL,
                     "cycles at a line's first sample, and per sample"},
              [N] = {"N", CT_TABLE, CT_PORT_BLOCK, "K", "i32", "K", NULL,
                     "samples of the block at which lines begin"},
              [G] = {"G", CT_TABLE, CT_PORT_OPTIONAL, "SPC", "f32", "SPC", NULL, "gains"},
              [Y] = {"Y", CT_OUT, 0, "SPTC", "cf32", "*", NULL, "the same, in phase"}},
    .params = params,
    .split = "S P C",
    .infer = infer,
    .table = table,
    .flops = flops,
    .tuning = {.tunables = tunables,
               .where = "(WG == 1 || NONTEMPORAL == 0) && (WG == 1 || TILE_T * TILE_C <= 1024) && "
                        "(WG > 1 || !GPU)",
               .suggest = ct_delay_suggest},
    .kernel = {.text = delay_cl,
               .name = "stages/delay/delay.cl",
               .entry = "delay",
               .launch = ct_delay_launch,
               .tiles = tiles},
    .verify = {.cases = cases, .tolerance = 1e-5, .reference = ct_delay_reference},
};
