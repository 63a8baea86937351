/* run_io.c: one block from a source or to a sink.
 * Room: core/run. Knows views of edges and how many of their samples are real. Does not know
 * formats. Sources and sinks open with the first block, so that a caller can still put its own in
 * their place. */
#include "run_io.h"

#include <string.h>

#include "clock.h"
#include "fail.h"
#include "layout.h"
#include "run_memory.h"
#include "run_transfers.h"
#include "step_range.h"

/* Whether the stage, or what the program has bound, can read or write. */
static bool is_able(const ct_run_step *at)
{
    const ct_stage *stage = at->own->stage;
    if (at->io.read || at->io.write) return true;
    return ct_role_of(at->own) == CT_ROLE_SOURCE ? stage->io.read != NULL : stage->io.write != NULL;
}

ct_status ct_run_io_check(const ct_run *run, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        if (!at->own || is_able(at)) continue;
        const bool source = ct_role_of(at->own) == CT_ROLE_SOURCE;
        status = ct_error_add(err, CT_USAGE,
                              "node \"%s\": nothing is bound to this %s: expected ct_run_bind to "
                              "give it a %s() before the first block",
                              at->own->name, at->own->stage->name, source ? "read" : "write");
    }
    return status;
}

ct_status ct_run_io_open(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    if (at->open || at->io.read || at->io.write) return CT_OK;
    const double start = ct_clock_now();
    ct_run_note(run, s);
    if (at->own->stage->io.open)
        CT_TRY(ct_step_answer(at->own, at->own->stage->io.open(at->own, &at->state, err), err));
    at->open = true;
    at->stood += ct_clock_now() - start;
out:
    ct_run_note(run, -1);
    return status;
}

static ct_status check_got(const ct_step *step, const ct_flags *flags, int64_t got, ct_error *err)
{
    if (got >= 0 && got <= flags->samples) return CT_OK;
    return ct_error_add(err, CT_FAILED,
                        "node \"%s\": its read() says that it gave %lld samples of a block of %lld",
                        step->name, (long long)got, (long long)flags->samples);
}

/* A stream that gave less than a block has ended; one of known length ends there. */
static int64_t samples_left(const ct_run_step *at, int64_t number, int64_t block)
{
    const int64_t total = at->step->port[0].meta.total;
    if (at->position < number * block) return 0;
    return total >= 0 && total - at->position < block ? total - at->position : block;
}

uint8_t *ct_run_io_rows(const ct_run_step *at, const ct_flags *flags)
{
    return flags->data + ct_step_range_first(at->own, 'S') * flags->groups * flags->samples;
}

/* What a source fills: the block, or an array of which the block is a part. */
static ct_array array_to_read(const ct_run_step *at, const ct_array *block)
{
    ct_array whole = at->own->port[0];
    whole.data = at->whole;
    return at->whole ? whole : *block;
}

static void copy_part(const ct_run_step *at, ct_array *block, const ct_array *read)
{
    ct_array part = *read;
    if (!at->whole) return;
    for (int k = 0; k < block->rank; k++)
        part = ct_array_part(&part, block->dim[k],
                             ct_step_port_first(at->own, 0, block->dim[k]) -
                                 ct_step_range_first(at->own, block->dim[k]),
                             block->extent[k]);
    ct_copy_array(block, &part);
}

static ct_status read_block(ct_run_step *at, ct_run_request *r)
{
    const ct_stage *stage = at->step->stage;
    uint8_t *flags = ct_run_io_rows(at, &r->flags);
    ct_array read = array_to_read(at, &r->block);
    ct_status status = at->io.read ? at->io.read(at->io.state, &read, flags, &r->got, &r->err)
                                   : stage->io.read(at->state, &read, flags, &r->got, &r->err);
    if (status == CT_EOF) status = CT_OK;
    status = ct_step_answer(at->step, status, &r->err);
    if (status == CT_OK) status = check_got(at->step, &r->flags, r->got, &r->err);
    if (r->got > r->count) r->got = r->count;
    if (status == CT_OK) copy_part(at, &r->block, &read);
    return status;
}

