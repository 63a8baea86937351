/* refine.c: lazily exact: the problem is solved with the least that every unmeasured choice and
 * transpose may take; what the optimum uses is measured; and again, until all of it is known. What
 * cannot be part of a better plan is never measured.
 * Room: tuner/search. */
#include <math.h>

#include "fail.h"
#include "tuner.h"

/* How far predictions are doubted, in their deviations: by the search, and by what the rest of the
 * budget is for. */
#define REFINE_SURE 3.0
#define REFINE_CERTAIN 5.0
#define REFINE_STEP 0.5

enum { REFINE_NEXT = 8, REFINE_QUESTIONS = 16, REFINE_PARTS = 256, REFINE_CLOSE = 6 };

/* Candidates that differ by no more are told apart by further pairs, up to so many for each part.
 */
#define REFINE_NEAR 0.05
enum { REFINE_PAIRS = 30, REFINE_PAIRS_MORE = 90 };

/* Of thousands of single timings many plans look better by chance than the best one. */
enum { REFINE_CLOSE_OF_ALL = 64 };

/* ---- what a candidate uses and is not known */

static int refine_number(const ct_tuner *tuner, const ct_candidate *candidate, int s, int a)
{
    int places[CT_PORTS];
    const ct_space_node *node = &tuner->space->node[s];
    ct_space_places(node, candidate->choice[s], places);
    return tuner->space->edge[node->axis[a].edge].number[node->axis[a].place + 1][places[a]];
}

int ct_refine_parts(const ct_tuner *tuner, const ct_candidate *candidate, ct_question *out,
                    int room)
{
    int count = 0;
    for (int s = 0; s < tuner->space->nodes && count < room; s++)
        if (tuner->space->node[s].free)
            out[count++] = (ct_question){.node = s, .choice = candidate->choice[s]};
    for (int i = 0; i < tuner->space->edges; i++) {
        const ct_space_edge *edge = &tuner->space->edge[i];
        const int from = refine_number(tuner, candidate, edge->writer, edge->writer_axis);
        for (int r = 0; r < edge->readers && count < room; r++) {
            const int to =
                refine_number(tuner, candidate, edge->reader_node[r], edge->reader_axis[r]);
            if (from != to)
                out[count++] =
                    (ct_question){.node = -1, .edge = i, .reader = r, .from = from, .to = to};
        }
    }
    return count;
}

int ct_refine_unknown(const ct_tuner *tuner, const ct_candidate *candidate, ct_question *out,
                      int room)
{
    ct_question parts[REFINE_PARTS];
    const int count = ct_refine_parts(tuner, candidate, parts, REFINE_PARTS);
    int unknown = 0;
    for (int i = 0; i < count && unknown < room; i++)
        if (!ct_results_has(tuner->results, &parts[i])) out[unknown++] = parts[i];
    return unknown;
}

/* ---- one step: the best candidate's unknowns, then those of the next ones, as far as they could
 * be better than what is known */

static ct_status refine_questions(ct_tuner *tuner, double known, ct_question *out, int *count,
                                  double *bound, ct_error *err)
{
    ct_status status = CT_OK;
    ct_ranking *ranking = NULL;
    ct_candidate candidate;
    CT_TRY(ct_tuner_candidate(tuner, &candidate, err));
    *count = 0;
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_LEAST, err));
    CT_TRY(ct_cost_model_rank(&ranking, tuner->model, err));
    for (int n = 0; n < REFINE_NEXT && *count < REFINE_QUESTIONS; n++) {
        status = ct_cost_model_next(tuner->model, ranking, &candidate, err);
        if (status == CT_EOF)
            status = CT_OK;
        else if (status == CT_OK && n == 0)
            *bound = candidate.seconds;
        if (status != CT_OK || candidate.seconds > known * (1 - ct_tuner_within(tuner))) break;
        *count += ct_refine_unknown(tuner, &candidate, &out[*count], REFINE_QUESTIONS - *count);
        if (n > 0 && *count >= tuner->side) break;
    }
out:
    ct_ranking_free(ranking);
    return status;
}

/* Whether the search itself is done, and its budget is not: what is left of it buys certainty. */
static bool refine_is_certain(const ct_tuner *tuner)
{
    return tuner->share > CT_TUNER_SHARE;
}

/* The best candidate of measured parts; infinity while there is none. At last a plan of another
 * variant counts as well: what cannot be better than that need not be known. */
static ct_status refine_known(ct_tuner *tuner, double *seconds, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate candidate;
    *seconds = INFINITY;
    CT_TRY(ct_tuner_candidate(tuner, &candidate, err));
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_MEASURED, err));
    status = ct_cost_model_best(tuner->model, &candidate, NULL);
    if (status == CT_OK) {
        *seconds = candidate.seconds;
        tuner->best = ct_tuner_part(tuner, candidate.seconds);
    }
    const double other = ct_tuner_best(tuner, tuner);
    if (refine_is_certain(tuner) && isfinite(other))
        *seconds = fmin(*seconds, ct_tuner_seconds(tuner, other));
    if (status == CT_INVALID) status = CT_OK;
