/* final_comparison_test.c: the last look on a made-up backend: plans of all ways of fusing are
 * ranked together, so a short one keeps the best of them; it goes on until plans separate; and the
 * seconds are those of the plan by itself. Room: tuner/confirm. */
#include "chance.h"
#include "confirm.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "fuse.h"
#include "fusion_variant.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char pipeline[] =
    "{ \"cornerturn\": 1, \"nodes\": {"
    "  \"v\": { \"stage\": \"source.simulate\", \"stations\": 2, \"samples\": 1024 },"
    "  \"fir\": { \"stage\": \"fir\", \"input\": \"v\", \"channels\": 8, \"taps\": 4 },"
    "  \"fft\": { \"stage\": \"fft\", \"input\": \"fir\" },"
    "  \"power\": { \"stage\": \"detect\", \"input\": \"fft\" },"
    "  \"a\": { \"stage\": \"sink.npy\", \"input\": \"power\", \"file\": \"/dev/null\" } } }";

/* Seconds that a block takes beside its steps, and that every other plan in memory adds. */
#define BESIDE 0.25
#define CROWD 0.125
#define DETECTION 0.25

typedef struct fixture {
    ct_context *context;
    ct_graph *graph;
    ct_graph *fused;
    ct_fusion_variant *variant[2];
    ct_tuner *tuner[2];
    double clock, noise;
    int processes, most; /* of several plans; plans in one of them */
    uint64_t dice;
} fixture;

/* The default of a plain step takes 1, of the fused one 2; any other layout of the plain ones 0.9,
 * of the fused one 0.5, and each a little more than the one before. */
static double seconds(const ct_space_node *node, int64_t choice)
{
    const bool fused = !strcmp(node->step->stage->name, "ppf");
    const double base = fused ? 2 : 1;
    if (!node->free) return 0;
    if (!strcmp(node->step->stage->name, "detect")) return DETECTION;
    return choice == 0 ? base : base * ((fused ? 0.5 : 0.9) + 1e-5 * (double)choice);
}

static ct_status ask(void *of, const ct_question *questions, int count, ct_answered *answered,
                     void *to, ct_error *err)
{
    for (int i = 0; i < count; i++) {
        const ct_tuner *tuner = to;
        const ct_space_node *node = &tuner->space->node[questions[i].node];
        ct_answer answer = {.end = CT_END_correct, .count = 1};
        answer.seconds[0] = seconds(node, questions[i].choice);
        answer.default_seconds[0] = seconds(node, 0);
        (void)of;
        assert_int_equal(answered(to, &questions[i], &answer, err), CT_OK);
    }
    return CT_OK;
}

static double now(void *of)
{
    return ((const fixture *)of)->clock;
}

static ct_status time_plans(void *of, const ct_candidate *candidates, const char *const *texts,
                            int count, int rounds, int fresh, ct_plan_timing *out, ct_arena *arena,
                            ct_error *err)
{
    fixture *f = of;
    (void)texts, (void)arena, (void)err;
    for (int i = 0; i < count; i++) {
        const ct_space *space = candidates[i].tuner->space;
        double sum = BESIDE + CROWD * (count - 1);
        for (int s = 0; s < space->nodes; s++)
            sum += seconds(&space->node[s], candidates[i].choice[s]);
        out[i] = (ct_plan_timing){0};
        while (out[i].walls < rounds * (fresh ? fresh : 1))
            out[i].wall[out[i].walls++] = sum * exp(f->noise * (chance(&f->dice) - 0.5));
        f->clock += fresh;
    }
    f->clock += fresh;
    if (count > 2) {
        f->processes += fresh;
        f->most = count > f->most ? count : f->most;
    }
    return CT_OK;
}

/* All choices of all nodes are known. */
static void measure(ct_tuner *tuner)
{
    for (int s = 0; s < tuner->space->nodes; s++)
        for (int64_t c = 0; tuner->space->node[s].free && c < tuner->space->node[s].choices; c++) {
            const ct_question q = {.node = s, .choice = c};
            assert_int_equal(ct_tuner_ask(tuner, &q, 1, false, NULL), CT_OK);
        }
}

