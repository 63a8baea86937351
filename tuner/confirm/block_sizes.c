/* block_sizes.c: other blocks than the default's, with the plan that was found.
 * Room: tuner/confirm. Knows whole plans' times. Does not know layouts. */
#include "confirm.h"
#include "fail.h"

enum { BLOCKS_MOST = 4, BLOCKS_PROCESSES = 2 };

/* Of the default's samples: numerators and denominators. */
static const int64_t blocks_sizes[][2] = {{1, 2}, {2, 1}, {4, 1}};
enum { BLOCKS_SIZES = sizeof blocks_sizes / sizeof blocks_sizes[0] };

/* The candidate as it is, then with other blocks, if these are possible and fit. */
static ct_status blocks_list(const ct_candidate *candidate, ct_candidate *out, int *count,
                             ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t samples = candidate->tuner->graph->block;
    *count = 1;
    out[0] = *candidate;
    for (int i = 0; i < BLOCKS_SIZES; i++) {
        bool fits = false;
        out[*count] = *candidate;
        out[*count].block = samples * blocks_sizes[i][0] / blocks_sizes[i][1];
        if (samples * blocks_sizes[i][0] % blocks_sizes[i][1] == 0)
            CT_TRY(ct_confirm_fits(&out[*count], &fits, err));
        *count += fits;
    }
out:
    return status;
}

/* Seconds for as many samples as the first one's block has. */
static void blocks_scale(const ct_candidate *all, ct_plan_timing *own, int i)
{
    const double samples = (double)all[0].tuner->graph->block;
    if (all[i].block == 0) return;
    for (int w = 0; w < own[i].walls; w++)
        own[i].wall[w] *= samples / (double)all[i].block;
}

/* Their mean size is twice the default's. */
double ct_confirm_block_sizes_seconds(double plan_s)
{
    return BLOCKS_PROCESSES * (1 + 2 * BLOCKS_MOST * plan_s);
}

static bool blocks_afford(const ct_tuner *tuner)
{
    const double budget = tuner->options->budget_s;
    const double spent = tuner->backend->now(tuner->backend->of);
    return budget <= 0 || spent + ct_confirm_block_sizes_seconds(tuner->plan_s) <= budget;
}

ct_status ct_confirm_block_sizes(ct_candidate *candidate, ct_verdict *verdict, ct_error *err)
{
    ct_status status = CT_OK;
    ct_candidate all[BLOCKS_MOST];
    ct_plan_timing own[BLOCKS_MOST];
    int count = 0, best = 0;
    candidate->tuner->doing = "other blocks";
    if (!blocks_afford(candidate->tuner)) return CT_OK;
    CT_TRY(blocks_list(candidate, all, &count, err));
    if (count == 1) return CT_OK;
    CT_TRY(ct_confirm_time(all, count, (ct_confirm_way){CT_CONFIRM_ROUNDS, BLOCKS_PROCESSES}, own,
                           err));
    for (int i = 1; i < count; i++) {
        blocks_scale(all, own, i);
        if (ct_verdict_compare(&own[i], &own[best]).high < 1) best = i;
    }
    if (best == 0) return CT_OK;
    const ct_verdict won = ct_verdict_compare(&own[best], &own[0]);
    *candidate = all[best];
    verdict->seconds *= won.ratio;
    verdict->ratio *= won.ratio;
    verdict->low *= won.ratio;
    verdict->high *= won.ratio;
out:
    return status;
}
