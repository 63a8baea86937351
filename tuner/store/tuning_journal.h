/* tuning_journal.h: a tuner's journal: a file of lines (checked_lines.h, with "crc"), each of which
 * is on the disk before the next measurement begins.
 * Room: tuner/store. Knows files and locks. Does not know what the lines say beyond the first one,
 * which says for what pipeline and device they hold. */
#ifndef CT_TUNER_TUNING_JOURNAL_H
#define CT_TUNER_TUNING_JOURNAL_H
#include "text.h"

#define CT_TUNING_JOURNAL_FORMAT 1

typedef struct ct_tuning_journal ct_tuning_journal;

/* Opens the file for adding to; nobody else can until it is closed. `head`: the first line, an
 * object with "cornerturn_journal", "key", "pipeline" and perhaps "stages". Where the file has
 * lines already: CT_USAGE unless `resume`, and then CT_INVALID where its head is another one,
 * naming what differs. A last line that a kill cut off is dropped; any other damage is CT_DATA with
 * its place. */
ct_status ct_tuning_journal_open(ct_tuning_journal **out, const char *file, const char *head,
                                 bool resume, ct_error *err);
/* The same file for reading only. */
ct_status ct_tuning_journal_load(ct_tuning_journal **out, const char *file, ct_error *err);
size_t ct_tuning_journal_count(const ct_tuning_journal *journal); /* the head is line 0 */
const ct_value *ct_tuning_journal_line(const ct_tuning_journal *journal,
                                       size_t n); /* lives as the journal */
/* Seals the object and adds it: once this returns, it is on the disk. */
ct_status ct_tuning_journal_add(ct_tuning_journal *journal, const char *json, ct_error *err);
/* A file that was begun here and has nothing but its head is removed. NULL is fine. */
void ct_tuning_journal_close(ct_tuning_journal *journal);

#endif
