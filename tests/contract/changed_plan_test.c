/* changed_plan_test.c: a run that gets another plan while it goes on: what its files hold is what
 * it would have been, whenever the plan comes and goes, also just before the end; what cannot be is
 * said, and the run goes on as it was. */
#include "caller.h"

/* Blocks with threads for source and sinks; the last one is not full. */
#define PIPELINE(block, samples)                                                                   \
    "{\"cornerturn\": 1, \"block\": {\"T\": " block                                                \
    "}, \"nodes\": {\"in\": {\"stage\": \"source.simulate\", \"stations\": 3, "                    \
    "\"samples\": " samples                                                                        \
    "}, \"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 4, \"taps\": 5},"           \
    "\"vis\": {\"stage\": \"correlator\", \"input\": \"fir\", \"integrate\": 37}," CONTRACT_SINK(  \
        "raw", "in") "," CONTRACT_SINK("out", "fir") "," CONTRACT_SINK("vis_file", "vis") "}}"

enum { BLOCKS = 400 };
static const char pipeline[] = PIPELINE("240", "95997");
static const char *const files[] = {"raw.npy", "out.npy", "vis_file.npy"};

/* The plan with another layout of what `fir` gives, one of two. */
static ct_plan *plan_with(const contract *c, const char *order)
{
    ct_error err = {0};
    char *text = NULL;
    ct_plan *plan = NULL;
    contract_must(ct_plan_print(&text, c->plan, &err), &err);
    char *fir = strstr(text, "\"fir\": {");
    char *layout = fir ? strstr(fir, "\"Y\": \"") : NULL;
    assert_non_null(layout);
    memcpy(layout + 6, order, 4);
    contract_must(ct_plan_parse(&plan, c->graph, text, "plan", c->device, &err), &err);
    free(text);
    return plan;
}

static ct_plan *other_plan(const contract *c)
{
    return plan_with(c, "CSPT");
}

static void take_block(contract *c, ct_status expected)
{
    ct_error err = {0};
    const ct_status status = ct_run_block(c->run, &err);
    if (status != expected) fail_msg("status %d: %s", (int)status, err.text);
}

/* Blocks until it has taken over; how many were done. */
static int wait_for_it(contract *c, int done)
{
    ct_error err = {0};
    int64_t block = -1;
    contract_must(ct_run_swapped(c->run, &block, &err), &err);
    while (block < 0 && done < BLOCKS) {
        usleep(100000);
        take_block(c, CT_OK);
        done++;
        contract_must(ct_run_swapped(c->run, &block, &err), &err);
    }
    return done;
}

static void end_run(contract *c)
{
    ct_error err = {0};
    ct_status status = CT_OK;
    while (status == CT_OK)
        status = ct_run_block(c->run, &err);
    assert_int_equal(status, CT_EOF);
    contract_must(ct_run_finish(c->run, &err), &err);
}

static char *read_all(const contract *c, const char *file, size_t *bytes)
{
    char path[320];
    snprintf(path, sizeof path, "%s/%s", c->folder, file);
    FILE *from = fopen(path, "rb");
    if (!from) fail_msg("%s is not there", file);
    fseek(from, 0, SEEK_END);
    *bytes = (size_t)ftell(from);
    rewind(from);
    char *data = malloc(*bytes + 1);
    assert_int_equal(fread(data, 1, *bytes, from), *bytes);
    fclose(from);
    return data;
}

static void compare_files(const contract *a, const contract *b)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t bytes, other_bytes;
        char *data = read_all(a, files[i], &bytes), *other = read_all(b, files[i], &other_bytes);
        assert_int_equal(bytes, other_bytes);
        assert_memory_equal(data, other, bytes);
        free(data);
        free(other);
    }
}

/* To the other plan and back, from the first block on. */
static void files_are_the_same(void **state)
{
    contract plain, c;
    ct_error err = {0};
    (void)state;
    contract_open(&plain, pipeline);
    end_run(&plain);
    for (int first = 0; first < 4; first += 3) {
        contract_open(&c, pipeline);
        ct_plan *other = other_plan(&c);
        for (int k = 0; k < first; k++)
            take_block(&c, CT_OK);
        contract_must(ct_run_swap(c.run, other, &err), &err);
        ct_plan_free(other);
        const int done = wait_for_it(&c, first);
        assert_true(done < BLOCKS);
        contract_must(ct_run_swap(c.run, c.plan, &err), &err);
        assert_true(wait_for_it(&c, done) < BLOCKS);
        end_run(&c);
        compare_files(&plain, &c);
        contract_close(&c);
    }
    contract_close(&plain);
}

