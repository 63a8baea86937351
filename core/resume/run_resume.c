/* run_resume.c: a run that keeps a journal, and goes on from that of a run that died.
 * Room: core/resume. Knows the journal's lines. Does not know formats, or how many blocks come
 * again. The journal is a hidden file next to the first file that the pipeline writes. */
#include "run_resume.h"

#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "fail.h"
#include "file_conflicts.h"
#include "memory.h"
#include "text.h"

/* Every source must be able to seek, every sink to save and restore its state. */
static ct_status check_able(const ct_run *run, ct_error *err)
{
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        if (!at->own) continue;
        const ct_stage *stage = at->own->stage;
        const bool bound = at->io.read || at->io.write;
        const bool source = ct_role_of(at->own) == CT_ROLE_SOURCE;
        if (!bound && (source ? stage->io.seek != NULL : stage->io.save && stage->io.restore))
            continue;
        return ct_error_add(err, CT_USAGE, "node \"%s\": %s cannot be taken up again: %s",
                            at->own->name, bound ? "what ct_run_bind gave it" : stage->name,
                            source ? "it has no seek()" : "it has no save() and restore()");
    }
    return CT_OK;
}

/* What was read from a pipe is gone. */
static ct_status check_inputs(const ct_run *run, ct_error *err)
{
    const char *file;
    bool written = false;
    struct stat about;
    for (int i = 0; (file = ct_file_conflicts_file(run->plan->graph, i, &written)); i++) {
        const bool there = !written && stat(file, &about) == 0;
        if (!there || (strcmp(file, "/dev/stdin") != 0 && !S_ISFIFO(about.st_mode))) continue;
        return ct_error_add(
            err, CT_DATA,
            "%s: what comes out of a pipe cannot be read again: read a file, or run "
            "without --resume",
            file);
    }
    return CT_OK;
}

static ct_status open_journal(ct_run *run, ct_error *err)
{
    const char *file;
    bool written = false;
    for (int i = 0; (file = ct_file_conflicts_file(run->plan->graph, i, &written)) && !written;)
        i++;
    if (!file)
        return ct_error_add(err, CT_USAGE,
                            "%s: no file is written, so there is nothing to be taken up again",
                            run->plan->graph->file);
    return ct_journal_open(&run->resume->journal, file, err);
}

/* The files of a sink, and how many bytes of each count. */
static const ct_resumable *held_of(const ct_run *run, const ct_value *files, const ct_value *bytes)
{
    const size_t count = ct_value_count(files);
    ct_resumable *list = ct_arena_get(run->arena, sizeof *list * (count + 1));
    for (size_t i = 0; list && i < count; i++) {
        const ct_value *one = ct_value_at(files, i);
        list[i] = (ct_resumable){.file = ct_value_text(ct_value_get(one, "file"), ""),
                                 .part = ct_value_text(ct_value_get(one, "part"), ""),
                                 .bytes = ct_value_int(ct_value_at(bytes, i), 0)};
    }
    return list;
}

/* Is called for each sink, with what the journal says of it. */
typedef ct_status (*for_sink)(ct_run *run, ct_run_step *at, const ct_value *files,
                              const ct_value *line, ct_error *err);

static ct_status each_sink(ct_run *run, const ct_value *line, for_sink does, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *files = ct_value_get(ct_journal_line(run->resume->journal, 1), "files");
    const ct_value *sinks = ct_value_get(line, "sinks");
    size_t sink = 0;
    for (int s = 0; s < run->plan->count; s++) {
        if (ct_role_of(run->steps[s].step) != CT_ROLE_SINK) continue;
        CT_TRY(does(run, &run->steps[s], ct_value_at(files, sink), ct_value_at(sinks, sink), err));
        sink++;
    }
out:
    return status;
}

