/* ms_keep.h: a folder of tables as a later run can restore it: small files are copied, those that
 * only grow (tiles of columns) are remembered by their length. Room: io/ms. Knows POSIX files and
 * casacore's names. Does not know what tables hold. */
#ifndef CT_IO_MS_KEEP_H
#define CT_IO_MS_KEEP_H
#include "cornerturn_stage.h"

typedef struct ct_ms_keep {
    ct_step *step;    /* whose memory it takes */
    const char *file; /* as the user says, for messages */
    int folder;       /* open */
    uint8_t *image;
    size_t bytes, room;
} ct_ms_keep;

/* What no table has: room on the disk. */
#define CT_MS_RESERVE ".cornerturn.reserve"

/* All that is in the folder now, as keep->image. */
ct_status ct_ms_keep_take(ct_ms_keep *keep, ct_error *err);
/* The folder has what it had then, and nothing else. */
ct_status ct_ms_keep_restore(ct_ms_keep *keep, const void *data, size_t bytes, ct_error *err);

#endif
