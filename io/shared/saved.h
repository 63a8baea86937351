/* saved.h: what a sink of several files remembers for a later run: parts, one after the other.
 * Room: io/shared. Does not know formats. */
#ifndef CT_IO_SAVED_H
#define CT_IO_SAVED_H
#include "cornerturn_stage.h"

typedef struct ct_saved {
    ct_step *step; /* whose memory it is */
    uint8_t *data;
    size_t bytes, room;
} ct_saved;

/* Forgets what it had; memory stays. */
void ct_saved_begin(ct_saved *saved, ct_step *step);
/* CT_FAILED: there is no memory. */
ct_status ct_saved_add(ct_saved *saved, const void *data, size_t bytes);
/* The next part of what was saved; false: it is not whole. */
bool ct_saved_next(const uint8_t **at, const uint8_t *end, const void **data, size_t *bytes);

#endif
