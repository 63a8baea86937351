/* sigproc_format.c: how SIGPROC files are recognized and described, and the stages that read and
 * write them.
 * Room: io/sigproc. Knows the header. Does not know blocks. */
#include "describe_lines.h"
#include "filterbank.h"
#include "format.h"
#include "sigproc.h"
#include <inttypes.h>

static ct_status sigproc_describe_band(FILE *out, const ct_sigproc *header, ct_input *in,
                                       int64_t channels, ct_error *err)
{
    double first, last;
    ct_status status = ct_sigproc_frequency(&first, header, in, 0, err);
    if (status == CT_OK) status = ct_sigproc_frequency(&last, header, in, channels - 1, err);
    if (status == CT_OK && first != 0)
        ct_describe_line(out, "channel centres", "%.6f to %.6f MHz", first / 1e6, last / 1e6);
    return status;
}

static ct_status sigproc_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_sigproc header;
    ct_sigproc_shape shape;
    char telescope[32];
    ct_status status = ct_sigproc_read(&header, in, err);
    if (status == CT_OK) status = ct_sigproc_measure(&shape, &header, in, err);
    if (status != CT_OK) return status;
    double spacing = ct_sigproc_real(&header, "tsamp", 0);
    double start = ct_sigproc_real(&header, "tstart", 0);
    ct_filterbank_telescope(telescope, ct_sigproc_int(&header, "telescope_id", 0));
    ct_describe_line(out, "format", "SIGPROC %s",
                     ct_sigproc_int(&header, "data_type", 1) == 2 ? "time series" : "filterbank");
    ct_describe_line(out, "source", "%s", ct_sigproc_text(&header, "source_name", "unknown"));
    ct_describe_line(out, "telescope", "%s", telescope);
    ct_describe_line(out, "sizes", "T %" PRId64 ", Q %" PRId64 ", C %" PRId64, shape.samples,
                     shape.ifs, shape.channels);
    ct_describe_line(out, "numbers", "%u bits%s, read as %s", shape.bits,
                     shape.with_sign ? ", signed" : "", ct_type_name(shape.type));
    ct_describe_line(out, "sample time", "%.9g s, %.6g s in all", spacing,
                     spacing * (double)shape.samples);
    if (start > 0) ct_describe_instant(out, "start", (start - 40587) * 86400);
    if (ct_sigproc_find(&header, "refdm"))
        ct_describe_line(out, "DM", "%.6g pc cm^-3", ct_sigproc_real(&header, "refdm", 0));
    return sigproc_describe_band(out, &header, in, shape.channels, err);
}

extern const ct_stage ct_stage_source_sigproc, ct_stage_sink_sigproc;
const ct_format ct_format_sigproc = {.name = "SIGPROC",
                                     .is = ct_sigproc_is,
                                     .found = "a SIGPROC file: use source.sigproc",
                                     .describe = sigproc_describe,
                                     .source = &ct_stage_source_sigproc,
                                     .sink = &ct_stage_sink_sigproc};
