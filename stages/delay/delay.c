/* delay.c: the data sheet of the delay: ports, parameters, tunables, shapes, tables.
 * Room: stages/delay. Knows only cornerturn_stage.h. Delays are made in delay_read.c and
 * delay_lines.c, gains in gains_*.c, tables in delay_block.c, the kernel is delay.cl, the
 * definition delay_ref.c. */
#include "delay.h"

#include "delay_cl.h"

enum {
    X = CT_DELAY_X,
    D = CT_DELAY_D,
    N = CT_DELAY_N,
    G = CT_DELAY_G,
    J = CT_DELAY_J,
    Y = CT_DELAY_Y,
    F = CT_DELAY_F
};

static const ct_param params[] = {
    CT_DELAY_PARAMS,
    {"gains", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "real factors: a .npy of shape [stations, polarizations, channels], or lists of these; or "
     "solutions of a calibration: {\"file\": \"cal.h5\", \"soltabs\": [..]}, see README.md"},
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
     .when = "!G_COMPLEX"},
    {.name = "H",
     .port = "G",
     .order = "C",
     .extents = "TILE_C",
     .type = "float2",
     .when = "G_COMPLEX"},
    {.name = "U", .port = "J", .order = "QC", .extents = "J_N_Q, TILE_C", .type = "float2"},
    {.name = "R", .port = "Y", .order = "TC", .extents = "TILE_T, TILE_C", .type = "float2"},
    {0}};

/* Factors, or matrices whose P of 1 says that polarizations belong together. */
static void shape_gains(ct_step *step, const ct_gains *gains, int64_t lines)
{
    const ct_array *x = &step->port[X];
    const int port = gains->jones ? J : G;
    ct_array *table = &step->port[port];
    ct_array_add(table, 'S', ct_array_extent(x, 'S'));
    ct_array_add(table, 'P', gains->jones ? 1 : ct_array_extent(x, 'P'));
    if (gains->jones) ct_array_add(table, 'Q', CT_GAINS_JONES * (gains->slopes ? 2 : 1));
    if (gains->knots > 0) ct_array_add(table, 'K', lines);
    ct_array_add(table, 'C', ct_array_extent(x, 'C'));
    table->type = gains->jones || gains->slopes ? CT_CF32 : CT_F32;
    if (gains->knots > 0) ct_step_updates(step, step->stage->ports[port].name);
}

static void shape_flags(ct_step *step, const ct_gains *gains)
{
    const ct_array *x = &step->port[X];
    ct_array *f = &step->port[F];
    ct_array_add(f, 'S', ct_array_extent(x, 'S'));
    ct_array_add(f, 'T', ct_array_extent(x, 'T'));
    if (gains->apart) ct_array_add(f, 'C', ct_array_extent(x, 'C'));
}