static void open_fixture(fixture *f, const ct_tune *options)
{
    int count = 0;
    *f = (fixture){.dice = 88172645463325252u};
    assert_int_equal(ct_context_open(&f->context, NULL), CT_OK);
    assert_int_equal(ct_graph_parse(&f->graph, f->context, pipeline, "p.json", NULL, NULL), CT_OK);
    assert_int_equal(ct_fuse_all(f->graph, &f->fused, 1, &count, NULL), CT_OK);
    assert_int_equal(count, 1);
    for (int v = 0; v < 2; v++) {
        assert_int_equal(
            ct_fusion_variant_new(&f->variant[v], v ? f->fused : f->graph, NULL, false, NULL),
            CT_OK);
        f->variant[v]->backend =
            (ct_backend){.of = f, .ask = ask, .time_plans = time_plans, .now = now};
        assert_int_equal(ct_fusion_variant_ready(f->variant[v], options, NULL), CT_OK);
        f->tuner[v] = &f->variant[v]->tuner;
        f->tuner[v]->plain = f->tuner[0];
        f->tuner[v]->default_s = 2 + DETECTION + BESIDE;
        f->tuner[v]->plan_s = 1;
        measure(f->tuner[v]);
    }
    f->tuner[0]->next = f->tuner[1];
}

static void close_fixture(fixture *f)
{
    for (int v = 0; v < 2; v++)
        ct_fusion_variant_free(f->variant[v]);
    ct_graph_free(f->fused);
    ct_graph_free(f->graph);
    ct_context_free(f->context);
}

/* There is time for the default and one plan: that is the best one, and it is a fused one. */
static void the_best_is_kept_where_time_is_short(void **state)
{
    (void)state;
    for (double budget = 9; budget < 40; budget *= 1.25) {
        fixture f;
        ct_candidate chosen;
        ct_verdict verdict;
        const ct_tune options = {.size = sizeof options, .budget_s = budget};
        open_fixture(&f, &options);
        assert_int_equal(ct_confirm_choose(f.tuner, 2, &chosen, &verdict, NULL), CT_OK);
        assert_ptr_equal(chosen.tuner, f.tuner[1]);
        assert_true(verdict.ratio < 0.7);
        assert_true(f.clock <= budget);
        close_fixture(&f);
    }
}

/* The times of the plan and the default without others in memory. */
static void seconds_are_of_the_plan_by_itself(void **state)
{
    fixture f;
    ct_candidate chosen;
    ct_verdict verdict;
    (void)state;
    const ct_tune options = {.size = sizeof options};
    open_fixture(&f, &options);
    assert_int_equal(ct_confirm_choose(f.tuner, 2, &chosen, &verdict, NULL), CT_OK);
    assert_true(f.most > 2);
    assert_true(fabs(verdict.default_s - (2 + DETECTION + BESIDE + CROWD)) < 1e-9);
    assert_true(fabs(verdict.seconds - (1 + DETECTION + BESIDE + CROWD)) < 1e-3);
    assert_int_equal(f.processes, 3); /* without noise three are enough */
    close_fixture(&f);
}

/* Plans within a per cent of each other that noise hides: it goes on, and ends. */
static void it_goes_on_until_plans_separate_or_tie(void **state)
{
    fixture f;
    ct_candidate chosen;
    ct_verdict verdict;
    (void)state;
    const ct_tune options = {.size = sizeof options};
    open_fixture(&f, &options);
    f.noise = 0.2;
    assert_int_equal(ct_confirm_choose(f.tuner, 2, &chosen, &verdict, NULL), CT_OK);
    assert_in_range(f.processes, 4, 12);
    assert_ptr_equal(chosen.tuner, f.tuner[1]);
    close_fixture(&f);
}

/* What all variants have found is one number for progress, and both wholes count. */
static void parts_are_of_the_plain_default(void **state)
{
    fixture f;
    (void)state;
    const ct_tune options = {.size = sizeof options};
    open_fixture(&f, &options);
    assert_true(fabs(ct_tuner_part(f.tuner[1], 1) - (1 + BESIDE) / (2 + DETECTION + BESIDE)) <
                1e-9);
    assert_true(fabs(ct_tuner_seconds(f.tuner[1], ct_tuner_part(f.tuner[1], 1)) - 1) < 1e-9);
    f.tuner[0]->best = 0.9;
    f.tuner[1]->best = 0.6;
    assert_true(fabs(ct_tuner_best(f.tuner[0], NULL) - 0.6) < 1e-12);
    assert_true(fabs(ct_tuner_best(f.tuner[1], f.tuner[1]) - 0.9) < 1e-12);
    assert_int_equal(f.tuner[0]->done, f.tuner[0]->results->answers + f.tuner[1]->results->answers);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_is_kept_where_time_is_short),
                                       cmocka_unit_test(seconds_are_of_the_plan_by_itself),
                                       cmocka_unit_test(it_goes_on_until_plans_separate_or_tie),
                                       cmocka_unit_test(parts_are_of_the_plain_default)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
