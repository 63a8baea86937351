/* journal_inner.h: what journal.c and journal_state.c share.
 * Room: base, and seen by no other. */
#ifndef CT_BASE_JOURNAL_INNER_H
#define CT_BASE_JOURNAL_INNER_H
#include "checked_lines.h"
#include "folder.h"
#include "journal.h"
#include "memory.h"

struct ct_journal {
    ct_folder *folder;
    char name[CT_FOLDER_NAME], slots[2][CT_FOLDER_NAME];
    const char *path, *of; /* of: the file beside which it stands */
    ct_checked_lines lines;
    int slot;   /* for what is saved next */
    bool saved; /* the next line refers to it */
    bool named; /* the folder is on the disk with the journal in it */
    bool sound; /* it could be read */
    ct_arena *arena;
};

const char *ct_journal_slot(ct_journal *journal, int slot);

#endif
