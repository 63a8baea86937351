/* psrfits_sink.c: sink.psrfits: search data, a file for each beam and station, row by row. What a
 * row holds does not depend on where blocks begin.
 * Room: io/psrfits. Knows rows of samples. Does not know FITS. */
#include "beam_names.h"
#include "output.h"
#include "psrfits_print.h"
#include <string.h>

enum { X, M };

/* Samples that are waiting for the rest of their row: [samples][Q][C], then flags [samples][C]. */
typedef struct psrfits_sink {
    ct_step *step;
    ct_psrfits_look look;
    int64_t files, written;
    size_t values, unit; /* bytes of a file's samples of a row; of one number */
    size_t flags;
    uint8_t *rows;   /* [files][values + flags] */
    uint8_t *row;    /* as the file has it */
    uint8_t *window; /* of all files */
    ct_output *output;
    size_t header; /* bytes before the first row */
    bool torn;     /* a row could not be written */
} psrfits_sink;

static const ct_param psrfits_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0,
     "the file to write; with several beams or stations each name gets _B001, _S001"},
    {"bits", CT_PARAM_INT, "0", NULL, 0, 32,
     "of a number: 2, 4, 8, 16 or 32, with DAT_SCL and DAT_OFFS; 0: as the input's type, not "
     "scaled"},
    {"row_samples", CT_PARAM_INT, "0", NULL, 0, 1 << 24,
     "samples of a row (NSBLK); 0: up to 4096, less where rows are large"},
    {0}};

static ct_status psrfits_infer(ct_step *step, ct_error *err)
{
    const ct_status status = ct_psrfits_look_check(step, err);
    if (status == CT_OK) ct_beam_names_declare(step, NULL);
    return status;
}

/* ---- files */

static ct_status sink_put_headers(psrfits_sink *sink, int64_t samples, ct_error *err)
{
    uint8_t headers[CT_PSRFITS_HEADERS];
    ct_status status = CT_OK;
    const int64_t rows = ct_divide_up(samples, sink->look.row_samples);
    const ct_array *in = &sink->step->port[X];
    for (int64_t i = 0; status == CT_OK && i < sink->files; i++) {
        ct_psrfits_look look = sink->look;
        if (ct_array_extent(in, 'B') > 1) look.beam = ct_beam_names_index(in, i).b;
        status = ct_psrfits_print_headers(headers, &sink->header, &look, rows, samples, err);
        if (status == CT_OK)
            status = ct_output_put(&sink->output[i], 0, headers, sink->header, err);
        if (status == CT_OK && sink->files > 1) status = ct_output_pause(&sink->output[i], err);
    }
    return status;
}

static ct_status sink_rooms(psrfits_sink *sink)
{
    const ct_psrfits_look *look = &sink->look;
    ct_step *step = sink->step;
    const size_t spectra = (size_t)(look->row_samples * look->channels);
    sink->unit = ct_type_bits(step->port[X].type) / 8;
    sink->values = spectra * (size_t)look->pols * sink->unit;
    sink->flags = (size_t)ct_divide_up((int64_t)spectra, 8) * 8; /* the next file's are aligned */
    sink->rows = ct_step_alloc(step, (size_t)sink->files * (sink->values + sink->flags));
    sink->row = ct_step_alloc(step, ct_psrfits_print_bytes(look));
    sink->window = ct_step_alloc(step, CT_OUTPUT_WINDOW);
    sink->output = ct_step_alloc(step, (size_t)sink->files * sizeof *sink->output);
    return sink->rows && sink->row && sink->window && sink->output ? CT_OK : CT_FAILED;
}

static ct_status sink_close_files(psrfits_sink *sink, int64_t count, bool complete, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t i = 0; i < count; i++) {
        const ct_status one = ct_output_close(&sink->output[i], complete && status == CT_OK, err);
        if (status == CT_OK) status = one;
    }
    return status;
}

