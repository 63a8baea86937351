/* tuner.c: how all phases measure: nothing twice, each answer is written down, and within the
 * budget.
 * Room: tuner/search. */
#include <math.h>
#include <string.h>

#include "candidate_plan.h"
#include "fail.h"
#include "journal_lines.h"
#include "json_text.h"
#include "tuner.h"

/* A measurement that began in time may end later, by this part of the budget. */
#define TUNER_LATE 0.01

/* A plan that could be better by less is not worth a measurement. */
#define TUNER_WITHIN 0.01

static ct_status tuner_stop(ct_tuner *tuner, ct_error *err)
{
    if (!tuner->stopped && tuner->options->stop)
        tuner->stopped = tuner->options->stop(tuner->options->of);
    if (tuner->stopped) return ct_error_add(err, CT_INTERRUPTED, "the tuning was interrupted");
    return CT_OK;
}

ct_status ct_tuner_check_time(ct_tuner *tuner, double share, ct_error *err)
{
    const ct_status status = tuner_stop(tuner, err);
    if (status != CT_OK) return status;
    tuner->due = share * tuner->until;
    return tuner->backend->now(tuner->backend->of) > tuner->due ? CT_EOF : CT_OK;
}

/* ---- progress */

static void tuner_time(ct_text *text, double seconds)
{
    if (seconds >= 120)
        ct_text_add(text, ", %.0f min left", seconds / 60);
    else
        ct_text_add(text, ", %.0f s left", seconds);
}

void ct_tuner_progress(ct_tuner *tuner)
{
    ct_text text = {0};
    if (!tuner->options->say) return;
    ct_text_add(&text, "%lld done", (long long)tuner->plain->done);
    if (tuner->left > 0) ct_text_add(&text, ", %lld to go", (long long)tuner->left);
    if (isfinite(ct_tuner_best(tuner, NULL)))
        ct_text_add(&text, ", best %.2f of the default", ct_tuner_best(tuner, NULL));
    if (isfinite(tuner->until))
        tuner_time(&text, fmax(0, tuner->until - tuner->backend->now(tuner->backend->of)));
    ct_text_add(&text, ": %s%s", tuner->doing,
                tuner->disturbed ? " (the machine has other work, too)" : "");
    tuner->options->say(tuner->options->of, text.data);
    ct_text_free(&text);
}

/* ---- parts of the default */

/* What the default's steps take in place. */
static double tuner_default_steps(const ct_tuner *tuner)
{
    double seconds = 0;
    int64_t none[CT_TUNER_PARTS] = {0};
    ct_question parts[CT_TUNER_PARTS];
    const ct_candidate defaults = {.choice = none};
    if (tuner->space->nodes > CT_TUNER_PARTS) return tuner->default_s;
    const int count = ct_refine_parts(tuner, &defaults, parts, CT_TUNER_PARTS);
    for (int i = 0; i < count; i++)
        seconds += parts[i].node >= 0 ? tuner->results->of_node[parts[i].node].base
                                      : ct_results_seconds(tuner->results, &parts[i]);
    return seconds;
}

/* What a block takes beside its steps: the host's work, and histories. */
static double tuner_beside(const ct_tuner *tuner)
{
    return tuner->default_s > 0 ? fmax(tuner->default_s - tuner_default_steps(tuner), 0) : 0;
}

/* A fused graph may have another block than the plain one. */
double ct_tuner_default_s(const ct_tuner *tuner)
{
    const double own = (double)tuner->graph->block, plain = (double)tuner->plain->graph->block;
    return tuner->plain->default_s * (plain > 0 ? own / plain : 1);
}

double ct_tuner_part(const ct_tuner *tuner, double seconds)
{
    const double whole = seconds + tuner_beside(tuner), defaults = ct_tuner_default_s(tuner);
    return defaults > 0 ? whole / defaults : INFINITY;
}

double ct_tuner_seconds(const ct_tuner *tuner, double part)
{
    return part * ct_tuner_default_s(tuner) - tuner_beside(tuner);
}

double ct_tuner_best(const ct_tuner *tuner, const ct_tuner *but)
{
    double best = INFINITY;
    for (const ct_tuner *one = tuner->plain; one; one = one->next)
        if (one != but) best = fmin(best, one->best);
    return best;
}

double ct_tuner_within(const ct_tuner *tuner)
{
    return tuner->options->within > 0 ? tuner->options->within : TUNER_WITHIN;
}

/* ---- asking */

static ct_status tuner_answered(void *to, const ct_question *q, const ct_answer *answered,
                                ct_error *err)
{
    ct_tuner *tuner = to;
    ct_text line = {0};
    ct_status status = CT_OK;
    ct_answer own = *answered, *answer = &own;
    const bool more = ct_results_has(tuner->results, q);
    answer->drift = ct_results_drift(tuner->results, q, answer);
    ct_results_add(tuner->results, q, answer);
    ct_dedup_keep(&tuner->dedup, q->node, q->same, answer, tuner->arena);
    tuner->plain->done++;
    tuner->disturbed = answer->disturbed;
    if (tuner->journal) {
        ct_journal_lines_answer(&line, tuner->space, q, answer, more);
        status = ct_tuning_journal_add(tuner->journal, line.data, err);
    }
    if (tuner->left > 0) tuner->left--;
    ct_tuner_progress(tuner);
    ct_text_free(&line);
    if (status == CT_OK) status = tuner_stop(tuner, err);
    return status;
}

static bool tuner_is_same(const ct_question *a, const ct_question *b)
{
    if (a->node != b->node || a->choice != b->choice || a->edge != b->edge || a->from != b->from ||
        a->to != b->to)
        return false;
    return ct_results_same_tunables(a->tunables, b->tunables);
}

