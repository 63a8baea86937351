/* growing_test.c: "Growing": a struct that a caller hands in says its size: none is refused with a
 * sentence, a shorter one, of an older header, is served, a longer one as long as what is beyond is
 * 0. A stage says which version of the contract it was written for. */
#include "contract.h"
#include "cornerturn_stage.h"
#include "cornerturn_tune.h"
#include "newcomer.h"

static void expect_usage(ct_status status, ct_error *err, const char *words)
{
    assert_int_equal(status, CT_USAGE);
    if (!strstr(err->text, words)) fail_msg("found \"%s\", expected \"%s\"", err->text, words);
    *err = (ct_error){0};
}

static void sizes_of_what_a_run_takes(void **state)
{
    contract c;
    ct_error err = {0};
    contract_end end = {0};
    struct {
        ct_io io;
        long more;
    } later = {{sizeof later, &end, contract_read, contract_write, NULL}, 0};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    contract_must(ct_run_bind(c.run, "out", &later.io, &err), &err);
    later.more = 1;
    expect_usage(ct_run_bind(c.run, "out", &later.io, &err), &err, "ct_io: it has members");
    later.io.size = 8;
    expect_usage(ct_run_bind(c.run, "out", &later.io, &err), &err, ".size = sizeof(ct_io)");
    contract_must(ct_run_block(c.run, &err), &err);
    assert_int_equal(end.calls, 1);
    contract_close(&c);
}

static void sizes_of_what_a_run_tells(void **state)
{
    contract c;
    ct_error err = {0};
    ct_progress now = {.size = sizeof now}, none = {0};
    struct {
        ct_progress now;
        long more;
    } later = {{.size = sizeof later}, 7};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    contract_must(ct_run_block(c.run, &err), &err);
    contract_must(ct_run_progress(c.run, &now, &err), &err);
    assert_int_equal(now.block, 1);
    assert_int_equal(now.blocks, 4);
    contract_must(ct_run_progress(c.run, &later.now, &err), &err);
    assert_int_equal(later.now.block, 1);
    assert_int_equal(later.more, 0);
    expect_usage(ct_run_progress(c.run, &none, &err), &err, ".size = sizeof(ct_progress)");
    contract_close(&c);
}

static void sizes_of_what_the_tuner_takes(void **state)
{
    contract c;
    ct_error err = {0};
    char *json = NULL;
    /* As if what comes behind these members were not there yet. */
    ct_verify_options short_one = {.size = offsetof(ct_verify_options, part),
                                   .read = "TSP",
                                   .write = "CTPS",
                                   .most_tunables = 1,
                                   .part = 77,
                                   .parts = 77};
    ct_verify_options none = {.quick = true}, some = {.size = sizeof some, .quick = true};
    ct_verify_report report = {.size = sizeof report}, sizeless = {0};
    ct_bench bench = {.stage = "transpose", .scale = "small", .rounds = 0};
    (void)state;
    contract_open(&c, CONTRACT_PIPELINE);
    contract_must(ct_context_add_stage(c.context, &newcomer, &err), &err);
    contract_must(ct_tune_verify(c.context, c.device, newcomer.name, &short_one, &report, &err),
                  &err);
    assert_true(report.layouts > 0);
    expect_usage(ct_tune_verify(c.context, c.device, "detect", &none, &report, &err), &err,
                 ".size = sizeof(ct_verify_options)");
    expect_usage(ct_tune_verify(c.context, c.device, "detect", &some, &sizeless, &err), &err,
                 ".size = sizeof(ct_verify_report)");
    expect_usage(ct_tune_bench(&json, c.context, c.device, &bench, &err), &err,
                 ".size = sizeof(ct_bench)");
    expect_usage(ct_tune_bench(&json, c.context, c.device, NULL, &err), &err, "none is given");
    bench.size = sizeof bench;
    expect_usage(ct_tune_bench(&json, c.context, c.device, &bench, &err), &err, "rounds");
    contract_close(&c);
}

/* ---------------------------------------------------------------- stages */

static const ct_stage plain = {.api = CT_API,
                               .version = 1,
                               .name = "test.plain",
                               .ports = {{"X", CT_IN, 0, "*", "f32", "*", NULL, NULL}}};

static void versions_of_the_contract(void **state)
{
    static const uint32_t refused[] = {0, CT_API_OLDEST - 1, CT_API + 1, UINT32_MAX};
    ct_context *context = NULL;
    ct_error err = {0};
    ct_stage stage = plain;
    char name[32];
    (void)state;
    contract_must(ct_context_open(&context, &err), &err);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        stage.api = refused[i];
        assert_int_equal(ct_context_add_stage(context, &stage, &err), CT_INVALID);
        assert_non_null(strstr(err.text, "of cornerturn_stage.h, this library serves"));
    }
    for (stage.api = CT_API_OLDEST; stage.api <= CT_API; stage.api++) {
        snprintf(name, sizeof name, "test.plain%u", (unsigned)stage.api);
        stage.name = name;
        err = (ct_error){0};
        contract_must(ct_context_add_stage(context, &stage, &err), &err);
    }
    stage = plain;
    stage.traits = (uintptr_t)1 << 20;
    assert_int_equal(ct_context_add_stage(context, &stage, &err), CT_INVALID);
    assert_non_null(strstr(err.text, "its traits are 0x100000"));
    ct_context_free(context);
}

