/* journal.c: see journal.h: the journal's file and its lines. What is too large for a line:
 * journal_state.c.
 * Room: base. Knows POSIX files and checksums. Does not know what the lines say. */
#include "journal_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"
#include "fail.h"
#include "file.h"
#include "output_path.h"
#include "text.h"

enum { DIGITS = 16 }; /* of a checksum, and a space behind it */

static ct_status journal_fail(const ct_journal *journal, const char *doing, int code, ct_error *err)
{
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", journal->path, doing, strerror(code));
}

static ct_status journal_damaged(const ct_journal *journal, size_t line, ct_error *err)
{
    return ct_error_add(err, CT_DATA,
                        "%s: line %zu of this journal is damaged, so its run cannot be taken up "
                        "again: without --resume it begins anew",
                        journal->path, line);
}

/* The JSON of one line, which is terminated; NULL: damaged. */
static const char *journal_check(const char *text)
{
    char *end;
    if (strlen(text) < DIGITS + 1) return NULL;
    const uint64_t expected = strtoull(text, &end, 16);
    const char *json = text + DIGITS + 1;
    if (end != text + DIGITS || *end != ' ') return NULL;
    return ct_checksum(json, strlen(json)) == expected ? json : NULL;
}

static ct_status journal_push(ct_journal *journal, const char *json, ct_error *err)
{
    ct_status status = CT_OK;
    const size_t bytes = (journal->count + 1) * sizeof *journal->lines;
    CT_TRY(ct_memory_grow(&journal->lines, bytes, err));
    CT_TRY(ct_value_parse(&journal->lines[journal->count], json, journal->path, err));
    journal->count++;
out:
    return status;
}

/* The last line may have been cut off: what it was about to say has not happened. But the first one
 * is there before anything else is. */
static ct_status journal_read(ct_journal *journal, char *text, size_t length, ct_error *err)
{
    char *line = text, *end;
    while ((end = memchr(line, '\n', length - (size_t)(line - text)))) {
        *end = 0;
        const char *json = strlen(line) == (size_t)(end - line) ? journal_check(line) : NULL;
        if (!json) return journal_damaged(journal, journal->count + 1, err);
        const ct_status status = journal_push(journal, json, err);
        if (status != CT_OK) return status;
        line = end + 1;
    }
    journal->bytes = line - text;
    if (length > 0 && journal->count == 0) return journal_damaged(journal, 1, err);
    return CT_OK;
}

static ct_status journal_start(ct_journal *journal, ct_error *err)
{
    ct_status status = CT_OK;
    char *text = NULL;
    size_t length = 0;
    const int folder = ct_folder_handle(journal->folder);
    do
        journal->handle = openat(folder, journal->name,
                                 O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    while (journal->handle < 0 && errno == EINTR);
    if (journal->handle < 0) return journal_fail(journal, "written", errno, err);
    CT_TRY(ct_file_read(&text, &length, journal->path, err));
    CT_TRY(journal_read(journal, text, length, err));
    if (ftruncate(journal->handle, journal->bytes) != 0)
        CT_TRY(journal_fail(journal, "written", errno, err));
out:
    ct_memory_free(text);
    return status;
}

static ct_status journal_claim(ct_journal *journal, const ct_output_path *output, ct_error *err)
{
    char folder[CT_OUTPUT_PATH_SIZE];
    const char *path = ct_output_path_folder(output, folder);
    ct_folder_fixed(journal->name, journal->of, 0, CT_FOLDER_JOURNAL);
    journal->path = ct_arena_print(journal->arena, "%s/%s", path, journal->name);
    const ct_status status = ct_arena_check(journal->arena, err);
    if (status != CT_OK) return status;
    journal->folder = ct_folder_open(path);
    const int failed = journal->folder ? ct_folder_claim(journal->folder, journal->name) : errno;
    if (failed == EAGAIN)
        return ct_error_add(err, CT_DATA, "%s: another run is writing this journal", journal->path);
    if (failed) return journal_fail(journal, "written", failed, err);
    if (!ct_folder_is_lockless(journal->folder)) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: cannot be written: the file system has no locks, so nobody can know "
                        "whether another run is writing this journal",
                        journal->path);
}

