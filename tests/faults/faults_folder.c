/* faults_folder.c: see faults_folder.h.
 * Room: tests. */
#include "faults_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void must(bool fine, const char *what, const char *name)
{
    if (fine) return;
    fprintf(stderr, "faults: %s %s\n", what, name);
    exit(2);
}

static void file_read(struct folder_file *out, const char *path, const char *name)
{
    char place[512];
    snprintf(out->name, sizeof out->name, "%s", name);
    snprintf(place, sizeof place, "%s/%s", path, name);
    FILE *from = fopen(place, "rb");
    must(from && fseek(from, 0, SEEK_END) == 0, "cannot read", place);
    out->bytes = (size_t)ftell(from);
    out->data = malloc(out->bytes + 1);
    rewind(from);
    must(out->data && fread(out->data, 1, out->bytes, from) == out->bytes, "cannot read", place);
    fclose(from);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct folder_file *)a)->name, ((const struct folder_file *)b)->name);
}

void folder_read(folder *out, const char *path)
{
    DIR *list = opendir(path);
    must(list != NULL, "cannot list", path);
    out->count = 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        must(out->count < FOLDER_FILES, "too many files in", path);
        file_read(&out->file[out->count++], path, entry->d_name);
    }
    closedir(list);
    qsort(out->file, (size_t)out->count, sizeof out->file[0], by_name);
}

static void drop_hidden(folder *of)
{
    int count = 0;
    for (int i = 0; i < of->count; i++) {
        if (of->file[i].name[0] == '.')
            free(of->file[i].data);
        else
            of->file[count++] = of->file[i];
    }
    of->count = count;
}

void folder_free(folder *of)
{
    for (int i = 0; i < of->count; i++)
        free(of->file[i].data);
    of->count = 0;
}

void folder_write(const folder *from, const char *path)
{
    char place[512];
    folder old = {0};
    folder_read(&old, path);
    for (int i = 0; i < old.count; i++) {
        snprintf(place, sizeof place, "%s/%s", path, old.file[i].name);
        must(unlink(place) == 0, "cannot remove", place);
    }
    folder_free(&old);
    for (int i = 0; i < from->count; i++) {
        snprintf(place, sizeof place, "%s/%s", path, from->file[i].name);
        FILE *to = fopen(place, "wb");
        must(to && fwrite(from->file[i].data, 1, from->file[i].bytes, to) == from->file[i].bytes &&
                 fclose(to) == 0,
             "cannot write", place);
    }
}

const char *folder_differs(const folder *expected, const char *path, bool visible, char out[512])
{
    folder found = {0};
    out[0] = 0;
    folder_read(&found, path);
    if (visible) drop_hidden(&found);
    int a = 0, b = 0;
    while (!out[0] && (a < expected->count || b < found.count)) {
        const int order = a == expected->count ? 1
                          : b == found.count   ? -1
                                               : by_name(&expected->file[a], &found.file[b]);
        if (order < 0)
            snprintf(out, 512, "%s is missing", expected->file[a].name);
        else if (order > 0)
            snprintf(out, 512, "%s is left", found.file[b].name);
        else if (expected->file[a].bytes != found.file[b].bytes ||
                 memcmp(expected->file[a].data, found.file[b].data, found.file[b].bytes) != 0)
            snprintf(out, 512, "%s is another", found.file[b].name);
        a++, b++;
    }
    folder_free(&found);
    return out;
}
