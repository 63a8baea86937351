/* guppi_format.c: how GUPPI raw files are recognized and described, and the stage that reads them.
 * Room: io/guppi. Knows the headers. Does not know blocks of a run. */
#include "describe_lines.h"
#include "format.h"
#include "guppi.h"
#include <inttypes.h>

/* Blocks of the file that are whole. */
static ct_status guppi_count(int64_t *blocks, ct_guppi *first, ct_input *in, ct_error *err)
{
    ct_guppi block;
    *blocks = 0;
    ct_status status = ct_guppi_read(first, in, 0, err);
    for (block = *first; status == CT_OK && block.whole; ++*blocks) {
        const int64_t at = ct_guppi_end(&block);
        if (at >= in->size) {
            ++*blocks;
            break;
        }
        status = ct_guppi_read(&block, in, at, err);
    }
    return status;
}

static ct_status guppi_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_guppi first;
    int64_t blocks;
    ct_status status = guppi_count(&blocks, &first, in, err);
    if (status != CT_OK) return status;
    const int64_t samples = blocks * ct_guppi_new(&first) + (blocks > 0 ? first.overlap : 0);
    ct_describe_line(out, "format", "GUPPI raw, voltages");
    ct_describe_line(out, "source", "%s", first.source[0] ? first.source : "unknown");
    ct_describe_line(out, "telescope", "%s", first.telescope[0] ? first.telescope : "unknown");
    ct_describe_line(out, "sizes", "T %" PRId64 ", C %" PRId64 ", P %" PRId64, samples,
                     first.channels, first.pols);
    ct_describe_line(out, "blocks",
                     "%" PRId64 " of %" PRId64 " samples, of which the next repeats %" PRId64,
                     blocks, first.samples, first.overlap);
    ct_describe_line(out, "numbers", "%" PRId64 " bits, read as ci8", first.bits);
    ct_describe_line(out, "band", "%.9g MHz about %.9g MHz", first.bw_mhz, first.freq_mhz);
    ct_describe_line(out, "sample time", "%.9g s, %.6g s in all", first.sample_time_s,
                     first.sample_time_s * (double)samples);
    if (first.day > 0)
        ct_describe_instant(out, "start",
                            (double)(first.day - 40587) * 86400 + (double)first.second +
                                first.second_part + first.after_start * first.sample_time_s);
    return CT_OK;
}

extern const ct_stage ct_stage_source_guppi;
const ct_format ct_format_guppi = {.name = "GUPPI raw",
                                   .is = ct_guppi_is,
                                   .found = "a GUPPI raw file: use source.guppi",
                                   .describe = guppi_describe,
                                   .source = &ct_stage_source_guppi};
