/* run_resume.h: what of a run outlives it: a journal from which another run goes on, and whole
 * blocks that are published although a later one failed. Room: core/resume. run_resume.c (going
 * on), resume_job.c (on several ranks), restart.c (where to begin), checkpoint.c (lines for later),
 * journal_identity.c (whose journal it is), run_partial.c. The journal has four kinds of lines:
 * whose it is; the files that are being made; after some blocks, how far everything is; and that
 * all is whole but for the names. */
#ifndef CT_CORE_RUN_RESUME_H
#define CT_CORE_RUN_RESUME_H
#include "journal.h"
#include "run_io.h"

struct ct_resume {
    ct_journal *journal; /* of several ranks the first one's; NULL on the others */
    int64_t *position;   /* of each source, where the run goes on; NULL: it begins anew */
    double every;        /* seconds between two lines; 0: after each block */
    double next;         /* when the next line is due */
    int64_t block;       /* of the last line; -1: there is none */
    const ct_plan *plan; /* that the run had then; only compared */
    bool fresh;          /* nothing is taken up */
    bool sealed;         /* all is whole but for the names */
};

/* Goes on from the journal, or begins one; of several ranks the first one. CT_EOF: all is done. */
ct_status ct_resume_begin(ct_run *run, ct_error *err);
/* All ranks call it: they go on where the first one does. */
ct_status ct_resume_begin_job(ct_run *run, ct_error *err);

void ct_journal_identity_print(ct_text *json, const ct_run *run);
/* The checksum of what it decides, as a member of a line. */
void ct_journal_identity_plan(ct_text *json, const ct_plan *plan);
/* CT_INVALID: says what is not as it was. */
ct_status ct_journal_identity_check(const ct_run *run, const ct_value *line, ct_error *err);

/* After a block: a line, where one is due; all that sinks were given is on the disk first. */
ct_status ct_checkpoint_end_block(ct_run *run, ct_error *err);
/* The next line is due so long after one that took `cost` seconds. */
void ct_checkpoint_wait(ct_run *run, double cost);
/* The names of the files in the making. */
ct_status ct_checkpoint_files(ct_run *run, ct_error *err);
/* A cancelled run: as far as it is. */
void ct_checkpoint_cancelled(ct_run *run);

/* Goes back so far that block `next` gives what it would have given. positions: of each source, in
 * plan order, before that block. */
ct_status ct_restart_from(ct_run *run, int64_t next, const int64_t *positions, ct_error *err);

#endif
