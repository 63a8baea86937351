/* vdif.h: the header of a VDIF frame, and the time that it says.
 * Room: io/vdif. Knows the words of a header. Does not know files. */
#ifndef CT_IO_VDIF_H
#define CT_IO_VDIF_H
#include "cornerturn_stage.h"

#define CT_VDIF_SYNC 0xACABFEEDu /* word 5 where the extended data say a rate */

enum {
    CT_VDIF_HEADER = 32, /* bytes */
    CT_VDIF_LEGACY = 16, /* of a legacy header */
    CT_VDIF_THREADS = 1024,
    CT_VDIF_CHANNELS = 1 << 22,
    CT_VDIF_SETS = 4096,       /* frames of a thread that are put in order, at most */
    CT_VDIF_FRAMES_S = 1 << 24 /* frames a second: their numbers have 24 bits */
};

typedef struct ct_vdif {
    bool invalid, legacy, complex;
    int64_t second, epoch; /* since a half year after 2000 began; which */
    int64_t frame;         /* in this second */
    int64_t bytes;         /* of all of it */
    int64_t head;          /* of these, the header's */
    int64_t channels, bits, thread, station;
    int64_t edv;     /* extended data version; -1: legacy */
    int64_t rate_hz; /* samples a second of EDV 1 and 3; 0: not said */
} ct_vdif;

/* Of CT_VDIF_HEADER bytes; false: no frame begins so. */
bool ct_vdif_read(ct_vdif *out, const uint8_t *bytes);
/* out->head bytes. */
void ct_vdif_print(uint8_t *bytes, const ct_vdif *header);
/* Bits of a sample: all channels, real and imaginary part. */
int64_t ct_vdif_sample_bits(const ct_vdif *header);
/* Whether what begins at these bytes is a frame of the same kind: all but time and thread. */
bool ct_vdif_alike(const uint8_t *bytes, const uint8_t *first);

/* Seconds since 2000-01-01, leap seconds counted, of a header. */
int64_t ct_vdif_second(const ct_vdif *header);
/* The same of a day (MJD) and a second of it, and back. */
int64_t ct_vdif_elapsed(int64_t day, int64_t second);
void ct_vdif_date(int64_t elapsed, int64_t *day, int64_t *second);
/* The epoch in which this is, and the second of it. */
void ct_vdif_set_second(ct_vdif *header, int64_t elapsed);

#endif
