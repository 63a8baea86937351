/* uvh5_sink.c: sink.uvh5: visibilities with their coordinates, for pyuvdata and what reads UVH5.
 * Room: io/uvh5. Knows ports, samples and the observation. Does not know HDF5. */
#include "format.h"
#include "numbers.h"
#include "output.h"
#include "uvh5.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { X = CT_UVH5_X, COUNTS = CT_UVH5_COUNTS };

#define DAY_S 86400.0
#define MJD_0 2400000.5
#define CHUNK_BYTES 1048576 /* of visibilities, about */

typedef struct uvh5_sink {
    ct_step *step;
    ct_uvh5 *file;
    ct_uvh5_header header;
    double samples;          /* of an integration */
    int64_t written;         /* integrations */
    int64_t *first, *second; /* stations of each baseline */
    double (*local)[3];      /* stations, east, north, up */
    double (*uvw)[3];
    float (*visibility)[2]; /* of a box, as the next two */
    uint8_t *flag;
    float *weight;
} uvh5_sink;

static const ct_param uvh5_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0, "the file to write"},
    {"samples", CT_PARAM_INT, NULL, NULL, 1, 0,
     "samples of an integration; default: what the correlator says"},
    {0}};

/* ---- at the beginning */

/* About that many bytes of visibilities in a chunk: whole integrations, or a part of the channels
 * of one, or of its baselines. */
static void sink_chunk(ct_uvh5_header *header, int64_t total)
{
    const int64_t least = header->products * (int64_t)(2 * sizeof(float));
    int64_t channels = CHUNK_BYTES / (header->baselines * least), rows = header->baselines;
    if (channels > header->channels) channels = header->channels;
    if (channels < 1) channels = 1;
    const int64_t parts = ct_divide_up(header->channels, channels);
    channels = ct_divide_up(header->channels, parts);
    const int64_t bytes = rows * channels * least;
    if (parts == 1 && bytes < CHUNK_BYTES) rows *= CHUNK_BYTES / bytes;
    if (bytes > 4 * CHUNK_BYTES) rows = ct_divide_up(rows, bytes / CHUNK_BYTES);
    if (total > 0 && rows / header->baselines > total) rows = total * header->baselines;
    header->rows_chunk = rows;
    header->channels_chunk = channels;
}

static ct_status sink_describe(uvh5_sink *sink, ct_error *err)
{
    const ct_array *in = &sink->step->port[X];
    const ct_meta *meta = &in->meta;
    sink->samples = (double)ct_uvh5_samples(sink->step);
    sink->header = (ct_uvh5_header){
        .stations = ct_uvh5_stations(in),
        .baselines = ct_array_extent(in, 'L'),
        .channels = ct_array_extent(in, 'C'),
        .products = ct_array_extent(in, 'Q'),
        .telescope = meta->telescope && meta->telescope[0] ? meta->telescope : "unknown",
        .source = meta->source_name && meta->source_name[0] ? meta->source_name : "unknown",
        .names = ct_step_observation(sink->step)->names,
        .frequency_hz = meta->frequency_hz,
        .channel_width_hz = ct_uvh5_width(meta),
    };
    ct_uvh5_phase(meta, &sink->header);
    sink_chunk(&sink->header, meta->total);
    return ct_uvh5_site_of(sink->step, &sink->header.site, err);
}

static ct_status sink_rooms(uvh5_sink *sink)
{
    const ct_uvh5_header *header = &sink->header;
    const size_t rows = (size_t)header->baselines;
    const size_t most =
        (size_t)(header->rows_chunk < header->baselines ? header->rows_chunk : header->baselines);
    const size_t box = most * (size_t)(header->channels_chunk * header->products);
    ct_step *step = sink->step;
    sink->first = ct_step_alloc(step, rows * sizeof *sink->first);
    sink->second = ct_step_alloc(step, rows * sizeof *sink->second);
    sink->uvw = ct_step_alloc(step, rows * sizeof *sink->uvw);
    sink->local = ct_step_alloc(step, (size_t)header->stations * sizeof *sink->local);
    sink->visibility = ct_step_alloc(step, box * sizeof *sink->visibility);
    sink->flag = ct_step_alloc(step, box * sizeof *sink->flag);
    sink->weight = ct_step_alloc(step, box * sizeof *sink->weight);
    const bool there = sink->first && sink->second && sink->uvw && sink->local &&
                       sink->visibility && sink->flag && sink->weight;
    return there ? CT_OK : CT_FAILED;
}

