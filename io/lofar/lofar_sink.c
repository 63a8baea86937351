/* lofar_sink.c: sink.lofar: voltages S,P,T[,C] as LOFAR station packets, a file, or a UDP port, for
 * each station and lane; channels become beamlets. The last packet is filled up with zeros. A part
 * of them may be lost on purpose. Room: io/lofar. Knows packets. Does not know graphs. */
#include "lofar_sender.h"
#include "output.h"
#include "packet.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SINK_MANY = 128 }; /* files that stay open */

typedef struct sink_file {
    ct_output output;
    int64_t station, beamlet; /* its station and its first channel */
    ct_packet form;
    uint8_t *packet;         /* the one that is being filled: its place in `packets` */
    int64_t position, whole; /* bytes; those after the last whole block */
} sink_file;

typedef struct lofar_sink {
    ct_step *step;
    sink_file *file;
    uint8_t *packets; /* one of each file, then room for lengths */
    int64_t files, lanes;
    int64_t bytes;     /* of a packet */
    int64_t first;     /* sample number of the stream's first sample */
    int64_t filled;    /* samples of the stream so far */
    double lost;       /* of packets, on purpose */
    ct_sender *sender; /* NULL: packets go to files */
    bool torn;         /* a block could not be written: files may have a part of it */
} lofar_sink;

static const ct_param lofar_params[] = {
    {"file", CT_PARAM_FILE, NULL, NULL, 0, 0,
     "the file to write; with several stations or lanes each name gets _S001, _L1"},
    {"to", CT_PARAM_TEXT, NULL, NULL, 0, 0,
     "instead of file: \"HOST:PORT\", where they are sent by UDP; station i, lane j to PORT + "
     "lanes i + j"},
    {"speed", CT_PARAM_REAL, "1", NULL, 0, 1e6,
     "with to: so many times as fast as real time; 0: as fast as possible"},
    {"lanes", CT_PARAM_INT, "1", NULL, 1, 32, "files for each station, which share the channels"},
    {"station", CT_PARAM_INT, "1", NULL, 0, 2047, "id of the first station; the others follow"},
    {"lost", CT_PARAM_REAL, "0", NULL, 0, 1, "the part of the packets that is left out, at random"},
    {0}};

static int64_t sink_files(const ct_step *step)
{
    return ct_step_int(step, "lanes") * ct_array_extent(&step->port[0], 'S');
}

static const char *sink_name(ct_step *step, int64_t file)
{
    const int64_t lanes = ct_step_int(step, "lanes"), at = file % lanes;
    char station[32] = "", lane[32] = "", suffix[64];
    if (sink_files(step) > lanes)
        snprintf(station, sizeof station, "_S%03lld", (long long)(file / lanes));
    if (lanes > 1) snprintf(lane, sizeof lane, "_L%lld", (long long)at);
    snprintf(suffix, sizeof suffix, "%s%s", station, lane);
    return ct_output_name(step, ct_step_path(step, "file"), suffix, NULL);
}

static ct_status sink_check_place(ct_step *step, ct_error *err)
{
    const char *to = ct_step_text(step, "to");
    const bool file = ct_step_path(step, "file") != NULL;
    ct_error why = {0};
    if (file == (to != NULL))
        return ct_step_fail(step, to ? "to" : NULL, err, "expected either \"file\" or \"to\"%s",
                            to ? ", found both" : "");
    if (!to && ct_step_value(step, "speed"))
        return ct_step_fail(step, "speed", err, "files have no speed: expected \"to\", too");
    if (to && ct_sender_check(to, sink_files(step), &why) != CT_OK)
        return ct_step_fail(step, "to", err, "%s", why.text);
    return CT_OK;
}

