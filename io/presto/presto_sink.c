/* presto_sink.c: sink.presto: time series for PRESTO, a pair of .dat (float32) and .inf (text) for
 * each beam, station and trial. [S. Ransom, PRESTO; labels and order as its own programs write
 * them]
 * Room: io/presto. Knows .inf. Does not know graphs. */
#include "angle.h"
#include "beam_files.h"
#include "calendar.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 512, LINES = 24, NAME_MOST = 99, INFO_RESERVED = 4096 };

typedef struct presto_sink {
    ct_beam_files data; /* first: see beam_files.h */
    ct_beam_files info;
} presto_sink;

static const ct_param presto_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0,
     "name.dat; name.inf is written too; with several beams or trials each gets _B001, _DM12.250"},
    {"fill", CT_PARAM_TEXT, "median", CT_WORDS(CT_IMPUTATIONS), 0, 0,
     "what stands where samples are missing"},
    {0}};

/* ---- what can be written */

static ct_status presto_check_names(const ct_step *step, ct_error *err)
{
    const char *file = ct_step_path(step, "file"), *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    if (strchr(base, ' ') || strlen(base) > NAME_MOST)
        return ct_step_fail(
            step, "file", err,
            "PRESTO takes names of at most %d letters without a space, found \"%s\"", NAME_MOST,
            base);
    return CT_OK;
}

static ct_status presto_infer(ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[0];
    for (int i = 0; i < in->rank; i++)
        if (!strchr("BSDT", in->dim[i]) && in->extent[i] > 1)
            return ct_step_fail(step, NULL, err,
                                "expected the dimension T, and perhaps B, S and D: PRESTO's time "
                                "series have no others, found %s",
                                in->dim);
    if (ct_array_find(in, 'T') < 0)
        return ct_step_fail(step, NULL, err, "expected the dimension T, found %s", in->dim);
    if (!(in->meta.sample_time_s > 0))
        return ct_step_fail(step, NULL, err,
                            "PRESTO needs the time between samples, which is not known: give the "
                            "source sample_time_s");
    ct_status status = presto_check_names(step, err);
    if (status != CT_OK) return status;
    ct_beam_names_declare(step, ".dat");
    ct_beam_names_declare(step, ".inf");
    return CT_OK;
}

/* ---- the text */

typedef struct presto_text {
    char *at;
    size_t room;
} presto_text;

static void presto_line(presto_text *out, const char *label, const char *format, ...)
    CT_PRINTF(3, 4);

/* Readers look for the sign of equality in column 40. */
static void presto_line(presto_text *out, const char *label, const char *format, ...)
{
    char value[LINE / 2];
    va_list args;
    va_start(args, format);
    ct_number_print_args(value, sizeof value, format, args);
    va_end(args);
    const int length = snprintf(out->at, out->room, " %-38s =  %s\n", label, value);
    if (length < 0 || (size_t)length >= out->room) return;
    out->at += length;
    out->room -= (size_t)length;
}

/* A word that ends no line, or "Unknown". */
static void presto_word(char out[80], const char *text)
{
    size_t length = 0;
    for (; text && text[length] && length < 79; length++)
        out[length] = (unsigned char)text[length] < ' ' ? ' ' : text[length];
    out[length] = 0;
    if (length == 0) snprintf(out, 80, "Unknown");
}

/* The first sample's leading edge, to more digits than a double has. */
static void presto_epoch(char out[CT_CALENDAR_MJD], const ct_meta *meta)
{
    const double after = (meta->start_s - 0.5 * meta->sample_time_s) / 86400;
    const double day = floor(meta->start_mjd);
    ct_calendar_print_mjd(out, day, meta->start_mjd - day + after);
}

static void presto_sky(presto_text *out, const ct_meta *meta)
{
    char word[80], angle[CT_ANGLE_TEXT], epoch[CT_CALENDAR_MJD];
    presto_word(word, meta->telescope);
    presto_line(out, "Telescope used", "%s", word);
    presto_line(out, "Instrument used", "Unknown");
    presto_word(word, meta->source_name);
    presto_line(out, "Object being observed", "%s", word);
    ct_angle_print(angle, meta->src_raj);
    presto_line(out, "J2000 Right Ascension (hh:mm:ss.ssss)", "%s", angle);
    ct_angle_print(angle, meta->src_dej);
    presto_line(out, "J2000 Declination     (dd:mm:ss.ssss)", "%s", angle);
    presto_line(out, "Data observed by", "Unknown");
    presto_epoch(epoch, meta);
    presto_line(out, "Epoch of observation (MJD)", "%s", epoch);
    presto_line(out, "Barycentered?           (1 yes, 0 no)", "%d",
                meta->header && meta->header->barycentric ? 1 : 0);
}

