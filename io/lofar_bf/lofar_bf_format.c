/* lofar_bf_format.c: how HDF5 files are recognized, how those of LOFAR's beams are described, and
 * the stages that read and write them.
 * Room: io/lofar_bf. Knows what a file says. Does not know blocks. */
#include "describe_lines.h"
#include "format.h"
#include "lofar_bf.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MOST = 4096 };

static bool bf_begins(const uint8_t *start, size_t bytes)
{
    (void)bytes;
    return memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* A raw file has no beginning of its own. */
static bool bf_raw_begins(const uint8_t *start, size_t bytes)
{
    (void)start, (void)bytes;
    return true;
}

/* "name.raw" -> "name.h5"; false: it does not end so. */
static bool bf_beside(char out[NAME_MOST], const char *raw)
{
    const size_t length = strlen(raw);
    if (length < 5 || length >= NAME_MOST || strcmp(raw + length - 4, ".raw") != 0) return false;
    memcpy(out, raw, length - 3);
    memcpy(out + length - 3, "h5", 3);
    return true;
}

/* Samples in name.raw, with name.h5 beside it. */
static bool bf_raw_holds(const char *file)
{
    char name[NAME_MOST];
    return bf_beside(name, file) && access(name, R_OK) == 0 && ct_lofar_bf_is(name);
}

static void bf_describe_components(FILE *out, const ct_lofar_bf *file)
{
    char names[64] = "";
    for (int64_t k = 0; k < file->planes; k++) {
        const size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, "%s%s", k ? ", " : "",
                 ct_lofar_bf_component_name(file->plane[k].component));
    }
    ct_describe_line(out, "components", "%s", names);
}

static ct_status bf_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_lofar_bf file;
    char beside[NAME_MOST];
    const bool raw = bf_beside(beside, in->file);
    ct_status status = ct_lofar_bf_open(&file, raw ? beside : in->file, -1, -1, err);
    if (status != CT_OK) return status;
    ct_describe_line(out, "format", "LOFAR beam-formed data (ICD 3), %s", raw ? "samples" : "HDF5");
    if (raw) ct_describe_line(out, "described by", "%s", beside);
    ct_describe_line(out, "source", "%s", file.source[0] ? file.source : "unknown");
    ct_describe_line(out, "telescope", "%s%s%s", file.telescope[0] ? file.telescope : "unknown",
                     file.antennas[0] ? ", " : "", file.antennas);
    ct_describe_line(out, "beam", "%" PRId64 " of pointing %" PRId64, file.beam, file.pointing);
    bf_describe_components(out, &file);
    ct_describe_line(out, "sizes", "T %" PRId64 ", C %" PRId64, file.samples, file.channels);
    if (file.samples < file.declared)
        ct_describe_line(out, "missing", "%" PRId64 " of %" PRId64 " samples",
                         file.declared - file.samples, file.declared);
    if (file.centre_hz > 0)
        ct_describe_line(out, "band", "%.9g MHz, channels of %.9g Hz", file.centre_hz / 1e6,
                         file.width_hz);
    if (file.sample_time_s > 0)
        ct_describe_line(out, "sample time", "%.9g s, %.6g s in all", file.sample_time_s,
                         file.sample_time_s * (double)file.samples);
    if (file.start_mjd > 0)
        ct_describe_instant(out, "start", (file.start_mjd - 40587) * 86400 + file.start_s);
    ct_lofar_bf_close(&file);
    return CT_OK;
}

extern const ct_stage ct_stage_source_lofar_bf, ct_stage_sink_lofar_bf;
const ct_format ct_format_lofar_bf = {.name = CT_LOFAR_BF_FORMAT,
                                      .is = bf_begins,
                                      .holds = ct_lofar_bf_is,
                                      .found = "LOFAR's beam-formed data: use source.lofar_bf",
                                      .describe = bf_describe,
                                      .source = &ct_stage_source_lofar_bf,
                                      .sink = &ct_stage_sink_lofar_bf};

/* What sink.lofar_bf and LOFAR's correlator put beside it. */
const ct_format ct_format_lofar_bf_raw = {
    .name = "LOFAR beam-formed (.raw)",
    .is = bf_raw_begins,
    .holds = bf_raw_holds,
    .found = "the samples of LOFAR's beam-formed data: source.lofar_bf takes the .h5 beside them",
    .describe = bf_describe};
