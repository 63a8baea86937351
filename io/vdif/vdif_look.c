/* vdif_look.c: see vdif_look.h.
 * Room: io/vdif. Knows times of frames. Does not know arrays. */
#include "vdif_look.h"
#include "magic.h"
#include "vdif_levels.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PIPE_LEAST = 65536, PIPE_MOST = 1 << 20, QUIET = 4, MOST_SCANNED = 1 << 16 };

/* The beginning of the frames. */
typedef struct look_scan {
    ct_vdif_look *out;
    ct_vdif_frames frames;
    bool seen[CT_VDIF_THREADS];
    int64_t threads, quiet; /* frame numbers since the last thread that was new */
    int64_t second, most;   /* the first second, its highest frame number */
    int64_t after;          /* frames of the second that follows */
} look_scan;

int64_t ct_vdif_look_set(const ct_vdif_look *look, const ct_vdif *header)
{
    if (header->frame >= look->sets_s) return -1;
    return ct_vdif_second(header) * look->sets_s + header->frame;
}

/* ---- the kind of frames */

ct_status ct_vdif_look_kind(const ct_vdif *header, const char *file, ct_error *err)
{
    const int64_t bits = ct_vdif_sample_bits(header), payload = header->bytes - header->head;
    if (ct_vdif_type(header->bits, header->complex) == CT_NONE)
        return ct_error_add(err, CT_DATA,
                            "%s: expected numbers of 1, 2, 4, 8 or 16 bits, found %" PRId64, file,
                            header->bits);
    if (header->edv == 0xab)
        return ct_error_add(err, CT_DATA,
                            "%s: expected VDIF payloads, found those of Mark 5B (EDV 0xab), which "
                            "are not read",
                            file);
    if (payload * 8 % bits != 0)
        return ct_error_add(err, CT_DATA,
                            "%s: expected whole samples of %" PRId64
                            " bits in a frame, found a payload of %" PRId64 " bytes",
                            file, bits, payload);
    return CT_OK;
}

static ct_status look_first(ct_vdif_look *out, const char *file, const char *found, ct_error *err)
{
    if (!ct_vdif_read(&out->header, out->first))
        return ct_error_add(err, CT_DATA, "%s: expected VDIF frames, found %s", file, found);
    const ct_status status = ct_vdif_look_kind(&out->header, file, err);
    if (status != CT_OK) return status;
    out->payload = out->header.bytes - out->header.head;
    out->samples = out->payload * 8 / ct_vdif_sample_bits(&out->header);
    return CT_OK;
}

/* ---- files */

static ct_status look_file(ct_vdif_look *out, ct_input *in, int64_t i, ct_error *err)
{
    ct_vdif_files *files = &out->files;
    ct_status status = ct_input_open(in, files->file[i], err);
    if (status != CT_OK) return status;
    files->end[i] = in->size + (i > 0 ? files->end[i - 1] : 0);
    if (i == 0) {
        const size_t bytes = in->size < CT_VDIF_HEADER ? (size_t)in->size : CT_VDIF_HEADER;
        status = ct_input_read(in, 0, out->first, bytes, err);
        if (status == CT_OK) status = look_first(out, in->file, ct_magic_name(in), err);
        if (status == CT_OK && out->header.bytes > in->size && files->follow_s < 0)
            status = ct_error_add(err, CT_DATA,
                                  "%s: expected a frame of %" PRId64 " bytes, found %" PRId64
                                  " bytes in all",
                                  in->file, out->header.bytes, in->size);
    }
    ct_input_close(in);
    return status;
}

