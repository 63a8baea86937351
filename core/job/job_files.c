/* job_files.c: files that several ranks write, each its part. Rank 0 makes one, under its temporary
 * name, and tells the others where it is; when they have closed it rank 0 finishes it and gives it
 * its name. Room: core/job. Knows who writes what, and when ranks meet. Does not know formats, or
 * how a file in the making is found (base). */
#include <stdio.h>
#include <string.h>

#include "cornerturn_ranks.h"
#include "cornerturn_stage.h"
#include "fail.h"
#include "folder.h"
#include "memory.h"
#include "partition.h"
#include "run_job.h"
#include "staged_output.h"

/* What rank 0 says of a sink, and then of each of its files. */
typedef struct sink_word {
    int64_t files, position, bytes; /* bytes: of what save() gives, where a journal is kept */
} sink_word;

typedef struct file_word {
    char name[256], part[CT_FOLDER_NAME];
    uint64_t inode;
} file_word;

static ct_status give_nothing(void *state, const ct_array *block, int64_t first, int64_t count,
                              ct_error *err)
{
    (void)state, (void)block, (void)first, (void)count, (void)err;
    return CT_OK;
}

/* What a rank has to do with a sink's file: it writes all of it, or nothing; it makes the file, and
 * others write parts of it; it writes a part. */
typedef enum role { ROLE_ALONE, ROLE_MAKES, ROLE_JOINS } role;

static role role_of(const ct_run *run, int s)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const ct_array *whole = &run->plan->graph->nodes[step->node].step->port[0];
    const int rank = ct_ranks_rank(run->job->ranks), size = ct_ranks_size(run->job->ranks);
    const int64_t cell = ct_partition_key(step->partition, whole, rank);
    if (step->partition->axes == 0) return ROLE_ALONE;
    for (int r = 0; r < rank; r++) /* the same part is written once */
        if (ct_partition_key(step->partition, whole, r) == cell) return ROLE_ALONE;
    for (int r = 1; r < size; r++)
        if (ct_partition_key(step->partition, whole, r) !=
            ct_partition_key(step->partition, whole, 0))
            return rank == 0 ? ROLE_MAKES : ROLE_JOINS;
    return ROLE_ALONE;
}

void ct_job_files_find(ct_run *run)
{
    for (int s = 0; s < run->plan->count; s++) {
        ct_run_step *at = &run->steps[s];
        if (ct_role_of(at->step) != CT_ROLE_SINK) continue;
        at->joins = role_of(run, s) == ROLE_JOINS;
        if (role_of(run, s) == ROLE_ALONE && !run->job->first)
            at->io = (ct_io){.size = sizeof(ct_io), .write = give_nothing};
    }
}

/* Whether several ranks, perhaps not this one, write parts of the sink's file. */
static bool is_in_parts(const ct_run *run, int s)
{
    const ct_plan_step *step = &run->plan->steps[s];
    return ct_role_of(run->steps[s].step) == CT_ROLE_SINK && step->partition &&
           step->partition->axes > 0;
}

bool ct_job_files_any(const ct_run *run)
{
    bool has = false;
    for (int s = 0; run->job && s < run->plan->count; s++)
        has = has || is_in_parts(run, s);
    return has;
}

/* ---- one file for all */

/* A path may be a device on one machine and a file on another: then the plans of ranks differ. */
static ct_status check_same(const ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    uint64_t which = 1;
    for (int s = 0; s < run->plan->count; s++)
        which = which * 3 + (is_in_parts(run, s) ? 1 : 0);
    int64_t ends[2] = {(int64_t)(which >> 2), -(int64_t)(which >> 2)};
    CT_TRY(ct_ranks_minimum(run->job->ranks, ends, 2, err));
    if (ends[0] == -ends[1]) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "an output is a file on one machine, and a device or a pipe on another: "
                        "give its sink \"gather\": true, then rank 0 writes all");
out:
    return status;
}

static ct_status check_bound(const ct_run *run, ct_error *err)
{
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SINK && role_of(run, s) != ROLE_ALONE &&
            run->steps[s].io.write)
            return ct_error_add(err, CT_USAGE,
                                "node \"%s\": what ct_run_bind gave it would get this rank's part "
                                "only: give the sink \"gather\": true",
                                run->steps[s].own->name);
    return CT_OK;
}

static ct_status make_files(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(check_bound(run, err));
    if (run->job->first) CT_TRY(ct_run_open_sinks(run, err));
out:
    return status;
}

