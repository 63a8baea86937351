/* dada_sink.c: sink.dada: PSRDADA files, one for each beam and station, or a ring; samples as T, C,
 * P. Room: io/dada. Knows DADA's header. Does not know graphs. */
#include "angle.h"
#include "beam_files.h"
#include "calendar.h"
#include "dada_ring.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const ct_param dada_params[] = {
    {"file", CT_PARAM_FILE, NULL, NULL, 0, 0,
     "the file to write; with several beams or stations each name gets _B001, _S001"},
    {"key", CT_PARAM_TEXT, NULL, NULL, 0, 0,
     "instead of file: a ring in shared memory, by the key of dada_db -k, as \"dada\""},
    {"order", CT_PARAM_TEXT, "TFP", CT_DADA_ORDERS, 0, 0,
     "by time, frequency, polarization, or by time, polarization, frequency"},
    {0}};

/* ---- what can be written */

static ct_status dada_check_frequencies(const ct_step *step, ct_error *err)
{
    const ct_meta *meta = &step->port[0].meta;
    const double *hz = meta->frequency_hz;
    for (int64_t c = 2; hz && c < meta->frequencies; c++) {
        const double expected = hz[0] + (double)c * (hz[1] - hz[0]);
        if (fabs(hz[c] - expected) > 1e-3 * fabs(hz[1] - hz[0]))
            return ct_step_fail(step, NULL, err,
                                "a .dada file needs channels of equal spacing: expected channel "
                                "%lld at %.9g Hz, found it at %.9g Hz",
                                (long long)c, expected, hz[c]);
    }
    return CT_OK;
}

