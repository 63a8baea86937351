/* file.c: whole files in and out; a file that is written appears only when it is whole.
 * Room: base. Knows names and bytes. Does not know formats. */
#include "file.h"

#include "draft.h"
#include "fail.h"
#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CT_FILE_PIECE ((size_t)65536)

static ct_status ct_file_fail(ct_error *err, const char *doing, const char *file)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", file, doing, strerror(errno));
}

/* In pieces, since a pipe or a device does not know its length. */
ct_status ct_file_read(char **out, size_t *length, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    char *data = NULL;
    size_t used = 0, size = 0, got = 0;
    *out = NULL;
    if (length) *length = 0;
    FILE *stream = fopen(file, "rb");
    if (stream == NULL) return ct_file_fail(err, "read", file);
    do {
        if (size - used <= CT_FILE_PIECE) {
            size = 2 * size + 2 * CT_FILE_PIECE;
            data = ct_memory_grow(data, size);
        }
        got = fread(data + used, 1, size - used - 1, stream);
        used += got;
    } while (got > 0);
    if (ferror(stream)) CT_TRY(ct_file_fail(err, "read", file));
    data[used] = '\0';
    *out = data;
    if (length) *length = used;
    data = NULL;
out:
    ct_memory_free(data);
    fclose(stream);
    return status;
}

static ct_status ct_file_put(int handle, const char *text, size_t length, const char *file,
                             ct_error *err)
{
    while (length > 0) {
        ssize_t put = write(handle, text, length);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return ct_file_fail(err, "written", file);
        text += put;
        length -= (size_t)put;
    }
    return CT_OK;
}

ct_status ct_file_write(const char *file, const char *text, size_t length, ct_error *err)
{
    ct_status status = CT_OK;
    ct_drafts *drafts = ct_drafts_new();
    ct_draft draft = {.handle = -1};
    CT_TRY(ct_drafts_add(drafts, file, NULL, NULL, &draft, err));
    CT_TRY(ct_file_put(draft.handle, text, length, file, err));
    const int closed = close(draft.handle);
    draft.handle = -1;
    if (closed != 0 && errno != EINTR) CT_TRY(ct_file_fail(err, "written", file));
    CT_TRY(ct_drafts_settle(&drafts, 1, err));
    CT_TRY(ct_drafts_publish(&drafts, 1, err));
out:
    if (draft.handle >= 0) (void)close(draft.handle);
    ct_drafts_free(drafts);
    return status;
}

/* The folder's name into `out`; what stands behind it is returned. */
static const char *ct_file_split(char *out, size_t size, const char *file)
{
    const char *slash = strrchr(file, '/');
    snprintf(out, size, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
    return slash ? slash + 1 : file;
}

bool ct_file_same(const char *a, const char *b)
{
    struct stat one, other;
    char folder[2][4096];
    bool there = stat(a, &one) == 0, also = stat(b, &other) == 0;
    if (there && also && !S_ISREG(one.st_mode)) return false;
    if (!there && !also) {
        const char *name = ct_file_split(folder[0], sizeof folder[0], a);
        if (strcmp(name, ct_file_split(folder[1], sizeof folder[1], b)) != 0) return false;
        there = stat(folder[0], &one) == 0;
        also = stat(folder[1], &other) == 0;
    }
    return there && also && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
