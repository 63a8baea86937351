/* store_folder.c: see store_folder.h.
 * Room: tuner/store. */
#include "store_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cornerturn_stage.h"

ct_status ct_store_folder(char out[CT_STORE_PATH], ct_error *err)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = 0;
    if (data && data[0] == '/')
        length = snprintf(out, CT_STORE_PATH, "%s/cornerturn/plans", data);
    else if (home && home[0] == '/')
        length = snprintf(out, CT_STORE_PATH, "%s/.local/share/cornerturn/plans", home);
    if (length > 0 && length < CT_STORE_PATH - 256) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "there is no place for stored plans: neither XDG_DATA_HOME "
                        "nor HOME is set");
}

ct_status ct_store_folder_make(const char *folder, ct_error *err)
{
    char path[CT_STORE_PATH];
    snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1;; at++) {
        const char end = *at;
        if (end != '/' && end != '\0') continue;
        *at = '\0';
        const int failed = mkdir(path, 0777);
        if (failed && errno != EEXIST)
            return ct_error_add(err, CT_DATA, "%s: cannot be made: %s", path, strerror(errno));
        *at = end;
        if (end == '\0') return CT_OK;
    }
}

int ct_store_folder_lock(const char *folder)
{
    const int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
        continue;
    return lock;
}

void ct_store_folder_unlock(int lock)
{
    if (lock >= 0) (void)close(lock);
}