/* "files" is a name or a list; what is no file has to be the only one. */
static ct_status look_files(ct_vdif_look *out, ct_step *step, ct_error *err)
{
    ct_vdif_files *files = &out->files;
    const ct_value *value = ct_step_value(step, "files");
    const bool list = ct_value_kind(value) == CT_LIST;
    *files = (ct_vdif_files){.pipe = -1,
                             .count = list ? (int64_t)ct_value_count(value) : 1,
                             .follow_s = ct_byte_stream_follow(step)};
    files->file = ct_step_alloc(step, (size_t)(files->count + 1) * sizeof *files->file);
    files->end = ct_step_alloc(step, (size_t)(files->count + 1) * sizeof *files->end);
    if (!files->file || !files->end) return CT_FAILED;
    for (int64_t i = 0; i < files->count; i++) {
        const char *name = ct_value_text(list ? ct_value_at(value, (size_t)i) : value, NULL);
        if (!name) return ct_step_fail(step, "files", err, "expected names of files");
        files->file[i] =
            strcmp(name, "-") == 0 ? CT_BYTE_STREAM_STDIN : ct_step_resolve(step, name);
        ct_step_reads(step, "files", files->file[i]);
        files->endless |= ct_byte_stream_streams(files->file[i]);
    }
    if (files->count == 0) return ct_step_fail(step, "files", err, "expected at least one file");
    if (files->endless && files->count > 1)
        return ct_step_fail(step, "files", err, "expected files, or one pipe, found both");
    return CT_OK;
}

/* ---- the first frames */

static void look_count(look_scan *scan, const ct_vdif *header)
{
    const int64_t second = ct_vdif_second(header);
    if (!scan->seen[header->thread]) {
        scan->seen[header->thread] = true;
        scan->threads++;
        scan->quiet = 0;
    }
    if (second == scan->second && header->frame > scan->most) scan->most = header->frame;
    if (second == scan->second + 1) scan->after++;
}

/* Until no more threads come, and, where nothing says the rate, frame numbers begin anew. */
static ct_status look_scan_frames(look_scan *scan, bool rate_known, ct_error *err)
{
    ct_vdif header;
    const uint8_t *at = NULL;
    int64_t before = -1, scanned = 0;
    ct_status status = CT_OK;
    scan->second = ct_vdif_second(&scan->out->header);
    for (; status == CT_OK; ct_vdif_frames_take(&scan->frames)) {
        status = ct_vdif_frames_peek(&scan->frames, &header, &at, err);
        if (status != CT_OK || !at) break;
        scan->quiet += header.frame != before;
        before = header.frame;
        look_count(scan, &header);
        const bool all = scan->quiet > QUIET || ++scanned > MOST_SCANNED;
        if (all && (rate_known || scan->after > scan->out->reorder * scan->threads)) break;
    }
    return status;
}

static ct_status look_rewind(look_scan *scan, ct_error *err)
{
    if (scan->frames.files) return ct_vdif_frames_seek(&scan->frames, 0, err);
    scan->frames.from = 0;
    return CT_OK;
}

/* A set is not so far from another one of these. */
static bool look_near(const ct_vdif_look *look, int64_t a, int64_t b)
{
    return a - b <= look->reorder && b - a <= look->reorder;
}

/* The earliest of the first frames. */
static ct_status look_begin(look_scan *scan, ct_error *err)
{
    ct_vdif header;
    const uint8_t *at = NULL;
    ct_vdif_look *out = scan->out;
    const int64_t first = ct_vdif_look_set(out, &out->header);
    out->begin = first;
    if (first < 0)
        return ct_error_add(err, CT_DATA,
                            "%s: expected frame numbers below %" PRId64
                            ", by the sample rate, found %" PRId64 ": give sample_rate_hz",
                            out->files.file[0], out->sets_s, out->header.frame);
    ct_status status = look_rewind(scan, err);
    const int64_t most = 2 * out->reorder * scan->threads;
    for (int64_t i = 0; status == CT_OK && i < most; i++, ct_vdif_frames_take(&scan->frames)) {
        status = ct_vdif_frames_peek(&scan->frames, &header, &at, err);
        if (status != CT_OK || !at) break;
        const int64_t set = ct_vdif_look_set(out, &header);
        if (set >= 0 && set < out->begin && look_near(out, set, first)) out->begin = set;
    }
    return status;
}