/* Clears elements from dimension k on, the fastest last: rows that lie together at once. */
static void clear_rows(char *at, const ct_copy *rows, int k)
{
    const size_t word = (size_t)rows->word;
    if (k == rows->rank || (k == rows->rank - 1 && rows->dim[k].to == 1)) {
        memset(at, 0, k == rows->rank ? word : word * (size_t)rows->dim[k].extent);
        return;
    }
    for (int64_t i = 0; i < rows->dim[k].extent; i++)
        clear_rows(at + (size_t)(i * rows->dim[k].to) * word, rows, k + 1);
}

/* Clears the samples beyond the end of the data, and nothing else: history lies next to them. */
static void clear_rest(ct_array *block, int64_t got)
{
    const int64_t samples = ct_array_extent(block, 'T');
    if (got >= samples) return;
    const ct_array rest = ct_array_part(block, 'T', got, samples - got);
    ct_copy rows = ct_copy_make(&rest, &rest);
    ct_copy_sort(&rows, true);
    ct_copy_merge(&rows);
    clear_rows((char *)rest.data + (size_t)rows.to * (size_t)rows.word, &rows, 0);
}

static void serve_source(ct_run_step *at)
{
    ct_run_request *r = at->request;
    ct_flags *flags = &r->flags;
    if (flags->any) memset(flags->data, 0, ct_flags_bytes(flags));
    r->got = 0;
    if (r->count > 0) r->status = read_block(at, r);
    if (r->status != CT_OK) return;
    r->missing = ct_flags_count(flags, r->got);
    ct_flags_end(flags, r->got);
    clear_rest(&r->block, r->got);
}

static void serve_sink(ct_run_step *at)
{
    ct_run_request *r = at->request;
    const ct_stage *stage = at->step->stage;
    if (at->io.write)
        r->status = at->io.write(at->io.state, &r->block, r->first, r->count, &r->err);
    else
        r->status = ct_step_answer(
            at->step, stage->io.write(at->state, &r->block, r->first, r->count, &r->err), &r->err);
}

static void serve(ct_run_step *at)
{
    ct_run_request *r = at->request;
    r->err = (ct_error){0};
    r->status = ct_device_await(r->before, &r->err);
    const double start = ct_clock_now();
    if (r->status == CT_OK)
        (ct_role_of(at->step) == CT_ROLE_SOURCE ? serve_source : serve_sink)(at);
    r->seconds = ct_clock_now() - start;
}

/* What a source fills: the slot, or its copy on the host. */
static ct_status source_reach(ct_run *run, ct_run_request *r, ct_error *err)
{
    r->before = NULL;
    if (ct_run_transfers_has(run, r->slot))
        return ct_run_transfers_lend(run, r->slot, &r->block.data, &r->before, err);
    return ct_run_slots_map(run, r->slot, &r->block.data, err);
}

static ct_status source_leave(ct_run *run, const ct_run_request *r, ct_error *err)
{
    if (!ct_run_transfers_has(run, r->slot)) return ct_run_slots_unmap(run, r->slot, err);
    return r->status == CT_OK ? ct_run_transfers_send(run, r->slot, err) : CT_OK;
}

ct_status ct_run_io_ask(ct_run *run, int s, int64_t number, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    ct_run_request *r = at->request;
    if (!at->stream) {
        ct_run_flags_next(run, step->node);
        r->flags = run->flags->out[step->node * CT_PORTS];
    }
    r->number = number;
    r->slot = ct_run_slots_of_block(run, step->edge[0], number);
    r->count = run->draining ? 0 : samples_left(at, number, r->flags.samples);
    r->block = step->step->port[0];
    CT_TRY(ct_run_io_release(run, step->edge[0], r->slot, err));
    CT_TRY(source_reach(run, r, err));
    if (!at->stream) ct_run_note(run, s);
    ct_run_stream_ask(at, serve);
    ct_run_note(run, -1);
out:
    return status;
}

