/* vdif_frames.h: the frames of one or several files, a pipe, or bytes in memory, one after the
 * other; what is no frame of their kind is passed over.
 * Room: io/vdif. Knows where frames begin. Does not know times or threads. */
#ifndef CT_IO_VDIF_FRAMES_H
#define CT_IO_VDIF_FRAMES_H
#include "byte_stream.h"
#include "vdif.h"

/* Files as one, so that a frame may begin in one and end in the next. */
typedef struct ct_vdif_files {
    const char **file;
    int64_t *end; /* byte after each, of all; not of a pipe, or the last one of those that grow */
    int64_t count;
    double follow_s; /* of the last */
    bool endless;    /* their length is not known */
    int pipe;        /* which is open already, and stays so; -1: it is files */
} ct_vdif_files;

typedef struct ct_vdif_frames {
    ct_step *step;
    const ct_vdif_files *files; /* NULL: what is in the buffer is all */
    uint8_t first[CT_VDIF_HEADER];
    int64_t bytes; /* of a frame */
    ct_byte_stream stream;
    int64_t open; /* the file; -1: none */
    uint8_t *buffer;
    size_t room, from, have; /* from, have: where what is not taken yet begins and ends */
    int64_t read;            /* bytes so far */
    bool ended;              /* no more comes into the buffer */
    bool astray;             /* what was looked at last was no frame */
    int64_t foreign, torn;   /* stretches that are no frames; bytes of an incomplete last one */
} ct_vdif_frames;

/* Frames like this one. Memory comes from the step. */
ct_status ct_vdif_frames_open(ct_vdif_frames *out, ct_step *step, const ct_vdif_files *files,
                              const uint8_t *first, ct_error *err);
/* Instead of files: as much memory, borrowed, with a header's room after it. */
void ct_vdif_frames_of(ct_vdif_frames *out, ct_step *step, uint8_t *bytes, size_t count,
                       const uint8_t *first);
/* The next frame, whose payload follows `head` bytes after *at, which is NULL at the end. It stays
 * the next one until it is taken. */
ct_status ct_vdif_frames_peek(ct_vdif_frames *frames, ct_vdif *header, const uint8_t **at,
                              ct_error *err);
/* The header of the frame that follows right after it; false: there is none. */
ct_status ct_vdif_frames_after(ct_vdif_frames *frames, ct_vdif *header, bool *there, ct_error *err);
void ct_vdif_frames_take(ct_vdif_frames *frames);
/* Goes on with the frame that begins at this byte of all files, or the first one after it. */
ct_status ct_vdif_frames_seek(ct_vdif_frames *frames, int64_t position, ct_error *err);
void ct_vdif_frames_close(ct_vdif_frames *frames);

#endif
