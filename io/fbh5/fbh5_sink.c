/* fbh5_sink.c: sink.fbh5: filterbanks in HDF5, one file for each beam and station. Channels stay in
 * their order.
 * Room: io/fbh5. Knows ports. Does not know HDF5. */
#include "angle.h"
#include "fbh5.h"
#include "filterbank.h"
#include "impute.h"
#include "intensity.h"
#include "saved.h"
#include <stdio.h>
#include <string.h>

typedef struct fbh5_sink {
    ct_step *step;
    int64_t count; /* of files */
    ct_fbh5_made **file;
    ct_impute_past *past;
    ct_saved saved;
} fbh5_sink;

static const ct_param fbh5_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0,
     "the file to write; several beams and stations get _B001 and _S001 in a name each"},
    {"compression", CT_PARAM_TEXT, "none", CT_WORDS(CT_FBH5_COMPRESSIONS), 0, 0,
     "of chunks: gzip; bitshuffle (with LZ4) where HDF5 finds this filter"},
    {"fill", CT_PARAM_TEXT, "median", CT_WORDS(CT_IMPUTATIONS), 0, 0,
     "where samples are missing: the median of the channel's 64 before the gap, or 0"},
    {0}};

/* ---- what can be written */

static ct_status fbh5_check_dims(const ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[0];
    for (int i = 0; i < in->rank; i++)
        if (!strchr("BSTQC", in->dim[i]))
            return ct_step_fail(step, NULL, err,
                                "expected the dimensions T, C and perhaps B, S, Q, found %s",
                                in->dim);
    if (ct_array_find(in, 'T') < 0 || ct_array_find(in, 'C') < 0)
        return ct_step_fail(step, NULL, err, "expected the dimensions T and C, found %s", in->dim);
    if (!(in->meta.sample_time_s > 0))
        return ct_step_fail(step, NULL, err,
                            "FBH5 needs the time between samples, which is not known: give the "
                            "source sample_time_s");
    return CT_OK;
}

static ct_status fbh5_infer(ct_step *step, ct_error *err)
{
    if (!ct_fbh5_there()) return ct_step_fail(step, NULL, err, "%s", CT_FBH5_NONE);
    ct_status status = fbh5_check_dims(step, err);
    if (status == CT_OK) status = ct_filterbank_check(step, "an FBH5 file", err);
    if (status == CT_OK && !ct_fbh5_compresses(ct_step_choice(step, "compression")))
        status = ct_step_fail(step, "compression", err,
                              "HDF5 does not find this filter: expected it in a folder of "
                              "HDF5_PLUGIN_PATH; the Python package hdf5plugin has it, in its "
                              "folder plugins");
    if (status != CT_OK) return status;
    ct_beam_names_declare(step, NULL);
    ct_intensity_warn(step, "FBH5 does not say what its IFs are, and readers take the first");
    return CT_OK;
}

/* ---- what a file says */

static void sink_band(const ct_array *in, ct_fbh5_head *head)
{
    ct_filterbank_band(&in->meta, false, &head->fch1, &head->foff);
    head->nchans = (double)ct_array_extent(in, 'C');
    head->nifs = (double)ct_array_extent(in, 'Q');
    head->nbits = ct_type_bits(in->type);
    head->tstart = ct_filterbank_start(&in->meta);
    head->tsamp = in->meta.sample_time_s;
}

static ct_fbh5_head sink_head(const ct_array *in, ct_beam_index at)
{
    enum { FILTERBANK = 1 };
    const ct_meta *meta = &in->meta;
    const ct_header none = {.data_type = FILTERBANK}, *from = meta->header ? meta->header : &none;
    const bool ours = ct_array_extent(in, 'B') > 1;
    ct_fbh5_head head = {.machine_id = from->machine_id,
                         .telescope_id = (double)ct_filterbank_telescope_id(meta->telescope),
                         .src_raj = ct_angle_unpack(meta->src_raj),
                         .src_dej = ct_angle_unpack(meta->src_dej),
                         .az_start = from->az_deg,
                         .za_start = from->za_deg,
                         .data_type = from->data_type > 0 ? from->data_type : FILTERBANK,
                         .nbeams = ours ? (double)ct_array_extent(in, 'B') : from->beams,
                         .ibeam = ours ? (double)at.b : from->beam,
                         .barycentric = from->barycentric,
                         .pulsarcentric = from->pulsarcentric,
                         .refdm = from->refdm};
    sink_band(in, &head);
    snprintf(head.source_name, sizeof head.source_name, "%s",
             meta->source_name ? meta->source_name : "");
    return head;
}

/* ---- life */

static ct_status fbh5_close(void *state, bool complete, ct_error *err)
{
    fbh5_sink *sink = state;
    ct_status status = CT_OK;
    for (int64_t i = 0; i < sink->count; i++) {
        const ct_array *in = &sink->step->port[0];
        const ct_fbh5_head head = sink_head(in, ct_beam_names_index(in, i));
        const bool whole = complete && status == CT_OK;
        const ct_status one = ct_fbh5_end(sink->file[i], whole ? &head : NULL, err);
        if (status == CT_OK) status = one;
    }
    return status;
}

