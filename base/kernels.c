/* kernels.c: finds the kernels in a text of OpenCL C.
 * Room: base. */
#include "kernels.h"

#include <ctype.h>
#include <string.h>

/* After blanks and comments. */
static const char *kernels_skip(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

static size_t kernels_word(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static bool kernels_is(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

/* `kernel`, perhaps attributes, `void`, the name. */
bool ct_kernels_next(const char **at, ct_kernel *out)
{
    const char *begin = NULL;
    for (;;) {
        const char *word = kernels_skip(*at);
        const size_t length = kernels_word(word);
        if (!*word) return false;
        *at = word + (length ? length : 1);
        if (kernels_is(word, length, "kernel") || kernels_is(word, length, "__kernel")) {
            begin = word;
        } else if (begin && kernels_is(word, length, "void")) {
            const char *name = kernels_skip(*at);
            *out = (ct_kernel){begin, name, kernels_word(name)};
            if (out->length) return true;
            begin = NULL;
        }
    }
}
