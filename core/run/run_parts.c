/* run_parts.c: sinks of which each rank writes its part into one file. Rank 0 makes it, under its
 * temporary name, and tells the others where it is; when they have closed it rank 0 finishes it and
 * gives it its name. Room: core/run. Knows who writes what, and when ranks meet. Does not know
 * formats, or how a file in the making is found (base/staged_output_join.c). */
#include <stdio.h>
#include <string.h>

#include "fail.h"
#include "folder.h"
#include "memory.h"
#include "partition.h"
#include "run_resume.h"
#include "staged_output.h"

/* What rank 0 tells of a sink, and then of each of its files. */
typedef struct sink_word {
    int64_t files, position, bytes; /* bytes: of what save() gives, where a journal is kept */
} sink_word;

typedef struct file_word {
    char name[256], part[CT_FOLDER_NAME];
    uint64_t inode;
} file_word;

static const ct_ranks *ranks_of(const ct_run *run)
{
    return run->plan->graph->ranks;
}

static bool is_first(const ct_run *run)
{
    return ct_ranks_rank(ranks_of(run)) == 0;
}

static ct_status give_nothing(void *state, const ct_array *block, int64_t first, int64_t count,
                              ct_error *err)
{
    (void)state, (void)block, (void)first, (void)count, (void)err;
    return CT_OK;
}

static ct_run_part part_of(const ct_run *run, int s)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const ct_array *whole = &run->plan->graph->nodes[step->node].step->port[0];
    const int rank = ct_ranks_rank(ranks_of(run)), size = ct_ranks_size(ranks_of(run));
    const int64_t cell = ct_partition_key(step->partition, whole, rank);
    if (step->partition->axes == 0) return CT_RUN_PART_NOT;
    for (int r = 0; r < rank; r++) /* the same part is written once */
        if (ct_partition_key(step->partition, whole, r) == cell) return CT_RUN_PART_NOT;
    for (int r = 1; r < size; r++)
        if (ct_partition_key(step->partition, whole, r) !=
            ct_partition_key(step->partition, whole, 0))
            return rank == 0 ? CT_RUN_PART_MAKES : CT_RUN_PART_JOINS;
    return CT_RUN_PART_NOT;
}

void ct_run_parts_find(ct_run *run)
{
    for (int s = 0; s < run->plan->count; s++) {
        ct_run_step *at = &run->steps[s];
        if (ct_role_of(at->step) != CT_ROLE_SINK) continue;
        at->part = part_of(run, s);
        if (at->part == CT_RUN_PART_NOT && !is_first(run))
            at->io = (ct_io){.size = sizeof(ct_io), .write = give_nothing};
    }
}

/* Whether any sink is written in parts, by whichever ranks. */
static bool is_in_parts(const ct_run *run, int s)
{
    const ct_plan_step *step = &run->plan->steps[s];
    return ct_role_of(run->steps[s].step) == CT_ROLE_SINK && step->partition &&
           step->partition->axes > 0;
}

bool ct_run_parts_has(const ct_run *run)
{
    bool has = false;
    for (int s = 0; !ct_run_ranks_alone(run) && s < run->plan->count; s++)
        has = has || is_in_parts(run, s);
    return has;
}

/* ---- one file for all */

