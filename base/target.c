/* target.c: see target.h. The last part of a name is followed by hand, since realpath() knows
 * nothing of files that are not there yet.
 * Room: base. Knows POSIX names and links. Does not write. */
#include "target.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TARGET_LINKS = 40 }; /* more are a circle */

/* Opened by such a name a redirected file would start anew, before what stands there. */
static bool target_handle(ct_target *target)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const size_t length = strlen(folders[i]);
        const char *number = target->path + length;
        if (strncmp(target->path, folders[i], length) != 0 || strlen(number) > 6) continue;
        if (*number == 0 || number[strspn(number, "0123456789")] != 0) continue;
        target->kind = CT_TARGET_HANDLE;
        target->handle = (int)strtol(number, NULL, 10); /* six digits at most */
        return true;
    }
    return false;
}

static int target_name(ct_target *target)
{
    const char *slash = strrchr(target->path, '/');
    target->name = slash ? (size_t)(slash - target->path) + 1 : 0;
    return target->path[target->name] ? 0 : *target->path ? EISDIR : ENOENT;
}

/* The link's text in place of its name; relative ones are taken from its folder. */
static int target_follow(ct_target *target)
{
    char text[CT_TARGET_PATH], folder[CT_TARGET_PATH];
    const ssize_t length = readlink(target->path, text, sizeof text - 1);
    if (length < 0) return errno;
    text[length] = 0;
    memcpy(folder, target->path, target->name);
    folder[text[0] == '/' ? 0 : target->name] = 0;
    const int whole = snprintf(target->path, sizeof target->path, "%s%s", folder, text);
    return whole < 0 || (size_t)whole >= sizeof target->path ? ENAMETOOLONG : 0;
}

static int target_look(ct_target *target, const struct stat *about)
{
    if (S_ISDIR(about->st_mode)) return EISDIR;
    target->kind = S_ISREG(about->st_mode) ? CT_TARGET_FILE : CT_TARGET_SPECIAL;
    target->there = true;
    target->type = about->st_mode;
    target->mode = about->st_mode & 07777;
    target->device = about->st_dev;
    target->inode = about->st_ino;
    return 0;
}

int ct_target_find(ct_target *out, const char *file)
{
    struct stat about;
    *out = (ct_target){.kind = CT_TARGET_FILE, .handle = -1};
    const size_t length = strlen(file);
    if (length >= sizeof out->path) return ENAMETOOLONG;
    memcpy(out->path, file, length + 1);
    for (int links = 0; links < TARGET_LINKS; links++) {
        int failed = target_name(out);
        if (failed || target_handle(out)) return failed;
        if (lstat(out->path, &about) != 0) return errno == ENOENT ? 0 : errno;
        if (!S_ISLNK(about.st_mode)) return target_look(out, &about);
        failed = target_follow(out);
        if (failed) return failed;
    }
    return ELOOP;
}

const char *ct_target_folder(const ct_target *target, char *out)
{
    memcpy(out, target->path, target->name);
    out[target->name] = 0;
    return target->name ? out : ".";
}

const char *ct_target_lacks(const char *file)
{
    ct_target target;
    char folder[CT_TARGET_PATH];
    const int failed = ct_target_find(&target, file);
    if (failed) return strerror(failed);
    if (target.kind == CT_TARGET_HANDLE) return NULL;
    if (target.kind == CT_TARGET_SPECIAL)
        return access(target.path, W_OK) == 0 ? NULL : strerror(errno);
    return access(ct_target_folder(&target, folder), W_OK | X_OK) == 0 ? NULL : strerror(errno);
}
