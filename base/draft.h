/* draft.h: files in the making. Each is written under a temporary name in its own folder; then all
 * of them get their names, or none does. Room: base. Knows POSIX files. Does not know what they
 * hold. Order: ct_drafts_new, ct_drafts_add and writing, ct_drafts_settle, ct_drafts_publish,
 * ct_drafts_free. */
#ifndef CT_BASE_DRAFT_H
#define CT_BASE_DRAFT_H
#include <stddef.h>

#include "cornerturn_stage.h"

typedef struct ct_drafts ct_drafts; /* of one owner */

ct_status ct_drafts_new(ct_drafts **out, ct_error *err);
/* `out`: as ct_step_create says. `stopped` (of): asked while nobody reads a named pipe yet; NULL
 * none. CT_DATA, CT_INTERRUPTED. */
ct_status ct_drafts_add(ct_drafts *drafts, const char *file, bool (*stopped)(const void *of),
                        const void *of, ct_draft *out, ct_error *err);
/* All of these owners' files, which nobody writes any more, on the disk. May be NULL among them. */
ct_status ct_drafts_settle(ct_drafts *const *all, size_t count, ct_error *err);
/* Then all under their names. Where that fails each name has what it had before, and what was made
 * stays until it is discarded: it may be tried again. */
ct_status ct_drafts_publish(ct_drafts *const *all, size_t count, ct_error *err);
/* One that a later run can take up again where this one dies. */
typedef struct ct_held {
    const char *file; /* to come: the whole path */
    const char
        *part; /* its name until then; NULL: written as it is, and not to be taken up again */
    int64_t bytes;
    uint64_t inode; /* which file it is; the same on all machines that see it */
} ct_held;
/* From now on ct_drafts_discard leaves what is added, if `held`. */
void ct_drafts_hold(ct_drafts *drafts, bool held);
/* Before the first is added: what is added is what a dead run has left, in the same order. The list
 * is borrowed. CT_DATA of ct_drafts_add: it is not there, or shorter than it was. */
void ct_drafts_take_up(ct_drafts *drafts, const ct_held *list, size_t count);
/* Before the first is added: what is added is what another process is making, which publishes or
 * discards it. The list is borrowed. CT_DATA of ct_drafts_add: it cannot be seen from here. */
void ct_drafts_join(ct_drafts *drafts, const ct_held *list, size_t count);
/* Cuts them to the bytes that the list says. */
ct_status ct_drafts_cut(ct_drafts *drafts, ct_error *err);
/* All that was written is on the disk; NULL is fine. */
ct_status ct_drafts_sync(ct_drafts *drafts, ct_error *err);
/* The n-th, with its present length; false beyond the last. */
bool ct_drafts_held(const ct_drafts *drafts, size_t n, ct_held *out);
/* Of a run that died between the names: adds this one, if it still has a temporary name, for
 * ct_drafts_publish. */
ct_status ct_drafts_rest(ct_drafts *drafts, const ct_held *held, ct_error *err);

/* Removes what is not published. The names are free for others; ct_drafts_file stays. */
void ct_drafts_discard(ct_drafts *drafts);
/* The n-th that is published (or was written as it is); NULL beyond the last. Lives as `drafts`. */
const char *ct_drafts_file(const ct_drafts *drafts, size_t n);
size_t ct_drafts_files(const ct_drafts *drafts);
void ct_drafts_free(ct_drafts *drafts);

#endif
