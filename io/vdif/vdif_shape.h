/* vdif_shape.h: the frames that an array makes: how many samples in each, which threads, from when
 * on.
 * Room: io/vdif. Knows ports and parameters. Does not know files. */
#ifndef CT_IO_VDIF_SHAPE_H
#define CT_IO_VDIF_SHAPE_H
#include "vdif.h"

typedef struct ct_vdif_shape {
    ct_vdif header;  /* of every frame, but for time, thread and whether it is valid */
    int64_t samples; /* of a frame */
    int64_t sets_s;  /* frames of a thread a second */
    int64_t pols;    /* thread p + pols g is polarization p of the g-th header.channels channels */
    int64_t threads; /* of a station and beam */
    int64_t begin;   /* number of the first frame, from 2000 on */
    int64_t lead;    /* samples of it that are before the stream */
} ct_vdif_shape;

/* Of port 0 and the node's parameters; says what cannot be written. */
ct_status ct_vdif_shape_of(ct_vdif_shape *out, ct_step *step, ct_error *err);
/* Time and thread of one frame. */
void ct_vdif_shape_set(const ct_vdif_shape *shape, ct_vdif *header, int64_t set, int64_t thread);

#endif
