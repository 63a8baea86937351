/* record.c: see record.h.
 * Room: tuner/pipeline. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "expand.h"
#include "fail.h"
#include "file.h"
#include "memory.h"

struct ct_record {
    int handle; /* -1: read only */
    char *file;
    ct_value **lines;
    size_t count;
    bool begun; /* with its head, and nothing was added */
};

/* ,"crc":"01234567"} */
enum { RECORD_SEAL = 18 };

static unsigned record_sum(const char *text, size_t length)
{
    return (unsigned)crc32(crc32(0, NULL, 0), (const unsigned char *)text, (unsigned)length);
}

static void record_seal(char out[RECORD_SEAL + 1], const char *json, size_t length)
{
    snprintf(out, RECORD_SEAL + 1, ",\"crc\":\"%08x\"}", record_sum(json, length));
}

/* ---- reading */

static ct_status record_take(ct_record *record, char *line, size_t length, ct_error *err)
{
    char seal[RECORD_SEAL + 1], name[4096 + 32];
    ct_value *value = NULL;
    const size_t place = record->count + 1, body = length < RECORD_SEAL ? 0 : length - RECORD_SEAL;
    snprintf(name, sizeof name, "%.4095s:%zu", record->file, place);
    record_seal(seal, line, body);
    if (body == 0 || memcmp(seal, line + body, RECORD_SEAL) != 0)
        return ct_error_add(err, CT_DATA,
                            "%s: the line does not have its checksum: expected it to end in %s",
                            name, seal);
    line[length] = 0;
    ct_status status = ct_value_parse(&value, line, name, err);
    if (status != CT_OK) return status;
    status = ct_memory_grow(&record->lines, sizeof *record->lines * (record->count + 1), err);
    if (status == CT_OK)
        record->lines[record->count++] = value;
    else
        ct_value_free(value);
    return status;
}

/* *whole: bytes of whole lines; what follows was cut off. */
static ct_status record_read(ct_record *record, size_t *whole, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL, *end;
    size_t length = 0;
    *whole = 0;
    CT_TRY(ct_file_read(&text, &length, record->file, err));
    for (char *at = text; (end = memchr(at, '\n', length - *whole)) != NULL; at = end + 1) {
        CT_TRY(record_take(record, at, (size_t)(end - at), err));
        *whole = (size_t)(end + 1 - text);
    }
out:
    ct_memory_free(text);
    return status;
}

/* ---- the head */

/* The first member in which two objects differ, with both texts. */
static ct_status record_differ(const ct_record *record, const char *key, const ct_value *found,
                               const ct_value *expected, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text a = {0}, b = {0};
    for (size_t i = 0; ct_value_kind(expected) == CT_OBJECT && i < ct_value_count(expected); i++) {
        char inner[256];
        const char *name = ct_value_key(expected, i);
        snprintf(inner, sizeof inner, "%s/%s", key, name);
        CT_TRY(
            record_differ(record, inner, ct_value_get(found, name), ct_value_at(expected, i), err));
    }
    if (ct_value_kind(expected) == CT_OBJECT) goto out;
    CT_TRY(found ? ct_expand_value(&a, found, err) : CT_OK);
    CT_TRY(ct_expand_value(&b, expected, err));
    if (!found || strcmp(a.data, b.data) != 0)
        status = ct_error_add(err, CT_INVALID,
                              "%s:1: %s: found %s, but this tuning has %s: the journal is for "
                              "another one",
                              record->file, key, found ? a.data : "nothing", b.data);
out:
    ct_text_free(&a);
    ct_text_free(&b);
    return status;
}

/* By node, stages that were made of files: these must be as they were. */
static ct_status record_stages(const ct_record *record, const ct_value *found,
                               const ct_value *expected, ct_error *err)
{
    for (size_t i = 0; i < ct_value_count(expected); i++) {
        const char *node = ct_value_key(expected, i);
        const ct_value *now = ct_value_at(expected, i), *was = ct_value_get(found, node);
        if (strcmp(ct_value_text(ct_value_get(now, "digest"), ""),
                   ct_value_text(ct_value_get(was, "digest"), "")) == 0)
            continue;
        return ct_error_add(err, CT_INVALID,
                            "%s:1: /stages/%s: the journal is for another stage: its files have "
                            "changed since (%s)",
                            record->file, node, ct_value_text(ct_value_get(now, "files"), ""));
    }
    return CT_OK;
}

static ct_status record_check(const ct_record *record, const char *head, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *expected = NULL;
    const ct_value *found = record->lines[0];
    const ct_value *format = ct_value_get(found, "cornerturn_journal");
    if (ct_value_int(format, 0) != CT_RECORD_FORMAT)
        return ct_error_add(err, CT_INVALID,
                            "%s:1: expected a journal of version %d (\"cornerturn_journal\": %d)",
                            record->file, CT_RECORD_FORMAT, CT_RECORD_FORMAT);
    if (!head) return CT_OK;
    CT_TRY(ct_value_parse(&expected, head, "the journal's first line", err));
    CT_TRY(record_differ(record, "/pipeline", ct_value_get(found, "pipeline"),
                         ct_value_get(expected, "pipeline"), err));
    CT_TRY(record_differ(record, "/key", ct_value_get(found, "key"), ct_value_get(expected, "key"),
                         err));
    CT_TRY(record_stages(record, ct_value_get(found, "stages"), ct_value_get(expected, "stages"),
                         err));
out:
    ct_value_free(expected);
    return status;
}

