/* journal.c: see journal.h: the journal's file and its lines. What is too large for a line:
 * journal_state.c.
 * Room: base. Knows POSIX files and checksums. Does not know what the lines say. */
#include "cornerturn_stage.h"
#include "journal_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fail.h"
#include "output_path.h"

static ct_status journal_fail(const ct_journal *journal, const char *doing, int code, ct_error *err)
{
    if (code == ENOMEM) return ct_memory_fail(0, err);
    return ct_error_add(err, CT_DATA, "%s: cannot be %s: %s", journal->path, doing, strerror(code));
}

static ct_status journal_damaged(const ct_journal *journal, size_t line, ct_error *err)
{
    return ct_error_add(err, CT_DATA,
                        "%s: line %zu of this journal is damaged, so its run cannot be taken up "
                        "again: without --resume it begins anew",
                        journal->path, line);
}

static ct_status journal_start(ct_journal *journal, ct_error *err)
{
    ct_status status = CT_OK;
    ct_checked_lines *lines = &journal->lines;
    struct stat about;
    char seal[CT_CHECKED_LINES_SEAL];
    const int folder = ct_folder_handle(journal->folder);
    do
        lines->handle = openat(folder, journal->name,
                               O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    while (lines->handle < 0 && errno == EINTR);
    if (lines->handle < 0 || fstat(lines->handle, &about) != 0)
        return journal_fail(journal, "written", errno, err);
    status = ct_checked_lines_read(lines, journal->path, seal, err);
    /* The last line may have been cut off: what it was about to say has not happened. But the first
     * one is there before anything else is. */
    if (status == CT_MISMATCH || (status == CT_OK && about.st_size > 0 && lines->count == 0))
        return journal_damaged(journal, lines->count + 1, err);
    CT_TRY(status);
    if (ftruncate(lines->handle, lines->bytes) != 0)
        CT_TRY(journal_fail(journal, "written", errno, err));
out:
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
    journal->lines.handle = -1;
    const int failed = ct_output_path_find(&output, file);
    if (failed)
        CT_TRY(ct_error_add(err, CT_DATA, "%s: cannot be written: %s", file, strerror(failed)));
    if (output.kind != CT_OUTPUT_PATH_FILE && output.kind != CT_OUTPUT_PATH_FOLDER)
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
    return journal->lines.count;
}

const ct_value *ct_journal_line(const ct_journal *journal, size_t n)
{
    return n < journal->lines.count ? journal->lines.line[n] : NULL;
}

ct_status ct_journal_add(ct_journal *journal, const char *json, ct_error *err)
{
    int failed = journal->named || fsync(ct_folder_handle(journal->folder)) == 0 ? 0 : errno;
    if (failed == EINVAL) failed = 0; /* some file systems do not support that for folders */
    if (!failed) failed = ct_checked_lines_add(&journal->lines, json);
    journal->named = !failed;
    if (!failed && journal->saved) journal->slot ^= 1;
    if (!failed) journal->saved = false;
    return failed ? journal_fail(journal, "written", failed, err) : CT_OK;
}

ct_status ct_journal_clear(ct_journal *journal, ct_error *err)
{
    ct_checked_lines_free(&journal->lines);
    journal->lines.bytes = 0;
    if (ftruncate(journal->lines.handle, 0) == 0) return CT_OK;
    return journal_fail(journal, "written", errno, err);
}

void ct_journal_close(ct_journal *journal, bool remove)
{
    if (!journal) return;
    const bool ours = journal->lines.handle >= 0;
    ct_checked_lines_free(&journal->lines);
    if (remove || (journal->sound && journal->lines.bytes == 0)) {
        const int folder = ct_folder_handle(journal->folder);
        (void)unlinkat(folder, journal->name, 0);
        for (int slot = 0; slot < 2; slot++)
            (void)unlinkat(folder, ct_journal_slot(journal, slot), 0);
    }
    if (ours) (void)close(journal->lines.handle);
    ct_folder_free(journal->folder);
    ct_arena_free(journal->arena);
}
