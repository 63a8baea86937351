/* journal_state.c: what is too large for a line of a journal: two files in turn, so that what the
 * last line refers to stays until the next line is written.
 * Room: base. Knows POSIX files and checksums. Does not know what the bytes are. */
#include "journal_inner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checksum.h"
#include "fail.h"
#include "file.h"

const char *ct_journal_slot(ct_journal *journal, int slot)
{
    ct_folder_fixed(journal->slots[slot], journal->of, slot, CT_FOLDER_STATE);
    return journal->slots[slot];
}

static int state_put(int handle, const ct_journal_part *parts, size_t count)
{
    int failed = handle < 0 ? errno : 0;
    for (size_t i = 0; i < count && !failed; i++)
        failed = ct_checked_lines_put(handle, parts[i].data, parts[i].bytes);
    return failed ? failed : ct_checked_lines_sync(handle);
}

ct_status ct_journal_save(ct_journal *journal, const ct_journal_part *parts, size_t count,
                          char out[CT_JOURNAL_PLACE], ct_error *err)
{
    const char *name = ct_journal_slot(journal, journal->slot);
    size_t bytes = 0;
    uint64_t sum = ct_checksum(NULL, 0);
    int handle;
    do
        handle = openat(ct_folder_handle(journal->folder), name,
                        O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    while (handle < 0 && errno == EINTR);
    const int failed = state_put(handle, parts, count);
    if (handle >= 0) (void)close(handle);
    for (size_t i = 0; i < count; i++) {
        sum = ct_checksum_add(sum, parts[i].data, parts[i].bytes);
        bytes += parts[i].bytes;
    }
    snprintf(out, CT_JOURNAL_PLACE, "%d %zu %016" PRIx64, journal->slot, bytes, sum);
    journal->saved = !failed;
    if (!failed) return CT_OK;
    return ct_error_add(err, CT_DATA, "%s: cannot be saved: %s", journal->path, strerror(failed));
}

ct_status ct_journal_load(ct_journal *journal, const char *place, void **data, size_t *bytes,
                          ct_error *err)
{
    char *end = NULL, *text = NULL;
    const int slot = place[0] == '1';
    journal->slot = !slot;
    const size_t expected = strtoull(place[0] ? place + 1 : "", &end, 10);
    const uint64_t sum = strtoull(end, NULL, 16);
    const char *slash = strrchr(journal->path, '/');
    const char *file = ct_arena_print(journal->arena, "%.*s/%s", (int)(slash - journal->path),
                                      journal->path, ct_journal_slot(journal, slot));
    ct_status status = ct_arena_check(journal->arena, err);
    if (status == CT_OK) status = ct_file_read(&text, bytes, file, err);
    if (status == CT_OK && (*bytes != expected || ct_checksum(text, *bytes) != sum))
        status = ct_error_add(err, CT_DATA,
                              "%s: this file of a journal is damaged, so its run cannot be taken "
                              "up again: without --resume it begins anew",
                              file);
    *data = status == CT_OK ? text : NULL;
    if (status != CT_OK) ct_memory_free(text);
    return status;
}
