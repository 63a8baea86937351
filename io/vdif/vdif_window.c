/* vdif_window.c: see vdif_window.h.
 * Room: io/vdif. Knows times of frames and threads. Does not know arrays. */
#include "vdif_window.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

ct_status ct_vdif_window_open(ct_vdif_window *out, ct_step *step, const ct_vdif_look *look,
                              double max_gap_s, ct_error *err)
{
    const size_t frames = (size_t)(look->reorder * look->threads);
    const double gap = max_gap_s * (double)look->sets_s;
    *out = (ct_vdif_window){
        .look = look, .newest = -1, .gap = gap < 1e18 ? (int64_t)ceil(gap) : INT64_MAX};
    out->payload = ct_step_alloc(step, frames * (size_t)look->payload);
    out->have = ct_step_alloc(step, frames);
    if (!out->payload || !out->have) return CT_FAILED;
    return ct_vdif_frames_open(&out->frames, step, &look->files, look->first, err);
}

/* ---- a frame */

static size_t window_place(const ct_vdif_window *window, int64_t set, int64_t thread)
{
    return (size_t)(set % window->look->reorder * window->look->threads + thread);
}

static void window_store(ct_vdif_window *window, int64_t set, const ct_vdif *header,
                         const uint8_t *frame)
{
    const int64_t thread = window->look->place[header->thread];
    if (set > window->newest) window->newest = set;
    window->resumed = false;
    if (thread < 0) return;
    const size_t place = window_place(window, set, thread), bytes = (size_t)window->look->payload;
    window->counts.repeated += window->have[place] != CT_VDIF_NONE;
    if (window->have[place] != CT_VDIF_NONE) return;
    window->have[place] = header->invalid ? CT_VDIF_INVALID : CT_VDIF_THERE;
    window->counts.frames++;
    window->counts.invalid += header->invalid;
    memcpy(window->payload + place * bytes, frame + header->head, bytes);
}

/* A time that is far ahead counts if the frame after it is near. */
static ct_status window_confirm(ct_vdif_window *window, const ct_vdif *header, int64_t set,
                                bool *right, ct_error *err)
{
    ct_vdif after;
    const ct_vdif_look *look = window->look;
    if (set <= window->newest + look->reorder) return CT_OK;
    ct_status status = ct_vdif_frames_after(&window->frames, &after, right, err);
    if (status != CT_OK || !*right) return status;
    const int64_t other = ct_vdif_look_set(look, &after);
    const int64_t apart = other - look->begin - set;
    *right = other >= 0 && apart <= look->reorder && apart >= -look->reorder;
    if (!*right || set - window->newest - 1 <= window->gap) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: %.6g s without frames before thread %" PRId64 ", second %" PRId64
                        ", frame %" PRId64 ": expected at most %.6g (\"max_gap_s\")",
                        look->files.file[window->frames.open],
                        (double)(set - window->newest - 1) / (double)look->sets_s, header->thread,
                        header->second, header->frame, (double)window->gap / (double)look->sets_s);
}

/* ---- a set */

static bool window_is_whole(const ct_vdif_window *window)
{
    const uint8_t *have = window->have + window_place(window, window->next, 0);
    return memchr(have, CT_VDIF_NONE, (size_t)window->look->threads) == NULL;
}

/* One frame more, but not one that is too late to wait for: *later. */
static ct_status window_fill(ct_vdif_window *window, bool *later, ct_error *err)
{
    ct_vdif header;
    const uint8_t *at;
    const ct_vdif_look *look = window->look;
    ct_status status = ct_vdif_frames_peek(&window->frames, &header, &at, err);
    *later = false;
    if (status != CT_OK || !at) {
        window->over = status == CT_OK;
        return status;
    }
    const int64_t number = ct_vdif_look_set(look, &header), set = number - look->begin;
    bool right = number >= 0;
    if (right && set >= window->next + look->reorder) {
        status = window_confirm(window, &header, set, &right, err);
        *later = right;
        if (status != CT_OK || right) return status;
    }
    window->counts.wrong += !right;
    if (right && set < window->next)
        window->counts.late += !window->resumed;
    else if (right)
        window_store(window, set, &header, at);
    ct_vdif_frames_take(&window->frames);
    return CT_OK;
}

