/* self.c: see self.h.
 * Room: cli. Knows PATH and what a shell takes as one word. */
#include "self.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char self_exe[] = "/proc/self/exe";

/* In quotes, where it is more than letters; "" where there is no room. */
static void self_quote(char out[CT_SELF_PATH], const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-";
    size_t used = 0;
    if (strlen(word) >= CT_SELF_PATH / 4) word = "";
    if (word[strspn(word, plain)] == 0) {
        snprintf(out, CT_SELF_PATH, "%s", word);
        return;
    }
    out[used++] = '\'';
    for (; *word != 0; word++)
        used += (size_t)snprintf(out + used, CT_SELF_PATH - used, *word == '\'' ? "'\\''" : "%c",
                                 *word);
    snprintf(out + used, CT_SELF_PATH - used, "'");
}

static bool self_is(const char *path)
{
    struct stat one, other;
    return stat(path, &one) == 0 && stat(self_exe, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* What the shell takes for "cornerturn": the first that may be run. */
static bool self_in_path(void)
{
    const char *folder = getenv("PATH");
    while (folder != NULL && *folder != 0) {
        char path[CT_SELF_PATH];
        const size_t length = strcspn(folder, ":");
        snprintf(path, sizeof path, "%.*s/cornerturn", (int)length, folder);
        if (length > 0 && access(path, X_OK) == 0) return self_is(path);
        folder += length + (folder[length] != 0);
    }
    return false;
}

void ct_self_command(char out[CT_SELF_PATH])
{
    char *path = self_in_path() ? NULL : realpath(self_exe, NULL);
    self_quote(out, path != NULL ? path : "cornerturn");
    free(path);
}

bool ct_self_folder(char out[CT_SELF_PATH], const char *from_here)
{
    char path[CT_SELF_PATH];
    char *self = realpath(self_exe, NULL), *slash = self != NULL ? strrchr(self, '/') : NULL;
    snprintf(path, sizeof path, "%.*s/%s", slash != NULL ? (int)(slash - self) : 0,
             self != NULL ? self : "", from_here);
    free(self);
    char *folder = realpath(path, NULL);
    if (folder != NULL) self_quote(out, folder);
    free(folder);
    return folder != NULL;
}
