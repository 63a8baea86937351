/* vdif_sink.c: sink.vdif: VDIF files, one for each beam and station; a thread for each
 * polarization, or each channel, too.
 * Room: io/vdif. Knows how frames are filled. Does not know graphs. */
#include "beam_files.h"
#include "vdif_levels.h"
#include "vdif_shape.h"
#include <string.h>

enum { X, M };

/* What a run that goes on has to know. */
typedef struct vdif_kept {
    int64_t filled; /* samples of the present frames */
    int64_t sets;   /* frames of a thread that were written */
} vdif_kept;

typedef struct vdif_sink {
    ct_beam_files files;
    const ct_vdif_shape *shape;
    size_t unit, row; /* bytes of an element; of the present frame's numbers, of a thread */
    vdif_kept *kept;  /* followed by: */
    uint8_t *flagged; /* [file][thread] of the present frames */
    uint8_t *numbers; /* [file][thread][sample][channel] */
    size_t bytes;     /* of all three */
    uint8_t *frame;
} vdif_sink;

static const ct_param vdif_params[] = {
    {"file", CT_PARAM_FILE, "!", NULL, 0, 0,
     "the file to write; with several beams or stations each name gets _B001, _S001"},
    {"bits", CT_PARAM_INT, NULL, NULL, 1, 16,
     "1, 2, 4, 8 or 16; default: those of an integer, and 2 of f32 and cf32"},
    {"scale", CT_PARAM_REAL, "1", NULL, 1e-30, 1e30,
     "numbers are multiplied by this before they are rounded, or compared with levels"},
    {"threads", CT_PARAM_TEXT, NULL, "polarizations channels", 0, 0,
     "one for each polarization, or for each channel too; default: that if there are not 1, 2, 4, "
     "8 .. channels"},
    {"samples_per_frame", CT_PARAM_INT, NULL, NULL, 1, 1 << 30,
     "default: as many as fit into 8000 bytes and divide a second"},
    {"edv", CT_PARAM_INT, NULL, NULL, 0, 3,
     "extended data: 1 and 3 say the sample rate; default: 1, or 0 where that cannot be said"},
    {"legacy", CT_PARAM_BOOL, "false", NULL, 0, 0, "headers of 16 bytes"},
    {"station", CT_PARAM_TEXT, "CT", NULL, 0, 0, "two letters"},
    {0}};

static ct_status vdif_infer(ct_step *step, ct_error *err)
{
    const ct_array *in = &step->port[X];
    ct_vdif_shape *shape = ct_step_alloc(step, sizeof *shape);
    if (!shape) return CT_FAILED;
    for (int i = 0; i < in->rank; i++)
        if (!strchr("BSTPC", in->dim[i]) || ct_array_find(in, 'T') < 0)
            return ct_step_fail(step, NULL, err,
                                "expected the dimension T, and perhaps B, S, P, C, found %s",
                                in->dim);
    ct_beam_names_declare(step, NULL);
    step->state = shape;
    return ct_vdif_shape_of(shape, step, err);
}

/* ---- frames */

/* All threads of one file, of the present frames. */
static ct_status sink_put_set(vdif_sink *sink, int64_t file, ct_error *err)
{
    ct_vdif header;
    const ct_vdif_shape *shape = sink->shape;
    const ct_step *step = sink->files.step;
    ct_output *out = &sink->files.output[file];
    const int64_t parts = shape->header.complex ? 2 : 1, bytes = shape->header.bytes;
    ct_status status = CT_OK;
    for (int64_t thread = 0; status == CT_OK && thread < shape->threads; thread++) {
        const size_t place = (size_t)(file * shape->threads + thread);
        ct_vdif_shape_set(shape, &header, sink->kept->sets, thread);
        header.invalid = sink->flagged[place];
        memset(sink->frame, 0, (size_t)bytes);
        ct_vdif_print(sink->frame, &header);
        ct_vdif_encode(sink->frame + header.head, header.bits, step->port[X].type,
                       sink->numbers + place * sink->row, shape->samples * header.channels * parts,
                       ct_step_real(step, "scale"));
        status = ct_output_put(out, (sink->kept->sets * shape->threads + thread) * bytes,
                               sink->frame, (size_t)bytes, err);
    }
    if (status == CT_OK && sink->files.count > 1) status = ct_output_pause(out, err);
    return status;
}

static void sink_clear(vdif_sink *sink)
{
    memset(sink->flagged, 0, sink->bytes - sizeof *sink->kept);
}

static ct_status sink_put(vdif_sink *sink, ct_error *err)
{
    ct_status status = CT_OK;
    for (int64_t i = 0; status == CT_OK && i < sink->files.count; i++)
        status = sink_put_set(sink, i, err);
    if (status != CT_OK) return status;
    sink->kept->sets++;
    sink->kept->filled = 0;
    sink_clear(sink);
    return CT_OK;
}

/* ---- samples */

/* Whether one of `count` samples from T index `t` on is flagged, of a thread's channels. */
static bool sink_is_flagged(const vdif_sink *sink, int64_t s, int64_t channel, int64_t t,
                            int64_t count)
{
    const ct_array *flags = &sink->files.step->port[M];
    const uint8_t *from = flags->data;
    if (flags->type == CT_NONE || !from) return false;
    const int64_t each = ct_array_extent(flags, 'C') > 1 ? sink->shape->header.channels : 1;
    const int64_t c0 = ct_array_extent(flags, 'C') > 1 ? channel : 0;
    from += flags->offset + (ct_array_extent(flags, 'S') > 1 ? s * ct_array_stride(flags, 'S') : 0);
    for (int64_t c = c0; c < c0 + each; c++)
        for (int64_t i = t; i < t + count; i++)
            if (from[c * ct_array_stride(flags, 'C') + i * ct_array_stride(flags, 'T')] & 3)
                return true;
    return false;
}