static ct_status sink_take_up(ct_run *run, ct_run_step *at, const ct_value *files,
                              const ct_value *line, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_resumable *list = held_of(run, files, ct_value_get(line, "bytes"));
    CT_TRY(ct_arena_check(run->arena, err));
    CT_TRY(ct_step_set_resumable(at->own, err));
    ct_staged_resume(ct_step_staged(at->own), list, ct_value_count(files));
    at->position = ct_value_int(ct_value_get(line, "position"), 0);
out:
    return status;
}

static ct_status sink_cut(ct_run *run, ct_run_step *at, const ct_value *files, const ct_value *line,
                          ct_error *err)
{
    (void)run, (void)files, (void)line;
    return ct_staged_cut(ct_step_staged(at->own), err);
}

static ct_status restore_sinks(ct_run *run, const ct_value *line, ct_error *err)
{
    ct_status status = CT_OK;
    void *states = NULL;
    size_t bytes = 0, at = 0, sink = 0;
    const ct_value *place = ct_value_get(line, "state"), *sinks = ct_value_get(line, "sinks");
    ct_journal *journal = run->resume->journal;
    if (place) CT_TRY(ct_journal_load(journal, ct_value_text(place, ""), &states, &bytes, err));
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *step = &run->steps[s];
        if (ct_role_of(step->step) != CT_ROLE_SINK) continue;
        const int64_t part = ct_value_int(ct_value_get(ct_value_at(sinks, sink++), "state"), 0);
        if (part < 0 || (size_t)part > bytes - at)
            CT_TRY(ct_error_add(err, CT_DATA, "%s: the states of the sinks are not all there",
                                ct_journal_name(journal)));
        status = step->own->stage->io.restore(step->state, step->position, (char *)states + at,
                                              (size_t)part, err);
        CT_TRY(ct_step_answer(step->own, status, err));
        at += (size_t)part;
    }
out:
    ct_memory_free(states);
    return status;
}

static ct_status begin_again(ct_run *run, const ct_value *line, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_value *sources = ct_value_get(line, "sources");
    int64_t *positions =
        ct_arena_get(run->arena, sizeof *positions * (ct_value_count(sources) + 1));
    CT_TRY(ct_arena_check(run->arena, err));
    for (size_t i = 0; i < ct_value_count(sources); i++)
        positions[i] = ct_value_int(ct_value_at(sources, i), 0);
    const int64_t block = ct_value_int(ct_value_get(line, "block"), 0);
    run->flagged = ct_value_int(ct_value_get(line, "flagged"), 0);
    run->samples = ct_value_int(ct_value_get(line, "samples"), 0);
    CT_TRY(each_sink(run, line, sink_take_up, err));
    CT_TRY(ct_run_open_sinks(run, err));
    CT_TRY(restore_sinks(run, line, err));
    CT_TRY(each_sink(run, line, sink_cut, err));
    CT_TRY(ct_restart_from(run, block, positions, err));
    run->resume->block = block;
    run->resume->position = positions;
out:
    return status;
}

static ct_status begin_anew(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text identity = {0};
    run->resume->fresh = true;
    ct_journal_identity_print(&identity, run);
    CT_TRY(ct_text_check(&identity, err));
    CT_TRY(ct_journal_clear(run->resume->journal, err));
    CT_TRY(ct_journal_add(run->resume->journal, identity.data, err));
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SINK)
            CT_TRY(ct_step_set_resumable(run->steps[s].own, err));
    CT_TRY(ct_run_open_sinks(run, err));
    CT_TRY(ct_checkpoint_files(run, err));
out:
    ct_text_free(&identity);
    return status;
}

static ct_status sink_rest(ct_run *run, ct_run_step *at, const ct_value *files,
                           const ct_value *line, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_resumable *list = held_of(run, files, NULL);
    (void)line;
    CT_TRY(ct_arena_check(run->arena, err));
    CT_TRY(ct_step_set_resumable(at->own, err));
    for (size_t i = 0; i < ct_value_count(files); i++)
        CT_TRY(ct_staged_add_unpublished(ct_step_staged(at->own), &list[i], err));
out:
    return status;
}

/* Closes the journal. If there is nothing to go on from, it is removed, and the files may be, too.
 */
