/* sigproc_sink.c: sink.sigproc: .fil files from T, (Q,) C; .tim files from D, T: one file for each
 * beam, station and trial. Channels descend in the file, whatever they do in the array.
 * Room: io/sigproc. Knows SIGPROC's header. Does not know graphs. */
#include "beam_files.h"
#include "filterbank.h"
#include "intensity.h"
#include "sigproc.h"
#include <stdio.h>
#include <string.h>

static const ct_param sigproc_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0,
     "the file to write; with several beams or trials each name gets _B001, _DM12.250; \"-\": "
     "standard output"},
    {"fill", CT_PARAM_TEXT, "median", CT_WORDS(CT_IMPUTATIONS), 0, 0,
     "where samples are missing: the median of the channel's 64 before the gap, or 0"},
    {0}};

static bool sink_is_series(const ct_array *array)
{
    return ct_array_find(array, 'C') < 0;
}

/* ---- what can be written */

/* Readers go by the ending as well as by the header. */
static void sink_warn_ending(ct_step *step, bool series)
{
    const char *file = ct_step_path(step, "file"), *dot = strrchr(file, '.');
    if (!dot || strcmp(dot, series ? ".fil" : ".tim") != 0) return;
    ct_step_warn(step, "%s will hold %s, which others expect in a file that ends with %s",
                 ct_step_text(step, "file"), series ? "time series" : "a filterbank",
                 series ? ".tim" : ".fil");
}

static ct_status sink_infer(ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[0];
    const char *names = "BSTQC";
    if (sink_is_series(in)) names = "BSDTQ";
    for (int i = 0; i < in->rank; i++)
        if (!strchr(names, in->dim[i]))
            return ct_step_fail(step, NULL, err,
                                "expected the dimensions T, C and perhaps B, S, Q for .fil, or T "
                                "and perhaps B, S, D, Q for .tim, found %s",
                                in->dim);
    if (ct_array_find(in, 'T') < 0)
        return ct_step_fail(step, NULL, err, "expected the dimension T, found %s", in->dim);
    if (sink_is_series(in) && in->type != CT_F32)
        return ct_step_fail(step, NULL, err, "a .tim file holds f32: expected f32, found %s",
                            ct_type_name(in->type));
    if (in->meta.source_name && strlen(in->meta.source_name) > 79)
        return ct_step_fail(step, NULL, err,
                            "SIGPROC takes a source_name of at most 79 letters, found %zu",
                            strlen(in->meta.source_name));
    if (!(in->meta.sample_time_s > 0))
        return ct_step_fail(step, NULL, err,
                            "SIGPROC needs the time between samples, which is not known: give the "
                            "source sample_time_s");
    if (ct_beam_names_count(in) > 1 && !strcmp(ct_step_path(step, "file"), "/dev/stdout"))
        return ct_step_fail(step, "file", err,
                            "expected one file for standard output, found %lld: one for each beam, "
                            "station and trial",
                            (long long)ct_beam_names_count(in));
    ct_beam_names_declare(step, NULL);
    sink_warn_ending(step, sink_is_series(in));
    ct_intensity_warn(step, "SIGPROC does not say what its IFs are, and readers take the first");
    return sink_is_series(in) ? CT_OK : ct_filterbank_check(step, "a .fil file", err);
}

/* ---- headers */

static void sink_add_frequencies(const ct_meta *meta, ct_sigproc *header)
{
    double fch1, foff;
    if (!meta->frequency_hz) return;
    ct_filterbank_band(meta, ct_filterbank_ascends(meta), &fch1, &foff);
    ct_sigproc_add(header, "fch1", fch1, NULL);
    ct_sigproc_add(header, "foff", foff, NULL);
}

/* Where the input's own header says more of the receiver than one beam of ours. */
static void sink_add_receiver(const ct_array *in, ct_beam_index at, ct_sigproc *header)
{
    const ct_header none = {0}, *from = in->meta.header ? in->meta.header : &none;
    const bool ours = ct_array_extent(in, 'B') > 1;
    const struct {
        const char *keyword;
        double value;
    } rows[] = {{"barycentric", from->barycentric},
                {"pulsarcentric", from->pulsarcentric},
                {"az_start", from->az_deg},
                {"za_start", from->za_deg},
                {"nbeams", ours ? (double)ct_array_extent(in, 'B') : from->beams},
                {"ibeam", ours ? (double)at.b : from->beam}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].value != 0 || (ours && i >= 4))
            ct_sigproc_add(header, rows[i].keyword, rows[i].value, NULL);
}