/* The latest of the last ones; a time that no neighbour is near to is wrong. */
static ct_status look_end(look_scan *scan, ct_error *err)
{
    ct_vdif header;
    const uint8_t *at = NULL;
    ct_vdif_look *out = scan->out;
    const ct_vdif_files *files = &out->files;
    const int64_t tail = (2 * out->reorder + 2) * scan->threads * out->header.bytes;
    const int64_t end = files->end[files->count - 1];
    int64_t before = ct_vdif_look_set(out, &out->header), last = out->begin;
    ct_status status = ct_vdif_frames_seek(&scan->frames, end > tail ? end - tail : 0, err);
    for (; status == CT_OK; ct_vdif_frames_take(&scan->frames)) {
        status = ct_vdif_frames_peek(&scan->frames, &header, &at, err);
        if (status != CT_OK || !at) break;
        const int64_t set = ct_vdif_look_set(out, &header);
        if (set > last && look_near(out, set, before)) last = set;
        before = set;
    }
    out->sets = last - out->begin + 1;
    return status;
}

/* ---- the rate */

static ct_status look_set_rate(look_scan *scan, ct_step *step, ct_error *err)
{
    ct_vdif_look *out = scan->out;
    const bool given = ct_step_value(step, "sample_rate_hz") != NULL;
    const double rate = given ? ct_step_real(step, "sample_rate_hz") : (double)out->header.rate_hz;
    if (!given && out->header.rate_hz == 0 && scan->after > 0) {
        out->sets_s = scan->most + 1;
        return CT_OK;
    }
    if (!given && out->header.rate_hz == 0)
        return ct_step_fail(step, "files", err,
                            "%s: its headers say no sample rate, and it ends before its frame "
                            "numbers begin anew: give sample_rate_hz",
                            out->files.file[0]);
    const double sets_s = rint(rate / (double)out->samples);
    if (!(sets_s >= 1) || sets_s > CT_VDIF_FRAMES_S ||
        fabs(sets_s * (double)out->samples - rate) > 1e-9 * rate)
        return ct_step_fail(step, given ? "sample_rate_hz" : "files", err,
                            "expected a whole number of frames of %" PRId64
                            " samples a second, 1 to %d, found %.15g samples a second%s",
                            out->samples, CT_VDIF_FRAMES_S, rate,
                            given ? "" : ": give sample_rate_hz");
    out->sets_s = (int64_t)sets_s;
    return CT_OK;
}

/* ---- threads */

static void look_print_threads(const look_scan *scan, char *out, size_t room)
{
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < CT_VDIF_THREADS && used < room - 8; i++)
        if (scan->seen[i]) used += (size_t)snprintf(out + used, room - used, " %d", i);
}

static ct_status look_add_thread(look_scan *scan, ct_step *step, const ct_value *id, ct_error *err)
{
    char found[128];
    ct_vdif_look *out = scan->out;
    const int64_t thread = ct_value_int(id, -1);
    look_print_threads(scan, found, sizeof found);
    if (thread < 0 || thread >= CT_VDIF_THREADS || !scan->seen[thread])
        return ct_step_fail(step, "threads", err, "expected some of%s, which %s has", found,
                            out->files.file[0]);
    if (out->place[thread] >= 0)
        return ct_step_fail(step, "threads", err, "expected each once, found %" PRId64 " twice",
                            thread);
    out->thread[out->threads] = (int16_t)thread;
    out->place[thread] = (int16_t)out->threads++;
    return CT_OK;
}

/* Those that the node lists, in its order, or all. */
static ct_status look_threads(look_scan *scan, ct_step *step, ct_error *err)
{
    ct_vdif_look *out = scan->out;
    const ct_value *list = ct_step_value(step, "threads");
    ct_status status = CT_OK;
    out->in_set = scan->threads;
    for (int i = 0; i < CT_VDIF_THREADS; i++)
        out->place[i] = -1;
    for (int16_t i = 0; !list && i < CT_VDIF_THREADS; i++) {
        if (!scan->seen[i]) continue;
        out->thread[out->threads] = i;
        out->place[i] = (int16_t)out->threads++;
    }
    if (list && ct_value_kind(list) != CT_LIST)
        return ct_step_fail(step, "threads", err, "expected a list of threads: [0, 1]");
    for (size_t i = 0; status == CT_OK && list && i < ct_value_count(list); i++)
        status = look_add_thread(scan, step, ct_value_at(list, i), err);
    if (status == CT_OK && out->threads == 0)
        return ct_step_fail(step, "threads", err, "expected at least one");
    return status;
}

