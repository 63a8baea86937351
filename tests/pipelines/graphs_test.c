/* graphs_test.c: pipelines at random, in any block and by any plan, against the chain of their
 * stages' references (graph_truth.h): integers exactly, so that they are the same bytes in any
 * block, floats within what the stages' tolerances add up to. Plans go through their file.
 *
 * GRAPHS says how many pipelines, SEED the first one's (another one each time); each is one seed
 * further. ALIKE says how many of them share their nodes, and so their kernels (random_alike.h): 1
 * where GRAPHS is given, else 10 of 200. A failure is made smaller, and printed with its seed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>

#include <cmocka.h>

#include "capture.h"
#include "exhaustive.h"
#include "fuse.h"
#include "graph_truth.h"
#include "plan.h"
#include "random_alike.h"
#include "same_programs.h"

enum { SINKS_MOST = 2 * GRAPH_NODES, BLOCKS_MOST = 250, WRONG = 512 };

typedef struct bench {
    ct_context *context;
    ct_device *device;
    uint64_t alike;
    int runs, edited, groups, gathered, regrouped, fused, shared, skipped;
    double worst; /* of floats: error over what is allowed */
} bench;

/* ---- blocks */

static int64_t common_multiple(int64_t a, int64_t b)
{
    return a / ct_common_divisor(a, b) * b;
}

/* Whose samples a block divides by: those of all nodes, of all but sums over several blocks, or of
 * filter banks only, since what others take is gathered. */
typedef enum which { ALL, NO_SUMS, BANKS } which;

static bool counts(const ct_step *step, which of)
{
    const char *name = step->stage->name;
    if (of == BANKS) return strcmp(name, "fir") == 0 || strcmp(name, "ppf") == 0;
    return of == ALL || strcmp(name, "correlator") != 0;
}

/* The smallest block that divides by that. */
static int64_t grain_of(const ct_graph *graph, which of)
{
    int64_t grain = 1;
    for (int n = 0; n < graph->count; n++) {
        const ct_step *step = graph->nodes[n].step;
        if (graph->nodes[n].input[0].node < 0 || ct_role_of(step) == CT_ROLE_SINK) continue;
        if (!counts(step, of)) continue;
        const int64_t unit = common_multiple(step->decimate, step->grain < 1 ? 1 : step->grain);
        const int64_t span = graph->clocks.clock[graph->nodes[n].clock].span;
        grain = common_multiple(grain, unit * (span / ct_array_extent(&step->port[0], 'T')));
    }
    return grain;
}

static int64_t longest_of(const ct_graph *graph)
{
    int64_t longest = 0;
    for (int n = 0; n < graph->count; n++)
        if (graph->nodes[n].input[0].node < 0 && graph->nodes[n].length > longest)
            longest = graph->nodes[n].length;
    return longest;
}

static ct_graph *with_block(const ct_graph *graph, int64_t block)
{
    ct_graph *other = NULL;
    (void)ct_graph_with_block(&other, graph, block, NULL);
    return other;
}

/* Whether the pipeline has a plan with this block: pinned tunables may not be legal in it. */
static bool takes_block(const bench *b, const ct_graph *graph, int64_t block)
{
    ct_plan *plan = NULL;
    ct_graph *tried = with_block(graph, block);
    if (tried) (void)ct_plan_default(&plan, tried, b->device, NULL);
    const bool takes = plan != NULL;
    ct_plan_free(plan);
    ct_graph_free(tried);
    return takes;
}

/* A few samples or nearly all; not always a multiple of what correlators add up, or of what any
 * node takes. */
static int64_t roll_block(const bench *b, dice *d, const ct_graph *graph)
{
    const int64_t longest = longest_of(graph), whole = grain_of(graph, ALL);
    const int64_t part = grain_of(graph, (which)roll(d, BANKS + 1));
    const int64_t least = longest / part / BLOCKS_MOST + 1, most = longest / part + 1;
    for (int k = 0; k < 32; k++) {
        const int64_t block = part * (least + roll(d, roll(d, 4) ? 4 : most));
        if (takes_block(b, graph, block)) return block;
    }
    return whole * (longest / whole / BLOCKS_MOST + 1);
}

/* ---- comparing */

static int64_t place_of(const ct_array *array, const capture *at, int64_t t, int64_t n)
{
    int64_t place = t * ct_array_stride(array, 'T');
    for (int k = at->each.rank - 1; k >= 0; k--) {
        place += n % at->each.extent[k] * ct_array_stride(array, at->each.dim[k]);
        n /= at->each.extent[k];
    }
    return place;
}

static double rms_of(const ct_array *array, const capture *found, int64_t skip)
{
    double sum = 0;
    for (int64_t t = 0; t < found->samples; t++)
        for (int64_t n = 0; n < found->count; n++) {
            const ct_complex x = ct_array_load(array, place_of(array, found, skip + t, n));
            sum += x.re * x.re + x.im * x.im;
        }
    return found->samples ? sqrt(sum / (double)(found->samples * found->count)) : 0;
}

