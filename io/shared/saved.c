/* saved.c: see saved.h. Each part has its number of bytes before it.
 * Room: io/shared. Does not know formats. */
#include "saved.h"
#include <string.h>

void ct_saved_begin(ct_saved *saved, ct_step *step)
{
    saved->step = step;
    saved->bytes = 0;
}

ct_status ct_saved_add(ct_saved *saved, const void *data, size_t bytes)
{
    const size_t needed = saved->bytes + sizeof bytes + bytes;
    if (needed > saved->room) {
        uint8_t *room = ct_step_alloc(saved->step, 2 * needed);
        if (!room) return CT_FAILED;
        if (saved->bytes > 0) memcpy(room, saved->data, saved->bytes);
        saved->data = room;
        saved->room = 2 * needed;
    }
    memcpy(saved->data + saved->bytes, &bytes, sizeof bytes);
    if (bytes > 0) memcpy(saved->data + saved->bytes + sizeof bytes, data, bytes);
    saved->bytes = needed;
    return CT_OK;
}

bool ct_saved_next(const uint8_t **at, const uint8_t *end, const void **data, size_t *bytes)
{
    if ((size_t)(end - *at) < sizeof *bytes) return false;
    memcpy(bytes, *at, sizeof *bytes);
    *data = *at += sizeof *bytes;
    if (*bytes > (size_t)(end - *at)) return false;
    *at += *bytes;
    return true;
}
