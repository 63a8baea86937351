/* output_path.c: see output_path.h. The last part of a name is followed by hand, since realpath()
 * knows nothing of files that are not there yet.
 * Room: base. Knows POSIX names and links. Does not write. */
#include "output_path.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTPUT_PATH_LINKS = 40 }; /* more are a circle */

/* Opened by such a name a redirected file would be written from its start, over what is there. */
static bool path_handle(ct_output_path *output)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const size_t length = strlen(folders[i]);
        const char *number = output->path + length;
        if (strncmp(output->path, folders[i], length) != 0 || strlen(number) > 6) continue;
        if (*number == 0 || number[strspn(number, "0123456789")] != 0) continue;
        output->kind = CT_OUTPUT_PATH_HANDLE;
        output->handle = (int)strtol(number, NULL, 10); /* six digits at most */
        return true;
    }
    return false;
}

static int path_name(ct_output_path *output)
{
    const char *slash = strrchr(output->path, '/');
    output->name = slash ? (size_t)(slash - output->path) + 1 : 0;
    return output->path[output->name] ? 0 : *output->path ? EISDIR : ENOENT;
}

/* The link's text in place of its name; relative ones are taken from its folder. */
static int path_follow(ct_output_path *output)
{
    char text[CT_OUTPUT_PATH_SIZE], folder[CT_OUTPUT_PATH_SIZE];
    const ssize_t length = readlink(output->path, text, sizeof text - 1);
    if (length < 0) return errno;
    text[length] = 0;
    memcpy(folder, output->path, output->name);
    folder[text[0] == '/' ? 0 : output->name] = 0;
    const int whole = snprintf(output->path, sizeof output->path, "%s%s", folder, text);
    return whole < 0 || (size_t)whole >= sizeof output->path ? ENAMETOOLONG : 0;
}

static int path_look(ct_output_path *output, const struct stat *about)
{
    output->kind = S_ISREG(about->st_mode)   ? CT_OUTPUT_PATH_FILE
                   : S_ISDIR(about->st_mode) ? CT_OUTPUT_PATH_FOLDER
                                             : CT_OUTPUT_PATH_SPECIAL;
    output->there = true;
    output->type = about->st_mode;
    output->mode = about->st_mode & 07777;
    output->device = about->st_dev;
    output->inode = about->st_ino;
    return 0;
}

int ct_output_path_find(ct_output_path *out, const char *file)
{
    struct stat about;
    *out = (ct_output_path){.kind = CT_OUTPUT_PATH_FILE, .handle = -1};
    const size_t length = strlen(file);
    if (length >= sizeof out->path) return ENAMETOOLONG;
    memcpy(out->path, file, length + 1);
    for (int links = 0; links < OUTPUT_PATH_LINKS; links++) {
        int failed = path_name(out);
        if (failed || path_handle(out)) return failed;
        if (lstat(out->path, &about) != 0) return errno == ENOENT ? 0 : errno;
        if (!S_ISLNK(about.st_mode)) return path_look(out, &about);
        failed = path_follow(out);
        if (failed) return failed;
    }
    return ELOOP;
}

const char *ct_output_path_folder(const ct_output_path *output, char *out)
{
    memcpy(out, output->path, output->name);
    out[output->name] = 0;
    return output->name ? out : ".";
}

int ct_output_path_refuses(const ct_output_path *output, bool folder)
{
    const bool is_folder = output->kind == CT_OUTPUT_PATH_FOLDER;
    const bool is_other = output->there || output->kind == CT_OUTPUT_PATH_HANDLE;
    if (!folder) return is_folder ? EISDIR : 0;
    return is_other && !is_folder ? ENOTDIR : 0;
}

const char *ct_output_path_problem(const char *file, bool folder)
{
    ct_output_path output;
    char parent[CT_OUTPUT_PATH_SIZE];
    int failed = ct_output_path_find(&output, file);
    if (!failed) failed = ct_output_path_refuses(&output, folder);
    if (failed) return strerror(failed);
    if (output.kind == CT_OUTPUT_PATH_HANDLE) return NULL;
    if (output.kind == CT_OUTPUT_PATH_SPECIAL)
        return access(output.path, W_OK) == 0 ? NULL : strerror(errno);
    return access(ct_output_path_folder(&output, parent), W_OK | X_OK) == 0 ? NULL
                                                                            : strerror(errno);
}
