/* uvh5_sink.c: sink.uvh5: visibilities with their coordinates, for pyuvdata and what reads UVH5.
 * Room: io/uvh5. Knows ports, samples and the observation. Does not know HDF5. */
#include "format.h"
#include "uvh5.h"
#include <stdio.h>
#include <string.h>

#define MJD_0 2400000.5
#define CHUNK_BYTES 1048576 /* of visibilities, about */

typedef struct uvh5_sink {
    ct_visibility of;
    ct_uvh5 *file;
    ct_uvh5_header header;
    int64_t written; /* integrations */
    ct_visibility_box box;
} uvh5_sink;

static const ct_param uvh5_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0, "the file to write"}, CT_VISIBILITY_SAMPLES, {0}};

/* XX YY XY YX */
static const ct_visibility_order uvh5_order = {{0, 3, 1, 2}};

static ct_status uvh5_infer(ct_step *step, ct_error *err)
{
    if (ct_uvh5_there()) return ct_visibility_check(step, "UVH5", err);
    return ct_step_fail(step, NULL, err,
                        "this Cornerturn was built without HDF5, which writes UVH5: install "
                        "libhdf5-dev and build it again");
}

/* ---- at the beginning */

/* About that many bytes of visibilities in a chunk: whole integrations, or a part of the channels
 * of one, or of its baselines. */
static void sink_chunk(ct_uvh5_header *header, int64_t total)
{
    const ct_visibility_header *of = header->of;
    const int64_t least = of->products * (int64_t)(2 * sizeof(float));
    int64_t channels = CHUNK_BYTES / (of->baselines * least), rows = of->baselines;
    if (channels > of->channels) channels = of->channels;
    if (channels < 1) channels = 1;
    const int64_t parts = ct_divide_up(of->channels, channels);
    channels = ct_divide_up(of->channels, parts);
    const int64_t bytes = rows * channels * least;
    if (parts == 1 && bytes < CHUNK_BYTES) rows *= CHUNK_BYTES / bytes;
    if (bytes > 4 * CHUNK_BYTES) rows = ct_divide_up(rows, bytes / CHUNK_BYTES);
    if (total > 0 && rows / of->baselines > total) rows = total * of->baselines;
    header->rows_chunk = rows;
    header->channels_chunk = channels;
}

static ct_status sink_rooms(uvh5_sink *sink)
{
    const ct_uvh5_header *header = &sink->header;
    const int64_t baselines = header->of->baselines;
    const int64_t most = header->rows_chunk < baselines ? header->rows_chunk : baselines;
    const size_t values = (size_t)(most * header->channels_chunk * header->of->products);
    ct_step *step = sink->of.step;
    sink->box.visibility = ct_step_alloc(step, values * sizeof *sink->box.visibility);
    sink->box.flag = ct_step_alloc(step, values * sizeof *sink->box.flag);
    sink->box.weight = ct_step_alloc(step, values * sizeof *sink->box.weight);
    return sink->box.visibility && sink->box.flag && sink->box.weight ? CT_OK : CT_FAILED;
}

static ct_status uvh5_open(ct_step *step, void **state, ct_error *err)
{
    uvh5_sink *sink = ct_step_alloc(step, sizeof *sink);
    *state = sink;
    if (!sink) return CT_FAILED;
    ct_status status = ct_visibility_open(&sink->of, step, err);
    if (status != CT_OK) return status;
    sink->header.of = &sink->of.header;
    for (int64_t q = 0; q < sink->of.header.products; q++)
        sink->header.product[q] = ct_visibility_product(&sink->of.header, &uvh5_order, q)->aips;
    sink_chunk(&sink->header, step->port[CT_VISIBILITY_X].meta.total);
    status = sink_rooms(sink);
    if (status != CT_OK) return status;
    return ct_uvh5_open(&sink->file, step, ct_step_path(step, "file"), &sink->header, err);
}

/* ---- an integration */

