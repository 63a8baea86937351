/* resume_job.c: several ranks go on together, of which the first one has the journal.
 * Room: core/resume. Knows what the others must be told. Does not know what is in the journal. */
#include "fail.h"
#include "memory.h"
#include "run_job.h"
#include "run_resume.h"

enum { RANKS_ANEW, RANKS_AGAIN, RANKS_DONE, RANKS_NUMBERS = 4 };

static int count_sources(const ct_run *run)
{
    int count = 0;
    for (int s = 0; s < run->plan->count; s++)
        count += ct_role_of(run->steps[s].step) == CT_ROLE_SOURCE;
    return count;
}

/* The other ranks give the largest number, so that the minimum is what the first one says. */
static void list_numbers(const ct_run *run, bool first, bool done, int64_t *number, int sources)
{
    const struct ct_resume *resume = run->resume;
    for (int i = 0; i < RANKS_NUMBERS + sources; i++)
        number[i] = INT64_MAX;
    if (!first) return;
    number[0] = done ? RANKS_DONE : resume->position ? RANKS_AGAIN : RANKS_ANEW;
    number[1] = run->write_from;
    number[2] = run->flagged;
    number[3] = run->samples;
    for (int i = 0; i < sources; i++)
        number[RANKS_NUMBERS + i] = resume->position ? resume->position[i] : 0;
}

static ct_status follow(ct_run *run, const int64_t *number, ct_error *err)
{
    if (number[0] != RANKS_AGAIN) return CT_OK;
    run->flagged = number[2];
    run->samples = number[3];
    return ct_restart_from(run, number[1], number + RANKS_NUMBERS, err);
}

ct_status ct_resume_begin_job(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const bool first = run->job->first;
    const int sources = count_sources(run);
    int64_t *number = ct_arena_get(run->arena, sizeof *number * (size_t)(RANKS_NUMBERS + sources));
    if (!number)
        status = ct_arena_check(run->arena, err);
    else if (first)
        status = ct_resume_begin(run, err);
    const bool done = status == CT_EOF;
    CT_TRY(ct_run_agree(run, done ? CT_OK : status, err));
    list_numbers(run, first, done, number, sources);
    CT_TRY(ct_ranks_minimum(run->job->ranks, number, RANKS_NUMBERS + sources, err));
    if (!first) status = follow(run, number, err);
    CT_TRY(ct_run_agree(run, status, err));
    if (number[0] == RANKS_DONE) {
        run->finished = true;
        return CT_EOF;
    }
out:
    return status;
}
