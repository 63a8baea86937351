/* byte_stream.h: bytes in order, from standard input, a pipe, or a file that somebody still writes
 * to.
 * Room: io/shared. Knows POSIX files. Does not know formats. */
#ifndef CT_IO_BYTE_STREAM_H
#define CT_IO_BYTE_STREAM_H
#include "input.h"

#define CT_BYTE_STREAM_STDIN "/dev/stdin" /* what "file": "-" of a source means */

typedef struct ct_byte_stream {
    const ct_step *step; /* whose run may be told to stop */
    const char *file;    /* for messages; borrowed */
    int fd;              /* -1: not open */
    bool grows;          /* the end may not be the end */
    double follow_s;     /* then: how long nothing comes until it is; 0: there is none */
} ct_byte_stream;

/* How long a source waits at the end of a file that grows; below 0: not at all. */
#define CT_PARAM_FOLLOW                                                                            \
    {                                                                                              \
        "follow_s", CT_PARAM_REAL, NULL, NULL, 0, 1e9,                                             \
            "the file grows: it ends when nothing has come for so long; 0: when the run is "       \
            "stopped"                                                                              \
    }
double ct_byte_stream_follow(const ct_step *step);

/* Standard input, a pipe, a socket: what has no length, and is read once. */
bool ct_byte_stream_streams(const char *file);
/* Whether looking at its first bytes may take as long as somebody likes. */
bool ct_byte_stream_waits(const char *file);
/* What infer() returns if nothing is waited for; says what is not known. */
ct_status ct_byte_stream_leave(ct_step *step, const char *file);
/* The first bytes of standard input, which stay there: as much of them as came before `last` did,
 * or fill a window. ct_input_read() then gives them, and nothing else. */
ct_status ct_byte_stream_peek(ct_input *in, const ct_step *step, const char *last, ct_error *err);

/* The first bytes of a pipe, which stay there: what has come when nothing more does for a tenth of
 * a second, and at least `least` bytes, unless that is all. *handle: the open pipe; the step closes
 * it. */
ct_status ct_byte_stream_peek_named(ct_step *step, const char *file, uint8_t *to, size_t least,
                                    size_t most, size_t *got, int *handle, ct_error *err);

/* A named pipe may not have a writer yet. follow_s below 0: a file ends where it ends now. */
ct_status ct_byte_stream_open(ct_byte_stream *stream, const ct_step *step, const char *file,
                              double follow_s, ct_error *err);
/* Waits for as many bytes; *got is less at the end only. CT_INTERRUPTED, without a sentence, where
 * the run is told to stop. */
ct_status ct_byte_stream_read(ct_byte_stream *stream, void *to, size_t bytes, size_t *got,
                              ct_error *err);
/* The same, but waits for `least` bytes only, and takes what has come beyond them. */
ct_status ct_byte_stream_read_some(ct_byte_stream *stream, void *to, size_t least, size_t most,
                                   size_t *got, ct_error *err);
/* What is read next; of a file. */
ct_status ct_byte_stream_seek(ct_byte_stream *stream, int64_t position, ct_error *err);
void ct_byte_stream_close(ct_byte_stream *stream); /* twice is allowed */

#endif
