/* ms_sink.c: sink.ms: visibilities as a Measurement Set, for DP3, AOFlagger, WSClean and CASA.
 * Room: io/ms. Knows visibilities and their order. Does not know casacore. */
#include "format.h"
#include "ms_file.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define DAY_S 86400.0

enum { AT_ONCE = 4194304 }; /* bytes of visibilities that are put, about */

typedef struct ms_sink {
    ct_visibility of;
    ct_ms_file file;
    int64_t written; /* integrations */
    ct_ms_rows rows;
    ct_visibility_box box;
    int64_t most; /* rows at once */
    int32_t *first, *second;
    float *weight, *sigma; /* of rows */
    uint8_t *flag;
} ms_sink;

static const ct_param ms_params[] = {
    {"file", CT_PARAM_FILE, "!", "/", 0, 0, "the Measurement Set to write, a folder"},
    CT_VISIBILITY_SAMPLES,
    {0}};

/* As readers expect them: XX XY YX YY, the first letter for station 1. */
static const ct_visibility_order ms_order = {{0, 1, 2, 3}};

static ct_status ms_infer(ct_step *step, ct_error *err)
{
    const ct_ms_tables *tables;
    const ct_status status = ct_visibility_check(step, "a Measurement Set", err);
    if (status != CT_OK) return status;
    if (step->port[CT_VISIBILITY_X].meta.phase_centre) return ct_ms_tables_load(step, &tables, err);
    return ct_step_fail(step, NULL, err,
                        "a Measurement Set needs a phase centre, and these samples were delayed "
                        "towards none: put a node of stage delay with \"radec\" before the "
                        "correlator");
}

/* ---- at the beginning */

static ct_status sink_rooms(ms_sink *sink)
{
    const ct_visibility_header *header = &sink->of.header;
    const int64_t row = header->channels * header->products * (int64_t)(2 * sizeof(float));
    sink->most = row < AT_ONCE ? AT_ONCE / row : 1;
    if (sink->most > header->baselines) sink->most = header->baselines;
    const size_t rows = (size_t)sink->most, baselines = (size_t)header->baselines;
    const size_t products = (size_t)header->products;
    const size_t values = rows * (size_t)header->channels * products;
    ct_step *step = sink->of.step;
    sink->box.visibility = ct_step_alloc(step, values * sizeof *sink->box.visibility);
    sink->box.flag = ct_step_alloc(step, values * sizeof *sink->box.flag);
    sink->box.weight = ct_step_alloc(step, values * sizeof *sink->box.weight);
    sink->weight = ct_step_alloc(step, rows * products * sizeof *sink->weight);
    sink->sigma = ct_step_alloc(step, rows * products * sizeof *sink->sigma);
    sink->flag = ct_step_alloc(step, rows * sizeof *sink->flag);
    sink->first = ct_step_alloc(step, baselines * sizeof *sink->first);
    sink->second = ct_step_alloc(step, baselines * sizeof *sink->second);
    const bool there = sink->box.visibility && sink->box.flag && sink->box.weight && sink->weight &&
                       sink->sigma && sink->flag && sink->first && sink->second;
    return there ? CT_OK : CT_FAILED;
}

static ct_status ms_open(ct_step *step, void **state, ct_error *err)
{
    ms_sink *sink = ct_step_alloc(step, sizeof *sink);
    ct_visibility_instant at;
    *state = sink;
    if (!sink) return CT_FAILED;
    ct_status status = ct_visibility_open(&sink->of, step, err);
    if (status == CT_OK) status = sink_rooms(sink);
    if (status == CT_OK) status = ct_visibility_at(&sink->of, 0, &at, err);
    if (status != CT_OK) return status;
    for (int64_t l = 0; l < sink->of.header.baselines; l++) {
        sink->first[l] = (int32_t)sink->of.first[l];
        sink->second[l] = (int32_t)sink->of.second[l];
    }
    sink->rows.interval_s = step->port[CT_VISIBILITY_X].meta.sample_time_s;
    sink->file.start_s = at.day * DAY_S + at.part * DAY_S;
    sink->file.interval_s = sink->rows.interval_s;
    return ct_ms_file_open(&sink->file, &sink->of, &ms_order, err);
}

