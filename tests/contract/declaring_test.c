/* declaring_test.c: "Failing", for those who write stages: what a descriptor or its functions get
 * wrong is a sentence that names the stage, never an assertion, and public helpers take whatever
 * they are given. */
#include "contract.h"
#include "cornerturn_stage.h"

static const char copy_cl[] = "kernel void copy(CT_ARGS)\n"
                              "{\n"
                              "    if (CT_OUTSIDE) return;\n"
                              "    Y_SAVE(ID_S, ID_P, ID_T, X_LOAD(ID_S, ID_P, ID_T));\n"
                              "}\n";

static ct_stage copy_stage(void)
{
    const ct_stage stage = {
        .api = CT_API,
        .version = 1,
        .name = "test.copy",
        .summary = "copies",
        .ports = {{"X", CT_IN, 0, "SPT", "ci8 cf32", "*", NULL, NULL},
                  {"Y", CT_OUT, 0, "SPT", "cf32", "*", NULL, NULL}},
        .kernel = {.text = copy_cl, .name = "copy.cl", .entry = "copy", .parallel = "T, SP"},
    };
    return stage;
}

/* From adding the stage to a block of a run: the first failure. */
static ct_status use(const ct_stage *stage, ct_error *err)
{
    contract c = {0};
    ct_status status = ct_context_open(&c.context, err);
    const ct_io io = {sizeof io, &(contract_end){0}, contract_read, contract_write, NULL};
    if (status == CT_OK) status = ct_device_open(&c.device, NULL, err);
    if (status == CT_OK) status = ct_context_add_stage(c.context, stage, err);
    if (status == CT_OK)
        status =
            ct_graph_parse(&c.graph, c.context,
                           CONTRACT_HEAD CONTRACT_SOURCE
                           "\"copy\": {\"stage\": \"test.copy\", \"input\": \"in\"}," CONTRACT_SINK(
                               "out", "copy") "}}",
                           "p.json", NULL, err);
    if (status == CT_OK) status = ct_plan_default(&c.plan, c.graph, c.device, err);
    if (status == CT_OK) status = ct_run_new(&c.run, c.plan, c.device, err);
    if (status == CT_OK) status = ct_run_bind(c.run, "out", &io, err);
    if (status == CT_OK) status = ct_run_block(c.run, err);
    ct_run_free(c.run);
    ct_plan_free(c.plan);
    ct_graph_free(c.graph);
    ct_device_free(c.device);
    ct_context_free(c.context);
    return status;
}

static void expect_sentence(const ct_stage *stage, const char *words)
{
    ct_error err = {0};
    const ct_status status = use(stage, &err);
    if (status != CT_INVALID && status != CT_FAILED)
        fail_msg("status %d, expected \"%s\"", (int)status, words);
    if (!strstr(err.text, words)) fail_msg("found \"%s\", expected \"%s\"", err.text, words);
}

static void a_right_one_works(void **state)
{
    ct_error err = {0};
    const ct_stage stage = copy_stage();
    (void)state;
    contract_must(use(&stage, &err), &err);
}

static void ports(void **state)
{
    static const char *const dims[] = {"SPTC?[]", "[BSP", "[bs]PT", "ABCDEFGHI",
                                       "S P T",   "?",    "*T"};
    ct_stage stage = copy_stage();
    (void)state;
    for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
        stage.ports[0].dims = dims[i];
        expect_sentence(&stage, "stage test.copy: port X: dims \"");
    }
    stage = copy_stage();
    stage.ports[1].types = "=Z";
    expect_sentence(&stage, "stage test.copy: port Y: types \"=Z\"");
    stage = copy_stage();
    stage.ports[1].layout = "=Z";
    expect_sentence(&stage, "stage test.copy: port Y: layout \"=Z\"");
}

/* ---------------------------------------------------------------- functions */

static ct_status asks_for_a_parameter(ct_step *step, ct_error *err)
{
    (void)err;
    assert_null(ct_step_text(step, "gain"));
    assert_null(ct_step_value(step, "gain"));
    assert_null(ct_step_path(step, "gain"));
    assert_int_equal(ct_step_int(step, "gain"), 0);
    return CT_OK;
}

static void asks_for_a_tunable(ct_step *step)
{
    ct_step_suggest(step, "WG", 4);
    assert_int_equal(ct_step_tunable(step, "WG"), 0);
    assert_int_equal(ct_step_next_below(step, "WG"), 0);
}

static ct_status emits_a_tunable(const ct_step *step, ct_text *text, ct_error *err)
{
    (void)err;
    ct_text_add(text, "#define WG %d\n", (int)ct_step_tunable(step, "WG"));
    return CT_OK;
}