static ct_status lofar_infer(ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[0];
    int64_t lanes = ct_step_int(step, "lanes"), channels = ct_array_extent(in, 'C');
    double spacing = in->meta.sample_time_s;
    if (ct_array_extent(in, 'P') != 2)
        return ct_step_fail(step, NULL, err, "packets hold 2 polarizations, found %lld",
                            (long long)ct_array_extent(in, 'P'));
    if (channels % lanes || channels / lanes > 255)
        return ct_step_fail(step, "lanes", err,
                            "expected a number that divides %lld channels into at most 255 for "
                            "each lane, found %lld",
                            (long long)channels, (long long)lanes);
    if (ct_step_int(step, "station") + ct_array_extent(in, 'S') > 2048)
        return ct_step_fail(step, "station", err, "expected ids up to 2047, found %lld stations",
                            (long long)ct_array_extent(in, 'S'));
    if (spacing != 0 && fabs(spacing - 5.12e-6) > 1e-12 && fabs(spacing - 6.4e-6) > 1e-12)
        return ct_step_fail(step, NULL, err,
                            "packets hold samples of 5.12 or 6.4 microseconds, found %.9g s",
                            spacing);
    const ct_status status = sink_check_place(step, err);
    for (int64_t i = 0; status == CT_OK && !ct_step_text(step, "to") && i < sink_files(step); i++)
        ct_step_writes(step, "file", sink_name(step, i));
    return status;
}

/* The number of the sample whose middle, n + 1/2, the metadata give; 0 where they give none. */
static int64_t sink_first_sample(const ct_meta *meta, double clock)
{
    double second = meta->start_mjd > 40587 ? (meta->start_mjd - 40587) * 86400 : 0;
    second = floor(second * 1e6 + 0.5) / 1e6; /* a double of MJD is no better */
    return (int64_t)floor((second + meta->start_s) * clock / 1024);
}

/* Bytes of what save() gives: the packets that are being filled, then each file's length. */
static size_t sink_saved(const lofar_sink *sink)
{
    return (size_t)(sink->files * (sink->bytes + (int64_t)sizeof(int64_t)));
}

static ct_status sink_open_file(lofar_sink *sink, int64_t i, ct_error *err)
{
    const ct_array *in = &sink->step->port[0];
    int64_t channels = ct_array_extent(in, 'C') / sink->lanes;
    sink_file *file = &sink->file[i];
    file->station = i / sink->lanes;
    file->beamlet = i % sink->lanes * channels;
    file->form = (ct_packet){
        .version = 3,
        .board = (unsigned)(i % sink->lanes),
        .bits = ct_type_bits(in->type) / 2,
        .fast = !(in->meta.sample_time_s > 6e-6),
        .station = (unsigned)(ct_step_int(sink->step, "station") + file->station),
        .beamlets = (unsigned)channels,
        .blocks = CT_PACKET_BLOCKS,
    };
    sink->bytes = ct_packet_bytes(&file->form);
    sink->first = sink_first_sample(&in->meta, ct_packet_clock(&file->form));
    if (i == 0) sink->packets = ct_step_alloc(sink->step, sink_saved(sink));
    if (!sink->packets) return CT_FAILED;
    file->packet = sink->packets + i * sink->bytes;
    if (ct_step_text(sink->step, "to")) return CT_OK;
    return ct_output_open(&file->output, sink->step, sink_name(sink->step, i), true, err);
}

static ct_status lofar_close(void *state, bool complete, ct_error *err);

static ct_status lofar_open(ct_step *step, void **state, ct_error *err)
{
    lofar_sink *sink = ct_step_alloc(step, sizeof *sink);
    ct_status status = CT_OK;
    *state = sink;
    if (!sink) return CT_FAILED;
    sink->step = step;
    sink->lanes = ct_step_int(step, "lanes");
    sink->files = sink_files(step);
    sink->file = ct_step_alloc(step, (size_t)sink->files * sizeof *sink->file);
    if (!sink->file) return CT_FAILED;
    sink->lost = ct_step_real(step, "lost");
    if (ct_step_text(step, "to"))
        status = ct_sender_open(&sink->sender, step, ct_step_text(step, "to"), sink->files,
                                ct_step_real(step, "speed"), err);
    for (int64_t i = 0; status == CT_OK && i < sink->files; i++) {
        status = sink_open_file(sink, i, err);
        if (status == CT_OK && sink->files > SINK_MANY && !sink->sender)
            status = ct_output_pause(&sink->file[i].output, err);
    }
    if (status != CT_OK) (void)lofar_close(sink, false, NULL);
    return status;
}

/* By its station, lane and number only, so that blocks and ranks change nothing. [splitmix64] */
static bool sink_loses(const lofar_sink *sink, const sink_file *file, int64_t sample)
{
    if (!(sink->lost > 0)) return false;
    uint64_t z = (uint64_t)(sample / CT_PACKET_BLOCKS) * 0x9e3779b97f4a7c15u;
    z += (uint64_t)(file->form.station * 32 + file->form.board + 1) * 0xd1342543de82ef95u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53 < sink->lost;
}

