/* checkpoint.c: lines of the journal while a run goes on: how far sources and sinks are, once
 * all of it is on the disk. Room: core/resume. Knows files in the making and what sinks remember.
 * Does not know formats. */
#include <inttypes.h>
#include <string.h>

#include "clock.h"
#include "fail.h"
#include "memory.h"
#include "run_job.h"
#include "run_resume.h"
#include "text.h"

/* The time between two lines is at least so many times that of writing one: less than 1 %. */
#define COST 128.0

/* JSON is UTF-8: a name with other bytes could not be read back. */
static ct_status check_place(const ct_resumable *held, ct_error *err)
{
    const char *rest = held->file;
    while (ct_text_letter(rest))
        rest += ct_text_letter(rest);
    if (*rest)
        return ct_error_add(err, CT_DATA,
                            "%s: a journal takes names in UTF-8 only: choose another one, or run "
                            "without --resume",
                            held->file);
    if (held->part) return CT_OK;
    return ct_error_add(err, CT_DATA,
                        "%s: what goes into a pipe or a device cannot be taken up again: write to "
                        "a file, or run without --resume",
                        held->file);
}

static ct_status print_files(ct_text *json, const ct_staged *staged, ct_error *err)
{
    ct_status status = CT_OK;
    ct_resumable held;
    ct_text_add(json, "[");
    for (size_t n = 0; ct_staged_resumable(staged, n, &held); n++) {
        CT_TRY(check_place(&held, err));
        ct_text_add(json, "%s{\"file\": ", n ? ", " : "");
        ct_text_add_json(json, held.file);
        ct_text_add(json, ", \"part\": ");
        ct_text_add_json(json, held.part);
        ct_text_add(json, "}");
    }
    ct_text_add(json, "]");
out:
    return status;
}

ct_status ct_checkpoint_files(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text json = {0};
    const char *comma = "";
    ct_text_add(&json, "{\"files\": [");
    for (int s = 0; s < run->plan->count; s++) {
        if (ct_role_of(run->steps[s].step) != CT_ROLE_SINK) continue;
        ct_text_add(&json, "%s", comma);
        CT_TRY(print_files(&json, ct_step_staged(run->steps[s].own), err));
        comma = ", ";
    }
    ct_text_add(&json, "]}");
    CT_TRY(ct_text_check(&json, err));
    CT_TRY(ct_journal_add(run->resume->journal, json.data, err));
out:
    ct_text_free(&json);
    return status;
}

/* What the line says of one sink; `part`: its own state. */
static ct_status print_sink(ct_text *json, ct_journal_part *part, const ct_run_step *at,
                            ct_error *err)
{
    ct_status status = CT_OK;
    ct_resumable held;
    ct_staged *staged = ct_step_staged(at->own);
    CT_TRY(ct_step_answer(at->own,
                          at->own->stage->io.save(at->state, &part->data, &part->bytes, err), err));
    CT_TRY(ct_staged_sync(staged, err));
    ct_text_add(json, "{\"position\": %" PRId64 ", \"state\": %zu, \"bytes\": [", at->position,
                part->bytes);
    for (size_t n = 0; ct_staged_resumable(staged, n, &held); n++)
        ct_text_add(json, "%s%" PRId64, n ? ", " : "", held.bytes);
    ct_text_add(json, "]}");
out:
    return status;
}

static ct_status print_sinks(ct_text *json, ct_journal_part *parts, const ct_run *run,
                             ct_error *err)
{
    ct_status status = CT_OK;
    const char *comma = "";
    ct_text_add(json, ", \"sinks\": [");
    for (int s = 0; s < run->plan->count; s++) {
        if (ct_role_of(run->steps[s].step) != CT_ROLE_SINK) continue;
        ct_text_add(json, "%s", comma);
        CT_TRY(print_sink(json, parts++, &run->steps[s], err));
        comma = ", ";
    }
    ct_text_add(json, "]");
out:
    return status;
}

