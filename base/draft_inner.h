/* draft_inner.h: what the two halves of draft share.
 * Room: base, and seen by no other. */
#ifndef CT_BASE_DRAFT_INNER_H
#define CT_BASE_DRAFT_INNER_H
#include <sys/types.h>

#include "draft.h"
#include "folder.h"
#include "memory.h"

typedef struct ct_made {
    const char *file;               /* as it was given */
    const char *name;               /* in the folder */
    ct_folder *folder;              /* NULL: written as it is */
    char temporary[CT_FOLDER_NAME]; /* also in the folder */
    char old[CT_FOLDER_NAME];       /* what the name had before; "" nothing */
    mode_t mode;
    bool renamed;
} ct_made;

struct ct_drafts {
    ct_made *made;
    size_t count, room;
    ct_folder **folders;
    int folder_count;
    bool published;
    ct_arena *arena;
};

ct_status ct_drafts_fail(const char *file, const char *doing, int code, ct_error *err);

#endif
