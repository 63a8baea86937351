/* folder.c: see folder.h.
 * Room: base. Knows POSIX files and locks. Does not know what they hold. */
#define _GNU_SOURCE 1 /* F_OFD_SETLK */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "checksum.h"
#include "memory.h"
#include "tree.h"

#ifndef F_OFD_SETLK /* locks of the process: runs of one process do not see each other's */
#define F_OFD_SETLK F_SETLK
#define F_OFD_GETLK F_GETLK
#endif

#define FOLDER_FORM ".cornerturn-%016llx-%016llx%s"

struct ct_folder {
    int handle, lock; /* lock -1: none is open */
    bool claimed;     /* a name, or several */
    bool lockless;    /* the file system has no locks */
    bool aside;       /* a process that died put files aside */
    bool resumable;   /* there are files of runs that can be resumed */
};

/* Which byte of the lock file is a name's own. */
static uint64_t folder_hash(const char *name)
{
    return ct_checksum(name, strlen(name)) >> 2;
}

void ct_folder_fixed(char out[CT_FOLDER_NAME], const char *name, int number, const char *ending)
{
    snprintf(out, CT_FOLDER_NAME, FOLDER_FORM, (unsigned long long)folder_hash(name),
             (unsigned long long)number, ending);
}

void ct_folder_temporary(char out[CT_FOLDER_NAME], const char *name, const char *ending)
{
    uint64_t chance = 0;
    if (getentropy(&chance, sizeof chance) != 0) chance = (uint64_t)getpid() * 0x9E3779B97F4A7C15u;
    snprintf(out, CT_FOLDER_NAME, FOLDER_FORM, (unsigned long long)folder_hash(name),
             (unsigned long long)chance, ending);
}

/* Whether it is a temporary name with this ending, and of what: printed again it is the same. */
static bool folder_is_temporary(const char *entry, const char *ending, uint64_t *hash)
{
    static const char first[] = ".cornerturn-";
    char again[CT_FOLDER_NAME], *end;
    if (strncmp(entry, first, sizeof first - 1) != 0) return false;
    *hash = strtoull(entry + sizeof first - 1, &end, 16);
    if (*end != '-') return false;
    snprintf(again, sizeof again, FOLDER_FORM, (unsigned long long)*hash,
             strtoull(end + 1, NULL, 16), ending);
    return strcmp(entry, again) == 0;
}

static struct flock folder_byte(uint64_t hash, short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)hash, .l_len = 1};
}

/* The last one locks the whole file for a moment, in which it removes it. */
static bool folder_is_tidied(const ct_folder *folder, uint64_t hash)
{
    struct flock other = folder_byte(hash, F_WRLCK);
    return fcntl(folder->lock, F_OFD_GETLK, &other) == 0 && other.l_type != F_UNLCK &&
           other.l_len == 0;
}

static int folder_open_lock(ct_folder *folder)
{
    struct stat about;
    do
        folder->lock = openat(folder->handle, CT_FOLDER_LOCK,
                              O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    while (folder->lock < 0 && errno == EINTR);
    if (folder->lock < 0) return errno;
    /* A process that may write in the folder may lock in it, too. */
    if (fstat(folder->handle, &about) == 0) (void)fchmod(folder->lock, about.st_mode & 0666);
    return 0;
}

/* 0; EAGAIN: another one has it. A lock file that was removed before it was locked is of no use. */
static int folder_lock(ct_folder *folder, uint64_t hash)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (;;) {
        struct flock byte = folder_byte(hash, F_WRLCK);
        struct stat about;
        const int failed = folder->lock < 0 ? folder_open_lock(folder) : 0;
        if (failed) return failed;
        if (fcntl(folder->lock, F_OFD_SETLK, &byte) != 0) {
            if (errno == EINTR) continue;
            if (errno != EAGAIN && errno != EACCES) {
                folder->lockless = true;
                return 0;
            }
            if (!folder_is_tidied(folder, hash)) return EAGAIN;
            (void)nanosleep(&moment, NULL);
        } else if (folder->claimed || fstat(folder->lock, &about) != 0 || about.st_nlink > 0) {
            return 0;
        }
        if (folder->claimed) continue;
        (void)close(folder->lock);
        folder->lock = -1;
    }
}

