/* time_candidates.c: candidates are timed whole, and that is written down.
 * Room: tuner/confirm. Knows what journals call them. Does not know how they are timed. */
#include "candidate_plan.h"
#include "confirm.h"
#include "fail.h"
#include "journal_lines.h"

enum { TIME_MOST = 16 };

/* The default's layouts with the default's tunables. A candidate of the same layouts with other
 * tunables says so. */
static bool time_is_default(const ct_candidate *candidate)
{
    for (int s = 0; s < candidate->tuner->space->nodes; s++)
        if (candidate->choice[s] != 0) return false;
    return !candidate->tuned;
}

static void time_layouts(const ct_candidate *candidate, ct_text *out)
{
    const ct_tuner *tuner = candidate->tuner;
    for (int s = 0; s < tuner->space->nodes; s++) {
        char at[CT_SPACE_AT];
        const ct_space_node *node = &tuner->space->node[s];
        if (!node->free) continue;
        ct_space_print(node, candidate->choice[s], at);
        ct_text_add(out, "%s%s %s", out->length ? ", " : "", node->name, at);
    }
}

void ct_confirm_name(const ct_candidate *candidate, ct_text *out)
{
    if (time_is_default(candidate))
        ct_text_add(out, "%s", candidate->tuner->label);
    else
        time_layouts(candidate, out);
    if (candidate->block > 0) ct_text_add(out, ", block %lld", (long long)candidate->block);
}

static ct_status time_write(const ct_candidate *candidate, const ct_plan_timing *timing,
                            ct_error *err)
{
    ct_text line = {0}, name = {0};
    const ct_tuner *tuner = candidate->tuner;
    if (!tuner->journal) return CT_OK;
    ct_confirm_name(candidate, &name);
    ct_journal_lines_whole(&line, name.data, timing);
    const ct_status status = ct_tuning_journal_add(tuner->journal, line.data, err);
    ct_text_free(&line);
    ct_text_free(&name);
    return status;
}

static ct_status time_text(const ct_candidate *candidate, const char **out, ct_error *err)
{
    ct_text text = {0};
    ct_status status = ct_candidate_plan(&text, candidate, err);
    if (status == CT_OK) *out = ct_arena_copy(candidate->tuner->arena, text.data);
    ct_text_free(&text);
    return status;
}

/* Who times plans may not know how long their blocks are. */
static void time_block(const ct_candidate *candidate, ct_plan_timing *timing)
{
    const ct_graph *graph = candidate->tuner->graph;
    if (timing->samples > 0 || graph->block == 0) return;
    timing->samples = candidate->block > 0 ? candidate->block : graph->block;
    timing->signal_s = graph->block_s * (double)timing->samples / (double)graph->block;
}

ct_status ct_confirm_time(const ct_candidate *candidates, int count, ct_confirm_way way,
                          ct_plan_timing *out, ct_error *err)
{
    ct_status status = CT_OK;
    const char *texts[TIME_MOST];
    ct_tuner *first = candidates[0].tuner;
    const ct_backend *backend = first->backend;
    const double from = backend->now(backend->of);
    ct_tuner_progress(first);
    for (int i = 0; i < count; i++)
        CT_TRY(time_text(&candidates[i], &texts[i], err));
    CT_TRY(backend->time_plans(backend->of, candidates, texts, count, way.rounds, way.fresh, out,
                               first->arena, err));
    first->plan_s = (backend->now(backend->of) - from) / (count * (way.fresh ? way.fresh : 1));
    for (int i = 0; i < count; i++) {
        time_block(&candidates[i], &out[i]);
        CT_TRY(time_write(&candidates[i], &out[i], err));
    }
out:
    return status;
}
