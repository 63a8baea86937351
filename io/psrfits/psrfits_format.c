/* psrfits_format.c: how PSRFITS files are recognized and described, and the stages that read and
 * write them. Room: io/psrfits. Knows what a file's headers say. Does not know blocks. */
#include "describe_lines.h"
#include "format.h"
#include "psrfits.h"
#include <inttypes.h>
#include <string.h>

bool ct_psrfits_is(const uint8_t *start, size_t bytes)
{
    (void)bytes;
    return memcmp(start, "SIMPLE  =", 9) == 0;
}

static ct_status psrfits_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_psrfits file;
    ct_status status = ct_psrfits_open(&file, in->file, err);
    if (status != CT_OK) return status;
    ct_describe_line(out, "format", "PSRFITS, search mode");
    ct_describe_line(out, "source", "%s", file.source[0] ? file.source : "unknown");
    ct_describe_line(out, "telescope", "%s", file.telescope[0] ? file.telescope : "unknown");
    ct_describe_line(out, "sizes", "T %" PRId64 ", Q %" PRId64 ", C %" PRId64, file.samples,
                     file.pols, file.channels);
    ct_describe_line(out, "products", "POL_TYPE %s, receptors %s",
                     file.pol_type[0] ? file.pol_type : "unknown",
                     file.fd_poln[0] ? file.fd_poln : "unknown");
    ct_describe_line(out, "numbers", "%" PRId64 " bits%s", file.bits,
                     file.with_sign ? ", signed" : "");
    ct_describe_line(out, "sample time", "%.9g s, %.6g s in all", file.sample_time_s,
                     file.sample_time_s * (double)file.samples);
    ct_describe_instant(out, "start", (file.start_mjd - 40587) * 86400 + file.start_s);
    ct_psrfits_close(&file);
    return CT_OK;
}

extern const ct_stage ct_stage_source_psrfits, ct_stage_sink_psrfits;
const ct_format ct_format_psrfits = {.name = "PSRFITS",
                                     .is = ct_psrfits_is,
                                     .found =
                                         "a FITS file: source.psrfits reads those in search mode",
                                     .describe = psrfits_describe,
                                     .source = &ct_stage_source_psrfits,
                                     .sink = &ct_stage_sink_psrfits};