static void resume_end(ct_run *run, bool published)
{
    if (!run->resume->journal) return;
    const bool nothing = run->resume->fresh && run->resume->block <= 0 && !run->resume->sealed;
    for (int s = 0; s < run->plan->count && nothing; s++)
        if (run->steps[s].own && ct_step_staged(run->steps[s].own))
            ct_staged_set_resumable(ct_step_staged(run->steps[s].own), false);
    ct_journal_close(run->resume->journal, nothing || published);
    run->resume->journal = NULL;
}

/* All was whole when the run died: only the names are missing. */
static ct_status give_names(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    run->resume->sealed = true;
    CT_TRY(each_sink(run, NULL, sink_rest, err));
    CT_TRY(ct_run_files_name(run, err));
    run->finished = true;
    resume_end(run, true);
    return CT_EOF;
out:
    return status;
}

ct_status ct_resume_begin(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const double start = ct_clock_now();
    CT_TRY(check_able(run, err));
    CT_TRY(check_inputs(run, err));
    CT_TRY(open_journal(run, err));
    ct_journal *journal = run->resume->journal;
    const size_t lines = ct_journal_count(journal);
    const ct_value *last = ct_journal_line(journal, lines - 1);
    if (lines > 2) CT_TRY(ct_journal_identity_check(run, ct_journal_line(journal, 0), err));
    if (lines > 2 && ct_value_get(last, "sealed")) return give_names(run, err);
    CT_TRY(lines > 2 ? begin_again(run, last, err) : begin_anew(run, err));
    ct_checkpoint_wait(run, lines > 2 ? 0 : ct_clock_now() - start);
out:
    return status;
}

/* ---- what it does while the run goes on */

static int64_t resume_kept(const ct_run *run)
{
    return run->resume->journal ? run->resume->block : run->block;
}

static ct_status resume_seal(ct_run *run, ct_error *err)
{
    if (!run->resume->journal) return CT_OK;
    const ct_status status = ct_journal_add(run->resume->journal, "{\"sealed\": true}", err);
    run->resume->sealed = status == CT_OK;
    return status;
}

static void resume_failed(const ct_run *run, ct_error *err)
{
    if (!run->resume->journal || run->resume->block <= 0) return;
    (void)ct_error_add(err, run->failed,
                       "what was done up to block %lld is kept: run it again with --resume to go "
                       "on from there",
                       (long long)run->resume->block);
}

static void resume_attach(ct_run *run)
{
    run->hooks.cancelled = ct_checkpoint_cancelled;
    run->hooks.end_block = ct_checkpoint_end_block;
    run->hooks.kept = resume_kept;
    run->hooks.failed = resume_failed;
    run->hooks.seal = resume_seal;
    run->hooks.end = resume_end;
}

ct_status ct_run_resume(ct_run *run, double every_s, int64_t *block, ct_error *err)
{
    ct_status status = ct_run_ready(run, "ct_run_resume", err);
    if (status != CT_OK) return status;
    const bool keeps = run->hooks.publish_partial != NULL;
    if (run->started || run->resume || keeps || run->tabled)
        return ct_error_add(err, CT_USAGE, "ct_run_resume: %s",
                            run->tabled ? "ct_run_table has changed what a journal does not have"
                            : keeps     ? "the run keeps what it has finished"
                                        : "call it once, before the first block");
    run->resume = ct_arena_get(run->arena, sizeof *run->resume);
    if (!run->resume) return ct_run_fail(run, ct_arena_check(run->arena, &run->failure), err);
    *run->resume =
        (struct ct_resume){.every = every_s < 0 ? 1 : every_s, .block = -1, .plan = run->plan};
    resume_attach(run);
    run->begun = ct_clock_now();
    run->started = run->inside = true;
    status = (run->job ? ct_resume_begin_job : ct_resume_begin)(run, &run->failure);
    run->inside = false;
    if (block) *block = run->write_from;
    return status == CT_OK || status == CT_EOF ? status : ct_run_fail(run, status, err);
}
