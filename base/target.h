/* target.h: what a name that will be written stands for.
 * Room: base. Knows POSIX names and links. Does not write. */
#ifndef CT_BASE_TARGET_H
#define CT_BASE_TARGET_H
#include <stdbool.h>
#include <sys/types.h>

typedef enum ct_target_kind {
    CT_TARGET_FILE,    /* a regular file, there or not yet */
    CT_TARGET_SPECIAL, /* a device or a named pipe: opened by its name, never replaced */
    CT_TARGET_HANDLE   /* "/dev/stdout", "/dev/fd/5": a descriptor that is open already */
} ct_target_kind;

enum { CT_TARGET_PATH = 4096 };

typedef struct ct_target {
    ct_target_kind kind;
    char path[CT_TARGET_PATH]; /* symbolic links followed */
    size_t name;               /* where in it the name in its folder starts */
    int handle;                /* of CT_TARGET_HANDLE */
    bool there;                /* something stands there; then also: */
    mode_t type, mode;
    dev_t device;
    ino_t inode;
} ct_target;

/* 0, or the errno that says why nothing can be written under this name. */
int ct_target_find(ct_target *out, const char *file);
/* The folder's name for open(): "." where the path has none. `out` holds CT_TARGET_PATH bytes. */
const char *ct_target_folder(const ct_target *target, char *out);

/* Why the file cannot be made, as far as one can tell without trying: its folder is missing, or may
 * not be written in. NULL: nothing is known against it. */
const char *ct_target_lacks(const char *file);

#endif
