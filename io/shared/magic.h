/* magic.h: what a file is by its first bytes, for sources that were given another kind of file.
 * Room: io/shared. Knows the beginnings of formats. Does not know what is in them. */
#ifndef CT_IO_MAGIC_H
#define CT_IO_MAGIC_H
#include "format.h"

/* The format that this library has of these; *out NULL if it is none. */
ct_status ct_magic_format(const ct_format **out, ct_input *in, ct_error *err);
/* The same of a format that is not called so, as one source of several that begin alike asks; NULL
 * where it is this one or none that is known. */
const char *ct_magic_other(ct_input *in, const char *name);
/* What to say after "found" of these and others; NULL if it is none that is known. */
const char *ct_magic_find(ct_input *in);
/* The same, "another kind of file" if it is none that is known. */
const char *ct_magic_name(ct_input *in);

#endif