/* A stream is told its rows before they come. */
static ct_status sink_check_stream(const psrfits_sink *sink, ct_error *err)
{
    if (!sink->output[0].staged.stream || sink->step->port[X].meta.total >= 0) return CT_OK;
    return ct_step_fail(sink->step, "file", err,
                        "a PSRFITS file begins with the number of its rows, which is not known of "
                        "an input without an end: expected a file that is no stream");
}

static ct_status psrfits_open(ct_step *step, void **state, ct_error *err)
{
    psrfits_sink *sink = *state = ct_step_alloc(step, sizeof *sink);
    int64_t opened = 0;
    if (!sink) return CT_FAILED;
    *sink = (psrfits_sink){.step = step, .files = ct_beam_names_count(&step->port[X])};
    ct_psrfits_look_at(&sink->look, step);
    ct_status status = sink_rooms(sink);
    for (; status == CT_OK && opened < sink->files; opened++) {
        ct_output *output = &sink->output[opened];
        status = ct_output_open(output, step, ct_beam_names_file(step, opened, NULL), false, err);
        output->window = sink->window;
        if (status == CT_OK && sink->files > 1) status = ct_output_pause(output, err);
    }
    if (status == CT_OK) status = sink_check_stream(sink, err);
    if (status == CT_OK)
        status = sink_put_headers(sink, step->port[X].meta.total > 0 ? step->port[X].meta.total : 0,
                                  err);
    if (status != CT_OK && opened > 0) (void)sink_close_files(sink, opened, false, NULL);
    return status;
}

/* ---- samples */

/* Flags of one station, or of all. */
static void sink_take_flags(const psrfits_sink *sink, uint8_t *to, int64_t s, int64_t first,
                            int64_t count)
{
    const ct_array *flags = &sink->step->port[M];
    const int64_t channels = sink->look.channels;
    const uint8_t *from = flags->data;
    if (flags->type == CT_NONE || !from) {
        memset(to, 0, (size_t)(count * channels));
        return;
    }
    const int64_t of_t = ct_array_stride(flags, 'T');
    const int64_t of_c = ct_array_extent(flags, 'C') > 1 ? ct_array_stride(flags, 'C') : 0;
    const int64_t of_s = ct_array_extent(flags, 'S') > 1 ? ct_array_stride(flags, 'S') : 0;
    from += flags->offset + s * of_s + first * of_t;
    for (int64_t t = 0; t < count; t++)
        for (int64_t c = 0; c < channels; c++)
            to[t * channels + c] = from[t * of_t + c * of_c];
}

static ct_status sink_put_row(psrfits_sink *sink, int64_t file, int64_t row, int64_t count,
                              ct_error *err)
{
    const uint8_t *values = sink->rows + (size_t)file * (sink->values + sink->flags);
    const size_t bytes = ct_psrfits_print_bytes(&sink->look);
    const int64_t at = (int64_t)sink->header + row * (int64_t)bytes;
    ct_psrfits_print_row(sink->row, &sink->look, row, sink->step->port[X].type, values,
                         values + sink->values, count);
    ct_status status = ct_output_put(&sink->output[file], at, sink->row, bytes, err);
    if (status == CT_OK && sink->files > 1) status = ct_output_pause(&sink->output[file], err);
    return status;
}

/* `count` samples, all of one row. */
static ct_status sink_take(psrfits_sink *sink, const ct_array *block, int64_t file, int64_t first,
                           int64_t count, ct_error *err)
{
    const ct_psrfits_look *look = &sink->look;
    const ct_array part = ct_beam_names_part(block, file);
    const int64_t filled = sink->written % look->row_samples,
                  s = ct_beam_names_index(block, file).s;
    uint8_t *values = sink->rows + (size_t)file * (sink->values + sink->flags);
    const size_t spectrum = (size_t)(look->pols * look->channels) * sink->unit;
    (void)ct_beam_names_take(&part, first, count, values + (size_t)filled * spectrum);
    sink_take_flags(sink, values + sink->values + filled * look->channels, s, first, count);
    if (filled + count < look->row_samples) return CT_OK;
    return sink_put_row(sink, file, sink->written / look->row_samples, look->row_samples, err);
}

