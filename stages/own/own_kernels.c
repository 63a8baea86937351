/* own_kernels.c: which kernels a text has, and those that the page names.
 * Room: stages/own. Knows OpenCL C's comments and the word `kernel`. Does not know the rest of it.
 */
#include <stdio.h>
#include <string.h>

#include "kernels.h"
#include "keys.h"

enum { KERNELS = 64, NAME = 64 };

static int list(char names[KERNELS][NAME], const char *text)
{
    ct_kernel kernel;
    int count = 0;
    while (count < KERNELS && ct_kernels_next(&text, &kernel))
        snprintf(names[count++], NAME, "%.*s", (int)kernel.length, kernel.name);
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
