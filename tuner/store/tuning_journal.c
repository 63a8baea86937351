/* tuning_journal.c: see tuning_journal.h.
 * Room: tuner/store. */
#include "tuning_journal.h"

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

struct ct_tuning_journal {
    int handle; /* -1: read only */
    char *file;
    ct_value **lines;
    size_t count;
    bool begun; /* with its head, and nothing was added */
};

/* ,"crc":"01234567"} */
enum { JOURNAL_SEAL = 18 };

static unsigned journal_sum(const char *text, size_t length)
{
    return (unsigned)crc32(crc32(0, NULL, 0), (const unsigned char *)text, (unsigned)length);
}

static void journal_seal(char out[JOURNAL_SEAL + 1], const char *json, size_t length)
{
    snprintf(out, JOURNAL_SEAL + 1, ",\"crc\":\"%08x\"}", journal_sum(json, length));
}

/* ---- reading */

static ct_status journal_take(ct_tuning_journal *journal, char *line, size_t length, ct_error *err)
{
    char seal[JOURNAL_SEAL + 1], name[4096 + 32];
    ct_value *value = NULL;
    const size_t place = journal->count + 1,
                 body = length < JOURNAL_SEAL ? 0 : length - JOURNAL_SEAL;
    snprintf(name, sizeof name, "%.4095s:%zu", journal->file, place);
    journal_seal(seal, line, body);
    if (body == 0 || memcmp(seal, line + body, JOURNAL_SEAL) != 0)
        return ct_error_add(err, CT_DATA,
                            "%s: the line does not have its checksum: expected it to end in %s",
                            name, seal);
    line[length] = 0;
    ct_status status = ct_value_parse(&value, line, name, err);
    if (status != CT_OK) return status;
    status = ct_memory_grow(&journal->lines, sizeof *journal->lines * (journal->count + 1), err);
    if (status == CT_OK)
        journal->lines[journal->count++] = value;
    else
        ct_value_free(value);
    return status;
}

/* *whole: bytes of whole lines; what follows was cut off. */
static ct_status journal_read(ct_tuning_journal *journal, size_t *whole, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL, *end;
    size_t length = 0;
    *whole = 0;
    CT_TRY(ct_file_read(&text, &length, journal->file, err));
    for (char *at = text; (end = memchr(at, '\n', length - *whole)) != NULL; at = end + 1) {
        CT_TRY(journal_take(journal, at, (size_t)(end - at), err));
        *whole = (size_t)(end + 1 - text);
    }
out:
    ct_memory_free(text);
    return status;
}

/* ---- the head */

/* The first member in which two objects differ, with both texts. */
static ct_status journal_differ(const ct_tuning_journal *journal, const char *key,
                                const ct_value *found, const ct_value *expected, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text a = {0}, b = {0};
    for (size_t i = 0; ct_value_kind(expected) == CT_OBJECT && i < ct_value_count(expected); i++) {
        char inner[256];
        const char *name = ct_value_key(expected, i);
        snprintf(inner, sizeof inner, "%s/%s", key, name);
        CT_TRY(journal_differ(journal, inner, ct_value_get(found, name), ct_value_at(expected, i),
                              err));
    }
    if (ct_value_kind(expected) == CT_OBJECT) goto out;
    CT_TRY(found ? ct_expand_value(&a, found, err) : CT_OK);
    CT_TRY(ct_expand_value(&b, expected, err));
    if (!found || strcmp(a.data, b.data) != 0)
        status = ct_error_add(err, CT_INVALID,
                              "%s:1: %s: found %s, but this tuning has %s: the journal is for "
                              "another one",
                              journal->file, key, found ? a.data : "nothing", b.data);
out:
    ct_text_free(&a);
    ct_text_free(&b);
    return status;
}

/* By node, stages that were made of files: these must be as they were. */
static ct_status journal_stages(const ct_tuning_journal *journal, const ct_value *found,
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
                            journal->file, node, ct_value_text(ct_value_get(now, "files"), ""));
    }
    return CT_OK;
}

static ct_status journal_check(const ct_tuning_journal *journal, const char *head, ct_error *err)
{
    ct_status status = CT_OK;
    ct_value *expected = NULL;
    const ct_value *found = journal->lines[0];
    const ct_value *format = ct_value_get(found, "cornerturn_journal");
    if (ct_value_int(format, 0) != CT_TUNING_JOURNAL_FORMAT)
        return ct_error_add(err, CT_INVALID,
                            "%s:1: expected a journal of version %d (\"cornerturn_journal\": %d)",
                            journal->file, CT_TUNING_JOURNAL_FORMAT, CT_TUNING_JOURNAL_FORMAT);
    if (!head) return CT_OK;
    CT_TRY(ct_value_parse(&expected, head, "the journal's first line", err));
    CT_TRY(journal_differ(journal, "/pipeline", ct_value_get(found, "pipeline"),
                          ct_value_get(expected, "pipeline"), err));
    CT_TRY(journal_differ(journal, "/key", ct_value_get(found, "key"),
                          ct_value_get(expected, "key"), err));
    CT_TRY(journal_stages(journal, ct_value_get(found, "stages"), ct_value_get(expected, "stages"),
                          err));
out:
    ct_value_free(expected);
    return status;
}

/* ---- opening */

