/* run_checkpoint.c: lines of the journal while a run goes on: how far sources and sinks are, once
 * all of it is on the disk. Room: core/run. Knows files in the making and what sinks remember. Does
 * not know formats. */
#include <inttypes.h>
#include <string.h>

#include "fail.h"
#include "memory.h"
#include "run_resume.h"
#include "text.h"

/* The time between two lines is so many times that which one takes: less than 1 % goes into them.
 */
#define COST 128.0

/* JSON holds letters only: of other bytes in a name nobody would know which they were. */
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

ct_status ct_run_checkpoint_files(ct_run *run, ct_error *err)
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

/* One sink's share of the line; `part`: what it remembers. */
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
out:
    ct_memory_free(parts);
    ct_text_free(&json);
    return status;
}

void ct_run_checkpoint_wait(ct_run *run, double cost)
{
    ct_resume *resume = run->resume;
    const double now = ct_run_clock();
    resume->seconds += cost;
    const double wait = resume->begun + COST * (resume->seconds + cost) - now;
    resume->next = resume->every > 0 ? now + (wait > resume->every ? wait : resume->every) : 0;
}

ct_status ct_run_checkpoint(ct_run *run, bool now, ct_error *err)
{
    const double start = ct_run_clock();
    if (!run->resume->journal) return CT_OK;
    if (run->block <= run->replay || (!now && start < run->resume->next)) return CT_OK;
    ct_status status = ct_run_io_settle(run, err);
    if (status == CT_OK) status = add_line(run, err);
    ct_run_checkpoint_wait(run, ct_run_clock() - start);
    return status;
}

void ct_run_checkpoint_last(ct_run *run)
{
    if (!run || !atomic_load_explicit(&run->cancelled, memory_order_relaxed)) return;
    if (ct_run_parts_has(run)) return; /* others have not put theirs on the disk */
    if (!run->resume || run->failed != CT_OK || run->finished) return;
    if (run->resume->block < run->block) (void)ct_run_checkpoint(run, true, NULL);
}