static ct_status fbh5_open(ct_step *step, void **state, ct_error *err)
{
    fbh5_sink *sink = *state = ct_step_alloc(step, sizeof *sink);
    const ct_array *in = &step->port[0];
    const int64_t files = ct_beam_names_count(in);
    const ct_fbh5_shape shape = {.type = in->type,
                                 .ifs = ct_array_extent(in, 'Q'),
                                 .channels = ct_array_extent(in, 'C'),
                                 .samples = in->meta.total,
                                 .compression = ct_step_choice(step, "compression")};
    if (!sink) return CT_FAILED;
    sink->step = step;
    sink->file = ct_step_alloc(step, (size_t)files * sizeof *sink->file);
    if (!sink->file) return CT_FAILED;
    ct_status status = ct_impute_new(&sink->past, step, files);
    for (int64_t i = 0; status == CT_OK && i < files; i++) {
        status = ct_fbh5_make(&sink->file[i], step, ct_beam_names_file(step, i, NULL), &shape,
                              files > 1, err);
        if (status == CT_OK) sink->count++;
    }
    if (status != CT_OK) (void)fbh5_close(sink, false, NULL);
    return status;
}

/* ---- samples */

static ct_status sink_add(ct_fbh5_made *file, const ct_array *part, int64_t first, int64_t count,
                          ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t t = 0, now; status == CT_OK && t < count; t += now) {
        void *room = ct_fbh5_room(file, &now);
        if (now > count - t) now = count - t;
        (void)ct_beam_names_take(part, first + t, now, room);
        status = ct_fbh5_add(file, now, err);
    }
    return status == CT_OK ? ct_fbh5_flush(file, err) : status;
}

static ct_status fbh5_write(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    fbh5_sink *sink = state;
    ct_status status = CT_OK;
    for (int64_t i = 0; status == CT_OK && i < sink->count; i++) {
        const ct_array as_is = ct_beam_names_part(block, i);
        ct_array part = as_is;
        int64_t from = first;
        status = ct_impute_part(sink->past, i, &as_is, first, count, &part, &from);
        if (status == CT_OK) status = sink_add(sink->file[i], &part, from, count, err);
    }
    return status;
}

/* ---- for a later run: what is remembered of gaps, then each file's */

static ct_status fbh5_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    fbh5_sink *sink = state;
    const void *one;
    size_t one_bytes;
    one = ct_impute_state(sink->past, &one_bytes);
    ct_saved_begin(&sink->saved, sink->step);
    ct_status status = ct_saved_add(&sink->saved, one, one_bytes);
    for (int64_t i = 0; status == CT_OK && i < sink->count; i++) {
        status = ct_fbh5_save(sink->file[i], &one, &one_bytes, err);
        if (status == CT_OK) status = ct_saved_add(&sink->saved, one, one_bytes);
    }
    *data = sink->saved.data;
    *bytes = sink->saved.bytes;
    return status;
}

static ct_status fbh5_restore(void *state, int64_t position, const void *data, size_t bytes,
                              ct_error *err)
{
    fbh5_sink *sink = state;
    const uint8_t *at = data, *end = at + bytes;
    const void *one;
    size_t one_bytes, past_bytes;
    void *past = ct_impute_state(sink->past, &past_bytes);
    bool whole = ct_saved_next(&at, end, &one, &one_bytes) && one_bytes == past_bytes;
    ct_status status = CT_OK;
    if (whole) memcpy(past, one, past_bytes);
    for (int64_t i = 0; whole && status == CT_OK && i < sink->count; i++) {
        whole = ct_saved_next(&at, end, &one, &one_bytes);
        if (whole) status = ct_fbh5_restore(sink->file[i], position, one, one_bytes, err);
    }
    if (whole || status != CT_OK) return status;
    return ct_error_add(err, CT_DATA, "%s: what the journal has of it is not whole",
                        ct_step_path(sink->step, "file"));
}

const ct_stage ct_stage_sink_fbh5 = {
    .api = CT_API,
    .version = 1,
    .name = "sink.fbh5",
    .summary = "writes filterbanks in HDF5 (FBH5), as blimpy reads them",
    .ports = {{"X", CT_IN, 0, "*", "f32 u8 u16 i8 i16", "*", "BSTQC",
               "T,C, perhaps Q, and one file for each B, S"},
              {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
               "flags, for what is filled"}},
    .params = fbh5_params,
    .infer = fbh5_infer,
    .traits = CT_STAGE_THREAD,
    .io = {.open = fbh5_open,
           .write = fbh5_write,
           .close = fbh5_close,
           .save = fbh5_save,
           .restore = fbh5_restore},
};