ct_status ct_vdif_window_ready(ct_vdif_window *window, ct_error *err)
{
    const ct_vdif_look *look = window->look;
    bool later = false, ended = false;
    ct_status status = CT_OK;
    window->over = look->sets >= 0 && window->next >= look->sets;
    if (window->over) return CT_OK;
    while (status == CT_OK && !later && !ended && !window_is_whole(window)) {
        status = window_fill(window, &later, err);
        ended = window->over;
    }
    window->over = ended && look->sets < 0 && window->next > window->newest;
    return status;
}

ct_vdif_frame ct_vdif_window_frame(const ct_vdif_window *window, int64_t thread,
                                   const uint8_t **payload)
{
    const size_t place = window_place(window, window->next, thread);
    *payload = window->payload + place * (size_t)window->look->payload;
    return window->have[place];
}

void ct_vdif_window_take(ct_vdif_window *window)
{
    const int64_t threads = window->look->threads;
    for (int64_t thread = 0; thread < threads; thread++) {
        uint8_t *have = &window->have[window_place(window, window->next, thread)];
        window->counts.lost += *have == CT_VDIF_NONE;
        *have = CT_VDIF_NONE;
    }
    window->next++;
}

/* ---- another place */

/* The latest of a few frames from a byte on; below 0: there is none. */
static ct_status window_set_at(ct_vdif_window *window, int64_t position, int64_t *set,
                               ct_error *err)
{
    ct_vdif header;
    const uint8_t *at = NULL;
    const ct_vdif_look *look = window->look;
    *set = -1;
    ct_status status = ct_vdif_frames_seek(&window->frames, position, err);
    for (int64_t i = 0; status == CT_OK && i < 2 * look->in_set; i++) {
        status = ct_vdif_frames_peek(&window->frames, &header, &at, err);
        if (status != CT_OK || !at) break;
        const int64_t here = ct_vdif_look_set(look, &header) - look->begin;
        if (here > *set) *set = here;
        ct_vdif_frames_take(&window->frames);
    }
    return status;
}

/* Where no frame is missing a set begins after so many; where some are, earlier. */
ct_status ct_vdif_window_seek(ct_vdif_window *window, int64_t set, ct_error *err)
{
    const ct_vdif_look *look = window->look;
    const int64_t bytes = look->in_set * look->header.bytes, target = set - 2 * look->reorder;
    const int64_t end = look->files.end[look->files.count - 1];
    int64_t position = target < end / bytes ? target * bytes : end, here = target + 1;
    ct_status status = CT_OK;
    if (look->sets < 0)
        return ct_error_add(err, CT_DATA, "%s: is read in order, and cannot be taken up again",
                            look->files.file[0]);
    while (status == CT_OK && position > 0) {
        status = window_set_at(window, position, &here, err);
        if (here >= 0 && here <= target) break;
        const int64_t back = here < 0 ? look->reorder : here - target;
        position = back < position / bytes ? position - back * bytes : 0;
    }
    if (status == CT_OK)
        status = ct_vdif_frames_seek(&window->frames, position > 0 ? position : 0, err);
    memset(window->have, CT_VDIF_NONE, (size_t)(look->reorder * look->threads));
    window->next = set;
    window->newest = set - 1;
    window->resumed = true;
    return status;
}

/* ---- its end */

void ct_vdif_window_say(const ct_vdif_window *window, const char *node)
{
    const ct_vdif_counts *counts = &window->counts;
    const struct {
        int64_t count;
        const char *said;
    } rows[] = {{counts->lost, "frames missing (zero, flagged)"},
                {counts->invalid, "frames marked as invalid (zero, flagged)"},
                {counts->late, "frames too late to be put in order"},
                {counts->repeated, "frames repeated (the first one counts)"},
                {counts->wrong, "frames without a plausible time"},
                {window->frames.foreign, "stretches that are no frames of this kind"},
                {window->frames.torn, "bytes of an incomplete last frame left out"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].count > 0)
            fprintf(stderr, "%s: %s: %" PRId64 " %s\n", node, window->look->files.file[0],
                    rows[i].count, rows[i].said);
}

void ct_vdif_window_close(ct_vdif_window *window)
{
    ct_vdif_frames_close(&window->frames);
}