static ct_status journal_fail(const ct_tuning_journal *journal, const char *what, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: %s: %s", journal->file, what, strerror(errno));
}

static ct_status journal_lock(ct_tuning_journal *journal, ct_error *err)
{
    journal->handle =
        open(journal->file, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND | O_NONBLOCK, 0666);
    if (journal->handle < 0) return journal_fail(journal, "cannot be written", err);
    if (flock(journal->handle, LOCK_EX | LOCK_NB) == 0) return CT_OK;
    if (errno != EWOULDBLOCK) return journal_fail(journal, "cannot be locked", err);
    return ct_error_add(err, CT_DATA, "%s: another tuning is writing it", journal->file);
}

static ct_status journal_go_on(ct_tuning_journal *journal, const char *head, bool resume,
                               ct_error *err)
{
    ct_status status = CT_OK;
    size_t whole = 0;
    const off_t bytes = lseek(journal->handle, 0, SEEK_END);
    if (bytes == 0) {
        struct stat about;
        status = ct_tuning_journal_add(journal, head, err);
        journal->begun = fstat(journal->handle, &about) == 0 && S_ISREG(about.st_mode);
        return status;
    }
    if (!resume)
        return ct_error_add(err, CT_USAGE,
                            "%s: is there already: --resume goes on with it, or remove it",
                            journal->file);
    CT_TRY(journal_read(journal, &whole, err));
    if (journal->count == 0 && bytes > 0)
        return ct_error_add(err, CT_DATA, "%s:1: expected a journal, found no whole line",
                            journal->file);
    CT_TRY(journal_check(journal, head, err));
    if (ftruncate(journal->handle, (off_t)whole) != 0)
        status = journal_fail(journal, "cannot be cut to its whole lines", err);
out:
    return status;
}

/* *out is there even where this fails, or NULL. */
static ct_status journal_new(ct_tuning_journal **out, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    ct_tuning_journal *journal = *out = ct_memory_get(sizeof *journal);
    CT_NEED(journal, sizeof *journal, err);
    journal->handle = -1;
    journal->file = ct_memory_copy(file);
    CT_NEED(journal->file, strlen(file) + 1, err);
out:
    return status;
}

ct_status ct_tuning_journal_open(ct_tuning_journal **out, const char *file, const char *head,
                                 bool resume, ct_error *err)
{
    ct_status status = CT_OK;
    ct_tuning_journal *journal;
    CT_TRY(journal_new(&journal, file, err));
    CT_TRY(journal_lock(journal, err));
    CT_TRY(journal_go_on(journal, head, resume, err));
out:
    if (status != CT_OK) {
        ct_tuning_journal_close(journal);
        journal = NULL;
    }
    *out = journal;
    return status;
}

ct_status ct_tuning_journal_load(ct_tuning_journal **out, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    size_t whole = 0;
    ct_tuning_journal *journal;
    CT_TRY(journal_new(&journal, file, err));
    CT_TRY(journal_read(journal, &whole, err));
    if (journal->count == 0)
        CT_TRY(ct_error_add(err, CT_DATA, "%s:1: expected a journal, found no whole line", file));
    CT_TRY(journal_check(journal, NULL, err));
out:
    if (status != CT_OK) {
        ct_tuning_journal_close(journal);
        journal = NULL;
    }
    *out = journal;
    return status;
}

void ct_tuning_journal_close(ct_tuning_journal *journal)
{
    if (!journal) return;
    for (size_t i = 0; i < journal->count; i++)
        ct_value_free(journal->lines[i]);
    if (journal->begun) (void)remove(journal->file);
    if (journal->handle >= 0) close(journal->handle);
    ct_memory_free(journal->lines);
    ct_memory_free(journal->file);
    ct_memory_free(journal);
}

size_t ct_tuning_journal_count(const ct_tuning_journal *journal)
{
    return journal->count;
}

const ct_value *ct_tuning_journal_line(const ct_tuning_journal *journal, size_t n)
{
    return n < journal->count ? journal->lines[n] : NULL;
}

/* ---- adding: one write, so that a reader never sees half of it but at a kill */

static ct_status journal_write(const ct_tuning_journal *journal, const char *line, size_t length,
                               ct_error *err)
{
    const off_t before = lseek(journal->handle, 0, SEEK_END);
    ssize_t written;
    do
        written = write(journal->handle, line, length);
    while (written < 0 && errno == EINTR);
    if (written == (ssize_t)length && fdatasync(journal->handle) == 0) return CT_OK;
    if (written >= 0 && (size_t)written < length) errno = ENOSPC;
    const ct_status status = journal_fail(journal, "cannot be written", err);
    if (before >= 0 && ftruncate(journal->handle, before) != 0) return status;
    return status;
}

ct_status ct_tuning_journal_add(ct_tuning_journal *journal, const char *json, ct_error *err)
{
    ct_text line = {0};
    char seal[JOURNAL_SEAL + 1];
    const size_t length = strlen(json);
    journal_seal(seal, json, length - 1);
    ct_text_add(&line, "%.*s%s\n", (int)length - 1, json, seal);
    ct_status status = ct_text_check(&line, err);
    if (status == CT_OK) status = journal_write(journal, line.data, line.length, err);
    if (status == CT_OK) journal->begun = false;
    ct_text_free(&line);
    return status;
}
