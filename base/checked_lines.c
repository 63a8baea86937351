/* checked_lines.c: see checked_lines.h.
 * Room: base. */
#include "checked_lines.h"
#include "cornerturn_stage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "checksum.h"
#include "fail.h"
#include "file.h"
#include "memory.h"
#include "text.h"

enum { LINES_FNV = 17, LINES_CRC = 18 }; /* lengths of the two */

static void lines_seal(const ct_checked_lines *lines, const char *json, size_t length,
                       char out[CT_CHECKED_LINES_SEAL])
{
    if (lines->crc)
        snprintf(out, CT_CHECKED_LINES_SEAL, ",\"crc\":\"%08" PRIx32 "\"}",
                 ct_checksum_crc32(json, length));
    else
        snprintf(out, CT_CHECKED_LINES_SEAL, "%016" PRIx64 " ", ct_checksum(json, length));
}

static ct_status lines_take(ct_checked_lines *lines, char *text, size_t length, const char *path,
                            char seal[CT_CHECKED_LINES_SEAL], ct_error *err)
{
    ct_status status = CT_OK;
    char name[4096 + 32];
    const size_t around = lines->crc ? LINES_CRC : LINES_FNV;
    const size_t body = length > around ? length - around : 0;
    text[length] = 0;
    char *json = lines->crc ? text : text + (length - body);
    lines_seal(lines, json, body, seal);
    if (body == 0 || strlen(text) != length ||
        memcmp(seal, lines->crc ? text + body : text, around) != 0)
        return CT_MISMATCH;
    snprintf(name, sizeof name, "%.4095s:%zu", path, lines->count + 1);
    CT_TRY(ct_memory_grow(&lines->line, sizeof *lines->line * (lines->count + 1), err));
    CT_TRY(ct_value_parse(&lines->line[lines->count], json, name, err));
    lines->count++;
out:
    return status;
}

ct_status ct_checked_lines_read(ct_checked_lines *lines, const char *path,
                                char seal[CT_CHECKED_LINES_SEAL], ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL, *end;
    size_t length = 0;
    CT_TRY(ct_file_read(&text, &length, path, err));
    for (char *at = text; (end = memchr(at, '\n', length - (size_t)(at - text))); at = end + 1) {
        CT_TRY(lines_take(lines, at, (size_t)(end - at), path, seal, err));
        lines->bytes = end + 1 - text;
    }
out:
    ct_memory_free(text);
    return status;
}

int ct_checked_lines_put(int handle, const void *data, size_t bytes)
{
    for (const char *at = data; bytes > 0;) {
        const ssize_t n = write(handle, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        at += n;
        bytes -= (size_t)n;
    }
    return 0;
}

int ct_checked_lines_sync(int handle)
{
    while (fdatasync(handle) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

int ct_checked_lines_add(ct_checked_lines *lines, const char *json)
{
    ct_text text = {0};
    char seal[CT_CHECKED_LINES_SEAL];
    const size_t length = strlen(json) - lines->crc; /* the seal takes the place of the last } */
    lines_seal(lines, json, length, seal);
    ct_text_add(&text, "%s%.*s%s\n", lines->crc ? "" : seal, (int)length, json,
                lines->crc ? seal : "");
    int failed = ct_text_check(&text, NULL) == CT_OK ? 0 : ENOMEM;
    if (!failed && lseek(lines->handle, lines->bytes, SEEK_SET) < 0) failed = errno;
    if (!failed) failed = ct_checked_lines_put(lines->handle, text.data, text.length);
    if (!failed) failed = ct_checked_lines_sync(lines->handle);
    if (failed)
        (void)!ftruncate(lines->handle, lines->bytes);
    else
        lines->bytes += (off_t)text.length;
    ct_text_free(&text);
    return failed;
}

void ct_checked_lines_free(ct_checked_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        ct_value_free(lines->line[i]);
    ct_memory_free(lines->line);
    lines->line = NULL;
    lines->count = 0;
}
