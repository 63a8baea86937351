/* swap_test.c: runs that change their plan between blocks: pipelines at random, each by a few plans
 * at random (layouts, transposes, rows, tunables, fusion), by each from beginning to end, and by
 * one after the other, which take over after random blocks. No sample is lost or repeated; where
 * all plans give the same bytes, so does the run that changes them, else all is equal to rounding.
 *
 * GRAPHS says how many pipelines, SEED the first one's; a failure prints its seed.
 *
 * Room: tests. Knows plans. Does not know what stages compute. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#include "capture.h"
#include "exhaustive.h"
#include "fuse.h"
#include "plan.h"
#include "random_graph.h"
#include "run_swap.h"

enum { SINKS_MOST = 2 * GRAPH_NODES, PLANS = 3, BLOCKS_LEAST = 5, BLOCKS_MOST = 40 };

typedef struct bench {
    ct_context *context;
    ct_device *device;
    const char *names[SINKS_MOST + 1]; /* of the sinks */
    int sinks;
    int runs, swaps, refused, exact, gathered, regrouped, kept, fused;
} bench;

/* ---- plans */

static int64_t longest_of(const ct_graph *graph)
{
    int64_t longest = 0;
    for (int n = 0; n < graph->count; n++)
        if (graph->nodes[n].input[0].node < 0 && graph->nodes[n].length > longest)
            longest = graph->nodes[n].length;
    return longest;
}

/* A block that the pipeline takes, of which there are a few; 0: none was found. */
static int64_t roll_block(const bench *b, dice *d, const ct_graph *written)
{
    const int64_t longest = longest_of(written);
    for (int k = 0; k < 200; k++) {
        ct_graph *graph = NULL;
        ct_plan *plan = NULL;
        const int64_t grain = ROLL(d, 1, 1, 4, 8, 12, 16, 24, 32, 48, 64, 96);
        const int64_t block =
            grain * (1 + (longest / BLOCKS_MOST + roll(d, longest / BLOCKS_LEAST + 1)) / grain);
        if (ct_graph_with_block(&graph, written, block, NULL) == CT_OK)
            (void)ct_plan_default(&plan, graph, b->device, NULL);
        const bool takes = plan != NULL && longest / block >= BLOCKS_LEAST - 1;
        ct_plan_free(plan);
        ct_graph_free(graph);
        if (takes) return block;
    }
    return 0;
}

static ct_plan *plan_of(const bench *b, const ct_graph *written, int64_t block, uint64_t seed,
                        ct_error *err)
{
    ct_plan *plan = NULL;
    ct_graph *fused = NULL, *graph = NULL;
    ct_fusion pair;
    size_t pairs = 0;
    dice d = dice_of(seed, "fuse");
    if (roll(&d, 2)) (void)ct_fuse_list(written, &pair, 1, &pairs, err);
    if (pairs > 0) (void)ct_fuse_apply(&fused, written, pair.consumer, err);
    if (ct_graph_with_block(&graph, fused ? fused : written, block, NULL) == CT_OK)
        (void)random_plan(&plan, graph, seed, b->device, err);
    ct_graph_free(graph);
    ct_graph_free(fused);
    return plan;
}

static void count_met(bench *b, const ct_plan *plan)
{
    for (int s = 0; s < plan->count; s++) {
        b->gathered += plan->steps[s].step->accumulate > 1;
        b->regrouped += strcmp(plan->steps[s].step->stage->name, "regroup") == 0;
        b->fused += plan->steps[s].step->stage->fuses != NULL;
    }
    for (int e = 0; e < plan->edge_count; e++)
        b->kept += plan->edges[e].before > 0;
}

/* ---- running */

static ct_status bind_all(const bench *b, ct_run *run, capture *out, ct_error *err)
{
    ct_status status = CT_OK;
    for (int k = 0; k < b->sinks && status == CT_OK; k++) {
        const ct_io io = {sizeof io, &out[k], NULL, capture_write, NULL};
        status = ct_run_bind(run, b->names[k], &io, err);
    }
    return status;
}

static ct_status run_whole(bench *b, const ct_plan *plan, capture *out, ct_error *err)
{
    ct_run *run = NULL;
    ct_status status = ct_run_new(&run, plan, b->device, err);
    if (status == CT_OK) status = bind_all(b, run, out, err);
    while (status == CT_OK)
        status = ct_run_block(run, err);
    if (status == CT_EOF) status = ct_run_finish(run, err);
    ct_run_free(run);
    b->runs++;
    return status;
}

/* Another plan is given, and there before the next block, so that a seed always does the same. */
static ct_status give(bench *b, ct_run *run, const ct_plan *plan, ct_error *err)
{
    int64_t block = 0;
    ct_error why = {0};
    if (run->swap && run->swap->under_way) return CT_OK;
    b->refused += run->swap && ct_run_swapped(run, &block, &why) != CT_OK;
    if (why.text[0]) printf("%s\n", why.text);
    b->swaps += run->swap && block >= 0;
    const ct_status status = ct_run_swap(run, plan, err);
    while (status == CT_OK && !atomic_load(&run->swap->built))
        usleep(100);
    return status;
}

static ct_status run_swapping(bench *b, ct_plan *const *plans, dice *d, capture *out, ct_error *err)
{
    ct_run *run = NULL;
    ct_status status = ct_run_new(&run, plans[0], b->device, err);
    if (status == CT_OK) status = bind_all(b, run, out, err);
    while (status == CT_OK) {
        if (roll(d, 3) == 0) status = give(b, run, plans[roll(d, PLANS)], err);
        if (status == CT_OK) status = ct_run_block(run, err);
    }
    if (status == CT_EOF) status = ct_run_finish(run, err);
    ct_run_free(run);
    return status;
}

