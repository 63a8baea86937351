/* word.h: lists of words separated by blanks, as descriptors have them: "none mean".
 * Room: base. */
#ifndef CT_BASE_WORD_H
#define CT_BASE_WORD_H
#include <stdbool.h>
#include <stddef.h>

/* The n-th word of a list (NULL: an empty one), copied; false beyond the end. */
bool ct_word_at(const char *list, int n, char *out, size_t size);
int ct_word_find(const char *list, const char *word); /* its place; -1 if it is not there */

#endif