/* Files without these can be read by few programs. */
static void dada_warn(ct_step *step)
{
    const ct_meta *meta = &step->port[0].meta;
    const struct {
        bool known;
        const char *what, *key;
    } rows[] = {{meta->start_mjd > 0, "the date", "start_mjd"},
                {meta->frequency_hz != NULL, "frequencies", "frequency_hz"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!rows[i].known)
            ct_step_warn(step, "PSRDADA's readers need %s, not known here: give the source %s",
                         rows[i].what, rows[i].key);
}

/* STATE has no word for all that can be along Q. */
static void dada_warn_state(ct_step *step)
{
    char names[CT_PRODUCTS_TEXT];
    const ct_array *in = &step->port[0];
    const bool known = ct_array_product(in, 0);
    if (ct_array_find(in, 'Q') < 0 || strcmp(ct_dada_state(in), "Detected") != 0) return;
    if (known)
        ct_step_warn(step,
                     "DADA's STATE has no word for %s along Q: it will be \"Detected\", and a "
                     "reader has to be told what they are",
                     ct_products_print(names, in->meta.products));
    else
        ct_step_warn(step,
                     "what the %lld along Q are is not known, so STATE will be \"Detected\"; "
                     "the source's \"products\" says it, as in \"IQUV\"",
                     (long long)ct_array_extent(in, 'Q'));
}

/* A file, or a ring, which has room for one series. */
static ct_status dada_check_place(ct_step *step, ct_dada_ring *ring, ct_error *err)
{
    const bool file = ct_step_path(step, "file") != NULL;
    const bool key = ct_step_text(step, "key") != NULL;
    const int64_t series = ct_beam_names_count(&step->port[0]);
    if (file == key)
        return ct_step_fail(step, key ? "key" : NULL, err, "expected either \"file\" or \"key\"%s",
                            key ? ", found both" : "");
    if (file) ct_beam_names_declare(step, NULL);
    if (file) return CT_OK;
    if (series > 1)
        return ct_step_fail(step, "key", err,
                            "a ring has room for one beam of one station, found %lld of them",
                            (long long)series);
    return ct_dada_ring_find(ring, step, err);
}

static ct_status dada_infer(ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[0];
    const char *names = ct_array_find(in, 'Q') >= 0 ? "BSTQC" : "BSTPC";
    for (int i = 0; i < in->rank; i++)
        if (!strchr(names, in->dim[i]))
            return ct_step_fail(step, NULL, err,
                                "expected the dimension T, and perhaps B, S, C and P or Q, found "
                                "%s",
                                in->dim);
    if (ct_array_find(in, 'T') < 0)
        return ct_step_fail(step, NULL, err, "expected the dimension T, found %s", in->dim);
    if (!(in->meta.sample_time_s > 0))
        return ct_step_fail(step, NULL, err,
                            "DADA needs the time between samples, which is not known: give the "
                            "source sample_time_s");
    ct_dada_ring *ring = ct_step_alloc(step, sizeof *ring);
    if (!ring) return CT_FAILED;
    step->state = ring;
    const ct_status status = dada_check_place(step, ring, err);
    if (status != CT_OK) return status;
    dada_warn(step);
    dada_warn_state(step);
    return dada_check_frequencies(step, err);
}

/* ---- the header */

typedef struct dada_text {
    char *at;
    size_t room;
} dada_text;

static void dada_line(dada_text *out, const char *key, const char *format, ...) CT_PRINTF(3, 4);

static void dada_line(dada_text *out, const char *key, const char *format, ...)
{
    char value[128];
    va_list args;
    va_start(args, format);
    ct_number_print_args(value, sizeof value, format, args);
    va_end(args);
    for (char *at = value; *at; at++)
        if ((unsigned char)*at < ' ' || *at == '#')
            *at = '_'; /* would end the line, or the value */
    const int length = snprintf(out->at, out->room, "%-15s %s\n", key, value);
    if (length < 0 || (size_t)length >= out->room) return;
    out->at += length;
    out->room -= (size_t)length;
}

/* A name as one word: readers stop at a space. */
static void dada_add_name(dada_text *out, const char *key, const char *name)
{
    char word[CT_DADA_TEXT];
    snprintf(word, sizeof word, "%s", name ? name : "unknown");
    for (char *at = word; *at; at++)
        if (*at == ' ') *at = '_';
    dada_line(out, key, "%s", word);
}

static void dada_add_names(dada_text *out, const ct_meta *meta)
{
    char angle[CT_ANGLE_TEXT];
    dada_line(out, "INSTRUMENT", "Cornerturn");
    dada_line(out, "RECEIVER", "unknown");
    dada_line(out, "MODE", "PSR");
    dada_add_name(out, "TELESCOPE", meta->telescope);
    dada_add_name(out, "SOURCE", meta->source_name);
    if (meta->src_raj == 0 && meta->src_dej == 0) return;
    ct_angle_print(angle, meta->src_raj);
    dada_line(out, "RA", "%s", angle);
    ct_angle_print(angle, meta->src_dej);
    dada_line(out, "DEC", "%s", angle);
}

/* UTC_START is a whole second; MJD_START that and PICOSECONDS; OBS_OFFSET whole samples after
 * both. */
static void dada_add_start(dada_text *out, const ct_meta *meta, int64_t sample_bytes)
{
    const double least_s = 2e-6; /* a double of MJD is no better */
    const double start_s = meta->start_mjd * 86400, spacing = meta->sample_time_s;
    double second = floor(start_s + least_s), part = start_s - second;
    if (part < least_s) part = 0;
    double lead = meta->start_s - 0.5 * spacing + part;
    if (lead < 0 && lead > -1e-9 * spacing) lead = 0;
    if (lead < 0) second += floor(lead), lead -= floor(lead);
    const double samples = floor(lead / spacing + 1e-6);
    double rest = fmax(lead - samples * spacing, 0);
    second += floor(rest), rest -= floor(rest);
    if (meta->start_mjd > 0) {
        char utc[CT_DADA_TEXT], mjd[CT_CALENDAR_MJD];
        const double day = floor(second / 86400);
        ct_dada_utc(utc, (int64_t)second);
        dada_line(out, "UTC_START", "%s", utc);
        ct_calendar_print_mjd(mjd, day, (second - day * 86400 + rest) / 86400);
        dada_line(out, "MJD_START", "%s", mjd);
    }
    const double picoseconds = fmin(rest * 1e12, 999999999999);
    if (picoseconds >= 1) dada_line(out, "PICOSECONDS", "%.0f", picoseconds);
    dada_line(out, "OBS_OFFSET", "%.0f", samples * (double)sample_bytes);
    dada_line(out, "OBS_OVERLAP", "0");
}

static void dada_add_band(dada_text *out, const ct_meta *meta)
{
    const int64_t channels = meta->frequencies;
    if (!meta->frequency_hz || channels < 1) return;
    const double first = meta->frequency_hz[0], last = meta->frequency_hz[channels - 1];
    double width = meta->channel_width_hz;
    if (!(width > 0) && channels > 1) width = fabs(last - first) / (double)(channels - 1);
    const double band = width * (double)channels;
    dada_line(out, "FREQ", "%.15g", (first + last) / 2e6);
    if (band > 0) dada_line(out, "BW", "%.15g", (last < first ? -band : band) / 1e6);
}

static void dada_add_numbers(dada_text *out, const ct_array *in, int64_t sample_bytes)
{
    const bool complex = ct_type_complex(in->type), power = ct_array_find(in, 'Q') >= 0;
    const bool without = in->type == CT_U8 || in->type == CT_U16;
    const int64_t pols = ct_array_extent(in, power ? 'Q' : 'P');
    const bool volts = complex || ct_array_find(in, 'P') >= 0;
    dada_line(out, "NBIT", "%u", ct_type_bits(in->type) / (complex ? 2 : 1));
    dada_line(out, "NDIM", "%d", complex ? 2 : 1);
    dada_line(out, "NPOL", "%lld", (long long)pols);
    dada_line(out, "NCHAN", "%lld", (long long)ct_array_extent(in, 'C'));
    dada_line(out, "STATE", "%s", complex ? "Analytic" : volts ? "Nyquist" : ct_dada_state(in));
    dada_line(out, "ENCODING", "%s", without ? "OFFSETBINARY" : "TWOSCOMPLEMENT");
    dada_line(out, "RESOLUTION", "%lld", (long long)sample_bytes);
    dada_line(out, "BYTES_PER_SECOND", "%.0f",
              floor((double)sample_bytes / in->meta.sample_time_s + 0.5));
}

static int64_t dada_sample_bytes(const ct_array *in)
{
    return ct_array_extent(in, 'C') * ct_array_extent(in, 'P') * ct_array_extent(in, 'Q') *
           ct_type_bits(in->type) / 8;
}

static void dada_print(char text[CT_DADA_HEADER], const ct_step *step, int64_t bytes)
{
    const ct_array *in = &step->port[0];
    const ct_meta *meta = &in->meta;
    dada_text out = {text, CT_DADA_HEADER};
    memset(text, 0, CT_DADA_HEADER);
    dada_line(&out, "HEADER", "DADA");
    dada_line(&out, "HDR_VERSION", "1.0");
    dada_line(&out, "HDR_SIZE", "%d", CT_DADA_HEADER);
    dada_line(&out, "DADA_VERSION", "1.0");
    dada_add_names(&out, meta);
    dada_add_start(&out, meta, dada_sample_bytes(in));
    dada_line(&out, "FILE_NUMBER", "0");
    dada_line(&out, "FILE_SIZE", "%lld", (long long)bytes);
    dada_add_band(&out, meta);
    dada_line(&out, "TSAMP", "%.17g", meta->sample_time_s * 1e6);
    dada_add_numbers(&out, in, dada_sample_bytes(in));
    dada_line(&out, "ORDER", "%s", ct_step_text(step, "order"));
}

/* ---- writing */

typedef struct dada_sink {
    ct_beam_files files;     /* not used where there is a ring */
    ct_dada_ring_sink *ring; /* NULL: files */
} dada_sink;

static ct_status dada_put_headers(ct_beam_files *files, int64_t samples, ct_error *err)
{
    char text[CT_DADA_HEADER];
    const ct_array *in = &files->step->port[0];
    ct_status status = CT_OK;
    dada_print(text, files->step, samples > 0 ? samples * dada_sample_bytes(in) : 0);
    for (int64_t i = 0; status == CT_OK && i < files->count; i++)
        status = ct_beam_files_put(files, i, text, sizeof text, err);
    return status;
}

static ct_status dada_close(void *state, bool complete, ct_error *err)
{
    dada_sink *sink = state;
    ct_status status = CT_OK;
    if (sink->ring) return ct_dada_ring_sink_close(sink->ring, complete, err);
    const bool pipe = sink->files.count > 0 && sink->files.output[0].staged.stream;
    if (complete && !pipe) status = dada_put_headers(&sink->files, sink->files.written, err);
    ct_status closed = ct_beam_files_close(&sink->files, complete && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

static ct_status dada_open_ring(dada_sink *sink, ct_step *step, ct_error *err)
{
    char text[CT_DADA_HEADER];
    const ct_array *in = &step->port[0];
    const int64_t samples = in->meta.total;
    dada_print(text, step, samples > 0 ? samples * dada_sample_bytes(in) : 0);
    return ct_dada_ring_sink_open(&sink->ring, step, step->state,
                                  ct_dada_order(ct_step_text(step, "order")), text, err);
}

static ct_status dada_open(ct_step *step, void **state, ct_error *err)
{
    dada_sink *sink = *state = ct_step_alloc(step, sizeof *sink);
    if (!sink) return CT_FAILED;
    if (ct_step_text(step, "key")) return dada_open_ring(sink, step, err);
    ct_status status = ct_beam_files_open(&sink->files, step,
                                          ct_dada_order(ct_step_text(step, "order")), NULL, err);
    if (status != CT_OK) return status;
    status = dada_put_headers(&sink->files, step->port[0].meta.total, err);
    if (status != CT_OK) (void)ct_beam_files_close(&sink->files, false, NULL);
    return status;
}

static ct_status dada_write(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    dada_sink *sink = state;
    return sink->ring ? ct_dada_ring_sink_write(sink->ring, block, first, count, err)
                      : ct_beam_files_write(&sink->files, block, first, count, err);
}

static const ct_counter *dada_count(void *state)
{
    static const ct_counter nothing;
    dada_sink *sink = state;
    return sink->ring ? ct_dada_ring_sink_count(sink->ring) : &nothing;
}

static ct_status dada_restore(void *state, int64_t position, const void *data, size_t bytes,
                              ct_error *err)
{
    dada_sink *sink = state;
    if (!sink->ring) return ct_beam_files_restore(&sink->files, position, data, bytes, err);
    return ct_error_add(err, CT_DATA,
                        "what was written to a ring cannot be written again, without --resume "
                        "all of it is");
}

const ct_stage ct_stage_sink_dada = {
    .api = CT_API,
    .version = 1,
    .name = "sink.dada",
    .summary = "writes PSRDADA files, or a ring in shared memory, voltages or power",
    .ports = {{"X", CT_IN, 0, "*", "ci8 ci16 cf32 i8 i16 f32 u8 u16", "*", "BSTCPQ",
               "T and perhaps C, P or Q, and a file for each B, S"}},
    .params = dada_params,
    .infer = dada_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_MENDS,
    .io = {.open = dada_open,
           .write = dada_write,
           .close = dada_close,
           .count = dada_count,
           .save = ct_beam_files_save,
           .restore = dada_restore},
};