static ct_status sink_add_rows(uvh5_sink *sink, ct_error *err)
{
    ct_visibility_instant at;
    const ct_status status = ct_visibility_at(&sink->of, sink->written, &at, err);
    if (status != CT_OK) return status;
    const ct_uvh5_rows rows = {.count = sink->of.header.baselines,
                               .ant_1 = sink->of.first,
                               .ant_2 = sink->of.second,
                               .uvw = (const double(*)[3])sink->of.uvw,
                               .jd = MJD_0 + at.day + at.part,
                               .integration_s =
                                   sink->of.step->port[CT_VISIBILITY_X].meta.sample_time_s,
                               .axes = at.axes};
    return ct_uvh5_add(sink->file, &rows, err);
}

static ct_status sink_put_box(uvh5_sink *sink, const ct_array *in, int64_t t, ct_uvh5_box box,
                              ct_error *err)
{
    sink->box.baseline = box.row - sink->written * sink->of.header.baselines;
    sink->box.baselines = box.rows;
    sink->box.channel = box.channel;
    sink->box.channels = box.channels;
    ct_visibility_take(&sink->of, in, t, &uvh5_order, &sink->box);
    box.visibility = (const float(*)[2])sink->box.visibility;
    box.flag = sink->box.flag;
    box.samples = sink->box.weight;
    return ct_uvh5_put(sink->file, &box, err);
}

/* Indices from `at` up to the end of its chunk, `end` at most. */
static int64_t sink_upto(int64_t at, int64_t chunk, int64_t end)
{
    const int64_t left = chunk - at % chunk;
    return end - at < left ? end - at : left;
}

/* Chunk by chunk, so that each is written in one piece. */
static ct_status sink_put(uvh5_sink *sink, const ct_array *in, int64_t t, ct_error *err)
{
    const ct_uvh5_header *header = &sink->header;
    const int64_t channels = header->of->channels, baselines = header->of->baselines;
    const int64_t begin = sink->written * baselines, end = begin + baselines;
    ct_status status = CT_OK;
    ct_uvh5_box box = {.row = begin};
    for (; status == CT_OK && box.row < end; box.row += box.rows) {
        box.rows = sink_upto(box.row, header->rows_chunk, end);
        for (box.channel = 0; status == CT_OK && box.channel < channels;
             box.channel += box.channels) {
            box.channels = sink_upto(box.channel, header->channels_chunk, channels);
            status = sink_put_box(sink, in, t, box, err);
        }
    }
    return status;
}

static ct_status uvh5_write(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    uvh5_sink *sink = state;
    ct_status status = CT_OK;
    for (int64_t t = first; status == CT_OK && t < first + count; t++) {
        status = sink_add_rows(sink, err);
        if (status == CT_OK) status = sink_put(sink, block, t, err);
        sink->written++;
    }
    return status == CT_OK ? ct_uvh5_flush(sink->file, err) : status;
}

/* ---- at the end */

static ct_status uvh5_close(void *state, bool complete, ct_error *err)
{
    uvh5_sink *sink = state;
    char history[CT_UVH5_HISTORY];
    const char *why = complete ? ct_step_incomplete(sink->of.step) : NULL;
    snprintf(history, sizeof history, "Cornerturn %d.%d.%d, sink.uvh5%s%s", CT_VERSION_MAJOR,
             CT_VERSION_MINOR, CT_VERSION_PATCH, why ? "; " : "", why ? why : "");
    return ct_uvh5_end(sink->file, complete, history, err);
}

static ct_status uvh5_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    return ct_uvh5_save(((uvh5_sink *)state)->file, data, bytes, err);
}

static ct_status uvh5_restore(void *state, int64_t position, const void *data, size_t bytes,
                              ct_error *err)
{
    uvh5_sink *sink = state;
    sink->written = position;
    return ct_uvh5_restore(sink->file, position * sink->of.header.baselines, data, bytes, err);
}

const ct_stage ct_stage_sink_uvh5 = {
    .api = CT_API,
    .version = 1,
    .name = "sink.uvh5",
    .summary = "writes visibilities as UVH5",
    .ports = {CT_VISIBILITY_PORTS},
    .params = uvh5_params,
    .infer = uvh5_infer,
    .io = {.open = uvh5_open,
           .write = uvh5_write,
           .close = uvh5_close,
           .save = uvh5_save,
           .restore = uvh5_restore},
};
