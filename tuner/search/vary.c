/* vary.c: one layout at a time: all choices that differ from those of the best plans in one
 * layout are measured, whatever is predicted of them; and again from the plans that are then the
 * best. A prediction that is wrong and sure of itself is found out here. Room: tuner/search. Knows
 * candidates. Does not know predictions. */
#include <math.h>

#include "fail.h"
#include "tuner.h"

enum { RESTART_QUESTIONS = 64, RESTART_PLANS = 3 };

/* Adds it, if it is possible and not known. */
static int vary_add(const ct_tuner *tuner, const ct_question *q, ct_question *out, int count)
{
    const ct_space_node *node = &tuner->space->node[q->node];
    if (count == RESTART_QUESTIONS || !ct_space_allows(node, q->choice)) return count;
    if (ct_results_has(tuner->results, q)) return count;
    for (int i = 0; i < count; i++)
        if (out[i].node == q->node && out[i].choice == q->choice) return count;
    out[count] = *q;
    return count + 1;
}

static int vary_node(const ct_tuner *tuner, int s, int64_t choice, ct_question *out, int count)
{
    const ct_space_node *node = &tuner->space->node[s];
    for (int a = 0; a < node->axes; a++) {
        int places[CT_PORTS];
        ct_space_places(node, choice, places);
        for (places[a] = 0; places[a] < node->axis[a].count; places[a]++) {
            const ct_question q = {.node = s, .choice = ct_space_choice(node, places)};
            count = vary_add(tuner, &q, out, count);
        }
    }
    return count;
}

static ct_status vary_questions(ct_tuner *tuner, ct_question *out, int *count, ct_error *err)
{
    ct_status status = CT_OK;
    ct_ranking *ranking = NULL;
    ct_candidate candidate;
    *count = 0;
    CT_TRY(ct_tuner_candidate(tuner, &candidate, err));
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_MEASURED, err));
    CT_TRY(ct_cost_model_rank(&ranking, tuner->model, err));
    for (int n = 0; n < RESTART_PLANS && *count == 0; n++) {
        status = ct_cost_model_next(tuner->model, ranking, &candidate, err);
        if (status != CT_OK || !isfinite(candidate.seconds)) break;
        for (int s = 0; s < tuner->space->nodes; s++)
            if (tuner->space->node[s].free)
                *count = vary_node(tuner, s, candidate.choice[s], out, *count);
    }
    if (status == CT_EOF) status = CT_OK;
out:
    ct_ranking_free(ranking);
    return status;
}

ct_status ct_vary_run(ct_tuner *tuner, double share, ct_error *err)
{
    ct_status status = CT_OK;
    ct_question questions[RESTART_QUESTIONS];
    int count = 0;
    tuner->doing = "one layout at a time";
    for (;;) {
        CT_TRY(vary_questions(tuner, questions, &count, err));
        if (count == 0) break;
        CT_TRY(ct_tuner_check_time(tuner, share, err));
        CT_TRY(ct_tuner_ask(tuner, questions, count, false, err));
    }
out:
    return status;
}
