/* presto_format.c: how PRESTO's time series are recognized, by the .inf beside the .dat, and
 * described, and the stages that read and write them.
 * Room: io/presto. Knows what an .inf says. Does not know blocks. */
#include "describe_lines.h"
#include "format.h"
#include "presto.h"
#include <inttypes.h>
#include <string.h>

/* A .dat has no beginning of its own. */
static bool presto_is(const uint8_t *start, size_t bytes)
{
    (void)start, (void)bytes;
    return true;
}

static bool presto_begins(const char *file)
{
    uint8_t start[64];
    ct_input in;
    if (ct_input_open(&in, file, NULL) != CT_OK) return false;
    const size_t bytes = in.size < (int64_t)sizeof start ? (size_t)in.size : sizeof start;
    const bool is =
        ct_input_read(&in, 0, start, bytes, NULL) == CT_OK && ct_presto_is(start, bytes);
    ct_input_close(&in);
    return is;
}

/* The .inf itself, or name.dat with name.inf beside it. */
static bool presto_holds(const char *file)
{
    char inf[CT_PRESTO_NAME];
    const char *dot = strrchr(file, '.');
    if (dot && strcmp(dot, ".inf") == 0) return presto_begins(file);
    return ct_presto_beside(inf, file) && presto_begins(inf);
}

static void presto_describe_breaks(FILE *out, const ct_presto_inf *inf)
{
    int64_t samples = 0;
    for (int64_t i = 0; i < inf->pairs; i++)
        samples += inf->pair[i][1] - inf->pair[i][0] + 1;
    if (inf->breaks != 0)
        ct_describe_line(out, "breaks", "%" PRId64 " parts with data, %" PRId64 " samples",
                         inf->pairs, samples);
}

static ct_status presto_describe(FILE *out, ct_input *in, ct_error *err)
{
    char name[CT_PRESTO_NAME];
    ct_presto_inf inf;
    const bool dat = ct_presto_beside(name, in->file);
    const ct_status status = ct_presto_read(&inf, dat ? name : in->file, err);
    if (status != CT_OK) return status;
    ct_describe_line(out, "format",
                     dat ? "PRESTO time series, f32"
                         : "PRESTO's description of the .dat file beside it");
    ct_describe_line(out, "source", "%s", inf.object[0] ? inf.object : "unknown");
    ct_describe_line(out, "telescope", "%s", inf.telescope[0] ? inf.telescope : "unknown");
    ct_describe_line(out, "sizes", "T %.0f", inf.bins);
    if (dat && in->size / 4 != (int64_t)inf.bins)
        ct_describe_line(out, "in the file", "%" PRId64 " samples", in->size / 4);
    ct_describe_line(out, "DM", "%.6g pc cm^-3", inf.dm);
    ct_describe_line(out, "sample time", "%.9g s, %.6g s in all", inf.bin_s, inf.bin_s * inf.bins);
    presto_describe_breaks(out, &inf);
    if (inf.epoch_mjd > 0)
        ct_describe_instant(out, "start", (inf.epoch_mjd - 40587) * 86400 + inf.epoch_s);
    if (inf.bandwidth_mhz > 0)
        ct_describe_line(out, "band", "%.0f channels, the lowest at %.9g MHz, %.9g MHz in all",
                         inf.channels, inf.low_mhz, inf.bandwidth_mhz);
    return CT_OK;
}

extern const ct_stage ct_stage_source_presto, ct_stage_sink_presto;
const ct_format ct_format_presto = {.name = "PRESTO",
                                    .is = presto_is,
                                    .holds = presto_holds,
                                    .found = "PRESTO's time series: use source.presto",
                                    .describe = presto_describe,
                                    .source = &ct_stage_source_presto,
                                    .sink = &ct_stage_sink_presto};
