/* shift.c: the data sheet of the shift by whole samples: ports, parameters, shapes, tables,
 * definition. Room: stages/delay. Knows only cornerturn_stage.h. Delays are made in delay_read.c
 * and delay_lines.c, the kernel is shift.cl. */
#include <math.h>
#include <string.h>

#include "arrival.h"
#include "delay.h"
#include "shift.h"
#include "shift_cl.h"

enum { X = CT_SHIFT_X, H = CT_SHIFT_H, N = CT_SHIFT_N, Y = CT_SHIFT_Y };
enum { MOST = 1 << 26 }; /* samples: the Earth's radius at 3 GHz */

static const ct_param params[] = {CT_DELAY_PARAMS, {0}};

static const ct_tunable tunables[] = {
    {"TILE_S", "1 4 16 32", "1", "1", "stations of a tile"},
    {"TILE_T", "1 16 64 256 1024 4096", "256", "16", "times of a tile"},
    {"TILE_C", "1 8 16 64", "16", "8", "channels of a tile"},
    {"NONTEMPORAL", "0 1", "1", "0", "1: stores bypass the caches"},
    {0}};

/* A of one station, R of several: of both polarizations side by side if these are shifted alike,
 * else of one after the other. */
#define TILE(NAME, PORT, ORDER, EXTENTS, TYPE, WHEN)                                               \
    {                                                                                              \
        .name = NAME, .port = PORT, .order = ORDER, .extents = EXTENTS, .type = TYPE, .when = WHEN \
    }
#define TILES(KIND, TYPE)                                                                          \
    TILE("A", "X", "TCP", "TILE_T, TILE_C, Y_N_P", TYPE, "H_N_P == 1 && X_IS_" KIND),              \
        TILE("R", "Y", "STCP", "TILE_S, TILE_T, TILE_C, Y_N_P", TYPE, "H_N_P == 1 && X_IS_" KIND), \
        TILE("A", "X", "TC", "TILE_T, TILE_C", TYPE, "H_N_P > 1 && X_IS_" KIND),                   \
        TILE("R", "Y", "SPTC", "TILE_S, Y_N_P, TILE_T, TILE_C", TYPE, "H_N_P > 1 && X_IS_" KIND)

static const ct_tile tiles[] = {
    TILES("ci8", "char2"), TILES("ci16", "short2"), TILES("cf32", "float2"), {0}};

/* Whole samples of the longest delay; of a table's, one more, which lines before its start may
 * need. */
static int64_t most_of(const ct_step *step, const ct_delay *delay)
{
    const ct_array *x = &step->port[X];
    const double dt = x->meta.sample_time_s;
    double most_s = 0;
    if (delay->position)
        return (int64_t)floor(ct_arrival_longest_s(delay->position, ct_array_extent(x, 'S')) / dt +
                              0.5);
    for (int64_t n = 0; n < ct_array_extent(x, 'S') * delay->pols * delay->rows; n++)
        most_s = fmax(most_s, fabs(delay->row[n]));
    return (int64_t)fmin(floor(most_s / dt + 0.5), INT32_MAX) + (delay->rows > 1);
}

static void shape_tables(ct_step *step, const ct_delay *delay)
{
    const ct_array *x = &step->port[X];
    const int64_t knots = ct_delay_knots(step, ct_array_extent(x, 'T'));
    step->port[H].rank = step->port[N].rank = 0;
    ct_array_add(&step->port[H], 'S', ct_array_extent(x, 'S'));
    ct_array_add(&step->port[H], 'P', delay->pols);
    ct_array_add(&step->port[H], 'K', knots);
    ct_array_add(&step->port[N], 'K', knots);
}

static ct_status infer(ct_step *step, ct_error *err)
{
    ct_delay *delay = NULL;
    const ct_meta *meta = &step->port[X].meta;
    ct_shifts *shifts = ct_step_alloc(step, sizeof *shifts);
    ct_status status = shifts ? ct_delay_read(step, &delay, err) : CT_FAILED;
    if (status == CT_OK && meta->shifts)
        return ct_step_fail(step, NULL, err, "the stations have been shifted before");
    if (status != CT_OK) return status;
    step->state = delay;
    delay->most = most_of(step, delay);
    if (delay->most > MOST)
        return ct_step_fail(step, delay->position ? NULL : "delays", err,
                            "the longest delay is %s%lld samples of %g s, expected at most %d",
                            delay->most > INT32_MAX ? "more than " : "", (long long)delay->most,
                            meta->sample_time_s, MOST);
    *shifts = (ct_shifts){.delay = delay,
                          .sample_time_s = meta->sample_time_s,
                          .frequency_hz = meta->frequency_hz,
                          .frequencies = meta->frequencies};
    step->overlap = 2 * delay->most;
    step->overlap_kind = CT_HISTORY;
    step->port[Y].meta.start_s -= (double)delay->most * meta->sample_time_s;
    step->port[Y].meta.shifts = shifts;
    shape_tables(step, delay);
    return CT_OK;
}