/* ---------------------------------------------------------------- a stage's own data */

/* What a program in another language would know of a source that it makes up while it runs. */
typedef struct made_up {
    char type[8];
    int64_t stations, total;
    uint8_t value;
    int reads;
} made_up;

static ct_status made_infer(ct_step *step, ct_error *err)
{
    const made_up *of = step->stage->of;
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    out->type = ct_type_parse(of->type);
    ct_array_add(out, 'S', of->stations);
    ct_array_add(out, 'T', 0);
    out->meta.total = of->total;
    return CT_OK;
}

static ct_status made_open(ct_step *step, void **state, ct_error *err)
{
    (void)err;
    *state = step->stage->of;
    return CT_OK;
}

static ct_status made_read(void *state, ct_array *block, uint8_t *flags, int64_t *got,
                           ct_error *err)
{
    made_up *of = state;
    (void)flags, (void)err;
    *got = ct_array_extent(block, 'T');
    memset(block->data, of->value, ct_array_bytes(block));
    of->reads++;
    return CT_OK;
}

static ct_status made_close(void *state, bool complete, ct_error *err)
{
    (void)err;
    ((made_up *)state)->value = complete;
    return CT_OK;
}

static ct_status keep_first(void *state, const ct_array *block, int64_t first, int64_t count,
                            ct_error *err)
{
    int *kept = state;
    (void)first, (void)count, (void)err;
    kept[0] = *(const uint8_t *)block->data;
    kept[1] = (int)ct_array_extent(block, 'S');
    return CT_OK;
}

/* Two stages of the same functions; their descriptors and names are gone when the run begins. */
static void run_made_up(made_up *of, int number, int kept[2])
{
    contract c = {0};
    ct_error err = {0};
    char name[32], pipeline[256];
    ct_stage stage = {.api = CT_API, .version = 1, .name = name, .of = of};
    snprintf(name, sizeof name, "source.made%d", number);
    stage.ports[0] = (ct_port){"Y", CT_OUT, 0, "ST", "u8 i8", "*", NULL, "made up"};
    stage.infer = made_infer;
    stage.io.open = made_open;
    stage.io.read = made_read;
    stage.io.close = made_close;
    snprintf(pipeline, sizeof pipeline,
             CONTRACT_HEAD "\"in\": {\"stage\": \"%s\"}," CONTRACT_SINK("out", "in") "}}", name);
    contract_must(ct_context_open(&c.context, &err), &err);
    contract_must(ct_device_open(&c.device, NULL, &err), &err);
    contract_must(ct_context_add_stage(c.context, &stage, &err), &err);
    memset(&stage, 0xa5, sizeof stage);
    contract_must(ct_graph_parse(&c.graph, c.context, pipeline, "made", NULL, &err), &err);
    contract_must(ct_plan_default(&c.plan, c.graph, c.device, &err), &err);
    contract_must(ct_run_new(&c.run, c.plan, c.device, &err), &err);
    const ct_io io = {sizeof io, kept, NULL, keep_first, NULL};
    contract_must(ct_run_bind(c.run, "out", &io, &err), &err);
    while (ct_run_block(c.run, &err) == CT_OK)
        ;
    contract_must(ct_run_finish(c.run, &err), &err);
    ct_run_free(c.run);
    ct_plan_free(c.plan);
    ct_graph_free(c.graph);
    ct_device_free(c.device);
    ct_context_free(c.context);
}

static void stages_have_data_of_their_own(void **state)
{
    made_up one = {"u8", 3, 480, 17, 0}, two = {"i8", 5, 720, 19, 0};
    int kept[2];
    (void)state;
    run_made_up(&one, 1, kept);
    assert_int_equal(kept[0], 17);
    assert_int_equal(kept[1], 3);
    assert_int_equal(one.reads, 2);
    assert_int_equal(one.value, true); /* closed, and complete */
    run_made_up(&two, 2, kept);
    assert_int_equal(kept[0], 19);
    assert_int_equal(kept[1], 5);
    assert_int_equal(two.reads, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_what_a_run_takes),
        cmocka_unit_test(sizes_of_what_a_run_tells),
        cmocka_unit_test(sizes_of_what_the_tuner_takes),
        cmocka_unit_test(versions_of_the_contract),
        cmocka_unit_test(stages_have_data_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