/* Baselines in the correlator's order: 0-0, 0-1, 1-1, 0-2 .. */
static ct_status sink_place(uvh5_sink *sink, ct_error *err)
{
    const ct_observation *said = ct_step_observation(sink->step);
    ct_status status = CT_OK;
    double(*apart)[3] = ct_step_alloc(sink->step, (size_t)said->stations * sizeof *apart);
    if (!apart) return CT_FAILED;
    for (int64_t j = 0, l = 0; j < said->stations; j++)
        for (int64_t i = 0; i <= j; i++, l++)
            sink->first[l] = i, sink->second[l] = j;
    for (int64_t s = 0; status == CT_OK && s < said->stations; s++) {
        for (int k = 0; k < 3; k++)
            apart[s][k] = said->station[s][k] - said->site[k];
        status = ct_step_local(sink->step, said->station[s], sink->local[s], err);
    }
    sink->header.position = (const double(*)[3])apart;
    return status;
}

static ct_status uvh5_open(ct_step *step, void **state, ct_error *err)
{
    uvh5_sink *sink = ct_step_alloc(step, sizeof *sink);
    *state = sink;
    if (!sink) return CT_FAILED;
    sink->step = step;
    ct_status status = sink_describe(sink, err);
    if (status == CT_OK) status = sink_rooms(sink);
    if (status == CT_OK) status = sink_place(sink, err);
    if (status != CT_OK) return status;
    return ct_uvh5_open(&sink->file, step, ct_step_path(step, "file"), &sink->header, err);
}

/* ---- an integration */

static double sink_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static ct_status sink_add_rows(uvh5_sink *sink, ct_error *err)
{
    const ct_meta *meta = &sink->step->port[X].meta;
    const double after = meta->start_s + (double)sink->written * meta->sample_time_s;
    const double day = floor(meta->start_mjd);
    ct_uvh5_rows rows = {.count = sink->header.baselines,
                         .ant_1 = sink->first,
                         .ant_2 = sink->second,
                         .uvw = (const double(*)[3])sink->uvw,
                         .jd = MJD_0 + day + (meta->start_mjd - day + after / DAY_S),
                         .integration_s = meta->sample_time_s};
    ct_status status =
        ct_uvh5_axes_at(sink->step, &sink->header, meta->start_mjd, after, &rows.axes, err);
    if (status != CT_OK) return status;
    for (int64_t l = 0; l < rows.count; l++) {
        double apart[3];
        for (int k = 0; k < 3; k++)
            apart[k] = sink->local[sink->second[l]][k] - sink->local[sink->first[l]][k];
        sink->uvw[l][0] = sink_dot(apart, rows.axes.u);
        sink->uvw[l][1] = sink_dot(apart, rows.axes.v);
        sink->uvw[l][2] = sink_dot(apart, rows.axes.w);
    }
    return ct_uvh5_add(sink->file, &rows, err);
}

static void load_cf32(const void *data, int64_t at, double out[2])
{
    const float *from = (const float *)data + 2 * at;
    out[0] = from[0], out[1] = from[1];
}

static void load_ci32(const void *data, int64_t at, double out[2])
{
    const int32_t *from = (const int32_t *)data + 2 * at;
    out[0] = from[0], out[1] = from[1];
}

static void load_ci64(const void *data, int64_t at, double out[2])
{
    const int64_t *from = (const int64_t *)data + 2 * at;
    out[0] = (double)from[0], out[1] = (double)from[1];
}

static double sink_count(const uvh5_sink *sink, int64_t t, int64_t l, int64_t c)
{
    const ct_array *counts = &sink->step->port[COUNTS];
    if (counts->type == CT_NONE) return sink->samples;
    return ((const uint32_t *)
                counts->data)[counts->offset + t * ct_array_stride(counts, 'T') +
                              l * ct_array_stride(counts, 'L') + c * ct_array_stride(counts, 'C')];
}

