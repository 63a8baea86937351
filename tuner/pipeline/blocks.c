/* blocks.c: see blocks.h.
 * Room: tuner/pipeline. Knows whole plans' times. Does not know layouts. */
#include "blocks.h"

#include "confirm.h"
#include "fail.h"

enum { BLOCKS_MOST = 4, BLOCKS_PROCESSES = 2 };

/* Of the default's samples: numerators and denominators. */
static const int64_t blocks_sizes[][2] = {{1, 2}, {2, 1}, {4, 1}};
enum { BLOCKS_SIZES = sizeof blocks_sizes / sizeof blocks_sizes[0] };

/* The plan as it is, then those with other blocks that are plans, and fit. */
static ct_status blocks_gather(const ct_contender *contender, ct_contender *out, int *count,
                               ct_error *err)
{
    ct_status status = CT_OK;
    const int64_t usual = contender->tuner->graph->block;
    *count = 1;
    out[0] = *contender;
    for (int i = 0; i < BLOCKS_SIZES; i++) {
        bool fits = false;
        out[*count] = *contender;
        out[*count].pick.block = usual * blocks_sizes[i][0] / blocks_sizes[i][1];
        if (usual * blocks_sizes[i][0] % blocks_sizes[i][1] == 0)
            CT_TRY(ct_confirm_fits(contender->tuner, &out[*count].pick, &fits, err));
        *count += fits;
    }
out:
    return status;
}

/* Seconds for as many samples as the first one's block has. */
static void blocks_scale(const ct_contender *all, ct_whole *own, int i)
{
    const double usual = (double)all[0].tuner->graph->block;
    if (all[i].pick.block == 0) return;
    for (int w = 0; w < own[i].walls; w++)
        own[i].wall[w] *= usual / (double)all[i].pick.block;
}

/* Their mean size is twice the default's. */
double ct_blocks_seconds(double plan_s)
{
    return BLOCKS_PROCESSES * (1 + 2 * BLOCKS_MOST * plan_s);
}

static bool blocks_afford(const ct_tuner *tuner)
{
    const double budget = tuner->options->budget_s;
    const double spent = tuner->meter->now(tuner->meter->of);
    return budget <= 0 || spent + ct_blocks_seconds(tuner->plan_s) <= budget;
}

ct_status ct_blocks_try(ct_contender *contender, ct_verdict *verdict, ct_error *err)
{
    ct_status status = CT_OK;
    ct_contender all[BLOCKS_MOST];
    ct_whole own[BLOCKS_MOST];
    int count = 0, best = 0;
    contender->tuner->doing = "other blocks";
    if (!blocks_afford(contender->tuner)) return CT_OK;
    CT_TRY(blocks_gather(contender, all, &count, err));
    if (count == 1) return CT_OK;
    CT_TRY(ct_confirm_rehearse(all, count, BLOCKS_PROCESSES, own, err));
    for (int i = 1; i < count; i++) {
        blocks_scale(all, own, i);
        const int walls = own[i].walls < own[best].walls ? own[i].walls : own[best].walls;
        if (ct_verdict_compare(own[i].wall, own[best].wall, walls).high < 1) best = i;
    }
    if (best == 0) return CT_OK;
    const ct_verdict won = ct_verdict_compare(own[best].wall, own[0].wall, own[0].walls);
    *contender = all[best];
    verdict->seconds *= won.ratio;
    verdict->ratio *= won.ratio;
    verdict->low *= won.ratio;
    verdict->high *= won.ratio;
out:
    return status;
}
