/* run_files.c: the files that sinks have made get their names, all or none.
 * Room: core/run. Knows files in the making. Does not know formats. */
#include "fail.h"
#include "memory.h"
#include "run_io.h"

/* The files of every step, NULL for steps without. NULL: there is no memory. */
static ct_staged **all_staged(const ct_run *run)
{
    ct_staged **all = ct_arena_get(run->arena, sizeof(ct_staged *) * (size_t)run->plan->count);
    for (int s = 0; all && s < run->plan->count; s++)
        all[s] = run->steps[s].own ? ct_step_staged(run->steps[s].own) : NULL;
    return all;
}

ct_status ct_run_files_publish(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_staged **all = all_staged(run);
    CT_TRY(ct_arena_check(run->arena, err));
    CT_TRY(ct_staged_settle(all, (size_t)run->plan->count, err));
    if (!run->hooks.publish_partial)
        CT_TRY(ct_run_check_cancelled(run, err)); /* the last moment: nothing has happened yet */
    if (run->hooks.seal) CT_TRY(run->hooks.seal(run, err));
    CT_TRY(ct_run_files_name(run, err));
out:
    return status;
}

ct_status ct_run_files_name(ct_run *run, ct_error *err)
{
    return ct_staged_publish(all_staged(run), (size_t)run->plan->count, err);
}

void ct_run_files_discard(ct_run *run)
{
    for (int s = 0; run->steps && s < run->plan->count; s++) {
        ct_staged *staged = run->steps[s].own ? ct_step_staged(run->steps[s].own) : NULL;
        if (staged) ct_staged_discard(staged);
    }
}

bool ct_run_files_find(const ct_run *run, size_t n, int *step, size_t *file)
{
    for (int s = 0; s < run->plan->count; s++) {
        const ct_staged *staged = run->steps[s].own ? ct_step_staged(run->steps[s].own) : NULL;
        *step = s;
        *file = n;
        if (n < ct_staged_files(staged)) return true;
        n -= ct_staged_files(staged);
    }
    return false;
}

const char *ct_run_file(const ct_run *run, size_t n)
{
    int step = 0;
    if (!ct_run_files_find(run, n, &step, &n)) return NULL;
    return ct_staged_file(ct_step_staged(run->steps[step].own), n);
}
