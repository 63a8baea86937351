/* store_folder.h: where stored plans are: XDG_DATA_HOME/cornerturn/plans (by default in
 * ~/.local/share).
 * Room: tuner/store. Does not know what is in it. */
#ifndef CT_TUNER_STORE_FOLDER_H
#define CT_TUNER_STORE_FOLDER_H
#include "cornerturn.h"

enum { CT_STORE_PATH = 4096 };

ct_status ct_store_folder(char out[CT_STORE_PATH], ct_error *err);
/* Makes it where it is not there. */
ct_status ct_store_folder_make(const char *folder, ct_error *err);
/* Others that store meanwhile wait; where the file system has no locks, they do not. */
int ct_store_folder_lock(const char *folder);
void ct_store_folder_unlock(int lock);

#endif