/* `wrong` gets a sentence where something is. */
static void compare(bench *b, const ct_graph *whole, const truth *all, const char *sink,
                    const capture *found, char wrong[WRONG])
{
    const ct_link from = whole->nodes[ct_graph_find(whole, sink)].input[0];
    const ct_node *node = &whole->nodes[from.node];
    const truth *expected = &all[from.node];
    const ct_array *array = &expected->port[from.port];
    const int64_t samples = node->length > node->out_skip ? node->length - node->out_skip : 0;
    const bool exact = expected->whole || ct_type_integer(node->step->port[from.port].type);
    if (found->samples != samples) {
        snprintf(wrong, WRONG, "%s: %lld samples instead of %lld", sink, (long long)found->samples,
                 (long long)samples);
        return;
    }
    const double rms = rms_of(array, found, node->out_skip);
    const double allowed = exact ? 0 : expected->tolerance * rms;
    for (int64_t i = 0; i < samples * found->count; i++) {
        const int64_t t = i / found->count, n = i % found->count;
        const ct_complex x = capture_at(found, t, n);
        const ct_complex y = ct_array_load(array, place_of(array, found, node->out_skip + t, n));
        const double error = hypot(x.re - y.re, x.im - y.im);
        if (allowed > 0 && error / allowed > b->worst) b->worst = error / allowed;
        if (error <= allowed) continue;
        snprintf(wrong, WRONG,
                 "%s (of %s): sample %lld element %lld is (%.9g, %.9g) instead of (%.9g, %.9g); "
                 "allowed %.2g of rms %.4g",
                 sink, node->name, (long long)t, (long long)n, x.re, x.im, y.re, y.im, allowed,
                 rms);
        return;
    }
}

/* ---- running */

static int sinks_of(const ct_graph *graph, const char *names[SINKS_MOST + 1])
{
    int count = 0;
    for (int n = 0; n < graph->count && count < SINKS_MOST; n++)
        if (ct_role_of(graph->nodes[n].step) == CT_ROLE_SINK) names[count++] = graph->nodes[n].name;
    names[count] = NULL;
    return count;
}

static void count_met(bench *b, const ct_plan *plan)
{
    for (int s = 0; s < plan->count; s++) {
        const ct_plan_step *at = &plan->steps[s];
        b->groups += ct_step_find_port(at->step, "Y") >= 0 && ct_step_tunables(at->step) > 0 &&
                     ct_step_holds(at->step, "WG > 1");
        b->gathered += at->step->accumulate > 1;
        b->regrouped += strcmp(at->step->stage->name, "regroup") == 0;
        b->fused += at->step->stage->fuses != NULL;
        if (at->node < 0 || at->edge[0] < 0) continue;
        const ct_plan_step *from = &plan->steps[plan->edges[at->edge[0]].from];
        b->shared += from->node < 0 && from->reader.node != at->node;
    }
}

static void run_plan(bench *b, const ct_plan *plan, const ct_graph *whole, const truth *all,
                     char wrong[WRONG])
{
    const char *names[SINKS_MOST + 1];
    capture found[SINKS_MOST];
    ct_error err = {0};
    ct_run *run = NULL;
    const int count = sinks_of(whole, names);
    memset(found, 0, sizeof found);
    ct_status status = ct_run_new(&run, plan, b->device, &err);
    if (status == CT_OK) status = capture_blocks(run, names, found, &err);
    const bool small = status != CT_OK && strstr(err.text, "choose smaller tunables");
    if (status != CT_OK && !small) snprintf(wrong, WRONG, "%.500s", err.text);
    b->skipped += small;
    for (int k = 0; k < count; k++) {
        if (status == CT_OK && !wrong[0]) compare(b, whole, all, names[k], &found[k], wrong);
        capture_free(&found[k]);
    }
    count_met(b, plan);
    b->runs++;
    ct_run_free(run);
}

/* The plan that its file makes of the pipeline as written. */
static ct_plan *by_file(const ct_plan *plan, const ct_graph *written, const ct_device *device,
                        ct_error *err)
{
    char name[] = "/tmp/graphs_test_XXXXXX";
    ct_plan *loaded = NULL;
    close(mkstemp(name));
    if (ct_plan_save(plan, name, err) == CT_OK)
        (void)ct_plan_load(&loaded, written, name, device, err);
    remove(name);
    return loaded;
}

/* The default one, or one at random, which may run two nodes as one. */
static ct_plan *plan_of(const bench *b, const random_graph *g, const ct_graph *written,
                        ct_error *err)
{
    ct_plan *plan = NULL, *loaded = NULL;
    ct_graph *fused = NULL, *graph = NULL;
    ct_fusion pair;
    if (!g->edited && g->block == 0) {
        (void)ct_plan_default(&plan, written, b->device, err);
        return plan;
    }
    dice d = dice_of(g->like, "fuse");
    size_t pairs = 0;
    if (g->edited && roll(&d, 2)) (void)ct_fuse_list(written, &pair, 1, &pairs, err);
    if (pairs > 0) (void)ct_fuse_apply(&fused, written, pair.consumer, err);
    if (ct_graph_with_block(&graph, fused ? fused : written, g->block, err) != CT_OK)
        graph = NULL;
    else if (!g->edited)
        (void)ct_plan_default(&plan, graph, b->device, err);
    else if (random_plan(&plan, graph, g->like, b->device, err) == CT_OK) {
        loaded = by_file(plan, written, b->device, err);
        ct_plan_free(plan);
        plan = loaded;
    }
    ct_graph_free(graph);
    ct_graph_free(fused);
    return plan;
}