static void list_files(const ct_run_step *at, file_word *files, int64_t count)
{
    ct_resumable held;
    for (int64_t i = 0; i < count && ct_staged_resumable(ct_step_staged(at->own), (size_t)i, &held);
         i++) {
        const char *slash = strrchr(held.file, '/');
        snprintf(files[i].name, sizeof files[i].name, "%s", slash ? slash + 1 : held.file);
        snprintf(files[i].part, sizeof files[i].part, "%s", held.part ? held.part : "");
        files[i].inode = held.inode;
    }
}

static ct_status begin_word(ct_run *run, int s, sink_word *word, const void **state, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    ct_resumable held;
    size_t bytes = 0;
    if (!run->job->first) return CT_OK;
    while (ct_staged_resumable(ct_step_staged(at->own), (size_t)word->files, &held))
        word->files++;
    word->position = at->position;
    if (run->resume)
        CT_TRY(
            ct_step_answer(at->own, at->own->stage->io.save(at->state, state, &bytes, err), err));
    word->bytes = (int64_t)bytes;
out:
    return status;
}

static ct_status join_sink(ct_run *run, int s, const file_word *files, const sink_word *word,
                           const void *state, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    ct_resumable *list = ct_arena_get(run->arena, sizeof *list * (size_t)(word->files + 1));
    CT_TRY(ct_arena_check(run->arena, err));
    for (int64_t i = 0; i < word->files; i++)
        list[i] = (ct_resumable){.file = files[i].name,
                                 .part = files[i].part[0] ? files[i].part : NULL,
                                 .inode = files[i].inode};
    CT_TRY(ct_step_join(at->own, list, (size_t)word->files, err));
    CT_TRY(ct_run_io_open(run, s, err));
    at->position = word->position;
    if (run->resume)
        CT_TRY(ct_step_answer(
            at->own,
            at->own->stage->io.restore(at->state, word->position, state, (size_t)word->bytes, err),
            err));
out:
    return status;
}

/* All ranks get what rank 0 says of this sink, whatever fails. */
static ct_status share_sink(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    sink_word word = {0};
    const void *saved = NULL;
    CT_TRY(ct_run_agree(run, begin_word(run, s, &word, &saved, err), err));
    CT_TRY(ct_ranks_broadcast(run->job->ranks, &word, sizeof word, err));
    const size_t bytes = sizeof(file_word) * (size_t)word.files;
    uint8_t *told = ct_arena_get(run->arena, bytes + (size_t)word.bytes + 1);
    CT_TRY(ct_run_agree(run, ct_arena_check(run->arena, err), err));
    list_files(&run->steps[s], (file_word *)told, run->job->first ? word.files : 0);
    if (saved) memcpy(told + bytes, saved, (size_t)word.bytes);
    CT_TRY(ct_ranks_broadcast(run->job->ranks, told, bytes + (size_t)word.bytes, err));
    if (run->steps[s].joins)
        status = join_sink(run, s, (const file_word *)told, &word, told + bytes, err);
    status = ct_run_agree(run, status, err);
out:
    return status;
}

ct_status ct_job_files_open(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(ct_run_agree(run, check_same(run, err), err));
    if (!ct_job_files_any(run)) return CT_OK;
    CT_TRY(ct_run_agree(run, make_files(run, err), err));
    for (int s = 0; s < run->plan->count; s++)
        if (is_in_parts(run, s)) CT_TRY(share_sink(run, s, err));
out:
    return status;
}

/* ---- after a failure */

/* How far this rank's part of the file is; -1 if it is not whole up to any block. A rank without a
 * part is as far as the others. */
static int64_t how_far(ct_run *run, int s)
{
    ct_run_step *at = &run->steps[s];
    if (role_of(run, s) == ROLE_ALONE) return INT64_MAX;
    if (at->broken || at->lost) return -1;
    if (!at->joins || !at->open) return at->position;
    return ct_run_io_close(run, s, true, NULL) == CT_OK ? at->position : -1;
}

void ct_job_files_compare(ct_run *run)
{
    for (int s = 0; s < run->plan->count; s++) {
        if (!is_in_parts(run, s)) continue;
        const int64_t mine = how_far(run, s);
        int64_t ends[2] = {mine, mine == INT64_MAX ? mine : -mine};
        if (ct_ranks_minimum(run->job->ranks, ends, 2, NULL) != CT_OK) ends[0] = -1;
        if (ends[0] < 0 || ends[0] != -ends[1])
            run->steps[s].flaw =
                "ranks write parts of it, and not all have their part of the same blocks";
    }
}
