/* tuning_journal.c: see tuning_journal.h.
 * Room: tuner/store. */
#include "tuning_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checked_lines.h"
#include "expand.h"
#include "fail.h"
#include "memory.h"

struct ct_tuning_journal {
    ct_checked_lines lines;
    char *file;
    bool begun; /* with its head, and nothing was added */
};

/* ---- reading */

/* What people name in place of a journal: its plan, or a pipeline. False: it is neither. */
static bool journal_is_other(const char *file, ct_error *err)
{
    char beside[4096];
    ct_value *root = NULL;
    if (ct_value_load(&root, file, NULL) != CT_OK) return false;
    const bool plan = ct_value_get(root, "cornerturn_plan"),
               pipeline = ct_value_get(root, "cornerturn");
    ct_value_free(root);
    snprintf(beside, sizeof beside, "%s.journal", file);
    const bool there = access(beside, R_OK) == 0;
    if (plan)
        (void)ct_error_add(err, CT_DATA,
                           "%s: found a plan, expected the journal of a tuning, which 'cornerturn "
                           "tune -o PLAN' writes beside it%s%s",
                           file, there ? ": " : " as PLAN.journal", there ? beside : "");
    else if (pipeline)
        (void)ct_error_add(err, CT_DATA,
                           "%s: found a pipeline, expected the journal of a tuning, which "
                           "'cornerturn tune %s -o PLAN' writes as PLAN.journal",
                           file, file);
    return plan || pipeline;
}

static ct_status journal_read(ct_tuning_journal *journal, ct_error *err)
{
    char seal[CT_CHECKED_LINES_SEAL];
    const ct_status status = ct_checked_lines_read(&journal->lines, journal->file, seal, err);
    if (status == CT_MISMATCH && journal->lines.count == 0 && journal_is_other(journal->file, err))
        return CT_DATA;
    if (status == CT_MISMATCH)
        return ct_error_add(err, CT_DATA,
                            "%s:%zu: the line does not have its checksum: expected it to end in %s",
                            journal->file, journal->lines.count + 1, seal);
    if (status == CT_OK && journal->lines.count == 0)
        return ct_error_add(err, CT_DATA, "%s:1: expected a journal, found no whole line",
                            journal->file);
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
    const ct_value *found = journal->lines.line[0];
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

static ct_status journal_fail(const ct_tuning_journal *journal, const char *what, int code,
                              ct_error *err)
{
    if (code == ENOMEM) return ct_memory_fail(0, err);
    return ct_error_add(err, CT_DATA, "%s: %s: %s", journal->file, what, strerror(code));
}

static ct_status journal_lock(ct_tuning_journal *journal, ct_error *err)
{
    const int handle = journal->lines.handle =
        open(journal->file, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (handle < 0) return journal_fail(journal, "cannot be written", errno, err);
    if (flock(handle, LOCK_EX | LOCK_NB) == 0) return CT_OK;
    if (errno != EWOULDBLOCK) return journal_fail(journal, "cannot be locked", errno, err);
    return ct_error_add(err, CT_DATA, "%s: another tuning is writing it", journal->file);
}

static ct_status journal_go_on(ct_tuning_journal *journal, const char *head, bool resume,
                               ct_error *err)
{
    ct_status status = CT_OK;
    struct stat about;
    if (lseek(journal->lines.handle, 0, SEEK_END) == 0) {
        CT_TRY(ct_tuning_journal_add(journal, head, err));
        journal->begun = fstat(journal->lines.handle, &about) == 0 && S_ISREG(about.st_mode);
        return CT_OK;
    }
    if (!resume)
        return ct_error_add(err, CT_USAGE,
                            "%s: is there already: --resume goes on with it, or remove it",
                            journal->file);
    CT_TRY(journal_read(journal, err));
    CT_TRY(journal_check(journal, head, err));
    if (ftruncate(journal->lines.handle, journal->lines.bytes) != 0)
        status = journal_fail(journal, "cannot be cut to its whole lines", errno, err);
out:
    return status;
}

/* `head` NULL: for reading only. */
static ct_status journal_start(ct_tuning_journal *journal, const char *file, const char *head,
                               bool resume, ct_error *err)
{
    ct_status status = CT_OK;
    journal->lines = (ct_checked_lines){.crc = true, .handle = -1};
    journal->file = ct_memory_copy(file);
    CT_NEED(journal->file, strlen(file) + 1, err);
    if (head) {
        CT_TRY(journal_lock(journal, err));
        CT_TRY(journal_go_on(journal, head, resume, err));
    } else {
        CT_TRY(journal_read(journal, err));
        CT_TRY(journal_check(journal, NULL, err));
    }
out:
    return status;
}

ct_status ct_tuning_journal_open(ct_tuning_journal **out, const char *file, const char *head,
                                 bool resume, ct_error *err)
{
    ct_tuning_journal *journal = *out = ct_memory_get(sizeof *journal);
    if (!journal) return ct_memory_fail(sizeof *journal, err);
    const ct_status status = journal_start(journal, file, head, resume, err);
    if (status == CT_OK) return CT_OK;
    ct_tuning_journal_close(journal);
    *out = NULL;
    return status;
}

ct_status ct_tuning_journal_load(ct_tuning_journal **out, const char *file, ct_error *err)
{
    return ct_tuning_journal_open(out, file, NULL, false, err);
}

void ct_tuning_journal_close(ct_tuning_journal *journal)
{
    if (!journal) return;
    ct_checked_lines_free(&journal->lines);
    if (journal->begun) (void)remove(journal->file);
    if (journal->lines.handle >= 0) close(journal->lines.handle);
    ct_memory_free(journal->file);
    ct_memory_free(journal);
}

size_t ct_tuning_journal_count(const ct_tuning_journal *journal)
{
    return journal->lines.count;
}

const ct_value *ct_tuning_journal_line(const ct_tuning_journal *journal, size_t n)
{
    return n < journal->lines.count ? journal->lines.line[n] : NULL;
}

ct_status ct_tuning_journal_add(ct_tuning_journal *journal, const char *json, ct_error *err)
{
    const int failed = ct_checked_lines_add(&journal->lines, json);
    if (failed) return journal_fail(journal, "cannot be written", failed, err);
    journal->begun = false;
    return CT_OK;
}
