/* h5parm_format.c: how files of solutions are recognized and described; stages read them by
 * ct_h5parm_load, and no source does.
 * Room: io/h5parm. Knows how HDF5 files begin. Does not know what is in them. */
#include "format.h"
#include "h5parm.h"
#include <string.h>

static bool h5parm_begins(const uint8_t *start, size_t bytes)
{
    (void)bytes;
    return memcmp(start, "\x89HDF\r\n\x1a\n", 8) == 0;
}

const ct_format ct_format_h5parm = {
    .name = "H5parm",
    .is = h5parm_begins,
    .holds = ct_h5parm_is,
    .found = "solutions of a calibration (H5parm), which \"gains\" of stage delay takes",
    .describe = ct_h5parm_describe};
