/* job_sources.c: what the sources of a job's ranks read: a part of the stations, say, of which each
 * rank needs the flags of all; and what there is in a block that all have. Room: core/job. Knows
 * parts of arrays. Does not know how they are sent (core/ranks). */
#include "fail.h"
#include "memory.h"
#include "run_job.h"
#include "step_range.h"

static bool is_part(const ct_array *whole, const ct_array *part)
{
    for (int k = 0; k < whole->rank; k++)
        if (whole->extent[k] != part->extent[k]) return true;
    return false;
}

/* What a source reads, as all ranks together have it: flags of the stations that it reads, and the
 * dimensions along which it reads in parts. */
static ct_job_split source_split(const ct_run *run, int s)
{
    const ct_plan_step *step = &run->plan->steps[s];
    const ct_array *whole = &run->plan->graph->nodes[step->node].step->port[0];
    const ct_flags *flags = &run->flags->out[step->node * CT_PORTS];
    ct_job_split split = {
        .partition = step->partition, .whole = {.type = CT_U8}, .key = {.type = CT_U8}};
    ct_array_add(&split.whole, ct_step_reads_range(step->step, 'S') ? 'S' : 'Z', flags->stations);
    ct_array_add(&split.whole, 'G', flags->groups);
    ct_array_add(&split.whole, 'T', flags->samples);
    ct_array_dense(&split.whole, NULL);
    for (int k = 0; k < whole->rank; k++)
        if (ct_step_reads_range(step->step, whole->dim[k]))
            ct_array_add(&split.key, whole->dim[k], whole->extent[k]);
    return split;
}

/* If a source cannot read only the part that this rank has, it reads more into memory of its own.
 */
static ct_status read_whole(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    const ct_array *part = &run->plan->steps[s].step->port[0];
    ct_array whole = run->plan->graph->nodes[run->plan->steps[s].node].step->port[0];
    for (int k = 0; k < whole.rank; k++)
        if (ct_step_reads_range(at->own, whole.dim[k])) whole.extent[k] = part->extent[k];
    if (!is_part(&whole, part)) return CT_OK;
    whole.meta = at->own->port[0].meta;
    ct_array_dense(&whole, &part->layout);
    whole.data = NULL;
    at->own->port[0] = whole;
    at->whole = ct_arena_get(run->arena, ct_array_bytes(&whole));
    CT_TRY(ct_arena_check(run->arena, err));
out:
    return status;
}

static ct_status source_new(ct_run *run, int s, ct_job_need *need, ct_error *err)
{
    ct_status status = CT_OK;
    const ct_job_split split = source_split(run, s);
    run->steps[s].silent = !ct_job_allgather_gives(run->job, &split);
    CT_TRY(read_whole(run, s, err));
    CT_TRY(ct_job_allgather_need(run->job, &split, need, err));
out:
    return status;
}

ct_status ct_job_sources_new(ct_run *run, ct_job_need *need, ct_error *err)
{
    ct_status status = CT_OK;
    for (int s = 0; s < run->plan->count; s++)
        if (ct_role_of(run->steps[s].step) == CT_ROLE_SOURCE) CT_TRY(source_new(run, s, need, err));
out:
    return status;
}

static void join_rows(void *of, const ct_array *part, const int64_t first[CT_DIMS])
{
    ct_flags *flags = of;
    uint8_t *to = flags->data + first[0] * flags->groups * flags->samples;
    for (size_t i = 0; i < ct_array_bytes(part); i++)
        to[i] |= ((const uint8_t *)part->data)[i];
}

/* The flags of all ranks' stations, and how many samples they say are missing. */
static ct_status allgather_rows(ct_run *run, int s, ct_error *err)
{
    ct_status status = CT_OK;
    ct_run_step *at = &run->steps[s];
    ct_flags *flags = &run->flags->out[run->plan->steps[s].node * CT_PORTS];
    const ct_job_split split = source_split(run, s);
    ct_array own = split.whole;
    if (!ct_job_allgather_differs(run->job, &split)) return CT_OK;
    if (ct_step_reads_range(at->own, 'S')) own.extent[0] = ct_array_extent(&at->own->port[0], 'S');
    own.data = ct_run_io_rows(at, flags);
    CT_TRY(ct_job_allgather(run->job, &split, &own, join_rows, flags, err));
    const int64_t more = ct_flags_count(flags, at->got) - at->lacks;
    if (run->block < run->write_from) return CT_OK;
    run->flagged += more;
    at->missing += more;
out:
    return status;
}

static bool is_source(const ct_run *run, int s)
{
    return ct_role_of(run->steps[s].step) == CT_ROLE_SOURCE;
}

/* A source ends on all ranks where it ends on one. Whatever fails, flags are exchanged. */
static ct_status settle_source(ct_run *run, int s, const int64_t least[2], ct_error *err)
{
    ct_run_step *at = &run->steps[s];
    ct_status status = CT_OK;
    if (at->got != least[0]) status = ct_run_io_shorten(run, s, least[0], err);
    run->job->ended[s] = least[0] < run->flags->out[run->plan->steps[s].node * CT_PORTS].samples;
    const ct_status gathered = least[1] < 0 ? allgather_rows(run, s, err) : CT_OK;
    return status == CT_OK ? gathered : status;
}

ct_status ct_job_sources_read(ct_run *run, bool *some, ct_error *err)
{
    ct_status status = CT_OK;
    int64_t *least = run->job->least;
    for (int s = 0; s < run->plan->count; s++) {
        const ct_run_step *at = &run->steps[s];
        least[2 * s] = !is_source(run, s) || run->job->ended[s] ? 0 : at->got;
        least[2 * s + 1] = is_source(run, s) && at->lacks > 0 ? -1 : 0;
    }
    CT_TRY(ct_ranks_minimum(run->job->ranks, least, 2 * run->plan->count, err));
    *some = false;
    for (int s = 0; s < run->plan->count; s++) {
        if (!is_source(run, s)) continue;
        const ct_status one = settle_source(run, s, &least[2 * s], status ? NULL : err);
        status = status ? status : one;
        *some = *some || run->steps[s].got > 0;
    }
out:
    return status;
}