ct_status ct_run_io_take(ct_run *run, int s, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    const int node = run->plan->steps[s].node;
    ct_run_step *at = &run->steps[s];
    ct_run_request *r = at->request;
    ct_run_stream_wait(at);
    at->seconds += r->seconds;
    status = ct_run_counters_take(run, at, r->status == CT_OK ? err : NULL);
    if (source_leave(run, r, r->status || status ? NULL : err))
        status = status ? status : CT_FAILED;
    if (r->status != CT_OK) return ct_error_pass(err, r->status, &r->err);
    CT_TRY(status);
    if (at->stream) ct_run_flags_next(run, node);
    ct_flags_swap(&run->flags->out[node * CT_PORTS], &r->flags); /* for the block after the next */
    if (run->block >= run->write_from) {
        const int64_t samples = r->got * ct_flags_rows(&run->flags->out[node * CT_PORTS]);
        run->flagged += r->missing;
        run->samples += samples;
        at->missing += r->missing;
        at->samples += samples;
    }
    at->got = r->got;
    at->lacks = r->missing;
    at->position += r->got;
    run->length[node] = at->position;
    *some = *some || r->got > 0;
out:
    return status;
}

ct_status ct_run_io_shorten(ct_run *run, int s, int64_t got, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    const int slot = ct_run_slots_now(run, step->edge[0]);
    ct_array block = step->step->port[0];
    ct_flags_end(&run->flags->out[step->node * CT_PORTS], got);
    CT_TRY(ct_run_slots_map(run, slot, &block.data, err));
    clear_rest(&block, got);
    CT_TRY(ct_run_slots_unmap(run, slot, err));
    at->position += got - at->got;
    run->length[step->node] = at->position;
    at->got = got;
out:
    return status;
}

ct_status ct_run_io_ask_ahead(ct_run *run, int s, ct_error *err)
{
    const ct_run_step *at = &run->steps[s];
    const int64_t next = at->fired + 1, blocks = run->plan->graph->blocks;
    if (!at->stream || run->apart || run->draining || (blocks >= 0 && run->block + 1 >= blocks))
        return CT_OK;
    if (samples_left(at, next, at->request->flags.samples) <= 0) return CT_OK;
    return ct_run_io_ask(run, s, next, err);
}

/* The part of this block that is real: after the skipped start, before the end of the data. */
static int64_t real_part(const ct_run *run, const ct_run_step *at, const ct_node *from,
                         int from_node, int64_t samples, int64_t *first)
{
    int64_t position = at->fired * samples;
    int64_t end = run->length[from_node] - position;
    *first = from->out_skip > position ? from->out_skip - position : 0;
    if (end > samples) end = samples;
    return end > *first ? end - *first : 0;
}

/* The result of the last write of a sink. */
static ct_status sink_answer(ct_run *run, ct_run_step *at, ct_error *err)
{
    ct_run_request *r = at->request;
    if (!r->asked) return CT_OK;
    ct_run_stream_wait(at);
    at->seconds += r->seconds;
    at->broken = at->broken || r->status != CT_OK;
    const ct_status counted = ct_run_counters_take(run, at, r->status == CT_OK ? err : NULL);
    return r->status == CT_OK ? counted : ct_error_pass(err, r->status, &r->err);
}

/* A sink's inputs other than port 0 are mapped while it writes. The run waits for that, since only
 * port 0 has a second slot. */
static ct_status sink_reach(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const int *edge = run->plan->steps[s].edge;
    for (int p = 1; p < CT_PORTS; p++)
        if (edge[p] >= 0)
            CT_TRY(ct_run_slots_map(run, ct_run_slots_of_block(run, edge[p], run->steps[s].fired),
                                    &run->steps[s].own->port[p].data, err));
out:
    return status;
}

