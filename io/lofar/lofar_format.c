/* lofar_format.c: how files of station packets are recognized and described, and the stages that
 * read and write them.
 * Room: io/lofar. Knows packets and lanes. Does not know blocks. */
#include "describe_lines.h"
#include "format.h"
#include "lofar_lane.h"
#include <inttypes.h>

#define ANY_GAP_S 1e10 /* longer than two packets can be apart */

static bool lofar_is(const uint8_t *start, size_t bytes)
{
    ct_packet packet;
    (void)bytes;
    ct_packet_decode(&packet, start);
    return ct_packet_is_sound(&packet) && packet.blocks == CT_PACKET_BLOCKS;
}

static ct_status lofar_describe(FILE *out, ct_input *in, ct_error *err)
{
    ct_lane_extent lane;
    ct_status status = ct_probe_files(&lane, NULL, &in->file, 1, ANY_GAP_S, err);
    if (status != CT_OK) return status;
    const ct_packet *form = &lane.form;
    double spacing = 1024 / ct_packet_clock(form);
    int64_t samples = lane.end - lane.first;
    ct_describe_line(out, "format", "LOFAR station packets, version %u", form->version);
    ct_describe_line(out, "station", "%u, lane %u", form->station, form->board);
    ct_describe_line(out, "sizes", "P 2, T %" PRId64 ", C %u (beamlets)", samples, form->beamlets);
    ct_describe_line(out, "numbers", "%u bits, read as ci%u", form->bits, form->bits);
    ct_describe_line(out, "packets", "%.6g of %" PRId64 " bytes, %u samples each",
                     (double)in->size / (double)ct_packet_bytes(form), ct_packet_bytes(form),
                     form->blocks);
    ct_describe_line(out, "sample time", "%.9g s (%g MHz clock), %.6g s in all", spacing,
                     ct_packet_clock(form) / 1e6, spacing * (double)samples);
    ct_describe_line(out, "first sample", "%" PRId64, lane.first);
    ct_describe_instant(out, "start", (double)lane.first * spacing);
    return CT_OK;
}

extern const ct_stage ct_stage_source_lofar, ct_stage_sink_lofar;
const ct_format ct_format_lofar = {.name = "LOFAR packet",
                                   .is = lofar_is,
                                   .describe = lofar_describe,
                                   .source = &ct_stage_source_lofar,
                                   .sink = &ct_stage_sink_lofar};
