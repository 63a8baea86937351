/* journal_lines.h: what a journal's lines say: measurements of choices, transposes and whole plans,
 * and the end.
 * Room: tuner/search. Knows the form (docs/tuning.md). Does not know files. */
#ifndef CT_TUNER_JOURNAL_LINES_H
#define CT_TUNER_JOURNAL_LINES_H
#include "results.h"

/* `more`: further pairs of what is measured already. */
void ct_journal_lines_answer(ct_text *out, const ct_space *space, const ct_question *question,
                             const ct_answer *answer, bool more);
/* A whole plan's rehearsal: which one ("default", or its choices), seconds per block, steps'
 * seconds, how long a block is. */
void ct_journal_lines_whole(ct_text *out, const char *plan, const ct_plan_timing *rehearsed);

/* What a line, or a worker's answer, says of how it went. `end` CT_ENDS: no word for that. */
void ct_journal_lines_read_answer(const ct_value *line, ct_answer *out);
/* Reads a line. CT_EOF: it is no measurement of a choice or transpose. CT_INVALID: of a node or
 * layout that the space does not have. Texts live as long as the line. */
ct_status ct_journal_lines_read(const ct_value *line, const ct_space *space, ct_question *question,
                                ct_answer *answer, ct_arena *arena, ct_error *err);
/* CT_EOF: it is no rehearsal. */
ct_status ct_journal_lines_read_whole(const ct_value *line, const char **plan, ct_plan_timing *out,
                                      ct_arena *arena);

#endif
