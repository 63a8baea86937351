/* best_candidates.c: the default and the best candidates of measured parts, as far as they fit into
 * memory.
 * Room: tuner/confirm. Knows predictions and bytes. Does not know whole plans' times. */
#include <math.h>
#include <string.h>

#include "candidate_plan.h"
#include "confirm.h"
#include "fail.h"

enum { BEST_PARTS = 2 * CT_TUNER_BATCH };

static bool best_is_default(const ct_candidate *candidate)
{
    const ct_tuner *tuner = candidate->tuner;
    for (int s = 0; s < tuner->space->nodes; s++)
        if (candidate->choice[s] != 0 || tuner->results->of_node[s].choice[0].tunables)
            return false;
    return true;
}

/* Whether the device, and the caller, have room for it. */
ct_status ct_confirm_fits(const ct_candidate *candidate, bool *fits, ct_error *err)
{
    ct_status status = CT_OK;
    ct_text text = {0};
    ct_value *answer = NULL;
    ct_tuner *tuner = candidate->tuner;
    const ct_backend *backend = tuner->backend;
    CT_TRY(ct_candidate_plan(&text, candidate, err));
    if (backend->about)
        CT_TRY(backend->about(backend->of, "resolve", NULL, text.data, &answer, err));
    const int64_t bytes = ct_value_int(ct_value_get(answer, "device_bytes"), 0);
    const int64_t largest = ct_value_int(ct_value_get(answer, "largest_bytes"), 0);
    const char *word = ct_value_text(ct_value_get(answer, "status"), "ok");
    *fits = !strcmp(word, "ok") && bytes <= tuner->most_bytes && largest <= tuner->largest_bytes;
    if (bytes > 0 && (tuner->least_bytes == 0 || bytes < tuner->least_bytes))
        tuner->least_bytes = bytes;
out:
    ct_value_free(answer);
    ct_text_free(&text);
    return status;
}

/* The candidate with the least bytes of transposes; its parts need not be known. */
static ct_status best_smallest(ct_tuner *tuner, ct_candidate *out, bool *fits, ct_error *err)
{
    ct_status status = CT_OK;
    *fits = false;
    CT_TRY(ct_tuner_candidate(tuner, out, err));
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_BYTES, err));
    status = ct_cost_model_best(tuner->model, out, NULL);
    if (status == CT_INVALID) return CT_OK;
    CT_TRY(status);
    CT_TRY(ct_confirm_fits(out, fits, err));
out:
    return status;
}

ct_status ct_confirm_room(ct_tuner *tuner, bool *fits, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate candidate;
    CT_TRY(ct_tuner_candidate(tuner, &candidate, err));
    CT_TRY(ct_confirm_fits(&candidate, fits, err));
    if (!*fits) CT_TRY(best_smallest(tuner, &candidate, fits, err));
out:
    return status;
}

/* Where neither the default nor any of the best fits: the smallest, once it is known to be right.
 */
static ct_status best_last(ct_tuner *tuner, ct_candidate *candidates, int *count, ct_error *err)
{
    ct_status status = CT_OK;
    bool fits;
    ct_question parts[BEST_PARTS];
    CT_TRY(ct_confirm_fits(&candidates[0], &fits, err));
    if (fits) return CT_OK;
    CT_TRY(best_smallest(tuner, &candidates[1], &fits, err));
    if (!fits) return CT_OK;
    const int unknown = ct_refine_unknown(tuner, &candidates[1], parts, BEST_PARTS);
    tuner->due = INFINITY; /* there is nothing else to be had */
    CT_TRY(ct_tuner_ask(tuner, parts, unknown, false, err));
    const int all = ct_refine_parts(tuner, &candidates[1], parts, BEST_PARTS);
    for (int i = 0; i < all; i++)
        fits &= isfinite(ct_results_find(tuner->results, &parts[i])->ratio) != 0;
    *count += fits;
out:
    return status;
}

/* The default's layouts first, then the best candidates of measured parts that are not the default.
 */
ct_status ct_confirm_best(ct_tuner *tuner, ct_candidate *candidates, int *count, ct_error *err)
{
    ct_status status = CT_OK;
    ct_ranking *ranking = NULL;
    CT_TRY(ct_tuner_candidate(tuner, &candidates[0], err));
    *count = 1;
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_MEASURED, err));
    CT_TRY(ct_cost_model_rank(&ranking, tuner->model, err));
    for (int n = 0; n < 4 * CT_CONFIRM_CANDIDATES && *count < CT_CONFIRM_CANDIDATES; n++) {
        bool fits;
        ct_candidate next;
        CT_TRY(ct_tuner_candidate(tuner, &next, err));
        status = ct_cost_model_next(tuner->model, ranking, &next, err);
        if (status == CT_EOF) status = CT_OK;
        if (status != CT_OK || !isfinite(next.seconds) || next.choice == NULL) break;
        if (n == 0) tuner->best = ct_tuner_part(tuner, next.seconds);
        CT_TRY(ct_confirm_fits(&next, &fits, err));
        next.tuned = true;
        if (fits && !best_is_default(&next)) candidates[(*count)++] = next;
    }
    if (*count == 1 && status == CT_OK) CT_TRY(best_last(tuner, candidates, count, err));
out:
    ct_ranking_free(ranking);
    return status;
}
