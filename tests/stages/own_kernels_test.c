/* own_kernels_test.c: a stage whose reference and table are kernels, whose cases bring arrays, or
 * which has nothing to be compared with; and what verify says of mistakes in kernels. Room: tests.
 * Knows only the public headers. */
#include <math.h>

#include "capture.h"
#include "expect_verify.h"

#define GAIN_CL                                                                                    \
    "kernel CT_GROUP void gain(CT_ARGS)\n"                                                         \
    "{\n"                                                                                          \
    "    if (CT_OUTSIDE) return;\n"                                                                \
    "    const float2 x = X_LOAD(ID_T, ID_C);\n"                                                   \
    "    const float g = G(ID_C);\n"                                                               \
    "    Y_SAVE(ID_T, ID_C, g * (x.x * x.x + x.y * x.y));\n"                                       \
    "}\n"

static const char gain_cl[] = GAIN_CL "kernel void fill(CT_ARGS)\n"
                                      "{\n"
                                      "    G_SAVE(ID_C, P_SCALE / (1 + ID_C));\n"
                                      "}\n";

/* `right` has P_SCALE as a double, so it is not what the kernel computes in floats. */
static const char right_cl[] =
    "kernel void right(CT_ARGS)\n"
    "{\n"
    "    const double2 x = X_LOAD(ID_T, ID_C);\n"
    "    const double g = sizeof(P_SCALE) == 8 ? P_SCALE / (1 + ID_C) : G(ID_C);\n"
    "    Y_SAVE(ID_T, ID_C, g * dot(x, x));\n"
    "}\n";

static ct_status gain_infer(ct_step *step, ct_error *err)
{
    (void)err;
    ct_array_add(ct_step_port(step, "G"), 'C', ct_array_extent(ct_step_port(step, "X"), 'C'));
    return CT_OK;
}

static const ct_param gain_params[] = {{"scale", CT_PARAM_REAL, "0.1", NULL, 0, 0, "of channel 0"},
                                       {0}};
static const ct_tunable gain_tunables[] = {{"WG", "1 4", "1", "4", "work-items of a group"}, {0}};
static const ct_case gain_cases[] = {
    {NULL, "T=11 C=6", "cf32", NULL}, {"{\"scale\": 0.3}", "T=5 C=4", "ci8", "WG=4"}, {0}};
static const ct_fill gain_fills[] = {{"G", "fill"}, {0}};

static const ct_stage gain = {
    .api = CT_API,
    .version = 1,
    .name = "test.gain",
    .ports = {{"X", CT_IN, 0, "TC", "cf32 ci8", "*", NULL, NULL},
              {"G", CT_TABLE, 0, "C", "f32", "*", NULL, NULL},
              {"Y", CT_OUT, 0, "TC", "f32", "*", NULL, NULL}},
    .params = gain_params,
    .infer = gain_infer,
    .tuning = {.tunables = gain_tunables},
    .kernel = {.text = gain_cl,
               .name = "gain.cl",
               .entry = "gain",
               .parallel = "C:WG, T",
               .fills = gain_fills},
    .verify = {.cases = gain_cases, .tolerance = 1e-6, .text = right_cl, .name = "right.cl"},
};

/* The stage's kernel with one piece of text changed. */
static ct_stage changed(const ct_stage *from, char out[1024], const char *piece, const char *by)
{
    ct_stage stage = *from;
    const char *at = strstr(from->kernel.text, piece);
    assert_non_null(at);
    snprintf(out, 1024, "%.*s%s%s", (int)(at - from->kernel.text), from->kernel.text, by,
             at + strlen(piece));
    stage.kernel.text = out;
    return stage;
}

/* ---- references and tables as kernels */

