/* candidates.c: sink.candidates: the strongest pulse of each beam as JSON, and a picture.
 * Room: io/candidates. Knows dedispersed series and its two files. Does not know how series were
 * made. Called by: core, through the descriptor: open, write as often as there are blocks, close.
 */
#include "candidates.h"

#include <stdio.h>

enum { X };

static void candidates_shape(ct_candidates *c, const ct_array *x)
{
    c->array = *x;
    c->trials = ct_array_extent(x, 'D');
    c->products = ct_array_extent(x, 'Q');
    c->lanes = c->products * ct_array_extent(x, 'B') * ct_array_extent(x, 'S');
    for (int64_t d = 0; x->meta.downsample != NULL && d < c->trials; d++)
        c->finest = ct_common_divisor(x->meta.downsample[d], c->finest);
}

static ct_status open_sink(ct_step *step, void **state, ct_error *err)
{
    ct_candidates *c = ct_step_alloc(step, sizeof *c);
    *state = c;
    c->step = step;
    candidates_shape(c, &step->port[X]);
    const size_t rows = (size_t)(c->lanes * c->trials);
    c->widest = ct_step_int(step, "widest");
    c->bin = 1;
    const size_t length = (size_t)(ct_array_extent(&c->array, 'T') + c->widest);
    c->best = ct_step_alloc(step, (size_t)c->lanes * sizeof *c->best);
    c->plane = ct_step_alloc(step, rows * CT_CANDIDATES_BINS * sizeof *c->plane);
    c->tail = ct_step_alloc(step, rows * (size_t)c->widest * sizeof *c->tail);
    c->series = ct_step_alloc(step, length * sizeof *c->series);
    c->sorted = ct_step_alloc(step, length * sizeof *c->sorted);
    ct_status status = ct_output_open(&c->json, step, ct_step_path(step, "file"), true, err);
    if (status == CT_OK && ct_step_path(step, "picture") != NULL)
        status = ct_output_open(&c->picture, step, ct_step_path(step, "picture"), true, err);
    return status;
}

static ct_status write_sink(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    (void)err;
    ct_candidates_find(state, block, first, count);
    return CT_OK;
}

void ct_candidates_product(char out[24], const ct_candidates *c, int64_t lane)
{
    const int64_t product = lane % c->products;
    out[0] = 0;
    if (c->products == 4)
        snprintf(out, 24, "%c", "IQUV"[product]);
    else if (c->products > 1)
        snprintf(out, 24, "%lld", (long long)product);
}

/* `"stokes": "U", `, or `"product": 1, `, or nothing. */
static void print_product(char out[64], const ct_candidates *c, int64_t lane)
{
    char product[24];
    ct_candidates_product(product, c, lane);
    out[0] = 0;
    if (c->products == 4)
        snprintf(out, 64, "\"stokes\": \"%s\", ", product);
    else if (c->products > 1)
        snprintf(out, 64, "\"product\": %s, ", product);
}

static ct_status print_peak(ct_candidates *c, int64_t lane, ct_error *err)
{
    const ct_peak *peak = &c->best[lane];
    const double spacing = c->array.meta.sample_time_s > 0.0 ? c->array.meta.sample_time_s : 1.0;
    char product[64];
    print_product(product, c, lane);
    return ct_output_print(&c->json, err,
                           "{\"beam\": %lld, %s\"dm\": %.6g, \"time_s\": %.6f, \"width_s\": %.6g, "
                           "\"snr\": %.2f}",
                           (long long)(lane / c->products), product,
                           ct_candidates_dm(c, peak->trial), ct_candidates_time(c, peak),
                           spacing * (double)(peak->width * ct_candidates_ratio(c, peak->trial)),
                           peak->snr);
}

static ct_status print_json(ct_candidates *c, ct_error *err)
{
    ct_status status = ct_output_print(&c->json, err, "{\n\"best\": ");
    if (status == CT_OK) status = print_peak(c, ct_candidates_best(c), err);
    if (status == CT_OK) status = ct_output_print(&c->json, err, ",\n\"beams\": [");
    for (int64_t lane = 0; status == CT_OK && lane < c->lanes; lane++) {
        status = ct_output_print(&c->json, err, "%s\n  ", lane > 0 ? "," : "");
        if (status == CT_OK) status = print_peak(c, lane, err);
    }
    if (status == CT_OK) status = ct_output_print(&c->json, err, "]\n}\n");
    return status;
}

static ct_status close_sink(void *state, bool complete, ct_error *err)
{
    ct_candidates *c = state;
    ct_status status = complete ? print_json(c, err) : CT_OK;
    if (complete && status == CT_OK && c->picture.started) status = ct_candidates_draw(c, err);
    const bool whole = complete && status == CT_OK;
    ct_status closed = ct_output_close(&c->json, whole, err);
    if (status == CT_OK) status = closed;
    closed = ct_output_close(&c->picture, whole && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

static const ct_param params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0, "the JSON file to write"},
    {"picture", CT_PARAM_FILE, NULL, NULL, 0, 0, "an SVG file to write"},
    {"widest", CT_PARAM_INT, "16", NULL, 1, 4096, "samples of the widest boxcar"},
    {"directions", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "of the beams: a list of [azimuth, elevation] in degrees, for the picture"},
    {"mark", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "what is expected: {\"dm\": .., \"time_s\": ..}, for the picture"},
    {0}};

const ct_stage ct_stage_sink_candidates = {
    .api = CT_API,
    .version = 1,
    .name = "sink.candidates",
    .summary =
        "finds the strongest pulse of each beam and Stokes parameter, writes JSON and a picture",
    .ports = {{"X", CT_IN, 0, "[BS]?Q?DT", "f32", "*", "BQDT", "dedispersed series"}},
    .params = params,
    .open = open_sink,
    .write = write_sink,
    .close = close_sink,
};
