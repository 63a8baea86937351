/* kept_journals.h: copies of the journals of earlier tunings on this machine, from which the next
 * tuning of a like pipeline begins: in XDG_DATA_HOME/cornerturn/journals, by default in
 * ~/.local/share. Room: tuner/store. Knows the folder. Does not know what journals say. */
#ifndef CT_TUNER_KEPT_JOURNALS_H
#define CT_TUNER_KEPT_JOURNALS_H
#include "digest.h"
#include "memory.h"

/* Copies the file to the place of this name, its pipeline's and device's digest: an older one of
 * the same name is replaced, once the copy is whole. */
ct_status ct_kept_journals_keep(const char *file, const char name[CT_DIGEST_SIZE], ct_error *err);
/* The newest, as files' names in the arena; *count may be 0. */
enum { CT_KEPT_JOURNALS = 16 };
ct_status ct_kept_journals_list(const char *out[CT_KEPT_JOURNALS], int *count, ct_arena *arena,
                                ct_error *err);

#endif
