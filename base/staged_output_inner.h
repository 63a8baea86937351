/* staged_output_inner.h: what the parts of staged_output share.
 * Room: base, and seen by no other. */
#ifndef CT_BASE_STAGED_OUTPUT_INNER_H
#define CT_BASE_STAGED_OUTPUT_INNER_H
#include <sys/types.h>

#include "cornerturn_stage.h"
#include "folder.h"
#include "memory.h"
#include "output_path.h"
#include "staged_output.h"

typedef struct ct_made {
    const char *file;  /* as it was given */
    const char *name;  /* in the folder */
    const char *place; /* the whole path; of one that is joined, of its temporary name */
    ct_folder *folder; /* NULL: written as it is */
    bool is_folder;
    ino_t before; /* then: the one that has the name, and may be replaced; 0 none */
    char temporary[CT_FOLDER_NAME]; /* also in the folder */
    char old[CT_FOLDER_NAME];       /* what the name had before; "" nothing */
    mode_t mode;
    bool renamed;
    int64_t cut; /* bytes of it that count, if it was resumed */
} ct_made;

struct ct_staged {
    ct_made *made;
    size_t count, room;
    ct_folder **folders;
    int folder_count;
    bool published;
    bool resumable;            /* what is not published stays for the next run */
    bool named;                /* the folders are on the disk with the temporary names in them */
    const ct_resumable *again; /* what is added is resumed from here */
    size_t again_count;
    bool joined; /* .. which another process is writing */
    ct_arena *arena;
};

/* The folder of a name that is to be made, and the name claimed there. */
ct_status ct_staged_claim(ct_staged *staged, ct_made *made, const ct_output_path *output,
                          ct_error *err);
/* A file or a folder under the temporary name, open, and the mode that the user's mask leaves it. 0
 * or an errno. */
int ct_staged_make_file(const ct_made *made, int *handle, mode_t *mode);
int ct_staged_make_folder(const ct_made *made, int *handle, mode_t *mode);
/* Room for one more on the list. */
ct_status ct_staged_reserve(ct_staged *staged, ct_error *err);
/* Opens what a dead run has written of it: staged_output_resume.c. */
ct_status ct_staged_reopen(ct_staged *staged, ct_made *made, const ct_output_path *output,
                           ct_output_file *out, ct_error *err);
/* Opens what another process is writing: staged_output_join.c. */
ct_status ct_staged_open_joined(ct_staged *staged, ct_made *made, const ct_output_path *output,
                                ct_output_file *out, ct_error *err);
ct_status ct_staged_sync_joined(const ct_made *made, ct_error *err);
int ct_staged_flush(int handle); /* fsync(); 0 or an errno */
int ct_staged_flush_folders(const ct_staged *staged);
ct_status ct_staged_fail(const char *file, const char *doing, int code, ct_error *err);

#endif