static ct_status sink_leave(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const int *edge = run->plan->steps[s].edge;
    for (int p = 0; p < CT_PORTS; p++) {
        if (edge[p] < 0 || run->memory->doubled[edge[p]].on) continue;
        if (ct_run_slots_unmap(run, ct_run_slots_now(run, edge[p]), status ? NULL : err))
            status = status ? status : CT_FAILED;
    }
    return status;
}

static ct_status sink_ask(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    ct_run_request *r = at->request;
    const int e = run->plan->steps[s].edge[0];
    r->number = ct_run_block_of(run, s);
    r->slot = ct_run_slots_of_block(run, e, at->fired);
    r->block = at->step->port[0];
    CT_TRY(ct_run_masks_sink(run, s, err));
    r->before = NULL;
    if (ct_run_transfers_has(run, r->slot))
        CT_TRY(ct_run_transfers_fetch(run, r->slot, at->fired, &r->block.data, &r->before, err));
    else
        CT_TRY(ct_run_slots_map(run, r->slot, &r->block.data, err));
    CT_TRY(sink_reach(run, s, err));
    if (!at->stream) ct_run_note(run, s);
    ct_run_stream_ask(at, serve);
    ct_run_note(run, -1);
    at->position += r->count;
    if (at->stream) return CT_OK;
    CT_TRY(sink_answer(run, at, err));
out:
    if (sink_leave(run, s, status ? NULL : err)) status = status ? status : CT_FAILED;
    return status;
}

ct_status ct_run_io_write(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_plan_step *step = &run->plan->steps[s];
    ct_run_step *at = &run->steps[s];
    const int from = run->plan->graph->nodes[step->node].input[0].node;
    if (run->block < run->write_from) return CT_OK;
    CT_TRY(ct_run_io_open(run, s, err));
    CT_TRY(sink_answer(run, at, err));
    at->request->count = real_part(run, at, &run->plan->graph->nodes[from], from,
                                   ct_array_extent(&at->step->port[0], 'T'), &at->request->first);
    if (at->request->count > 0) CT_TRY(sink_ask(run, s, err));
out:
    at->broken = at->broken || status != CT_OK;
    return status;
}

ct_status ct_run_io_release(ct_run *run, int e, int slot, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++) {
        ct_run_step *at = &run->steps[s];
        if (!at->own || ct_role_of(at->own) != CT_ROLE_SINK) continue;
        if (run->plan->steps[s].edge[0] == e && at->request->slot == slot)
            CT_TRY(sink_answer(run, at, err));
    }
    CT_TRY(CT_RUN_HOOK(run, release, slot, err));
    CT_TRY(ct_run_slots_unmap(run, slot, err));
out:
    return status;
}

ct_status ct_run_io_settle(ct_run *run, ct_error *err)
{
    const ct_run_request *first = NULL;
    for (int s = 0; s < run->plan->count; s++) {
        ct_run_step *at = &run->steps[s];
        if (!at->own || ct_role_of(at->own) != CT_ROLE_SINK) continue;
        if (sink_answer(run, at, NULL) == CT_OK) continue;
        if (!first || at->request->number < first->number) first = at->request;
    }
    return first ? ct_error_pass(err, first->status, &first->err) : CT_OK;
}

ct_status ct_run_io_close(ct_run *run, int s, bool complete, ct_error *err)
{
    ct_run_step *at = &run->steps[s];
    if (!at->open) return CT_OK;
    if (complete) (void)ct_run_counters_take(run, at, NULL);
    at->open = false;
    if (!at->step->stage->io.close) return CT_OK;
    ct_run_note(run, s);
    const ct_status status = at->step->stage->io.close(at->state, complete && !at->silent, err);
    ct_run_note(run, -1);
    at->lost = complete && status != CT_OK;
    return complete ? ct_step_answer(at->step, status, err) : status;
}
