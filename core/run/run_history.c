/* run_history.c: the end of a block, which an edge keeps for the next one, comes to where that
 * begins: it is there already, or it is moved. Room: core/run. Knows which samples these are. Does
 * not know who reads them. */
#include <string.h>

#include "run_memory.h"
#include "time_copy.h"

#include "clock.h"
#include "fail.h"
#include "layout.h"

static ct_status mark(ct_run *run, ct_error *err)
{
    return run->hooks.mark_history ? run->hooks.mark_history(run, err) : CT_OK;
}

/* Moves elements from dimension k on, the fastest last, in the order of their addresses: where they
 * move towards the start of one memory, each is read before it is written. */
static void move_rows(char *to, const char *from, const ct_copy *rows, int k)
{
    const size_t word = (size_t)rows->word;
    if (k == rows->rank) {
        memmove(to, from, word);
        return;
    }
    const int64_t extent = rows->dim[k].extent, out = rows->dim[k].to, in = rows->dim[k].from;
    if (k == rows->rank - 1 && out == 1 && in == 1) {
        memmove(to, from, word * (size_t)extent);
        return;
    }
    for (int64_t i = 0; i < extent; i++)
        move_rows(to + i * out * (int64_t)word, from + i * in * (int64_t)word, rows, k + 1);
}

/* Nothing is on the queue then that a copy there would have to wait for. */
static bool is_of_source(const ct_run *run, const ct_edge *edge)
{
    return ct_role_of(run->plan->steps[edge->from].step) == CT_ROLE_SOURCE;
}

/* On the host, now. */
static ct_status move_here(ct_run *run, const ct_time_place *to, const ct_time_place *from,
                           int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_array out = ct_array_part(to->array, 'T', to->sample, count);
    const ct_array in = ct_array_part(from->array, 'T', from->sample, count);
    ct_copy rows = ct_copy_make(&out, &in);
    ct_copy_sort(&rows, true);
    ct_copy_merge(&rows);
    CT_TRY(ct_run_buffers_wait(run, err));
    const double start = ct_clock_now();
    move_rows((char *)to->mem + rows.to * rows.word,
              (const char *)from->mem + rows.from * rows.word, &rows, 0);
    if (run->hooks.moved_history) run->hooks.moved_history(run, ct_clock_now() - start);
out:
    return status;
}

/* On the device, in turn with its other work. */
static ct_status move_there(ct_run *run, const ct_time_place *to, const ct_time_place *from,
                            int64_t count, ct_error *err)
{
    ct_status status = CT_OK;
    CT_TRY(mark(run, err));
    CT_TRY(ct_time_copy(run->device->gpu ? &run->memory->mover : NULL, run->device->queue, *to,
                        *from, count, "keeping the overlap of blocks", err));
    CT_TRY(mark(run, err));
out:
    return status;
}

ct_status ct_run_history_move(ct_run *run, int e, ct_error *err)
{
    const ct_edge *edge = &run->plan->edges[e];
    const ct_run_places *places = &run->memory->places[e];
    const int64_t fresh = ct_array_extent(&edge->array, 'T') - edge->before;
    if (places->count > 1 && places->now > 0) return CT_OK;
    const bool here = run->device->shares && (places->count > 1 || is_of_source(run, edge));
    const ct_buffer *now = ct_run_slots_buffer(run, e), *before = ct_run_slots_before(run, e);
    const ct_time_place to = {here ? now->host : (void *)now->mem, &edge->array, 0};
    const ct_time_place from = {here ? before->host : (void *)before->mem, &edge->array,
                                places->count > 1 ? places->count * fresh : fresh};
    return (here ? move_here : move_there)(run, &to, &from, edge->before, err);
}
