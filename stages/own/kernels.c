/* kernels.c: which kernels a text has, and those that the page names.
 * Room: stages/own. Knows OpenCL C's comments and the word `kernel`. Does not know the rest of it.
 */
#include <ctype.h>
#include <string.h>

#include "keys.h"

enum { KERNELS = 64, NAME = 64 };

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Behind blanks and comments. */
static const char *skip(const char *at)
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

/* The next word, copied; behind it. Other signs are passed over, one at a time, as "". */
static const char *take(const char *at, char word[NAME])
{
    size_t length = 0;
    at = skip(at);
    while (is_word(at[length]))
        length++;
    memcpy(word, at, length < NAME ? length : 0);
    word[length < NAME ? length : 0] = 0;
    return at + (length ? length : *at != 0);
}

/* The names behind `kernel [attributes] void`. */
static int list(char names[KERNELS][NAME], const char *text)
{
    char word[NAME];
    int count = 0;
    bool kernel = false;
    while (*text && count < KERNELS) {
        text = take(text, word);
        if (!strcmp(word, "kernel") || !strcmp(word, "__kernel")) {
            kernel = true;
        } else if (kernel && !strcmp(word, "void")) {
            text = take(text, names[count]);
            count += names[count][0] != 0;
            kernel = false;
        }
    }
    return count;
}

void ct_own_check_kernel(ct_own_reader *reader, const char *pointer, const char *text,
                         const char *file, const char *entry)
{
    char names[KERNELS][NAME];
    const char *choices[KERNELS + 1] = {NULL};
    if (!text || !entry || strstr(text, "##")) return; /* names may be pasted together */
    const int count = list(names, text);
    for (int i = 0; i < count; i++) {
        choices[i] = names[i];
        if (!strcmp(names[i], entry)) return;
    }
    const char *near = ct_suggest_nearest(entry, choices);
    if (count == 1) near = names[0];
    ct_own_say(reader, pointer, false, "%s has no kernel \"%.60s\"%s%s%s", file, entry,
               near    ? "; did you mean \""
               : count ? ""
                       : ", nor any other",
               near ? near : "", near ? "\"?" : "");
}