/* A time series, channels, or channels that are aligned for a DM already. */
static void sink_add_kind(const ct_array *in, ct_beam_index at, ct_sigproc *header)
{
    enum { FILTERBANK = 1, SERIES = 2, ALIGNED = 6 };
    const ct_meta *meta = &in->meta;
    const bool series = sink_is_series(in);
    const bool aligned = !series && meta->header && meta->header->data_type == ALIGNED;
    const double refdm = meta->header ? meta->header->refdm : 0;
    ct_sigproc_add(header, "data_type", series ? SERIES : aligned ? ALIGNED : FILTERBANK, NULL);
    if (series || aligned)
        ct_sigproc_add(header, "refdm", series && meta->dm ? meta->dm[at.d] : refdm, NULL);
}

/* Keywords in the order in which SIGPROC's own filterbank and dedisperse write them. */
static void sink_fill_header(const ct_array *in, ct_beam_index at, ct_sigproc *header)
{
    static const unsigned bits[CT_TYPES] = {
        [CT_U8] = 8, [CT_I8] = 8, [CT_U16] = 16, [CT_I16] = 16, [CT_F32] = 32};
    const ct_meta *meta = &in->meta;
    if (meta->source_name) ct_sigproc_add(header, "source_name", 0, meta->source_name);
    ct_sigproc_add(header, "machine_id", meta->header ? meta->header->machine_id : 0, NULL);
    ct_sigproc_add(header, "telescope_id", (double)ct_filterbank_telescope_id(meta->telescope),
                   NULL);
    ct_sigproc_add(header, "src_raj", meta->src_raj, NULL);
    ct_sigproc_add(header, "src_dej", meta->src_dej, NULL);
    sink_add_kind(in, at, header);
    sink_add_frequencies(meta, header);
    ct_sigproc_add(header, "nchans", (double)ct_array_extent(in, 'C'), NULL);
    sink_add_receiver(in, at, header);
    ct_sigproc_add(header, "nbits", bits[in->type], NULL);
    if (in->type == CT_I8 || in->type == CT_I16) ct_sigproc_add(header, "signed", 1, NULL);
    ct_sigproc_add(header, "tstart", ct_filterbank_start(meta), NULL);
    ct_sigproc_add(header, "tsamp", meta->sample_time_s, NULL);
    ct_sigproc_add(header, "nifs", (double)ct_array_extent(in, 'Q'), NULL);
}

/* ---- writing */

static ct_status sink_put_header(ct_beam_files *files, int64_t file, ct_error *err)
{
    uint8_t bytes[CT_SIGPROC_HEADER];
    ct_sigproc header = {0};
    const ct_array *in = &files->step->port[0];
    sink_fill_header(in, ct_beam_names_index(in, file), &header);
    return ct_beam_files_put(files, file, bytes, ct_sigproc_print(bytes, sizeof bytes, &header),
                             err);
}

static ct_status sigproc_open(ct_step *step, void **state, ct_error *err)
{
    ct_beam_files *files = *state = ct_step_alloc(step, sizeof *files);
    if (!files) return CT_FAILED;
    ct_status status = ct_beam_files_open(files, step, "TQC", NULL, err);
    if (status != CT_OK) return status;
    files->backwards = ct_filterbank_ascends(&step->port[0].meta);
    status = ct_impute_new(&files->past, step, files->count);
    for (int64_t i = 0; status == CT_OK && i < files->count; i++)
        status = sink_put_header(files, i, err);
    if (status != CT_OK) (void)ct_beam_files_close(files, false, NULL);
    return status;
}

const ct_stage ct_stage_sink_sigproc = {
    .api = CT_API,
    .version = 1,
    .name = "sink.sigproc",
    .summary = "writes SIGPROC filterbanks (.fil) or dedispersed time series (.tim)",
    .ports = {{"X", CT_IN, 0, "*", "f32 u8 u16 i8 i16", "*", "BSDTQC",
               "T,C (.fil) or T (.tim), and one file for each B, S, D"},
              {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
               "flags, for what is filled"}},
    .params = sigproc_params,
    .infer = sink_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_MENDS,
    .io = {.open = sigproc_open,
           .write = ct_beam_files_write,
           .close = ct_beam_files_close,
           .save = ct_beam_files_save,
           .restore = ct_beam_files_restore},
};