/* Where in the window, which begins `most` samples before and ends as many after, a sample lies.
 */
static int64_t place_of(const ct_step *step, const ct_delay_end ends[2], int64_t n)
{
    const ct_delay *delay = step->state;
    const int64_t whole =
        ct_delay_whole(delay, &ends[0], &ends[1], n, step->port[X].meta.sample_time_s);
    const int64_t place = delay->most + whole;
    return place < 0 ? 0 : place > 2 * delay->most ? 2 * delay->most : place;
}

/* H: places of the samples that a knot's line has, N: where in the block it begins. */
static ct_status table(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    const ct_delay *delay = step->state;
    const int64_t begin = ct_delay_first(step, &fill->meta) - delay->most;
    const int64_t first = ct_delay_knot_of(step, begin), knots = ct_array_extent(fill, 'K');
    const int64_t pairs = ct_array_count(fill) / knots;
    ct_delay_end ends[2];
    ct_status status = ct_delay_check_sample(step, begin, err);
    if (status == CT_OK) status = ct_delay_knot(step, first, &ends[0], err);
    for (int64_t k = 0; status == CT_OK && k < knots; k++, ends[0] = ends[1]) {
        status = ct_delay_knot(step, first + k + 1, &ends[1], err);
        if (status == CT_OK && strcmp(port, "N") == 0)
            ct_array_save(fill, fill->offset + k,
                          (double)(ct_delay_sample_at(step, first + k) - begin), 0);
        for (int64_t n = 0; status == CT_OK && strcmp(port, "N") != 0 && n < pairs; n++)
            ct_array_save(fill, fill->offset + n * knots + k, (double)place_of(step, ends, n), 0);
    }
    return status;
}

static ct_status reference(const ct_step *step, ct_array ports[], ct_error *err)
{
    const ct_delay *delay = step->state;
    const ct_array *x = &ports[X];
    ct_array *y = &ports[Y];
    const int64_t pols = ct_array_extent(y, 'P'), times = ct_array_extent(y, 'T');
    const int64_t channels = ct_array_extent(y, 'C');
    ct_status status = CT_OK;
    for (int64_t t = 0; t < times && status == CT_OK; t++) {
        ct_delay_end ends[2];
        const int64_t knot = ct_delay_knot_of(step, t - delay->most);
        status = ct_delay_knot(step, knot, &ends[0], err);
        if (status == CT_OK) status = ct_delay_knot(step, knot + 1, &ends[1], err);
        for (int64_t n = 0; status == CT_OK && n < ct_array_extent(y, 'S') * pols; n++) {
            const int64_t from = t + place_of(step, ends, delay->pols > 1 ? n : n / pols);
            for (int64_t c = 0; c < channels; c++) {
                const ct_complex v =
                    ct_array_load(x, (n * (times + 2 * delay->most) + from) * channels + c);
                ct_array_save(y, (n * times + t) * channels + c, v.re, v.im);
            }
        }
    }
    return status;
}

static const ct_case cases[] = {
    {"{\"delays\": [[0, 0.003, -0.004, 0.001], [0.001, 0.002, 0.003, 0.001], [0, 0, 0, 0]], "
     "\"step_s\": 0.0071}",
     "S=3 P=2 T=17", "ci8", "TILE_T=16 TILE_C=1 NONTEMPORAL=0"},
    {"{\"delays\": [[[0.002], [-0.001]], [[0], [0.0024]]]}", "S=2 P=2 T=11 C=13", "cf32", NULL},
    {"{\"delays\": [[0.0026], [0], [-0.004]]}", "S=3 P=1 T=70 C=5", "ci16",
     "TILE_T=16 TILE_C=8 NONTEMPORAL=0"},
    {0}};

const ct_stage ct_stage_shift = {
    .api = CT_API,
    .version = 1,
    .name = "shift",
    .summary =
        "shifts stations' samples by whole ones, before a filter bank; \"delay\" does the rest "
        "behind it",
    .ports = {[X] = {"X", CT_IN, 0, "SP?TC?", "ci8 ci16 cf32", "*", NULL, "voltages"},
              [H] = {"H", CT_TABLE, CT_PORT_BLOCK, "SPK", "i32", "SPK", NULL,
                     "samples from a window's beginning"},
              [N] = {"N", CT_TABLE, CT_PORT_BLOCK, "K", "i32", "K", NULL,
                     "samples of the block at which shifts begin"},
              [Y] = {"Y", CT_OUT, 0, "SP?TC?", "=X", "*", NULL, "the same, shifted"}},
    .params = params,
    .infer = infer,
    .table = table,
    .split = "S P C",
    .tuning = {.tunables = tunables,
               .where = "TILE_S * TILE_T * TILE_C <= (GPU ? 256 : 16384)",
               .suggest = ct_shift_suggest},
    .kernel = {.text = shift_cl,
               .name = "stages/delay/shift.cl",
               .entry = "shift",
               .launch = ct_shift_launch,
               .emit = ct_shift_emit,
               .tiles = tiles},
    .verify = {.cases = cases, .reference = reference},
};
