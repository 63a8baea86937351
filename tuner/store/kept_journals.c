/* kept_journals.c: see kept_journals.h.
 * Room: tuner/store. */
#include "kept_journals.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"

enum { KEPT_PATH = 4096, KEPT_NAME = 32 };
static const char kept_end[] = ".journal";

static ct_status kept_folder(char out[KEPT_PATH], ct_error *err)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = 0;
    if (data && data[0] == '/')
        length = snprintf(out, KEPT_PATH, "%s/cornerturn/journals", data);
    else if (home && home[0] == '/')
        length = snprintf(out, KEPT_PATH, "%s/.local/share/cornerturn/journals", home);
    if (length > 0 && length < KEPT_PATH - 256) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "there is no place for journals: neither XDG_DATA_HOME nor HOME is set");
}

static ct_status kept_make(char *folder, ct_error *err)
{
    for (char *at = strchr(folder + 1, '/');; at = strchr(at + 1, '/')) {
        if (at) *at = '\0';
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return ct_error_add(err, CT_DATA, "%s: cannot be made: %s", folder, strerror(errno));
        if (!at) return CT_OK;
        *at = '/';
    }
}

/* ---- keeping */

static bool kept_copy(const char *to, const char *from)
{
    char bytes[65536];
    size_t count;
    FILE *in = fopen(from, "re"), *out = in ? fopen(to, "we") : NULL;
    bool fine = in && out;
    while (fine && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        fine = fwrite(bytes, 1, count, out) == count;
    if (in) fine &= !ferror(in);
    if (in) fclose(in);
    if (out && fclose(out) != 0) fine = false;
    return fine;
}

ct_status ct_kept_journals_keep(const char *file, const char name[CT_DIGEST_SIZE], ct_error *err)
{
    ct_status status = CT_OK;
    char folder[KEPT_PATH], path[KEPT_PATH + 256], part[KEPT_PATH + 256];
    CT_TRY(kept_folder(folder, err));
    CT_TRY(kept_make(folder, err));
    snprintf(path, sizeof path, "%s/%.*s%s", folder, KEPT_NAME, name, kept_end);
    snprintf(part, sizeof part, "%s/%.*s.%ld", folder, KEPT_NAME, name, (long)getpid());
    if (kept_copy(part, file) && rename(part, path) == 0) return CT_OK;
    status = ct_error_add(err, CT_DATA, "%s: the journal cannot be copied there: %s", path,
                          strerror(errno));
    (void)remove(part);
out:
    return status;
}

/* ---- finding */

typedef struct kept_one {
    time_t when;
    char name[256];
} kept_one;

static bool kept_is_journal(const char *name)
{
    const size_t length = strlen(name), end = sizeof kept_end - 1;
    return length > end && strcmp(name + length - end, kept_end) == 0;
}

/* The newest come first; of those of one second the first by name. */
static void kept_insert(kept_one *all, int *count, const kept_one *one)
{
    int at = *count;
    while (at > 0 && (all[at - 1].when < one->when ||
                      (all[at - 1].when == one->when && strcmp(all[at - 1].name, one->name) > 0)))
        at--;
    if (at == CT_KEPT_JOURNALS) return;
    if (*count < CT_KEPT_JOURNALS) ++*count;
    memmove(&all[at + 1], &all[at], sizeof *all * (size_t)(*count - at - 1));
    all[at] = *one;
}

ct_status ct_kept_journals_list(const char *out[CT_KEPT_JOURNALS], int *count, ct_arena *arena,
                                ct_error *err)
{
    char folder[KEPT_PATH], path[KEPT_PATH + 256];
    kept_one all[CT_KEPT_JOURNALS], one;
    const struct dirent *entry;
    struct stat about;
    *count = 0;
    DIR *files = kept_folder(folder, NULL) == CT_OK ? opendir(folder) : NULL;
    while (files && (entry = readdir(files))) {
        if (!kept_is_journal(entry->d_name)) continue;
        snprintf(one.name, sizeof one.name, "%.255s", entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, one.name);
        if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) continue;
        one.when = about.st_mtime;
        kept_insert(all, count, &one);
    }
    if (files) closedir(files);
    for (int i = 0; i < *count; i++)
        out[i] = ct_arena_print(arena, "%s/%s", folder, all[i].name);
    return ct_arena_check(arena, err);
}
