/* lofar_bf_sink.c: sink.lofar_bf: beams in LOFAR's own HDF5 files, one for each beam and Stokes
 * parameter, or part of a voltage, as its pulsar programs expect them.
 * Room: io/lofar_bf. Knows ports and the observation. Does not know HDF5. */
#include "impute.h"
#include "lofar_bf_ports.h"
#include "output.h"
#include "saved.h"
#include <stdio.h>
#include <string.h>

#define GATHER_BYTES ((int64_t)1 << 20)

typedef struct bf_sink {
    ct_step *step;
    int64_t beams, sets, count; /* files: of beam 0 all sets, then of beam 1 .. */
    ct_lofar_bf_made **file;
    ct_impute_past *past; /* NULL: voltages, which are written as they are */
    float *rows;          /* some of them, as in a file */
    int64_t rows_most;
    const double *hz; /* ascending */
    bool backwards;   /* the last channel comes first in the file */
    ct_saved saved;   /* for a later run */
    int64_t written;
} bf_sink;

static const ct_param bf_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0,
     "the file to write; several beams, stations and components get _B001, _S001 and _S0 in a name "
     "each"},
    {"raw", CT_PARAM_BOOL, "false", NULL, 0, 0,
     "samples go to a file beside it, name.raw, as LOFAR's correlator writes them"},
    {"fill", CT_PARAM_TEXT, "zero", CT_WORDS(CT_IMPUTATIONS), 0, 0,
     "where samples of power are missing: 0, or the median of the channel's 64 before the gap"},
    {"signal_sum", CT_PARAM_TEXT, "COHERENT", CT_WORDS(CT_LOFAR_BF_SIGNALS), 0, 0,
     "how stations were added"},
    {"subband_channels", CT_PARAM_INT, NULL, NULL, 1, CT_LOFAR_BF_CHANNELS,
     "channels of a subband; default: as many as make 195312.5 or 156250 Hz, or else 1"},
    {"radec", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "[[ra, dec], ..]: where each beam points, degrees; default: the source's place"},
    {"attributes", CT_PARAM_ANY, NULL, NULL, 0, 0,
     "{\"PROJECT_ID\": \"LC1_001\", ..}: what the file says of its project"},
    {0}};

/* ---- files */

static const char *sink_name(ct_step *step, int64_t beam, int64_t set)
{
    char suffix[8];
    const char *name = ct_beam_names_file(step, beam, NULL);
    if (ct_lofar_bf_sets(&step->port[CT_LOFAR_BF_X]) < 2) return name;
    snprintf(suffix, sizeof suffix, "_S%d", (int)set);
    return ct_output_name(step, name, suffix, NULL);
}

static const char *sink_raw_name(ct_step *step, int64_t beam, int64_t set)
{
    if (!ct_step_bool(step, "raw")) return NULL;
    return ct_output_name(step, sink_name(step, beam, set), "", ".raw");
}

static void sink_declare(ct_step *step)
{
    const ct_array *in = &step->port[CT_LOFAR_BF_X];
    for (int64_t b = 0; b < ct_beam_names_count(in); b++)
        for (int64_t k = 0; k < ct_lofar_bf_sets(in); k++) {
            const char *raw = sink_raw_name(step, b, k);
            ct_step_writes(step, "file", sink_name(step, b, k));
            if (raw) ct_step_writes(step, "file", raw);
        }
}

/* ---- what can be written */

static ct_status bf_infer(ct_step *step, ct_error *err)
{
    const ct_status status = ct_lofar_bf_check(step, err);
    if (status == CT_OK) sink_declare(step);
    return status;
}

/* ---- life */

static ct_status sink_frequencies(bf_sink *sink)
{
    const ct_meta *meta = &sink->step->port[CT_LOFAR_BF_X].meta;
    const int64_t channels = meta->frequencies;
    double *hz = ct_step_alloc(sink->step, (size_t)channels * sizeof *hz);
    if (!hz) return CT_FAILED;
    sink->backwards = channels > 1 && meta->frequency_hz[1] < meta->frequency_hz[0];
    for (int64_t c = 0; c < channels; c++)
        hz[c] = meta->frequency_hz[sink->backwards ? channels - 1 - c : c];
    sink->hz = hz;
    return CT_OK;
}

static ct_status sink_rooms(bf_sink *sink)
{
    const ct_array *in = &sink->step->port[CT_LOFAR_BF_X];
    const int64_t row = ct_array_extent(in, 'C') * (int64_t)sizeof(float);
    sink->beams = ct_beam_names_count(in);
    sink->sets = ct_lofar_bf_sets(in);
    sink->rows_most = row < GATHER_BYTES ? GATHER_BYTES / row : 1;
    sink->rows = ct_step_alloc(sink->step, (size_t)(sink->rows_most * row));
    sink->file = ct_step_alloc(sink->step, (size_t)(sink->beams * sink->sets) * sizeof *sink->file);
    if (!sink->rows || !sink->file) return CT_FAILED;
    const ct_status status = sink_frequencies(sink);
    if (status != CT_OK || ct_lofar_bf_voltages(in)) return status;
    return ct_impute_new(&sink->past, sink->step, sink->beams);
}

static ct_status bf_close(void *state, bool complete, ct_error *err)
{
    bf_sink *sink = state;
    ct_status status = CT_OK;
    for (int64_t i = 0; i < sink->count; i++) {
        const ct_status one = ct_lofar_bf_end(sink->file[i], complete && status == CT_OK, err);
        if (status == CT_OK) status = one;
    }
    return status;
}

