/* file.h: whole files in and out; a file that is written appears only when it is whole.
 * Room: base. File formats have io/shared/output.h. */
#ifndef CT_BASE_FILE_H
#define CT_BASE_FILE_H
#include "cornerturn.h"

/* *out is terminated, released with ct_memory_free. length may be NULL. */
ct_status ct_file_read(char **out, size_t *length, const char *file, ct_error *err);
ct_status ct_file_write(const char *file, const char *text, size_t length, ct_error *err);
/* Whether two names are of one file, or would be once it is there; no for devices and folders. */
bool ct_file_same(const char *a, const char *b);

#endif