static void test_reference_and_table_are_kernels(void **state)
{
    ct_error err;
    (void)state;
    if (verify(&gain, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(report.layouts, 2 * 4);
    assert_int_equal(report.unreferenced, 0);
    assert_true(report.worst > 0 && report.worst < 1e-6);
    assert_string_equal(report.note, "");
}

static void test_a_wrong_kernel_is_found(void **state)
{
    char text[1024];
    (void)state;
    const ct_stage wrong = changed(&gain, text, "x.y * x.y", "x.y * x.x");
    expect(&wrong, CT_MISMATCH, SAYS("test.gain case 1 (T=11 C=6, cf32)", "Y at t=0 c=0: got"));
}

static void test_a_reference_in_parts(void **state)
{
    static const char text[] = "kernel void other(CT_ARGS) { }\n"
                               "kernel void right(CT_ARGS)\n"
                               "{\n"
                               "    for (int c = 0; c < Y_N_C; c++)\n"
                               "        Y_SAVE(ID_T, c, G(c) * dot(X(ID_T, c), X(ID_T, c)));\n"
                               "}\n";
    ct_stage stage = gain;
    (void)state;
    stage.verify.text = text;
    stage.verify.name = NULL;
    stage.verify.entry = "right";
    stage.verify.parallel = "T";
    expect(&stage, CT_OK, SAYS(""));
}

static void test_mistakes_in_references(void **state)
{
    static const struct {
        const char *text, *entry;
        ct_status status;
        const char *says;
    } all[] = {
        {"kernel void right(CT_ARGS) { if (ID_T != 2 || ID_C != 3) Y_SAVE(ID_T, ID_C, 0); }", NULL,
         CT_MISMATCH,
         "right.cl: the reference of test.gain leaves Y at t=2 c=3 unwritten (1 of 66 elements)"},
        {"kernel void right(CT_ARGS) { Y_SAVE(ID_T + 1, ID_C, 0); }", NULL, CT_MISMATCH,
         "right.cl: the reference of test.gain writes behind the end of Y"},
        {"kernel void right(CT_ARGS)\n{\n    Y_SAVE(ID_T, ID_C, what);\n}", NULL, CT_INVALID,
         "right.cl:3:24: building the reference of test.gain"},
        {"kernel void right(CT_ARGS) { }", "wrong", CT_INVALID, "right.cl has no kernel \"wrong\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ct_stage stage = gain;
        stage.verify.text = all[i].text;
        stage.verify.entry = all[i].entry;
        expect(&stage, all[i].status, SAYS(all[i].says));
    }
}

static void test_mistakes_in_tables(void **state)
{
    char text[1024];
    (void)state;
    const ct_stage holes = changed(&gain, text, "    G_SAVE(", "    if (ID_C != 1) G_SAVE(");
    expect(&holes, CT_MISMATCH,
           SAYS("gain.cl: the kernel for a table of test.gain leaves G at c=1 unwritten"));
    const ct_stage gone = changed(&gain, text, "void fill(", "void full(");
    expect(&gone, CT_INVALID, SAYS("gain.cl has no kernel \"fill\""));
}

/* In a run, not only where verify asks for it. */
static void test_a_run_fills_its_tables(void **state)
{
    static const char text[] =
        "{\"cornerturn\": 1, \"nodes\": {"
        "\"in\": {\"stage\": \"source.simulate\", \"stations\": 1, \"samples\": 600},"
        "\"fir\": {\"stage\": \"fir\", \"input\": \"in\", \"channels\": 6, \"taps\": 1},"
        "\"one\": {\"stage\": \"test.slice\", \"input\": \"fir\"},"
        "\"y\": {\"stage\": \"test.gain\", \"input\": \"one\", \"scale\": 3},"
        "\"x\": {\"stage\": \"sink.npy\", \"input\": \"one\", \"file\": \"x.npy\"},"
        "\"out\": {\"stage\": \"sink.npy\", \"input\": \"y\", \"file\": \"y.npy\"}}}";
    static const ct_stage slice = {
        .api = CT_API,
        .name = "test.slice",
        .ports = {{"X", CT_IN, 0, "SPTC", "cf32", "*", NULL, NULL},
                  {"Y", CT_OUT, 0, "TC", "cf32", "*", NULL, NULL}},
        .kernel = {.text = "kernel void slice(CT_ARGS) { Y(ID_T, ID_C) = X(0, 0, ID_T, ID_C); }",
                   .entry = "slice"},
    };
    static const char *const sinks[] = {"x", "out", NULL};
    ct_context *context = NULL;
    ct_graph *graph = NULL;
    ct_plan *plan = NULL;
    ct_run *run = NULL;
    capture out[2] = {0};
    ct_error err = {0};
    (void)state;
    ct_status status = ct_context_open(&context, &err);
    if (status == CT_OK) status = ct_context_add_stage(context, &gain, &err);
    if (status == CT_OK) status = ct_context_add_stage(context, &slice, &err);
    if (status == CT_OK) status = ct_graph_parse(&graph, context, text, "t.json", NULL, &err);
    if (status == CT_OK) status = ct_plan_default(&plan, graph, one_device(&err), &err);
    if (status == CT_OK) status = ct_run_new(&run, plan, one_device(&err), &err);
    if (status == CT_OK) status = capture_blocks(run, sinks, out, &err);
    if (status != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(out[1].samples, 100);
    for (int64_t t = 0; t < 100; t++)
        for (int64_t c = 0; c < 6; c++) {
            const ct_complex x = capture_at(&out[0], t, c);
            const double y = 3.0 / (double)(1 + c) * (x.re * x.re + x.im * x.im);
            assert_true(fabs(capture_at(&out[1], t, c).re - y) <= 1e-5 * y);
        }
    capture_free(&out[0]);
    capture_free(&out[1]);
    ct_run_free(run);
    ct_plan_free(plan);
    ct_graph_free(graph);
    ct_context_free(context);
}

/* ---- nothing to be compared with */

static void test_without_a_reference(void **state)
{
    char text[1024];
    ct_stage stage = gain;
    ct_error err;
    (void)state;
    stage.verify.text = NULL;
    if (verify(&stage, NULL, &err) != CT_OK) fail_msg("%s", err.text);
    assert_int_equal(report.unreferenced, 2);
    stage = changed(&stage, text, "g * (", "g * (X_FASTEST == DIM_T ? 2 : 1) * (");
    expect_in(&stage, NULL, CT_MISMATCH, SAYS("case 1 (T=11 C=6, cf32): read CT write TC", "got"));
    stage = changed(&gain, text, "(CT_OUTSIDE)", "(CT_OUTSIDE || ID_T == 4)");
    stage.verify.text = NULL;
    expect(&stage, CT_MISMATCH,
           SAYS("read TC write TC", "Y at t=4 c=0 is left unwritten (6 of 66"));
}

/* ---- mistakes in kernels */

static void test_unwritten_elements(void **state)
{
    char text[1024];
    (void)state;
    const ct_stage stage = changed(&gain, text, "(CT_OUTSIDE)", "(CT_OUTSIDE || ID_C == 2)");
    expect(&stage, CT_MISMATCH, SAYS("Y at t=0 c=2 is left unwritten (11 of 66 elements)"));
}

/* One row too far, in a layout where that is the slowest dimension: the first row is unwritten,
 * too. */
static void test_writes_beyond_the_end(void **state)
{
    char text[1024];
    (void)state;
    const ct_stage stage = changed(&gain, text, "Y_SAVE(ID_T,", "Y_SAVE(ID_T + 1,");
    expect(&stage, CT_MISMATCH,
           SAYS("read TC write TC table C WG=1: Y at t=0 c=0 is left unwritten (6 of 66 elements)",
                "Y is written beyond its end: 6 elements, the farthest 6 away"));
    const ct_stage before = changed(&gain, text, "Y_SAVE(ID_T,", "Y_SAVE(ID_T - 2,");
    expect(&before, CT_MISMATCH,
           SAYS("Y is written before its beginning: 12 elements, the farthest 12 away"));
}

static void test_an_order_taken_for_granted(void **state)
{
    char text[1024];
    (void)state;
    ct_stage stage =
        changed(&gain, text, "X_LOAD(ID_T, ID_C)", "X_data[X_OFFSET + ID_T * X_N_C + ID_C]");
    stage.verify.cases = (const ct_case[]){{NULL, "T=11 C=6", "cf32", NULL}, {0}};
    expect_in(&stage, NULL, CT_MISMATCH, SAYS("read CT write TC"));
    assert_non_null(strstr(report.note, "case 1: the kernel takes the order of X for granted"));
    assert_non_null(strstr(report.note, "it is right where X is TC, wrong where it is CT"));
    stage =
        changed(&gain, text, "Y_SAVE(ID_T, ID_C, ", "Y_data[Y_OFFSET + ID_T * Y_N_C + ID_C] = (");
    expect_in(&stage, NULL, CT_MISMATCH, SAYS("read TC write CT"));
    assert_non_null(strstr(report.note, "right where Y is TC, wrong where it is CT"));
}

/* Right nowhere, unless the data lie where their memory begins. */
static void test_beginnings_taken_for_granted(void **state)
{
    char text[1024], both[1024];
    (void)state;
    ct_stage stage = changed(&gain, text, "X_LOAD(ID_T, ID_C)", "X_data[ID_T * X_N_C + ID_C]");
    stage.verify.cases = (const ct_case[]){{NULL, "T=11 C=6", "cf32", NULL}, {0}};
    expect_in(&stage, "TC", CT_MISMATCH, SAYS("Y at t=0 c=0: got"));
    assert_string_equal(report.note,
                        "test.gain case 1: the kernel takes for granted that the data of X lie "
                        "where their memory begins: to the index belongs X_OFFSET");
    stage = changed(&stage, both, "Y_SAVE(ID_T, ID_C, ", "Y_data[ID_T * Y_N_C + ID_C] = (");
    expect_in(&stage, NULL, CT_MISMATCH, SAYS("Y at t=0 c=0 is left unwritten"));
    assert_non_null(strstr(report.note, "the data of X and Y lie where their memory begins: to the "
                                        "index belongs X_OFFSET, Y_OFFSET; and it takes the order "
                                        "of X for granted"));
    assert_non_null(strstr(report.note, "right where X is TC, wrong where it is CT"));
    stage = changed(&gain, text, "X_LOAD(ID_T, ID_C)", "X_data[X_OFFSET + ID_T * X_N_C + ID_C]");
    stage.verify.cases = (const ct_case[]){{NULL, "T=11 C=6", "cf32", NULL}, {0}};
    expect_in(&stage, "TC", CT_MISMATCH, SAYS(", rows padded"));
    assert_non_null(strstr(report.note, "rows follow each other without gaps"));
}

static ct_status ones(const ct_step *step, const char *port, ct_array *fill, ct_error *err)
{
    (void)step, (void)port, (void)err;
    for (int64_t i = 0; i < ct_array_count(fill); i++)
        ct_array_save(fill, i, 1, 0);
    return CT_OK;
}

/* Places are the user's own, wherever the compiler found fault. */
static void test_compilers_messages(void **state)
{
    static const struct {
        const char *piece, *by, *says;
    } all[] = {
        {"x.y * x.y));", "x.y * z));", "gain.cl:6:47: building "},
        {"x.y * x.y));", "x.y * z));", ": use of undeclared identifier 'z'"},
        {"Y_SAVE(ID_T, ID_C, g", "Y_SAVE(ID_T, ID_C, x", "gain.cl:6:5: building "},
        {"Y_SAVE(ID_T, ID_C, g", "Y_SAVE(ID_T, ID_C, x", "(in what Y_SAVE stands for)"},
        {"X_LOAD(ID_T, ID_C)", "X_LOAD(ID_T)", "gain.cl:4:33: building "},
        {"X_LOAD(ID_T, ID_C)", "X_LAOD(ID_T, ID_C)", "gain.cl:4:22: building "},
        {"X_LOAD(ID_T, ID_C)", "X_LOAD(ID_T, ID_K)",
         "gain.cl:4:35: building step test.gain (read TC write TC WG=1): the kernel asks for ID_K, "
         "but `parallel`, \"C:WG, T\", has no K"},
    };
    char text[1024];
    ct_stage plain = gain;
    (void)state;
    plain.table = ones;
    plain.kernel.fills = NULL;
    plain.verify.text = NULL;
    plain.kernel.text = GAIN_CL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const ct_stage stage = changed(&plain, text, all[i].piece, all[i].by);
        expect(&stage, CT_INVALID, SAYS(all[i].says));
    }
}

/* Where a table has the letter, another text has to say it: see ct_emit_fills. */
static void test_letters_that_parallel_lacks(void **state)
{
    ct_stage stage = gain;
    (void)state;
    stage.kernel.parallel = "T";
    stage.kernel.fills = NULL;
    stage.verify.text = stage.verify.name = NULL;
    stage.ports[1] = stage.ports[2];
    stage.ports[2] = (ct_port){0};
    stage.infer = NULL;
    stage.kernel.text = "kernel void gain(CT_ARGS)\n{\n    Y(ID_T, ID_C) = X(ID_T, ID_C).x;\n}\n";
    expect(&stage, CT_INVALID, SAYS("gain.cl:3:13: ", "ID_C, but `parallel`, \"T\", has no C"));
    stage.kernel.parallel = NULL;
    stage.kernel.text = "kernel void gain(CT_ARGS)\n{\n    Y(ID_T, ID_S) = X(ID_T, ID_C).x;\n}\n";
    expect(&stage, CT_INVALID, SAYS("Y, whose letters \"TC\" the work-items have, has no S"));
    stage.verify.text = right_cl;
    stage.verify.parallel = "T";
    expect(&stage, CT_INVALID, SAYS("gain.cl:3:", "the reference of", "\"T\", has no C"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_and_table_are_kernels),
        cmocka_unit_test(test_a_wrong_kernel_is_found),
        cmocka_unit_test(test_a_reference_in_parts),
        cmocka_unit_test(test_mistakes_in_references),
        cmocka_unit_test(test_mistakes_in_tables),
        cmocka_unit_test(test_a_run_fills_its_tables),
        cmocka_unit_test(test_without_a_reference),
        cmocka_unit_test(test_unwritten_elements),
        cmocka_unit_test(test_writes_beyond_the_end),
        cmocka_unit_test(test_an_order_taken_for_granted),
        cmocka_unit_test(test_beginnings_taken_for_granted),
        cmocka_unit_test(test_compilers_messages),
        cmocka_unit_test(test_letters_that_parallel_lacks),
    };
    return cmocka_run_group_tests_name("own_kernels", tests, NULL, NULL);
}