/* Products of one baseline and channel: sums become means, XX XY YX YY becomes XX YY XY YX. */
static void sink_take(const uvh5_sink *sink, const ct_array *in, int64_t from, double count,
                      bool self, int64_t to)
{
    static void (*const load[CT_TYPES])(const void *, int64_t, double[2]) = {
        [CT_CF32] = load_cf32, [CT_CI32] = load_ci32, [CT_CI64] = load_ci64};
    static const int place[CT_UVH5_PRODUCTS] = {0, 3, 1, 2};
    const int64_t products = sink->header.products, stride = ct_array_stride(in, 'Q');
    for (int64_t q = 0; q < products; q++) {
        double sum[2] = {0};
        if (count > 0) load[in->type](in->data, from + place[q] * stride, sum);
        if (self && q < 2) sum[1] = 0;
        sink->visibility[to + q][0] = count > 0 ? (float)(sum[0] / count) : 0;
        sink->visibility[to + q][1] = count > 0 ? (float)(sum[1] / count) : 0;
        sink->flag[to + q] = !(count > 0);
        sink->weight[to + q] = (float)(count / sink->samples);
    }
}

static ct_status sink_put_box(uvh5_sink *sink, const ct_array *in, int64_t t, ct_uvh5_box box,
                              ct_error *err)
{
    const int64_t base = in->offset + t * ct_array_stride(in, 'T');
    const int64_t begin = sink->written * sink->header.baselines, first = box.row - begin;
    int64_t to = 0;
    for (int64_t l = first; l < first + box.rows; l++)
        for (int64_t c = box.channel; c < box.channel + box.channels; c++) {
            const int64_t from = base + l * ct_array_stride(in, 'L') + c * ct_array_stride(in, 'C');
            sink_take(sink, in, from, sink_count(sink, t, l, c), sink->first[l] == sink->second[l],
                      to);
            to += sink->header.products;
        }
    box.visibility = (const float(*)[2])sink->visibility;
    box.flag = sink->flag;
    box.samples = sink->weight;
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
    const int64_t begin = sink->written * header->baselines, end = begin + header->baselines;
    ct_status status = CT_OK;
    ct_uvh5_box box = {.row = begin};
    for (; status == CT_OK && box.row < end; box.row += box.rows) {
        box.rows = sink_upto(box.row, header->rows_chunk, end);
        for (box.channel = 0; status == CT_OK && box.channel < header->channels;
             box.channel += box.channels) {
            box.channels = sink_upto(box.channel, header->channels_chunk, header->channels);
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
    const char *why = complete ? ct_step_incomplete(sink->step) : NULL;
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
    return ct_uvh5_restore(sink->file, position * sink->header.baselines, data, bytes, err);
}

const ct_stage ct_stage_sink_uvh5 = {
    .api = CT_API,
    .version = 1,
    .name = "sink.uvh5",
    .summary = "writes visibilities as UVH5",
    .ports = {[X] = {"X", CT_IN, 0, "TLCQ", "cf32 ci32 ci64", "*", NULL,
                     "the correlator's sums; all pairs of stations along L"},
              [COUNTS] = {"COUNTS", CT_IN, CT_PORT_OPTIONAL, "TLC?", "u32", "*", NULL,
                          "samples that went into each sum; not connected: all"}},
    .params = uvh5_params,
    .infer = ct_uvh5_check,
    .io = {.open = uvh5_open,
           .write = uvh5_write,
           .close = uvh5_close,
           .save = uvh5_save,
           .restore = uvh5_restore},
};

static bool uvh5_is(const uint8_t *start, size_t bytes)
{
    (void)bytes;
    return memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0;
}

const ct_format ct_format_uvh5 = {
    .is = uvh5_is,
    .found = "an HDF5 file: h5py reads it, numpy.save makes a .npy file of an array, for "
             "source.npy",
    .sink = &ct_stage_sink_uvh5};
