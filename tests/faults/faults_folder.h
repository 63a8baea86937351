/* faults_folder.h: what a folder holds, kept in memory: put there, or compared with what is there.
 * Room: tests. */
#ifndef CT_TESTS_FAULTS_FOLDER_H
#define CT_TESTS_FAULTS_FOLDER_H
#include <stdbool.h>
#include <stddef.h>

enum { FOLDER_FILES = 32 };

typedef struct folder {
    int count;
    struct folder_file {
        char name[256];
        char *data;
        size_t bytes;
    } file[FOLDER_FILES];
} folder;

/* All files, hidden ones too. */
void folder_read(folder *out, const char *path);
/* Removes what is there and writes these. */
void folder_write(const folder *from, const char *path);
/* What differs first, "" nothing. `visible`: hidden files do not count. */
const char *folder_differs(const folder *expected, const char *path, bool visible, char out[512]);
void folder_free(folder *of);

#endif
