/* tree.c: see tree.h.
 * Room: base. Knows POSIX files. Does not know what they hold. */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int tree_open(int at, const char *name)
{
    int handle;
    do
        handle = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    while (handle < 0 && errno == EINTR);
    return handle;
}

/* Calls `does` for all that is in the folder; the first failure is the one that counts. */
static int tree_each(int folder, int (*does)(int at, const char *name))
{
    const int handle = tree_open(folder, ".");
    DIR *list = handle < 0 ? NULL : fdopendir(handle);
    int failed = list ? 0 : errno;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        const int now = does(folder, entry->d_name);
        if (now && !failed) failed = now;
    }
    if (list)
        (void)closedir(list);
    else if (handle >= 0)
        (void)close(handle);
    return failed;
}

/* A folder cannot be unlinked: EISDIR, or EPERM on some systems. */
int ct_tree_remove(int at, const char *name)
{
    if (unlinkat(at, name, 0) == 0) return 0;
    if (errno != EISDIR && errno != EPERM) return errno;
    const int folder = tree_open(at, name);
    if (folder < 0) return errno;
    int failed = tree_each(folder, ct_tree_remove);
    (void)close(folder);
    if (unlinkat(at, name, AT_REMOVEDIR) == 0) return 0;
    return failed ? failed : errno;
}

/* A link has nothing of its own to bring there. */
int ct_tree_flush(int at, const char *name)
{
    struct stat about;
    const int handle = tree_open(at, name);
    if (handle < 0) return errno == ELOOP ? 0 : errno;
    int failed = fstat(handle, &about) != 0 ? errno : 0;
    if (!failed && S_ISDIR(about.st_mode)) failed = tree_each(handle, ct_tree_flush);
    while (!failed && fsync(handle) != 0)
        if (errno != EINTR) failed = errno;
    (void)close(handle);
    return failed;
}