/* ---- comparing */

static double rms_of(const capture *one)
{
    double sum = 0;
    const int64_t count = 2 * one->samples * one->count;
    for (int64_t i = 0; i < count; i++)
        sum += one->value[i] * one->value[i];
    return count ? sqrt(2 * sum / (double)count) : 0;
}

/* NaN is as far as can be. */
static double distance(const capture *a, const capture *b)
{
    double most = 0;
    for (int64_t i = 0; i < 2 * a->samples * a->count; i++) {
        const double one = fabs(a->value[i] - b->value[i]);
        if (!(one <= most)) most = isnan(one) ? INFINITY : one;
    }
    return most;
}

static void compare(bench *b, uint64_t seed, const char *sink, const capture *whole[PLANS],
                    const capture *found)
{
    double apart = 0;
    for (int k = 0; k < PLANS; k++) {
        if (whole[k]->samples != found->samples || whole[k]->count != found->count)
            fail_msg("SEED=%llu: %s: %lld samples instead of %lld", (unsigned long long)seed, sink,
                     (long long)found->samples, (long long)whole[k]->samples);
        apart = fmax(apart, distance(whole[0], whole[k]));
    }
    const double allowed = apart > 0 ? 4 * apart + 1e-5 * rms_of(whole[0]) : 0;
    const double error = distance(whole[0], found);
    b->exact += apart == 0;
    if (!(error <= allowed))
        fail_msg("SEED=%llu: %s: %g off, allowed %g (the plans among themselves %g)",
                 (unsigned long long)seed, sink, error, allowed, apart);
}

static void try_plans(bench *b, uint64_t seed, ct_plan *plans[PLANS])
{
    static capture whole[PLANS][SINKS_MOST], found[SINKS_MOST];
    ct_error err = {0};
    ct_status status = CT_OK;
    dice d = dice_of(seed, "swaps");
    memset(whole, 0, sizeof whole);
    memset(found, 0, sizeof found);
    for (int k = 0; k < PLANS && status == CT_OK; k++)
        status = run_whole(b, plans[k], whole[k], &err);
    if (status == CT_OK) status = run_swapping(b, plans, &d, found, &err);
    const bool small = status != CT_OK && strstr(err.text, "choose smaller tunables");
    if (status != CT_OK && !small) fail_msg("SEED=%llu: %s", (unsigned long long)seed, err.text);
    for (int s = 0; s < b->sinks; s++) {
        const capture *each[PLANS] = {&whole[0][s], &whole[1][s], &whole[2][s]};
        if (status == CT_OK) compare(b, seed, b->names[s], each, &found[s]);
        for (int k = 0; k < PLANS; k++)
            capture_free(&whole[k][s]);
        capture_free(&found[s]);
    }
}

static void try_seed(bench *b, uint64_t seed)
{
    ct_error err = {0};
    random_graph g = {0};
    ct_plan *plans[PLANS] = {0};
    dice d = dice_of(seed, "block");
    random_graph_make(&g, seed, b->context);
    ct_graph *written = random_parse(&g, b->context);
    if (!written) fail_msg("SEED=%llu is no pipeline", (unsigned long long)seed);
    b->sinks = 0;
    for (int n = 0; n < written->count && b->sinks < SINKS_MOST; n++)
        if (ct_role_of(written->nodes[n].step) == CT_ROLE_SINK)
            b->names[b->sinks++] = written->nodes[n].name;
    const int64_t block = roll_block(b, &d, written);
    bool all = block > 0;
    for (int k = 0; k < PLANS && all; k++) {
        plans[k] = plan_of(b, written, block, seed * PLANS + (uint64_t)k, &err);
        all = plans[k] != NULL;
        if (all) count_met(b, plans[k]);
    }
    if (all) try_plans(b, seed, plans);
    printf("SEED=%llu %s\n", (unsigned long long)seed, all ? "right" : "has no such block or plan");
    fflush(stdout);
    for (int k = 0; k < PLANS; k++)
        ct_plan_free(plans[k]);
    ct_graph_free(written);
}

static uint64_t asked(const char *name, uint64_t otherwise)
{
    const char *given = getenv(name);
    return given && *given ? strtoull(given, NULL, 10) : otherwise;
}

static void runs_that_change_plans_give_what_each_gives(void **state)
{
    static bench b;
    ct_error err = {0};
    const uint64_t graphs = asked("GRAPHS", (uint64_t)few_or_all(8, 24));
    const uint64_t first = asked("SEED", (uint64_t)time(NULL) % 1000000);
    (void)state;
    b.device = one_device(&err);
    if (!b.device) skip();
    assert_int_equal(ct_context_open(&b.context, &err), CT_OK);
    assert_int_equal(ct_context_add_stage(b.context, &random_source, &err), CT_OK);
    for (uint64_t seed = first; seed < first + graphs; seed++)
        try_seed(&b, seed);
    printf("%d plans by themselves, %d took over, %d could not; history %d, sums over blocks %d, "
           "samples "
           "gathered %d, fused %d; %d sinks byte by byte\n",
           b.runs, b.swaps, b.refused, b.kept, b.gathered, b.regrouped, b.fused, b.exact);
    ct_context_free(b.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_that_change_plans_give_what_each_gives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