static ct_status psrfits_write(void *state, const ct_array *block, int64_t first, int64_t count,
                               ct_error *err)
{
    psrfits_sink *sink = state;
    ct_status status = CT_OK;
    while (count > 0 && status == CT_OK) {
        const int64_t room = sink->look.row_samples - sink->written % sink->look.row_samples;
        const int64_t now = count < room ? count : room;
        for (int64_t i = 0; status == CT_OK && i < sink->files; i++)
            status = sink_take(sink, block, i, first, now, err);
        if (status == CT_OK) sink->written += now;
        first += now;
        count -= now;
    }
    sink->torn = status != CT_OK;
    return status;
}

/* ---- the end */

/* The last row is filled up, and the file to whole blocks. On a full disk the last row is left
 * out. */
static ct_status sink_finish(psrfits_sink *sink, ct_error *err)
{
    static const uint8_t zeros[CT_PSRFITS_BLOCK];
    const int64_t samples = sink->look.row_samples;
    if (sink->torn) sink->written -= sink->written % samples;
    const int64_t left = sink->written % samples;
    const int64_t rows = ct_divide_up(sink->written, samples);
    const int64_t bytes = rows * (int64_t)ct_psrfits_print_bytes(&sink->look);
    const int64_t rest = (CT_PSRFITS_BLOCK - bytes % CT_PSRFITS_BLOCK) % CT_PSRFITS_BLOCK;
    ct_status status = CT_OK;
    for (int64_t i = 0; status == CT_OK && i < sink->files; i++) {
        if (left > 0) status = sink_put_row(sink, i, rows - 1, left, err);
        if (status == CT_OK && sink->torn)
            status = ct_output_resize(&sink->output[i], (int64_t)sink->header + bytes, err);
        if (status == CT_OK && rest > 0)
            status = ct_output_put(&sink->output[i], (int64_t)sink->header + bytes, zeros,
                                   (size_t)rest, err);
        if (status == CT_OK && sink->files > 1) status = ct_output_pause(&sink->output[i], err);
    }
    if (status == CT_OK && !sink->output[0].staged.stream)
        status = sink_put_headers(sink, sink->written, err);
    return status;
}

static ct_status psrfits_close(void *state, bool complete, ct_error *err)
{
    psrfits_sink *sink = state;
    const ct_status status = complete ? sink_finish(sink, err) : CT_OK;
    const ct_status closed = sink_close_files(sink, sink->files, complete && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

static ct_status psrfits_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    psrfits_sink *sink = state;
    ct_status status = CT_OK;
    *data = sink->rows;
    *bytes = (size_t)sink->files * (sink->values + sink->flags);
    for (int64_t i = 0; status == CT_OK && i < sink->files; i++) {
        status = ct_output_release(&sink->output[i], err);
        if (status == CT_OK && sink->files > 1) status = ct_output_pause(&sink->output[i], err);
    }
    return status;
}

static ct_status psrfits_restore(void *state, int64_t position, const void *data, size_t bytes,
                                 ct_error *err)
{
    psrfits_sink *sink = state;
    (void)err;
    if (bytes == (size_t)sink->files * (sink->values + sink->flags))
        memcpy(sink->rows, data, bytes);
    sink->written = position;
    return CT_OK;
}

const ct_stage ct_stage_sink_psrfits = {
    .api = CT_API,
    .version = 1,
    .name = "sink.psrfits",
    .summary = "writes PSRFITS files in search mode",
    .ports = {{"X", CT_IN, 0, "*", "f32 u8 u16 i8 i16", "*", "BSTQC",
               "T,C and perhaps Q, and a file for each B, S"},
              {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
               "flags, for DAT_WTS"}},
    .params = psrfits_params,
    .infer = psrfits_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_MENDS,
    .io = {.open = psrfits_open,
           .write = psrfits_write,
           .close = psrfits_close,
           .save = psrfits_save,
           .restore = psrfits_restore},
};