/* `count` samples of a thread, from T index `t` of its file's part of a block on. */
static void sink_take_thread(vdif_sink *sink, const ct_array *part, int64_t file, int64_t thread,
                             int64_t t, int64_t count)
{
    const ct_vdif_shape *shape = sink->shape;
    const int64_t channels = shape->header.channels, unit = (int64_t)sink->unit;
    const int64_t channel = thread / shape->pols * channels;
    const int64_t of_t = ct_array_stride(part, 'T'), of_c = ct_array_stride(part, 'C');
    const size_t place = (size_t)(file * shape->threads + thread);
    uint8_t *to = sink->numbers + place * sink->row + sink->kept->filled * channels * unit;
    const uint8_t *from = (const uint8_t *)part->data +
                          (part->offset + thread % shape->pols * ct_array_stride(part, 'P') +
                           channel * of_c + t * of_t) *
                              unit;
    for (int64_t i = 0; channels > count && i < count; i++)
        ct_copy_row(to + i * channels * unit, 1, from + i * of_t * unit, of_c, channels, (int)unit);
    for (int64_t c = 0; channels <= count && c < channels; c++)
        ct_copy_row(to + c * unit, channels, from + c * of_c * unit, of_t, count, (int)unit);
    const int64_t s = ct_beam_names_index(part, file).s;
    sink->flagged[place] |= sink_is_flagged(sink, s, channel, t, count);
}

static ct_status vdif_write(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    vdif_sink *sink = state;
    const ct_vdif_shape *shape = sink->shape;
    ct_status status = CT_OK;
    for (int64_t done = 0, now; status == CT_OK && done < count; done += now) {
        const int64_t room = shape->samples - sink->kept->filled;
        now = count - done < room ? count - done : room;
        for (int64_t i = 0; i < sink->files.count; i++) {
            const ct_array part = ct_beam_names_part(block, i);
            for (int64_t thread = 0; thread < shape->threads; thread++)
                sink_take_thread(sink, &part, i, thread, first + done, now);
        }
        sink->kept->filled += now;
        if (sink->kept->filled == shape->samples) status = sink_put(sink, err);
    }
    return status;
}

/* ---- the sink */

static ct_status vdif_open(ct_step *step, void **state, ct_error *err)
{
    vdif_sink *sink = *state = ct_step_alloc(step, sizeof *sink);
    if (!sink) return CT_FAILED;
    const ct_vdif_shape *shape = sink->shape = step->state;
    const size_t frames = (size_t)(ct_beam_names_count(&step->port[X]) * shape->threads);
    sink->unit = ct_type_bits(step->port[X].type) / 8;
    sink->row = (size_t)(shape->samples * shape->header.channels) * sink->unit;
    const size_t aligned = (frames + 15) / 16 * 16;
    sink->bytes = sizeof *sink->kept + aligned + frames * sink->row;
    uint8_t *kept = ct_step_alloc(step, sink->bytes);
    sink->frame = ct_step_alloc(step, (size_t)shape->header.bytes);
    if (!kept || !sink->frame) return CT_FAILED;
    sink->kept = (vdif_kept *)(void *)kept;
    sink->flagged = kept + sizeof *sink->kept;
    sink->numbers = sink->flagged + aligned;
    sink->kept->filled = shape->lead;
    return ct_beam_files_open(&sink->files, step, "T", NULL, err);
}

static ct_status vdif_close(void *state, bool complete, ct_error *err)
{
    vdif_sink *sink = state;
    ct_status status = CT_OK;
    if (complete && sink->kept->filled > 0) status = sink_put(sink, err);
    ct_status closed = ct_beam_files_close(&sink->files, complete && status == CT_OK, err);
    return status == CT_OK ? closed : status;
}

static ct_status vdif_save(void *state, const void **data, size_t *bytes, ct_error *err)
{
    vdif_sink *sink = state;
    const ct_status status = ct_beam_files_save(&sink->files, data, bytes, err);
    *data = sink->kept;
    *bytes = sink->bytes;
    return status;
}

static ct_status vdif_restore(void *state, int64_t position, const void *data, size_t bytes,
                              ct_error *err)
{
    vdif_sink *sink = state;
    (void)position;
    if (bytes != sink->bytes)
        return ct_error_add(err, CT_DATA, "%s: the journal has %zu bytes of it, expected %zu",
                            sink->files.output[0].file, bytes, sink->bytes);
    memcpy(sink->kept, data, bytes);
    return CT_OK;
}

const ct_stage ct_stage_sink_vdif = {
    .api = CT_API,
    .version = 1,
    .name = "sink.vdif",
    .summary = "writes VDIF files, voltages",
    .ports = {[X] = {"X", CT_IN, 0, "*", "ci8 ci16 cf32 i8 i16 f32", "*", "BSPCT",
                     "T and perhaps C, P, and a file for each B, S"},
              [M] = {"M", CT_IN, CT_PORT_OPTIONAL | CT_PORT_FLAGS, "STC?", "u8", "*", NULL,
                     "flags: frames with one are marked as invalid"}},
    .params = vdif_params,
    .infer = vdif_infer,
    .traits = CT_STAGE_THREAD,
    .io = {.open = vdif_open,
           .write = vdif_write,
           .close = vdif_close,
           .save = vdif_save,
           .restore = vdif_restore},
};