/* It takes over before the last block; or is still on its way when the stream ends, or the run. */
static void streams_may_end(void **state)
{
    contract plain, c;
    ct_error err = {0};
    (void)state;
    contract_open(&plain, pipeline);
    end_run(&plain);
    for (int last = BLOCKS - 2; last <= BLOCKS; last++) {
        contract_open(&c, pipeline);
        ct_plan *other = other_plan(&c);
        for (int k = 0; k < last; k++)
            take_block(&c, CT_OK);
        contract_must(ct_run_swap(c.run, other, &err), &err);
        usleep(1000000);
        end_run(&c);
        compare_files(&plain, &c);
        ct_plan_free(other);
        contract_close(&c);
    }
    contract_open(&c, pipeline);
    contract_must(ct_run_swap(c.run, c.plan, &err), &err);
    contract_close(&c);
    contract_close(&plain);
}

/* A run that changed its plan is freed as it is, and gone on with by this one. */
static void go_on_with(const contract *plain, const char *order, ct_status expected)
{
    contract c;
    ct_error err = {0};
    int64_t block = 0;
    contract_open(&c, pipeline);
    ct_plan *other = other_plan(&c), *next = order ? plan_with(&c, order) : NULL;
    contract_must(ct_run_resume(c.run, 3600, NULL, &err), &err);
    take_block(&c, CT_OK);
    contract_must(ct_run_swap(c.run, other, &err), &err);
    const int done = wait_for_it(&c, 1);
    assert_true(done < BLOCKS - 1);
    take_block(&c, CT_OK);
    ct_run_free(c.run);
    contract_must(ct_run_new(&c.run, next ? next : c.plan, c.device, &err), &err);
    assert_int_equal(ct_run_resume(c.run, 0, &block, &err), expected);
    if (expected == CT_OK) {
        assert_true(block >= done);
        end_run(&c);
        compare_files(plain, &c);
    } else
        assert_non_null(strstr(err.text, "had another plan"));
    ct_plan_free(other);
    ct_plan_free(next);
    contract_close(&c);
}

static void journals_know_all_plans(void **state)
{
    contract plain;
    (void)state;
    contract_open(&plain, pipeline);
    end_run(&plain);
    go_on_with(&plain, NULL, CT_OK);
    go_on_with(&plain, "CSPT", CT_OK);
    go_on_with(&plain, "TPSC", CT_INVALID);
    contract_close(&plain);
}

static void expect_refused(contract *c, const ct_plan *plan, ct_status expected, const char *said)
{
    ct_error err = {0};
    assert_int_equal(ct_run_swap(c->run, plan, &err), expected);
    assert_non_null(strstr(err.text, said));
}

static void mistakes_change_nothing(void **state)
{
    contract plain, c, longer, wider;
    ct_error err = {0};
    int64_t block = 0;
    (void)state;
    contract_open(&plain, pipeline);
    contract_open(&longer, PIPELINE("240", "95998"));
    contract_open(&wider, PIPELINE("480", "95997"));
    contract_open(&c, pipeline);
    contract_must(ct_run_swapped(c.run, &block, &err), &err);
    assert_int_equal(block, -1);
    take_block(&c, CT_OK);
    expect_refused(&c, longer.plan, CT_INVALID, "the plan is of another pipeline");
    expect_refused(&c, wider.plan, CT_INVALID, "the plan is of another pipeline");
    contract_must(ct_run_swap(c.run, c.plan, &err), &err);
    expect_refused(&c, c.plan, CT_USAGE, "another plan is on its way");
    end_run(&c);
    end_run(&plain);
    compare_files(&plain, &c);
    expect_refused(&c, c.plan, CT_USAGE, "the run is finished");
    contract_close(&wider);
    contract_close(&longer);
    contract_close(&c);
    contract_close(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_the_same),
        cmocka_unit_test(streams_may_end),
        cmocka_unit_test(journals_know_all_plans),
        cmocka_unit_test(mistakes_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