/* ---- an integration */

/* A row's weights are the means over its channels; a weight of 0 has no sigma. */
static void sink_weigh(ms_sink *sink, int64_t row)
{
    const int64_t channels = sink->of.header.channels, products = sink->of.header.products;
    const int64_t from = row * channels * products;
    uint8_t all = 1;
    for (int64_t i = 0; i < channels * products; i++)
        all = all && sink->box.flag[from + i];
    sink->flag[row] = all;
    for (int64_t q = 0; q < products; q++) {
        double sum = 0;
        for (int64_t c = 0; c < channels; c++)
            sum += (double)sink->box.weight[from + c * products + q];
        const double mean = sum / (double)channels;
        sink->weight[row * products + q] = (float)mean;
        sink->sigma[row * products + q] = mean > 0 ? (float)(1 / sqrt(mean)) : -1;
    }
}

static ct_status sink_put(ms_sink *sink, const ct_array *block, int64_t t, ct_error *err)
{
    const int64_t baselines = sink->of.header.baselines;
    ct_visibility_box *box = &sink->box;
    ct_status status = CT_OK;
    box->channels = sink->of.header.channels;
    for (box->baseline = 0; status == CT_OK && box->baseline < baselines;
         box->baseline += box->baselines) {
        const int64_t left = baselines - box->baseline;
        box->baselines = left < sink->most ? left : sink->most;
        ct_visibility_take(&sink->of, block, t, &ms_order, box);
        for (int64_t row = 0; row < box->baselines; row++)
            sink_weigh(sink, row);
        ct_ms_rows *rows = &sink->rows;
        rows->count = box->baselines;
        rows->ant_1 = sink->first + box->baseline;
        rows->ant_2 = sink->second + box->baseline;
        rows->uvw = (const double(*)[3])(sink->of.uvw + box->baseline);
        rows->visibility = (const float(*)[2])box->visibility;
        rows->flag = box->flag;
        rows->weight = box->weight;
        rows->row_weight = sink->weight;
        rows->row_sigma = sink->sigma;
        rows->row_flag = sink->flag;
        status = ct_ms_file_put(&sink->file, rows, err);
    }
    return status;
}

static ct_status ms_write(void *state, const ct_array *block, int64_t first, int64_t count,
                          ct_error *err)
{
    ms_sink *sink = state;
    ct_status status = CT_OK;
    for (int64_t t = first; status == CT_OK && t < first + count; t++) {
        ct_visibility_instant at;
        status = ct_visibility_at(&sink->of, sink->written, &at, err);
        sink->rows.time_s = at.day * DAY_S + at.part * DAY_S;
        if (status == CT_OK) status = sink_put(sink, block, t, err);
        sink->written++;
    }
    return status;
}

/* ---- at the end */

static ct_status ms_close(void *state, bool complete, ct_error *err)
{
    ms_sink *sink = state;
    return ct_ms_file_close(&sink->file, complete, sink->written, err);
}

static ct_status ms_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    return ct_ms_file_save(&((ms_sink *)state)->file, data, bytes, err);
}

static ct_status ms_restore(void *state, int64_t position, const void *data, size_t bytes,
                            ct_error *err)
{
    ms_sink *sink = state;
    sink->written = position;
    return ct_ms_file_restore(&sink->file, data, bytes, err);
}

static const ct_stage ct_stage_sink_ms = {
    .api = CT_API,
    .version = 1,
    .name = "sink.ms",
    .summary = "writes visibilities as a Measurement Set",
    .ports = {CT_VISIBILITY_PORTS},
    .params = ms_params,
    .infer = ms_infer,
    .io = {.open = ms_open,
           .write = ms_write,
           .close = ms_close,
           .save = ms_save,
           .restore = ms_restore},
};

const ct_format ct_format_ms = {.sink = &ct_stage_sink_ms};