static ct_status bf_open(ct_step *step, void **state, ct_error *err)
{
    bf_sink *sink = *state = ct_step_alloc(step, sizeof *sink);
    if (!sink) return CT_FAILED;
    sink->step = step;
    ct_status status = sink_rooms(sink);
    const int64_t files = sink->beams * sink->sets;
    for (int64_t i = 0; status == CT_OK && i < files; i++) {
        const int64_t beam = i / sink->sets, set = i % sink->sets;
        const ct_lofar_bf_head head = ct_lofar_bf_head_of(step, sink->hz, beam, set);
        status = ct_lofar_bf_make(&sink->file[i], step, sink_name(step, beam, set),
                                  sink_raw_name(step, beam, set), &head, files > 1, err);
        if (status == CT_OK) sink->count++;
    }
    if (status != CT_OK) (void)bf_close(sink, false, NULL);
    return status;
}

/* ---- samples */

/* Rows of a set, channels ascending. */
static void sink_gather(const bf_sink *sink, const ct_array *part, int64_t set, int64_t first,
                        int64_t count)
{
    const bool complex = ct_lofar_bf_voltages(part);
    const int64_t channels = ct_array_extent(part, 'C'), words = complex ? 2 : 1;
    const int64_t index = set / words;
    int64_t stride = ct_array_stride(part, 'C') * words;
    int64_t from =
        (part->offset + index * ct_array_stride(part, complex ? 'P' : 'Q')) * words + set % words;
    if (sink->backwards) from += (channels - 1) * stride, stride = -stride;
    for (int64_t t = 0; t < count; t++)
        ct_copy_row(sink->rows + t * channels, 1,
                    (const float *)part->data + from +
                        (first + t) * ct_array_stride(part, 'T') * words,
                    stride, channels, (int)sizeof(float));
}

static ct_status sink_add(bf_sink *sink, const ct_array *part, int64_t beam, int64_t first,
                          int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t k = 0; status == CT_OK && k < sink->sets; k++) {
        ct_lofar_bf_made *file = sink->file[beam * sink->sets + k];
        for (int64_t t = 0; status == CT_OK && t < count; t += sink->rows_most) {
            const int64_t now = count - t < sink->rows_most ? count - t : sink->rows_most;
            sink_gather(sink, part, k, first + t, now);
            status = ct_lofar_bf_add(file, sink->rows, now, err);
        }
        if (status == CT_OK) status = ct_lofar_bf_flush(file, err);
    }
    return status;
}

static ct_status bf_write(void *state, const ct_array *block, int64_t first, int64_t count,
                          ct_error *err)
{
    bf_sink *sink = state;
    ct_status status = CT_OK;
    for (int64_t b = 0; status == CT_OK && b < sink->beams; b++) {
        const ct_array as_is = ct_beam_names_part(block, b);
        ct_array part = as_is;
        int64_t from = first;
        if (sink->past) status = ct_impute_part(sink->past, b, &as_is, first, count, &part, &from);
        if (status == CT_OK) status = sink_add(sink, &part, b, from, count, err);
    }
    return status;
}

/* ---- for a later run: what is remembered of gaps, then of each file its bytes and these */

static ct_status bf_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    bf_sink *sink = state;
    size_t past_bytes = 0;
    const void *past = sink->past ? ct_impute_state(sink->past, &past_bytes) : NULL;
    ct_saved_begin(&sink->saved, sink->step);
    ct_status status = ct_saved_add(&sink->saved, past, past_bytes);
    for (int64_t i = 0; status == CT_OK && i < sink->count; i++) {
        const void *one;
        size_t one_bytes;
        status = ct_lofar_bf_save(sink->file[i], &one, &one_bytes, err);
        if (status == CT_OK) status = ct_saved_add(&sink->saved, one, one_bytes);
    }
    *data = sink->saved.data;
    *bytes = sink->saved.bytes;
    return status;
}

static ct_status bf_restore(void *state, int64_t position, const void *data, size_t bytes,
                            ct_error *err)
{
    bf_sink *sink = state;
    const uint8_t *at = data, *end = at + bytes;
    const void *one;
    size_t one_bytes, past_bytes = 0;
    void *past = sink->past ? ct_impute_state(sink->past, &past_bytes) : NULL;
    bool whole = ct_saved_next(&at, end, &one, &one_bytes) && one_bytes == past_bytes;
    ct_status status = CT_OK;
    if (whole && past) memcpy(past, one, past_bytes);
    for (int64_t i = 0; whole && status == CT_OK && i < sink->count; i++) {
        whole = ct_saved_next(&at, end, &one, &one_bytes);
        if (whole) status = ct_lofar_bf_restore(sink->file[i], position, one, one_bytes, err);
    }
    if (whole || status != CT_OK) return status;
    return ct_error_add(err, CT_DATA, "%s: what the journal has of it is not whole",
                        ct_step_path(sink->step, "file"));
}

const ct_stage ct_stage_sink_lofar_bf = {
    .api = CT_API,
    .version = 1,
    .name = "sink.lofar_bf",
    .summary = "writes LOFAR's HDF5 files of beam-formed data (ICD 3), power or voltages",
    .ports = {[CT_LOFAR_BF_X] = {"X", CT_IN, 0, "*", "f32 cf32", "*", NULL,
                                 "T, C and perhaps B, S, P (cf32) or Q (f32)"},
              [CT_LOFAR_BF_M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*",
                                 NULL, "flags, for what is filled"}},
    .params = bf_params,
    .infer = bf_infer,
    .traits = CT_STAGE_THREAD,
    .io = {.open = bf_open,
           .write = bf_write,
           .close = bf_close,
           .save = bf_save,
           .restore = bf_restore},
};
