/* fbh5_format.c: how FBH5 files are recognized and described, and the stages that read and write
 * them.
 * Room: io/fbh5. Knows what a file says. Does not know blocks. */
#include "describe_lines.h"
#include "fbh5.h"
#include "filterbank.h"
#include "format.h"
#include <inttypes.h>
#include <string.h>

static bool fbh5_begins(const uint8_t *start, size_t bytes)
{
    (void)bytes;
    return memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0;
}

static ct_status fbh5_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_fbh5 file;
    char telescope[32];
    const ct_status status = ct_fbh5_open(&file, in->file, err);
    if (status != CT_OK) return status;
    const ct_fbh5_head *head = &file.head;
    const bool known = head->telescope_id >= 0 && head->telescope_id < 1e6;
    ct_filterbank_telescope(telescope, known ? (int64_t)head->telescope_id : 0);
    ct_describe_line(out, "format", "FBH5 filterbank, HDF5");
    ct_describe_line(out, "source", "%s", head->source_name[0] ? head->source_name : "unknown");
    ct_describe_line(out, "telescope", "%s", telescope);
    ct_describe_line(out, "sizes", "T %" PRId64 ", Q %" PRId64 ", C %" PRId64, file.samples,
                     file.ifs, file.channels);
    ct_describe_line(out, "numbers", "%u bits, read as %s", ct_type_bits(file.type),
                     ct_type_name(file.type));
    if (file.mask > 0) ct_describe_line(out, "mask", "of the same sizes");
    ct_describe_line(out, "sample time", "%.9g s, %.6g s in all", head->tsamp,
                     head->tsamp * (double)file.samples);
    if (head->tstart > 0) ct_describe_instant(out, "start", (head->tstart - 40587) * 86400);
    if (head->refdm != 0) ct_describe_line(out, "DM", "%.6g pc cm^-3", head->refdm);
    if (head->fch1 != 0)
        ct_describe_line(out, "channel centres", "%.6f to %.6f MHz", head->fch1,
                         head->fch1 + (double)(file.channels - 1) * head->foff);
    ct_fbh5_close(&file);
    return CT_OK;
}

extern const ct_stage ct_stage_source_fbh5, ct_stage_sink_fbh5;
const ct_format ct_format_fbh5 = {.name = "FBH5",
                                  .is = fbh5_begins,
                                  .holds = ct_fbh5_is,
                                  .found = "a filterbank in HDF5 (FBH5): use source.fbh5",
                                  .describe = fbh5_describe,
                                  .source = &ct_stage_source_fbh5,
                                  .sink = &ct_stage_sink_fbh5};