/* ---- all of it */

static ct_status look_at_frames(look_scan *scan, ct_step *step, ct_error *err)
{
    ct_vdif_look *out = scan->out;
    const double most = 1e15;
    const bool rate_known = ct_step_value(step, "sample_rate_hz") || out->header.rate_hz > 0;
    ct_status status = look_scan_frames(scan, rate_known, err);
    if (status == CT_OK && scan->threads == 0)
        return ct_error_add(err, CT_DATA, "%s: expected a frame of %" PRId64 " bytes, found fewer",
                            out->files.file[0], out->header.bytes);
    if (status == CT_OK) status = look_set_rate(scan, step, err);
    if (status == CT_OK) status = look_threads(scan, step, err);
    if (status == CT_OK) status = look_begin(scan, err);
    if (status == CT_OK && !out->files.endless) status = look_end(scan, err);
    if (status == CT_OK && (double)out->sets * (double)out->samples > most)
        return ct_error_add(err, CT_DATA,
                            "%s: expected at most 1e15 samples, found times for %" PRId64
                            " frames of %" PRId64 " samples",
                            out->files.file[0], out->sets, out->samples);
    return status;
}

/* A pipe's first bytes stay in it. */
static ct_status look_at_pipe(ct_vdif_look *out, look_scan *scan, ct_step *step, ct_error *err)
{
    size_t got = 0;
    const char *file = out->files.file[0];
    if (ct_byte_stream_waits(file) && !ct_step_may_wait(step))
        return ct_byte_stream_leave(step, file);
    uint8_t *bytes = ct_step_alloc(step, PIPE_MOST + CT_VDIF_HEADER);
    if (!bytes) return CT_FAILED;
    ct_status status = ct_byte_stream_peek_named(step, file, bytes, PIPE_LEAST, PIPE_MOST, &got,
                                                 &out->files.pipe, err);
    if (status != CT_OK) return status;
    memcpy(out->first, bytes, CT_VDIF_HEADER);
    status = look_first(out, file, "something else", err);
    if (status != CT_OK) return status;
    ct_vdif_frames_of(&scan->frames, step, bytes, got, out->first);
    return look_at_frames(scan, step, err);
}

static ct_status look_at_files(ct_vdif_look *out, look_scan *scan, ct_step *step, ct_error *err)
{
    ct_status status = CT_OK;
    ct_input *in = ct_step_alloc(step, sizeof *in);
    if (!in) return CT_FAILED;
    for (int64_t i = 0; status == CT_OK && i < out->files.count; i++)
        status = look_file(out, in, i, err);
    if (status != CT_OK) return status;
    ct_vdif_files now = out->files;
    now.follow_s = -1; /* what is there now is looked at */
    status = ct_vdif_frames_open(&scan->frames, step, &now, out->first, err);
    if (status == CT_OK) status = look_at_frames(scan, step, err);
    ct_vdif_frames_close(&scan->frames);
    return status;
}

ct_status ct_vdif_look_at(ct_vdif_look *out, ct_step *step, ct_error *err)
{
    look_scan *scan = ct_step_alloc(step, sizeof *scan);
    if (!scan) return CT_FAILED;
    scan->out = out;
    out->reorder = ct_step_int(step, "reorder");
    ct_status status = look_files(out, step, err);
    if (status != CT_OK) return status;
    const bool pipe = out->files.endless;
    out->files.endless |= out->files.follow_s >= 0;
    status = pipe ? look_at_pipe(out, scan, step, err) : look_at_files(out, scan, step, err);
    if (out->files.endless) out->sets = -1;
    return status;
}