out:
    return status;
}

static bool refine_is_much(const ct_tuner *tuner)
{
    return (double)(tuner->results->measured - tuner->swept) > tuner->share * tuner->all;
}

/* Predictions are doubted more and more, as long as few of all choices and transposes are measured.
 * False: no more. */
static bool refine_doubt(const ct_tuner *tuner)
{
    ct_results *results = tuner->results;
    const double most = refine_is_certain(tuner) ? REFINE_CERTAIN : REFINE_SURE;
    const bool more = results->sure < most && !refine_is_much(tuner);
    if (more) results->sure += REFINE_STEP;
    return more;
}

bool ct_refine_is_doubted(const ct_tuner *tuner)
{
    return tuner->results->sure >= REFINE_CERTAIN;
}

bool ct_refine_is_enough(const ct_tuner *tuner)
{
    return tuner->results->sure > 1 && refine_is_much(tuner);
}

ct_status ct_refine_run(ct_tuner *tuner, double share, ct_error *err)
{
    ct_status status = CT_OK;
    ct_question questions[REFINE_QUESTIONS];
    int count = 0;
    double known;
    tuner->doing = "what the best plan may be made of";
    for (;;) {
        CT_TRY(refine_known(tuner, &known, err));
        CT_TRY(refine_questions(tuner, known, questions, &count, &tuner->bound_s, err));
        if (count == 0 && !refine_doubt(tuner)) break;
        if (count > 0 && ct_refine_is_enough(tuner)) break;
        CT_TRY(ct_tuner_check_time(tuner, share, err)); /* only now: nothing may be left */
        CT_TRY(ct_tuner_ask(tuner, questions, count, false, err));
    }
out:
    return status;
}

ct_status ct_refine_bound(ct_tuner *tuner, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate candidate;
    CT_TRY(ct_tuner_candidate(tuner, &candidate, err));
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_LEAST, err));
    status = ct_cost_model_best(tuner->model, &candidate, NULL);
    if (status == CT_OK) tuner->bound_s = candidate.seconds;
    if (status == CT_INVALID) status = CT_OK;
out:
    return status;
}

/* ---- further samples for the candidates: the best of many noisy numbers is too good to be true */

/* With the tunables that are best there; not twice in one go. */
static int refine_wants(const ct_tuner *tuner, const ct_question *part, ct_question *out, int count)
{
    const ct_result *entry = ct_results_find(tuner->results, part);
    const int pairs = refine_is_certain(tuner) ? REFINE_PAIRS_MORE : REFINE_PAIRS;
    if (entry->count >= pairs || (part->node >= 0 && part->choice == 0 && !entry->tunables))
        return count;
    for (int i = 0; i < count; i++)
        if (ct_results_find(tuner->results, &out[i]) == entry) return count;
    out[count] = *part;
    out[count].tunables = entry->tunables;
    return count + 1;
}

/* Those parts in which candidates that are nearly as good as the best one differ from it, and its
 * own.
 */
static ct_status refine_close(ct_tuner *tuner, ct_question *out, int *count, ct_error *err)
{
    ct_status status = CT_OK;
    ct_ranking *ranking = NULL;
    double best = 0.0;
    ct_candidate candidate;
    *count = 0;
    CT_TRY(ct_tuner_candidate(tuner, &candidate, err));
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_MEASURED, err));
    CT_TRY(ct_cost_model_rank(&ranking, tuner->model, err));
    const int close = tuner->options->exhaustive ? REFINE_CLOSE_OF_ALL : REFINE_CLOSE;
    for (int n = 0; n < close && *count < REFINE_QUESTIONS; n++) {
        ct_question parts[REFINE_PARTS];
        status = ct_cost_model_next(tuner->model, ranking, &candidate, err);
        if (n == 0) best = candidate.seconds;
        if (status != CT_OK || candidate.seconds > best * (1 + REFINE_NEAR)) break;
        const int all = ct_refine_parts(tuner, &candidate, parts, REFINE_PARTS);
        for (int i = 0; i < all && *count < REFINE_QUESTIONS; i++)
            *count = refine_wants(tuner, &parts[i], out, *count);
    }
    if (status == CT_EOF) status = CT_OK;
out:
    ct_ranking_free(ranking);
    return status;
}

ct_status ct_refine_again(ct_tuner *tuner, double share, ct_error *err)
{
    ct_status status = CT_OK;
    ct_question questions[REFINE_QUESTIONS];
    int count = 0;
    tuner->doing = "the candidates again";
    for (;;) {
        CT_TRY(ct_tuner_check_time(tuner, share, err));
        CT_TRY(refine_close(tuner, questions, &count, err));
        if (count == 0) break;
        CT_TRY(ct_tuner_ask(tuner, questions, count, true, err));
    }
out:
    return status;
}
