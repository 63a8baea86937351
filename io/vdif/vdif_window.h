/* vdif_window.h: sets of frames in order of time, of frames that come a little out of order, twice,
 * or not at all.
 * Room: io/vdif. Knows times of frames and threads. Does not know arrays. */
#ifndef CT_IO_VDIF_WINDOW_H
#define CT_IO_VDIF_WINDOW_H
#include "vdif_look.h"

typedef enum ct_vdif_frame { CT_VDIF_NONE, CT_VDIF_THERE, CT_VDIF_INVALID } ct_vdif_frame;

typedef struct ct_vdif_counts {
    int64_t frames, lost, invalid, late, repeated, wrong;
} ct_vdif_counts;

typedef struct ct_vdif_window {
    const ct_vdif_look *look;
    ct_vdif_frames frames;
    uint8_t *payload; /* [set % reorder][thread] */
    uint8_t *have;    /* the same: ct_vdif_frame */
    int64_t next;     /* the set that is given next, from look->begin on */
    int64_t newest;   /* of which a frame has come; -1: none */
    int64_t gap;      /* sets that may be missing in a row */
    bool over;        /* nothing comes any more */
    bool resumed;     /* frames before `next` were taken in an earlier run */
    ct_vdif_counts counts;
} ct_vdif_window;

/* Memory comes from the step. */
ct_status ct_vdif_window_open(ct_vdif_window *out, ct_step *step, const ct_vdif_look *look,
                              double max_gap_s, ct_error *err);
/* Waits until the next set is there, or what is missing of it will not come; window->over where
 * there is none. */
ct_status ct_vdif_window_ready(ct_vdif_window *window, ct_error *err);
/* Of the next set. */
ct_vdif_frame ct_vdif_window_frame(const ct_vdif_window *window, int64_t thread,
                                   const uint8_t **payload);
/* The next set is done with. */
void ct_vdif_window_take(ct_vdif_window *window);
ct_status ct_vdif_window_seek(ct_vdif_window *window, int64_t set, ct_error *err);
/* Prints what was not as it should be. */
void ct_vdif_window_say(const ct_vdif_window *window, const char *node);
void ct_vdif_window_close(ct_vdif_window *window);

#endif
