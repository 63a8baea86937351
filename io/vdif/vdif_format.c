/* vdif_format.c: how VDIF files are recognized and described, and the stages that read and write
 * them.
 * Room: io/vdif. Knows headers. Does not know payloads. */
#include "describe_lines.h"
#include "format.h"
#include "vdif_levels.h"
#include "vdif_look.h"
#include <inttypes.h>
#include <stdio.h>

enum { LOOKED_AT = 4096 /* frames */ };

static bool vdif_is(const uint8_t *start, size_t bytes)
{
    ct_vdif header;
    return bytes >= CT_VDIF_HEADER && ct_vdif_read(&header, start);
}

/* Frames have no name: the second one is like the first, or both have the pattern of their kind. */
static bool vdif_holds(const char *file)
{
    ct_input in;
    ct_vdif header, after;
    uint8_t first[CT_VDIF_HEADER] = {0}, second[CT_VDIF_HEADER] = {0};
    if (ct_input_open(&in, file, NULL) != CT_OK) return false;
    const bool read =
        ct_input_read(&in, 0, first, CT_VDIF_HEADER, NULL) == CT_OK && ct_vdif_read(&header, first);
    const size_t head = read ? (size_t)header.head : 0;
    bool is = read && ct_input_read(&in, header.bytes, second, head, NULL) == CT_OK &&
              ct_vdif_alike(second, first) && ct_vdif_read(&after, second) &&
              after.epoch == header.epoch && after.second - header.second <= 1 &&
              header.second - after.second <= 1;
    is = is || (read && header.rate_hz > 0 && in.size == header.bytes);
    ct_input_close(&in);
    return is;
}

/* Threads of the first frames, of frames that follow each other without a gap. */
static ct_status vdif_threads(ct_input *in, const ct_vdif *first, int64_t *threads, ct_error *err)
{
    ct_vdif header;
    bool seen[CT_VDIF_THREADS] = {0};
    uint8_t bytes[CT_VDIF_HEADER] = {0};
    ct_status status = CT_OK;
    *threads = 0;
    for (int64_t i = 0; status == CT_OK && i < LOOKED_AT && (i + 1) * first->bytes <= in->size;
         i++) {
        status = ct_input_read(in, i * first->bytes, bytes, (size_t)first->head, err);
        if (status != CT_OK || !ct_vdif_read(&header, bytes)) break;
        *threads += !seen[header.thread];
        seen[header.thread] = true;
    }
    return status;
}

static void vdif_describe_edv(FILE *out, const ct_vdif *header)
{
    if (header->legacy)
        ct_describe_line(out, "headers", "legacy, 16 bytes");
    else
        ct_describe_line(out, "headers", "32 bytes, EDV %" PRId64, header->edv);
}

/* Two letters, or a number. */
static void vdif_describe_station(FILE *out, int64_t station)
{
    const char name[] = {(char)(station >> 8), (char)(station & 0xff), 0};
    if (station >> 8 >= '0' && station >> 8 < 127 && name[1] > ' ' && name[1] < 127)
        ct_describe_line(out, "station", "%s", name);
    else
        ct_describe_line(out, "station", "%" PRId64, station);
}

static void vdif_describe_rate(FILE *out, const ct_vdif *header, int64_t samples)
{
    int64_t day, second;
    double part = 0;
    if (header->rate_hz > 0) {
        part = (double)header->frame * (double)samples / (double)header->rate_hz;
        ct_describe_line(out, "sample rate", "%.9g MHz", (double)header->rate_hz * 1e-6);
    } else {
        ct_describe_line(out, "sample rate", "the headers do not say it");
    }
    ct_vdif_date(ct_vdif_second(header), &day, &second);
    ct_describe_instant(out, "start", (double)(day - 40587) * 86400 + (double)second + part);
    if (header->frame > 0 && header->rate_hz == 0)
        ct_describe_line(out, "", "and %" PRId64 " frames", header->frame);
}

static ct_status vdif_about(FILE *out, ct_input *in, ct_error *err)
{
    ct_vdif header;
    int64_t threads;
    uint8_t bytes[CT_VDIF_HEADER] = {0};
    ct_status status = ct_input_read(in, 0, bytes, CT_VDIF_HEADER, err);
    if (status != CT_OK) return status;
    if (!ct_vdif_read(&header, bytes))
        return ct_error_add(err, CT_DATA, "%s: expected VDIF frames", in->file);
    status = ct_vdif_look_kind(&header, in->file, err);
    if (status == CT_OK) status = vdif_threads(in, &header, &threads, err);
    if (status != CT_OK) return status;
    const int64_t samples = (header.bytes - header.head) * 8 / ct_vdif_sample_bits(&header);
    ct_describe_line(out, "format", "VDIF, %s voltages", header.complex ? "complex" : "real");
    vdif_describe_station(out, header.station);
    vdif_describe_edv(out, &header);
    ct_describe_line(out, "frames",
                     "%" PRId64 " of %" PRId64 " bytes: %" PRId64 " samples of %" PRId64
                     " channels",
                     in->size / header.bytes, header.bytes, samples, header.channels);
    ct_describe_line(out, "threads", "%" PRId64, threads);
    ct_describe_line(out, "numbers", "%" PRId64 " bits, read as %s", header.bits,
                     ct_type_name(ct_vdif_type(header.bits, header.complex)));
    vdif_describe_rate(out, &header, samples);
    return CT_OK;
}

extern const ct_stage ct_stage_source_vdif, ct_stage_sink_vdif;
const ct_format ct_format_vdif = {.name = "VDIF",
                                  .is = vdif_is,
                                  .holds = vdif_holds,
                                  .found = "a VDIF file: use source.vdif",
                                  .describe = vdif_about,
                                  .source = &ct_stage_source_vdif,
                                  .sink = &ct_stage_sink_vdif};
