/* magic.h: what a file is by its first bytes, for sources that were given another kind of file.
 * Room: io/shared. Knows the beginnings of formats. Does not know what is in them. */
#ifndef CT_IO_MAGIC_H
#define CT_IO_MAGIC_H
#include "input.h"

/* NULL where it is none that is known. */
const char *ct_magic_find(ct_input *in);
/* What to say behind "found": "an HDF5 file: ..", and what to do with it; "another kind of file"
 * where it is none that is known. */
const char *ct_magic_name(ct_input *in);

#endif
