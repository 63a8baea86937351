/* journal.h: what a run can be resumed from: lines that are on the disk before the run goes on,
 * in a hidden file beside one of the run's outputs, and what is too large for a line in two
 * further files in turn.
 * Room: base. Knows POSIX files and checksums. Does not know what the lines say. A line is
 * `CHECKSUM {..}`: 16 digits of its JSON's FNV-1a, and the JSON.
 * Order: ct_journal_open, lines read, ct_journal_add, ct_journal_close. */
#ifndef CT_BASE_JOURNAL_H
#define CT_BASE_JOURNAL_H
#include "cornerturn_stage.h"

typedef struct ct_journal ct_journal;

/* The journal beside `file`, made if there is none; no other process has it until it is closed. A
 * line at its end that a kill has truncated is dropped, any other damage is CT_DATA. */
ct_status ct_journal_open(ct_journal **out, const char *file, ct_error *err);
const char *ct_journal_name(const ct_journal *journal); /* for messages; lives as the journal */
/* The lines that it had when it was opened. */
size_t ct_journal_count(const ct_journal *journal);
const ct_value *ct_journal_line(const ct_journal *journal, size_t n);
/* Adds a line; when it returns, the line and what it refers to are on the disk. */
ct_status ct_journal_add(ct_journal *journal, const char *json, ct_error *err);
typedef struct ct_journal_part {
    const void *data;
    size_t bytes;
} ct_journal_part;
/* Bytes on the disk, one part after the other, for the line that is added next: those of the last
 * line stay. What ct_journal_load needs to find them again goes to `out`. */
enum { CT_JOURNAL_PLACE = 64 };
ct_status ct_journal_save(ct_journal *journal, const ct_journal_part *parts, size_t count,
                          char out[CT_JOURNAL_PLACE], ct_error *err);
/* *data: released with ct_memory_free. CT_DATA where it is not what was saved. */
ct_status ct_journal_load(ct_journal *journal, const char *place, void **data, size_t *bytes,
                          ct_error *err);
/* Empties it: what it says is not needed any more. */
ct_status ct_journal_clear(ct_journal *journal, ct_error *err);
/* remove: deletes it with all that belongs to it; a journal without lines is deleted always. NULL
 * is allowed. */
void ct_journal_close(ct_journal *journal, bool remove);

#endif