/* The band from below: T refers to the highest channel's centre. */
static void presto_band(presto_text *out, const ct_meta *meta)
{
    const int64_t counted = meta->header ? meta->header->channels : 0;
    const int64_t channels = counted > 0 ? counted : 1;
    const double band = meta->channel_width_hz / 1e6, width = band / (double)channels;
    const double top = meta->frequencies > 0 ? meta->frequency_hz[0] / 1e6 : 0;
    presto_line(out, "Central freq of low channel (MHz)", "%.12g",
                top - width * (double)(channels - 1));
    presto_line(out, "Total bandwidth (MHz)", "%.12g", band);
    presto_line(out, "Number of channels", "%lld", (long long)channels);
    presto_line(out, "Channel bandwidth (MHz)", "%.12g", width);
}

/* All lines of one file's .inf; returns its length. */
static size_t presto_print(char *text, size_t size, const presto_sink *sink, int64_t file)
{
    const ct_array *in = &sink->data.step->port[0];
    const ct_meta *meta = &in->meta;
    const ct_beam_index at = ct_beam_names_index(in, file);
    const char *name = sink->data.output[file].file, *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
    presto_text out = {text, size};
    presto_line(&out, "Data file name without suffix", "%.*s",
                dot ? (int)(dot - base) : (int)strlen(base), base);
    presto_sky(&out, meta);
    presto_line(&out, "Number of bins in the time series", "%-11lld",
                (long long)sink->data.written);
    presto_line(&out, "Width of each time series bin (sec)", "%.15g", meta->sample_time_s);
    presto_line(&out, "Any breaks in the data? (1 yes, 0 no)", "0");
    presto_line(&out, "Type of observation (EM band)", "Radio");
    presto_line(&out, "Beam diameter (arcsec)", "0");
    presto_line(&out, "Dispersion measure (cm-3 pc)", "%.12g",
                meta->dm       ? meta->dm[at.d]
                : meta->header ? meta->header->refdm
                               : 0);
    presto_band(&out, meta);
    presto_line(&out, "Data analyzed by", "Cornerturn");
    const int length = snprintf(out.at, out.room, " Any additional notes:\n    none\n\n");
    return size - out.room + (size_t)(length > 0 ? length : 0);
}

/* ---- the sink */

static ct_status presto_close(void *state, bool complete, ct_error *err);

static ct_status presto_open(ct_step *step, void **state, ct_error *err)
{
    presto_sink *sink = ct_step_alloc(step, sizeof *sink);
    *state = sink;
    if (!sink) return CT_FAILED;
    ct_status status = ct_beam_files_open(&sink->data, step, "T", ".dat", err);
    if (status != CT_OK) return status;
    status = ct_impute_new(&sink->data.past, step, sink->data.count);
    if (status == CT_OK) status = ct_beam_files_open(&sink->info, step, "T", ".inf", err);
    if (status == CT_OK) status = ct_beam_files_reserve(&sink->info, INFO_RESERVED, err);
    if (status != CT_OK) (void)presto_close(sink, false, NULL);
    return status;
}

static ct_status presto_close(void *state, bool complete, ct_error *err)
{
    presto_sink *sink = state;
    char text[LINES * LINE];
    ct_status status = CT_OK;
    for (int64_t i = 0; complete && status == CT_OK && i < sink->info.count; i++)
        status =
            ct_beam_files_put(&sink->info, i, text, presto_print(text, sizeof text, sink, i), err);
    const bool whole = complete && status == CT_OK;
    ct_status closed = ct_beam_files_close(&sink->data, whole, err);
    if (status == CT_OK) status = closed;
    closed = ct_beam_files_close(&sink->info, whole && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

static ct_status presto_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    const ct_status status = ct_beam_files_save(&((presto_sink *)state)->info, data, bytes, err);
    return status == CT_OK ? ct_beam_files_save(state, data, bytes, err) : status;
}

const ct_stage ct_stage_sink_presto = {
    .api = CT_API,
    .version = 1,
    .name = "sink.presto",
    .summary = "writes time series for PRESTO, a .dat and an .inf for each trial",
    .ports = {{"X", CT_IN, 0, "*", "f32", "*", "BSDTQ", "T, and a pair of files for each B, S, D"},
              {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "ST", "u8", "*", NULL,
               "flags, for what is filled"}},
    .params = presto_params,
    .infer = presto_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_MENDS,
    .io = {.open = presto_open,
           .write = ct_beam_files_write,
           .close = presto_close,
           .save = presto_save,
           .restore = ct_beam_files_restore},
};
