/* run_resume.h: what of a run outlives it: a journal from which another run goes on, and blocks
 * that are kept although a later one failed. Room: core/run. run_resume.c (taking up), run_replay.c
 * (where to begin), run_checkpoint.c (lines for later), run_identity.c (whose journal it is),
 * run_keep.c. The journal has four kinds of lines: whose it is; the files that are being made;
 * after some blocks, how far everything is; and that all is whole but for the names. */
#ifndef CT_CORE_RUN_RESUME_H
#define CT_CORE_RUN_RESUME_H
#include "journal.h"
#include "run.h"

struct ct_resume {
    ct_journal *journal; /* of several ranks the first one's; NULL on the others */
    int64_t *position;   /* of each source, where the run goes on; NULL: it begins anew */
    double every;        /* seconds between two lines; 0: after each block */
    double begun, next;  /* when the run has begun, and the next line is due */
    int64_t block;       /* of the last line; -1: there is none */
    double seconds;      /* that lines have taken */
    bool fresh;          /* nothing is taken up */
    bool sealed;         /* all is whole but for the names */
    bool done;           /* these, too */
};

void ct_run_identity_print(ct_text *json, const ct_run *run);
/* CT_INVALID: says what is not as it was. */
ct_status ct_run_identity_check(const ct_run *run, const ct_value *line, ct_error *err);

/* A line, where one is due (or `now`): all that sinks were given is on the disk first. */
ct_status ct_run_checkpoint(ct_run *run, bool now, ct_error *err);
/* The next line is due so long after one that took `cost` seconds. */
void ct_run_checkpoint_wait(ct_run *run, double cost);
/* The names of the files in the making. */
ct_status ct_run_checkpoint_files(ct_run *run, ct_error *err);
/* A cancelled run: as far as it is. */
void ct_run_checkpoint_last(ct_run *run);

/* Goes back so far that block `next` gives what it would have given. positions: of each source, in
 * plan order, before that block. */
ct_status ct_run_replay(ct_run *run, int64_t next, const int64_t *positions, ct_error *err);

/* The journal says that files may get their names. */
ct_status ct_run_resume_seal(ct_run *run, ct_error *err);
/* The journal is closed; where there is nothing to be taken up, it goes, and so may the files. */
void ct_run_resume_end(ct_run *run);
/* Up to which block all is kept; on all ranks. */
int64_t ct_run_resume_done(const ct_run *run);
/* That a failed run can be taken up again. */
void ct_run_resume_say(const ct_run *run, ct_error *err);

/* Of a failed run: what is finished gets its names, and sinks know that it is not all. What cannot
 * be kept is said behind the failure. */
void ct_run_keep_all(ct_run *run);

#endif
