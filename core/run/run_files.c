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
    if (!run || !ct_run_files_find(run, n, &step, &n)) return NULL;
    return ct_staged_file(ct_step_staged(run->steps[step].own), n);
}

/* ---- what they hold */

int64_t ct_run_files_blocks(const ct_run_step *at)
{
    return at->broken ? at->request->number : at->fired;
}

int64_t ct_run_files_samples(const ct_run_step *at)
{
    return at->position - (at->broken ? at->request->count : 0);
}

/* "12 of 40", or "12" if the number of blocks is not known. */
static const char *how_much(const ct_run *run, int64_t done)
{
    const long long blocks = run->plan->graph->blocks;
    return blocks > 0 ? ct_arena_print(run->arena, "%lld of %lld", (long long)done, blocks)
                      : ct_arena_print(run->arena, "%lld", (long long)done);
}

const char *ct_run_files_why(const ct_run *run, const ct_run_step *at)
{
    if (run->ended && !at->broken) return NULL;
    return ct_arena_print(run->arena, "stopped after block %s%s",
                          how_much(run, ct_run_files_blocks(at)),
                          at->broken ? ": the next one could not be written" : "");
}

void ct_run_files_mark(ct_run *run)
{
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        const bool sink = at->own && ct_role_of(at->own) == CT_ROLE_SINK;
        const char *why = sink ? ct_run_files_why(run, at) : NULL;
        if (why) ct_step_set_incomplete(at->own, why);
    }
}

const char *ct_run_file_holds(ct_run *run, size_t n)
{
    int s = 0;
    if (!run || !ct_run_files_find(run, n, &s, &n)) return NULL;
    const ct_run_step *at = &run->steps[s];
    const double spacing_s = at->own->port[0].meta.sample_time_s;
    const int64_t samples = ct_run_files_samples(at);
    if (!ct_step_incomplete(at->own)) return NULL;
    const char *seconds =
        spacing_s > 0 ? ct_arena_print(run->arena, " (%.6g s)", (double)samples * spacing_s) : "";
    const char *text =
        ct_arena_print(run->arena, "%s blocks, %lld samples%s",
                       how_much(run, ct_run_files_blocks(at)), (long long)samples, seconds);
    return text ? text : "";
}