static DIR *folder_list(const ct_folder *folder)
{
    const int handle = openat(folder->handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = handle < 0 ? NULL : fdopendir(handle);
    if (!list && handle >= 0) (void)close(handle);
    return list;
}

static const char *const folder_resumable[] = {CT_FOLDER_RESUMABLE, CT_FOLDER_JOURNAL,
                                               CT_FOLDER_STATE};
enum { FOLDER_RESUMABLE = sizeof folder_resumable / sizeof *folder_resumable };

static bool folder_is_resumable(const char *entry, uint64_t *hash)
{
    bool resumable = false;
    for (int i = 0; i < FOLDER_RESUMABLE; i++)
        resumable = resumable || folder_is_temporary(entry, folder_resumable[i], hash);
    return resumable;
}

/* Without locks it is not known which processes are alive. */
static void folder_clear(ct_folder *folder)
{
    DIR *list = folder_list(folder);
    uint64_t hash;
    for (struct dirent *entry; list && !folder->lockless && (entry = readdir(list));) {
        folder->aside = folder->aside || folder_is_temporary(entry->d_name, ".old", &hash);
        folder->resumable = folder->resumable || folder_is_resumable(entry->d_name, &hash);
        if (!folder_is_temporary(entry->d_name, ".part", &hash)) continue;
        if (folder_lock(folder, hash) != 0 || folder->lockless) continue;
        (void)ct_tree_remove(folder->handle, entry->d_name);
        struct flock byte = folder_byte(hash, F_UNLCK);
        (void)fcntl(folder->lock, F_OFD_SETLK, &byte);
    }
    if (list) closedir(list);
}

/* The name is ours: no other process looks at its files. */
static void folder_put_back(const ct_folder *folder, const char *name)
{
    DIR *list = folder_list(folder);
    uint64_t hash;
    struct stat about;
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (!folder_is_temporary(entry->d_name, ".old", &hash) || hash != folder_hash(name))
            continue;
        const bool lost = fstatat(folder->handle, name, &about, AT_SYMLINK_NOFOLLOW) != 0;
        if (lost)
            (void)renameat(folder->handle, entry->d_name, folder->handle, name);
        else
            (void)ct_tree_remove(folder->handle, entry->d_name);
    }
    if (list) closedir(list);
}

void ct_folder_forget(const ct_folder *folder, const char *name, const char *only)
{
    DIR *list = folder->resumable && !folder->lockless ? folder_list(folder) : NULL;
    uint64_t hash, other;
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (folder_is_resumable(entry->d_name, &hash) && hash == folder_hash(name) &&
            (!only || folder_is_temporary(entry->d_name, only, &other)))
            (void)ct_tree_remove(folder->handle, entry->d_name);
    if (list) closedir(list);
}

bool ct_folder_is_lockless(const ct_folder *folder)
{
    return folder->lockless;
}

ct_folder *ct_folder_open(const char *path)
{
    int handle;
    do
        handle = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (handle < 0 && errno == EINTR);
    if (handle < 0) return NULL;
    ct_folder *folder = ct_memory_get(sizeof *folder);
    if (!folder) {
        (void)close(handle);
        errno = ENOMEM;
        return NULL;
    }
    folder->handle = handle;
    folder->lock = -1;
    folder_clear(folder);
    return folder;
}

bool ct_folder_is(const ct_folder *folder, const char *path)
{
    struct stat one, other;
    return stat(path, &one) == 0 && fstat(folder->handle, &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

int ct_folder_handle(const ct_folder *folder)
{
    return folder->handle;
}

int ct_folder_claim(ct_folder *folder, const char *name)
{
    const int failed = folder_lock(folder, folder_hash(name));
    if (failed) return failed;
    folder->claimed = true;
    if (folder->aside && !folder->lockless) folder_put_back(folder, name);
    return 0;
}

/* The lock file is removed with the last lock in it. If we have one it is still there. */
void ct_folder_free(ct_folder *folder)
{
    if (!folder) return;
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (folder->lock >= 0) {
        const bool last = folder->lockless || fcntl(folder->lock, F_OFD_SETLK, &all) == 0;
        struct stat about;
        const bool there =
            folder->claimed || (fstat(folder->lock, &about) == 0 && about.st_nlink > 0);
        if (last && there) (void)unlinkat(folder->handle, CT_FOLDER_LOCK, 0);
        (void)close(folder->lock);
    }
    (void)close(folder->handle);
    ct_memory_free(folder);
}
