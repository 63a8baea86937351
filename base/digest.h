/* digest.h: SHA-256 of a text or a file, to tell whether two are the same without keeping them.
 * Room: base. Does not know what the text says. */
#ifndef CT_BASE_DIGEST_H
#define CT_BASE_DIGEST_H
#include <stddef.h>

#include "cornerturn.h"

enum { CT_DIGEST_SIZE = 65 /* 64 hexadecimal digits, terminated */ };

void ct_digest_text(char out[CT_DIGEST_SIZE], const char *text, size_t length);
/* Of all that a regular file holds, however long it is. */
ct_status ct_digest_file(char out[CT_DIGEST_SIZE], const char *file, ct_error *err);

#endif
