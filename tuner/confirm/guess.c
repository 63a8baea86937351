/* guess.c: the best plan by what was measured so far, where somebody has stopped the tuning.
 * Room: tuner/confirm. Does not know whole plans' times. */
#include <math.h>

#include "confirm.h"
#include "fail.h"

/* Sums of parts miss the whole by a few percent. */
#define GUESS_CLEAR 0.97

/* Takes its best plan, if it is clearly better than *ratio, of the first tuner's default. */
static ct_status guess_one(ct_tuner *tuner, ct_candidate *chosen, double *ratio, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate best;
    CT_TRY(ct_tuner_candidate(tuner, &best, err));
    CT_TRY(ct_cost_model_price(tuner->model, tuner->results, CT_PRICE_MEASURED, err));
    status = ct_cost_model_best(tuner->model, &best, NULL);
    if (status == CT_OK && ct_tuner_part(tuner, best.seconds) < *ratio * GUESS_CLEAR) {
        best.tuned = true;
        *ratio = ct_tuner_part(tuner, best.seconds);
        *chosen = best;
    }
    if (status == CT_INVALID) status = CT_OK;
out:
    return status;
}

ct_status ct_confirm_guess(ct_tuner *const *tuners, int count, ct_candidate *chosen,
                           ct_verdict *verdict, ct_error *err)
{
    ct_status status = CT_OK;
    double ratio = 1;
    CT_TRY(ct_tuner_candidate(tuners[0], chosen, err));
    for (int t = 0; t < count; t++)
        CT_TRY(guess_one(tuners[t], chosen, &ratio, err));
    *verdict = (ct_verdict){.seconds = ratio * tuners[0]->default_s,
                            .default_s = tuners[0]->default_s,
                            .ratio = ratio,
                            .low = ratio,
                            .high = ratio,
                            .samples = tuners[0]->graph->block,
                            .signal_s = tuners[0]->graph->block_s};
out:
    return status;
}
