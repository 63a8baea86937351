/* draft_inner.h: what the two halves of draft share.
 * Room: base, and seen by no other. */
#ifndef CT_BASE_DRAFT_INNER_H
#define CT_BASE_DRAFT_INNER_H
#include <sys/types.h>

#include "draft.h"
#include "folder.h"
#include "memory.h"
#include "target.h"

typedef struct ct_made {
    const char *file;  /* as it was given */
    const char *name;  /* in the folder */
    const char *place; /* the whole path; of one that is joined, of its temporary name */
    ct_folder *folder; /* NULL: written as it is */
    char temporary[CT_FOLDER_NAME]; /* also in the folder */
    char old[CT_FOLDER_NAME];       /* what the name had before; "" nothing */
    mode_t mode;
    bool renamed;
    int64_t cut; /* bytes of it that count, where it was taken up again */
} ct_made;

struct ct_drafts {
    ct_made *made;
    size_t count, room;
    ct_folder **folders;
    int folder_count;
    bool published;
    bool held;            /* what is not published stays for the next run */
    bool named;           /* the folders are on the disk with the temporary names in them */
    const ct_held *again; /* what is added is taken up again from here */
    size_t again_count;
    bool joined; /* .. which somebody else is making at present */
    ct_arena *arena;
};

/* The folder of a name that is to be made, and the name claimed there. */
ct_status ct_drafts_claim(ct_drafts *drafts, ct_made *made, const ct_target *target, ct_error *err);
/* Room for one more on the list. */
ct_status ct_drafts_reserve(ct_drafts *drafts, ct_error *err);
/* Opens what a dead run has made of it: draft_hold.c. */
ct_status ct_drafts_again(ct_drafts *drafts, ct_made *made, const ct_target *target, ct_draft *out,
                          ct_error *err);
/* Opens what another process is making: draft_join.c. */
ct_status ct_drafts_open_joined(ct_drafts *drafts, ct_made *made, const ct_target *target,
                                ct_draft *out, ct_error *err);
ct_status ct_drafts_sync_joined(const ct_made *made, ct_error *err);
int ct_drafts_flush(int handle); /* fsync(); 0 or an errno */
int ct_drafts_flush_folders(const ct_drafts *drafts);
ct_status ct_drafts_fail(const char *file, const char *doing, int code, ct_error *err);

#endif