/* ---- opening */

static ct_status record_fail(const ct_record *record, const char *what, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: %s: %s", record->file, what, strerror(errno));
}

static ct_status record_lock(ct_record *record, ct_error *err)
{
    record->handle = open(record->file, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_NONBLOCK, 0666);
    if (record->handle < 0) return record_fail(record, "cannot be written", err);
    if (flock(record->handle, LOCK_EX | LOCK_NB) == 0) return CT_OK;
    if (errno != EWOULDBLOCK) return record_fail(record, "cannot be locked", err);
    return ct_error_add(err, CT_DATA, "%s: another tuning is writing it", record->file);
}

static ct_status record_go_on(ct_record *record, const char *head, bool resume, ct_error *err)
{
    ct_status status = CT_OK;
    size_t whole = 0;
    const off_t bytes = lseek(record->handle, 0, SEEK_END);
    if (bytes == 0) {
        struct stat about;
        status = ct_record_add(record, head, err);
        record->begun = fstat(record->handle, &about) == 0 && S_ISREG(about.st_mode);
        return status;
    }
    if (!resume)
        return ct_error_add(err, CT_USAGE,
                            "%s: is there already: --resume goes on with it, or remove it",
                            record->file);
    CT_TRY(record_read(record, &whole, err));
    if (record->count == 0 && bytes > 0)
        return ct_error_add(err, CT_DATA, "%s:1: expected a journal, found no whole line",
                            record->file);
    CT_TRY(record_check(record, head, err));
    if (ftruncate(record->handle, (off_t)whole) != 0)
        status = record_fail(record, "cannot be cut to its whole lines", err);
out:
    return status;
}

/* *out is there even where this fails, or NULL. */
static ct_status record_new(ct_record **out, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    ct_record *record = *out = ct_memory_get(sizeof *record);
    CT_NEED(record, sizeof *record, err);
    record->handle = -1;
    record->file = ct_memory_copy(file);
    CT_NEED(record->file, strlen(file) + 1, err);
out:
    return status;
}

ct_status ct_record_open(ct_record **out, const char *file, const char *head, bool resume,
                         ct_error *err)
{
    ct_status status = CT_OK;
    ct_record *record;
    CT_TRY(record_new(&record, file, err));
    CT_TRY(record_lock(record, err));
    CT_TRY(record_go_on(record, head, resume, err));
out:
    if (status != CT_OK) {
        ct_record_close(record);
        record = NULL;
    }
    *out = record;
    return status;
}

ct_status ct_record_load(ct_record **out, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    size_t whole = 0;
    ct_record *record;
    CT_TRY(record_new(&record, file, err));
    CT_TRY(record_read(record, &whole, err));
    if (record->count == 0)
        CT_TRY(ct_error_add(err, CT_DATA, "%s:1: expected a journal, found no whole line", file));
    CT_TRY(record_check(record, NULL, err));
out:
    if (status != CT_OK) {
        ct_record_close(record);
        record = NULL;
    }
    *out = record;
    return status;
}

void ct_record_close(ct_record *record)
{
    if (!record) return;
    for (size_t i = 0; i < record->count; i++)
        ct_value_free(record->lines[i]);
    if (record->begun) (void)remove(record->file);
    if (record->handle >= 0) close(record->handle);
    ct_memory_free(record->lines);
    ct_memory_free(record->file);
    ct_memory_free(record);
}

size_t ct_record_count(const ct_record *record)
{
    return record->count;
}

const ct_value *ct_record_line(const ct_record *record, size_t n)
{
    return n < record->count ? record->lines[n] : NULL;
}

/* ---- adding: one write, so that a reader never sees half of it but at a kill */

static ct_status record_write(const ct_record *record, const char *line, size_t length,
                              ct_error *err)
{
    const off_t before = lseek(record->handle, 0, SEEK_END);
    ssize_t written;
    do
        written = write(record->handle, line, length);
    while (written < 0 && errno == EINTR);
    if (written == (ssize_t)length && fdatasync(record->handle) == 0) return CT_OK;
    if (written >= 0 && (size_t)written < length) errno = ENOSPC;
    const ct_status status = record_fail(record, "cannot be written", err);
    if (before >= 0 && ftruncate(record->handle, before) != 0) return status;
    return status;
}

ct_status ct_record_add(ct_record *record, const char *json, ct_error *err)
{
    ct_text line = {0};
    char seal[RECORD_SEAL + 1];
    const size_t length = strlen(json);
    record_seal(seal, json, length - 1);
    ct_text_add(&line, "%.*s%s\n", (int)length - 1, json, seal);
    ct_status status = ct_text_check(&line, err);
    if (status == CT_OK) status = record_write(record, line.data, line.length, err);
    if (status == CT_OK) record->begun = false;
    ct_text_free(&line);
    return status;
}
