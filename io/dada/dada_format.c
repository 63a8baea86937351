/* dada_format.c: how DADA files are recognized and described, and the stages that read and write
 * them.
 * Room: io/dada. Knows the header. Does not know blocks. */
#include "dada.h"
#include "describe_lines.h"
#include "format.h"
#include <inttypes.h>

static ct_status dada_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_dada header;
    ct_dada_shape shape;
    double mjd;
    ct_status status = ct_dada_read(&header, in, err);
    if (status == CT_OK) status = ct_dada_measure(&shape, &header, in, err);
    if (status != CT_OK) return status;
    const double spacing = header.tsamp_us * 1e-6;
    const int64_t bytes = in->size - header.header_bytes, samples = bytes / shape.sample_bytes;
    ct_describe_line(out, "format", "PSRDADA %s", shape.detected ? "power" : "voltages");
    ct_describe_line(out, "source", "%s", header.source[0] ? header.source : "unknown");
    ct_describe_line(out, "telescope", "%s", header.telescope[0] ? header.telescope : "unknown");
    ct_describe_line(out, "sizes", "T %" PRId64 ", C %" PRId64 ", %c %" PRId64,
                     bytes < 0 ? 0 : samples, header.channels, shape.detected ? 'Q' : 'P',
                     header.pols);
    ct_describe_line(out, "STATE", "%s", header.state[0] ? header.state : "unknown");
    ct_describe_line(out, "numbers", "%" PRId64 " bits, read as %s", header.bits,
                     ct_type_name(shape.type));
    if (spacing > 0) ct_describe_line(out, "sample time", "%.9g s", spacing);
    if (header.utc_start[0] && ct_dada_mjd(&mjd, header.utc_start))
        ct_describe_instant(
            out, "start",
            (mjd - 40587) * 86400 + (double)header.picoseconds * 1e-12 +
                (spacing > 0 ? (double)header.offset / (double)shape.sample_bytes * spacing : 0));
    return CT_OK;
}

extern const ct_stage ct_stage_source_dada, ct_stage_sink_dada;
const ct_format ct_format_dada = {.name = "DADA",
                                  .is = ct_dada_is,
                                  .found = "a DADA file: use source.dada",
                                  .describe = dada_describe,
                                  .source = &ct_stage_source_dada,
                                  .sink = &ct_stage_sink_dada};
