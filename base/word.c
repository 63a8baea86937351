/* word.c: lists of words separated by blanks, as descriptors have them: "none mean".
 * Room: base. Does not know what the words stand for. */
#include "word.h"

#include <string.h>

bool ct_word_at(const char *list, int n, char *out, size_t size)
{
    for (const char *at = list ? list : "";; n--) {
        size_t length;
        at += strspn(at, " ");
        length = strcspn(at, " ");
        if (!length) return false;
        if (n == 0) {
            length = length < size ? length : size - 1;
            memcpy(out, at, length);
            out[length] = 0;
            return true;
        }
        at += length;
    }
}

int ct_word_find(const char *list, const char *word)
{
    char other[64];
    for (int n = 0; ct_word_at(list, n, other, sizeof other); n++)
        if (!strcmp(other, word)) return n;
    return -1;
}
