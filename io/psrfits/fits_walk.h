/* fits_walk.h: whether a FITS file's headers can be believed, before a library does.
 * Room: io/psrfits. Knows cards and sizes. Does not know tables. */
#ifndef CT_IO_FITS_WALK_H
#define CT_IO_FITS_WALK_H
#include "input.h"

/* Every header ends, says sizes that fit the file, and no more columns than there can be; CT_DATA
 * names the keyword. */
ct_status ct_fits_walk(ct_input *in, ct_error *err);

#endif
