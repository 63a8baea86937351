/* lofar_sequential.h: files of a lane that are read once and in order, one after the other: pipes,
 * files that grow, files that zstd has compressed (.zst).
 * Room: io/lofar. Knows files. Does not know packets. */
#ifndef CT_IO_LOFAR_SEQUENTIAL_H
#define CT_IO_LOFAR_SEQUENTIAL_H
#include "byte_stream.h"

typedef struct ct_sequential {
    ct_step *step;
    const char *const *file; /* borrowed */
    int64_t files, present;
    const int *handle; /* of pipes that are open; -1: by their name */
    double follow_s;   /* of the last one; below 0: it does not grow */
    ct_byte_stream bytes;
    bool open, packed; /* the present one; and compressed */
    bool inside;       /* a frame of zstd's */
    void *unpacker;    /* zstd's; NULL until there is something to unpack */
    uint8_t *window;   /* compressed bytes */
    size_t used, have; /* of them */
} ct_sequential;

/* Whether one of these has to be read so. */
bool ct_sequential_needed(const char *const *file, int64_t files);
void ct_sequential_open(ct_sequential *stream, ct_step *step, const char *const *file,
                        int64_t files, const int *handle, double follow_s);
/* A ct_lofar_input_pull of a ct_sequential. */
ct_status ct_sequential_pull(void *of, uint8_t *to, size_t room, size_t *got, ct_error *err);
void ct_sequential_close(ct_sequential *stream); /* twice is allowed */

#endif