static void what_is_not_declared(void **state)
{
    ct_stage stage = copy_stage();
    (void)state;
    stage.infer = asks_for_a_parameter;
    expect_sentence(&stage, "stage test.copy asks for its parameter \"gain\", which it does not");
    stage = copy_stage();
    stage.tuning.suggest = asks_for_a_tunable;
    expect_sentence(&stage, "stage test.copy asks for its tunable \"WG\", which it does not");
    stage = copy_stage();
    stage.kernel.emit = emits_a_tunable;
    expect_sentence(&stage, "stage test.copy asks for its tunable \"WG\", which it does not");
}

static ct_status no_decimation(ct_step *step, ct_error *err)
{
    (void)err;
    step->decimate = 0;
    return CT_OK;
}

static ct_status no_grain(ct_step *step, ct_error *err)
{
    (void)err;
    step->grain = -3;
    return CT_OK;
}

static ct_status no_type(ct_step *step, ct_error *err)
{
    (void)err;
    ct_step_port(step, "Y")->type = (ct_type)(CT_TYPES + 5);
    return CT_OK;
}

static ct_status no_room(ct_step *step, ct_error *err)
{
    ct_array *out = ct_step_port(step, "Y");
    (void)err;
    assert_false(ct_array_add(out, 'T', 3));
    while (ct_array_add(out, (char)('A' + out->rank), 1))
        continue;
    return CT_OK;
}

static void what_infer_sets(void **state)
{
    ct_stage stage = copy_stage();
    (void)state;
    stage.infer = no_decimation;
    expect_sentence(&stage, "infer() gives decimate 0, grain 1");
    stage.infer = no_grain;
    expect_sentence(&stage, "infer() gives decimate 1, grain -3");
    stage.infer = no_type;
    expect_sentence(&stage, "infer() gives port Y no type that there is");
    stage.infer = no_room;
    expect_sentence(&stage, "copy");
}

static ct_status transposes_nothing(const ct_step *step, ct_text *text, ct_error *err)
{
    ct_array other = step->port[0];
    ct_launch launch = {0};
    const ct_transpose transpose = {
        .from = &step->port[0], .to = &other, .along_from = 1, .along_to = 1, .group = 1};
    (void)err;
    other.extent[0]++;
    ct_transpose_launch(&launch, &transpose);
    assert_int_equal(launch.global[0], 1);
    ct_transpose_emit(text, &transpose);
    return CT_OK;
}

static void tiles_and_transposes(void **state)
{
    static const ct_tile tiles[][2] = {
        {{"A", "X", "", "", NULL, "float2", NULL}, {0}},
        {{"A", "X", "T", "0", NULL, "float2", NULL}, {0}},
        {{"A", "X", "TSP", "4", NULL, "float2", NULL}, {0}},
        {{"A", "Z", "T", "4", NULL, "float2", NULL}, {0}},
    };
    ct_stage stage = copy_stage();
    (void)state;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        stage.kernel.tiles = tiles[i];
        expect_sentence(&stage, "stage test.copy: tile A");
    }
    stage = copy_stage();
    stage.kernel.emit = transposes_nothing;
    expect_sentence(&stage, "ct_transpose: the arrays do not match");
}

static void helpers_take_what_they_get(void **state)
{
    const ct_layout layout = {.rank = 3, .dim = "SPT"};
    ct_array array = {0}, other = {.type = CT_F32};
    ct_complex zero;
    (void)state;
    assert_string_equal(ct_type_name((ct_type)1000), "none");
    assert_int_equal(ct_type_bits((ct_type)-1), 0);
    assert_false(ct_type_complex((ct_type)1000));
    assert_true(ct_array_add(&array, 'S', 3));
    assert_false(ct_array_dense(&array, &layout));
    assert_int_equal(array.layout.rank, 0);
    assert_true(ct_array_dense(&array, NULL));
    zero = ct_array_load(&array, 5);
    assert_true(zero.re == 0 && zero.im == 0);
    ct_array_save(&array, 5, 1, 1);
    const ct_copy copy = ct_copy_make(&array, &other);
    assert_int_equal(ct_copy_count(&copy), 0);
    ct_copy_run(&copy, &array, &other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_right_one_works),    cmocka_unit_test(ports),
        cmocka_unit_test(what_is_not_declared), cmocka_unit_test(what_infer_sets),
        cmocka_unit_test(tiles_and_transposes), cmocka_unit_test(helpers_take_what_they_get),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
