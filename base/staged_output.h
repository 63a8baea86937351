/* staged_output.h: outputs of a run that are not whole yet, files and folders. Each is written
 * under a temporary name beside it; then all of them get their names, or none does.
 * Room: base. Knows POSIX files. Does not know what they hold.
 * Order: ct_staged_new, ct_staged_add and writing, ct_staged_settle, ct_staged_publish,
 * ct_staged_free. */
#ifndef CT_BASE_STAGED_OUTPUT_H
#define CT_BASE_STAGED_OUTPUT_H
#include <stddef.h>

#include "cornerturn_stage.h"

typedef struct ct_staged ct_staged; /* of one owner */

ct_status ct_staged_new(ct_staged **out, ct_error *err);
/* `out`: as ct_step_create says. `stopped` (of): asked while a named pipe has no reader yet; NULL
 * none. CT_DATA, CT_INTERRUPTED. */
ct_status ct_staged_add(ct_staged *staged, const char *file, bool (*stopped)(const void *of),
                        const void *of, ct_output_file *out, ct_error *err);
/* A folder that the caller fills, in place of a file: all that is in it gets its name with it. One
 * that had the name is removed, once the new one has it; it is the caller who knows that it may be.
 */
ct_status ct_staged_add_folder(ct_staged *staged, const char *file, ct_output_file *out,
                               ct_error *err);
/* Brings all files of these owners to the disk; nothing is written to them any more. Some may be
 * NULL. */
ct_status ct_staged_settle(ct_staged *const *all, size_t count, ct_error *err);
/* Then gives all of them their names. If that fails each name has what it had before, and what was
 * written stays until it is discarded: it may be tried again. */
ct_status ct_staged_publish(ct_staged *const *all, size_t count, ct_error *err);
/* A file that a later run can resume if this one dies. */
typedef struct ct_resumable {
    const char *file; /* to come: the whole path */
    const char *part; /* its name until then; NULL: written directly, and cannot be resumed */
    int64_t bytes;    /* of a folder 0: its owner knows what it had */
    uint64_t inode;   /* which file it is; the same on all machines that see it */
} ct_resumable;
/* If `resumable`, ct_staged_discard keeps what is added from now on. */
void ct_staged_set_resumable(ct_staged *staged, bool resumable);
/* Before the first is added: files that are added are those that a dead run has left, in the same
 * order. The list is borrowed. CT_DATA of ct_staged_add: a file is not there, or shorter than it
 * was. */
void ct_staged_resume(ct_staged *staged, const ct_resumable *list, size_t count);
/* Before the first is added: files that are added are those that another process writes, which
 * publishes or discards them. The list is borrowed. CT_DATA of ct_staged_add: a file cannot be seen
 * from here. */
void ct_staged_join(ct_staged *staged, const ct_resumable *list, size_t count);
/* Truncates them to the bytes that the list says, but for folders. */
ct_status ct_staged_cut(ct_staged *staged, ct_error *err);
/* All that was written is on the disk; NULL is allowed. */
ct_status ct_staged_sync(ct_staged *staged, ct_error *err);
/* The n-th, with its present length; false beyond the last. */
bool ct_staged_resumable(const ct_staged *staged, size_t n, ct_resumable *out);
/* For a run that died while it gave names: adds this file, if it still has a temporary name, for
 * ct_staged_publish. */
ct_status ct_staged_add_unpublished(ct_staged *staged, const ct_resumable *resumable,
                                    ct_error *err);

/* Removes what is not published. The names are free for others; ct_staged_file stays. */
void ct_staged_discard(ct_staged *staged);
/* The n-th that is published (or was written as it is); NULL beyond the last. Lives as `staged`. */
const char *ct_staged_file(const ct_staged *staged, size_t n);
size_t ct_staged_files(const ct_staged *staged);
void ct_staged_free(ct_staged *staged);

#endif
