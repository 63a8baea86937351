/* vdif_frames.c: see vdif_frames.h.
 * Room: io/vdif. Knows where frames begin. Does not know times or threads. */
#include "vdif_frames.h"
#include "numbers.h"
#include <fcntl.h>

enum { AT_ONCE = 1 << 18 }; /* bytes of a read, at least, where frames are small */

static void frames_begin(ct_vdif_frames *out, ct_step *step, const uint8_t *first)
{
    *out = (ct_vdif_frames){.step = step, .open = -1, .stream = {.fd = -1}};
    memcpy(out->first, first, CT_VDIF_HEADER);
    out->bytes = (int64_t)(ct_numbers_get(first + 8, 3) * 8);
}

ct_status ct_vdif_frames_open(ct_vdif_frames *out, ct_step *step, const ct_vdif_files *files,
                              const uint8_t *first, ct_error *err)
{
    (void)err;
    frames_begin(out, step, first);
    out->files = files;
    out->room = 2 * (size_t)out->bytes + AT_ONCE;
    out->buffer = ct_step_alloc(step, out->room + CT_VDIF_HEADER);
    return out->buffer ? CT_OK : CT_FAILED;
}

void ct_vdif_frames_of(ct_vdif_frames *out, ct_step *step, uint8_t *bytes, size_t count,
                       const uint8_t *first)
{
    frames_begin(out, step, first);
    out->buffer = bytes;
    out->room = out->have = count;
    out->ended = true;
}

/* ---- bytes */

static ct_status frames_open_file(ct_vdif_frames *frames, int64_t file, ct_error *err)
{
    const ct_vdif_files *files = frames->files;
    const bool last = file == files->count - 1;
    ct_byte_stream_close(&frames->stream);
    frames->open = file;
    if (files->pipe >= 0) { /* a second description of it would miss its end */
        frames->stream = (ct_byte_stream){.step = frames->step,
                                          .file = files->file[file],
                                          .fd = fcntl(files->pipe, F_DUPFD_CLOEXEC, 3)};
        if (frames->stream.fd >= 0) return CT_OK;
        return ct_error_add(err, CT_DATA, "%s: cannot be opened", files->file[file]);
    }
    return ct_byte_stream_open(&frames->stream, frames->step, files->file[file],
                               last ? files->follow_s : -1, err);
}

/* So many bytes that are not taken yet, or all that there are. */
static ct_status frames_need(ct_vdif_frames *frames, size_t bytes, ct_error *err)
{
    ct_status status = CT_OK;
    if (frames->have - frames->from >= bytes || frames->ended) return CT_OK;
    memmove(frames->buffer, frames->buffer + frames->from, frames->have - frames->from);
    frames->have -= frames->from;
    frames->from = 0;
    if (frames->open < 0) status = frames_open_file(frames, 0, err);
    while (status == CT_OK && frames->have < bytes && !frames->ended) {
        size_t got = 0;
        const size_t least = bytes - frames->have;
        status = ct_byte_stream_read_some(&frames->stream, frames->buffer + frames->have, least,
                                          frames->room - frames->have, &got, err);
        frames->have += got;
        frames->read += (int64_t)got;
        if (status != CT_OK || got >= least) continue;
        frames->ended = frames->open + 1 >= frames->files->count;
        if (!frames->ended) status = frames_open_file(frames, frames->open + 1, err);
    }
    return status;
}

/* ---- frames */

/* Bytes that tell a frame: legacy ones may have fewer in all than other headers. */
static size_t frames_least(const ct_vdif_frames *frames)
{
    return frames->bytes < CT_VDIF_HEADER ? (size_t)frames->bytes : CT_VDIF_HEADER;
}

/* To the next place in the buffer where a header may be; what is behind it stays. */
static void frames_search(ct_vdif_frames *frames)
{
    if (!frames->astray) frames->foreign++;
    frames->astray = true;
    for (frames->from++; frames->have - frames->from >= frames_least(frames); frames->from++)
        if (ct_vdif_alike(frames->buffer + frames->from, frames->first)) return;
}

ct_status ct_vdif_frames_peek(ct_vdif_frames *frames, ct_vdif *header, const uint8_t **at,
                              ct_error *err)
{
    for (;;) {
        ct_status status = frames_need(frames, (size_t)frames->bytes, err);
        const size_t left = frames->have - frames->from;
        *at = frames->buffer + frames->from;
        if (status != CT_OK || left < frames_least(frames)) {
            frames->torn = frames->astray ? 0 : (int64_t)left;
            *at = NULL;
            return status;
        }
        if (ct_vdif_alike(*at, frames->first) && ct_vdif_read(header, *at)) {
            frames->astray = false;
            if (left >= (size_t)frames->bytes) return CT_OK;
            frames->torn = (int64_t)left;
            *at = NULL;
            return CT_OK;
        }
        frames_search(frames);
    }
}

ct_status ct_vdif_frames_after(ct_vdif_frames *frames, ct_vdif *header, bool *there, ct_error *err)
{
    const size_t bytes = (size_t)frames->bytes;
    const ct_status status = frames_need(frames, 2 * bytes, err);
    const uint8_t *at = frames->buffer + frames->from + bytes;
    *there = status == CT_OK && frames->have - frames->from >= 2 * bytes &&
             ct_vdif_alike(at, frames->first) && ct_vdif_read(header, at);
    return status;
}

void ct_vdif_frames_take(ct_vdif_frames *frames)
{
    frames->from += (size_t)frames->bytes;
}

ct_status ct_vdif_frames_seek(ct_vdif_frames *frames, int64_t position, ct_error *err)
{
    const ct_vdif_files *files = frames->files;
    int64_t file = 0;
    while (file < files->count - 1 && position >= files->end[file])
        file++;
    frames->from = frames->have = 0;
    frames->ended = false;
    frames->astray = true; /* a frame may begin before it */
    ct_status status = frames_open_file(frames, file, err);
    if (status != CT_OK) return status;
    return ct_byte_stream_seek(&frames->stream, position - (file > 0 ? files->end[file - 1] : 0),
                               err);
}

void ct_vdif_frames_close(ct_vdif_frames *frames)
{
    ct_byte_stream_close(&frames->stream);
}
