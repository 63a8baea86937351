/* digest.h: SHA-256 of a text, to tell whether two are the same without keeping them.
 * Room: base. Does not know what the text says. */
#ifndef CT_BASE_DIGEST_H
#define CT_BASE_DIGEST_H
#include <stddef.h>

enum { CT_DIGEST_SIZE = 65 /* 64 hexadecimal digits, terminated */ };

void ct_digest_text(char out[CT_DIGEST_SIZE], const char *text, size_t length);

#endif