/* Whether this pipeline, block and plan give something wrong: a sentence, "" where not. */
static void try_graph(bench *b, const random_graph *g, char wrong[WRONG])
{
    ct_error err = {0};
    ct_plan *plan = NULL;
    ct_graph *written = random_parse(g, b->context), *whole = NULL;
    wrong[0] = 0;
    if (!written) return; /* of a smaller one that is none */
    const int64_t grain = grain_of(written, ALL), longest = longest_of(written);
    if (ct_graph_with_block(&whole, written, grain * ct_divide_up(longest, grain), &err) != CT_OK)
        fail_msg("%s", err.text);
    truth *all = truth_new(whole, &err);
    if (all) plan = plan_of(b, g, written, &err);
    if (plan)
        run_plan(b, plan, whole, all, wrong);
    else if (strstr(err.text, "pinned tunables are not legal"))
        b->skipped++; /* in this block */
    else
        snprintf(wrong, WRONG, "%.500s", err.text);
    ct_plan_free(plan);
    truth_free(all, whole);
    ct_graph_free(whole);
    ct_graph_free(written);
}

/* ---- failures */

static void make_smaller(bench *b, random_graph *g, char wrong[WRONG])
{
    char now[WRONG];
    for (int n = g->count - 1; n >= 0; n--) {
        random_graph less = *g;
        less.node[n].removed = !random_is_read(g, n, false) && !random_is_read(g, n, true);
        if (less.node[n].removed) try_graph(b, &less, now);
        if (less.node[n].removed && now[0]) {
            *g = less;
            memcpy(wrong, now, WRONG);
            continue;
        }
        less = *g;
        less.node[n].pins[0] = 0;
        less.node[n].sink = false;
        try_graph(b, &less, now);
        if (now[0]) {
            *g = less;
            memcpy(wrong, now, WRONG);
        }
    }
}

static void check(bench *b, const random_graph *g)
{
    char wrong[WRONG], text[GRAPH_TEXT];
    random_graph least = *g;
    try_graph(b, g, wrong);
    if (!wrong[0]) return;
    make_smaller(b, &least, wrong);
    fail_msg("SEED=%llu ALIKE=%llu, block %lld, %s plan: %s\n%s", (unsigned long long)g->seed,
             (unsigned long long)b->alike, (long long)g->block,
             g->edited ? "a random" : "the default", wrong, random_text(&least, text));
}

static uint64_t asked(const char *name, uint64_t otherwise)
{
    const char *given = getenv(name);
    return given && *given ? strtoull(given, NULL, 10) : otherwise;
}

/* The seed's graph, and the two blocks to run it in. */
static void make_graph(const bench *b, uint64_t seed, random_graph *g, int64_t blocks[2])
{
    const uint64_t like = seed - seed % b->alike;
    dice d = dice_of(like, "block");
    random_graph of = {0};
    random_graph_make(&of, like, b->context);
    ct_graph *written = random_parse(&of, b->context);
    if (!written) fail_msg("SEED=%llu is no pipeline", (unsigned long long)like);
    blocks[0] = roll_block(b, &d, written);
    blocks[1] = roll_block(b, &d, written);
    ct_graph_free(written);
    *g = of;
    if (seed != like) random_alike_make(g, &of, seed, b->context);
}

/* Each in a block of its own by the default plan, and in another one by a plan at random. */
static void graphs_give_what_their_references_do(void **state)
{
    static bench b;
    ct_error err = {0};
    random_graph g;
    int64_t blocks[2];
    const uint64_t graphs = asked("GRAPHS", (uint64_t)few_or_all(10, 120));
    const uint64_t first = asked("SEED", (uint64_t)time(NULL) % 1000000);
    (void)state;
    b.device = one_device(&err);
    if (!b.device) skip();
    b.alike = asked("ALIKE", getenv("GRAPHS") ? 1 : 10);
    assert_int_equal(ct_context_open(&b.context, &err), CT_OK);
    assert_int_equal(ct_context_add_stage(b.context, &random_source, &err), CT_OK);
    for (uint64_t seed = first; seed < first + graphs; seed++) {
        make_graph(&b, seed, &g, blocks);
        for (int k = 0; k < 2; k++) {
            g.block = blocks[k];
            g.edited = k > 0;
            check(&b, &g);
        }
        printf("SEED=%llu right\n", (unsigned long long)seed);
        fflush(stdout);
    }
    printf("%d runs: work-groups %d, sums over blocks %d, samples gathered %d, fused %d, shared "
           "transposes %d, not run %d; worst %.2g of what is allowed\n",
           b.runs, b.groups, b.gathered, b.regrouped, b.fused, b.shared, b.skipped, b.worst);
    ct_context_free(b.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graphs_give_what_their_references_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