/* What a rank takes for a device another one may take for a file: then their plans differ. */
static ct_status check_same(const ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    uint64_t which = 1;
    for (int s = 0; s < run->plan->count; s++)
        which = which * 3 + (is_in_parts(run, s) ? 1 : 0);
    int64_t ends[2] = {(int64_t)(which >> 2), -(int64_t)(which >> 2)};
    CT_TRY(ct_ranks_minimum(ranks_of(run), ends, 2, err));
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
        if (run->steps[s].part != CT_RUN_PART_NOT && run->steps[s].io.write)
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
    if (is_first(run)) CT_TRY(ct_run_open_sinks(run, err));
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
    if (!is_first(run)) return CT_OK;
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

/* All ranks hear what rank 0 says of this sink, whatever fails. */
static ct_status share_sink(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    sink_word word = {0};
    const void *saved = NULL;
    CT_TRY(ct_run_ranks_agree(run, begin_word(run, s, &word, &saved, err), err));
    CT_TRY(ct_ranks_broadcast(ranks_of(run), &word, sizeof word, err));
    const size_t bytes = sizeof(file_word) * (size_t)word.files;
    uint8_t *told = ct_arena_get(run->arena, bytes + (size_t)word.bytes + 1);
    CT_TRY(ct_run_ranks_agree(run, ct_arena_check(run->arena, err), err));
    list_files(&run->steps[s], (file_word *)told, is_first(run) ? word.files : 0);
    if (saved) memcpy(told + bytes, saved, (size_t)word.bytes);
    CT_TRY(ct_ranks_broadcast(ranks_of(run), told, bytes + (size_t)word.bytes, err));
    if (run->steps[s].part == CT_RUN_PART_JOINS)
        status = join_sink(run, s, (const file_word *)told, &word, told + bytes, err);
    status = ct_run_ranks_agree(run, status, err);
out:
    return status;
}

ct_status ct_run_parts_open(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    if (run->joined || ct_run_ranks_alone(run)) return CT_OK;
    run->joined = true;
    CT_TRY(ct_run_ranks_agree(run, check_same(run, err), err));
    if (!ct_run_parts_has(run)) return CT_OK;
    CT_TRY(ct_run_ranks_agree(run, make_files(run, err), err));
    for (int s = 0; s < run->plan->count; s++)
        if (is_in_parts(run, s)) CT_TRY(share_sink(run, s, err));
out:
    return status;
}

/* ---- the end */

ct_status ct_run_parts_close(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++)
        if (run->steps[s].part == CT_RUN_PART_JOINS) CT_TRY(ct_run_io_close(run, s, true, err));
out:
    return status;
}

/* How far this rank's part of the file is; -1 where that is not whole up to any block. Who has no
 * part is no less far than others. */
static int64_t how_far(ct_run *run, int s)
{
    ct_run_step *at = &run->steps[s];
    if (at->part == CT_RUN_PART_NOT) return INT64_MAX;
    if (at->broken || at->lost) return -1;
    if (at->part == CT_RUN_PART_MAKES || !at->open) return at->position;
    return ct_run_io_close(run, s, true, NULL) == CT_OK ? at->position : -1;
}

void ct_run_parts_keep(ct_run *run)
{
    if (!ct_run_parts_has(run)) return;
    for (int s = 0; s < run->plan->count; s++) {
        if (!is_in_parts(run, s)) continue;
        const int64_t mine = how_far(run, s);
        int64_t ends[2] = {mine, mine == INT64_MAX ? mine : -mine};
        if (ct_ranks_minimum(ranks_of(run), ends, 2, NULL) != CT_OK) ends[0] = -1;
        run->steps[s].uneven = ends[0] < 0 || ends[0] != -ends[1];
    }
}

/* ---- a journal */

static ct_status sync_parts(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const void *data;
    size_t bytes;
    CT_TRY(ct_run_io_settle(run, err));
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        if (at->part != CT_RUN_PART_JOINS) continue;
        CT_TRY(
            ct_step_answer(at->own, at->own->stage->io.save(at->state, &data, &bytes, err), err));
        CT_TRY(ct_staged_sync(ct_step_staged(at->own), err));
    }
out:
    return status;
}

ct_status ct_run_parts_checkpoint(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_resume *resume = run->resume;
    if (!ct_run_parts_has(run)) return CT_OK;
    const bool due = resume->journal && run->block > run->replay && ct_run_clock() >= resume->next;
    int64_t none_due = due ? 0 : 1;
    CT_TRY(ct_ranks_minimum(ranks_of(run), &none_due, 1, err));
    if (none_due) return CT_OK;
    CT_TRY(ct_run_ranks_agree(run, sync_parts(run, err), err));
    CT_TRY(ct_run_ranks_agree(run, ct_run_checkpoint(run, true, err), err));
out:
    return status;
}