/* Not known yet, and not asked in this batch already. */
static bool tuner_is_new(const ct_tuner *tuner, const ct_question *q, const ct_question *batch,
                         int count)
{
    for (int i = 0; i < count; i++)
        if (tuner_is_same(q, &batch[i])) return false;
    return !ct_results_has(tuner->results, q);
}

/* Seconds of a measurement: the best get further pairs later, and then more of them at a time,
 * since what they are timed on has to be made each time. */
#define TUNER_FIRST_S 0.5
#define TUNER_AGAIN_S 1.5
enum { TUNER_LEAST = 3 };

static int tuner_most(const ct_tuner *tuner, const ct_question *q)
{
    const double seconds = q->node >= 0 ? tuner->results->of_node[q->node].base
                                        : ct_results_seconds(tuner->results, q);
    const double most = q->again ? TUNER_AGAIN_S : TUNER_FIRST_S;
    const double pairs = seconds > 0 ? most / (2 * seconds) : CT_BACKEND_PAIRS;
    return pairs < TUNER_LEAST        ? TUNER_LEAST
           : pairs > CT_BACKEND_PAIRS ? CT_BACKEND_PAIRS
                                      : (int)pairs;
}

typedef struct tuner_batch {
    ct_question item[CT_TUNER_BATCH];
    char digest[CT_TUNER_BATCH][CT_BACKEND_DIGEST];
    int count;
} tuner_batch;

static ct_status tuner_digests(const ct_tuner *tuner, tuner_batch *batch, ct_error *err)
{
    ct_status status = CT_OK;
    if (!tuner->backend->digests) return CT_OK;
    CT_TRY(
        tuner->backend->digests(tuner->backend->of, batch->item, batch->count, batch->digest, err));
    for (int i = 0; i < batch->count; i++)
        if (batch->digest[i][0]) batch->item[i].same = batch->digest[i];
out:
    return status;
}

/* Whether an earlier measurement, or one of this batch, stands for it. */
static bool tuner_is_double(const ct_tuner *tuner, const tuner_batch *batch, int n)
{
    const ct_question *q = &batch->item[n];
    for (int i = 0; i < n && q->same; i++)
        if (batch->item[i].node == q->node && !strcmp(batch->digest[i], q->same)) return true;
    return ct_dedup_find(&tuner->dedup, q->node, q->same);
}

/* Takes the result of the same work; if there is none that can be reused, measures it. */
static ct_status tuner_take(ct_tuner *tuner, const ct_question *q, ct_error *err)
{
    const ct_answer *known = ct_dedup_find(&tuner->dedup, q->node, q->same);
    if (!known) return tuner->backend->ask(tuner->backend->of, q, 1, tuner_answered, tuner, err);
    ct_answer answer = *known;
    answer.taken = true;
    answer.build_s = answer.waited_s = 0;
    return tuner_answered(tuner, q, &answer, err);
}

static ct_status tuner_go(ct_tuner *tuner, tuner_batch *batch, bool more, ct_error *err)
{
    ct_status status = CT_OK;
    ct_question first[CT_TUNER_BATCH], later[CT_TUNER_BATCH];
    int firsts = 0, laters = 0;
    if (tuner->backend->limit)
        tuner->backend->limit(tuner->backend->of, tuner->due, (1 + TUNER_LATE) * tuner->until);
    if (!more) CT_TRY(tuner_digests(tuner, batch, err));
    for (int i = 0; i < batch->count; i++)
        if (tuner_is_double(tuner, batch, i))
            later[laters++] = batch->item[i];
        else
            first[firsts++] = batch->item[i];
    if (firsts > 0)
        CT_TRY(tuner->backend->ask(tuner->backend->of, first, firsts, tuner_answered, tuner, err));
    for (int i = 0; i < laters; i++)
        CT_TRY(tuner_take(tuner, &later[i], err));
out:
    batch->count = 0;
    return status;
}

ct_status ct_tuner_ask(ct_tuner *tuner, const ct_question *questions, int count, bool more,
                       ct_error *err)
{
    tuner_batch batch = {.count = 0};
    ct_status status = CT_OK;
    for (int i = 0; i < count; i++) {
        if (more || tuner_is_new(tuner, &questions[i], batch.item, batch.count)) {
            ct_question *q = &batch.item[batch.count++];
            *q = questions[i];
            q->again = more;
            q->pairs = tuner_most(tuner, q);
        }
        if (batch.count == CT_TUNER_BATCH || (i + 1 == count && batch.count > 0))
            CT_TRY(tuner_go(tuner, &batch, more, err));
    }
out:
    return status;
}

/* How many pairs of a layout that is written and another one that is read there are. */
static double tuner_transposes(const ct_space *space, const ct_space_edge *edge)
{
    double count = 0;
    const ct_space_axis *written = &space->node[edge->writer].axis[edge->writer_axis];
    for (int from = 0; from < written->count; from++)
        for (int to = 0; to < edge->layouts; to++)
            count += edge->number[0][from] != to;
    return count;
}

double ct_tuner_all(const ct_space *space)
{
    double all = 0;
    for (int s = 0; s < space->nodes; s++)
        if (space->node[s].free) all += (double)space->node[s].choices;
    for (int i = 0; i < space->edges; i++)
        all += tuner_transposes(space, &space->edge[i]);
    return all;
}

ct_status ct_tuner_candidate(ct_tuner *tuner, ct_candidate *out, ct_error *err)
{
    const size_t bytes = sizeof *out->choice * (size_t)tuner->space->nodes;
    *out = (ct_candidate){.tuner = tuner, .choice = ct_arena_get(tuner->arena, bytes)};
    return out->choice ? CT_OK : ct_memory_fail(bytes, err);
}
