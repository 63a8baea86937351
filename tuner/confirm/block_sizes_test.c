/* block_sizes_test.c: the block as one more choice, on a made-up backend that knows the true times:
 * it is judged by pairs that have not chosen it, per sample, and its interval holds the truth.
 * Room: tuner/confirm. */
#include "chance.h"
#include "confirm.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fusion_variant.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char pipeline[] =
    "{ \"cornerturn\": 1, \"nodes\": {"
    "  \"v\": { \"stage\": \"source.simulate\", \"stations\": 2, \"samples\": 65536 },"
    "  \"fir\": { \"stage\": \"fir\", \"input\": \"v\", \"channels\": 8, \"taps\": 4 },"
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"fir\", \"file\": \"/dev/null\" } } }";

/* What a sample takes with half, once, twice and four times the block. */
typedef struct truth {
    double half, once, twice, four;
} truth;

typedef struct fixture {
    ct_context *context;
    ct_graph *graph;
    ct_fusion_variant *variant;
    ct_candidate defaults, chosen;
    ct_verdict verdict;
    ct_verdict_block block;
    truth per_sample;
    double noise, clock;
    uint64_t dice;
} fixture;

static double now(void *of)
{
    return ((const fixture *)of)->clock;
}

static double per_sample(const fixture *f, const ct_candidate *c)
{
    const int64_t usual = f->graph->block;
    const double blocks[] = {f->per_sample.once, f->per_sample.half, f->per_sample.twice,
                             f->per_sample.four};
    const int n = c->block == 0 ? 0 : c->block < usual ? 1 : c->block < 4 * usual ? 2 : 3;
    bool layouts = false;
    for (int s = 0; s < c->tuner->space->nodes; s++)
        layouts = layouts || c->choice[s] != 0;
    return blocks[n] * (layouts ? 0.9 : 1);
}

static ct_status time_plans(void *of, const ct_candidate *candidates, const char *const *texts,
                            int count, int rounds, int fresh, ct_plan_timing *out, ct_arena *arena,
                            ct_error *err)
{
    fixture *f = of;
    (void)texts, (void)arena, (void)err;
    for (int i = 0; i < count; i++) {
        const double blocks =
            candidates[i].block ? (double)candidates[i].block / (double)f->graph->block : 1;
        out[i] = (ct_plan_timing){0};
        while (out[i].walls < rounds * fresh)
            out[i].wall[out[i].walls++] =
                blocks * per_sample(f, &candidates[i]) * exp(f->noise * (chance(&f->dice) - 0.5));
        f->clock += fresh * blocks;
    }
    return CT_OK;
}

static void open_fixture(fixture *f, const ct_tune *options, truth per_sample_s)
{
    *f = (fixture){.per_sample = per_sample_s, .dice = 88172645463325252u};
    assert_int_equal(ct_context_open(&f->context, NULL), CT_OK);
    assert_int_equal(ct_graph_parse(&f->graph, f->context, pipeline, "p.json", NULL, NULL), CT_OK);
    assert_int_equal(ct_fusion_variant_new(&f->variant, f->graph, NULL, false, NULL), CT_OK);
    f->variant->backend = (ct_backend){.of = f, .time_plans = time_plans, .now = now};
    assert_int_equal(ct_fusion_variant_ready(f->variant, options, NULL), CT_OK);
    f->variant->tuner.plain = &f->variant->tuner;
    f->variant->tuner.plan_s = 1;
    assert_int_equal(ct_tuner_candidate(&f->variant->tuner, &f->defaults, NULL), CT_OK);
    assert_int_equal(ct_tuner_candidate(&f->variant->tuner, &f->chosen, NULL), CT_OK);
}

static void close_fixture(fixture *f)
{
    ct_fusion_variant_free(f->variant);
    ct_graph_free(f->graph);
    ct_context_free(f->context);
}

static void choose(fixture *f)
{
    f->chosen.block = 0;
    f->verdict = (ct_verdict){.ratio = 1, .low = 1, .high = 1};
    assert_int_equal(ct_confirm_block_sizes(&f->defaults, &f->chosen, &f->verdict, &f->block, NULL),
                     CT_OK);
}

