/* vdif_look.h: what files of frames hold: their kind, threads, rate, first instant and length.
 * Room: io/vdif. Knows times of frames. Does not know arrays. */
#ifndef CT_IO_VDIF_LOOK_H
#define CT_IO_VDIF_LOOK_H
#include "vdif_frames.h"

/* Frames of all threads with one time are a set. */
typedef struct ct_vdif_look {
    ct_vdif_files files;
    ct_vdif header; /* of the first frame */
    uint8_t first[CT_VDIF_HEADER];
    int64_t payload, samples;        /* of a frame */
    int64_t sets_s;                  /* sets a second */
    int64_t in_set;                  /* threads that the files have */
    int64_t threads;                 /* of these, that are read */
    int16_t place[CT_VDIF_THREADS];  /* of each among these; -1: not read */
    int16_t thread[CT_VDIF_THREADS]; /* and back */
    int64_t begin;                   /* number of the first set, from 2000 on */
    int64_t sets;                    /* in all; -1: not known */
    int64_t reorder;                 /* sets that are kept until the missing frames of one come */
} ct_vdif_look;

/* By the node's parameters; CT_EOF, without a sentence: a pipe that is not to be waited for. */
ct_status ct_vdif_look_at(ct_vdif_look *out, ct_step *step, ct_error *err);
/* The set of a frame, from 2000 on; -1: the frame's number is not possible. */
int64_t ct_vdif_look_set(const ct_vdif_look *look, const ct_vdif *header);
/* Whole samples fill a frame, of bits that are read. */
ct_status ct_vdif_look_kind(const ct_vdif *header, const char *file, ct_error *err);

#endif
