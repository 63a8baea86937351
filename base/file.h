/* file.h: whole files in and out; a file that is written appears only when it is whole.
 * Room: base. File formats have io/shared/output.h. */
#ifndef CT_BASE_FILE_H
#define CT_BASE_FILE_H
#include <sys/types.h>

#include "cornerturn.h"
#include "memory.h"

/* A regular file, or what comes through a pipe that somebody writes to. *out is terminated,
 * released with ct_memory_free. length may be NULL. */
ct_status ct_file_read(char **out, size_t *length, const char *file, ct_error *err);
ct_status ct_file_write(const char *file, const char *text, size_t length, ct_error *err);
/* Which file a name stands for, through links, or would stand for once it is there. */
typedef struct ct_file_id {
    bool any; /* no: a device, which has no contents to spoil */
    dev_t device;
    ino_t inode;
    const char *name; /* in that folder; "": the two say it all */
} ct_file_id;
void ct_file_identify(ct_file_id *out, const char *file, ct_arena *arena);
int ct_file_id_compare(const ct_file_id *a, const ct_file_id *b); /* 0: one file; as for qsort */

#endif
