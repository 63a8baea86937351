/* output_path.h: what a name refers to that will be written.
 * Room: base. Knows POSIX names and links. Does not write. */
#ifndef CT_BASE_OUTPUT_PATH_H
#define CT_BASE_OUTPUT_PATH_H
#include <stdbool.h>
#include <sys/types.h>

typedef enum ct_output_path_kind {
    CT_OUTPUT_PATH_FILE,    /* a regular file, there or not yet */
    CT_OUTPUT_PATH_FOLDER,  /* that is there */
    CT_OUTPUT_PATH_SPECIAL, /* a device or a named pipe: opened by its name, never replaced */
    CT_OUTPUT_PATH_HANDLE   /* "/dev/stdout", "/dev/fd/5": a descriptor that is open already */
} ct_output_path_kind;

enum { CT_OUTPUT_PATH_SIZE = 4096 };

typedef struct ct_output_path {
    ct_output_path_kind kind;
    char path[CT_OUTPUT_PATH_SIZE]; /* symbolic links followed */
    size_t name;                    /* where in it the name in its folder starts */
    int handle;                     /* of CT_OUTPUT_PATH_HANDLE */
    bool there;                     /* a file is there; then also: */
    mode_t type, mode;
    dev_t device;
    ino_t inode;
} ct_output_path;

/* 0, or the errno that says why this name cannot be written. */
int ct_output_path_find(ct_output_path *out, const char *file);
/* The folder's name for open(): "." where the path has none. `out` holds CT_OUTPUT_PATH_SIZE bytes.
 */
const char *ct_output_path_folder(const ct_output_path *output, char *out);

/* Why the file (or, if `folder`, the folder) cannot be created, as far as is known without trying:
 * its folder is missing, or may not be written in. NULL: no reason is known. */
const char *ct_output_path_problem(const char *file, bool folder);
/* 0, or the errno that says why no file, or no folder, can take this place. */
int ct_output_path_refuses(const ct_output_path *output, bool folder);

#endif