ct_status ct_journal_open(ct_journal **out, const char *file, ct_error *err)
{
    ct_status status = CT_OK;
    ct_output_path output;
    ct_arena *arena = NULL;
    ct_journal *journal = ct_arena_begin(&arena, sizeof *journal);
    *out = NULL;
    CT_NEED(journal, sizeof *journal, err);
    journal->arena = arena;
    journal->handle = -1;
    const int failed = ct_output_path_find(&output, file);
    if (failed)
        CT_TRY(ct_error_add(err, CT_DATA, "%s: cannot be written: %s", file, strerror(failed)));
    if (output.kind != CT_OUTPUT_PATH_FILE)
        CT_TRY(ct_error_add(err, CT_DATA,
                            "%s: a run that writes into a pipe or a device cannot be taken up "
                            "again",
                            file));
    journal->of = ct_arena_copy(journal->arena, output.path + output.name);
    CT_TRY(journal_claim(journal, &output, err));
    CT_TRY(journal_start(journal, err));
    journal->sound = true;
    *out = journal;
    journal = NULL;
out:
    ct_journal_close(journal, false);
    return status;
}

const char *ct_journal_name(const ct_journal *journal)
{
    return journal->path;
}

size_t ct_journal_count(const ct_journal *journal)
{
    return journal->count;
}

const ct_value *ct_journal_line(const ct_journal *journal, size_t n)
{
    return n < journal->count ? journal->lines[n] : NULL;
}

int ct_journal_put(int handle, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t n = write(handle, data, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

int ct_journal_sync(int handle)
{
    while (fdatasync(handle) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

/* What could not be written whole is taken back, so that no line ever stands behind half of one. */
ct_status ct_journal_add(ct_journal *journal, const char *json, ct_error *err)
{
    ct_text line = {0};
    ct_text_add(&line, "%016" PRIx64 " %s\n", ct_checksum(json, strlen(json)), json);
    const ct_status status = ct_text_check(&line, err);
    if (status != CT_OK) {
        ct_text_free(&line);
        return status;
    }
    int failed = lseek(journal->handle, journal->bytes, SEEK_SET) < 0 ? errno : 0;
    if (!failed) failed = ct_journal_put(journal->handle, line.data, line.length);
    if (!failed) failed = ct_journal_sync(journal->handle);
    if (!failed && !journal->named) failed = fsync(ct_folder_handle(journal->folder)) ? errno : 0;
    if (failed == EINVAL) failed = 0; /* some file systems cannot be asked for folders */
    if (failed)
        (void)!ftruncate(journal->handle, journal->bytes);
    else
        journal->bytes += (off_t)line.length;
    journal->named = !failed;
    if (!failed && journal->saved) journal->slot ^= 1;
    if (!failed) journal->saved = false;
    ct_text_free(&line);
    return failed ? journal_fail(journal, "written", failed, err) : CT_OK;
}

static void journal_drop_lines(ct_journal *journal)
{
    for (size_t i = 0; i < journal->count; i++)
        ct_value_free(journal->lines[i]);
    journal->count = 0;
}

ct_status ct_journal_clear(ct_journal *journal, ct_error *err)
{
    journal_drop_lines(journal);
    journal->bytes = 0;
    if (ftruncate(journal->handle, 0) == 0) return CT_OK;
    return journal_fail(journal, "written", errno, err);
}

void ct_journal_close(ct_journal *journal, bool remove)
{
    if (!journal) return;
    const bool ours = journal->handle >= 0;
    journal_drop_lines(journal);
    if (remove || (journal->sound && journal->bytes == 0)) {
        const int folder = ct_folder_handle(journal->folder);
        (void)unlinkat(folder, journal->name, 0);
        for (int slot = 0; slot < 2; slot++)
            (void)unlinkat(folder, ct_journal_slot(journal, slot), 0);
    }
    if (ours) (void)close(journal->handle);
    ct_folder_free(journal->folder);
    ct_memory_free(journal->lines);
    ct_arena_free(journal->arena);
}
