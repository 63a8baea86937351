/* describe_own.h: files of this program that hold no array, for `cornerturn info FILE`: pipelines,
 * plans, journals, measurements, candidates, pictures.
 * Room: io. Knows how they begin and what their members are called. Does not know who writes them.
 */
#ifndef CT_IO_DESCRIBE_OWN_H
#define CT_IO_DESCRIBE_OWN_H
#include "input.h"

#include <stdio.h>

/* *known: it is one, and lines about it were printed. */
ct_status ct_describe_own(bool *known, FILE *out, ct_input *in, ct_error *err);
/* The same of a folder that is a Measurement Set; false: it is none. */
bool ct_describe_folder(FILE *out, const char *folder);

#endif