static ct_status sink_put_packet(lofar_sink *sink, sink_file *file, int64_t sample, ct_error *err)
{
    ct_status status = CT_OK;
    ct_packet_set_sample(&file->form, sample);
    ct_packet_encode(file->packet, &file->form);
    if (!sink_loses(sink, file, sample)) {
        status =
            ct_output_put(&file->output, file->position, file->packet, (size_t)sink->bytes, err);
        file->position += sink->bytes;
    }
    memset(file->packet, 0, (size_t)sink->bytes);
    return status;
}

/* One packet of each file, whose first sample is `sample` of the stream. */
static ct_status sink_send(lofar_sink *sink, int64_t sample, ct_error *err)
{
    for (int64_t i = 0; i < sink->files; i++) {
        sink_file *file = &sink->file[i];
        ct_packet_set_sample(&file->form, sink->first + sample);
        ct_packet_encode(file->packet, &file->form);
        if (!sink_loses(sink, file, sink->first + sample))
            ct_sender_add(sink->sender, i, file->packet, (size_t)sink->bytes);
    }
    const double clock = ct_packet_clock(&sink->file[0].form);
    ct_status status = ct_sender_send(sink->sender, (double)sample * 1024 / clock, err);
    memset(sink->packets, 0, (size_t)(sink->files * sink->bytes));
    return status;
}

/* `count` samples into the packet, from its sample `slot` on. */
static void sink_fill(sink_file *file, const ct_array *block, int64_t t, int64_t slot,
                      int64_t count)
{
    const size_t unit = ct_type_bits(block->type) / 8;
    const bool same = ct_array_stride(block, 'P') == 1 && ct_array_stride(block, 'T') == 2;
    for (int64_t c = 0; c < file->form.beamlets && same; c++) {
        int64_t from = block->offset + file->station * ct_array_stride(block, 'S') +
                       (file->beamlet + c) * ct_array_stride(block, 'C') + t * 2;
        memcpy(file->packet + CT_PACKET_HEADER + (size_t)((c * CT_PACKET_BLOCKS + slot) * 2) * unit,
               (const uint8_t *)block->data + (size_t)from * unit, (size_t)(2 * count) * unit);
    }
    for (int64_t c = 0; c < file->form.beamlets && !same; c++)
        for (int64_t p = 0; p < 2; p++) {
            int64_t from = block->offset + file->station * ct_array_stride(block, 'S') +
                           (file->beamlet + c) * ct_array_stride(block, 'C') +
                           t * ct_array_stride(block, 'T') + p * ct_array_stride(block, 'P');
            int64_t to = (c * CT_PACKET_BLOCKS + slot) * 2 + p;
            ct_copy_row(file->packet + CT_PACKET_HEADER + to * (int64_t)unit, 2,
                        (const uint8_t *)block->data + from * (int64_t)unit,
                        ct_array_stride(block, 'T'), count, (int)unit);
        }
}

static ct_status sink_write_file(lofar_sink *sink, sink_file *file, const ct_array *block,
                                 int64_t first, int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t done = 0, now; status == CT_OK && done < count; done += now) {
        int64_t sample = sink->filled + done, slot = sample % CT_PACKET_BLOCKS;
        now = CT_PACKET_BLOCKS - slot < count - done ? CT_PACKET_BLOCKS - slot : count - done;
        sink_fill(file, block, first + done, slot, now);
        if (slot + now == CT_PACKET_BLOCKS)
            status = sink_put_packet(sink, file, sink->first + sample - slot, err);
    }
    if (status != CT_OK) return status;
    return sink->files > SINK_MANY ? ct_output_pause(&file->output, err)
                                   : ct_output_flush(&file->output, false, err);
}

/* All files at a time, packet after packet: they are sent when they are due. */
static ct_status sink_send_block(lofar_sink *sink, const ct_array *block, int64_t first,
                                 int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t done = 0, now; status == CT_OK && done < count; done += now) {
        int64_t sample = sink->filled + done, slot = sample % CT_PACKET_BLOCKS;
        now = CT_PACKET_BLOCKS - slot < count - done ? CT_PACKET_BLOCKS - slot : count - done;
        for (int64_t i = 0; i < sink->files; i++)
            sink_fill(&sink->file[i], block, first + done, slot, now);
        if (slot + now == CT_PACKET_BLOCKS) status = sink_send(sink, sample - slot, err);
    }
    return status;
}