static const ct_tune options = {.size = sizeof options};

/* Without noise: the least time per sample, not per block, in the verdict and in the journal. */
static void time_is_compared_per_sample(void **state)
{
    fixture f;
    ct_text name = {0};
    (void)state;
    open_fixture(&f, &options, (truth){1.3, 1, 0.8, 0.95});
    choose(&f);
    assert_int_equal(f.chosen.block, 2 * f.graph->block);
    assert_int_equal(f.block.samples, 2 * f.graph->block);
    assert_int_equal(f.block.defaults, f.graph->block);
    assert_true(fabs(f.block.ratio - 0.8) < 1e-9 && fabs(f.verdict.ratio - 0.8) < 1e-9);
    assert_true(fabs(f.verdict.seconds - 0.8) < 1e-9 && fabs(f.verdict.default_s - 1) < 1e-9);
    assert_int_equal(f.verdict.samples, f.graph->block);
    ct_confirm_name(&f.chosen, &name);
    assert_non_null(strstr(name.data, "default, block "));
    ct_text_free(&name);
    close_fixture(&f);
}

/* Of other layouts: the block's gain is that over the same layouts, the verdict over the default.
 */
static void the_verdict_is_over_the_default(void **state)
{
    fixture f;
    (void)state;
    open_fixture(&f, &options, (truth){1.3, 1, 1.2, 0.7});
    for (int s = 0; s < f.variant->space->nodes; s++)
        if (f.variant->space->node[s].free) f.chosen.choice[s] = 1;
    choose(&f);
    assert_int_equal(f.chosen.block, 4 * f.graph->block);
    assert_true(fabs(f.block.ratio - 0.7) < 1e-9 && fabs(f.verdict.ratio - 0.63) < 1e-9);
    close_fixture(&f);
}

/* The interval is one of 95 %, and as wide as noise makes it; it is of fresh pairs, since the best
 * of several looks better than it is. */
static void the_interval_holds_the_truth(void **state)
{
    enum { TIMES = 200 };
    fixture f;
    int holds = 0, taken = 0;
    (void)state;
    open_fixture(&f, &options, (truth){1.2, 1, 0.9, 0.9});
    f.noise = 0.2;
    for (int n = 0; n < TIMES; n++) {
        choose(&f);
        if (f.chosen.block == 0) continue;
        taken++;
        assert_true(f.block.low < f.block.high && f.verdict.low < f.verdict.high);
        holds += f.block.low <= 0.9 && 0.9 <= f.block.high;
    }
    assert_true(taken > TIMES / 2);
    assert_true(holds > 0.88 * taken);
    close_fixture(&f);
}

static void a_tie_keeps_the_block(void **state)
{
    enum { TIMES = 200 };
    fixture f;
    int taken = 0;
    (void)state;
    open_fixture(&f, &options, (truth){1, 1, 1, 1});
    f.noise = 0.2;
    for (int n = 0; n < TIMES; n++) {
        choose(&f);
        taken += f.chosen.block != 0;
        assert_true(f.chosen.block != 0 || f.verdict.ratio == 1);
    }
    assert_true(taken <= TIMES / 50);
    close_fixture(&f);
}

static void nothing_is_tried_without_time(void **state)
{
    fixture f;
    (void)state;
    const ct_tune little = {.size = sizeof little, .budget_s = 20};
    open_fixture(&f, &little, (truth){1, 1, 0.5, 0.5});
    choose(&f);
    assert_int_equal(f.chosen.block, 0);
    assert_true(f.clock == 0 && f.verdict.ratio == 1);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(time_is_compared_per_sample),
                                       cmocka_unit_test(the_verdict_is_over_the_default),
                                       cmocka_unit_test(the_interval_holds_the_truth),
                                       cmocka_unit_test(a_tie_keeps_the_block),
                                       cmocka_unit_test(nothing_is_tried_without_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