static void print_sources(ct_text *json, const ct_run *run)
{
    const char *comma = "";
    ct_text_add(json, ", \"sources\": [");
    for (int s = 0; s < run->plan->count; s++) {
        if (ct_role_of(run->steps[s].step) != CT_ROLE_SOURCE) continue;
        ct_text_add(json, "%s%" PRId64, comma, run->steps[s].position);
        comma = ", ";
    }
    ct_text_add(json, "]");
}

static bool have_bytes(const ct_journal_part *parts, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += parts[i].bytes;
    return bytes > 0;
}

static ct_status add_line(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text json = {0};
    char place[CT_JOURNAL_PLACE];
    const int steps = run->plan->count;
    ct_journal_part *parts = ct_memory_get(sizeof *parts * (size_t)(steps + 1));
    CT_NEED(parts, sizeof *parts, err);
    ct_text_add(&json, "{\"block\": %" PRId64 ", \"flagged\": %" PRId64 ", \"samples\": %" PRId64,
                run->block, run->flagged, run->samples);
    if (run->retired) ct_journal_identity_plan(&json, run->plan);
    print_sources(&json, run);
    CT_TRY(print_sinks(&json, parts, run, err));
    if (have_bytes(parts, steps)) {
        CT_TRY(ct_journal_save(run->resume->journal, parts, (size_t)steps, place, err));
        ct_text_add(&json, ", \"state\": \"%s\"", place);
    }
    ct_text_add(&json, "}");
    CT_TRY(ct_text_check(&json, err));
    CT_TRY(ct_journal_add(run->resume->journal, json.data, err));
    run->resume->block = run->block;
    run->resume->plan = run->plan;
out:
    ct_memory_free(parts);
    ct_text_free(&json);
    return status;
}

void ct_checkpoint_wait(ct_run *run, double cost)
{
    struct ct_resume *resume = run->resume;
    const double now = ct_clock_now();
    run->journal_s += cost;
    const double wait = run->begun + COST * (run->journal_s + cost) - now;
    resume->next = resume->every > 0 ? now + (wait > resume->every ? wait : resume->every) : 0;
}

static ct_status checkpoint(ct_run *run, ct_error *err)
{
    const double start = ct_clock_now();
    if (!run->resume->journal) return CT_OK;
    ct_status status = ct_run_io_settle(run, err);
    if (status == CT_OK) status = add_line(run, err);
    ct_checkpoint_wait(run, ct_clock_now() - start);
    return status;
}

static bool is_due(const ct_run *run)
{
    const struct ct_resume *resume = run->resume;
    const bool changed = run->plan != resume->plan; /* a later run may begin with this one */
    return resume->journal && run->block > run->write_from &&
           (changed || ct_clock_now() >= resume->next);
}

/* This process' parts of files that others have made are on the disk. */
static ct_status sync_joined(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    const void *data;
    size_t bytes;
    CT_TRY(ct_run_io_settle(run, err));
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        if (!at->joins) continue;
        CT_TRY(
            ct_step_answer(at->own, at->own->stage->io.save(at->state, &data, &bytes, err), err));
        CT_TRY(ct_staged_sync(ct_step_staged(at->own), err));
    }
out:
    return status;
}

ct_status ct_checkpoint_end_block(ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t none_due = !is_due(run);
    if (run->job) CT_TRY(ct_ranks_minimum(run->job->ranks, &none_due, 1, err));
    if (none_due) return CT_OK;
    CT_TRY(ct_run_agree(run, sync_joined(run, err), err));
    CT_TRY(ct_run_agree(run, checkpoint(run, err), err));
out:
    return status;
}

void ct_checkpoint_cancelled(ct_run *run)
{
    if (run->job && ct_job_files_any(run)) return; /* other ranks have not synced their parts */
    if (run->failed != CT_OK || run->finished) return;
    if (run->resume->block < run->block && run->block > run->write_from)
        (void)checkpoint(run, NULL);
}