static ct_status lofar_write(void *state, const ct_array *block, int64_t first, int64_t count,
                             ct_error *err)
{
    lofar_sink *sink = state;
    ct_status status = CT_OK;
    if (sink->sender) status = sink_send_block(sink, block, first, count, err);
    for (int64_t i = 0; status == CT_OK && !sink->sender && i < sink->files; i++)
        status = sink_write_file(sink, &sink->file[i], block, first, count, err);
    for (int64_t i = 0; status == CT_OK && i < sink->files; i++)
        sink->file[i].whole = sink->file[i].position;
    if (status == CT_OK) sink->filled += count;
    sink->torn = status != CT_OK;
    return status;
}

/* To its last whole packet: the next one has samples of the block that could not be written. */
static ct_status sink_mend(sink_file *file, ct_error *err)
{
    return ct_output_resize(&file->output, file->whole, err);
}

static ct_status sink_close_sender(lofar_sink *sink, bool complete, ct_error *err)
{
    const int64_t rest = sink->filled % CT_PACKET_BLOCKS;
    ct_status status = CT_OK;
    if (complete && rest) status = sink_send(sink, sink->filled - rest, err);
    ct_sender_close(sink->sender,
                    (double)sink->filled * 1024 / ct_packet_clock(&sink->file[0].form));
    return status;
}

static ct_status lofar_close(void *state, bool complete, ct_error *err)
{
    lofar_sink *sink = state;
    ct_status status = CT_OK;
    int64_t rest = sink->filled % CT_PACKET_BLOCKS;
    if (ct_step_text(sink->step, "to"))
        return sink->sender ? sink_close_sender(sink, complete, err) : CT_OK;
    for (int64_t i = 0; i < sink->files; i++) {
        if (complete && status == CT_OK && sink->torn)
            status = sink_mend(&sink->file[i], err);
        else if (complete && status == CT_OK && rest)
            status = sink_put_packet(sink, &sink->file[i], sink->first + sink->filled - rest, err);
        ct_status one = ct_output_close(&sink->file[i].output, complete && status == CT_OK, err);
        if (status == CT_OK) status = one;
    }
    return status;
}

static ct_status lofar_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    lofar_sink *sink = state;
    ct_status status = CT_OK;
    uint8_t *lengths = sink->packets + sink->files * sink->bytes;
    *data = sink->packets;
    *bytes = sink_saved(sink);
    for (int64_t i = 0; status == CT_OK && i < sink->files; i++) {
        memcpy(lengths + (size_t)i * sizeof(int64_t), &sink->file[i].position, sizeof(int64_t));
        if (!sink->sender) status = ct_output_flush(&sink->file[i].output, false, err);
    }
    return status;
}

static ct_status lofar_restore(void *state, int64_t position, const void *data, size_t bytes,
                               ct_error *err)
{
    lofar_sink *sink = state;
    if (sink->sender)
        return ct_error_add(err, CT_DATA,
                            "%s: what was sent cannot be sent again, without --resume "
                            "all of it is",
                            ct_step_text(sink->step, "to"));
    if (bytes != sink_saved(sink))
        return ct_error_add(err, CT_DATA,
                            "%s: the journal has %zu bytes of its packets, expected %zu",
                            sink->file[0].output.file, bytes, sink_saved(sink));
    memcpy(sink->packets, data, bytes);
    sink->filled = position;
    for (int64_t i = 0; i < sink->files; i++) {
        memcpy(&sink->file[i].position,
               sink->packets + sink->files * sink->bytes + (size_t)i * sizeof(int64_t),
               sizeof(int64_t));
        sink->file[i].whole = sink->file[i].position;
    }
    return CT_OK;
}

const ct_stage ct_stage_sink_lofar = {
    .api = CT_API,
    .version = 1,
    .name = "sink.lofar",
    .summary = "voltages as LOFAR station packets: a file or a UDP port for each station and lane",
    .ports = {{"X", CT_IN, 0, "S?PTC?", "ci8 ci16 ci4", "*", "SCTP", "voltages"}},
    .params = lofar_params,
    .infer = lofar_infer,
    .traits = CT_STAGE_THREAD | CT_STAGE_MENDS,
    .io = {.open = lofar_open,
           .write = lofar_write,
           .close = lofar_close,
           .save = lofar_save,
           .restore = lofar_restore},
};