/* Phases of solutions are part of D. */
static void shape_tables(ct_step *step, const ct_delay *delay)
{
    const ct_array *x = &step->port[X];
    const ct_gains *gains = delay->gains;
    const int64_t lines = ct_delay_lines(step, ct_array_extent(x, 'T'));
    const bool phases = gains && !gains->jones && ct_gains_have(gains, true);
    ct_array *d = &step->port[D];
    for (int p = 1; step->stage->ports[p].name; p++)
        if (p != Y) step->port[p].rank = 0;
    ct_array_add(d, 'S', ct_array_extent(x, 'S'));
    ct_array_add(d, 'P', phases ? ct_array_extent(x, 'P') : delay->pols);
    ct_array_add(d, 'K', lines);
    ct_array_add(d, 'C', ct_array_extent(x, 'C'));
    ct_array_add(&step->port[N], 'K', lines);
    if (gains && (gains->flagged || gains->jones || ct_gains_have(gains, false)))
        shape_gains(step, gains, lines);
    if (gains && gains->flagged) shape_flags(step, gains);
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_delay *delay = NULL;
    const ct_gains *gains = NULL;
    const ct_delay *before = step->state;
    ct_status status = ct_delay_read(step, &delay, err);
    if (status == CT_OK) status = ct_delay_check_channels(step, err);
    if (status == CT_OK) status = ct_gains_read(step, before ? before->gains : NULL, &gains, err);
    if (status != CT_OK) return status;
    delay->gains = gains;
    step->state = delay;
    step->port[Y].meta.shifts = NULL;
    step->port[Y].type = CT_CF32;
    shape_tables(step, delay);
    if (delay->position) step->port[Y].meta.phase_centre = delay->radec[0];
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
    /* Solutions that begin and end inside of the block, one of which is flagged. */
    {"{\"delays\": [[0, 1e-6], [2e-6, 1e-6]], \"step_s\": 0.5, \"gains\": {\"step_s\": 0.0042, "
     "\"amplitude\": [[[[1, 2, 3], [2, 0.5, 4], [1, 1, 1]], [[1, 1, 1], [3, 1, 2], [1, 2, 1]]], "
     "[[[2, 2, 2], [1, null, 1], [1, 3, 1]], [[1, 1, 2], [1, 1, 1], [4, 1, 1]]]], "
     "\"phase\": [[[[0, 1, 2]], [[-3, 3, 1]]], [[[0.5, 0, 0]], [[1, -1, 2]]]]}}",
     "S=2 P=2 T=11 C=3", "cf32", "TILE_T=4 TILE_C=8"},
    {"{\"delays\": [[1e-7], [-3e-6], [0]], \"gains\": {\"step_s\": 0.005, \"time\": \"linear\", "
     "\"amplitude\": [[[[2], [3], [1]]], [[[1], [0.5], [1]]], [[[1], [1], [2]]]], \"phase\": "
     "[[[[3], [-3], [1]], [[0], [1], [2]]], [[[1], [2], [3]], [[3], [2], [1]]], "
     "[[[0], [0], [0]], [[0], [-1], [-2]]]]}}",
     "S=3 P=2 T=17 C=19", "ci8", "TILE_T=4 TILE_C=8"},
    /* Matrices. */
    {"{\"delays\": [[[0, 1e-6, 3e-6], [0, -1e-6, 0]], [[1e-4, 1.1e-4, 1e-4], [0, 0, 0]]], "
     "\"step_s\": 0.007, \"gains\": {\"step_s\": 0.006, \"of\": \"visibilities\", \"amplitude\": "
     "[[[[1, 1], [2, 1]], [[0.5, 0], [0.1, 0]], [[0, 0.5], [0, 0.2]], [[1, 2], [1, 3]]], "
     "[[[2, 1], [1, null]], [[0.3, 0], [0, 1]], [[0.3, 0], [0.5, 1]], [[1, 1], [1, 3]]]], "
     "\"phase\": "
     "[[[[0, 1]], [[1, 2]], [[2, 3]], [[-1, 2]]], [[[1, 1]], [[0, 0]], [[3, 0]], [[0, 2]]]]}}",
     "S=2 P=2 T=13 C=2", "cf32", "TILE_T=4 TILE_C=8"},
    {"{\"delays\": [[1e-7], [-3e-6], [0]], \"gains\": {\"step_s\": 0.01, \"time\": \"linear\", "
     "\"invert\": false, \"amplitude\": [[[[1], [2]], [[0.5], [0.1]], [[0], [0.3]], [[1], [3]]], "
     "[[[1], [1]], [[0], [0]], [[0], [0]], [[1], [1]]], [[[1], [2]], [[2], [1]], [[1], [1]], [[0], "
     "[1]]]], \"phase\": [[[[0]]], [[[2]]], [[[-1]]]]}}",
     "S=3 P=2 T=21 C=17", "ci16", "TILE_T=4 TILE_C=16"},
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
              [G] = {"G", CT_TABLE, CT_PORT_OPTIONAL, "SPK?C", "f32 cf32", "*C", NULL,
                     "factors, and by how much they change per sample"},
              [J] = {"J", CT_TABLE, CT_PORT_OPTIONAL, "SPQK?C", "cf32", "*C", NULL,
                     "matrices of the polarizations, and their changes"},
              [Y] = {"Y", CT_OUT, 0, "SPTC", "cf32", "*", NULL, "the same, in phase"},
              [F] = {"F", CT_OUT, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
                     "1 where the solution is flagged"}},
    .params = params,
    .split = "S P C",
    .infer = infer,
    .table = ct_delay_table,
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
